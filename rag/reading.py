"""Reads the passages that a search found: which of their sentences answer, and how sure it is that any does."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, field, replace
from math import log

from rag import lexicon, trace
from rag.confidence import confidence
from rag.retrieve import Retriever
from rag.types import Embedder, Passage, Retrieved, Vector
from rag.units import Unit, split_units

PASSAGES = 4
"""Passages that are read."""
SHORTLIST = 12
"""Units that are embedded: they decide the time of an answer."""
LONGEST = 400
"""Characters of a unit that are embedded; its end seldom changes what it is about."""
SHORTEST = 16
"""Characters below which a unit says nothing by itself."""


@dataclass(frozen=True, slots=True)
class Quote:
    """A unit in its place: the passage's index, the position in that passage, and how well it answers.

    `cosine` is that of its vector and the question's; the score adds the words they share and the passage's own score.
    """

    source: int
    position: int
    unit: Unit
    score: float = 0.0
    cosine: float = 0.0
    vector: Vector | None = field(default=None, repr=False, compare=False)


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
        """Rank the sentences, list items and table rows of the best passages as answers to the text.

        A first look by words and by the passage's own score picks those that are embedded.
        """
        found = await self._retriever.retrieve(tenant, text)
        with trace.span("read", "CHAIN", tenant=tenant) as span:
            units = tuple(tuple(split_units(passage.text)) for passage in found.passages[:PASSAGES])
            quotes = await self._rank(text, found, _quotable(units))
            nearest = max((quote.cosine for quote in quotes), default=0.0)
            sure = confidence(nearest)
            covered = bool(quotes) and sure >= self._gate
            span.set_attributes({"certcoach.confidence": sure, "certcoach.covered": covered})
            return Reading(found, units, tuple(quotes), nearest, sure, covered)

    async def _rank(self, text: str, found: Retrieved, quotes: Sequence[Quote]) -> list[Quote]:
        words = _overlap(text, [_searchable(quote.unit, found.passages[quote.source]) for quote in quotes])
        prior = _prior(found, quotes)
        order = sorted(range(len(quotes)), key=lambda i: (-(words[i] + 0.4 * prior[i]), i))[:SHORTLIST]
        asked, *vectors = await self._embedder.embed([text, *(_embeddable(quotes[i].unit) for i in order)], "query")
        ranked = []
        for i, vector in zip(order, vectors, strict=True):
            cosine = float(asked @ vector)
            score = cosine + 0.5 * words[i] + 0.2 * prior[i]
            ranked.append(replace(quotes[i], score=score, cosine=cosine, vector=vector))
        return sorted(ranked, key=lambda quote: (-quote.score, quote.source, quote.position))


def _quotable(units: Sequence[Sequence[Unit]]) -> list[Quote]:
    return [
        Quote(source, position, unit)
        for source, passage in enumerate(units)
        for position, unit in enumerate(passage)
        if unit.kind != "fence" and len(unit.text) >= SHORTEST
    ]


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


def _embeddable(unit: Unit) -> str:
    return f"{unit.lead} {unit.text}".strip()[:LONGEST]
