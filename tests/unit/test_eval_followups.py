"""The labelled follow-ups, the rules that are compared on them, and the rule of the product."""

from __future__ import annotations

from collections import Counter

import pytest

from eval.corpus import PROJECT
from eval.dataset import Gold
from eval.followups import PRODUCT, RULES, Followed, after_one_another, load_follow_ups
from eval.followups_page import as_tables
from eval.matching import holds
from eval.metrics import Ranking
from rag.followup import search_text
from rag.types import Question, Turn

TOLD = (Turn("is a security group stateful?", "Yes [1]."),)


def ranking(question: str, rank: int | None) -> Ranking:
    return Ranking(question, "t", "notes", "question", rank, 100, 0.01)


def test_each_tenant_has_eight_that_lean_and_three_that_change_the_subject() -> None:
    counts = Counter((each.tenant, each.kind) for each in load_follow_ups())
    assert {kind: {n for (_, k), n in counts.items() if k == kind} for kind in ("leaning", "new")} == {
        "leaning": {8},
        "new": {3},
    }


def test_every_label_in_the_notes_is_verbatim_and_at_most_eight_words() -> None:
    for each in load_follow_ups():
        assert len(each.substring.split()) <= 8
        if each.gold.half == "notes":
            assert holds((PROJECT / each.document).read_text(encoding="utf-8"), each.substring), each.id


@pytest.mark.parametrize("text", ["why?", "and a nacl?", "what about the rules of a whole subnet in another region?"])
def test_a_question_that_leans_is_searched_for_after_the_one_before_it(text: str) -> None:
    assert search_text(Question("t", text, TOLD)) == f"{TOLD[0].question} {text}"


@pytest.mark.parametrize(
    "text",
    ["can i shrink an ebs volume later if i made it too big?", "can an ec2 instance have two iam roles at once?"],
)
def test_a_question_that_stands_alone_is_searched_for_alone(text: str) -> None:
    assert search_text(Question("t", text, TOLD)) == text


@pytest.mark.parametrize("rule", RULES.values(), ids=RULES.keys())
def test_without_a_history_every_rule_searches_for_the_question(rule: object) -> None:
    assert callable(rule) and rule(Question("t", "why?")) == "why?"


def test_gold_questions_follow_one_of_their_own_tenant() -> None:
    gold = [Gold(f"{tenant}{n}", tenant, "d", "s", f"{tenant} {n}?", "p") for tenant in "ab" for n in (1, 2)]
    assert [each.history[-1].question for each in after_one_another(gold)] == ["a 2?", "a 1?", "b 2?", "b 1?"]


def test_the_tables_compare_each_rule_with_the_products() -> None:
    kinds = {"x": "leaning", "y": "new", "z": "gold"}
    rankings = {PRODUCT: (1, 1, 1), "never prepend": (None, 1, 1)}
    followed = Followed(
        {name: tuple(map(ranking, kinds, ranks)) for name, ranks in rankings.items()},
        {"x": "leaning", "y": "new", "z": "gold"},
        2,
    )
    tables = as_tables(followed)
    assert "| never prepend | leaning | 1 | 0.0 | 0.0 | 0.0 |" in tables
    assert "| never prepend | leaning | -100.0 | -100.0 … -100.0 (beyond chance) | 0 | 1 |" in tables
    assert "2 questions were left out" in tables
