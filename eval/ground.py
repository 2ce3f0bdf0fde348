"""The ground that questions are asked on: the product's own database and parts, with tenants kept for evaluation."""

from __future__ import annotations

from collections.abc import AsyncIterator, Mapping, Sequence
from contextlib import asynccontextmanager
from dataclasses import dataclass, replace
from datetime import UTC, datetime
from pathlib import Path

from rich.console import Console

from bot.progress import Options, ingest_all
from bot.wiring import App, open_app
from eval.corpus import PROJECT, Genuine, find, folders, load_genuine
from ingest.ingestor import Outcome, Report
from ingest.sources import Catalogue, load_catalogue
from rag.embedded import open_home
from rag.providers import load_embedder
from rag.settings import Settings
from rag.types import Embedder, Fetch, Source, Tenant

WHOLE = "eval-"
"""Prefix of the tenants that hold starter notes and genuine documents."""
NOTES = "eval-notes-"
"""Prefix of the tenants that hold the starter notes alone."""


@dataclass(frozen=True, slots=True)
class Ground:
    """The open application with the evaluation's tenants in it.

    `embedder` remembers nothing; `present` are the paths of the genuine documents that were taken in.
    """

    app: App
    embedder: Embedder
    prefix: str
    present: frozenset[str]
    rejected: tuple[Outcome, ...]

    def settings(self, **changes: object) -> Settings:
        """The settings with some changed."""
        return self.app.settings.model_copy(update=changes)


@asynccontextmanager
async def open_ground(settings: Settings, console: Console, *, genuine: bool = True) -> AsyncIterator[Ground]:
    """Take the starter notes and what genuine documents there are in, the way that the product does, and open them.

    Without `genuine` the notes alone.
    """
    documents = load_genuine() if genuine else ()
    found = find(documents, folders(settings))
    tell(len(documents) - len(found), console)
    prefix = WHOLE if found else NOTES
    async with open_tenants(settings, evaluation_catalogue(documents, found, prefix), console) as (app, report):
        rejected = tuple(outcome for outcome in report.outcomes if outcome.outcome == "rejected")
        embedder = load_embedder(settings.embedder, open_home(settings.home))
        yield Ground(app, embedder, prefix, frozenset(found), rejected)


@asynccontextmanager
async def open_tenants(settings: Settings, catalogue: Catalogue, console: Console) -> AsyncIterator[tuple[App, Report]]:
    """The product without a chat model and without a limit on questions, its tenants' documents taken in anew.

    Unchanged documents are read again, because the code that reads them may have changed; vectors are kept by content.
    """
    quoting = {"chat": None, "chat_fallback": None, "anthropic_api_key": None, "rate": 0}
    async with open_app(settings.model_copy(update=quoting), catalogue) as app:
        report = await ingest_all(app, console, options=Options(force=True))
        kept = {outcome.key for outcome in report.outcomes}
        for tenant in catalogue.tenants:
            for key in (await app.library.versions(tenant)).keys() - kept:
                now = datetime.now(UTC)
                await app.library.withdraw(tenant, key, Fetch(tenant, key, "", now, "withdrawn", "it is not listed"))
        yield app, report


def evaluation_catalogue(documents: Sequence[Genuine], found: Mapping[str, Path], prefix: str) -> Catalogue:
    """The project's tenants under other names: the starter notes as released, and the genuine documents as files."""
    tenants = {}
    for tenant in load_catalogue(PROJECT / "sources.yaml").tenants.values():
        slug = prefix + tenant.slug
        notes = [replace(source, tenant=slug) for source in tenant.sources if source.kind == "file"]
        genuine = [
            as_source(document, found[document.path], slug)
            for document in documents
            if document.tenant == tenant.slug and document.path in found
        ]
        tenants[slug] = _renamed(tenant, slug, [*notes, *genuine])
    return Catalogue(tenants)


def as_source(document: Genuine, folder: Path, tenant: str) -> Source:
    """The document as a source of files, keyed by its path below the folder."""
    return Source(
        tenant=tenant,
        location=str(folder / document.path),
        kind="file",
        citation=document.citation,
        root=str(folder),
        url=document.published,
        licence=document.licence,
    )


def tell(missing: int, console: Console) -> None:
    """Say, once, that genuine documents are not at hand."""
    if missing:
        console.print(
            f"[yellow]{missing} genuine documents are not here[/], so the questions about them are left out."
            " `certcoach eval corpus` fetches them.",
            highlight=False,
        )


def _renamed(tenant: Tenant, slug: str, sources: Sequence[Source]) -> Tenant:
    return replace(tenant, slug=slug, sources=tuple(sources))
