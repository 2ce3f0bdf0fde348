"""What the ingestor needs of whatever keeps the documents."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Protocol

from rag.types import Chunk, Document, Embedded, Fetch, Version


class Store(Protocol):
    """Keeps documents with their chunks and vectors, and a log of the attempts to fetch them.

    Any method may raise DatabaseError, which ends a run.
    """

    async def versions(self, tenant: str) -> dict[str, Version]:
        """What is stored in the current edition and space, by document key."""
        ...

    async def replace(
        self, document: Document, chunks: Sequence[Chunk], embedded: Sequence[Embedded], fetch: Fetch
    ) -> None:
        """Put the document in the place of its earlier version, and log the fetch, in one transaction."""
        ...

    async def record(self, fetch: Fetch) -> None:
        """Log an attempt that replaced nothing."""
        ...

    async def withdraw(self, tenant: str, key: str, fetch: Fetch) -> None:
        """Remove the document and log why; the log of its fetches stays."""
        ...

    async def settle(self, tenant: str) -> None:
        """Called once after a run: the store may refresh its statistics."""
        ...
