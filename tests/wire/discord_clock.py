"""The time of a local Discord, which tests may speed up or skip, and a bell for those who wait for a state."""

from __future__ import annotations

import asyncio
from collections.abc import Callable
from datetime import UTC, datetime
from time import monotonic
from typing import TypeVar

T = TypeVar("T")


class Clock:
    """Platform seconds since the start; `speed` of them pass in a real second.

    Windows (the first response, a token's life, rate limits) are measured with it, ids and timestamps are not.
    """

    def __init__(self, speed: float = 1.0) -> None:
        self.speed = speed
        self._start = monotonic()
        self._skipped = 0.0

    def now(self) -> float:
        """Platform seconds since the start."""
        return (monotonic() - self._start) * self.speed + self._skipped

    def skip(self, seconds: float) -> None:
        """Let platform seconds pass at once."""
        self._skipped += seconds

    def real(self, seconds: float) -> float:
        """How many real seconds so many platform seconds take."""
        return seconds / self.speed


def stamp() -> str:
    """This moment, as Discord writes it."""
    return datetime.now(UTC).isoformat()


class Bell:
    """Rung whenever something happened."""

    def __init__(self) -> None:
        self._rung = asyncio.Event()

    def ring(self) -> None:
        rung, self._rung = self._rung, asyncio.Event()
        rung.set()

    async def until(self, holds: Callable[[], T], seconds: float = 10.0) -> T:
        """The first true value of `holds`; TimeoutError after so many real seconds."""
        async with asyncio.timeout(seconds):
            while not (value := holds()):
                await self._rung.wait()
        return value
