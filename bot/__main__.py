"""The `certcoach` command."""

from __future__ import annotations

import json
import sys
from collections.abc import Coroutine
from dataclasses import asdict
from importlib.metadata import entry_points, version
from typing import Any, TypeVar

import click
from rich.console import Console

from bot import lifetime
from bot.declined_command import coverage, refusals
from bot.guard_command import guard
from ingest.sources import Catalogue, load_catalogue
from rag.errors import CertCoachError
from rag.settings import Settings, load_settings

COMMANDS = "certcoach.commands"
"""Entry points that add commands; evaluation comes in this way, since nothing here may import it."""
Result = TypeVar("Result")
stderr = Console(stderr=True)
stdout = Console()


class _Commands(click.Group):
    """The commands of this file and those that entry points add."""

    def list_commands(self, ctx: click.Context) -> list[str]:
        return [*super().list_commands(ctx), *entry_points(group=COMMANDS).names]

    def get_command(self, ctx: click.Context, cmd_name: str) -> click.Command | None:
        for entry in entry_points(group=COMMANDS, name=cmd_name):
            command: click.Command = entry.load()
            return command
        return super().get_command(ctx, cmd_name)


def main() -> None:
    """Run the command line; every known failure is one line and an exit status of its own."""
    try:
        commands(prog_name="certcoach")
    except CertCoachError as error:
        stderr.print(f"[red]certcoach:[/] {_plain(str(error))}", highlight=False, soft_wrap=True)
        sys.exit(error.exit_code)
    except lifetime.Stopped:
        stderr.print("stopped")


def _plain(text: str) -> str:
    return text.replace("[", "\\[")


def configured() -> tuple[Settings, Catalogue]:
    """The settings and the catalogue, with the logs set up."""
    from bot.telemetry import set_up_logging

    settings = load_settings()
    set_up_logging(settings)
    return settings, load_catalogue(settings.sources)


def run_command(settings: Settings, work: Coroutine[Any, Any, Result]) -> Result:
    """Run a command's work to its end, with its spans exported."""
    from bot.telemetry import tracing

    with tracing(settings):
        return lifetime.run(work)


@click.group(cls=_Commands, context_settings={"help_option_names": ["-h", "--help"]})
@click.version_option(version("certcoach"))
def commands() -> None:
    """Answers certification questions from the official documentation, with citations."""


@commands.command()
def run() -> None:
    """Take in the documents, then serve the page and the API."""
    from bot.serve import serve

    settings, catalogue = configured()
    run_command(settings, serve(settings, catalogue, stderr))


@commands.command()
@click.argument("tenant", required=False)
def chat(tenant: str | None) -> None:
    """Talk on the terminal."""
    from bot.console import Chat
    from bot.progress import ingest_all
    from bot.wiring import open_app

    settings, catalogue = configured()
    slug = catalogue.tenant(tenant).slug if tenant else next(iter(catalogue.tenants))

    async def talk() -> None:
        async with open_app(settings, catalogue) as app:
            await ingest_all(app, stderr)
            await Chat(app.coach, stdout, slug).run()

    run_command(settings, talk())


@commands.command()
@click.argument("tenant")
@click.argument("question")
@click.option("--json", "as_json", is_flag=True, help="Print the answer as the API returns it.")
def ask(tenant: str, question: str, as_json: bool) -> None:
    """Ask one question. QUESTION may be - to read it from standard input."""
    from bot.console import ask as ask_once
    from bot.console import show_answer
    from bot.progress import ingest_all
    from bot.web_models import answer_body
    from bot.wiring import new_id, open_app

    settings, catalogue = configured()
    text = sys.stdin.buffer.read().decode("utf-8", "replace") if question == "-" else question

    async def answer() -> None:
        async with open_app(settings, catalogue) as app:
            if not await app.library.count(catalogue.tenant(tenant).slug):
                await ingest_all(app, stderr, slug=tenant)
            if not as_json:
                await show_answer(app.coach, tenant, text, stdout)
                return
            body = answer_body(await ask_once(app.coach, tenant, text), new_id())
            click.echo(body.model_dump_json(indent=2))

    run_command(settings, answer())


@commands.command()
@click.option("--tenant", help="Only this tenant.")
@click.option("--source", help="Only documents whose address or path begins so.")
@click.option("--force", is_flag=True, help="Take in unchanged documents, too.")
@click.option("--dry-run", is_flag=True, help="Fetch and read, but store nothing.")
@click.option("--json", "as_json", is_flag=True, help="Print the report as JSON.")
def ingest(tenant: str | None, source: str | None, force: bool, dry_run: bool, as_json: bool) -> None:
    """Take in the documents that sources.yaml names."""
    from bot.progress import Options, ingest_all
    from bot.wiring import open_app

    settings, catalogue = configured()

    async def take_in() -> None:
        async with open_app(settings, catalogue) as app:
            options = Options(force=force, dry_run=dry_run, only=source)
            report = await ingest_all(app, stderr, tenant, options)
            if as_json:
                click.echo(json.dumps(report.as_json(), indent=2))

    if tenant:
        catalogue.tenant(tenant)
    run_command(settings, take_in())


@commands.command()
@click.argument("name")
@click.option("--tenant", help="Only this tenant.")
@click.option("--json", "as_json", is_flag=True, help="Print document and chunks as JSON.")
def show(name: str, tenant: str | None, as_json: bool) -> None:
    """Show a document as it is stored. NAME is its address, its key or its file name."""
    from bot.wiring import open_app
    from rag.library import Shown

    settings, catalogue = configured()
    slugs = [catalogue.tenant(tenant).slug] if tenant else list(catalogue.tenants)

    async def find() -> list[Shown]:
        async with open_app(settings, catalogue) as app:
            return [document for slug in slugs for document in await app.library.show(slug, name)]

    found = run_command(settings, find())
    if not found:
        raise click.UsageError(f"No document {name!r} is stored. `certcoach ingest --json` lists what is.")
    if as_json:
        click.echo(json.dumps([asdict(document) for document in found], default=str, indent=2))
        return
    for document in found:
        click.secho(f"{document.title} · {document.url or document.key} · version {document.version}", bold=True)
        for chunk in document.chunks:
            click.secho(f"\n── {chunk.ordinal} · {chunk.heading} · {len(chunk.text)} characters", fg="cyan")
            click.echo(chunk.text)


@commands.command()
@click.option("--live", is_flag=True, help="Ask each chat model for one word, which costs a few tokens.")
@click.option("--json", "as_json", is_flag=True, help="Print the findings as JSON.")
def doctor(live: bool, as_json: bool) -> None:
    """Check the installation, and name the remedy for what is wrong."""
    from bot.doctor import Finding, examine

    async def look() -> list[Finding]:
        return [finding async for finding in examine(live=live)]

    findings = lifetime.run(look())
    if as_json:
        click.echo(json.dumps([asdict(finding) for finding in findings], indent=2))
    for finding in [] if as_json else findings:
        mark = "[green]ok[/]  " if finding.ok else "[red]no[/]  "
        stdout.print(f"{mark}{finding.name}: {_plain(finding.detail)}", highlight=False, soft_wrap=True)
    sys.exit(0 if all(finding.ok for finding in findings) else 1)


commands.add_command(guard)
commands.add_command(refusals)
commands.add_command(coverage)


if __name__ == "__main__":
    main()
