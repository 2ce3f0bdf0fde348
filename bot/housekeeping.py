"""What a server does beside answering: forgets what has rested long enough."""

from __future__ import annotations

import asyncio
import logging
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager, suppress

from bot.coach import Coach
from rag.errors import DatabaseError

log = logging.getLogger(__name__)

INTERVAL = 3_600.0
"""Seconds between two rounds."""


@asynccontextmanager
async def housekeeping(coach: Coach, retain_days: int, interval: float = INTERVAL) -> AsyncIterator[None]:
    """Make a round at once and every hour, while the block runs."""
    task = asyncio.create_task(_rounds(coach, retain_days, interval))
    try:
        yield
    finally:
        task.cancel()
        with suppress(asyncio.CancelledError):
            await task


async def _rounds(coach: Coach, retain_days: int, interval: float) -> None:
    while True:
        try:
            await coach.expire(retain_days)
        except DatabaseError:
            log.warning("old conversations could not be removed, the next round tries again")
        await asyncio.sleep(interval)
