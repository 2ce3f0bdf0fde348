"""Doubles that play a part they were given, for tests of what stands around them."""

from __future__ import annotations

import asyncio
from collections.abc import AsyncGenerator, Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from rag.errors import ProviderError
from rag.types import Finish, Message, Usage

Step = str | Finish | ProviderError | asyncio.Event


@dataclass(frozen=True, slots=True)
class Call:
    """What a chat model was asked."""

    messages: tuple[Message, ...]
    max_tokens: int
    schema: Mapping[str, Any] | None


class ScriptedChat:
    """A chat model that plays scripts, one a call, and the last one again and again.

    A string is a piece, an error is raised, an Event is waited for. A script without a Finish gets one: "done", with a
    token a piece. `calls` keeps what was asked; `left` is set when a stream is left before its end.
    """

    def __init__(self, *scripts: Sequence[Step], name: str = "scripted:chat") -> None:
        self.name = name
        self.calls: list[Call] = []
        self.left = asyncio.Event()
        self._scripts = list(scripts) or [()]

    async def stream(
        self, messages: Sequence[Message], *, max_tokens: int, schema: Mapping[str, Any] | None = None
    ) -> AsyncGenerator[str | Finish, None]:
        """The next script's pieces, then its Finish; or its error."""
        self.calls.append(Call(tuple(messages), max_tokens, schema))
        try:
            async for each in self._play(self._scripts.pop(0) if len(self._scripts) > 1 else self._scripts[0]):
                yield each
        except (GeneratorExit, asyncio.CancelledError):
            self.left.set()
            raise

    async def aclose(self) -> None:
        """There is nothing to close."""

    async def _play(self, script: Sequence[Step]) -> AsyncGenerator[str | Finish, None]:
        for step in script:
            if isinstance(step, ProviderError):
                raise step
            if isinstance(step, asyncio.Event):
                await step.wait()
            else:
                yield step
            if isinstance(step, Finish):
                return
        yield Finish("done", Usage(self.name, 0, len(script)))
