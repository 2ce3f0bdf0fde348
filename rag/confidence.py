"""How probable it is that the documents cover a question, from the best scores that a search found."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from math import exp

from rag.types import Candidate, Mode


@dataclass(frozen=True, slots=True)
class Curve:
    """A logistic curve over the best cosine and the best coverage; fitted by `certcoach eval retrieval --fit`."""

    cosine: float
    coverage: float
    offset: float

    def at(self, cosine: float, coverage: float) -> float:
        return 1 / (1 + exp(-(self.cosine * cosine + self.coverage * coverage + self.offset)))


CURVES: dict[Mode, Curve] = {
    "hybrid": Curve(8.0, 5.0, -6.0),
    "dense": Curve(12.0, 0.0, -6.0),
    "sparse": Curve(0.0, 10.0, -4.0),
}


def signals(candidates: Sequence[Candidate]) -> tuple[float, float]:
    """The best cosine and the best coverage among the candidates; 0 where a leg is silent."""
    cosine = max((c.cosine for c in candidates if c.cosine is not None), default=0.0)
    coverage = max((c.coverage for c in candidates if c.coverage is not None), default=0.0)
    return cosine, coverage


def confidence(candidates: Sequence[Candidate], mode: Mode) -> float:
    """The probability, in [0, 1], that the corpus covers the question; 0 without candidates."""
    if not candidates:
        return 0.0
    return CURVES[mode].at(*signals(candidates))
