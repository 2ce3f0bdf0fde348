"""Small corpora that tests write themselves."""

from __future__ import annotations

from collections.abc import Sequence
from datetime import UTC, datetime
from hashlib import sha256

import numpy as np

from rag.embedding import embed_chunks
from rag.library import Library
from rag.types import Chunk, Document, Fetch, Role, Vector

NOW = datetime(2026, 1, 2, 3, 4, 5, tzinfo=UTC)


class HashedWords:
    """An embedder without a model: a text's vector is the sum of its words' random directions."""

    name = "test:hashed-words"
    dimensions = 16

    async def embed(self, texts: Sequence[str], role: Role) -> list[Vector]:
        return [self._vector(text) for text in texts]

    def _vector(self, text: str) -> Vector:
        total = np.full(self.dimensions, 1e-3, dtype=np.float32)
        for word in text.lower().split():
            seed = int.from_bytes(sha256(word.encode()).digest()[:4])
            total += np.random.default_rng(seed).standard_normal(self.dimensions).astype(np.float32)
        return total / np.float32(np.linalg.norm(total))


def document(tenant: str, key: str, *, version: int = 1, title: str = "") -> Document:
    digest = sha256(f"{key} {version}".encode()).hexdigest()
    url = f"https://docs.example-cloud.test/{key}"
    return Document(tenant, key, url, title or key, "Example Guide", "", digest, NOW)


async def put(library: Library, tenant: str, key: str, texts: Sequence[str], *, version: int = 1) -> None:
    """Store a document whose chunks are these texts."""
    chunks = [Chunk(ordinal, f"{key} > Part {ordinal}", text) for ordinal, text in enumerate(texts)]
    embedded = await embed_chunks(HashedWords(), chunks)
    stored = document(tenant, key, version=version)
    await library.replace(stored, chunks, embedded, Fetch(tenant, key, stored.url, NOW, "new"))
