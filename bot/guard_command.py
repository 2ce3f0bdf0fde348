"""`certcoach guard`: explains what the guardrails make of a message."""

from __future__ import annotations

import json
import sys

import click

from bot.explained import Explanation, explain


@click.command()
@click.argument("text")
@click.option("--tenant", required=True, help="In whose channel the message stands.")
@click.option("--json", "as_json", is_flag=True, help="Print the decision as JSON.")
def guard(text: str, tenant: str, as_json: bool) -> None:
    """Explain what the guardrails make of a message. TEXT may be - to read it from standard input."""
    from bot.__main__ import configured, run_command
    from bot.screens import build_guards
    from bot.wiring import modes, new_id
    from rag.embedded import open_home
    from rag.providers import load_embedder
    from rag.remember import Remembering

    settings, catalogue = configured()
    slug = catalogue.tenant(tenant).slug
    message = _read(text)

    async def look() -> Explanation:
        embedder = Remembering(load_embedder(settings.embedder, open_home(settings.home)))
        guards = build_guards(catalogue, embedder, embedder, modes(settings, catalogue), new_id)
        await guards.examples.warm_up()
        return await explain(guards, slug, message)

    explanation = run_command(settings, look())
    if as_json:
        click.echo(json.dumps(explanation.as_json(), ensure_ascii=True))
        return
    click.secho(f"{explanation.verdict} ({explanation.rule}, {explanation.ms:.1f} ms)", bold=True)
    for span in explanation.spans:
        click.echo(f"  {span.type} at {span.start}–{span.end}")
    click.echo(explanation.text)


def _read(text: str) -> str:
    return sys.stdin.buffer.read().decode("utf-8", "replace") if text == "-" else text
