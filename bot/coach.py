"""The application service: a text asked of a tenant becomes an answer, whoever asks and wherever."""

from __future__ import annotations

import logging
from collections.abc import Callable, Mapping, Sequence
from contextlib import aclosing
from dataclasses import dataclass, replace
from datetime import UTC, datetime, timedelta
from time import perf_counter

from bot.budget import Budget, reset_time
from bot.conversations import Conversations, Exchange, Talk
from bot.declined import Declined
from bot.metrics import measured
from guardrails.entrance import Entrance
from guardrails.maskbook import Place
from ingest.sources import Catalogue
from rag import db, trace
from rag.answer import refusal
from rag.errors import DatabaseError
from rag.library import Library
from rag.types import Answer, Answerer, Events, Notice, Question, Tenant

log = logging.getLogger(__name__)

COMMENT = 2_000
"""Characters kept of a comment."""


@dataclass(frozen=True, slots=True)
class Readiness:
    """Whether questions can be answered. Each check is "ok" or says what is wrong and what to do."""

    checks: Mapping[str, str]
    documents: Mapping[str, int]

    @property
    def ok(self) -> bool:
        return all(outcome == "ok" for outcome in self.checks.values())


@dataclass(frozen=True, slots=True)
class Answerers:
    """The onion with a language model inside, if there is one, and the onion that quotes."""

    writing: Answerer | None
    quoting: Answerer


@dataclass(frozen=True, slots=True)
class Memory:
    """What outlives an answer: what was said, what it cost, what is known; and where words come in."""

    pool: db.Pool
    library: Library
    conversations: Conversations
    declined: Declined
    budget: Budget
    entrance: Entrance


class Coach:
    """Answers for the tenants of one catalogue."""

    def __init__(
        self,
        catalogue: Catalogue,
        answerers: Answerers,
        memory: Memory,
        new_id: Callable[[], str],
        clock: Callable[[], datetime] = lambda: datetime.now(UTC),
    ) -> None:
        self._catalogue = catalogue
        self._answerers = answerers
        self._memory = memory
        self._new_id = new_id
        self._clock = clock

    @property
    def tenants(self) -> tuple[Tenant, ...]:
        return tuple(self._catalogue.tenants.values())

    def ask(self, tenant: str, text: str, conversation: str | None = None, person: str = "local") -> Events:
        """The answer's events; UnknownTenant for a tenant that nobody studies here.

        Follow-ups see the last exchanges of the person's conversation of that name; without a name nothing is kept but
        what was declined.
        """
        talk = Talk(self._catalogue.tenant(tenant).slug, conversation or "", person)
        return measured(talk.tenant, trace.question(talk.tenant, self._answer(talk, text)))

    async def _answer(self, talk: Talk, text: str) -> Events:
        now, begun = self._clock(), perf_counter()
        wait = await self._memory.budget.seconds_to_wait(talk.tenant, talk.person, now)
        if wait:
            question = Question(talk.tenant, self._memory.entrance.words(talk.tenant, text))
            yield _too_fast(self._new_id(), question, wait)
            return
        turns = await self._memory.conversations.turns(talk) if talk.id else ()
        with trace.span("redact", "GUARDRAIL", tenant=talk.tenant):
            question = await self._memory.entrance.question(Place(talk.tenant, talk.id, talk.person), text, turns)
        answerer, question = await self._answerer(talk, question, now)
        async with aclosing(answerer.answer(question)) as events:
            async for event in events:
                if isinstance(event, Answer):
                    await self._keep(talk, question, event, round(1000 * (perf_counter() - begun)))
                yield event

    async def rate(self, tenant: str, answer: str, helpful: bool, comment: str = "", person: str = "local") -> bool:
        """Keep a verdict on an answer, its comment redacted; whether the answer is known."""
        slug = self._catalogue.tenant(tenant).slug
        words = self._memory.entrance.words(slug, comment)[:COMMENT] or None
        return await self._memory.conversations.rate(slug, answer, person, helpful, words)

    async def export(self, tenant: str, conversation: str, person: str = "local") -> Sequence[Exchange]:
        """Everything that is kept of the person's conversation, oldest first."""
        return await self._memory.conversations.export(Talk(self._catalogue.tenant(tenant).slug, conversation, person))

    async def forget(self, tenant: str, conversation: str, person: str = "local") -> bool:
        """Remove the person's conversation for good; whether there was one."""
        talk = Talk(self._catalogue.tenant(tenant).slug, conversation, person)
        await self._memory.declined.forget(talk)
        return await self._memory.conversations.delete(talk)

    async def expire(self, days: int) -> None:
        """Remove the conversations that nobody has continued for so many days, what was declined before, and the counts
        of past minutes; and learn what moderators have said elsewhere in the meantime."""
        now = self._clock()
        for tenant in self.tenants:
            await self._memory.conversations.expire(tenant.slug, now - timedelta(days=days))
            await self._memory.declined.expire(tenant.slug, now - timedelta(days=days))
            await self._memory.declined.learn(tenant.slug)
            await self._memory.budget.sweep(tenant.slug, now)

    async def ready(self) -> Readiness:
        """Look at what an answer needs: the database, and documents for each tenant."""
        try:
            documents = {tenant.slug: await self._memory.library.count(tenant.slug) for tenant in self.tenants}
        except DatabaseError as error:
            return Readiness({"database": str(error)}, {})
        checks = {"database": "ok", "corpus": "ok"}
        if empty := [slug for slug, count in documents.items() if not count]:
            checks["corpus"] = f"No documents for {', '.join(empty)}. Run `certcoach ingest`."
        return Readiness(checks, documents)

    async def _answerer(self, talk: Talk, question: Question, now: datetime) -> tuple[Answerer, Question]:
        if self._answerers.writing is None:
            return self._answerers.quoting, question
        if await self._memory.budget.exhausted(talk.tenant, talk.person, now):
            return self._answerers.quoting, replace(question, notices=(*question.notices, _used_up(now)))
        return self._answerers.writing, question

    async def _keep(self, talk: Talk, question: Question, answer: Answer, milliseconds: int) -> None:
        """Remember the exchange and its cost. An answer that cannot be remembered is still an answer."""
        try:
            if answer.usage is not None:
                await self._memory.budget.add(talk.tenant, talk.person, answer.usage, self._clock())
            if talk.id:
                await self._memory.conversations.add(talk, answer, milliseconds)
            await self._memory.declined.add(talk.tenant, answer, question.history)
        except DatabaseError:
            log.warning("an exchange could not be kept", extra={"tenant": talk.tenant, "answer": answer.id})


def _too_fast(answer_id: str, question: Question, wait: int) -> Answer:
    return refusal(answer_id, question, "too_fast", f"That is a lot of questions. The next one can come in {wait} s.")


def _used_up(now: datetime) -> Notice:
    until = reset_time(now).strftime("%Y-%m-%d %H:%M UTC")
    return Notice("budget", f"Today's budget for the language model is used up until {until}: these are quotes.")
