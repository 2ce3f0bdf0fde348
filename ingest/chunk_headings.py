"""Heading-aware chunks: sections stay together, and no cut goes through a table row, a code line or a sentence."""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass
from math import ceil

from markdown_it import MarkdownIt
from markdown_it.tree import SyntaxTreeNode

from rag.sentences import sentence_starts
from rag.types import Chunk

_BLOCKS = MarkdownIt("commonmark").enable("table").disable("inline")
_INLINE = MarkdownIt("commonmark")
_CONTAINERS = frozenset({"bullet_list", "ordered_list", "list_item", "blockquote"})
_MARKERS = re.compile(r"[-*+]|\d{1,9}[.)]")


@dataclass(frozen=True, slots=True)
class _Block:
    """Whole lines of the document: one block of Markdown with the blank lines after it, below the heading `path`."""

    text: str
    node: SyntaxTreeNode | None
    path: str = ""
    level: int = 0


@dataclass(frozen=True, slots=True)
class _Piece:
    """A chunk in the making. `whole`: nothing but complete sections; `bare`: too little to stand without what follows."""

    text: str
    path: str
    whole: bool
    bare: bool


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
            yield Chunk(ordinal, piece.path, piece.text.rstrip().strip("\n"))


def plain_heading(markdown: str) -> str:
    """The words of a line of inline Markdown, without its marks and links."""
    children = _INLINE.parseInline(markdown)[0].children or ()
    return " ".join("".join(token.content or " " for token in children).split())


def _sections(title: str, markdown: str) -> Iterator[_Block]:
    lines = [line + "\n" for line in markdown.split("\n")]
    above: list[tuple[int, str]] = []
    path = title
    for block in _blocks(SyntaxTreeNode(_BLOCKS.parse(markdown)).children, lines, 0, len(lines)):
        level = 0
        if block.node is not None and block.node.type == "heading":
            level = int(block.node.tag[1])
            words = plain_heading(block.node.children[0].content if block.node.children else "")
            above = [*(entry for entry in above if entry[0] < level), (level, words)]
            path = _path(title, [entry[1] for entry in above])
        yield _Block(block.text, block.node, path, level)


def _path(title: str, headings: Sequence[str]) -> str:
    repeated = bool(headings) and headings[0].casefold() == title.casefold()
    return " > ".join(part for part in (title, *headings[repeated:]) if part)


def _blocks(nodes: Iterable[SyntaxTreeNode], lines: Sequence[str], start: int, end: int) -> Iterator[_Block]:
    """The nodes as runs of whole lines that together are `lines[start:end]`; a None node holds what no node claims."""
    current: SyntaxTreeNode | None = None
    for node in [*(node for node in nodes if node.map), None]:
        begin = node.map[0] if node and node.map else end
        claimed = min(max(current.map[1], start), begin) if current and current.map else start
        while claimed < begin and not lines[claimed].strip():
            claimed += 1
        if claimed > start:
            yield _Block("".join(lines[start:claimed]), current)
        if begin > claimed:
            yield _Block("".join(lines[claimed:begin]), None)
        current, start = node, max(begin, start)


def _pieces(blocks: Sequence[_Block], size: int) -> list[_Piece]:
    """The blocks of one section as pieces: itself where it fits, else its own text and its parts."""
    if sum(len(block.text) for block in blocks) <= size:
        return [_piece("".join(block.text for block in blocks), blocks, size, whole=True)]
    levels = [block.level for block in blocks[1:] if block.level]
    if not levels:
        return _pack(blocks, size)
    starts = [0, *(n for n, block in enumerate(blocks) if n and block.level == min(levels)), len(blocks)]
    parts = [_pieces(blocks[a:b], size) for a, b in zip(starts, starts[1:], strict=False)]
    return _merge([piece for part in parts for piece in part], size)


def _piece(text: str, blocks: Sequence[_Block], size: int, *, whole: bool) -> _Piece:
    path = next((block.path for block in blocks if not block.level), blocks[-1].path if blocks else "")
    bare = all(block.level for block in blocks) or (whole and len(text) < size // 8 and not blocks[0].text.isspace())
    return _Piece(text, path, whole, bare)


def _merge(pieces: Sequence[_Piece], size: int) -> list[_Piece]:
    merged: list[_Piece] = []
    for piece in pieces:
        last = merged[-1] if merged else None
        if last and _belong(last, piece, size):
            text = last.text + piece.text
            path = piece.path if _is_prefix(last.path, piece.path) and not _content(last.text) else last.path
            merged[-1] = _Piece(text, path, last.whole and piece.whole and len(text) <= size, piece.bare)
        else:
            merged.append(piece)
    return [_Piece(p.text, p.path, len(merged) == 1 and p.whole, p.bare and len(p.text) < size // 8) for p in merged]
