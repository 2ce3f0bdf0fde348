from __future__ import annotations

from collections.abc import Sequence

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from eval.calibration import FOLDS, cross_validate, fit, fit_curve, folds, scored
from eval.dataset import Phrasing
from eval.gate import TOLERATED, Verdict, auroc, judge_gate, point, recommend


def verdict(number: int, confidence: float, why: str = "", phrasing: Phrasing = "question") -> Verdict:
    return Verdict(f"{why}{number}", "t", phrasing, why, confidence, confidence)


def cloud(seed: int, n: int = 200) -> list[Verdict]:
    """Questions whose log-odds of being answerable are 6 times their nearest sentence's cosine - 3."""
    draw = np.random.default_rng(seed)
    found = []
    for number in range(n):
        nearest = draw.uniform()
        answerable = draw.uniform() < 1 / (1 + np.exp(3 - 6 * nearest))
        why = "" if answerable else "not_covered"
        found.append(Verdict(str(number), "t", "question", why, float(nearest), 0.0))
    return found


@pytest.mark.parametrize(
    ("positive", "negative", "expected"),
    [([0.9, 0.8], [0.1, 0.2], 1.0), ([0.1], [0.9], 0.0), ([0.5], [0.5], 0.5), ([0.9, 0.3], [0.5, 0.1], 0.75)],
)
def test_auroc_is_the_share_of_pairs_in_order(positive: list[float], negative: list[float], expected: float) -> None:
    assert auroc(positive, negative) == expected


@given(st.lists(st.floats(0, 1), min_size=1, max_size=60, unique=True))
def test_the_recommended_threshold_is_the_largest_that_refuses_few_enough(confidences: Sequence[float]) -> None:
    verdicts = [verdict(number, confidence) for number, confidence in enumerate(confidences)]
    threshold = recommend(verdicts)
    assert point(verdicts, threshold).refused <= TOLERATED
    assert point(verdicts, float(np.nextafter(threshold, 2))).refused > TOLERATED


def test_only_first_phrasings_decide_the_threshold() -> None:
    verdicts = [verdict(1, 0.8), verdict(1, 0.1, phrasing="paraphrase")]
    assert recommend(verdicts) == 0.8


def test_a_point_counts_each_kind_of_question_apart() -> None:
    verdicts = [verdict(1, 0.4), verdict(2, 0.9), verdict(1, 0.2, phrasing="paraphrase"), verdict(1, 0.7, "off_topic")]
    found = point(verdicts, 0.5)
    assert (found.refused, found.refused_paraphrased, found.passed) == (0.5, 1.0, 1.0)


def test_a_gate_needs_questions_of_both_kinds() -> None:
    assert judge_gate([verdict(1, 0.4)]) is None


def test_a_fit_finds_the_curve_that_drew_the_questions() -> None:
    curve = fit_curve(cloud(1, 20_000))
    assert (curve.slope, curve.offset) == pytest.approx((6, -3), abs=0.4)


def test_a_fit_stays_finite_where_a_line_divides_the_questions() -> None:
    verdicts = [verdict(n, 0.9) for n in range(10)] + [verdict(n, 0.1, "not_covered") for n in range(10)]
    curve = fit_curve(verdicts)
    assert np.isfinite([curve.slope, curve.offset]).all()


def test_one_half_is_the_recommended_threshold_of_the_centred_curve() -> None:
    verdicts = cloud(3)
    found = fit(verdicts, "hybrid")
    centred = scored(verdicts, found.centred)
    assert point(centred, 0.5).refused <= TOLERATED
    assert recommend(centred) == pytest.approx(0.5, abs=0.01)


def test_phrasings_of_a_question_are_in_one_fold() -> None:
    phrasings: tuple[Phrasing, ...] = ("question", "paraphrase")
    verdicts = [verdict(n, 0.5, phrasing=phrasing) for n in range(20) for phrasing in phrasings]
    fold = folds(verdicts)
    assert all(fold(first) == fold(second) for first, second in zip(verdicts[::2], verdicts[1::2], strict=True))


def test_each_fold_has_its_share_of_the_unanswerable() -> None:
    verdicts = [verdict(n, 0.5) for n in range(20)] + [verdict(n, 0.5, "off_topic") for n in range(10)]
    fold = folds(verdicts)
    assert {sum(fold(v) == k and not v.answerable for v in verdicts) for k in range(FOLDS)} == {2}


def test_a_random_signal_is_not_told_apart_on_questions_held_out() -> None:
    draw = np.random.default_rng(5)
    verdicts = [
        Verdict(str(n), "t", "question", "" if n % 3 else "not_covered", draw.uniform(), 0.0) for n in range(600)
    ]
    assert fit(verdicts, "hybrid").held_out.auroc == pytest.approx(0.5, abs=0.1)


def test_questions_held_out_meet_the_threshold_that_the_fit_chooses() -> None:
    verdicts = cloud(3)
    far = [Verdict(v.question, "t", "question", "", 0.0, 0.0) for v in verdicts if v.answerable]
    assert cross_validate(verdicts, far).refused < cross_validate(verdicts).refused


def test_kinds_that_pass_are_counted_at_the_default_threshold() -> None:
    verdicts = [verdict(1, 0.9), verdict(2, 0.6, "not_covered"), verdict(3, 0.4, "off_topic")]
    gate = judge_gate(verdicts)
    assert gate is not None and gate.passed == {"not_covered": 1.0, "off_topic": 0.0}
