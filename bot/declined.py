"""What was declined: kept for a while, so that moderators see what is missing in the documents and put right what was
wrongly turned away."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Hashable, Sequence
from dataclasses import dataclass
from datetime import datetime

from psycopg.rows import class_row, scalar_row

from bot.conversations import Talk
from bot.taught import Example, Taught
from guardrails.wordings import REASONS, Label
from rag import db, lexicon
from rag.answer import NEARBY
from rag.errors import UserError
from rag.queries import load_queries
from rag.types import Answer, Question, Turn

QUERIES = load_queries("declined", package="bot")
PASSING = frozenset({"too_fast", "empty"})
"""Reasons that say nothing of what was asked: such answers are not kept."""
JUDGED = frozenset({*REASONS.values(), "not_covered"}) - {"none"}
"""Reasons that examples have a say in."""
LABELS: tuple[Label, ...] = ("answer", "smalltalk", "off_topic", "exam_integrity", "injection")
"""What a message can be said to be. What belongs to another tenant is a matter of terms, not of examples."""


@dataclass(frozen=True, slots=True)
class Decline:
    """A message that was declined. `nearest` are titles of documents, nearest first; `judged` is "wrong", "right" or
    None."""

    id: str
    at: datetime
    asked: str
    kind: str
    reason: str
    rule: str | None
    nearest: Sequence[str]
    judged: str | None


@dataclass(frozen=True, slots=True)
class Gap:
    """A question that the documents do not cover: its latest wording, how often and when it was last asked, and the
    title of the nearest document, "" if there is none."""

    nearest: str
    asked: str
    times: int
    last: datetime


@dataclass(frozen=True, slots=True)
class _Uncovered:
    asked: str
    at: datetime
    nearest: str


class Declined:
    """Keeps what was declined in the database, and teaches the judge what moderators say of it."""

    def __init__(self, pool: db.Pool, judge: Taught) -> None:
        self._pool = pool
        self._judge = judge

    async def add(self, tenant: str, answer: Answer, history: tuple[Turn, ...] = ()) -> None:
        """Keep an answer that declined; any other is left alone. `history` is what the asker had said before."""
        if answer.kind == "answer" or answer.reason in PASSING:
            return
        titles = dict.fromkeys(passage.title for passage in answer.passages if passage.title)
        row = {
            "tenant": tenant,
            "id": answer.id,
            "asked": answer.asked,
            "kind": answer.kind,
            "reason": answer.reason,
            "rule": await self._rule(Question(tenant, answer.asked, history), answer),
            "nearest": list(titles)[:NEARBY],
        }
        async with db.tenant(self._pool, tenant) as conn:
            await conn.execute(QUERIES["add"], row)

    async def recent(self, tenant: str, n: int) -> Sequence[Decline]:
        """The last n, newest first."""
        return await db.fetch(self._pool, tenant, QUERIES["recent"], {"tenant": tenant, "n": n}, class_row(Decline))

    async def mark_wrong(self, tenant: str, id: str, label: Label = "answer", by: str = "operator") -> None:
        """Say what a declined message is; it and messages like it are judged so from now on.

        Raises UserError for an id that is unknown, and for a message that no example would have helped.
        """
        row = {"tenant": tenant, "id": id, "label": label, "by": by, "judged": "wrong"}
        async with db.tenant(self._pool, tenant) as conn:
            found = await conn.cursor(row_factory=class_row(Decline)).execute(QUERIES["one"], row)
            decline = await found.fetchone()
            row["asked"] = _teachable(decline, tenant, id).asked
            for query in ("unlearn", "learn", "judge"):
                await conn.execute(QUERIES[query], row)
        await self.learn(tenant)

    async def undo(self, tenant: str, id: str) -> None:
        """Take back what was said of a message, also when the message itself is no longer kept.

        Raises UserError where nothing was said.
        """
        row: dict[str, object] = {"tenant": tenant, "id": id, "judged": None}
        async with db.tenant(self._pool, tenant) as conn:
            row["asked"] = await self._asked(conn, row)
            if not (await conn.execute(QUERIES["unlearn"], row)).rowcount:
                raise UserError(f"Nothing was said of {id!r} that could be undone. {_remedy(tenant)}")
            await conn.execute(QUERIES["judge"], row)
        await self.learn(tenant)

    async def learn(self, tenant: str) -> None:
        """Teach the judge the tenant's examples as they stand."""
        examples = await db.fetch(self._pool, tenant, QUERIES["examples"], {"tenant": tenant}, class_row(Example))
        self._judge.teach(tenant, examples)

    async def coverage(self, tenant: str, days: int) -> Sequence[Gap]:
        """The questions of the last days that the documents do not cover, most frequent first.

        Questions are one if the same document lies nearest and they are of the same terms, whatever their case.
        """
        parameters = {"tenant": tenant, "days": days}
        rows = await db.fetch(self._pool, tenant, QUERIES["uncovered"], parameters, class_row(_Uncovered))
        alike: defaultdict[Hashable, list[_Uncovered]] = defaultdict(list)
        for row in rows:
            alike[row.nearest, frozenset(lexicon.words(row.asked.casefold())) or row.asked].append(row)
        gaps = [Gap(same[0].nearest, same[0].asked, len(same), same[0].at) for same in alike.values()]
        return sorted(gaps, key=lambda gap: gap.times, reverse=True)

    async def forget(self, talk: Talk) -> None:
        """Remove what was declined in a conversation, and the examples made from it."""
        row = {"tenant": talk.tenant, "conversation": talk.id, "person": talk.person}
        async with db.tenant(self._pool, talk.tenant) as conn:
            await conn.execute(QUERIES["forget"], row)
        await self.learn(talk.tenant)

    async def expire(self, tenant: str, before: datetime) -> None:
        """Remove what was declined before. What was learned from it stays."""
        async with db.tenant(self._pool, tenant) as conn:
            await conn.execute(QUERIES["expire"], {"tenant": tenant, "before": before})

    async def _rule(self, question: Question, answer: Answer) -> str | None:
        """The rule that turned a message away: the judge is asked once more, which embeds nothing anew."""
        if answer.kind != "refusal" or answer.reason not in JUDGED:
            return None
        verdict = await self._judge.judge(question)
        return verdict.rule if REASONS[verdict.label] == answer.reason else None

    async def _asked(self, conn: db.Connection, row: dict[str, object]) -> str | None:
        found = await conn.cursor(row_factory=scalar_row).execute(QUERIES["taught"], row)
        taught: str | None = await found.fetchone()
        if taught is not None:
            return taught
        kept = await (await conn.cursor(row_factory=class_row(Decline)).execute(QUERIES["one"], row)).fetchone()
        return kept.asked if kept else None


def _teachable(decline: Decline | None, tenant: str, id: str) -> Decline:
    if decline is None:
        raise UserError(f"Nothing that was declined has the id {id!r}. {_remedy(tenant)}")
    if decline.reason not in JUDGED:
        raise UserError(f"{id!r} was declined for {decline.reason}, which no example changes. {_remedy(tenant)}")
    return decline


def _remedy(tenant: str) -> str:
    return f"`certcoach refusals {tenant}` lists what is kept."
