"""Stand-ins for what an ingestor writes to and embeds with, in memory."""

from __future__ import annotations

from collections.abc import Sequence
from datetime import UTC, datetime, timedelta

import numpy as np

from rag.types import Chunk, Document, Embedded, Fetch, Role, Vector, Version


class MemoryStore:
    """Keeps everything in dictionaries that a test can look at."""

    def __init__(self) -> None:
        self.documents: dict[tuple[str, str], Document] = {}
        self.chunks: dict[tuple[str, str], tuple[Chunk, ...]] = {}
        self.fetches: list[Fetch] = []
        self.settled: list[str] = []

    async def versions(self, tenant: str) -> dict[str, Version]:
        return {key: self._version(slug, key) for slug, key in self.documents if slug == tenant}

    async def replace(
        self, document: Document, chunks: Sequence[Chunk], embedded: Sequence[Embedded], fetch: Fetch
    ) -> None:
        assert len(chunks) == len(embedded)
        self.documents[document.tenant, document.key] = document
        self.chunks[document.tenant, document.key] = tuple(chunks)
        self.fetches.append(fetch)

    async def record(self, fetch: Fetch) -> None:
        self.fetches.append(fetch)

    async def withdraw(self, tenant: str, key: str, fetch: Fetch) -> None:
        del self.documents[tenant, key]
        del self.chunks[tenant, key]
        self.fetches.append(fetch)

    async def settle(self, tenant: str) -> None:
        self.settled.append(tenant)

    def _version(self, tenant: str, key: str) -> Version:
        taken = [fetch for fetch in self.fetches if fetch.key == key and fetch.outcome in ("new", "changed")][-1]
        document = self.documents[tenant, key]
        chunks = len(self.chunks[tenant, key])
        return Version(key, document.sha256, chunks, taken.etag, taken.last_modified)


class CountingEmbedder:
    """Embeds every text as the same unit vector, and keeps the texts of each call."""

    name = "counting"
    dimensions = 2

    def __init__(self) -> None:
        self.calls: list[tuple[str, ...]] = []

    async def embed(self, texts: Sequence[str], role: Role) -> list[Vector]:
        assert role == "passage"
        self.calls.append(tuple(texts))
        return [np.array([1, 0], dtype=np.float32) for _ in texts]


class Ticking:
    """A clock that moves a minute at each look."""

    def __init__(self) -> None:
        self._now = datetime(2026, 1, 1, tzinfo=UTC)

    def __call__(self) -> datetime:
        self._now += timedelta(minutes=1)
        return self._now
