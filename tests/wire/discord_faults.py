"""Faults of the REST API on order: lost answers, errors, delays, and hooks at the n-th call."""

from __future__ import annotations

import asyncio
from collections.abc import Awaitable, Callable
from dataclasses import dataclass, replace
from typing import Literal

from tests.wire.discord_clock import Clock
from tests.wire.discord_record import Call

Hook = Callable[[Call], Awaitable[None] | None]
Side = Literal["before", "after"]
"""Before the call has an effect, or after it, while the answer has not left yet."""


class Lost(Exception):
    """The connection breaks before the answer."""


class Broken(Exception):
    """The server answers with an error of its own: HTML, as its proxy writes it."""

    def __init__(self, status: int) -> None:
        super().__init__(status)
        self.status = status


@dataclass(frozen=True, slots=True)
class At:
    """Which calls: from the n-th on, `times` of them, counted from now; of one route, or of all."""

    nth: int = 1
    route: str | None = None
    times: int = 1
    side: Side = "before"


FIRST = At()


@dataclass(slots=True)
class Trap:
    """Springs at calls: after `skip` more that match, and `times` times."""

    at: At
    skip: int
    times: int
    spring: Hook

    def catches(self, call: Call) -> bool:
        """Count a call, and say whether the trap springs at it."""
        if self.times == 0 or self.at.route not in (None, call.route):
            return False
        if self.skip:
            self.skip -= 1
            return False
        self.times -= 1
        return True


class Faults:
    """What will go wrong."""

    def __init__(self, clock: Clock) -> None:
        self._clock = clock
        self._traps: list[Trap] = []

    def on_call(self, hook: Hook, at: At = FIRST) -> None:
        """Run a hook at calls, before or after their effect: a test can kill a process there."""
        self._traps.append(Trap(at, at.nth - 1, at.times, hook))

    def lose_answer(self, at: At = FIRST) -> None:
        """The calls have their effect; the client sees a closed connection."""
        self.on_call(_lose, replace(at, side="after"))

    def fail(self, status: int, at: At = FIRST) -> None:
        """A 5xx, without the effect or (side "after") with it."""

        def breaks(_: Call) -> None:
            raise Broken(status)

        self.on_call(breaks, at)

    def delay(self, seconds: float, at: At = FIRST) -> None:
        """The calls (or, side "after", their answers) take so many platform seconds longer."""

        async def waits(_: Call) -> None:
            await asyncio.sleep(self._clock.real(seconds))

        self.on_call(waits, at)

    def clear(self) -> None:
        """Nothing goes wrong any more."""
        self._traps.clear()

    def sprung(self, call: Call) -> list[Trap]:
        """The traps that spring at a call."""
        return [trap for trap in self._traps if trap.catches(call)]


async def spring(traps: list[Trap], side: Side, call: Call) -> None:
    """Let the traps of one side spring."""
    for trap in traps:
        if trap.at.side == side and (waiting := trap.spring(call)) is not None:
            await waiting


def _lose(call: Call) -> None:
    call.lost = True
    raise Lost
