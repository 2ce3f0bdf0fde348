from __future__ import annotations

import json
from dataclasses import replace
from datetime import UTC, datetime
from pathlib import Path

import pytest

from eval.check_gold import labels, repeated_ids, wording
from eval.dataset import Gold, GoldSet, load_gold, load_questions
from rag.errors import ConfigError
from rag.library import Shown
from rag.types import Chunk

GOLD = Gold("q1", "t", "t/a.md", "it can never return", "can it go back?", "is there a way home?")
LINE = {
    "id": "q1",
    "tenant": "t",
    "document": "t/a.md",
    "substring": "s",
    "question": "q",
    "paraphrase": "p",
    "also": [],
}


def stored(markdown: str, *chunks: str) -> dict[str, Shown]:
    texts = tuple(Chunk(number, "", text) for number, text in enumerate(chunks))
    shown = Shown("t/a.md", "", "", "", None, datetime(2026, 1, 1, tzinfo=UTC), 1, markdown, 1, texts)
    return {"t/a.md": shown}


def write(path: Path, *rows: object) -> Path:
    path.write_text("".join(json.dumps(row) + "\n" for row in rows), encoding="utf-8")
    return path


def test_the_gold_set_has_enough_questions_of_each_kind_for_each_tenant() -> None:
    gold = load_gold()
    for tenant in ("aws-saa", "gcp-ace", "terraform-assoc"):
        own = gold.of(tenant)
        assert len(own.answerable) >= 20 and len(own.unanswerable) >= 15
        assert {question.half for question in own.answerable} == {"notes", "documents"}


def test_no_gold_question_has_the_id_of_another() -> None:
    assert list(repeated_ids(load_gold())) == []


def test_a_line_that_does_not_fit_is_named(tmp_path: Path) -> None:
    write(tmp_path / "t.notes.jsonl", LINE, {**LINE, "type": "odd"})
    with pytest.raises(ConfigError, match=r"t\.notes\.jsonl:2: type"):
        load_gold(tmp_path)


def test_a_folder_without_questions_is_an_error(tmp_path: Path) -> None:
    with pytest.raises(ConfigError, match="no gold questions"):
        load_gold(tmp_path)


def test_foreign_questions_name_documents_below_the_tenants_folder(tmp_path: Path) -> None:
    row = {**LINE, "doc": "x.md", "also": ["y.md"], "mid": "m"}
    del row["document"]
    (question,) = load_questions(write(tmp_path / "q.jsonl", row)).answerable
    assert question.documents == {"t/md/x.md", "t/md/y.md"}
    assert question.phrasings == {"question": "q", "mid": "m", "paraphrase": "p"}


def test_a_missing_file_of_questions_is_named(tmp_path: Path) -> None:
    with pytest.raises(ConfigError, match="There is no file"):
        load_questions(tmp_path / "none.jsonl")


def test_a_repeated_id_is_a_problem() -> None:
    assert [problem.question for problem in repeated_ids(GoldSet((GOLD, GOLD)))] == ["q1"]


def test_a_substring_of_nine_words_is_a_problem() -> None:
    (problem,) = wording(replace(GOLD, substring="one two three four five six seven eight nine"))
    assert "9 words" in problem.what


def test_a_paraphrase_that_shares_a_stem_with_the_substring_is_a_problem() -> None:
    (problem,) = wording(replace(GOLD, paraphrase="Is it returning?"))
    assert "return" in problem.what


def test_a_products_name_may_be_shared() -> None:
    assert not list(wording(replace(GOLD, substring="Auto Scaling waits", paraphrase="Does Auto Scaling pause?")))


def test_a_word_of_a_products_name_may_not_be_shared_alone() -> None:
    assert list(wording(replace(GOLD, substring="scaling waits", paraphrase="Does scaling pause?")))


def test_a_substring_that_the_document_does_not_say_is_a_problem() -> None:
    (problem,) = labels(GOLD, stored("Something else.", "Something else."), frozenset())
    assert "does not say" in problem.what and not problem.warning


def test_a_substring_cut_between_chunks_is_a_problem() -> None:
    (problem,) = labels(GOLD, stored("It can never return.", "It can", "never return."), frozenset())
    assert "no chunk" in problem.what


def test_a_substring_whole_in_a_chunk_is_no_problem() -> None:
    assert not list(labels(GOLD, stored("It can **never** return.", "It can **never** return."), frozenset()))


def test_another_document_that_does_not_say_the_substring_is_a_warning() -> None:
    gold = replace(GOLD, document="t/b.md", also=("t/a.md",))
    (problem,) = labels(gold, stored("Else.", "Else."), frozenset())
    assert problem.warning
