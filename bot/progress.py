"""Shows an ingest while it runs, and sums it up."""

from __future__ import annotations

from dataclasses import asdict, dataclass

from rich.console import Console
from rich.progress import Progress, SpinnerColumn, TextColumn, TimeElapsedColumn

from bot.wiring import App
from ingest.ingestor import RESULTS, Outcome, Report


@dataclass(frozen=True, slots=True)
class Options:
    """How to take in documents: unchanged ones too, without storing anything, only those whose key begins so."""

    force: bool = False
    dry_run: bool = False
    only: str | None = None


async def ingest_all(app: App, console: Console, slug: str | None = None, options: Options = Options()) -> Report:
    """Take in the documents of one tenant or of all, show each as it is done, and say what changed."""
    tenants = [app.catalogue.tenant(slug)] if slug else list(app.catalogue.tenants.values())
    outcomes: list[Outcome] = []
    columns = (SpinnerColumn(), TextColumn("{task.description}"), TimeElapsedColumn())
    with Progress(*columns, console=console, transient=True) as progress:
        for tenant in tenants:
            task = progress.add_task(tenant.slug, total=None)
            done = len(outcomes)
            async for outcome in app.ingestor.run(tenant, **asdict(options)):
                outcomes.append(outcome)
                progress.update(task, description=f"{tenant.slug}: {len(outcomes) - done} documents, {outcome.key}")
    report = Report(tuple(outcomes))
    _tell(report, console)
    return report


def _tell(report: Report, console: Console) -> None:
    totals = report.totals
    counts = ", ".join(f"{totals[result]} {result}" for result in RESULTS if totals[result])
    console.print(f"documents: {counts or 'none'}; {totals['chunks']} passages", highlight=False)
    for outcome in report.outcomes:
        if outcome.outcome == "rejected":
            console.print(f"[yellow]rejected[/] {outcome.url or outcome.key}: {outcome.reason}", highlight=False)
