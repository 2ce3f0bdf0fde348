"""What happened on the platform, in order: the calls it was sent, what it delivered, and whom it notified."""

from __future__ import annotations

import asyncio
from collections.abc import Callable
from dataclasses import dataclass, field
from typing import Literal

from tests.wire.slack_json import Json

Kind = Literal["events_api", "slash_commands", "interactive"]


@dataclass(slots=True)
class Call:
    """One call of a method. `at` in platform seconds; `answer` is what it was answered, also when that got lost."""

    at: float
    method: str
    token: str
    arguments: Json
    team: str = ""
    answer: Json = field(default_factory=dict)
    status: int = 0

    @property
    def error(self) -> str:
        """The refusal's name, "" when the call was served."""
        return str(self.answer.get("error", ""))


@dataclass(frozen=True, slots=True)
class Delivery:
    """One attempt to deliver something to the app. `latency` in platform seconds; `payload` is what came back."""

    kind: Kind
    id: str
    attempt: int
    at: float
    acked: bool
    latency: float
    failure: str = ""
    payload: Json = field(default_factory=dict)
    refused_retry: bool = False


@dataclass(frozen=True, slots=True)
class Ping:
    """A notification that went out: to a user id, or to `!here`, `!channel`, `!everyone`; by a "post" or an "edit"."""

    channel: str
    ts: str
    author: str
    whom: str
    by: str


@dataclass(frozen=True, slots=True)
class Status:
    """A status line under a thread, such as "is thinking…"; "" when it was cleared."""

    at: float
    channel: str
    thread_ts: str
    text: str


@dataclass(slots=True)
class Record:
    """Everything, in order."""

    calls: list[Call] = field(default_factory=list)
    deliveries: list[Delivery] = field(default_factory=list)
    pings: list[Ping] = field(default_factory=list)
    statuses: list[Status] = field(default_factory=list)
    _changed: asyncio.Event = field(default_factory=asyncio.Event)

    def changed(self) -> None:
        """Wake those who wait for something to happen."""
        self._changed.set()
        self._changed = asyncio.Event()

    def call(self, call: Call) -> None:
        """A call came in."""
        self.calls.append(call)
        self.changed()

    def called(self, method: str) -> list[Call]:
        """The calls of one method."""
        return [call for call in self.calls if call.method == method]

    async def until(self, happened: Callable[[], object], seconds: float = 10.0) -> None:
        """Wait until something happened; raises AssertionError with the latest calls after real seconds."""
        try:
            async with asyncio.timeout(seconds):
                while not happened():
                    await self._changed.wait()
        except TimeoutError:
            latest = [(call.method, call.error or "ok") for call in self.calls[-12:]]
            story = f"Latest calls: {latest}, deliveries: {self.deliveries[-4:]}"
            raise AssertionError(f"It did not happen. {story}") from None

    async def quiet(self, seconds: float = 0.3) -> None:
        """Wait until nothing happened for real seconds."""
        while True:
            try:
                async with asyncio.timeout(seconds):
                    await self._changed.wait()
            except TimeoutError:
                return
