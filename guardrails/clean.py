"""Makes any text safe to handle: no characters that break storage or hide other characters."""

from __future__ import annotations

import re
import unicodedata

INVISIBLE = re.compile(
    "[\x00-\x08\x0b\x0c\x0e-\x1f\x7f-\x9f"  # controls except tab, newline, return
    "\u00ad\u034f\u061c\u115f\u1160\u17b4\u17b5\u180b-\u180f\u200b-\u200f\u202a-\u202e\u2060-\u206f\ufeff\ufff9-\ufffb"
    "\ud800-\udfff"
    "\U000e0000-\U000e007f]"  # tags
)
"""Characters that nobody sees, and halves of characters."""
MOST = 20_000
"""Characters that are looked at; what is longer is turned away anyway."""
_JOINER = re.compile("(?<=[\u2190-\u2bff\ufe0f\U0001f000-\U0001faff])\u200d(?=[\u2190-\u2bff\U0001f000-\U0001faff])")
_KEPT = "\ue000"
_MARK = "[\u0300-\u036f\u0483-\u0489\u0591-\u05bd\u064b-\u065f\u0e47-\u0e4e\u1ab0-\u1aff\u20d0-\u20ff]"
# Sorting a long run of marks takes time quadratic in its length.
_PILE = re.compile(f"({_MARK}{{8}}){_MARK}+")


def clean(text: str) -> str:
    """The text in NFC without control, invisible and direction characters, lone surrogates and outer white space.

    Joiners inside emoji stay; of marks piled on one character the first eight.
    """
    text = _JOINER.sub(_KEPT, text.replace(_KEPT, ""))
    text = INVISIBLE.sub("", text).replace(_KEPT, "\u200d")
    return unicodedata.normalize("NFC", _PILE.sub(r"\1", text).replace("\r\n", "\n")).strip()
