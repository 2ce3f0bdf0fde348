"""Shows what was measured: tables for people, JSON for programs."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import asdict
from typing import Any

from rich.console import Console
from rich.table import Column, Table

from eval.gate import Gate, Point
from eval.metrics import MEASURES, Metrics, Ranking
from eval.paired import Difference, compare
from eval.retrieval import Fitted, Measured
from eval.runner import VARIANTS, Result


def show(measured: Measured, console: Console) -> None:
    """The fits, if there are any, else the results."""
    if measured.fits:
        for fitted in measured.fits:
            show_fit(fitted, console)
    else:
        show_results(measured.results, console)


def show_results(results: Sequence[Result], console: Console) -> None:
    """One table over all questions with a row a variant, one table a variant by slice, and the gates."""
    metrics = {result.variant: result.metrics() for result in results}
    overall = {variant: slices["all"] for variant, slices in metrics.items()}
    first = next(iter(overall.values()))
    console.print(_table("variant", overall))
    console.print(f"n = {first.n}; one question is {100 * first.floor:.1f} points.", highlight=False)
    if len(results) > 1:
        console.print(_differences(results))
    for variant, slices in metrics.items():
        console.print(_table(variant, slices))
    for result in results:
        if gate := result.gate():
            show_gate(f"gate, {result.variant}", gate, console)


def show_gate(title: str, gate: Gate, console: Console) -> None:
    """The gate's AUROC, its curve, and the threshold that these questions recommend."""
    table = Table("threshold", *_right("refused", "refused, paraphrased", "passed, unanswerable"), title=title)
    for point in sorted((*gate.curve, gate.recommended), key=lambda point: point.threshold):
        mark = " ←" if point is gate.recommended else ""
        table.add_row(f"{point.threshold:.3f}{mark}", *_shares(point))
    console.print(table)
    kinds = ", ".join(f"{why} {100 * share:.0f} %" for why, share in gate.passed.items())
    console.print(
        f"AUROC {gate.auroc:.3f} (not-covered questions alone {gate.auroc_not_covered:.3f}); ← refuses"
        f" at most 5 % here. At 0.5 pass: {kinds}.",
        highlight=False,
    )


def show_fit(fitted: Fitted, console: Console) -> None:
    """The constants to paste, what they do, and what such a fit does on questions it has not seen."""
    found, curve, held = fitted.fit, fitted.fit.centred, fitted.fit.held_out
    console.print(f"{found.mode}: Curve({curve.slope}, {curve.offset})", highlight=False)
    console.print(
        f"fitted on {found.n} phrasings: offset {found.curve.offset} and threshold {found.threshold:.3f} before the"
        f" offset was moved to make it 0.5. Held out, 5 folds: AUROC {held.auroc:.3f}, refused"
        f" {100 * held.refused:.1f} % (paraphrased {100 * held.refused_paraphrased:.1f} %), passed"
        f" {100 * held.passed:.1f} %.",
        highlight=False,
    )
    if fitted.elsewhere:
        refused, paraphrased, passed = _shares(fitted.elsewhere.fixed)
        console.print(
            f"The same curve at 0.5 over the starter notes alone: refused {refused} (paraphrased {paraphrased}), passed"
            f" {passed}.",
            highlight=False,
        )
    show_gate(f"gate, {found.mode}, fitted", found.gate, console)


def as_json(measured: Measured) -> dict[str, Any]:
    """Everything that was measured, down to each question's rank."""
    results = measured.results
    return {
        "questions_left_out": measured.left_out,
        "fits": [asdict(fitted) for fitted in measured.fits],
        "against_first": [
            {"variant": variant, "phrasing": phrasing, **asdict(found)}
            for variant, phrasing, found in differences(results)
        ],
        "variants": {
            result.variant: {
                "settings": VARIANTS[result.variant],
                "slices": {name: _metrics_json(metrics) for name, metrics in result.metrics().items()},
                "gate": asdict(gate) if (gate := result.gate()) else None,
                "questions": [asdict(ranking) for ranking in result.rankings],
                "verdicts": [asdict(verdict) for verdict in result.verdicts],
            }
            for result in results
        },
    }


def differences(results: Sequence[Result]) -> list[tuple[str, str, Difference]]:
    """What each variant but the first changes in recall@5, over all phrasings and over each."""
    base, *others = results
    phrasings = ("all", *dict.fromkeys(ranking.phrasing for ranking in base.rankings))
    return [
        (other.variant, phrasing, compare(_of(base, phrasing), _of(other, phrasing)))
        for other in others
        for phrasing in phrasings
    ]


def _of(result: Result, phrasing: str) -> list[Ranking]:
    return [ranking for ranking in result.rankings if phrasing in ("all", ranking.phrasing)]


def _differences(results: Sequence[Result]) -> Table:
    columns = _right("questions", "recall@5", "95 % interval", "won", "lost", "beyond chance")
    table = Table(f"against {results[0].variant}", "phrasing", *columns)
    for variant, phrasing, found in differences(results):
        interval = f"{100 * found.low:+.1f} … {100 * found.high:+.1f}"
        beyond = "no" if found.is_noise else "yes"
        counts = (str(found.won), str(found.lost))
        table.add_row(variant, phrasing, str(found.n), f"{100 * found.mean:+.1f}", interval, *counts, beyond)
    return table


def _metrics_json(metrics: Metrics) -> dict[str, Any]:
    return {"n": metrics.n, "one_question": metrics.floor, **metrics.values} | {
        "characters_top5": metrics.characters,
        "p50_ms": metrics.p50,
    }


def _table(name: str, rows: dict[str, Metrics]) -> Table:
    table = Table(name, *_right("n", *MEASURES, "characters of top 5", "p50 ms"))
    for label, metrics in rows.items():
        values = [f"{100 * metrics.values[measure]:.1f}" for measure in MEASURES]
        table.add_row(label, str(metrics.n), *values, f"{metrics.characters:.0f}", f"{metrics.p50:.1f}")
    return table


def _shares(point: Point) -> list[str]:
    return [f"{100 * share:.1f} %" for share in (point.refused, point.refused_paraphrased, point.passed)]


def _right(*names: str) -> list[Column]:
    return [Column(name, justify="right") for name in names]
