"""One try of one chat model: its text on the way through the output screen, and how it ended."""

from __future__ import annotations

from collections.abc import AsyncGenerator, Iterator, Sequence
from contextlib import aclosing
from dataclasses import dataclass
from typing import Literal

from rag.errors import ProviderError
from rag.prompts import UNCOVERED
from rag.released import Piece, Release, Violation
from rag.types import ChatModel, Finish, Message, Usage


@dataclass(frozen=True, slots=True)
class End:
    """How a draft ended.

    done: all of it was shown; cut: shown up to the model's limit; uncovered: the model says that the passages lack the
    answer; withheld: a piece broke the rule in `detail`; empty: there was no text; failed: the provider gave up.
    """

    kind: Literal["done", "cut", "uncovered", "withheld", "empty", "failed"]
    detail: str = ""
    usage: Usage | None = None


@dataclass(frozen=True, slots=True)
class Draft:
    """What to ask of which model."""

    model: ChatModel
    messages: Sequence[Message]
    max_tokens: int

    async def write(self, release: Release) -> AsyncGenerator[str | End, None]:
        """Text that may be shown, as it comes, then exactly one End. Provider failures end it, too."""
        page = _Page(release)
        try:
            async with aclosing(self.model.stream(self.messages, max_tokens=self.max_tokens)) as stream:
                async for event in stream:
                    for piece in page.take(event) if isinstance(event, str) else page.close(event):
                        yield piece
                    if page.violation is not None:
                        break
        except ProviderError as error:
            yield End("failed", type(error).__name__)
            return
        yield page.end()


class _Page:
    """The text of one draft: what is held because it may be about to decline, what was shown, what stopped it."""

    def __init__(self, release: Release) -> None:
        self._release = release
        self._head: str | None = ""
        self._shown = False
        self._finish: Finish | None = None
        self.violation: Violation | None = None

    def take(self, text: str) -> Iterator[str]:
        """What of the text may be shown now."""
        if self._head is not None:
            self._head += text
            if _may_decline(self._head):
                return
            text, self._head = self._head, None
        yield from self._through(self._release.feed(text))

    def close(self, finish: Finish) -> Iterator[str]:
        """What is left to be shown at the end. Of a text that was cut, the last unfinished sentence is dropped."""
        self._finish = finish
        if self._head is not None and not _declines(self._head):
            yield from self._through(self._release.feed(self._head))
            self._head = None
        if self._head is None and finish.stop != "length":
            yield from self._through(self._release.finish())

    def end(self) -> End:
        usage = self._finish.usage if self._finish else None
        if self.violation is not None:
            return End("withheld", f"{self.violation.rule} {self.violation.detail}", usage)
        if self._finish is None:
            return End("failed", "the stream broke off", usage)
        if self._head is not None and _declines(self._head):
            return End("uncovered", self._head.strip().removeprefix(UNCOVERED).strip(), usage)
        if not self._shown:
            return End("empty", "the draft was empty", usage)
        return End("cut" if self._finish.stop == "length" else "done", "", usage)

    def _through(self, events: Iterator[Piece | Violation]) -> Iterator[str]:
        for event in events:
            if isinstance(event, Violation):
                self.violation = event
                return
            self._shown = self._shown or bool(event.text.strip())
            yield event.text


def _may_decline(head: str) -> bool:
    start = head.lstrip()
    return start.startswith(UNCOVERED) or UNCOVERED.startswith(start)


def _declines(head: str) -> bool:
    return head.lstrip().startswith(UNCOVERED)
