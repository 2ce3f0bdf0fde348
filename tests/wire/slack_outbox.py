"""How the platform delivers to an app: once, waiting for the acknowledgement, and again when none comes."""

from __future__ import annotations

import asyncio
import random
from collections.abc import AsyncIterator, Callable
from contextlib import asynccontextmanager, suppress
from dataclasses import dataclass, field
from typing import Protocol

from tests.wire.slack_clock import Clock
from tests.wire.slack_json import Json
from tests.wire.slack_limits import ACK_SECONDS, RETRY_AFTER_SECONDS
from tests.wire.slack_record import Delivery, Kind, Record

Order = Callable[[list["Parcel"]], list["Parcel"]]


@dataclass(frozen=True, slots=True)
class Parcel:
    """Something to deliver. `id` is the event's, or one of ours for what is not an event.

    `taken` gets what the acknowledgement carries, the moment it arrives: what the app sends next comes after it.
    """

    kind: Kind
    id: str
    payload: Json
    taken: Callable[[Json], None] = field(default=lambda payload: None)


@dataclass(frozen=True, slots=True)
class Receipt:
    """What came of an attempt: `failure` names the reason that the next attempt will carry."""

    failure: str = ""
    payload: Json = field(default_factory=dict)
    refused_retry: bool = False


class Transport(Protocol):
    """A way to the app; `attempt` counts from 0, `reason` says why the last one failed."""

    async def offer(self, parcel: Parcel, attempt: int, reason: str) -> Receipt: ...


class Outbox:
    """Delivers parcels over a transport. Events are retried as PLATFORMS.md says, the rest is not."""

    def __init__(self, clock: Clock, record: Record, transport: Transport, chance: random.Random) -> None:
        self.clock = clock
        self.record = record
        self.transport = transport
        self.chance = chance
        self._tasks: set[asyncio.Task[Delivery]] = set()
        self._held: list[Parcel] | None = None
        self._attempting = 0

    def send(self, parcel: Parcel) -> None:
        """Deliver an event in the background."""
        if self._held is not None:
            self._held.append(parcel)
            return
        task = asyncio.ensure_future(self._with_retries(parcel))
        self._tasks.add(task)
        task.add_done_callback(self._tasks.discard)

    async def attempt(self, parcel: Parcel, attempt: int = 0, reason: str = "") -> Delivery:
        """Deliver once and record how that went."""
        at = self.clock.now()
        self._attempting += 1
        try:
            receipt = await self.transport.offer(parcel, attempt, reason)
        finally:
            self._attempting -= 1
        delivery = Delivery(
            kind=parcel.kind,
            id=parcel.id,
            attempt=attempt,
            at=at,
            acked=not receipt.failure,
            latency=self.clock.now() - at,
            failure=receipt.failure,
            payload=receipt.payload,
            refused_retry=receipt.refused_retry,
        )
        self.record.deliveries.append(delivery)
        self.record.changed()
        return delivery

    async def _with_retries(self, parcel: Parcel) -> Delivery:
        delivery = await self.attempt(parcel)
        for number, pause in enumerate(RETRY_AFTER_SECONDS, start=1):
            if delivery.acked or delivery.refused_retry:
                break
            await self.clock.sleep(pause)
            delivery = await self.attempt(parcel, number, delivery.failure)
        return delivery

    async def settled(self) -> None:
        """Wait until no attempt is under way; retries that are due later do not count."""
        await asyncio.sleep(0)
        await self.record.until(lambda: not self._attempting)

    @asynccontextmanager
    async def held(self, order: Order | None = None) -> AsyncIterator[None]:
        """Keep events back until the block ends, then send them in another order: shuffled, or as `order` says."""
        kept: list[Parcel] = []
        self._held = kept
        try:
            yield
        finally:
            self._held = None
            for parcel in order(kept) if order else self.chance.sample(kept, len(kept)):
                self.send(parcel)

    async def close(self) -> None:
        """Stop delivering."""
        for task in tuple(self._tasks):
            task.cancel()
            with suppress(asyncio.CancelledError):
                await task


async def acknowledged(clock: Clock, answer: asyncio.Future[Json]) -> Json | None:
    """What the app answered within its three seconds, or None."""
    return await clock.within(ACK_SECONDS, answer)
