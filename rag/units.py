"""Takes a passage's Markdown apart into the smallest pieces that can be quoted as they stand."""

from __future__ import annotations

import re
from collections.abc import Iterator
from dataclasses import dataclass
from typing import Literal

from rag.sentences import split_sentences

_FENCE = re.compile(r"^\s*(```|~~~)")
_HEADING = re.compile(r"^\s{0,3}#{1,6}\s")
_ITEM = re.compile(r"^\s*(?:[-*+]|\d{1,3}[.)])\s+")
_ROW = re.compile(r"^\s*\|.*\|\s*$")
_QUOTE = re.compile(r"^\s{0,3}>\s?")
_RULE = re.compile(r"^\s*([-*_=])(\s*\1){2,}\s*$")

Kind = Literal["sentence", "item", "row", "fence"]
LONGEST = 400
"""Characters of a unit that are embedded; its end seldom changes what it is about."""
SHORTEST = 16
"""Characters below which a unit says nothing by itself."""


@dataclass(frozen=True, slots=True)
class Unit:
    """A quotable piece. `text` is verbatim; `block` counts the paragraph, list or table it stands in, `lead` is the
    header of a table row."""

    kind: Kind
    text: str
    block: int
    lead: str = ""


@dataclass(frozen=True, slots=True)
class _Block:
    kind: Kind
    lines: tuple[str, ...]


def split_units(markdown: str) -> list[Unit]:
    """The units of a text in reading order: sentences of prose, list items, table rows, code blocks."""
    units: list[Unit] = []
    for number, block in enumerate(_blocks(markdown)):
        units += _units(block, number)
    return units


def is_quotable(unit: Unit) -> bool:
    """Whether the unit can answer by itself: it is no code, and no mere word or two."""
    return unit.kind != "fence" and len(unit.text) >= SHORTEST


def embeddable(unit: Unit) -> str:
    """The text of a unit that its vector is made of: a row with its header."""
    return f"{unit.lead} {unit.text}".strip()[:LONGEST]


def _units(block: _Block, number: int) -> Iterator[Unit]:
    if block.kind == "sentence":
        for sentence in split_sentences(" ".join(line.strip() for line in block.lines)):
            yield Unit("sentence", sentence, number)
    elif block.kind == "item":
        for item in _items(block.lines):
            yield Unit("item", item, number)
    elif block.kind == "row":
        header = "\n".join(block.lines[:2])
        for row in block.lines[2:]:
            yield Unit("row", row.strip(), number, header)
    else:
        yield Unit("fence", "\n".join(block.lines), number)


def _items(lines: tuple[str, ...]) -> Iterator[str]:
    """Each item with its continuation lines; a nested item is an item."""
    current: list[str] = []
    for line in lines:
        if _ITEM.match(line) and current:
            yield " ".join(current)
            current = []
        current.append(_ITEM.sub("", line).strip())
    if current:
        yield " ".join(current)


def _blocks(markdown: str) -> Iterator[_Block]:
    lines: list[str] = []
    kind: Kind = "sentence"
    for line, line_kind in _classified(markdown.splitlines()):
        continues = line_kind == kind or (kind == "item" and line_kind == "sentence" and line.startswith("  "))
        if line_kind is None or not continues:
            if lines:
                yield _Block(kind, tuple(lines))
            lines = []
        if line_kind is not None:
            if not lines:
                kind = line_kind
            lines.append(line)
    if lines:
        yield _Block(kind, tuple(lines))


def _classified(lines: list[str]) -> Iterator[tuple[str, Kind | None]]:
    """Each line with the kind of block it belongs to; None for what separates blocks and is not quoted."""
    fenced = False
    previous: Kind | None = None
    for line in lines:
        if _FENCE.match(line):
            fenced = not fenced
            yield line, "fence"
            if not fenced:
                yield "", None
            continue
        plain = _QUOTE.sub("", line)
        kind = "fence" if fenced else _kind(plain, previous)
        yield (line if fenced else plain), kind
        previous = kind


def _kind(line: str, previous: Kind | None) -> Kind | None:
    if not line.strip() or _HEADING.match(line) or _RULE.match(line):
        return None
    if _ROW.match(line):
        return "row"
    if _ITEM.match(line) or (previous == "item" and line.startswith("  ")):
        return "item"
    return "sentence"
