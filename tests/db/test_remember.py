"""No text is embedded twice."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np

from rag import db
from rag.remember import Remembering, Stored
from rag.types import Role, Vector
from tests.corpora import HashedWords


class Counting(HashedWords):
    """Knows what it was asked to embed."""

    def __init__(self) -> None:
        self.asked: list[str] = []

    async def embed(self, texts: Sequence[str], role: Role) -> list[Vector]:
        self.asked += texts
        return await super().embed(texts, role)


TEXTS = ["alpha", "beta", "alpha", "gamma"]


async def test_a_passage_is_embedded_once_in_the_life_of_the_database(pool: db.Pool) -> None:
    first, second = Counting(), Counting()
    expected = await HashedWords().embed(TEXTS, "passage")
    for counting, asked in ((first, ["alpha", "beta", "gamma"]), (second, [])):
        vectors = await Stored(counting, pool).embed(TEXTS, "passage")
        assert np.allclose(vectors, expected, atol=2e-3), "stored at half precision"
        assert counting.asked == asked


async def test_a_question_is_not_stored(pool: db.Pool) -> None:
    await Stored(Counting(), pool).embed(["who am I"], "query")
    async with db.connection(pool) as conn:
        assert await (await conn.execute("select count(*) from embeddings")).fetchone() == (0,)


async def test_recent_texts_are_remembered_and_the_oldest_forgotten() -> None:
    counting = Counting()
    remembering = Remembering(counting, size=2)
    for texts in (["a", "b"], ["b"], ["c"], ["a"]):
        await remembering.embed(texts, "query")
    assert counting.asked == ["a", "b", "c", "a"]


async def test_roles_are_remembered_apart() -> None:
    counting = Counting()
    remembering = Remembering(counting)
    await remembering.embed(["a"], "query")
    await remembering.embed(["a"], "passage")
    assert counting.asked == ["a", "a"]
