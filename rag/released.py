"""The output screen: a model's text goes to people sentence by sentence, each checked against what it cites.

A piece of text is released when it is whole (a sentence, a list item, a table row, a code block) and everything in it
stands in the passages: its citation numbers exist, a claim carries one, figures and identifiers occur in what it cites.
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence
from dataclasses import dataclass

from rag import lexicon
from rag.sentences import sentence_starts
from rag.types import Passage

OPENERS = (
    r"based on (?:the |these |your )?(?:provided |given |supplied |above |retrieved )?"
    r"(?:context|passages?|documents?|documentation|sources?|information|excerpts?)(?: (?:provided|given|above))?",
    r"according to (?:the |these )?(?:provided |given |above )?"
    r"(?:context|passages?|documents?|documentation|sources?|information|text)(?: (?:provided|given|above))?",
    r"as (?:stated|mentioned|described|noted|explained|per) (?:in|by)? ?(?:the |these )?"
    r"(?:context|passages?|documents?|documentation|sources?)",
    r"from the (?:provided |given )?(?:context|passages?|documents?|documentation|sources?)",
    r"in (?:the )?(?:provided |given )(?:context|passages?|documents?|documentation)",
    r"the (?:provided |given )?(?:context|passages?|documents?|documentation|sources?)"
    r" (?:states?|says?|explains?) that",
    r"(?:sure|certainly|of course|great question|good question|absolutely)",
)
"""Ways of beginning that say nothing; what follows them stands better alone."""
CLAIM = 3
"""Terms from which on a sentence says something that needs a citation."""

_OPENER = re.compile(rf"^\s*(?:{'|'.join(OPENERS)})\s*[,:!.]?\s+", re.IGNORECASE)
_CITATION = re.compile(r"\s?\[(\d{1,3}(?:\s*[,;]\s*\d{1,3})*)\]")
_FENCE = re.compile(r"^\s*(?:```|~~~)")
_LIST = re.compile(r"^\s*(?:[-*+]|\d{1,3}[.)])\s+")
_FIGURE = re.compile(r"(?<![\w.])\d+(?:[.,]\d+)*(?![\w]*\d)")
_IDENTIFIER = re.compile(r"`([^`\n]{1,200})`|(?<![\w`])((?:[A-Za-z][\w-]*[.:_/])+[\w*-]+|[a-z]+[A-Z]\w+)(?![\w`])")
_TAIL = re.compile(r"^(?:\s?\[[\d,;\s]*\]?)+|^\s?$")


@dataclass(frozen=True, slots=True)
class Violation:
    """Why a piece was held back: its rule is uncited, citation, figure, identifier or code; `detail` the offender."""

    rule: str
    detail: str


@dataclass(frozen=True, slots=True)
class Piece:
    """Text that may be shown."""

    text: str


class Release:
    """One draft on its way out. Feed it the model's text as it comes; it yields what may be shown, or a violation.

    After a violation nothing more may be fed.
    """

    def __init__(self, passages: Sequence[Passage], question: str) -> None:
        self._texts = [_folded(f"{passage.heading} {passage.text}") for passage in passages]
        self._question = _folded(question)
        self._held = ""
        self._begun = False

    def feed(self, text: str) -> Iterator[Piece | Violation]:
        """What the text so far lets go."""
        self._held += text
        while (end := _whole(self._held)) is not None:
            unit, self._held = self._held[:end], self._held[end:]
            yield from self._checked(unit)

    def finish(self) -> Iterator[Piece | Violation]:
        """What is left when the model is done."""
        held, self._held = self._held, ""
        while held:
            end = min(_whole(held + "\n") or len(held), len(held))
            unit, held = held[:end], held[end:]
            yield from self._checked(unit)

    def _checked(self, unit: str) -> Iterator[Piece | Violation]:
        if not self._begun:
            unit = _opened(unit.lstrip())
            if not unit:
                return
            self._begun = True
        fixed = self._cited(unit)
        yield fixed if isinstance(fixed, Violation) else (self._violation(fixed) or Piece(fixed))

    def _cited(self, unit: str) -> str | Violation:
        """The unit with only citation numbers that exist."""
        numbers = _numbers(unit)
        valid = [number for number in numbers if 1 <= number <= len(self._texts)]
        if numbers and not valid:
            return Violation("citation", f"[{numbers[0]}]")
        return _CITATION.sub(self._existing, unit) if len(valid) < len(numbers) else unit

    def _existing(self, match: re.Match[str]) -> str:
        kept = [n for n in re.findall(r"\d+", match.group(1)) if 1 <= int(n) <= len(self._texts)]
        return f" [{', '.join(kept)}]" if kept else ""

    def _violation(self, unit: str) -> Violation | None:
        plain = _CITATION.sub("", unit)
        if _FENCE.match(plain):
            return self._foreign(_code_words(plain), self._texts, "code")
        numbers = _numbers(unit)
        if not numbers and _claims(plain):
            return Violation("uncited", "a sentence without a citation")
        texts = [self._texts[number - 1] for number in numbers] or self._texts
        return self._foreign(_figures(plain), texts, "figure") or self._foreign(
            _identifiers(plain), texts, "identifier"
        )

    def _foreign(self, tokens: Sequence[str], texts: Sequence[str], rule: str) -> Violation | None:
        for token in tokens:
            if not any(_occurs(token, text) for text in (*texts, self._question)):
                return Violation(rule, token)
        return None


def citation_numbers(text: str) -> list[int]:
    """The distinct citation numbers of a text, in the order of their first use."""
    return list(dict.fromkeys(_numbers(text)))


def _numbers(text: str) -> list[int]:
    return [int(number) for match in _CITATION.finditer(text) for number in re.findall(r"\d+", match.group(1))]


def _whole(held: str) -> int | None:
    """Where the first whole unit of the text ends, or None when more is needed to tell."""
    newline = held.find("\n")
    first = held if newline < 0 else held[:newline]
    if _FENCE.match(first):
        return _fence_end(held)
    if not first.strip() and newline >= 0:
        return newline + 1
    line = held if newline < 0 else held[: newline + 1]
    for start in sentence_starts(line)[1:]:
        rest = line[start:]
        if newline < 0 and _open(line[:start]):
            return None
        if _TAIL.match(rest) and (newline < 0 or "[" in rest[:2]):
            return _after_citations(line, start, newline)
        if _LIST.match(line) and re.fullmatch(r"\s*\d{1,3}[.)]\s+", line[:start]):
            continue
        return start
    return newline + 1 if newline >= 0 else None


def _open(text: str) -> bool:
    """Whether code, a bracket or a quotation is still open, in which a sentence does not end."""
    return text.count("`") % 2 == 1 or any(text.count(left) > text.count(right) for left, right in ("()", "[]", "“”"))


def _after_citations(line: str, start: int, newline: int) -> int | None:
    match = re.match(r"(?:\s?\[\d[\d,;\s]*\])+[ \t]*", line[start:])
    if match is None:
        return newline + 1 if newline >= 0 else None
    end = start + match.end()
    undecided = newline < 0 and (end >= len(line) or line[end] == "[")
    return None if undecided else end


def _fence_end(held: str) -> int | None:
    close = re.search(r"\n\s*(?:```|~~~)\s*(?:\n|\Z)", held[3:])
    return close.end() + 3 if close and held[: close.end() + 3].endswith("\n") else None


def _opened(unit: str) -> str:
    shorter = _OPENER.sub("", unit, count=1)
    return shorter[:1].upper() + shorter[1:] if shorter != unit else unit


def _claims(plain: str) -> bool:
    text = plain.strip()
    if text.startswith("#") or text.endswith(":") or text.endswith("?") or re.fullmatch(r"[|\s:-]+", text):
        return False
    return len(lexicon.words(_LIST.sub("", text))) >= CLAIM


def _figures(plain: str) -> list[str]:
    return [match.group().replace(",", "") for match in _FIGURE.finditer(_LIST.sub("", plain))]


def _identifiers(plain: str) -> list[str]:
    return [_folded(match.group(1) or match.group(2)) for match in _IDENTIFIER.finditer(plain)]


def _code_words(fence: str) -> list[str]:
    body = "\n".join(fence.strip().splitlines()[1:])
    return [word.casefold() for word in re.findall(r"[A-Za-z_][\w.:-]{3,}", body)]


def _folded(text: str) -> str:
    return " ".join(re.sub(r"(?<=\d),(?=\d{3})|[*`\\]", "", text).casefold().split())


def _occurs(token: str, text: str) -> bool:
    return (
        re.search(rf"(?<![\w.]){re.escape(token)}(?![\w])", text) is not None if token[:1].isdigit() else token in text
    )
