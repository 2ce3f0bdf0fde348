"""Whether what was fetched is a document at all: its real type, and the pages that only look like answers."""

from __future__ import annotations

import re
from typing import Literal

from ingest.fetch import Fetched
from ingest.parsed import Parsed
from rag.errors import FetchFailed, Unreadable

Format = Literal["html", "markdown"]

LEAST = 30
"""Characters of text below which a document holds nothing to study."""


def check_status(fetched: Fetched) -> None:
    """Raises FetchFailed for an answer that may be better next time, Unreadable for any other that is no document."""
    status = fetched.status
    if status in {None, 200, 203, 304}:
        return
    if status == 429 or (status is not None and status >= 500):
        raise FetchFailed(f"the server answered HTTP {status}; the next run tries again")
    words = {401: "needs a login", 403: "is not open to us", 404: "does not exist", 410: "is gone"}
    raise Unreadable(f"the page {words.get(status or 0, 'was not delivered')} (HTTP {status})")


# What the bytes are.

_BINARY = {
    b"PK\x03\x04": "a ZIP archive or an office document",
    b"\x1f\x8b": "a compressed file",
    b"\x89PNG": "an image",
    b"\xff\xd8\xff": "an image",
    b"GIF8": "an image",
    b"RIFF": "an image or a recording",
    b"\xd0\xcf\x11\xe0": "an office document",
    b"\x7fELF": "a program",
}
_TAGGED = re.compile(
    rb"\s*(?:<\?xml[^>]*>\s*)?(?:<!--.{0,4000}?-->\s*)*<(?:!doctype\s+html|html|head|body)\b", re.I | re.S
)
_MARKDOWN_NAME = re.compile(r"\.(?:md|mdx|markdown|txt|text)$", re.IGNORECASE)
_HTML_NAME = re.compile(r"\.x?html?$", re.IGNORECASE)


def real_format(fetched: Fetched) -> Format:
    """What the first bytes say the document is; its name and declared type decide only between kinds of text.

    Raises Unreadable, with what it is instead, for anything but HTML, Markdown and plain text.
    """
    body, name = fetched.body, (fetched.final_url or fetched.url).split("?")[0].split("#")[0]
    head = _plain_bytes(body[:4096])
    declared = fetched.content_type or ""
    if not body.strip():
        raise Unreadable("it is empty")
    if head.lstrip().startswith(b"%PDF-"):
        raise Unreadable("it is a PDF, which cannot be read yet")
    if declared == "application/pdf" or name.lower().endswith(".pdf"):
        raise Unreadable("it is named or declared a PDF, but is not a PDF")
    binary = next((words for magic, words in _BINARY.items() if head.startswith(magic)), None)
    if binary or _is_noise(head):
        raise Unreadable(f"it is {binary or 'binary data'}, not text")
    if _TAGGED.match(head):
        return "html"
    if _MARKDOWN_NAME.search(name) or declared in {"text/markdown", "text/plain", "text/x-markdown"}:
        return "markdown"
    tagged = "html" in declared or bool(_HTML_NAME.search(name))
    return "html" if tagged and re.search(rb"<[a-zA-Z!]", head) else "markdown"


def _plain_bytes(head: bytes) -> bytes:
    """The bytes without a byte order mark, and with one of UTF-16 as UTF-8."""
    if head.startswith((b"\xff\xfe", b"\xfe\xff")):
        return head.decode("utf-16", errors="ignore").encode()
    return head.removeprefix(b"\xef\xbb\xbf")


def _is_noise(head: bytes) -> bool:
    """More than a tenth control characters is no text."""
    return sum(byte < 9 or 13 < byte < 32 for byte in head) > len(head) / 10


# What a page says instead of its content.

_MISSING = re.compile(
    r"(?:(?:error|http)?\W*404\b.{0,40}"
    r"|\W*(?:sorry\W+)?(?:(?:the|this|that|your)\s+)?(?:requested\s+)?(?:page|document|file|article|content|url)?\s*"
    r"(?:you\s.{0,30}\s)?(?:was\s|is\s|could\s|can\s?)?(?:not\s(?:be\s)?found|n['o]t\sfound|does\s?n[o'’]t\sexist|no\slonger\s(?:exists|available)).{0,20}"
    r"|(?:oops|uh-oh)\b.{0,60})",
    re.IGNORECASE,
)
_MISSING_WORDS = re.compile(
    r"\b404\b|(?:page|document|url|file)\b.{0,60}(?:not\s(?:be\s)?found|n[o'’]t\sexist|moved|removed|no\slonger)"
    r"|(?:could|can)\s?(?:not|n['’]t)\sfind\s(?:the|this|that|your)\s.{0,20}page",
    re.IGNORECASE,
)
_LOGIN = re.compile(
    r"^\W*(?:please\s)?(?:sign|log)[\s-]?in\b|^\W*login\b|authentication required|access denied", re.IGNORECASE
)
_CONSENT = re.compile(
    r"before you continue|(?:cookie|privacy)\s(?:consent|settings|preferences)|we value your privacy", re.IGNORECASE
)
_PASSWORD = re.compile(rb"<input\b[^>]*\btype\s*=\s*[\"']?password", re.IGNORECASE)
_SCRIPTED = re.compile(
    rb"\blocation\s*(?:\.(?:href|replace|assign)\b\s*[=(]|=)|http-equiv\s*=\s*[\"']?refresh", re.IGNORECASE
)
_SCRIPTS = re.compile(r"(?:enable|requires?|turn on)\s+(?:javascript|scripts)", re.IGNORECASE)


def check_content(parsed: Parsed, body: bytes) -> None:
    """Raises Unreadable, saying what it is, for a page that answers with something else than a document.

    `body` holds the bytes it was parsed from.
    """
    text = plain_text(parsed.markdown)
    heading = next(iter(re.findall(r"^# (.+)$", parsed.markdown, re.MULTILINE)), "")
    names = [part.strip() for name in (parsed.title, heading) for part in [name, *re.split(r"\s[|–—·-]\s", name)]]
    if len(text) < 3_000 and any(_MISSING.fullmatch(name) for name in names if name):
        raise Unreadable("it is a not-found page, although the server did not say so")
    if len(text) < 600 and _MISSING_WORDS.search(text):
        raise Unreadable("it is a not-found page, although the server did not say so")
    if len(text) < 1_000 and (_PASSWORD.search(body) or any(_LOGIN.search(name) for name in names)):
        raise Unreadable("it is a login page")
    if len(text) < 1_000 and any(_CONSENT.search(name) for name in [*names, text[:300]]):
        raise Unreadable("it is a consent page")
    if len(text) < LEAST:
        raise Unreadable(_why_empty(text, body))


def _why_empty(text: str, body: bytes) -> str:
    if _SCRIPTED.search(body):
        return "it has no content: a script redirects to another page"
    if _SCRIPTS.search(text) or body.lower().count(b"<script") > 0:
        return "it has no content without running its scripts"
    return f"it has no content: {len(text)} characters of text, where at least {LEAST} are expected"


def plain_text(markdown: str) -> str:
    """The words of Markdown, for counting: without link targets, marks and repeated white space."""
    return " ".join(re.sub(r"\]\([^()\s]*\)|[#*`|>\[\]_~-]+", " ", markdown).split())
