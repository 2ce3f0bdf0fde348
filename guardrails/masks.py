"""The masks that stand for what was taken out: a type and a number, the same for the same value in a conversation."""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Iterable, Sequence

from guardrails.pii import Span

_MASK = re.compile(r"\[([A-Z][A-Z_]{2,30})_(\d{1,6})\]")
_TYPED = re.compile(r"\[(?=[A-Z][A-Z_]{2,30}_\d{1,6}\])([^\]]{4,40})\]")


def escape_masks(text: str) -> str:
    """The text in which nothing looks like a mask: "[EMAIL_1]" becomes "(EMAIL_1)". No character moves."""
    return _TYPED.sub(r"(\1)", text)


def apply_masks(text: str, spans: Sequence[Span], numbers: Sequence[int]) -> str:
    """The text with a mask in the place of each span; the spans are in order and do not overlap."""
    pieces, position = [], 0
    for span, number in zip(spans, numbers, strict=True):
        pieces += [text[position : span.start], f"[{span.type}_{number}]"]
        position = span.end
    return "".join([*pieces, text[position:]])


def own_numbers(text: str, spans: Sequence[Span], earlier: Iterable[str] = ()) -> list[int]:
    """A number for each span, from this text alone: they go on from the masks in it and in `earlier` texts."""
    counts = highest([text, *earlier])
    numbers: dict[tuple[str, str], int] = {}
    for span in spans:
        key = (span.type, canonical(text[span.start : span.end]))
        if key not in numbers:
            counts[span.type] += 1
            numbers[key] = counts[span.type]
    return [numbers[span.type, canonical(text[span.start : span.end])] for span in spans]


def highest(texts: Iterable[str]) -> Counter[str]:
    """The highest number of each type among the masks in the texts."""
    found: Counter[str] = Counter()
    for text in texts:
        for match in _MASK.finditer(text):
            found[match[1]] = max(found[match[1]], int(match[2]))
    return found


def canonical(value: str) -> str:
    """What is the same in all ways of writing a value: its letters and digits, without case."""
    return "".join(character for character in value.casefold() if character.isalnum()) or value
