"""Shows an ingest while it runs, and sums it up."""

from __future__ import annotations

from rich.console import Console
from rich.progress import BarColumn, MofNCompleteColumn, Progress, TextColumn, TimeElapsedColumn

from bot.wiring import App
from ingest.ingestor import Options, Outcome, Report


async def ingest_all(app: App, console: Console, options: Options | None = None, slug: str | None = None) -> Report:
    """Take in the documents of one tenant or of all, with a bar a tenant, and say what changed."""
    tenants = [app.catalogue.tenant(slug)] if slug else list(app.catalogue.tenants.values())
    outcomes: list[Outcome] = []
    columns = (TextColumn("{task.description}"), BarColumn(), MofNCompleteColumn(), TimeElapsedColumn())
    with Progress(*columns, console=console, transient=True) as progress:
        for tenant in tenants:
            task = progress.add_task(tenant.slug, total=None)
            async for outcome in app.ingestor.run(tenant, options or Options()):
                outcomes.append(outcome)
                progress.update(task, advance=1, total=outcome.of)
    report = Report(tuple(outcomes))
    _tell(report, console)
    return report


def _tell(report: Report, console: Console) -> None:
    counts = ", ".join(f"{count} {outcome}" for outcome, count in report.totals.items() if count)
    console.print(f"documents: {counts or 'none'}", highlight=False)
    for outcome in report.documents:
        if outcome.outcome == "rejected":
            console.print(f"[yellow]rejected[/] {outcome.url or outcome.key}: {outcome.reason}", highlight=False)
