"""From a question to the passages that may answer it: embed, search, fuse, fill the budget."""

from __future__ import annotations

from dataclasses import dataclass

from rag import trace
from rag.corpus import Corpus, Search
from rag.fusion import fuse
from rag.types import Candidate, Embedder, Fusion, Lexical, Mode, Passage, Retrieved, Scored, Vector

TYPICAL_PASSAGE = 400
"""Characters: no fewer are expected of a passage, so that one statement fetches enough of them to fill the budget."""


@dataclass(frozen=True, slots=True)
class Recipe:
    """How to search: `n` candidates a leg, and a budget of characters for the passages."""

    mode: Mode = "hybrid"
    lexical: Lexical = "bm25"
    fusion: Fusion = "coverage"
    n: int = 50
    budget: int = 4_000


class Retriever:
    """Finds passages in at most two statements."""

    def __init__(self, corpus: Corpus, embedder: Embedder, recipe: Recipe) -> None:
        self._corpus = corpus
        self._embedder = embedder
        self.recipe = recipe

    async def retrieve(self, tenant: str, text: str) -> Retrieved:
        """The passages for this text, best first, cut to the budget (at least one, if there is any)."""
        vector = await self._vector(tenant, text)
        with trace.span("retrieve", "RETRIEVER", tenant=tenant) as span:
            search = Search(tenant, text, vector, self.recipe.mode, self.recipe.lexical, self.recipe.n)
            found = await self._found(search)
            span.set_attributes(trace.found(found))
            return found

    async def _vector(self, tenant: str, text: str) -> Vector | None:
        if self.recipe.mode == "sparse":
            return None
        with trace.span("embed", "EMBEDDING", tenant=tenant) as span:
            span.set_attribute("embedding.model_name", self._embedder.name)
            return (await self._embedder.embed([text], "query"))[0]

    async def _found(self, search: Search) -> Retrieved:
        candidates = await self._candidates(search)
        ranking = fuse(candidates, self.recipe.mode, self.recipe.fusion)
        passages = await self._passages(search.tenant, ranking)
        scores = {scored.chunk_id: scored.score for scored in ranking}
        return Retrieved(
            passages=passages,
            scores=tuple(scores[passage.chunk_id] for passage in passages),
            candidates=tuple(candidates),
        )

    async def _candidates(self, search: Search) -> list[Candidate]:
        with trace.span("search", "RETRIEVER", tenant=search.tenant) as span:
            candidates = await self._corpus.candidates(search)
            span.set_attribute("certcoach.candidates", len(candidates))
            return candidates

    async def _passages(self, tenant: str, ranking: list[Scored]) -> tuple[Passage, ...]:
        if not ranking:
            return ()
        wanted = [scored.chunk_id for scored in ranking[: self.recipe.budget // TYPICAL_PASSAGE + 1]]
        with trace.span("passages", "RETRIEVER", tenant=tenant):
            passages = await self._corpus.passages(tenant, wanted)
        return fill(passages, self.recipe.budget)


def fill(passages: list[Passage], budget: int) -> tuple[Passage, ...]:
    """The longest run of passages from the first whose texts fit the budget in characters; at least one."""
    kept: list[Passage] = []
    used = 0
    for passage in passages:
        used += len(passage.text)
        if kept and used > budget:
            break
        kept.append(passage)
    return tuple(kept)
