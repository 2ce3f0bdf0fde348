"""What is embedded of a chunk when it is taken in: the whole for the search, its units for the reading."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from itertools import chain

import numpy as np
from numpy.typing import NDArray

from rag.types import Chunk, Embedded, Embedder, Vector
from rag.units import embeddable, is_quotable, split_units


async def embed_chunks(embedder: Embedder, chunks: Sequence[Chunk]) -> list[Embedded]:
    """The chunks' vectors and those of their units, in the order of the chunks, embedded in one call."""
    texts = [chunk.text for chunk in chunks]
    units = [[embeddable(unit) for unit in split_units(text) if is_quotable(unit)] for text in texts]
    vectors = iter(await embedder.embed([*texts, *chain.from_iterable(units)], "passage"))
    wholes = [next(vectors) for _ in texts]
    return [
        Embedded(whole, pack([next(vectors) for _ in of_chunk])) for whole, of_chunk in zip(wholes, units, strict=True)
    ]


def pack(vectors: Iterable[Vector]) -> bytes:
    """Vectors of one length, one after the other at half precision."""
    return b"".join(vector.astype(np.float16).tobytes() for vector in vectors)


def unpack(packed: bytes, n: int) -> NDArray[np.float32] | None:
    """The n vectors that were packed, shape (n, dimensions); None when it is not that many."""
    numbers = np.frombuffer(packed, dtype=np.float16)
    if n == 0 or len(numbers) == 0 or len(numbers) % n:
        return None
    return numbers.reshape(n, -1).astype(np.float32)
