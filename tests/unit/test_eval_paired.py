from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from eval.dataset import Phrasing
from eval.metrics import Ranking
from eval.paired import compare


def ranking(question: int, rank: int | None, phrasing: Phrasing = "question") -> Ranking:
    return Ranking(str(question), "t", "notes", phrasing, rank, 1000, 0.01)


def rankings(ranks: list[int | None]) -> list[Ranking]:
    return [ranking(number, rank) for number, rank in enumerate(ranks)]


def test_won_and_lost_questions_are_counted_apart() -> None:
    found = compare(rankings([1, 9, None, 3]), rankings([9, 1, 5, 3]))
    assert (found.won, found.lost, found.mean) == (2, 1, 0.25)


def test_a_rank_that_moves_within_the_first_five_is_no_difference() -> None:
    assert compare(rankings([1, 5]), rankings([5, 1])).mean == 0


@given(st.lists(st.one_of(st.none(), st.integers(1, 20)), min_size=1, max_size=20))
def test_a_variant_does_not_differ_from_itself(ranks: list[int | None]) -> None:
    found = compare(rankings(ranks), rankings(ranks))
    assert (found.mean, found.low, found.high, found.is_noise) == (0, 0, 0, True)


def test_one_question_of_forty_is_noise() -> None:
    assert compare(rankings([1] * 40), rankings([None, *[1] * 39])).is_noise


def test_half_of_forty_questions_are_not_noise() -> None:
    assert not compare(rankings([1] * 40), rankings([None] * 20 + [1] * 20)).is_noise


def test_phrasings_of_one_question_do_not_make_the_interval_narrower() -> None:
    once = compare(rankings([1] * 20), rankings([None] * 4 + [1] * 16))
    phrasings: tuple[Phrasing, ...] = ("question", "paraphrase")
    base = [ranking(n, 1, phrasing) for n in range(20) for phrasing in phrasings]
    other = [ranking(n, None if n < 4 else 1, phrasing) for n in range(20) for phrasing in phrasings]
    twice = compare(base, other)
    assert (twice.n, twice.low, twice.high) == pytest.approx((once.n, once.low, once.high))


def test_variants_that_were_asked_differently_are_not_compared() -> None:
    with pytest.raises(ValueError, match="same questions"):
        compare(rankings([1]), rankings([1, 2]))
