"""Disorder in what a gateway dispatches: events that come twice, late, or after later ones."""

from __future__ import annotations

import asyncio
from collections.abc import Callable

from tests.wire.discord_clock import Clock
from tests.wire.discord_sessions import Event

Tell = Callable[[Event], None]


class Disorder:
    """Passes events on, in order until a test says otherwise. Names are like "MESSAGE_CREATE"."""

    def __init__(self, clock: Clock, tell: Tell) -> None:
        self._clock = clock
        self._tell = tell
        self._duplicates: list[str] = []
        self._holding: list[str] = []
        self._held: list[Event] = []
        self._delays: list[tuple[str, float]] = []

    def duplicate(self, name: str, times: int = 1) -> None:
        """Dispatch the next events of that name twice."""
        self._duplicates += [name] * times

    def hold(self, name: str) -> None:
        """Keep back the next event of that name until `release`: what happens meanwhile overtakes it."""
        self._holding.append(name)

    def release(self) -> None:
        """Dispatch what was held."""
        held, self._held = self._held, []
        for event in held:
            self._tell(event)

    def delay(self, name: str, seconds: float) -> None:
        """Dispatch the next event of that name so many platform seconds late."""
        self._delays.append((name, seconds))

    def pass_on(self, event: Event) -> None:
        """Tell of an event, or do with it what was ordered."""
        if late := next((each for each in self._delays if each[0] == event.name), None):
            self._delays.remove(late)
            asyncio.get_running_loop().call_later(self._clock.real(late[1]), self._tell, event)
        elif event.name in self._holding:
            self._holding.remove(event.name)
            self._held.append(event)
        else:
            self._tell(event)
            if event.name in self._duplicates:
                self._duplicates.remove(event.name)
                self._tell(event)
