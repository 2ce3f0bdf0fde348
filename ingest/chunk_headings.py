"""Heading-aware chunks: sections stay together, and no cut goes through a table row, a line of code or a sentence."""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass, replace
from itertools import pairwise
from math import ceil

from markdown_it import MarkdownIt
from markdown_it.tree import SyntaxTreeNode

from rag.sentences import sentence_starts
from rag.types import Chunk

_BLOCKS = MarkdownIt("commonmark").enable("table").disable("inline")
_INLINE = MarkdownIt("commonmark")
_CONTAINERS = frozenset({"bullet_list", "ordered_list", "list_item", "blockquote"})
_MARKER = re.compile(r"[-*+](?=\s)|\d{1,9}[.)](?=\s)")
_PREFIX = re.compile(r"(?:[ \t>]|[-*+](?=\s)|\d{1,9}[.)](?=\s))*")
_FENCE = re.compile(r"(?:[ \t>]|[-*+](?=\s)|\d{1,9}[.)](?=\s))*(?P<mark>`{3,}|~{3,})")
_SPACE = re.compile(r"\s")


@dataclass(frozen=True, slots=True)
class _Block:
    """Whole lines of the document, or a cut of them: one block of Markdown and the blank lines after it.

    `path` is the heading path it stands under, `level` that of a heading (0 for what is none), `inner` what a list, an
    item or a quotation consists of.
    """

    text: str
    kind: str = ""
    inner: tuple[_Block, ...] = ()
    path: str = ""
    level: int = 0


@dataclass(frozen=True, slots=True)
class _Piece:
    """A chunk in the making; `whole` if it consists of complete sections."""

    blocks: tuple[_Block, ...]
    whole: bool

    @property
    def text(self) -> str:
        return "".join(block.text for block in self.blocks)

    @property
    def length(self) -> int:
        return sum(len(block.text) for block in self.blocks)

    @property
    def bare(self) -> bool:
        return all(block.level for block in self.blocks)

    @property
    def path(self) -> str:
        """The path of the first words that are no heading: a heading without text only introduces the next one."""
        return next((block.path for block in self.blocks if not block.level), self.blocks[0].path)


class HeadingChunker:
    """Packs the blocks of a document into chunks of about `size` characters, none over twice that.

    A section that fits stays in one chunk; small neighbours below the same heading share one. What is longer is cut
    between blocks, then between list items, table rows (the header is repeated), lines of code (the fence is closed and
    opened again), sentences, words, and, where there is no white space, after 2 x `size` characters.
    """

    def __init__(self, size: int = 1200) -> None:
        self.size = size
        self.name = f"headings-{size}"

    def split(self, title: str, markdown: str) -> Iterator[Chunk]:
        """The chunks of `markdown` in reading order; their texts leave nothing out but white space."""
        pieces = _pieces(list(_sections(title, markdown)), self.size)
        filled = (piece for piece in pieces if piece.text.strip())
        for ordinal, piece in enumerate(filled):
            yield Chunk(ordinal, piece.path, piece.text.rstrip().lstrip("\n"))


def plain_heading(markdown: str) -> str:
    """The words of a line of inline Markdown, without its marks and links."""
    children = _INLINE.parseInline(markdown)[0].children or ()
    return " ".join("".join(token.content or " " for token in children if token.type != "html_inline").split())


# Reading: lines become blocks, each below its headings.


def _sections(title: str, markdown: str) -> Iterator[_Block]:
    lines = [line + "\n" for line in markdown.replace("\r\n", "\n").replace("\r", "\n").split("\n")]
    nodes = SyntaxTreeNode(_BLOCKS.parse("".join(lines))).children
    headings = {node.map[0]: node for node in nodes if node.type == "heading" and node.map}
    titled = sum(node.tag == "h1" for node in headings.values()) == 1 and bool(title)
    above: list[tuple[int, str]] = []
    line = 0
    for block in _blocks(nodes, lines, 0, len(lines)):
        level = int(headings[line].tag[1]) if block.kind == "heading" else 0
        if level:
            # A single heading of the first level is the title once more, perhaps in other words.
            words = plain_heading(headings[line].children[0].content) if level > 1 or not titled else ""
            above = [*(entry for entry in above if entry[0] < level), (level, words)]
        line += block.text.count("\n")
        path = " > ".join(words for words in (title, *(words for _, words in above)) if words)
        yield replace(block, path=path, level=level)


def _blocks(nodes: Iterable[SyntaxTreeNode], lines: Sequence[str], start: int, end: int) -> Iterator[_Block]:
    """The nodes as runs of whole lines that together are `lines[start:end]`; lines that no node claims have no kind."""
    for node in nodes:
        first, last = node.map or (start, start)
        last = max(first, min(last, end))
        while last < end and not lines[last].strip():
            last += 1
        if first > start:
            yield _Block("".join(lines[start:first]))
        start = max(start, first)
        if last > start:
            inner = tuple(_blocks(node.children, lines, start, last)) if node.type in _CONTAINERS else ()
            yield _Block("".join(lines[start:last]), node.type, inner)
            start = last
    if start < end:
        yield _Block("".join(lines[start:end]))


# Packing: blocks become pieces, section by section.


def _pieces(blocks: Sequence[_Block], size: int) -> list[_Piece]:
    """The blocks of one section as pieces: the section itself where it fits, else its own text and its parts."""
    whole = _Piece(tuple(blocks), whole=True)
    if whole.length <= size:
        return [whole]
    top = min((block.level for block in blocks[1:] if block.level), default=0)
    if not top:
        return _pack(blocks, size)
    starts = [0, *(n for n, block in enumerate(blocks) if n and block.level == top), len(blocks)]
    parts = [piece for begin, end in pairwise(starts) for piece in _pieces(blocks[begin:end], size)]
    merged = _merge(parts, size, introduced=blocks[0].level < top)
    return [replace(piece, whole=False) for piece in merged]


def _merge(pieces: Sequence[_Piece], size: int, *, introduced: bool) -> list[_Piece]:
    """Complete sections share a chunk while they fit; a heading, or a short introduction, goes with what follows."""
    merged: list[_Piece] = []
    for piece in pieces:
        last = merged[-1] if merged else None
        short = introduced and len(merged) == 1 and last is not None and last.length < size // 6
        limit = size if last and last.whole and piece.whole else size * 3 // 2 if short else 0
        if last and last.length + piece.length <= (2 * size if last.bare else limit):
            merged[-1] = _Piece(last.blocks + piece.blocks, whole=last.whole and piece.whole)
        else:
            merged.append(piece)
    return merged


def _pack(blocks: Sequence[_Block], size: int) -> list[_Piece]:
    """One section's own blocks in pieces of about equal length, cut where they have to be."""
    parts = [replace(block, text=text) for block in blocks for text in _cut(block, size)]
    total = sum(len(part.text) for part in parts)
    even = total / ceil(total / size)
    pieces = [_Piece((), whole=False)]
    for part in parts:
        last, together = pieces[-1], pieces[-1].length + len(part.text)
        room = 2 * size if last.bare else size * 5 // 4 if last.length < size // 6 else size
        if not last.blocks or (together <= room and (last.length < even or last.bare)):
            pieces[-1] = replace(last, blocks=(*last.blocks, part))
        else:
            carried = _lead_in(last, size - len(part.text))
            pieces[-1] = replace(last, blocks=last.blocks[: len(last.blocks) - len(carried)])
            pieces.append(_Piece((*carried, part), whole=False))
    return _without_stub(pieces, size)


def _without_stub(pieces: list[_Piece], size: int) -> list[_Piece]:
    """A last piece of a line or two goes with the one before it."""
    if len(pieces) > 1 and pieces[-1].length < size // 6 and pieces[-2].length + pieces[-1].length <= size * 5 // 4:
        *pieces, before, stub = pieces
        return [*pieces, _Piece(before.blocks + stub.blocks, whole=False)]
    return pieces


def _lead_in(piece: _Piece, room: int) -> tuple[_Block, ...]:
    """The last block, where it is a line such as "Do the following:" that belongs to what comes next and fits there."""
    last = piece.blocks[-1]
    fits = last.text.rstrip().endswith(":") and len(last.text) <= room
    return (last,) if fits and not _Piece(piece.blocks[:-1], whole=False).bare else ()


# Cutting: a block that is longer than a chunk becomes several texts.


def _cut(block: _Block, size: int) -> list[str]:
    """The text as parts of at most `size` characters where that is possible, and never over twice that."""
    if len(block.text) <= size:
        return [block.text]
    match block.kind:
        case "bullet_list" | "ordered_list" | "list_item" | "blockquote":
            return _fill((part for inner in block.inner for part in _cut(inner, size)), size)
        case "fence":
            return _cut_fence(block.text, size)
        case "table":
            return _cut_table(block.text, size)
        case "code_block" | "html_block":
            return _fill((part for line in block.text.splitlines(keepends=True) for part in _cut_run(line, size)), size)
        case _:
            return _cut_prose(block.text, size)


def _cut_prose(text: str, size: int) -> list[str]:
    starts = [*sentence_starts(text), len(text)]
    return _fill((part for begin, end in pairwise(starts) for part in _cut_run(text[begin:end], size)), size)


def _cut_run(text: str, size: int, hard: int = 0) -> list[str]:
    """Text without better places: cut at the last white space before `size`, the first one after it, or `hard`."""
    hard, parts, start = hard or 2 * size, [], 0
    while len(text) - start > size:
        cut = max(text.rfind(space, start + 1, start + size) for space in "\n \t")
        after = _SPACE.search(text, start + size, start + hard)
        end = cut + 1 if cut > 0 else after.end() if after else start + hard
        parts.append(text[start:end])
        start = end
    return [*parts, text[start:]]


def _cut_table(text: str, size: int) -> list[str]:
    header, separator, *rows = text.splitlines(keepends=True)
    again = _continued(header) + _continued(separator)
    if len(again) > size // 2:
        return _cut_prose(text, size)
    bodies = _fill(_cut_long(rows, size - len(again), 2 * size - len(again)), size - len(again))
    return [(again if nth else header + separator) + body for nth, body in enumerate(bodies)]


def _cut_fence(text: str, size: int) -> list[str]:
    opening, *lines = text.rstrip().splitlines(keepends=True)
    mark = _FENCE.match(opening)
    again = _continued(opening)
    if not mark or len(again) > size // 4:
        return _cut_prose(text, size)
    if lines and set(lines[-1].strip(" \t>")) == {mark["mark"][0]}:
        lines.pop()
    closing = again[: mark.end("mark")] + "\n"
    frame = len(again) + len(closing) + 1
    bodies = _fill(_cut_long(lines, size - frame, 2 * size - frame), size - frame)
    bodies = [body if body.endswith("\n") else body + "\n" for body in bodies]
    return [(again if nth else opening) + body + closing for nth, body in enumerate(bodies)]


def _cut_long(lines: Iterable[str], size: int, hard: int) -> Iterator[str]:
    """The lines, of which only those longer than `hard` are cut."""
    for line in lines:
        yield from [line] if len(line) <= hard else _cut_run(line, size, hard)


def _continued(line: str) -> str:
    """The line as it is repeated in a list item: indented, without the item's marker."""
    prefix = _PREFIX.match(line)
    marked = prefix.group() if prefix else ""
    return _MARKER.sub(lambda marker: " " * len(marker.group()), marked) + line[len(marked) :]


def _fill(parts: Iterable[str], size: int) -> list[str]:
    """Neighbouring parts joined while they fit, to about equal lengths."""
    parts = list(parts)
    total = sum(map(len, parts))
    even = total / max(ceil(total / size), 1)
    filled: list[str] = []
    for part in parts:
        if filled and len(filled[-1]) < even and len(filled[-1]) + len(part) <= size:
            filled[-1] += part
        else:
            filled.append(part)
    return filled
