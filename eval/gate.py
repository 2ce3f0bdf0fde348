"""Judges the confidence gate: how well it tells covered questions from others, and where its threshold belongs."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np

from eval.dataset import Phrasing

TOLERATED = 0.05
"""Share of answerable questions, in their first phrasing, that the recommended threshold may refuse."""
DEFAULT = 0.5
THRESHOLDS = tuple(step / 20 for step in range(1, 20))


@dataclass(frozen=True, slots=True)
class Verdict:
    """What the gate saw of one question: the cosine of the nearest sentence, and the confidence made of it.

    `why` says what kind of unanswerable question it is, "" for an answerable one.
    """

    question: str
    tenant: str
    phrasing: Phrasing
    why: str
    nearest: float
    confidence: float

    @property
    def answerable(self) -> bool:
        return not self.why


@dataclass(frozen=True, slots=True)
class Point:
    """What a threshold does: `refused` of the answerable questions in their first phrasing and in the second, `passed`
    of the unanswerable in both; shares in [0, 1]."""

    threshold: float
    refused: float
    refused_paraphrased: float
    passed: float


@dataclass(frozen=True, slots=True)
class Gate:
    """The gate over a set of questions.

    `fixed` is the point at the default threshold, 0.5; `passed` is the share of each kind of unanswerable question that
    passes there.
    """

    auroc: float
    auroc_not_covered: float
    fixed: Point
    recommended: Point
    passed: dict[str, float]
    curve: tuple[Point, ...]


def judge_gate(verdicts: Sequence[Verdict]) -> Gate | None:
    """The gate's quality, or None when there are not questions of both kinds."""
    inside = [verdict.confidence for verdict in verdicts if verdict.answerable]
    outside = [verdict for verdict in verdicts if not verdict.answerable]
    hard = [verdict.confidence for verdict in outside if verdict.why == "not_covered"]
    if not inside or not hard:
        return None
    threshold = recommend(verdicts)
    return Gate(
        auroc=auroc(inside, [verdict.confidence for verdict in outside]),
        auroc_not_covered=auroc(inside, hard),
        fixed=point(verdicts, DEFAULT),
        recommended=point(verdicts, threshold),
        passed={
            why: _share([v.confidence >= DEFAULT for v in outside if v.why == why])
            for why in dict.fromkeys(verdict.why for verdict in outside)
        },
        curve=tuple(point(verdicts, step) for step in THRESHOLDS),
    )


def auroc(positive: Sequence[float], negative: Sequence[float]) -> float:
    """The probability that a positive scores above a negative, ties half: Mann and Whitney's U over all pairs."""
    difference = np.subtract.outer(np.asarray(positive), np.asarray(negative))
    return float(np.mean((difference > 0) + 0.5 * (difference == 0)))


def recommend(verdicts: Sequence[Verdict]) -> float:
    """The largest threshold that refuses at most TOLERATED of the answerable questions in their first phrasing."""
    confidences = sorted(v.confidence for v in verdicts if v.answerable and v.phrasing == "question")
    return confidences[int(TOLERATED * len(confidences))]


def point(verdicts: Sequence[Verdict], threshold: float) -> Point:
    """What this threshold does to these questions."""
    first = [v.confidence < threshold for v in verdicts if v.answerable and v.phrasing == "question"]
    second = [v.confidence < threshold for v in verdicts if v.answerable and v.phrasing == "paraphrase"]
    outside = [v.confidence >= threshold for v in verdicts if not v.answerable]
    return Point(threshold, _share(first), _share(second), _share(outside))


def _share(flags: Sequence[bool]) -> float:
    return sum(flags) / len(flags) if flags else 0.0
