"""The ground that questions are asked on: the product's own database and parts, with tenants kept for evaluation."""

from __future__ import annotations

from collections.abc import AsyncIterator, Mapping, Sequence
from contextlib import AsyncExitStack, asynccontextmanager
from dataclasses import dataclass, replace
from pathlib import Path

from rich.console import Console

from bot.progress import ingest_all
from bot.wiring import App, build_app, open_database
from eval.corpus import PROJECT, Genuine, find, folders, load_genuine
from ingest.ingestor import Outcome
from ingest.sources import Catalogue, load_catalogue
from rag import db
from rag.embedded import open_home
from rag.providers import load_embedder
from rag.settings import Settings
from rag.types import Embedder, Source, Tenant

WHOLE = "eval-"
"""Prefix of the tenants that hold starter notes and genuine documents."""
NOTES = "eval-notes-"
"""Prefix of the tenants that hold the starter notes alone."""


@dataclass(frozen=True, slots=True)
class Ground:
    """An open database with the evaluation's tenants in it. `present` are the paths of the genuine documents."""

    settings: Settings
    catalogue: Catalogue
    pool: db.Pool
    embedder: Embedder
    prefix: str
    present: frozenset[str]
    rejected: tuple[Outcome, ...]

    def app(self, **changes: object) -> App:
        """The product as it is wired with these settings changed; nothing is remembered from another."""
        return build_app(self.settings.model_copy(update=changes), self.catalogue, self.pool, self.embedder)


@asynccontextmanager
async def open_ground(settings: Settings, console: Console, *, genuine: bool = True) -> AsyncIterator[Ground]:
    """Take the starter notes and what genuine documents there are in, the way that the product does, and open them.

    Without `genuine` the notes alone.
    """
    documents = load_genuine() if genuine else ()
    found = find(documents, folders(settings))
    tell(len(documents) - len(found), console)
    prefix = WHOLE if found else NOTES
    catalogue = evaluation_catalogue(documents, found, prefix)
    async with AsyncExitStack() as stack:
        home = open_home(settings.home)
        url = await stack.enter_async_context(open_database(settings, home))
        pool = await stack.enter_async_context(db.open_pool(url))
        embedder = load_embedder(settings.embedder, home)
        report = await ingest_all(build_app(settings, catalogue, pool, embedder), console)
        rejected = tuple(outcome for outcome in report.documents if outcome.outcome == "rejected")
        yield Ground(settings, catalogue, pool, embedder, prefix, frozenset(found), rejected)


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
