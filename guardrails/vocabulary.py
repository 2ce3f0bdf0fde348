"""A tenant's own words, from its documents: they are never taken for names, and they tell whose question it is."""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Iterable
from itertools import pairwise

_CAPITALISED = re.compile(r"\b[A-Z][A-Za-z0-9]*(?:[ -][A-Z][A-Za-z0-9]*)+")
_WORD = re.compile(r"[A-Za-z][A-Za-z0-9-]+")


def vocabulary(titles: Iterable[str], texts: Iterable[str] = (), *, least: int = 2) -> frozenset[str]:
    """The words of titles and topics, and the parts of capitalised pairs that stand `least` times in the texts.

    Casefolded, of two or more characters.
    """
    counts: Counter[str] = Counter()
    for text in texts:
        for run in _CAPITALISED.finditer(text):
            counts.update(" ".join(pair) for pair in pairwise(run.group().replace("-", " ").split()))
    pairs = (pair for pair, count in counts.items() if count >= least)
    return frozenset(word.casefold() for phrase in (*titles, *pairs) for word in _WORD.findall(phrase))
