"""Reads the passages that a search found: which of their sentences answer, and how sure it is that any does."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, field, replace
from math import log

from rag import lexicon, trace
from rag.confidence import confidence
from rag.embedding import unpack
from rag.retrieve import Retriever
from rag.types import Embedder, Passage, Retrieved, Vector
from rag.units import Unit, embeddable, is_quotable, split_units

PASSAGES = 4
"""Passages that are read."""


@dataclass(frozen=True, slots=True)
class Quote:
    """A unit in its place: the passage's index, the position in that passage, and how well it answers.

    `cosine` is that of its vector and the question's. The score is cosine + 0.5 × the share of the question's words
    that it holds + 0.2 × its passage's score as a share of the best one's.
    """

    source: int
    position: int
    unit: Unit
    score: float = 0.0
    cosine: float = 0.0
    vector: Vector = field(repr=False, compare=False, kw_only=True)


@dataclass(frozen=True, slots=True)
class Reading:
    """What was found for a text, and what of it answers.

    `units` are those of each passage that was read, `quotes` the candidates among them, best first; `nearest` is the
    best cosine, `confidence` the score in [0, 1] made of it, and `covered` says whether that reaches the gate.
    """

    found: Retrieved
    units: tuple[tuple[Unit, ...], ...]
    quotes: tuple[Quote, ...]
    nearest: float
    confidence: float
    covered: bool

    @property
    def passages(self) -> tuple[Passage, ...]:
        return self.found.passages


class Reader:
    """Searches, and looks in what is found for sentences that answer.

    `gate` is the least confidence that counts as covered.
    """

    def __init__(self, retriever: Retriever, embedder: Embedder, gate: float) -> None:
        self._retriever = retriever
        self._embedder = embedder
        self._gate = gate

    async def read(self, tenant: str, text: str) -> Reading:
        """Rank the sentences, list items and table rows of the best passages as answers to the text."""
        found = await self._retriever.retrieve(tenant, text)
        with trace.span("read", "CHAIN", tenant=tenant) as span:
            units = tuple(tuple(split_units(passage.text)) for passage in found.passages[:PASSAGES])
            quotes = await self._rank(text, found, await self._candidates(found, units))
            nearest = max((quote.cosine for quote in quotes), default=0.0)
            sure = confidence(nearest)
            covered = bool(quotes) and sure >= self._gate
            span.set_attributes({"certcoach.confidence": sure, "certcoach.covered": covered})
            return Reading(found, units, tuple(quotes), nearest, sure, covered)

    async def _candidates(self, found: Retrieved, units: Sequence[Sequence[Unit]]) -> list[Quote]:
        candidates: list[Quote] = []
        for source, of_passage in enumerate(units):
            places = [position for position, unit in enumerate(of_passage) if is_quotable(unit)]
            vectors = await self._vectors(found.passages[source], [of_passage[position] for position in places])
            candidates += [
                Quote(source, position, of_passage[position], vector=vector)
                for position, vector in zip(places, vectors, strict=True)
            ]
        return candidates

    async def _vectors(self, passage: Passage, units: Sequence[Unit]) -> Sequence[Vector]:
        """The stored vectors of the units; where they are not stored, or made of other units, new ones."""
        stored = unpack(passage.units, len(units))
        if stored is not None and stored.shape[1] == self._embedder.dimensions:
            return list(stored)
        return await self._embedder.embed([embeddable(unit) for unit in units], "passage") if units else []

    async def _rank(self, text: str, found: Retrieved, quotes: Sequence[Quote]) -> list[Quote]:
        (asked,) = await self._embedder.embed([text], "query")
        words = _overlap(text, [_searchable(quote.unit, found.passages[quote.source]) for quote in quotes])
        ranked = []
        for quote, shared, prior in zip(quotes, words, _prior(found, quotes), strict=True):
            cosine = float(asked @ quote.vector)
            ranked.append(replace(quote, cosine=cosine, score=cosine + 0.5 * shared + 0.2 * prior))
        return sorted(ranked, key=lambda quote: (-quote.score, quote.source, quote.position))


def _prior(found: Retrieved, quotes: Sequence[Quote]) -> list[float]:
    """Each quote's passage's score as a share of the best passage's."""
    best = max(found.scores[:PASSAGES], default=0.0)
    return [found.scores[quote.source] / best if best > 0 else 0.0 for quote in quotes]


def _overlap(text: str, candidates: Sequence[str]) -> list[float]:
    """The idf-weighted share of the text's terms in each candidate, idf taken over the candidates."""
    bags = [frozenset(lexicon.words(candidate)) for candidate in candidates]
    asked = frozenset(lexicon.words(text))
    counts = {term: sum(term in bag for bag in bags) for term in asked}
    idf = {term: log(1 + (len(bags) - n + 0.5) / (n + 0.5)) for term, n in counts.items()}
    total = sum(idf.values()) or 1.0
    return [sum(idf[term] for term in asked & bag) / total for bag in bags]


def _searchable(unit: Unit, passage: Passage) -> str:
    return f"{unit.lead} {unit.text} {passage.heading.rpartition(' > ')[2]}"
