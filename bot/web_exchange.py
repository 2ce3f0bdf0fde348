"""One question on its way from a request to an answer, ended when nobody waits for it any more."""

from __future__ import annotations

import asyncio
from collections.abc import AsyncGenerator, Coroutine
from contextlib import aclosing
from dataclasses import dataclass
from datetime import UTC, datetime
from typing import Any, TypeVar

from fastapi import Request
from fastapi.sse import KEEPALIVE_COMMENT, format_sse_event
from starlette.requests import ClientDisconnect

from bot.web_coach import Coach
from bot.web_kinds import TOO_FAST, TOO_SLOW
from bot.web_models import AnswerBody, DeltaBody, RestartBody, answer_body
from bot.web_patience import Patience
from bot.web_problems import Problem, ProblemError, problem_of
from rag.types import Answer, Delta, Event, Restart

Result = TypeVar("Result")


@dataclass(frozen=True, slots=True)
class Asked:
    """A question, in whose conversation."""

    tenant: str
    question: str
    conversation: str
    person: str


class Exchange:
    """One question on its way to an answer.

    The coach works in a task of its own: it is neither slowed down by a slow reader nor, in the middle of an event, cut
    off by an impatient one. `aclose` ends it.
    """

    def __init__(self, coach: Coach, asked: Asked, patience: Patience) -> None:
        self._coach = coach
        self._asked = asked
        self._patience = patience
        self._first: Event | None = None
        self._come: asyncio.Queue[Event | Exception] = asyncio.Queue()
        self._task = asyncio.create_task(self._work())

    async def aclose(self) -> None:
        """End the work if it is not done."""
        self._task.cancel()
        await asyncio.wait([self._task])

    async def open(self) -> None:
        """Wait a while for the first event, so that what fails at once can still be answered with a status.

        Raises what went wrong so far; too many questions are a ProblemError (429) from here on.
        """
        self._first = await self._next(self._patience.opening)
        if isinstance(self._first, Answer) and self._first.reason == "too_fast":
            raise too_fast(self._first, datetime.now(UTC))

    async def final(self) -> AnswerBody:
        """The answer alone."""
        async with aclosing(self._events()) as events:
            async for event in events:
                final = event
        assert isinstance(final, Answer)
        return answer_body(final, self._asked.conversation)

    async def frames(self) -> AsyncGenerator[bytes, None]:
        """The events as server-sent events, an error as the last of them, comments while nothing comes."""
        try:
            async with aclosing(self._events()) as events:
                async for event in events:
                    yield self._frame(event) if event else KEEPALIVE_COMMENT
        except Exception as error:
            yield format_sse_event(event="error", data_str=problem_of(error).json_text())

    async def _work(self) -> None:
        asked = self._asked
        try:
            async with asyncio.timeout(self._patience.answer) as limit:
                stream = self._coach.ask(asked.tenant, asked.question, asked.conversation, asked.person)
                async with aclosing(stream):
                    async for event in stream:
                        self._come.put_nowait(event)
            self._come.put_nowait(AssertionError("an answer comes last"))  # nobody reads past one
        except Exception as error:  # belongs to whoever waits for the answer
            self._come.put_nowait(ProblemError(Problem.of(TOO_SLOW)) if limit.expired() else error)

    async def _events(self) -> AsyncGenerator[Event | None, None]:
        """The events, and None whenever nothing has come for a while."""
        event = self._first
        while not isinstance(event, Answer):
            yield event
            event = await self._next(self._patience.silence)
        yield event

    async def _next(self, seconds: float) -> Event | None:
        try:
            async with asyncio.timeout(seconds):
                come = await self._come.get()
        except TimeoutError:
            return None
        if isinstance(come, Exception):
            raise come
        return come

    def _frame(self, event: Event) -> bytes:
        match event:
            case Delta(text):
                return format_sse_event(event="delta", data_str=DeltaBody(text=text).model_dump_json())
            case Restart(reason):
                return format_sse_event(event="restart", data_str=RestartBody(reason=reason).model_dump_json())
            case Answer():
                body = answer_body(event, self._asked.conversation)
                return format_sse_event(event="answer", data_str=body.model_dump_json())


def too_fast(answer: Answer, now: datetime) -> ProblemError:
    """The refusal as a problem. Questions are counted by the minute, so the next one may come with the next minute."""
    return ProblemError(Problem.of(TOO_FAST, answer.text), {"retry-after": str(60 - now.second)})


async def while_connected(request: Request, work: Coroutine[Any, Any, Result]) -> Result:
    """The result of the work, which ends unfinished, with ClientDisconnect, when nobody waits for it any more."""
    working = asyncio.create_task(work)
    leaving = asyncio.create_task(_gone(request))
    try:
        await asyncio.wait((working, leaving), return_when=asyncio.FIRST_COMPLETED)
        if not working.done():
            raise ClientDisconnect
        return working.result()
    finally:
        working.cancel()
        leaving.cancel()
        await asyncio.wait((working, leaving))


async def _gone(request: Request) -> None:
    while (await request.receive())["type"] != "http.disconnect":
        pass
