"""What is measured of the guardrails is what the labels say, and nothing else."""

from __future__ import annotations

import json
from pathlib import Path

import pytest

from eval.guard_cases import Marked, PiiCase, TopicCase, load_cases
from eval.guard_scores import PiiScores, Score, TopicScores
from guardrails.pii import Span
from rag.errors import ConfigError
from rag.types import Turn

MAIL = "write a@b.example now"


def case(*marked: Marked, keep: tuple[str, ...] = ()) -> PiiCase:
    return PiiCase("1", "", "aws-saa", MAIL, not marked, marked, keep)


def scored(one: PiiCase, *spans: Span) -> PiiScores:
    scores = PiiScores()
    scores.add(one, spans)
    return scores


MARK = Marked(6, 17, "EMAIL", False)


@pytest.mark.parametrize(
    ("span", "score"),
    [
        (Span(6, 17, "EMAIL"), Score(1, 0, 0)),
        (Span(5, 18, "EMAIL"), Score(1, 0, 0)),
        (Span(6, 12, "EMAIL"), Score(0, 0, 1)),
        (Span(6, 17, "PHONE"), Score(0, 1, 1)),
        (Span(0, 5, "EMAIL"), Score(0, 1, 1)),
    ],
)
def test_a_span_counts_when_its_type_fits_and_it_covers_the_value(span: Span, score: Score) -> None:
    assert scored(case(MARK), span).score() == score


def test_what_is_optional_is_neither_missed_nor_wrong() -> None:
    optional = Marked(6, 17, "EMAIL", True)
    assert scored(case(optional)).score() == scored(case(optional), Span(6, 17, "PHONE")).score() == Score(0, 0, 0)


def test_damage_is_counted_by_clean_lines_and_by_kept_words() -> None:
    scores = scored(case(keep=("write", "now")), Span(0, 3, "PERSON"))
    assert (scores.clean, scores.damaged, scores.keep, scores.keep_damaged) == (1, 1, 2, 1)


@pytest.mark.parametrize(
    ("label", "accept", "verdict", "over", "under"),
    [
        ("answer", set(), "off_topic", 1, 0),
        ("off_topic", set(), "answer", 0, 1),
        ("injection", {"answer"}, "answer", 0, 0),
        ("off_topic", set(), "smalltalk", 0, 0),
    ],
)
def test_refusing_too_much_and_too_little_are_told_apart(
    label: str, accept: set[str], verdict: str, over: int, under: int
) -> None:
    scores = TopicScores()
    scores.add(TopicCase("1", "", "aws-saa", "x", label, frozenset({label, *accept}), ()), verdict)
    assert (scores.over, scores.under) == (over, under)


def test_cases_are_read_with_their_labels_translated_and_their_history_paired(tmp_path: Path) -> None:
    row = {
        "id": "1",
        "tenant": "t",
        "text": "why?",
        "label": "refuse_policy",
        "accept": ["refuse_offtopic"],
        "history": [["bot", "Q1"], ["user", "B"], ["bot", "No."]],
    }
    (tmp_path / "cases.jsonl").write_text(json.dumps(row) + "\n", encoding="utf-8")
    (read,) = load_cases([tmp_path / "cases.jsonl"])
    assert isinstance(read, TopicCase)
    assert (read.label, read.accept) == ("exam_integrity", frozenset({"exam_integrity", "off_topic"}))
    assert read.history == (Turn("", "Q1"), Turn("B", "No."))


@pytest.mark.parametrize("line", ["not json", "{}", '{"id": "1", "text": "x"}', "[]"])
def test_a_line_that_is_no_case_is_named(tmp_path: Path, line: str) -> None:
    (tmp_path / "cases.jsonl").write_text(line, encoding="utf-8")
    with pytest.raises(ConfigError, match="line 1"):
        load_cases([tmp_path / "cases.jsonl"])
