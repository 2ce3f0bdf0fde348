"""What models may cost and have cost, by tenant, person and day, counted in the database that all replicas share."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from datetime import UTC, date, datetime, timedelta

from psycopg.rows import class_row

from rag import db
from rag.queries import load_queries
from rag.types import Usage

QUERIES = load_queries("budget", package="bot")


@dataclass(frozen=True, slots=True)
class Limits:
    """Tokens a UTC day for a tenant and for a person, and requests a minute for a person; 0 means no limit."""

    tenant_tokens: int = 0
    person_tokens: int = 0
    person_requests: int = 0


@dataclass(frozen=True, slots=True)
class Spent:
    """Tokens spent today by the whole tenant and by one person."""

    tenant: int
    person: int


@dataclass(frozen=True, slots=True)
class Spending:
    """One line of the bill. `unpriced` counts answers of models whose price is unknown."""

    day: date
    person: str
    model: str
    answers: int
    input: int
    output: int
    usd: float
    unpriced: int


class Budget:
    """Counts, and says when a limit is reached."""

    def __init__(self, pool: db.Pool, limits: Limits) -> None:
        self._pool = pool
        self._limits = limits

    async def seconds_to_wait(self, tenant: str, person: str, now: datetime) -> int:
        """Count a request; 0 if it may go on, else the seconds until the person's next one may."""
        if not self._limits.person_requests:
            return 0
        async with db.tenant(self._pool, tenant) as conn:
            row = {"tenant": tenant, "subject": person, "now": now}
            counted = await (await conn.execute(QUERIES["count"], row)).fetchone()
        assert counted is not None
        return 60 - now.second if counted[0] > self._limits.person_requests else 0

    async def exhausted(self, tenant: str, person: str, now: datetime) -> bool:
        """Whether today's tokens of the tenant or of the person are used up."""
        limits = self._limits
        if not limits.tenant_tokens and not limits.person_tokens:
            return False
        row = {"tenant": tenant, "person": person, "day": now.astimezone(UTC).date()}
        (spent,) = await db.fetch(self._pool, tenant, QUERIES["spent"], row, class_row(Spent))
        return _reached(spent.tenant, limits.tenant_tokens) or _reached(spent.person, limits.person_tokens)

    async def add(self, tenant: str, person: str, usage: Usage, now: datetime) -> None:
        """Put an answer's cost on the bill."""
        row = {
            "tenant": tenant,
            "person": person,
            "day": now.astimezone(UTC).date(),
            "model": usage.model,
            "input": usage.input,
            "output": usage.output,
            "usd": usage.usd,
        }
        async with db.tenant(self._pool, tenant) as conn:
            await conn.execute(QUERIES["add"], row)

    async def report(self, tenant: str, since: date) -> Sequence[Spending]:
        """The bill from that day on."""
        row = {"tenant": tenant, "since": since}
        return await db.fetch(self._pool, tenant, QUERIES["report"], row, class_row(Spending))

    async def sweep(self, tenant: str, now: datetime) -> None:
        """Forget the counts of past minutes."""
        async with db.tenant(self._pool, tenant) as conn:
            await conn.execute(QUERIES["sweep"], {"tenant": tenant, "before": now - timedelta(hours=1)})


def reset_time(now: datetime) -> datetime:
    """When today's tokens start anew: the next midnight in UTC."""
    return datetime.combine(now.astimezone(UTC).date() + timedelta(days=1), datetime.min.time(), UTC)


def _reached(spent: int, limit: int) -> bool:
    return bool(limit) and spent >= limit
