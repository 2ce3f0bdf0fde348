"""Decides whether a text holds a labelled substring, whatever the Markdown around it."""

from __future__ import annotations

import re
from functools import lru_cache

_IMAGE_OR_LINK = re.compile(r"!?\[((?:[^\[\]]|\[[^\[\]]*\])*)\]\([^()\s]*(?:\([^()]*\)[^()\s]*)*(?:\s+\"[^\"]*\")?\)")
_TAG = re.compile(r"</?[a-zA-Z][^<>\n]*>")
_ESCAPE = re.compile(r"\\([!-/:-@\[-`{-~])")
_LINE_START = re.compile(r"^[ \t]*(?:>[ \t]?|#{1,6}[ \t]+|[-*+][ \t]+|\d{1,3}[.)][ \t]+)+", re.MULTILINE)
_EMPHASIS = re.compile(r"[*`]|(?<!\w)_+|_+(?!\w)")
_SPACE = re.compile(r"\s+")
_TYPOGRAPHY = str.maketrans({"’": "'", "‘": "'", "“": '"', "”": '"', "\u00a0": " ", "|": " "})


@lru_cache(maxsize=20_000)
def plain(markdown: str) -> str:
    """The text without its Markdown marks, lower-cased, white space folded."""
    text = _IMAGE_OR_LINK.sub(r"\1", markdown)
    text = _ESCAPE.sub(r"\1", _TAG.sub(" ", text))
    text = _EMPHASIS.sub("", _LINE_START.sub("", text))
    return _SPACE.sub(" ", text.translate(_TYPOGRAPHY)).strip().lower()


def holds(markdown: str, substring: str) -> bool:
    """Whether the text says the substring."""
    return plain(substring) in plain(markdown)
