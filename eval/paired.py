"""Compares two variants question by question, because a difference of means says nothing about chance."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np

from eval.metrics import Ranking

DEPTH = 5
DRAWS = 4_000
SEED = 0
"""The draws are the same at each run."""


@dataclass(frozen=True, slots=True)
class Difference:
    """The difference of recall@5 between a variant and the base, in [-1, 1], over `n` questions.

    `low` and `high` are the bounds of its 95 % interval. The bootstrap draws questions, each with all its phrasings,
    which are not independent of one another. `won` and `lost` count the phrasings found by one of the two alone.
    """

    n: int
    mean: float
    low: float
    high: float
    won: int
    lost: int

    @property
    def is_noise(self) -> bool:
        """Whether chance alone explains it."""
        return self.low <= 0 <= self.high


def compare(base: Sequence[Ranking], other: Sequence[Ranking]) -> Difference:
    """The difference `other` makes. Raises ValueError unless both were asked the same."""
    before = {ranking.key: _found(ranking) for ranking in base}
    after = {ranking.key: _found(ranking) for ranking in other}
    if before.keys() != after.keys() or not before:
        raise ValueError("the variants were not asked the same questions")
    changes: dict[str, list[int]] = {}
    for ranking in base:
        changes.setdefault(ranking.question, []).append(after[ranking.key] - before[ranking.key])
    low, high = _interval(np.array([sum(change) for change in changes.values()], dtype=float), len(before))
    flat = [change for group in changes.values() for change in group]
    return Difference(len(changes), float(np.mean(flat)), low, high, flat.count(1), flat.count(-1))


def _interval(changes: np.ndarray[tuple[int], np.dtype[np.float64]], asked: int) -> tuple[float, float]:
    drawn = np.random.default_rng(SEED).integers(0, len(changes), (DRAWS, len(changes)))
    low, high = np.percentile(changes[drawn].sum(axis=1) / asked, [2.5, 97.5])
    return float(low), float(high)


def _found(ranking: Ranking) -> int:
    return int(ranking.rank is not None and ranking.rank <= DEPTH)
