"""Where sentences end, so that evidence is quoted and cut in whole sentences."""

from __future__ import annotations

import re

# The counts are bounded so that a long run of stops costs no more than other text.
_STOP = re.compile(
    r"""(?: [.!?…]{1,9} [)\]"'”’»*_]{0,9} (?:\[\d{1,3}\]){0,5} (?=\s) | [。！？]{1,9} [」』”’）]{0,9} ) \s*"""
    r"""| \n [ \t]* \n \s*""",
    re.VERBOSE,
)
# A stop inside code, a link or a short parenthesis ends nothing.
_WHOLE = re.compile(
    r"(?<!`)`+[^`\n]{1,300}`+|\[[^\[\]\n]{1,300}\]\([^()\s]{0,2000}\)|\([^()]{1,300}\)|“[^“”\n]{1,200}”"
)
_TOKEN = re.compile(r"[^\s(\[\"'“‘`*_]*$")

_NEVER_LAST = frozenset("e.g i.e vs cf viz approx esp resp incl excl mr mrs ms dr prof fig eq ca al u.s u.k".split())
_RARELY_LAST = frozenset("etc inc ltd corp co jr sr a.m p.m dept est ed min max avg".split())
_BEFORE_NUMBER = frozenset("no nos art sec sect ch vol pp p ver v".split())


def sentence_starts(text: str) -> list[int]:
    """The offsets at which the sentences of `text` begin; the first is 0, and each sentence runs to the next offset."""
    spans = [match.span() for match in _WHOLE.finditer(text)]
    starts, nth = [0], 0
    for stop in _STOP.finditer(text):
        marked = stop.start() + len(stop.group().strip())
        while nth < len(spans) and spans[nth][1] <= marked:
            nth += 1
        inside = nth < len(spans) and spans[nth][0] < stop.start()
        if stop.end() < len(text) and not inside and _ends(text, starts[-1], stop):
            starts.append(stop.end())
    return starts


def split_sentences(text: str) -> list[str]:
    """The sentences of `text`, without the white space between them. Nothing else is lost; "" has no sentences."""
    starts = sentence_starts(text)
    pieces = (text[start:end].strip() for start, end in zip(starts, [*starts[1:], len(text)], strict=True))
    return [piece for piece in pieces if piece]


def _ends(text: str, start: int, stop: re.Match[str]) -> bool:
    mark, following = stop.group().strip(), text[stop.end()]
    if not mark or mark[0] in "。！？":
        return True
    before = text[max(start, stop.start() - 40) : stop.start()]
    found = _TOKEN.search(before)
    token = found.group() if found else ""
    plain = mark[0] == "." and not mark.startswith("..")
    if following.islower() and (not plain or mark.endswith(")") or token.lower() in _RARELY_LAST):
        return False
    return not plain or not _abbreviates(token, before, following)


def _abbreviates(token: str, before: str, following: str) -> bool:
    word, ahead = token.lower(), before[: len(before) - len(token)].strip()
    if word in _NEVER_LAST:
        return True
    if word in _BEFORE_NUMBER:
        return following.isdigit()
    if token.isdigit():
        return not ahead  # the number of a list item
    initial = len(token) == 1 and token.isupper()
    return initial and following.isupper() and (not ahead or ahead.split()[-1][:1].isupper())
