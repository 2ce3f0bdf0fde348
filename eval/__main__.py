"""The `certcoach eval` commands."""

from __future__ import annotations

import json
import sys
from pathlib import Path

import click
from rich.console import Console

from rag.errors import CertCoachError

WIDTH = 150
"""Columns of a table that is not written to a terminal."""
stdout = Console() if sys.stdout.isatty() else Console(width=WIDTH)
stderr = Console(stderr=True)
MODES = ("hybrid", "dense", "sparse")


class EvaluationFailed(CertCoachError):
    """Something was measured or checked, and it is not as it must be."""


@click.group(name="eval")
def commands() -> None:
    """Measure the product on questions whose answers are known."""


@commands.command()
@click.option("--folder", type=click.Path(path_type=Path), help="Default: eval-corpus in CERTCOACH_HOME.")
def corpus(folder: Path | None) -> None:
    """Fetch the genuine documents, or take them from where they lie on this machine."""
    from bot.__main__ import configured, run_command
    from eval.corpus import load_genuine, own_folder, provide

    settings, _ = configured()
    target = (folder or own_folder(settings)).expanduser().resolve()
    provision = run_command(settings, provide(load_genuine(), target, settings))
    click.echo(f"{len(provision.present)} documents are in {target}, {len(provision.missing)} are missing.")
    if provision.problem:
        raise EvaluationFailed(provision.problem)
    for path, reason in provision.missing.items():
        click.echo(f"missing {path}: {reason}")
    if provision.missing:
        raise EvaluationFailed("Some documents cannot be had. The evaluation leaves out the questions about them.")


@commands.command()
@click.option("--tenant", help="Only this tenant.")
@click.option("--variant", "variants", multiple=True, help="Only this variant; may be repeated.")
@click.option("--questions", type=click.Path(path_type=Path), help="Other questions: JSONL.")
@click.option("--fit", "fitting", is_flag=True, help="Fit the gate's curves on the questions.")
@click.option("--json", "as_json", is_flag=True, help="Print everything measured as JSON.")
def retrieval(
    tenant: str | None, variants: tuple[str, ...], questions: Path | None, fitting: bool, as_json: bool
) -> None:
    """Measure what is found, and what the gate lets pass."""
    from bot.__main__ import configured, run_command
    from eval.dataset import load_gold, load_questions
    from eval.report import results_json, show_fit, show_results
    from eval.retrieval import evaluate, fit_gates
    from eval.runner import VARIANTS

    if unknown := [name for name in variants if name not in VARIANTS]:
        raise click.UsageError(f"There is no variant {unknown[0]!r}. Variants: {', '.join(VARIANTS)}.")
    settings, _ = configured()
    gold = (load_questions(questions) if questions else load_gold()).of(tenant)
    if not gold.answerable:
        raise click.UsageError(f"There are no questions of tenant {tenant!r}.")
    chosen = MODES if fitting else variants or tuple(VARIANTS)
    measured = run_command(settings, evaluate(settings, gold, chosen, stderr))
    fits = fit_gates(measured.results) if fitting else ()
    if as_json:
        click.echo(json.dumps(results_json(measured.results, measured.left_out, fits), indent=2))
    elif fitting:
        for fit in fits:
            show_fit(fit, stdout)
    else:
        show_results(measured.results, stdout)
    if measured.failures:
        raise EvaluationFailed(" ".join(measured.failures))
