"""Writes what was measured as Markdown tables for docs/evaluation.md."""

from __future__ import annotations

from collections.abc import Iterator, Sequence

from eval.gate import Point
from eval.metrics import MEASURES, Metrics
from eval.report import differences
from eval.retrieval import Fitted, Measured
from eval.runner import Result


def as_part(measured: Measured) -> str:
    """The fits, if there are any, else the results."""
    return fits_page(measured.fits) if measured.fits else results_page(measured.results, measured.left_out)


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


def fits_page(fits: Sequence[Fitted]) -> str:
    """The curves; what they do at 0.5 where they were fitted, on questions held out, and over the notes alone."""
    curves = [
        f"| {one.fit.mode} | {one.fit.centred.slope} | {one.fit.centred.offset} |"
        f" {one.fit.gate.auroc:.3f} | {one.fit.held_out.auroc:.3f} | {one.fit.gate.auroc_not_covered:.3f} |"
        for one in fits
    ]
    head = "| mode | slope | offset | AUROC | held out | not-covered alone |\n|---|" + "---:|" * 5
    below = (
        "| mode | at 0.5 | refused, answerable | refused, paraphrased | passed, unanswerable |\n|---|---|" + "---:|" * 3
    )
    shares = [row for one in fits for row in _rows(one)]
    return "\n\n".join(["\n".join([head, *curves]), "\n".join([below, *shares]), *map(_kinds, fits)])


def _rows(one: Fitted) -> Iterator[str]:
    held, mode = one.fit.held_out, one.fit.mode
    yield _row(mode, "as fitted", one.fit.gate.fixed)
    yield _row(mode, "held out, 5 folds", Point(0.5, held.refused, held.refused_paraphrased, held.passed))
    if one.elsewhere:
        yield _row(mode, "the same curve over the starter notes alone", one.elsewhere.fixed)


def _row(mode: str, name: str, point: Point) -> str:
    shares = (point.refused, point.refused_paraphrased, point.passed)
    return f"| {mode} | {name} | " + " | ".join(f"{100 * share:.1f} %" for share in shares) + " |"


def _kinds(one: Fitted) -> str:
    kinds = ", ".join(f"{why.replace('_', ' ')} {100 * share:.0f} %" for why, share in one.fit.gate.passed.items())
    return f"Passed at 0.5 as fitted, {one.fit.mode}, by kind of unanswerable question: {kinds}."


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
