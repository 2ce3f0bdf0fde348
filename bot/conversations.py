"""What was said before: redacted exchanges that follow-ups lean on, kept for a while, exportable and deletable."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from datetime import datetime

from psycopg.rows import class_row

from rag import db
from rag.queries import load_queries
from rag.types import Answer, Turn

QUERIES = load_queries("conversations", package="bot")
TURNS = 3
"""Exchanges that a follow-up sees."""


@dataclass(frozen=True, slots=True)
class Talk:
    """Whose conversation: nobody else can read, continue or delete it."""

    tenant: str
    id: str
    person: str


@dataclass(frozen=True, slots=True)
class Exchange:
    """One exchange as it is exported to the person whose it is."""

    id: str
    at: datetime
    asked: str
    kind: str
    reason: str
    text: str
    helpful: bool | None
    comment: str | None


class Conversations:
    """Keeps conversations in the database."""

    def __init__(self, pool: db.Pool) -> None:
        self._pool = pool

    async def turns(self, talk: Talk) -> tuple[Turn, ...]:
        """The last answered exchanges, oldest first."""
        return tuple(
            await db.fetch(self._pool, talk.tenant, QUERIES["turns"], {**_scope(talk), "n": TURNS}, class_row(Turn))
        )

    async def add(self, talk: Talk, answer: Answer, milliseconds: int) -> None:
        """Keep an exchange. A conversation of somebody else is left alone."""
        row = {
            **_scope(talk),
            "id": answer.id,
            "asked": answer.asked,
            "kind": answer.kind,
            "reason": answer.reason,
            "text": answer.text,
            "confidence": answer.confidence,
            "milliseconds": milliseconds,
        }
        async with db.tenant(self._pool, talk.tenant) as conn:
            opened = await (await conn.execute(QUERIES["open"], row)).fetchone()
            if opened is not None:
                await conn.execute(QUERIES["add"], row)

    async def export(self, talk: Talk) -> Sequence[Exchange]:
        """All exchanges of the conversation, oldest first."""
        return await db.fetch(self._pool, talk.tenant, QUERIES["export"], _scope(talk), class_row(Exchange))

    async def delete(self, talk: Talk) -> bool:
        """Remove the conversation with all that was said and rated in it; whether there was one."""
        async with db.tenant(self._pool, talk.tenant) as conn:
            return (await conn.execute(QUERIES["delete"], _scope(talk))).rowcount > 0

    async def expire(self, tenant: str, before: datetime) -> int:
        """Remove the conversations that nobody has continued since; how many."""
        async with db.tenant(self._pool, tenant) as conn:
            return (await conn.execute(QUERIES["expire"], {"tenant": tenant, "before": before})).rowcount

    async def rate(self, tenant: str, answer: str, person: str, helpful: bool, comment: str | None) -> bool:
        """Keep a person's verdict on an answer, in the place of an earlier one; whether the answer is known."""
        row = {"tenant": tenant, "answer": answer, "person": person, "helpful": helpful, "comment": comment}
        async with db.tenant(self._pool, tenant) as conn:
            return (await conn.execute(QUERIES["rate"], row)).rowcount > 0


def _scope(talk: Talk) -> dict[str, object]:
    return {"tenant": talk.tenant, "conversation": talk.id, "person": talk.person}
