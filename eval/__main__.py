"""The `certcoach eval` commands."""

from __future__ import annotations

import json
import sys
from dataclasses import asdict
from pathlib import Path
from typing import Any

import click
from rich.console import Console

from eval.guardrails import guardrails
from rag.errors import CertCoachError

WIDTH = 150
"""Columns of a table that is not written to a terminal."""
stdout = Console() if sys.stdout.isatty() else Console(width=WIDTH)
stderr = Console(stderr=True)


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
@click.option("--notes", is_flag=True, help="Over the starter notes alone.")
@click.option("--fit", "fitting", is_flag=True, help="Fit the gate's curves on the questions.")
@click.option("--write", "part", metavar="NAME", help="Write the tables into that part of docs/evaluation.md, too.")
@click.option("--json", "as_json", is_flag=True, help="Print everything measured as JSON.")
def retrieval(**given: Any) -> None:
    """Measure what is found, and what the gate lets pass."""
    from bot.__main__ import configured, run_command
    from eval.corpus import PROJECT
    from eval.evaluation_page import as_part
    from eval.pages import write_part
    from eval.report import as_json, show
    from eval.retrieval import Request, measure

    request = Request(**given)
    settings, _ = configured()
    measured = run_command(settings, measure(settings, request, stderr))
    if request.as_json:
        click.echo(json.dumps(as_json(measured), indent=2))
    else:
        show(measured, stdout)
    if request.part:
        write_part(PROJECT / "docs" / "evaluation.md", request.part, as_part(measured))
    if measured.failures:
        raise EvaluationFailed(" ".join(measured.failures))


@commands.command("check-gold")
@click.option("--json", "as_json", is_flag=True, help="Print the problems as JSON.")
def check_gold(as_json: bool) -> None:
    """Check that the gold questions' labels point at text, and that second phrasings give nothing away."""
    from bot.__main__ import configured, run_command
    from eval.check_gold import Problem
    from eval.check_gold import check_gold as check
    from eval.dataset import load_gold
    from eval.ground import open_ground

    settings, _ = configured()

    async def look() -> list[Problem]:
        async with open_ground(settings, stderr) as ground:
            return [problem async for problem in check(load_gold(), ground)]

    problems = run_command(settings, look())
    if as_json:
        click.echo(json.dumps([asdict(problem) for problem in problems], indent=2))
    for problem in [] if as_json else problems:
        click.echo(f"{'warning' if problem.warning else 'wrong'}  {problem.question}: {problem.what}")
    if wrong := [problem for problem in problems if not problem.warning]:
        raise EvaluationFailed(f"{len(wrong)} labels are wrong. Correct them in eval/gold.")


@commands.command()
def transcripts() -> None:
    """Ask the transcript's questions, and write docs/transcripts.md and docs/transcripts.jsonl."""
    from bot.__main__ import configured, run_command
    from eval.corpus import PROJECT
    from eval.transcript_page import as_jsonl, as_page
    from eval.transcripts import load_verdicts, make_transcripts

    settings, _ = configured()
    verdicts = load_verdicts()
    entries = run_command(settings, make_transcripts(settings, stderr))
    (PROJECT / "docs" / "transcripts.jsonl").write_text(as_jsonl(entries), encoding="utf-8")
    (PROJECT / "docs" / "transcripts.md").write_text(as_page(entries, verdicts), encoding="utf-8")
    click.echo(f"{len(entries)} answers are in docs/transcripts.md.")


commands.add_command(guardrails)


@commands.command()
def bench() -> None:
    """Measure speed and memory, and write the figures into docs/benchmarks.md."""
    from bot.__main__ import configured, run_command
    from eval.bench import run_bench
    from eval.bench_page import as_tables
    from eval.corpus import PROJECT
    from eval.pages import write_part

    settings, _ = configured()
    tables = as_tables(run_command(settings, run_bench(settings, stderr)))
    write_part(PROJECT / "docs" / "benchmarks.md", "bench", tables)
    click.echo(tables)


@commands.command("bench-chat")
def bench_chat() -> None:
    """Measure what is added to a model's stream, and write the figures into docs/benchmarks.md."""
    from bot.__main__ import configured, run_command
    from eval.bench_chat import run_chat_bench
    from eval.bench_chat_page import as_table
    from eval.corpus import PROJECT
    from eval.pace import Pace
    from eval.pages import write_part

    settings, _ = configured()
    table = as_table(run_command(settings, run_chat_bench(settings, stderr)), Pace())
    write_part(PROJECT / "docs" / "benchmarks.md", "chat", table)
    click.echo(table)


@commands.command()
def followups() -> None:
    """Measure what to search for after other questions, and write the tables into docs/evaluation.md."""
    from bot.__main__ import configured, run_command
    from eval.corpus import PROJECT
    from eval.followups import follow
    from eval.followups_page import as_tables
    from eval.pages import write_part

    settings, _ = configured()
    tables = as_tables(run_command(settings, follow(settings, stderr)))
    write_part(PROJECT / "docs" / "evaluation.md", "followups", tables)
    click.echo(tables)
