"""A mask means the same in all replicas as long as the conversation lives, and nothing leads back to the value."""

from __future__ import annotations

import asyncio

from bot.conversations import Conversations, Talk
from guardrails.entrance import Entrance
from guardrails.maskbook import MaskBook, Place
from rag import db

HERE = Place("t", "conversation-1", "anna")
KEY = "AKIA" + "FAKE" * 4


async def said(pool: db.Pool, text: str, place: Place = HERE) -> str:
    return (await Entrance(masks=MaskBook(pool)).question(place, text)).text


async def test_a_value_keeps_its_number_in_a_conversation_over_replicas(pool: db.Pool) -> None:
    assert await said(pool, "a@x.org and b@x.org") == "[EMAIL_1] and [EMAIL_2]"
    assert await said(pool, "B@x.org, then c@x.org") == "[EMAIL_2], then [EMAIL_3]"


async def test_replicas_that_speak_at_once_give_no_number_twice(pool: db.Pool) -> None:
    texts = await asyncio.gather(*(said(pool, f"person{number}@x.org") for number in range(6)))
    assert sorted(texts) == [f"[EMAIL_{number}]" for number in range(1, 7)]


async def test_another_conversation_counts_for_itself(pool: db.Pool) -> None:
    assert await said(pool, "a@x.org") == "[EMAIL_1]"
    assert await said(pool, "b@x.org", Place("t", "conversation-2", "anna")) == "[EMAIL_1]"
    assert await said(pool, "c@x.org", Place("t", "conversation-1", "ben")) == "[EMAIL_1]"
    assert await said(pool, "d@x.org", Place("u", "conversation-1", "anna")) == "[EMAIL_1]"


async def rows(pool: db.Pool) -> list[tuple[object, ...]]:
    async with db.tenant(pool, "t") as conn:
        return await (await conn.execute("select type, digest, number from masks")).fetchall()


async def test_of_a_secret_nothing_is_kept(pool: db.Pool) -> None:
    assert await said(pool, f"{KEY} of a@x.org") == "[AWS_ACCESS_KEY_1] of [EMAIL_1]"
    assert [row[0] for row in await rows(pool)] == ["EMAIL"]


async def test_the_digest_is_too_short_to_find_a_value_from(pool: db.Pool) -> None:
    await said(pool, "a@x.org")
    ((_, digest, _),) = await rows(pool)
    assert isinstance(digest, bytes) and len(digest) == 2


async def test_masks_go_with_their_conversation(pool: db.Pool) -> None:
    await said(pool, "a@x.org")
    assert await Conversations(pool).delete(Talk("t", "conversation-1", "anna"))
    assert await rows(pool) == []


async def test_without_a_conversation_nothing_is_kept(pool: db.Pool) -> None:
    assert await said(pool, "a@x.org", Place("t", "", "anna")) == "[EMAIL_1]"
    assert await rows(pool) == []
