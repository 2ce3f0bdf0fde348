"""One run over a tenant's sources: every document is fetched, checked, split, embedded and stored, or accounted for."""

from __future__ import annotations

import asyncio
import glob
import logging
import os
import re
from collections import Counter
from collections.abc import AsyncIterator, Callable, Iterable, Iterator, Mapping
from dataclasses import asdict, dataclass, replace
from datetime import datetime
from hashlib import sha256
from pathlib import Path
from typing import Literal

from ingest.fetch import Fetched, Fetches
from ingest.parse_html import parse_html
from ingest.parse_markdown import parse_markdown
from ingest.parsed import Parsed
from ingest.store import Store
from ingest.validate import check_content, check_status, real_format
from rag.embedding import embed_chunks
from rag.errors import CertCoachError, DatabaseError, Unreadable
from rag.types import Chunk, Chunker, Document, Embedder, Fetch, Source, Tenant, Version

log = logging.getLogger(__name__)

Result = Literal["new", "changed", "unchanged", "rejected", "withdrawn"]
RESULTS: tuple[Result, ...] = ("new", "changed", "unchanged", "rejected", "withdrawn")

_DOCUMENTS = re.compile(r"\.(?:md|mdx|markdown|txt|x?html?)$", re.IGNORECASE)


@dataclass(frozen=True, slots=True)
class Outcome:
    """What became of one document. `chunks` counts those that are stored afterwards (or would be, in a dry run)."""

    key: str
    url: str
    outcome: Result
    reason: str | None = None
    chunks: int = 0


@dataclass(frozen=True, slots=True)
class Report:
    """A whole run."""

    outcomes: tuple[Outcome, ...] = ()

    @property
    def totals(self) -> dict[str, int]:
        """The number of documents by outcome, all outcomes present, and of chunks."""
        counted = Counter(outcome.outcome for outcome in self.outcomes)
        chunks = sum(outcome.chunks for outcome in self.outcomes)
        return {**{result: counted[result] for result in RESULTS}, "documents": len(self.outcomes), "chunks": chunks}

    def as_json(self) -> dict[str, object]:
        """`{documents: [{key, url, outcome, reason, chunks}], totals}`."""
        return {"documents": [asdict(outcome) for outcome in self.outcomes], "totals": self.totals}


@dataclass(frozen=True, slots=True)
class _Target:
    """One document that a source names."""

    source: Source
    key: str

    @property
    def is_page(self) -> bool:
        return self.source.kind == "page"

    @property
    def path(self) -> Path:
        return Path(self.source.root, self.key)


class Ingestor:
    """Takes in documents. `clock` gives the time of a fetch, with its zone."""

    def __init__(
        self, store: Store, fetcher: Fetches, chunker: Chunker, embedder: Embedder, clock: Callable[[], datetime]
    ) -> None:
        self._store = store
        self._fetcher = fetcher
        self._chunker = chunker
        self._embedder = embedder
        self._clock = clock

    async def run(
        self, tenant: Tenant, *, force: bool = False, dry_run: bool = False, only: str | None = None
    ) -> AsyncIterator[Outcome]:
        """One outcome a document, as each is done; then those of documents whose files are gone.

        `force` takes in unchanged documents too; `dry_run` embeds and stores nothing; `only` is a document's key or the
        beginning of keys. A document that fails keeps its stored version. Raises DatabaseError.
        """
        versions = await self._store.versions(tenant.slug)
        seen: set[str] = set()
        for source in tenant.sources:
            targets = await asyncio.to_thread(_targets, source)
            for target in targets:
                if target.key not in seen and target.key.startswith(only or ""):
                    seen.add(target.key)
                    yield await self._take(target, versions.get(target.key), force=force, dry_run=dry_run)
            if not targets and not only:
                reason = await asyncio.to_thread(_why_none, source, versions)
                if reason:
                    missing = _Target(source, _relative(source.location, source.root))
                    yield await self._reject(missing, None, _attempt(missing, self._clock()), reason, dry_run=dry_run)
        for key in sorted(versions.keys() - seen):
            if key.startswith(only or "") and await asyncio.to_thread(_is_gone, key, tenant.sources):
                yield await self._withdraw(tenant.slug, key, dry_run=dry_run)
        if not dry_run:
            await self._store.settle(tenant.slug)

    async def _take(self, target: _Target, known: Version | None, *, force: bool, dry_run: bool) -> Outcome:
        fetch = _attempt(target, self._clock())
        try:
            fetched = await self._fetch(target, None if force else known)
            fetch = _answered(fetch, fetched)
            check_status(fetched)
            if known and not force and (fetched.status == 304 or fetched.sha256 == known.sha256):
                return await self._unchanged(target, known, fetch, dry_run=dry_run)
            document, chunks = await asyncio.to_thread(self._prepare, target, fetched, fetch.at)
            embedded = [] if dry_run else await embed_chunks(self._embedder, chunks)
        except DatabaseError:
            raise
        except CertCoachError as error:
            return await self._reject(target, known, fetch, str(error), dry_run=dry_run)
        except Exception as error:  # a document ends here, and the run goes on
            log.exception("A document could not be taken in", extra={"tenant": target.source.tenant, "key": target.key})
            reason = f"it could not be read: {type(error).__name__}, see the log"
            return await self._reject(target, known, fetch, reason, dry_run=dry_run)
        fetch = replace(fetch, outcome="changed" if known else "new", url=document.url)
        if not dry_run:
            await self._store.replace(document, chunks, embedded, fetch)
        return Outcome(target.key, document.url, "changed" if known else "new", None, len(chunks))

    async def _fetch(self, target: _Target, known: Version | None) -> Fetched:
        if target.is_page:
            return await self._fetcher.fetch(target.source.location, known)
        return await self._fetcher.read(target.path)

    def _prepare(self, target: _Target, fetched: Fetched, at: datetime) -> tuple[Document, list[Chunk]]:
        parsed = _parse(target, fetched)
        check_content(parsed, fetched.body)
        source = target.source
        document = Document(
            tenant=source.tenant,
            key=target.key,
            url=_cited(target, fetched, parsed),
            title=parsed.title or Path(target.key.rstrip("/")).stem or target.key,
            citation=parsed.citation or source.citation,
            markdown=parsed.markdown,
            sha256=fetched.sha256,
            fetched_at=at,
            licence=source.licence,
            dated=parsed.dated,
        )
        chunks = list(self._chunker.split(document.title, document.markdown))
        if not chunks:
            raise Unreadable("it has no content")
        return document, chunks

    async def _unchanged(self, target: _Target, known: Version, fetch: Fetch, *, dry_run: bool) -> Outcome:
        if not dry_run:
            await self._store.record(replace(fetch, outcome="unchanged", sha256=known.sha256))
        return Outcome(target.key, fetch.url, "unchanged", None, known.chunks)

    async def _reject(
        self, target: _Target, known: Version | None, fetch: Fetch, reason: str, *, dry_run: bool
    ) -> Outcome:
        if known:
            reason += "; the earlier version stays"
        if not dry_run:
            await self._store.record(replace(fetch, outcome="rejected", reason=reason))
        return Outcome(target.key, fetch.url, "rejected", reason, known.chunks if known else 0)

    async def _withdraw(self, tenant: str, key: str, *, dry_run: bool) -> Outcome:
        reason = "its file is gone"
        if not dry_run:
            fetch = Fetch(tenant=tenant, key=key, url="", at=self._clock(), outcome="withdrawn", reason=reason)
            await self._store.withdraw(tenant, key, fetch)
        return Outcome(key, "", "withdrawn", reason)


def _parse(target: _Target, fetched: Fetched) -> Parsed:
    base = fetched.final_url or target.source.url
    if real_format(fetched) == "html":
        return parse_html(fetched.body, url=base, charset=fetched.charset)
    return parse_markdown(fetched.body, url=base, charset=fetched.charset)


def _cited(target: _Target, fetched: Fetched, parsed: Parsed) -> str:
    """The address that a citation links to, "" if there is none: a page's own words about its address do not count."""
    if target.is_page:
        return target.source.url or fetched.final_url or target.source.location
    return parsed.url or target.source.url or ""


# The log.


def _attempt(target: _Target, at: datetime) -> Fetch:
    url = target.source.location if target.is_page else target.source.url or ""
    return Fetch(tenant=target.source.tenant, key=target.key, url=url, at=at, outcome="rejected")


def _answered(fetch: Fetch, fetched: Fetched) -> Fetch:
    return replace(
        fetch,
        final_url=fetched.final_url,
        status=fetched.status,
        content_type=fetched.content_type,
        bytes=len(fetched.body),
        sha256=sha256(fetched.body).hexdigest() if fetched.body else None,
        etag=fetched.etag,
        last_modified=fetched.last_modified,
    )


# Files.


def _targets(source: Source) -> list[_Target]:
    keys = [source.location] if source.kind == "page" else sorted(_files(source))
    return [_Target(source, key) for key in keys]


def _files(source: Source) -> Iterator[str]:
    """The files that a path, a folder or a pattern means, as keys. Hidden files are none, unless they are named."""
    location = Path(source.location)
    if location.is_file():
        yield _relative(source.location, source.root)
        return
    inside = location.is_dir()
    pattern = os.path.join(glob.escape(source.location), "**", "*") if inside else source.location  # noqa: PTH118
    for name in glob.iglob(pattern, recursive=True):  # noqa: PTH207 - Path.glob does not skip hidden files
        if Path(name).is_file() and (not inside or _DOCUMENTS.search(name)):
            yield _relative(name, source.root)


def _relative(path: str, root: str) -> str:
    return Path(os.path.relpath(path, root)).as_posix()


def _folder(source: Source) -> Path:
    """The folder that a source's files are in: the part of its location before any pattern."""
    location = Path(source.location)
    if location.is_dir():
        return location
    return next(folder for folder in location.parents if folder.is_dir() or not glob.has_magic(str(folder)))


def _covers(source: Source, key: str) -> bool:
    """Whether a file of that key would belong to the source."""
    if source.kind != "file" or "://" in key:
        return False
    path = Path(os.path.normpath(Path(source.root, key)))
    location = Path(os.path.normpath(source.location))
    if location.is_dir():
        return path.is_relative_to(location)
    if "**" in location.parts:
        return path.is_relative_to(_folder(source)) and path.match(location.name)
    return path == location or path.match(str(location))


def _is_gone(key: str, sources: Iterable[Source]) -> bool:
    """Whether a stored document came from a file that no longer exists, in a folder which does.

    Of several sources the one with the nearest folder decides, so that a folder that is not mounted loses nothing.
    """
    folders = [_folder(source) for source in sources if _covers(source, key)]
    return bool(folders) and max(folders, key=lambda folder: len(folder.parts)).is_dir()


def _why_none(source: Source, versions: Mapping[str, Version]) -> str | None:
    """Why a source has no files; None where its stored documents are going to be withdrawn, which says it all."""
    known = any(_covers(source, key) for key in versions)
    if not _folder(source).is_dir():
        stays = "; the earlier versions stay" if known else ""
        return f"its folder does not exist; check the path in sources.yaml{stays}"
    return None if known else "no file matches; check the path in sources.yaml"
