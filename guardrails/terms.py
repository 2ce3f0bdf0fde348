"""What a message is about, by its words: this tenant's, another's, the trade's, the exam's or everyday life's."""

from __future__ import annotations

import re
from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from functools import cache
from importlib.resources import files
from typing import Any

import yaml

from guardrails.vocabulary import vocabulary
from rag.types import Tenant

_CODE = re.compile(
    r"[{}()<>`|$\\;=]|--[a-z]|[a-z0-9]_[a-z0-9]|::|\b\d{1,3}(?:\.\d{1,3}){3}\b|/\d\d\b|\d/\d|\b[a-z]*\d+[a-z]+\d\w*"
    r"|\w-\w+-\w"
)
MUCH_CODE = 3
"""Signs of code from which on a message is about the trade, whatever its words."""
_WORD = re.compile(r"[.@/+-]{0,3}[a-z0-9_]+(?:[.@/+-]{1,3}[a-z0-9_]+)*|[^\W\x00-\x7f]\w*")


@dataclass(frozen=True, slots=True)
class Lexicon:
    """The terms of one subject: `sure` ones belong to it alone, `likely` ones also mean other things; a `brand` is a
    name that everyday words share."""

    sure: frozenset[str]
    likely: frozenset[str] = frozenset()
    brand: frozenset[str] = frozenset()


@dataclass(frozen=True, slots=True)
class Subject:
    """How many terms of each kind a message holds."""

    own_sure: int
    own_likely: int
    others: Mapping[str, int]
    brands: Mapping[str, int]
    shared: int
    exam: int
    everyday: int

    @property
    def own(self) -> int:
        return self.own_sure + self.own_likely


class Terms:
    """The terms of all tenants and of what lies around them."""

    def __init__(self, tenants: Mapping[str, Lexicon]) -> None:
        file = _file()
        self._tenants = tenants
        self._shared, self._exam, self._everyday = (
            frozenset(_split(file[name])) for name in ("shared", "exam", "everyday")
        )

    def subject(self, tenant: str, text: str) -> Subject:
        """Count the terms of a message posted in a tenant's channel."""
        found = ngrams(text)
        own = self._tenants.get(tenant, Lexicon(frozenset()))
        others = {slug: lexicon for slug, lexicon in self._tenants.items() if slug != tenant}
        return Subject(
            own_sure=len(found & own.sure),
            own_likely=len(found & own.likely),
            others={slug: len(found & lexicon.sure - own.sure) for slug, lexicon in others.items()},
            brands={slug: len(found & lexicon.brand - own.brand) for slug, lexicon in others.items()},
            shared=len(found & self._shared) + (len(_CODE.findall(text)) >= MUCH_CODE),
            exam=len(found & self._exam),
            everyday=len(found & self._everyday),
        )


def load_terms(tenants: Iterable[Tenant]) -> Terms:
    """The terms of these tenants: those that are listed, and the words of their topics as likely ones."""
    listed = _file()["tenants"]
    return Terms({tenant.slug: _lexicon(tenant, listed.get(tenant.slug, {})) for tenant in tenants})


def ngrams(text: str) -> frozenset[str]:
    """The words, pairs and triples of a text, casefolded, also without a plural s and with hyphens as spaces."""
    words = _WORD.findall(text.casefold())
    parts = [part for word in words for part in re.split(r"[-/]", word) if part]
    found: set[str] = set()
    for sequence in (words, parts):
        for size in (1, 2, 3):
            for at in range(len(sequence) - size + 1):
                phrase = " ".join(sequence[at : at + size]).lstrip("-")
                found |= {phrase, phrase.removesuffix("s"), phrase.removesuffix("es")}
    return frozenset(found | {run for run in _unspaced(text)})


def _unspaced(text: str) -> Iterable[str]:
    """Listed terms of scripts that do not part words."""
    file = _file()
    if text.isascii():
        return ()
    return [
        term
        for name in ("exam", "everyday")
        for term in _split(file[name])
        if not term.isascii() and term in text.casefold()
    ]


def _lexicon(tenant: Tenant, listed: Mapping[str, str]) -> Lexicon:
    sure = frozenset(_split(listed.get("sure", "")))
    topics = vocabulary([*tenant.topics, tenant.exam]) - _shared_words()
    brand = frozenset(_split(listed.get("brand", "")))
    return Lexicon(sure, (frozenset(_split(listed.get("likely", ""))) | topics | brand) - sure, brand)


@cache
def _shared_words() -> frozenset[str]:
    common = (
        "and or the of for to in a an with standard current exam associate network networks sources types rules cloud"
    )
    return frozenset(_split(_file()["shared"])) | frozenset(common.split()) | vocabulary(_split(_file()["shared"]))


def _split(text: str) -> list[str]:
    terms = (term.strip().casefold() for term in text.split(","))
    return [form for term in terms if term for form in {term, term.replace("-", " ")}]


@cache
def _file() -> dict[str, Any]:
    return dict(yaml.safe_load((files("guardrails") / "terms.yaml").read_text(encoding="utf-8")))
