"""`certcoach eval guardrails`: measures the guardrails on labelled messages and documents."""

from __future__ import annotations

import json
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from pathlib import Path

import click

from bot.explained import explain
from bot.screens import Guards
from eval.guard_cases import Case, PiiCase, PoisonCase, TopicCase, load_cases
from eval.guard_scores import PiiScores, PoisonScores, Times, TopicScores
from guardrails.poison import sanitise, unhide
from ingest.parse_html import parse_html
from ingest.parse_markdown import parse_markdown

GOLD = Path(__file__).parent / "gold" / "guardrails"


@dataclass(slots=True)
class PartScores:
    """What was measured on one part of the cases."""

    pii: PiiScores = field(default_factory=PiiScores)
    topic: TopicScores = field(default_factory=TopicScores)
    poison: PoisonScores = field(default_factory=PoisonScores)
    times: Times = field(default_factory=Times)

    def as_json(self) -> dict[str, object]:
        """The scores for which there were cases."""
        scores: dict[str, object] = {}
        if self.pii.lines:
            scores["pii"] = self.pii.as_json()
        if self.topic.total:
            scores["topic"] = self.topic.as_json()
        if self.poison.documents:
            scores["poisoned"] = self.poison.as_json()
        return {**scores, "latency": self.times.as_json()}


async def measure(guards: Guards, cases: Sequence[Case]) -> Mapping[str, PartScores]:
    """The scores by part: "tune" may be looked at while rules are written, "aside" may not; "all" where there are no
    parts. Raises ProviderError."""
    await guards.examples.warm_up()
    parts: dict[str, PartScores] = {}
    for case in cases:
        scores = parts.setdefault(case.part or "all", PartScores())
        match case:
            case PiiCase():
                explanation = await explain(guards, case.tenant, case.text)
                scores.pii.add(case, explanation.spans)
                scores.times.add(explanation)
            case TopicCase():
                explanation = await explain(guards, case.tenant, case.text, case.history)
                scores.topic.add(case, explanation.verdict)
                scores.times.add(explanation)
            case PoisonCase():
                text, flags = _stored(case)
                scores.poison.add(case, text, flags)
    return parts


def _stored(case: PoisonCase) -> tuple[str, tuple[str, ...]]:
    """A document's text as it would be stored, and what was suspicious in it."""
    source, flags = unhide(case.content)
    parsed = parse_html(source.encode()) if case.format == "html" else parse_markdown(source.encode())
    text, more = sanitise(parsed.markdown)
    return text, (*flags, *more)


@click.command("guardrails")
@click.argument("file", required=False, type=click.Path(path_type=Path))
@click.option("--json", "as_json", is_flag=True, help="Print everything measured as JSON.")
def guardrails(file: Path | None, as_json: bool) -> None:
    """Measure the guardrails on labelled messages. FILE is JSONL; by default the product's own two files."""
    from bot.__main__ import configured, run_command
    from bot.screens import build_guards
    from bot.wiring import new_id
    from guardrails.modes import Modes
    from rag.embedded import open_home
    from rag.providers import load_embedder

    settings, catalogue = configured()
    cases = load_cases([file] if file else sorted(GOLD.glob("*.jsonl")))

    async def run() -> Mapping[str, PartScores]:
        embedder = load_embedder(settings.embedder, open_home(settings.home))
        return await measure(build_guards(catalogue, embedder, embedder, Modes(), new_id), cases)

    measured = {part: scores.as_json() for part, scores in run_command(settings, run()).items()}
    if as_json:
        click.echo(json.dumps(measured, indent=2))
        return
    for part, scores in measured.items():
        click.secho(part, bold=True)
        for line in _lines(scores):
            click.echo(f"  {line}")


def _lines(scores: Mapping[str, object], prefix: str = "") -> list[str]:
    lines: list[str] = []
    for name, value in scores.items():
        lines += _lines(value, f"{prefix}{name}.") if isinstance(value, Mapping) else [f"{prefix}{name}: {value}"]
    return lines
