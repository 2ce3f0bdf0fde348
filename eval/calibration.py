"""Fits the gate's logistic curve on the gold questions."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import astuple, dataclass, replace
from math import ceil, log

import numpy as np
from numpy.typing import NDArray

from eval.gate import Gate, Verdict, auroc, judge_gate, point, recommend
from rag.confidence import Curve
from rag.types import Mode

FOLDS = 5
RIDGE = 1e-4
"""Penalty on the slopes, per question: keeps them finite where the questions can be told apart."""
STEPS = 50
MODES: tuple[Mode, ...] = ("hybrid", "dense", "sparse")
"""The product has the first one's curve; the others show whether it would do for them."""
Design = NDArray[np.float64]


@dataclass(frozen=True, slots=True)
class HeldOut:
    """The fit as it does on questions that it has not seen: both curve and threshold come from the other folds."""

    auroc: float
    refused: float
    refused_paraphrased: float
    passed: float


@dataclass(frozen=True, slots=True)
class Fit:
    """A fitted curve; `centred` is the same with its offset moved so that the recommended threshold is 0.5.

    The confidence of `curve` estimates a probability on a set composed like this one; that of `centred` is a score.
    """

    mode: Mode
    n: int
    curve: Curve
    threshold: float
    centred: Curve
    held_out: HeldOut
    gate: Gate


def fit(verdicts: Sequence[Verdict], mode: Mode, alone: Sequence[Verdict] = ()) -> Fit:
    """Fit a mode's curve on all questions and phrasings, and cross-validate it.

    The threshold minds `alone`, too: the questions asked over the starter notes alone, which is what an install starts
    with. Raises ValueError unless there are questions of both kinds.
    """
    curve = fit_curve(verdicts)
    threshold = recommend(scored([*verdicts, *alone], curve))
    centred = replace(curve, offset=_up(curve.offset - log(threshold / (1 - threshold))))
    gate = judge_gate(scored(verdicts, centred))
    if gate is None:
        raise ValueError("a curve needs answerable and unanswerable questions")
    return Fit(mode, len(verdicts), curve, threshold, centred, cross_validate(verdicts, alone), gate)


def fit_curve(verdicts: Sequence[Verdict]) -> Curve:
    """The logistic regression of answerable on the nearest sentence, by Newton's method (IRLS) with a small ridge."""
    signals = np.array([[v.nearest, 1.0] for v in verdicts])
    slope, offset = _newton(signals, np.array([float(v.answerable) for v in verdicts])).round(2)
    return Curve(float(slope), float(offset))


def scored(verdicts: Sequence[Verdict], curve: Curve) -> list[Verdict]:
    """The questions with the confidence that this curve gives them."""
    return [replace(v, confidence=curve.at(v.nearest)) for v in verdicts]


def cross_validate(verdicts: Sequence[Verdict], alone: Sequence[Verdict] = ()) -> HeldOut:
    """Fit on four folds, the threshold chosen as by `fit`, and judge on the fifth, in turn; the mean over the folds.

    A question's phrasings stay together, and so do its verdicts over the whole and over the notes alone.
    """
    fold = folds(verdicts)
    judged = []
    for number in range(FOLDS):
        train = [verdict for verdict in verdicts if fold(verdict) != number]
        curve = fit_curve(train)
        seen = [*train, *(verdict for verdict in alone if fold(verdict) != number)]
        unseen = scored([verdict for verdict in verdicts if fold(verdict) == number], curve)
        judged.append(_held_out(unseen, recommend(scored(seen, curve))))
    return HeldOut(*(float(mean) for mean in np.mean([astuple(one) for one in judged], axis=0)))


def _held_out(unseen: Sequence[Verdict], threshold: float) -> HeldOut:
    share = point(unseen, threshold)
    area = auroc([v.confidence for v in unseen if v.answerable], [v.confidence for v in unseen if not v.answerable])
    return HeldOut(area, share.refused, share.refused_paraphrased, share.passed)


def folds(verdicts: Sequence[Verdict]) -> Callable[[Verdict], int]:
    """Deals the questions out to the folds in turn, each kind of question of each tenant evenly."""
    ids = sorted({(v.why, v.tenant, v.question) for v in verdicts})
    number = {question: place % FOLDS for place, (_, _, question) in enumerate(ids)}
    return lambda verdict: number[verdict.question]


def _newton(signals: Design, answerable: Design) -> Design:
    penalty = RIDGE * len(signals) * np.diag([1.0] * (signals.shape[1] - 1) + [0.0])
    weights = np.zeros(signals.shape[1])
    for _ in range(STEPS):
        probability = 1 / (1 + np.exp(-signals @ weights))
        slope = signals.T @ (answerable - probability) - penalty @ weights
        bend = (signals.T * (probability * (1 - probability))) @ signals + penalty
        step = np.linalg.solve(bend, slope)
        weights = weights + step
        if np.abs(step).max() < 1e-9:
            break
    return weights


def _up(offset: float) -> float:
    """Rounded to two places, upwards: rounding must not refuse a question more."""
    return ceil(offset * 100) / 100
