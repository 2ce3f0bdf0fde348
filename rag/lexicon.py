"""Words as the lexical leg sees them, and their BM25 weights.

BM25 follows Robertson and Zaragoza, "The Probabilistic Relevance Framework: BM25 and Beyond" (2009), with k1 = 1.2 and
b = 0.75. The document side is stored without idf, so that a new document rewrites no other.
"""

from __future__ import annotations

import re
from collections import Counter
from functools import lru_cache
from hashlib import blake2b

import snowballstemmer

DIMENSIONS = 1_000_000_000
"""The most that pgvector's sparsevec accepts."""
K1 = 1.2
B = 0.75
MAX_TERMS = 4_000
"""Distinct terms kept of one chunk; a sparsevec holds 16,000."""
NOMINAL_LENGTH = 140.0
"""Average words of a chunk that a new edition starts from, until its own average is known."""

_TOKEN = re.compile(r"[^\W_]+(?:[._:/@\-*][^\W_]+)*")
_SEPARATOR = re.compile(r"[._:/@\-*]")
_HUMP = re.compile(r"[A-Z]+(?![a-z])|[A-Z]?[a-z]+|\d+")
_STEMMER = snowballstemmer.stemmer("english")
STOP_WORDS = frozenset(
    """
    a about after again all also am an and any are as at be because been before being both but by can cannot could
    did do does doing done down during each either else ever every for from further get gets got had has have
    having he her here hers him his how however i if in into is it its itself just let like made make makes many
    may me might more most much must my myself need needs no nor not now of off on once one only onto or other our
    ours out over own please same shall she should so some such than that the their theirs them then there these
    they this those through to too two under until up upon us use used uses using very want was way we well were
    what when where whether which while who whom whose why will with within without would yes you your yours dont
    doesnt didnt cant isnt arent wasnt werent wont im ive id whats hows s t re ve ll d m
    """.split()
)


def words(text: str) -> list[str]:
    """The terms of a text, in order, with repetition: stems of words, and identifiers both whole and in parts.

    "s3:GetObject" gives s3:getobject, s3, get and object's stem.
    """
    found: list[str] = []
    for match in _TOKEN.finditer(text.replace("'", "").replace("’", "")):
        found += _terms_of(match.group())
    return found


def dimension(term: str) -> int:
    """The term's place in the sparse space, from 1: stable over processes and machines."""
    return 1 + int.from_bytes(blake2b(term.encode(), digest_size=8).digest()) % DIMENSIONS


def dimensions(text: str) -> list[int]:
    """The distinct places of a text's terms, sorted."""
    return sorted({_dimension(term) for term in words(text)})


def weights(text: str, average: float) -> tuple[dict[int, float], int]:
    """The saturated frequency of each place, and the text's length in words.

    `average` is the edition's average length. A term weighs tf (k1 + 1) / (tf + k1 (1 - b + b length / average)).
    """
    terms = words(text)
    counts: Counter[int] = Counter(_dimension(term) for term in terms)
    scale = K1 * (1 - B + B * len(terms) / average)
    kept = sorted(counts.items(), key=lambda item: (-item[1], item[0]))[:MAX_TERMS]
    return {place: count * (K1 + 1) / (count + scale) for place, count in kept}, len(terms)


_dimension = lru_cache(maxsize=200_000)(dimension)


@lru_cache(maxsize=200_000)
def _terms_of(token: str) -> tuple[str, ...]:
    lowered = token.lower()
    pieces = [piece for piece in _SEPARATOR.split(token) if len(piece) < 64]
    humps = [hump for piece in pieces if piece.isascii() for hump in _HUMP.findall(piece) if len(hump) > 1]
    parts = dict.fromkeys(part.lower() for part in [*pieces, *humps])
    kept = [stem(part) for part in parts if part not in STOP_WORDS]
    whole = [] if list(parts) == [lowered] or len(lowered) > 128 else [lowered]
    return tuple(dict.fromkeys([*whole, *kept]))


@lru_cache(maxsize=200_000)
def stem(word: str) -> str:
    """The English Snowball stem of a lower-case word."""
    return str(_STEMMER.stemWord(word))
