"""Faults of the REST API on order: lost answers, errors, delays, and hooks at the n-th call."""

from __future__ import annotations

import asyncio
from collections.abc import Awaitable, Callable
from dataclasses import dataclass
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


@dataclass(slots=True)
class Trap:
    """Springs at the calls of a route (of any, if None) after `skip` of them, `times` times."""

    route: str | None
    skip: int
    times: int
    side: Side
    spring: Hook

    def catches(self, call: Call) -> bool:
        """Count a call, and say whether the trap springs at it."""
        if self.times == 0 or self.route not in (None, call.route):
            return False
        if self.skip:
            self.skip -= 1
            return False
        self.times -= 1
        return True


class Faults:
    """What will go wrong. `nth` counts the calls (of `route`, where given) from now on, beginning with 1."""

    def __init__(self, clock: Clock) -> None:
        self._clock = clock
        self._traps: list[Trap] = []

    def on_call(self, nth: int, hook: Hook, *, route: str | None = None, side: Side = "before", times: int = 1) -> None:
        """Run a hook at the n-th call: a test can kill a process there. What the hook raises reaches the test."""
        self._traps.append(Trap(route, nth - 1, times, side, hook))

    def lose_answer(self, nth: int = 1, *, route: str | None = None, times: int = 1) -> None:
        """The call has its effect; the client sees a closed connection."""
        self.on_call(nth, _lose, route=route, side="after", times=times)

    def fail(self, status: int, nth: int = 1, *, route: str | None = None, times: int = 1, side: Side = "before") -> None:
        """A 5xx, without the effect or (side "after") with it."""

        def breaks(_: Call) -> None:
            raise Broken(status)

        self.on_call(nth, breaks, route=route, side=side, times=times)

    def delay(self, seconds: float, nth: int = 1, *, route: str | None = None, times: int = 1, side: Side = "before") -> None:
        """The call (or, side "after", its answer) takes so many platform seconds longer."""

        async def waits(_: Call) -> None:
            await asyncio.sleep(self._clock.real(seconds))

        self.on_call(nth, waits, route=route, side=side, times=times)

    def clear(self) -> None:
        """Nothing goes wrong any more."""
        self._traps.clear()

    def sprung(self, call: Call) -> list[Trap]:
        """The traps that spring at a call."""
        return [trap for trap in self._traps if trap.catches(call)]


async def spring(traps: list[Trap], side: Side, call: Call) -> None:
    """Let the traps of one side spring."""
    for trap in traps:
        if trap.side == side and (waiting := trap.spring(call)) is not None:
            await waiting


def _lose(call: Call) -> None:
    call.lost = True
    raise Lost
