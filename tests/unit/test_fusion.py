"""One ranking out of two legs."""

from __future__ import annotations

from itertools import pairwise

import pytest
from hypothesis import given
from hypothesis import strategies as st

from rag.fusion import fuse
from rag.types import Candidate, Fusion

FUSIONS: tuple[Fusion, ...] = ("coverage", "rrf", "zsum")
scores = st.floats(0, 1, allow_nan=False, width=32)


@st.composite
def candidate_lists(draw: st.DrawFn) -> list[Candidate]:
    ids = draw(st.lists(st.integers(1, 10_000), unique=True, max_size=40))
    ranks = draw(st.permutations(range(1, len(ids) + 1)))
    return [
        Candidate(chunk_id, draw(scores), 10 * draw(scores), draw(scores), rank, other)
        for chunk_id, rank, other in zip(ids, ranks, reversed(ranks), strict=True)
    ]


@given(candidate_lists(), st.sampled_from(FUSIONS), st.randoms())
def test_every_candidate_is_ranked_once_whatever_the_order(found, fusion, random) -> None:  # type: ignore[no-untyped-def]
    shuffled = random.sample(found, len(found))
    assert fuse(found, "hybrid", fusion) == fuse(shuffled, "hybrid", fusion)
    assert sorted(scored.chunk_id for scored in fuse(found, "hybrid", fusion)) == sorted(c.chunk_id for c in found)


@given(candidate_lists())
def test_a_candidate_that_is_better_in_both_legs_ranks_higher(found: list[Candidate]) -> None:
    by_id = {candidate.chunk_id: candidate for candidate in found}
    for fusion in ("coverage", "zsum"):
        order = [by_id[scored.chunk_id] for scored in fuse(found, "hybrid", fusion)]
        for higher, lower in pairwise(order):
            better = lower.cosine > higher.cosine + 1e-6 and lower.bm25 > higher.bm25 + 1e-6  # type: ignore[operator]
            assert not (better and lower.coverage > higher.coverage)  # type: ignore[operator]


def test_ties_go_to_the_lower_chunk_id() -> None:
    found = [Candidate(9, 0.5, 0.0, 0.0, 1, None), Candidate(3, 0.5, 0.0, 0.0, 2, None)]
    assert [scored.chunk_id for scored in fuse(found, "hybrid")] == [3, 9]


def test_the_lexical_leg_is_silent_when_it_explains_nothing() -> None:
    found = [Candidate(1, 0.60, 0.1, 0.02, 1, 2), Candidate(2, 0.55, 0.4, 0.05, 2, 1)]
    assert fuse(found, "hybrid", "coverage")[0].chunk_id == 1


def test_rrf_counts_only_the_top_twenty_of_a_leg() -> None:
    found = [Candidate(1, 0.1, None, None, 21, None), Candidate(2, 0.1, None, None, 20, None)]
    assert [scored.score for scored in fuse(found, "hybrid", "rrf")] == pytest.approx([1 / 80, 0])


def test_a_single_leg_is_ranked_by_its_own_score() -> None:
    found = [Candidate(1, 0.2, 9.0, 0.9), Candidate(2, 0.8, 1.0, 0.1)]
    assert fuse(found, "dense")[0].chunk_id == 2
    assert fuse(found, "sparse")[0].chunk_id == 1
