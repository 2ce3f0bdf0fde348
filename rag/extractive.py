"""Answers without a language model: the sentences of the documents that answer, verbatim and cited."""

from __future__ import annotations

import re
from collections.abc import Callable, Sequence
from contextlib import aclosing
from dataclasses import replace

from rag import trace
from rag.answer import Numbering, not_covered
from rag.followup import search_text
from rag.reading import Quote, Reader, Reading
from rag.types import Answer, Citation, Delta, Events, Question
from rag.units import Unit

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


class ExtractiveAnswerer:
    """Quotes from the passages what answers the question."""

    def __init__(self, reader: Reader, new_id: Callable[[], str]) -> None:
        self._reader = reader
        self._new_id = new_id

    async def answer(self, question: Question) -> Events:
        """One delta a quote, then the Answer."""
        reading = await self._reader.read(question.tenant, search_text(question))
        async with aclosing(self.quote(question, reading)) as events:
            async for event in events:
                yield event

    async def quote(self, question: Question, reading: Reading) -> Events:
        """The same from passages that have been read."""
        if not reading.covered:
            yield not_covered(self._new_id(), question, reading)
            return
        with trace.span("quote", "CHAIN", tenant=question.tenant):
            pieces, citations = _compose(_quotes(reading), Numbering(reading.passages))
        for piece in pieces:
            yield Delta(piece)
        yield Answer(
            self._new_id(),
            "answer",
            "none",
            "".join(pieces),
            question.text,
            citations,
            reading.passages,
            reading.confidence,
            notices=question.notices,
        )


def _quotes(reading: Reading) -> list[Quote]:
    """What is quoted, in reading order: the best passage first, and within a passage as it stands there."""
    chosen = _chosen(reading.quotes)
    return sorted(_completed(chosen, reading.units), key=lambda quote: (_first(chosen, quote.source), quote.position))


def _chosen(ranked: Sequence[Quote]) -> list[Quote]:
    """The best quote, and those that come near it and say something else, as far as there is room."""
    chosen: list[Quote] = []
    room = ROOM
    for quote in ranked:
        near = quote.score >= KEEP * ranked[0].score and (not chosen or len(quote.unit.text) <= room)
        if len(chosen) < MOST and near and not any(_alike(quote, other) for other in chosen):
            chosen.append(quote)
            room -= len(quote.unit.text)
    return chosen


def _alike(one: Quote, other: Quote) -> bool:
    return float(one.vector @ other.vector) > ALIKE


def _first(chosen: Sequence[Quote], source: int) -> int:
    """The place of a passage's best quote among the chosen, so that the best passage is read first."""
    return next(index for index, quote in enumerate(chosen) if quote.source == source)


def _completed(chosen: Sequence[Quote], units: Sequence[Sequence[Unit]]) -> list[Quote]:
    """The chosen quotes with what they cannot stand without: what "it" refers to, the list after a colon."""
    wanted: dict[tuple[int, int], Quote] = {(quote.source, quote.position): quote for quote in chosen}
    for quote in chosen:
        around = units[quote.source]
        for position in [*_antecedents(around, quote.position), *_announced(around, quote.position)]:
            wanted.setdefault((quote.source, position), replace(quote, position=position, unit=around[position]))
    return list(wanted.values())


def _antecedents(units: Sequence[Unit], position: int) -> list[int]:
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


def _announced(units: Sequence[Unit], position: int) -> list[int]:
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


def _compose(quotes: Sequence[Quote], numbering: Numbering) -> tuple[list[str], tuple[Citation, ...]]:
    """The answer in pieces of Markdown, one a quote, each ending with its citation; and the citations."""
    pieces = []
    previous: Quote | None = None
    for quote in quotes:
        pieces.append(_joint(previous, quote) + _rendered(quote, previous, numbering))
        previous = quote
    return pieces, numbering.citations()


def _joint(previous: Quote | None, quote: Quote) -> str:
    if previous is None:
        return ""
    same_block = previous.source == quote.source and previous.unit.block == quote.unit.block
    if quote.unit.kind in ("item", "row") and same_block:
        return "\n"
    return " " if same_block and quote.position == previous.position + 1 else "\n\n"


def _rendered(quote: Quote, previous: Quote | None, numbering: Numbering) -> str:
    cite = f" [{numbering.number(quote.source)}]"
    unit = quote.unit
    if unit.kind == "item":
        return f"- {unit.text}{cite}"
    if unit.kind == "row":
        starts = previous is None or previous.unit.block != unit.block or previous.source != quote.source
        row = unit.text.rstrip().removesuffix("|").rstrip() + cite + " |"
        return f"{unit.lead}\n{row}" if starts else row
    return unit.text + cite
