"""A conversation belongs to one person, can be taken along, and is really gone when it is deleted."""

from __future__ import annotations

from datetime import UTC, datetime, timedelta

import pytest

from bot.conversations import Conversations, Talk
from rag import db
from rag.types import Answer

TALK = Talk("t", "conversation-1", "anna")


@pytest.fixture
def conversations(pool: db.Pool) -> Conversations:
    return Conversations(pool)


def answer(number: int, kind: str = "answer") -> Answer:
    return Answer(f"answer-{number}", kind, "none", f"text {number}", f"question {number}")  # type: ignore[arg-type]


async def test_follow_ups_see_the_last_answered_exchanges_oldest_first(conversations: Conversations) -> None:
    for number in range(5):
        await conversations.add(TALK, answer(number), 10)
    await conversations.add(TALK, answer(9, "unknown"), 10)
    assert [turn.question for turn in await conversations.turns(TALK)] == ["question 2", "question 3", "question 4"]


@pytest.mark.parametrize("other", [Talk("t", "conversation-1", "ben"), Talk("u", "conversation-1", "anna")])
async def test_nobody_else_reads_continues_or_deletes_it(conversations: Conversations, other: Talk) -> None:
    await conversations.add(TALK, answer(1), 10)
    assert await conversations.turns(other) == () and list(await conversations.export(other)) == []
    assert not await conversations.delete(other)
    if other.tenant == TALK.tenant:
        await conversations.add(other, answer(2), 10)
    assert [one.asked for one in await conversations.export(TALK)] == ["question 1"]


async def test_deleting_leaves_no_trace_of_what_was_said(conversations: Conversations, pool: db.Pool) -> None:
    await conversations.add(TALK, answer(1), 10)
    await conversations.rate("t", "answer-1", "anna", False, "wrong")
    assert await conversations.delete(TALK) and not await conversations.delete(TALK)
    async with db.tenant(pool, "t") as conn:
        for table in ("conversations", "answers", "feedback"):
            cursor = await conn.execute(f"select count(*) from {table}")
            assert await cursor.fetchone() == (0,)


async def test_an_export_holds_everything_with_the_persons_verdict(conversations: Conversations) -> None:
    await conversations.add(TALK, answer(1), 10)
    await conversations.add(TALK, answer(2, "refusal"), 10)
    await conversations.rate("t", "answer-1", "anna", True, None)
    first, second = await conversations.export(TALK)
    assert (first.asked, first.text, first.helpful) == ("question 1", "text 1", True)
    assert (second.kind, second.helpful) == ("refusal", None)


async def test_a_second_verdict_takes_the_place_of_the_first(conversations: Conversations) -> None:
    await conversations.add(TALK, answer(1), 10)
    assert await conversations.rate("t", "answer-1", "anna", True, "good")
    assert await conversations.rate("t", "answer-1", "anna", False, "on second thought")
    (exchange,) = await conversations.export(TALK)
    assert (exchange.helpful, exchange.comment) == (False, "on second thought")
    assert not await conversations.rate("t", "no-such-answer", "anna", True, None)


async def test_conversations_expire_by_their_last_exchange(conversations: Conversations, pool: db.Pool) -> None:
    await conversations.add(TALK, answer(1), 10)
    await conversations.add(Talk("t", "conversation-2", "anna"), answer(2), 10)
    async with db.tenant(pool, "t") as conn:
        await conn.execute("update conversations set last_at = now() - interval '40 days' where id = 'conversation-1'")
    assert await conversations.expire("t", datetime.now(UTC) - timedelta(days=30)) == 1
    assert list(await conversations.export(TALK)) == []
