"""A text as rules read it: compatibility forms folded, invisible characters off, and the way back to the original."""

from __future__ import annotations

import re
import unicodedata
from collections.abc import Sequence
from dataclasses import dataclass

from guardrails.clean import INVISIBLE

MARKS = "\u0300-\u036f\u3099\u309a"
"""Combining marks that belong to the character before them."""
_PLAIN = re.compile(r"[\t\n\r\x20-\x7e]*\Z")
_CLUSTER = re.compile(rf"[\x00-\x7f]+(?![{MARKS}])|[\s\S][{MARKS}]{{0,30}}")


@dataclass(frozen=True, slots=True)
class Folded:
    """`text` in NFKC; `starts[i]` and `ends[i]` say where its character i stood. Both are empty when nothing moved."""

    text: str
    starts: Sequence[int] = ()
    ends: Sequence[int] = ()

    def original(self, start: int, end: int) -> tuple[int, int]:
        """The code points of the original that the characters from `start` to `end` (excluded, not empty) came from."""
        return (self.starts[start], self.ends[end - 1]) if self.starts else (start, end)


def fold(text: str) -> Folded:
    """The text as rules read it. Any text will do, lone surrogates included."""
    if _PLAIN.match(text):
        return Folded(text)
    pieces: list[str] = []
    starts: list[int] = []
    ends: list[int] = []
    for match in _CLUSTER.finditer(text):
        raw, at = match.group(), match.start()
        if raw.isascii() and not INVISIBLE.search(raw):
            pieces.append(raw)
            starts += range(at, match.end())
            ends += range(at + 1, match.end() + 1)
            continue
        for offset, character in enumerate(raw) if raw.isascii() else ((0, raw),):
            kept = INVISIBLE.sub("", unicodedata.normalize("NFKC", character))
            pieces.append(kept)
            starts += [at + offset] * len(kept)
            ends += [at + offset + len(character)] * len(kept)
    return Folded("".join(pieces), starts, ends)
