"""How sure it is that a question is covered, from the sentence that lies nearest to it."""

from __future__ import annotations

from dataclasses import dataclass
from math import exp


@dataclass(frozen=True, slots=True)
class Curve:
    """A logistic curve over a cosine; `certcoach eval retrieval --fit` fits it on the gold questions."""

    slope: float
    offset: float

    def at(self, cosine: float) -> float:
        return 1 / (1 + exp(-(self.slope * cosine + self.offset)))


CURVE = Curve(12.68, -5.73)
"""Centred so that 0.5 is the largest threshold that refuses at most 5 % of the answerable gold questions: those asked
over the whole evaluation corpus and those asked over the starter notes alone, counted together."""


def confidence(cosine: float) -> float:
    """A score in [0, 1] from the best cosine between the question and a sentence that was read."""
    return CURVE.at(cosine)
