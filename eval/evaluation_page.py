"""Writes what was measured as Markdown tables for docs/evaluation.md."""

from __future__ import annotations

from collections.abc import Sequence

from eval.calibration import Fit
from eval.metrics import MEASURES, Metrics
from eval.report import differences
from eval.runner import Result


def results_page(results: Sequence[Result], left_out: int) -> str:
    """All questions by variant; then, for each variant, the slices; what was left out is said."""
    metrics = {result.variant: result.metrics() for result in results}
    overall = {variant: slices["all"] for variant, slices in metrics.items()}
    first = next(iter(overall.values()))
    parts = [
        f"n = {first.n} (each phrasing counts); one of them is {100 * first.floor:.1f} points. Percent, but for the"
        " last two columns.",
        _table("variant", overall),
    ]
    if len(results) > 1:
        parts.append(_differences(results))
    if left_out:
        parts.append(f"{left_out} questions were left out, because their documents are not here.")
    for variant, slices in metrics.items():
        parts += [f"#### {variant}", _table("questions", slices)]
    return "\n\n".join(parts)


def fits_page(fits: Sequence[Fit]) -> str:
    """The gate by mode: the curve, what it does on questions held out, and at which threshold."""
    rows = [
        f"| {fit.mode} | {fit.centred.cosine} | {fit.centred.coverage} | {fit.centred.offset} | {fit.gate.auroc:.3f} |"
        f" {fit.held_out.auroc:.3f} | {fit.gate.auroc_not_covered:.3f} | {_percent(fit.gate.recommended.refused)} /"
        f" {_percent(fit.held_out.refused)} | {_percent(fit.gate.recommended.refused_paraphrased)} /"
        f" {_percent(fit.held_out.refused_paraphrased)} | {_percent(fit.gate.recommended.passed)} /"
        f" {_percent(fit.held_out.passed)} |"
        for fit in fits
    ]
    head = (
        "| mode | cosine | coverage | offset | AUROC | held out | against not-covered alone | refused, answerable |"
        " refused, paraphrased | passed, unanswerable |\n|---|" + "---:|" * 9
    )
    note = (
        "Shares at the threshold 0.5: on the questions that the curve was fitted on / on questions held out (5 folds)."
    )
    return "\n\n".join([note, "\n".join([head, *rows])])


def _differences(results: Sequence[Result]) -> str:
    head = f"| against {results[0].variant} | phrasing | questions | recall@5 | 95 % interval | won | lost |"
    rows = [
        f"| {variant} | {phrasing} | {found.n} | {100 * found.mean:+.1f} | {100 * found.low:+.1f} …"
        f" {100 * found.high:+.1f}{'' if found.is_noise else ' (beyond chance)'} | {found.won} | {found.lost} |"
        for variant, phrasing, found in differences(results)
    ]
    return "\n".join([head, "|---|---|" + "---:|" * 5, *rows])


def _table(name: str, rows: dict[str, Metrics]) -> str:
    head = [f"| {name} | n | " + " | ".join(MEASURES) + " | characters of the top 5 | p50 ms |"]
    head.append("|---|" + "---:|" * (len(MEASURES) + 3))
    body = [
        f"| {label} | {found.n} | "
        + " | ".join(f"{100 * found.values[measure]:.1f}" for measure in MEASURES)
        + f" | {found.characters:.0f} | {found.p50:.1f} |"
        for label, found in rows.items()
    ]
    return "\n".join([*head, *body])


def _percent(share: float) -> str:
    return f"{100 * share:.1f} %"
