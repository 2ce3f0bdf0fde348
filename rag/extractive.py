"""Answers without a language model: the sentences of the documents that answer, verbatim and cited."""

from __future__ import annotations

import re
from collections.abc import Callable, Sequence
from contextlib import aclosing
from dataclasses import dataclass
from math import log

from rag import lexicon, trace
from rag.answer import Numbering, not_covered
from rag.followup import search_text
from rag.retrieve import Retriever
from rag.types import Answer, Delta, Embedder, Events, Passage, Question, Retrieved
from rag.units import Unit, split_units

PASSAGES = 4
"""Passages that sentences are taken from."""
SHORTLIST = 12
"""Units that are embedded: at about 2.5 ms each they decide the time of an answer."""
MOST = 4
"""Units shown; more is a dump, not an answer."""
ROOM = 900
"""Characters of quoted text after which nothing is added."""
KEEP = 0.8
"""A further unit must score at least this share of the best one."""
ALIKE = 0.9
"""Cosine above which two units say the same."""
_DANGLING = re.compile(
    r"^(?:it|its|this|these|those|they|their|them|such|he|she|that|then|also|however|therefore|otherwise|instead|"
    r"for example|in this case|in that case|additionally|furthermore|moreover|thus|as a result|the latter|the former|"
    r"both|doing so|similarly|likewise|but|and|or|so)\b",
    re.IGNORECASE,
)


@dataclass(frozen=True, slots=True)
class _Quote:
    """A unit in its place: passage index, position in that passage, and how well it answers."""

    source: int
    position: int
    unit: Unit
    score: float = 0.0


class ExtractiveAnswerer:
    """Finds passages, and quotes from them what answers the question."""

    def __init__(self, retriever: Retriever, embedder: Embedder, new_id: Callable[[], str]) -> None:
        self._retriever = retriever
        self._embedder = embedder
        self._new_id = new_id

    async def answer(self, question: Question) -> Events:
        """One delta a quote, then the Answer."""
        found = await self._retriever.retrieve(question.tenant, search_text(question))
        async with aclosing(self.quote(question, found)) as events:
            async for event in events:
                yield event

    async def quote(self, question: Question, found: Retrieved) -> Events:
        """The same from passages that have been found."""
        quotes = await self._quotes(question, found) if found.covered else []
        if not quotes:
            yield not_covered(self._new_id(), question, found)
            return
        numbering = Numbering(found.passages)
        text = ""
        for piece in _compose(quotes, numbering):
            text += piece
            yield Delta(piece)
        yield Answer(
            self._new_id(),
            "answer",
            "none",
            text,
            question.text,
            numbering.citations(),
            found.passages,
            found.confidence,
            notices=question.notices,
        )

    async def _quotes(self, question: Question, found: Retrieved) -> list[_Quote]:
        units = [split_units(passage.text) for passage in found.passages[:PASSAGES]]
        with trace.span("quote", "CHAIN", tenant=question.tenant):
            ranked = await self._rank(question.text, found, units)
            chosen = await self._choose(ranked)
        return sorted(_completed(chosen, units), key=lambda quote: (_first(chosen, quote.source), quote.position))

    async def _rank(self, text: str, found: Retrieved, units: list[list[Unit]]) -> list[_Quote]:
        quotes = [
            _Quote(source, position, unit)
            for source, passage_units in enumerate(units)
            for position, unit in enumerate(passage_units)
            if unit.kind != "fence" and len(unit.text) > 15
        ]
        lexical = _overlap(text, [_searchable(quote.unit, found.passages[quote.source]) for quote in quotes])
        best = max(found.scores[: len(units)], default=1.0)
        prior = [found.scores[quote.source] / best if best > 0 else 0.0 for quote in quotes]
        rough = sorted(range(len(quotes)), key=lambda i: (-(lexical[i] + 0.4 * prior[i]), i))[:SHORTLIST]
        vectors = await self._embedder.embed([text, *(_embeddable(quotes[i].unit) for i in rough)], "query")
        scored = [
            _Quote(q.source, q.position, q.unit, float(vectors[0] @ vector) + 0.5 * lexical[i] + 0.2 * prior[i])
            for i, q, vector in ((i, quotes[i], vector) for i, vector in zip(rough, vectors[1:], strict=True))
        ]
        return sorted(scored, key=lambda quote: (-quote.score, quote.source, quote.position))

    async def _choose(self, ranked: list[_Quote]) -> list[_Quote]:
        vectors = await self._embedder.embed([_embeddable(quote.unit) for quote in ranked], "query")
        chosen: list[int] = []
        room = ROOM
        for index, quote in enumerate(ranked):
            if len(chosen) == MOST or quote.score < KEEP * ranked[0].score or (chosen and len(quote.unit.text) > room):
                continue
            if any(float(vectors[index] @ vectors[other]) > ALIKE for other in chosen):
                continue
            chosen.append(index)
            room -= len(quote.unit.text)
        return [ranked[index] for index in chosen]


def _first(chosen: Sequence[_Quote], source: int) -> int:
    """The place of a passage's best quote among the chosen, so that the best passage is read first."""
    return next(index for index, quote in enumerate(chosen) if quote.source == source)


def _completed(chosen: Sequence[_Quote], units: list[list[Unit]]) -> list[_Quote]:
    """The chosen quotes with what they cannot stand without: what "it" refers to, the list after a colon."""
    wanted: dict[tuple[int, int], _Quote] = {(quote.source, quote.position): quote for quote in chosen}
    for quote in chosen:
        around = units[quote.source]
        for position in [*_antecedents(around, quote.position), *_announced(around, quote.position)]:
            wanted.setdefault((quote.source, position), _Quote(quote.source, position, around[position]))
    return list(wanted.values())


def _antecedents(units: list[Unit], position: int) -> list[int]:
    unit, before = units[position], position - 1
    if before < 0:
        return []
    if unit.kind == "sentence" and _DANGLING.match(unit.text) and units[before].block == unit.block:
        return [before]
    if unit.kind == "item":
        start = next(
            i
            for i in range(position, -1, -1)
            if units[i].block == unit.block and (i == 0 or units[i - 1].block != unit.block)
        )
        if start > 0 and units[start - 1].text.rstrip().endswith(":"):
            return [start - 1]
    return []


def _announced(units: list[Unit], position: int) -> list[int]:
    """The items of a list that the sentence at this position leads up to, as far as there is room."""
    if not units[position].text.rstrip().endswith(":") or position + 1 >= len(units):
        return []
    block = units[position + 1].block
    room, items = ROOM, []
    for index in range(position + 1, len(units)):
        if units[index].block != block or units[index].kind == "fence" or len(units[index].text) > room:
            break
        items.append(index)
        room -= len(units[index].text)
    return items


def _compose(quotes: Sequence[_Quote], numbering: Numbering) -> list[str]:
    """The quotes as pieces of Markdown, each ending with its citation; joined they are the answer."""
    pieces = []
    previous: _Quote | None = None
    for quote in quotes:
        pieces.append(_joint(previous, quote) + _rendered(quote, previous, numbering))
        previous = quote
    return pieces


def _joint(previous: _Quote | None, quote: _Quote) -> str:
    if previous is None:
        return ""
    same_block = previous.source == quote.source and previous.unit.block == quote.unit.block
    if quote.unit.kind in ("item", "row") and same_block:
        return "\n"
    return " " if same_block and quote.position == previous.position + 1 else "\n\n"


def _rendered(quote: _Quote, previous: _Quote | None, numbering: Numbering) -> str:
    cite = f" [{numbering.number(quote.source)}]"
    unit = quote.unit
    if unit.kind == "item":
        return f"- {unit.text}{cite}"
    if unit.kind == "row":
        starts = previous is None or previous.unit.block != unit.block or previous.source != quote.source
        row = unit.text.rstrip().removesuffix("|").rstrip() + cite + " |"
        return f"{unit.lead}\n{row}" if starts else row
    return unit.text + cite


def _overlap(text: str, candidates: Sequence[str]) -> list[float]:
    """The idf-weighted share of the question's terms in each candidate, idf taken over the candidates."""
    bags = [frozenset(lexicon.words(candidate)) for candidate in candidates]
    asked = frozenset(lexicon.words(text))
    counts = {term: sum(term in bag for bag in bags) for term in asked}
    idf = {term: log(1 + (len(bags) - n + 0.5) / (n + 0.5)) for term, n in counts.items()}
    total = sum(idf.values()) or 1.0
    return [sum(idf[term] for term in asked & bag) / total for bag in bags]


def _searchable(unit: Unit, passage: Passage) -> str:
    return f"{unit.lead} {unit.text} {passage.heading.rpartition(' > ')[2]}"


def _embeddable(unit: Unit) -> str:
    return f"{unit.lead} {unit.text}" if unit.lead else unit.text
