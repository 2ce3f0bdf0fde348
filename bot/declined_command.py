"""`certcoach refusals` and `certcoach coverage`: what was declined, what of it was wrong, and what is missing."""

from __future__ import annotations

import json
from collections.abc import Sequence
from dataclasses import asdict

import click

from bot.declined import LABELS, Decline, Gap
from guardrails.wordings import Label

SHOWN = 160
"""Characters of a question that a line shows."""


@click.command()
@click.argument("tenant")
@click.option("-n", "n", type=click.IntRange(1, 1_000), default=20, show_default=True, help="How many are listed.")
@click.option("--wrong", metavar="ID", help="Say that declining this one was wrong, before the list.")
@click.option("--label", type=click.Choice(LABELS), default="answer", show_default=True, help="What it is instead.")
@click.option("--undo", metavar="ID", help="Take back what was said of this one, before the list.")
@click.option("--json", "as_json", is_flag=True, help="Print the list as JSON.")
def refusals(tenant: str, n: int, wrong: str | None, label: Label, undo: str | None, as_json: bool) -> None:
    """List what was declined last, redacted; put right what was wrongly declined.

    A server that runs takes up what was said within the hour, or when it starts again.
    """
    from bot.__main__ import configured, run_command
    from bot.wiring import open_app

    settings, catalogue = configured()
    slug = catalogue.tenant(tenant).slug

    async def look() -> Sequence[Decline]:
        async with open_app(settings, catalogue) as app:
            if wrong:
                await app.declined.mark_wrong(slug, wrong, label)
            if undo:
                await app.declined.undo(slug, undo)
            return await app.declined.recent(slug, n)

    declines = run_command(settings, look())
    if as_json:
        click.echo(_json(declines))
        return
    for decline in declines:
        judged = f" · judged {decline.judged}" if decline.judged else ""
        rule = f" ({decline.rule})" if decline.rule else ""
        click.secho(f"{decline.id} · {decline.at:%Y-%m-%d %H:%M} · {decline.reason}{rule}{judged}", bold=True)
        click.echo(f"  {_line(decline.asked)}")


@click.command()
@click.argument("tenant")
@click.option("--days", type=click.IntRange(1, 3_650), default=30, show_default=True, help="How far back.")
@click.option("--json", "as_json", is_flag=True, help="Print the list as JSON.")
def coverage(tenant: str, days: int, as_json: bool) -> None:
    """List the questions that the documents do not cover, most frequent first."""
    from bot.__main__ import configured, run_command
    from bot.wiring import open_app

    settings, catalogue = configured()
    slug = catalogue.tenant(tenant).slug

    async def look() -> Sequence[Gap]:
        async with open_app(settings, catalogue) as app:
            return await app.declined.coverage(slug, days)

    gaps = run_command(settings, look())
    if as_json:
        click.echo(_json(gaps))
        return
    for gap in gaps:
        click.secho(f"{gap.times} × {_line(gap.asked)}", bold=True)
        click.echo(f"  last {gap.last:%Y-%m-%d} · nearest: {gap.nearest or 'nothing'}")


def _json(rows: Sequence[Decline | Gap]) -> str:
    return json.dumps([asdict(row) for row in rows], default=str, indent=2)


def _line(text: str) -> str:
    line = " ".join(text.split())
    return line if len(line) <= SHOWN else line[: SHOWN - 1] + "…"
