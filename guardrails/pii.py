"""Finds secrets and personal data: every rule looks, secrets win over the rest, and of the rest the longest."""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass
from typing import Protocol

from guardrails.addresses import CHINESE, JAPANESE, Addresses
from guardrails.contacts import CONTACTS
from guardrails.folded import fold
from guardrails.identifiers import IDENTIFIERS, Accounts
from guardrails.names import Names
from guardrails.passwords import PASSWORDS
from guardrails.rule import Found
from guardrails.secrets import SECRETS

SECRET_TYPES = frozenset(rule.type for rule in (*SECRETS, *PASSWORDS))
CHECKED = frozenset({"CREDIT_CARD", "IBAN", "EMAIL"})
"""Types whose form alone is proof: they win over numbers that are known by the words around them."""
_DIGIT = re.compile(r"\d")


class Finder(Protocol):
    """Finds what is of its kind in a folded text."""

    def find(self, text: str) -> Iterable[Found]: ...


@dataclass(frozen=True, slots=True)
class Span:
    """Where something was found: code points of the text, end excluded."""

    start: int
    end: int
    type: str


class Recognizers:
    """All rules, for a tenant whose own vocabulary is never taken for a name."""

    def __init__(self, vocabulary: Iterable[str] = (), more: Sequence[Finder] = ()) -> None:
        self._names = Names(vocabulary)
        self._secrets: tuple[Finder, ...] = (*SECRETS, *PASSWORDS)
        self._numbered: tuple[Finder, ...] = (*IDENTIFIERS, Accounts(), Addresses(), JAPANESE, CHINESE)
        self._more = tuple(more)

    def find(self, text: str) -> list[Span]:
        """What is secret or personal in the text, in order and without overlap."""
        folded = fold(text)
        secrets = _longest(_all(self._secrets, folded.text))
        numbered = self._numbered if _DIGIT.search(folded.text) else ()
        personal = [found for found in _all((*numbered, *CONTACTS), folded.text) if _free(found, secrets)]
        kept = _longest(personal, secrets)
        names = [*self._names.find(folded.text), *self._names.beside(folded.text, kept)]
        kept = _longest(names, kept)
        spans = (Span(*folded.original(found.start, found.end), found.type) for found in kept)
        return sorted(spans, key=lambda span: span.start)


def _all(finders: Iterable[Finder], text: str) -> Iterator[Found]:
    for finder in finders:
        yield from finder.find(text)


def _free(found: Found, taken: Iterable[Found]) -> bool:
    return all(found.end <= other.start or found.start >= other.end for other in taken)


def _longest(found: Iterable[Found], taken: Iterable[Found] = ()) -> list[Found]:
    """What is taken, and of the found what lies beside it: proven types first, then the longer."""
    kept = list(taken)
    for one in sorted(found, key=lambda one: (one.type not in CHECKED, one.start - one.end, one.start)):
        if one.start < one.end and _free(one, kept):
            kept.append(one)
    return kept
