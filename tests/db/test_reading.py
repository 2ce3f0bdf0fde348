"""Sentences are read with the vectors that were stored for them, and without any all the same."""

from __future__ import annotations

from collections.abc import Sequence

from hypothesis import given
from hypothesis import strategies as st

from rag import db
from rag.corpus import Corpus
from rag.embedding import embed_chunks, pack, unpack
from rag.library import Library
from rag.reading import Reader, Reading
from rag.retrieve import Recipe, Retriever
from rag.types import Chunk, Role, Vector
from rag.units import is_quotable, split_units
from tests.corpora import HashedWords, put

EDITION = "test-chunks"
TEXT = """Amazon S3 keeps objects in buckets. A bucket lives in one Region.

- Versioning keeps old versions of an object.

```
code is not quoted
```
"""


class Counting(HashedWords):
    """Knows what it was asked to embed."""

    def __init__(self) -> None:
        self.asked: list[str] = []

    async def embed(self, texts: Sequence[str], role: Role) -> list[Vector]:
        self.asked += texts
        return await super().embed(texts, role)


def reader(pool: db.Pool, embedder: HashedWords) -> Reader:
    corpus = Corpus(pool, space=HashedWords.name, edition=EDITION)
    return Reader(Retriever(corpus, embedder, Recipe()), embedder, 0.0)


async def read(pool: db.Pool) -> tuple[Reading, list[str]]:
    embedder = Counting()
    reading = await reader(pool, embedder).read("t", "Where does a bucket live?")
    return reading, embedder.asked


async def test_only_the_question_is_embedded_when_it_is_asked(pool: db.Pool) -> None:
    await put(Library(pool, space=HashedWords.name, edition=EDITION), "t", "a.md", [TEXT])
    reading, asked = await read(pool)
    assert set(asked) == {"Where does a bucket live?"}
    assert reading.quotes[0].unit.text == "A bucket lives in one Region."


async def test_without_stored_vectors_the_reading_is_the_same(pool: db.Pool) -> None:
    await put(Library(pool, space=HashedWords.name, edition=EDITION), "t", "a.md", [TEXT])
    stored, _ = await read(pool)
    async with db.tenant(pool, "t") as conn:
        await conn.execute("delete from readings")
    fresh, asked = await read(pool)
    assert "A bucket lives in one Region." in asked
    assert [quote.unit for quote in fresh.quotes] == [quote.unit for quote in stored.quotes]
    assert abs(fresh.nearest - stored.nearest) < 1e-2, "stored at half precision"


@given(st.lists(st.text(max_size=80), min_size=1, max_size=5))
async def test_a_chunk_has_a_vector_for_each_unit_that_can_be_quoted(texts: list[str]) -> None:
    chunks = [Chunk(ordinal, "H", text) for ordinal, text in enumerate(texts)]
    for chunk, embedded in zip(chunks, await embed_chunks(HashedWords(), chunks), strict=True):
        units = [unit for unit in split_units(chunk.text) if is_quotable(unit)]
        vectors = unpack(embedded.units, len(units))
        assert (vectors is None) == (not units)
        assert vectors is None or vectors.shape == (len(units), HashedWords.dimensions)


async def test_vectors_of_another_number_of_units_are_not_used() -> None:
    vectors = await HashedWords().embed(["a", "b", "c"], "passage")
    assert unpack(pack(vectors), 5) is None and unpack(b"", 3) is None
