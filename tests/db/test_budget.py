"""Limits are counted where all replicas see them."""

from __future__ import annotations

from datetime import UTC, datetime

from bot.budget import Budget, Limits, reset_time
from rag import db
from rag.types import Usage

NOW = datetime(2026, 3, 1, 23, 59, 40, tzinfo=UTC)
TOMORROW = datetime(2026, 3, 2, 0, 0, 1, tzinfo=UTC)


async def test_requests_over_the_rate_wait_for_the_next_minute_over_replicas(pool: db.Pool) -> None:
    replicas = [Budget(pool, Limits(person_requests=3)), Budget(pool, Limits(person_requests=3))]
    waits = [await replicas[number % 2].seconds_to_wait("t", "anna", NOW) for number in range(5)]
    assert waits == [0, 0, 0, 20, 20]
    assert await replicas[0].seconds_to_wait("t", "ben", NOW) == 0
    assert await replicas[0].seconds_to_wait("t", "anna", TOMORROW) == 0


async def test_a_persons_tokens_and_a_tenants_tokens_are_counted_by_day(pool: db.Pool) -> None:
    budget = Budget(pool, Limits(tenant_tokens=100, person_tokens=50))
    await budget.add("t", "anna", Usage("m", 40, 15, 0.5), NOW)
    assert await budget.exhausted("t", "anna", NOW)
    assert not await budget.exhausted("t", "ben", NOW)
    await budget.add("t", "ben", Usage("m", 40, 5, None), NOW)
    assert await budget.exhausted("t", "carla", NOW), "the tenant's tokens are used up"
    assert not await budget.exhausted("t", "anna", TOMORROW)
    assert not await budget.exhausted("u", "anna", NOW)


async def test_no_limit_means_no_limit(pool: db.Pool) -> None:
    budget = Budget(pool, Limits())
    await budget.add("t", "anna", Usage("m", 10**9, 0, None), NOW)
    assert not await budget.exhausted("t", "anna", NOW)
    assert await budget.seconds_to_wait("t", "anna", NOW) == 0


async def test_the_bill_adds_up_by_day_person_and_model(pool: db.Pool) -> None:
    budget = Budget(pool, Limits())
    for _ in range(2):
        await budget.add("t", "anna", Usage("m", 40, 10, 0.25), NOW)
    await budget.add("t", "anna", Usage("n", 1, 1, None), NOW)
    first, second = await budget.report("t", NOW.date())
    assert (first.model, first.answers, first.input, first.output, first.usd) == ("m", 2, 80, 20, 0.5)
    assert (second.model, second.usd, second.unpriced) == ("n", 0, 1)


async def test_past_minutes_are_forgotten(pool: db.Pool) -> None:
    budget = Budget(pool, Limits(person_requests=1))
    await budget.seconds_to_wait("t", "anna", NOW.replace(hour=3))
    await budget.sweep("t", NOW)
    async with db.tenant(pool, "t") as conn:
        assert await (await conn.execute("select count(*) from rates")).fetchone() == (0,)


def test_the_day_ends_at_midnight_utc() -> None:
    assert reset_time(NOW) == datetime(2026, 3, 2, tzinfo=UTC)
