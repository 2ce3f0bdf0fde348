"""A tenant's corpus as a question sees it: candidates of both legs in one statement, passages in another."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

from pgvector import HalfVector
from psycopg.rows import class_row

from rag import db, lexicon
from rag.queries import load_queries
from rag.types import Candidate, Lexical, Mode, Passage, Vector

QUERIES = load_queries("corpus")


@dataclass(frozen=True, slots=True)
class Search:
    """One search of one tenant: up to `n` candidates from each leg that the mode has.

    `vector` is the embedded text, or None in sparse mode.
    """

    tenant: str
    text: str
    vector: Vector | None
    mode: Mode = "hybrid"
    lexical: Lexical = "bm25"
    n: int = 50

    @property
    def statement(self) -> str:
        return f"{self.mode}_and" if self.lexical == "and" and self.mode != "dense" else self.mode


class Corpus:
    """Reads the chunks of one edition and the vectors of one space."""

    def __init__(self, pool: db.Pool, *, space: str, edition: str) -> None:
        self._pool = pool
        self.space = space
        self.edition = edition

    async def candidates(self, search: Search) -> list[Candidate]:
        """The union of the legs' best chunks, each with the scores that the mode knows, in no particular order."""
        parameters: dict[str, Any] = {
            "tenant": search.tenant,
            "space": self.space,
            "edition": self.edition,
            "n": search.n,
            "text": search.text,
            "terms": lexicon.dimensions(search.text),
            "vector": None if search.vector is None else HalfVector(search.vector),
        }
        return await db.fetch(self._pool, search.tenant, QUERIES[search.statement], parameters, class_row(Candidate))

    async def passages(self, tenant: str, ids: list[int]) -> list[Passage]:
        """The chunks of these ids with their neighbours, in the order of the ids."""
        parameters = {"tenant": tenant, "space": self.space, "ids": ids}
        return await db.fetch(self._pool, tenant, QUERIES["passages"], parameters, class_row(Passage))
