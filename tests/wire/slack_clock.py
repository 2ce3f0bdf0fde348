"""The platform's time, which a test may run faster than the real one or push forward at once."""

from __future__ import annotations

import asyncio
import time
from typing import TypeVar

T = TypeVar("T")


class Clock:
    """Seconds since the epoch as the platform counts them; each lasts `scale` real seconds."""

    def __init__(self, scale: float = 1.0) -> None:
        self.scale = scale
        self._epoch = time.time()
        self._began = time.monotonic()
        self._skipped = 0.0
        self._stamped = 0
        self._skip = asyncio.Event()

    def now(self) -> float:
        """The platform's time."""
        return self._epoch + self._skipped + (time.monotonic() - self._began) / self.scale

    def stamp(self) -> str:
        """A new message timestamp: later than every one before."""
        self._stamped = max(int(self.now() * 1_000_000), self._stamped + 1)
        return f"{self._stamped // 1_000_000}.{self._stamped % 1_000_000:06d}"

    def advance(self, seconds: float) -> None:
        """Let platform seconds pass at once, and wake whoever waited for them."""
        self._skipped += seconds
        self._skip.set()
        self._skip = asyncio.Event()

    async def sleep(self, seconds: float) -> None:
        """Wait for platform seconds."""
        until = self.now() + seconds
        while (left := until - self.now()) > 0:
            waiting = asyncio.ensure_future(self._skip.wait())
            await asyncio.wait((waiting,), timeout=left * self.scale)
            waiting.cancel()

    async def within(self, seconds: float, outcome: asyncio.Future[T]) -> T | None:
        """What the future yields, or None when it did not within platform seconds."""
        timer = asyncio.ensure_future(self.sleep(seconds))
        try:
            await asyncio.wait((timer, outcome), return_when=asyncio.FIRST_COMPLETED)
        finally:
            timer.cancel()
        return outcome.result() if outcome.done() and not outcome.cancelled() else None
