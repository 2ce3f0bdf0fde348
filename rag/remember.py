"""Embedders around an embedder: one remembers in this process, one in the database."""

from __future__ import annotations

import hashlib
from collections import OrderedDict
from collections.abc import Sequence

from pgvector import HalfVector

from rag import db
from rag.types import Embedder, Role, Vector

RECENT = 4_096
"""Vectors kept in memory: 6 MB at 384 dimensions."""
BATCH = 64
"""Texts embedded between two writes, so that an interrupted ingest loses little."""


class Remembering:
    """Keeps the vectors of the most recent texts, so that a question and its passages' sentences are embedded once."""

    def __init__(self, inner: Embedder, size: int = RECENT) -> None:
        self._inner = inner
        self._size = size
        self._vectors: OrderedDict[tuple[Role, str], Vector] = OrderedDict()
        self.name = inner.name
        self.dimensions = inner.dimensions

    async def embed(self, texts: Sequence[str], role: Role) -> list[Vector]:
        unknown = [text for text in dict.fromkeys(texts) if (role, text) not in self._vectors]
        fresh = dict(zip(unknown, await self._inner.embed(unknown, role), strict=True)) if unknown else {}
        found = [fresh[text] if text in fresh else self._vectors[role, text] for text in texts]
        for text, vector in zip(texts, found, strict=True):
            self._vectors[role, text] = vector
            self._vectors.move_to_end((role, text))
        while len(self._vectors) > self._size:
            self._vectors.popitem(last=False)
        return found


class Stored:
    """Keeps the vectors of passages in the database by content hash, so that no text is embedded twice."""

    def __init__(self, inner: Embedder, pool: db.Pool) -> None:
        self._inner = inner
        self._pool = pool
        self.name = inner.name
        self.dimensions = inner.dimensions

    async def embed(self, texts: Sequence[str], role: Role) -> list[Vector]:
        if role == "query":
            return await self._inner.embed(texts, role)
        keys = [hashlib.sha256(text.encode()).digest() for text in texts]
        known = await self._load(keys)
        missing = list({key: text for key, text in zip(keys, texts, strict=True) if key not in known}.items())
        for start in range(0, len(missing), BATCH):
            batch = missing[start : start + BATCH]
            vectors = await self._inner.embed([text for _, text in batch], role)
            fresh = {key: vector for (key, _), vector in zip(batch, vectors, strict=True)}
            await self._save(fresh)
            known |= fresh
        return [known[key] for key in keys]

    async def _load(self, keys: list[bytes]) -> dict[bytes, Vector]:
        async with db.connection(self._pool) as conn:
            cursor = await conn.execute(
                "select sha256, v from embeddings where space = %s and sha256 = any(%s)", (self.name, keys)
            )
            return {bytes(key): vector.to_numpy() async for key, vector in cursor}

    async def _save(self, vectors: dict[bytes, Vector]) -> None:
        async with db.connection(self._pool) as conn:
            await conn.cursor().executemany(
                "insert into embeddings (space, sha256, v) values (%s, %s, %s) on conflict do nothing",
                [(self.name, key, HalfVector(vector)) for key, vector in sorted(vectors.items())],
            )
