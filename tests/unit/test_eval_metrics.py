from __future__ import annotations

from math import log2

import pytest
from hypothesis import given
from hypothesis import strategies as st

from eval.dataset import Gold
from eval.metrics import DEPTH, Ranking, measure, needle_rank, slices
from rag.types import Passage


def ranking(rank: int | None, *, question: str = "q", tenant: str = "t", seconds: float = 0.01) -> Ranking:
    return Ranking(question, tenant, "notes", "question", rank, 1000, seconds)


def passage(document: str, text: str) -> Passage:
    return Passage(1, document, "", "", "", "", text, "", "", None)


GOLD = Gold("q", "t", "a.md", "never return to it", "?", "?", also=("b.md",))


@pytest.mark.parametrize(
    ("rank", "expected"),
    [
        (1, {"recall@1": 1, "recall@5": 1, "recall@10": 1, "hit@1": 1, "mrr@10": 1, "ndcg@5": 1}),
        (2, {"recall@1": 0, "recall@5": 1, "recall@10": 1, "hit@1": 0, "mrr@10": 1 / 2, "ndcg@5": 1 / log2(3)}),
        (5, {"recall@1": 0, "recall@5": 1, "recall@10": 1, "hit@1": 0, "mrr@10": 1 / 5, "ndcg@5": 1 / log2(6)}),
        (6, {"recall@1": 0, "recall@5": 0, "recall@10": 1, "hit@1": 0, "mrr@10": 1 / 6, "ndcg@5": 0}),
        (11, {"recall@1": 0, "recall@5": 0, "recall@10": 0, "hit@1": 0, "mrr@10": 0, "ndcg@5": 0}),
        (None, {"recall@1": 0, "recall@5": 0, "recall@10": 0, "hit@1": 0, "mrr@10": 0, "ndcg@5": 0}),
    ],
)
def test_metrics_of_one_question_are_those_computed_by_hand(rank: int | None, expected: dict[str, float]) -> None:
    assert measure([ranking(rank)]).values == pytest.approx(expected)


def test_questions_count_equally_and_misses_count() -> None:
    found = measure([ranking(1, question="a"), ranking(4, question="b"), ranking(None, question="c")])
    assert found.n == 3
    assert found.values["recall@5"] == pytest.approx(2 / 3)
    assert found.values["mrr@10"] == pytest.approx((1 + 1 / 4) / 3)
    assert found.floor == pytest.approx(1 / 3)


def test_latency_is_the_median_in_milliseconds() -> None:
    found = measure([ranking(1, question=name, seconds=s) for name, s in [("a", 0.001), ("b", 0.004), ("c", 0.9)]])
    assert found.p50 == pytest.approx(4)


def test_both_phrasings_of_a_question_are_counted() -> None:
    first, second = ranking(1), Ranking("q", "t", "notes", "paraphrase", None, 1000, 0.01)
    assert measure([first, second]).values["hit@1"] == 0.5


def test_nothing_asked_is_an_error_and_not_a_score() -> None:
    with pytest.raises(ValueError, match="no question"):
        measure([])


@given(st.lists(st.one_of(st.none(), st.integers(1, DEPTH)), min_size=1, max_size=30))
def test_recall_does_not_fall_with_depth(ranks: list[int | None]) -> None:
    values = measure([ranking(rank, question=str(n)) for n, rank in enumerate(ranks)]).values
    assert values["recall@1"] == values["hit@1"] <= values["recall@5"] <= values["recall@10"]


def test_the_rank_is_that_of_the_first_passage_that_holds_the_needle() -> None:
    passages = [
        passage("a.md", "other"),
        passage("a.md", "Never *return* to it."),
        passage("a.md", "never return to it"),
    ]
    assert needle_rank(GOLD, passages) == 2


def test_a_passage_of_a_document_that_holds_the_same_words_counts() -> None:
    assert needle_rank(GOLD, [passage("b.md", "never return to it")]) == 1


def test_the_words_in_another_document_do_not_count() -> None:
    assert needle_rank(GOLD, [passage("c.md", "never return to it")]) is None


def test_passages_below_the_depth_do_not_count() -> None:
    filler = [passage("a.md", "other")] * DEPTH
    assert needle_rank(GOLD, [*filler, passage("a.md", "never return to it")]) is None


def test_slices_divide_the_questions_by_tenant() -> None:
    found = slices([ranking(1, question="a", tenant="x"), ranking(None, question="b", tenant="y")])
    assert (found["x"].values["hit@1"], found["y"].values["hit@1"], found["all"].n) == (1, 0, 2)
