"""The rounds of a server go on, whatever happens in one of them."""

from __future__ import annotations

import asyncio

from bot.housekeeping import housekeeping
from rag.errors import DatabaseError


class Forgetful:
    """A coach whose database is away the first time."""

    def __init__(self) -> None:
        self.rounds: list[int] = []
        self.third = asyncio.Event()

    async def expire(self, days: int) -> None:
        self.rounds.append(days)
        if len(self.rounds) == 1:
            raise DatabaseError("The database went away.")
        if len(self.rounds) == 3:
            self.third.set()


async def test_a_round_that_fails_is_followed_by_the_next() -> None:
    coach = Forgetful()
    async with housekeeping(coach, 30, interval=0):  # type: ignore[arg-type]
        await asyncio.wait_for(coach.third.wait(), 10)
    assert coach.rounds[:3] == [30, 30, 30]
