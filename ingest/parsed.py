"""What reading a document gives, and the decoding and cleaning of characters that every format needs."""

from __future__ import annotations

import re
import unicodedata
from dataclasses import dataclass

from bs4.dammit import UnicodeDammit


@dataclass(frozen=True, slots=True)
class Parsed:
    """A document as it was read. `url`, `dated` (ISO day) and `citation` are what it says of itself, if it does."""

    title: str
    markdown: str
    url: str | None = None
    dated: str | None = None
    citation: str | None = None


_EMOJI = "\u2600-\u27bf\ufe0f\U0001f000-\U0001faff"
_INVISIBLE = re.compile(
    f"(\U0001f3f4[\U000e0020-\U000e007f]+|(?<=[{_EMOJI}])\u200d(?=[{_EMOJI}]))"  # a flag, or an emoji's joiner: kept
    "|[\x00-\x08\x0e-\x1f\x7f-\x84\x86-\x9f\u00ad\u061c\u180e\u200b-\u200f\u202a-\u202e\u2060-\u206f\ufeff"
    "\ufff9-\ufffb\ud800-\udfff\U000e0000-\U000e007f]"
)
_SPACES = re.compile("[\u00a0\u1680\u2000-\u200a\u202f\u205f\u3000]")
_LINE_ENDS = re.compile("\r\n?|[\x0b\x0c\x85\u2028\u2029]")


def clean_text(text: str) -> str:
    """NFC, with plain spaces and line ends, and without characters that nobody sees and that break words."""
    text = _SPACES.sub(" ", _LINE_ENDS.sub("\n", text))
    return unicodedata.normalize("NFC", _INVISIBLE.sub(lambda match: match[1] or "", text))


def decode_text(body: bytes, charset: str | None, *, is_html: bool) -> str:
    """The body as text: by its byte order mark, the header's charset, the page's own declaration, or its bytes."""
    declared = [charset] if charset else []
    dammit = UnicodeDammit(body, known_definite_encodings=declared, user_encodings=["utf-8"], is_html=is_html)
    text = dammit.unicode_markup
    return clean_text(text if text is not None else body.decode("utf-8", errors="replace"))
