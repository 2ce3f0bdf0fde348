"""The last look at an answer: nothing personal, no foreign link, no mention, none of the prompt goes out."""

from __future__ import annotations

import logging
import re
from collections.abc import Callable, Iterable, Mapping, Sequence
from contextlib import aclosing
from dataclasses import dataclass, replace
from urllib.parse import urlsplit

from guardrails.masks import apply_masks, own_numbers
from guardrails.modes import Modes
from guardrails.pii import SECRET_TYPES, Recognizers, Span
from guardrails.redact import PLAIN
from rag.answer import refusal
from rag.prompts import SYSTEM
from rag.sentences import sentence_starts
from rag.types import Answer, Answerer, Delta, Event, Events, Passage, Question, Restart

log = logging.getLogger(__name__)

REPEATED = 8
"""Words in a row of the instructions from which on an answer repeats them."""
WITHHELD = "I can't share how I am instructed. Ask me about the subject of this channel instead."

_IMAGE = re.compile(
    r"!\[([^\]\n]{0,300})\](?:\([^)\n]{0,2000}\)|\[[^\]\n]{0,100}\])|<img\b[^>]{0,2000}>", re.IGNORECASE
)
_LINK = re.compile(r"\[([^\]\n]{1,300})\]\(\s{0,5}<?([^)\s<>\[\]]{1,2000})>?(?:\s[^)\[\n]{0,300})?\)")
_ADDRESS = re.compile(
    r"<?((?:https?|ftp)://[^\s<>()\[\]\"'`]{1,2000}|(?<![\w@/.])www\.[^\s<>()\[\]\"'`]{1,2000})>?", re.IGNORECASE
)
_MENTION = re.compile(
    r"@(?=(?:everyone|here|channel)\b)|<!(channel|here|everyone)(?:\|[^>\n]{0,60})?>"
    r"|<[@#][!&]?[A-Za-z0-9]{1,30}(?:\|[^>\n]{0,60})?>",
    re.IGNORECASE,
)
_WAITS = re.compile(r"://|\]\(|\]\[|!\[|<img|www\.", re.IGNORECASE)
_BOUNDARY = re.compile(r"</?(?:passage|question) [0-9a-f]{6,64}\b", re.IGNORECASE)
_OPEN = ("-----BEGIN", "-----END")
_WORD = re.compile(r"[^\W_]+")


@dataclass(frozen=True, slots=True)
class Given:
    """What an answer may take from its passages: their hosts, and personal data that stands in the documents."""

    hosts: frozenset[str] = frozenset()
    text: str = ""


class Screened:
    """An answerer around another. What cannot be judged before the passages are known waits for the answer."""

    def __init__(
        self,
        inner: Answerer,
        new_id: Callable[[], str],
        recognizers: Mapping[str, Recognizers] | None = None,
        modes: Modes | None = None,
    ) -> None:
        self._inner = inner
        self._new_id = new_id
        self._recognizers = recognizers or {}
        self._modes = modes or Modes()

    async def answer(self, question: Question) -> Events:
        """The inner events, screened; a Restart and a refusal for an answer that repeats its instructions."""
        if self._modes.mode(question.tenant, "output") == "off":
            async with aclosing(self._inner.answer(question)) as events:
                async for event in events:
                    yield event
            return
        draft = _Draft(self._recognizers.get(question.tenant, PLAIN))
        async with aclosing(self._inner.answer(question)) as events:
            async for event in events:
                for screened in self._screened(draft, event, question):
                    yield screened
                if draft.repeats:
                    return

    def _screened(self, draft: _Draft, event: Event, question: Question) -> Iterable[Event]:
        if isinstance(event, Restart):
            draft.clear()
            return [event]
        if isinstance(event, Delta):
            shown = draft.take(event.text)
            return self._withheld(draft, question) if draft.repeats else [Delta(shown)] if shown else []
        final = draft.finish(event)
        if draft.repeats:
            return self._withheld(draft, question, event)
        return final

    def _withheld(self, draft: _Draft, question: Question, answer: Answer | None = None) -> list[Event]:
        log.warning("an answer repeated its instructions", extra={"tenant": question.tenant})
        words = refusal(self._new_id(), question, "injection", WITHHELD)
        if answer is not None:
            words = replace(words, id=answer.id, usage=answer.usage, notices=answer.notices)
        return [Restart("withheld"), words] if draft.shown else [words]


class _Draft:
    """What came of an answer since the last restart: what was shown of it, and what waits."""

    def __init__(self, recognizers: Recognizers) -> None:
        self._recognizers = recognizers
        self.clear()

    def clear(self) -> None:
        self.shown = ""
        self.repeats = False
        self._seen = ""
        self._waiting = ""
        self._held = False

    def take(self, text: str) -> str:
        """What may be shown now that this text has come."""
        self._waiting += text
        end = _boundary(self._waiting)
        if self._held or end == 0:
            return ""
        piece = self._waiting[:end]
        if self._repeats(piece):
            self.repeats = True
            return ""
        spans = self._recognizers.find(piece)
        if _WAITS.search(piece) or any(span.type not in SECRET_TYPES for span in spans):
            self._held = True
            return ""
        return self._show(piece, self._safe(piece, spans))

    def finish(self, answer: Answer) -> list[Event]:
        """The answer with its screened text, after a Restart if it is not the text that came."""
        if not answer.text.startswith(self._seen):
            restart: list[Event] = [Restart("repair")] if self.shown else []
            self.clear()
            return [*restart, *self.finish(answer)]
        rest = answer.text[len(self._seen) :]
        self.repeats = answer.kind == "answer" and self._repeats(rest)
        given = Given(_hosts(answer.passages), "\n".join(_texts(answer.passages)))
        spans = [span for span in self._recognizers.find(rest) if not _documented(rest, span, given)]
        safe = self._safe(rest, spans, given)
        delta: list[Event] = [Delta(safe)] if safe and self._waiting else []
        return [*delta, replace(answer, text=self.shown + safe)]

    def _show(self, piece: str, safe: str) -> str:
        self._seen += piece
        self._waiting = self._waiting[len(piece) :]
        self.shown += safe
        return safe

    def _repeats(self, piece: str) -> bool:
        return bool(_BOUNDARY.search(piece)) or repeats_prompt(f"{self._seen[-200:]}{piece}")

    def _safe(self, piece: str, spans: Sequence[Span], given: Given | None = None) -> str:
        masked = apply_masks(piece, spans, own_numbers(piece, spans, [self.shown]))
        return _plain(masked, given or Given())


def repeats_prompt(text: str) -> bool:
    """Whether a text has as many words in a row as `REPEATED` of what a model is instructed."""
    words = [word.casefold() for word in _WORD.findall(text)]
    return any(tuple(words[at : at + REPEATED]) in _INSTRUCTED for at in range(len(words) - REPEATED + 1))


def _plain(text: str, given: Given) -> str:
    """The text without images, mentions and links that lead elsewhere than to the sources."""
    text = _IMAGE.sub(lambda match: match[1] or "", text)
    text = _LINK.sub(lambda match: match[0] if _host(match[2]) in given.hosts else _words(match[1]), text)
    text = _ADDRESS.sub(lambda match: match[0] if _host(match[1]) in given.hosts else "(link removed)", text)
    return _MENTION.sub(lambda match: match[1] or "", text)


def _words(label: str) -> str:
    return f"[{label}]" if label.isdigit() else label


def _host(url: str) -> str:
    try:
        return (urlsplit(url if "//" in url else f"//{url}").hostname or "").casefold()
    except ValueError:
        return ""


def _hosts(passages: Iterable[Passage]) -> frozenset[str]:
    return frozenset(host for passage in passages if (host := _host(passage.url)))


def _texts(passages: Iterable[Passage]) -> Iterable[str]:
    return (
        f"{passage.title} {passage.heading} {passage.text} {passage.before} {passage.after}" for passage in passages
    )


def _documented(text: str, span: Span, given: Given) -> bool:
    """Whether a find stands in the documents themselves, and gives access to nothing."""
    return (span.type not in SECRET_TYPES or span.type == "PASSWORD") and text[span.start : span.end] in given.text


def _boundary(text: str) -> int:
    """Where the last whole line or sentence of the text ends, 0 if there is none or a key or a fence is still open."""
    if text.count(_OPEN[0]) > text.count(_OPEN[1]) or text.count("```") % 2:
        return 0
    last = sentence_starts(text)[-1]
    stop = len(text) if text.endswith((". ", "! ", "? ", "\n")) else 0
    return max(last, text.rfind("\n") + 1, stop)


def _shingles() -> frozenset[tuple[str, ...]]:
    prompts = ([word.casefold() for word in _WORD.findall(text)] for text in SYSTEM.values())
    return frozenset(tuple(words[at : at + REPEATED]) for words in prompts for at in range(len(words) - REPEATED + 1))


_INSTRUCTED = _shingles()
