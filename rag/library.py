"""A tenant's corpus as ingestion sees it: documents are replaced whole, and the lexical statistics follow."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import asdict, dataclass
from datetime import datetime
from typing import Any

from pgvector import HalfVector, SparseVector
from psycopg import sql
from psycopg.rows import class_row

from rag import db, lexicon
from rag.queries import load_queries
from rag.types import Chunk, Document, Embedded, Fetch, Version

QUERIES = load_queries("library")
DRIFT = 0.2
"""How far the average length may move before the edition's weights are saturated anew."""


@dataclass(frozen=True, slots=True)
class Shown:
    """A stored document as an operator looks at it."""

    key: str
    url: str
    title: str
    citation: str
    dated: str | None
    fetched_at: datetime
    version: int
    markdown: str
    id: int
    chunks: tuple[Chunk, ...] = ()


class Library:
    """Writes documents into one edition and one space."""

    def __init__(self, pool: db.Pool, *, space: str, edition: str) -> None:
        self._pool = pool
        self.space = space
        self.edition = edition

    async def versions(self, tenant: str) -> dict[str, Version]:
        """What is stored in this edition and space, by document key."""
        async with db.tenant(self._pool, tenant) as conn:
            cursor = conn.cursor(row_factory=class_row(Version))
            await cursor.execute(QUERIES["versions"], self._scope(tenant))
            return {version.key: version async for version in cursor}

    async def replace(
        self, document: Document, chunks: Sequence[Chunk], embedded: Sequence[Embedded], fetch: Fetch
    ) -> None:
        """Put the document in the place of its earlier version, in one transaction with its row of the fetch log.

        Chunks of other editions stay as long as the document's bytes are the same.
        """
        scope = {**self._scope(document.tenant), "key": document.key, "sha256": document.sha256}
        async with db.tenant(self._pool, document.tenant) as conn:
            await conn.execute(QUERIES["lock"], scope)
            await self._forget(conn, scope)
            average = await self._average(conn, document.tenant)
            row = {**asdict(document), "etag": fetch.etag, "last_modified": fetch.last_modified}
            (document_id,) = await _one(await conn.execute(QUERIES["upsert_document"], row))
            await self._insert(conn, {**scope, "document": document_id}, _Batch.of(chunks, embedded, average))
            await conn.execute(QUERIES["insert_fetch"], asdict(fetch))

    async def record(self, fetch: Fetch) -> None:
        """Log an attempt that replaced nothing; one that found the document unchanged renews its date."""
        async with db.tenant(self._pool, fetch.tenant) as conn:
            await conn.execute(QUERIES["insert_fetch"], asdict(fetch))
            if fetch.outcome == "unchanged":
                await conn.execute(QUERIES["touch"], asdict(fetch))

    async def withdraw(self, tenant: str, key: str, fetch: Fetch) -> None:
        """Remove a document with all its editions; the log stays."""
        scope = {**self._scope(tenant), "key": key, "sha256": ""}
        async with db.tenant(self._pool, tenant) as conn:
            await conn.execute(QUERIES["lock"], scope)
            await self._forget(conn, scope)
            await conn.execute(QUERIES["delete_document"], scope)
            await conn.execute(QUERIES["insert_fetch"], asdict(fetch))

    async def settle(self, tenant: str) -> None:
        """Saturate the edition's weights anew when its average length has drifted, and refresh the planner."""
        async with db.tenant(self._pool, tenant) as conn:
            row = await (await conn.execute(QUERIES["drift"], self._scope(tenant))).fetchone()
            if row is not None and row[1] and abs(row[1] / row[0] - 1) > DRIFT:
                await self._saturate(conn, tenant, row[1])
        async with db.connection(self._pool) as conn:
            for table in ("documents", "chunks", "vectors", "readings", "lexical", "frequencies"):
                await conn.execute(sql.SQL("analyze {}").format(sql.Identifier(table)))

    async def count(self, tenant: str) -> int:
        """How many documents the tenant has."""
        async with db.tenant(self._pool, tenant) as conn:
            (count,) = await _one(await conn.execute(QUERIES["documents"], {"tenant": tenant}))
            return int(count)

    async def show(self, tenant: str, name: str) -> list[Shown]:
        """The documents with this key, address or file name, each with its chunks in this edition; exact ones first."""
        async with db.tenant(self._pool, tenant) as conn:
            found = conn.cursor(row_factory=class_row(Shown))
            await found.execute(QUERIES["show"], {"tenant": tenant, "name": name})
            shown = []
            for document in await found.fetchall():
                chunks = conn.cursor(row_factory=class_row(Chunk))
                await chunks.execute(QUERIES["show_chunks"], {**self._scope(tenant), "document": document.id})
                fields = {name: getattr(document, name) for name in Shown.__slots__}
                shown.append(Shown(**{**fields, "chunks": tuple(await chunks.fetchall())}))
            return shown

    def _scope(self, tenant: str) -> dict[str, Any]:
        return {"tenant": tenant, "space": self.space, "edition": self.edition}

    async def _forget(self, conn: db.Connection, scope: dict[str, Any]) -> None:
        editions = await (await conn.execute(QUERIES["outdated_editions"], scope)).fetchall()
        for (edition,) in editions:
            await conn.execute(QUERIES["forget_chunks"], {**scope, "edition": edition})

    async def _average(self, conn: db.Connection, tenant: str) -> float:
        scope = {**self._scope(tenant), "nominal": lexicon.NOMINAL_LENGTH}
        (average,) = await _one(await conn.execute(QUERIES["average"], scope))
        return float(average)

    async def _insert(self, conn: db.Connection, scope: dict[str, Any], batch: _Batch) -> None:
        rows = await (await conn.execute(QUERIES["insert_chunks"], {**scope, **batch.columns})).fetchall()
        ids = [chunk for (chunk,) in rows]
        cursor = conn.cursor()
        await cursor.executemany(
            QUERIES["insert_vector"],
            [{**scope, "chunk": chunk, "vector": vector} for chunk, vector in zip(ids, batch.vectors, strict=True)],
        )
        await cursor.executemany(
            QUERIES["insert_reading"],
            [{**scope, "chunk": chunk, "units": units} for chunk, units in zip(ids, batch.units, strict=True)],
        )
        await cursor.executemany(
            QUERIES["insert_lexical"],
            [{**scope, "chunk": chunk, "weights": sparse} for chunk, sparse in zip(ids, batch.weights, strict=True)],
        )

    async def _saturate(self, conn: db.Connection, tenant: str, average: float) -> None:
        scope = self._scope(tenant)
        rows = await (await conn.execute(QUERIES["texts"], scope)).fetchall()
        await conn.cursor().executemany(
            QUERIES["update_lexical"],
            [{**scope, "chunk": chunk, "weights": _sparse(lexicon.weights(text, average)[0])} for chunk, text in rows],
        )
        await conn.execute(QUERIES["set_length"], {**scope, "length": average})


@dataclass(frozen=True, slots=True)
class _Batch:
    """A document's chunks as columns for one INSERT, and what the two legs store of each."""

    columns: dict[str, list[Any]]
    vectors: list[HalfVector]
    units: list[bytes]
    weights: list[SparseVector]

    @classmethod
    def of(cls, chunks: Sequence[Chunk], embedded: Sequence[Embedded], average: float) -> _Batch:
        weighed = [lexicon.weights(chunk.text, average) for chunk in chunks]
        columns: dict[str, list[Any]] = {
            "ordinals": [chunk.ordinal for chunk in chunks],
            "headings": [chunk.heading for chunk in chunks],
            "texts": [chunk.text for chunk in chunks],
            "words": [length for _, length in weighed],
            "terms": [",".join(map(str, sorted(weights))) for weights, _ in weighed],
        }
        return cls(
            columns,
            [HalfVector(one.vector) for one in embedded],
            [one.units for one in embedded],
            [_sparse(weights) for weights, _ in weighed],
        )


def _sparse(weights: dict[int, float]) -> SparseVector:
    # pgvector's Python side counts dimensions from 0, its SQL side from 1.
    return SparseVector({place - 1: weight for place, weight in weights.items()}, lexicon.DIMENSIONS)


async def _one(cursor: Any) -> Any:
    row = await cursor.fetchone()
    assert row is not None
    return row
