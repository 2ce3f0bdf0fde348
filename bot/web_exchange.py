"""One question on its way from a request to an answer, whole or as a stream, ended when nobody waits for it."""

from __future__ import annotations

import asyncio
from collections.abc import AsyncGenerator, Coroutine, Mapping
from contextlib import aclosing
from dataclasses import dataclass
from typing import Any, Protocol

from fastapi import Request
from fastapi.sse import EventSourceResponse, format_sse_event
from pydantic import BaseModel
from starlette.requests import ClientDisconnect
from starlette.types import Send

from bot.web_models import AnswerBody, DeltaBody, RestartBody, answer_body
from bot.web_problems import problem_of
from rag.types import Answer, Delta, Events, Restart, Tenant


class Readiness(Protocol):
    """Whether answering would work, why not, and how many documents each tenant has."""

    @property
    def ok(self) -> bool: ...
    @property
    def checks(self) -> Mapping[str, str]: ...
    @property
    def documents(self) -> Mapping[str, int]: ...


class Coach(Protocol):
    """What the web asks of the application."""

    @property
    def tenants(self) -> tuple[Tenant, ...]: ...
    def ask(self, tenant: str, text: str, conversation: str | None = None) -> Events: ...
    async def ready(self) -> Readiness: ...


@dataclass(frozen=True, slots=True)
class Exchange:
    """One question on its way to an answer."""

    coach: Coach
    tenant: str
    question: str
    conversation: str

    async def events(self) -> AsyncGenerator[tuple[str, BaseModel], None]:
        """Each event with its name, as the API shows it."""
        stream = self.coach.ask(self.tenant, self.question, conversation=self.conversation)
        async with aclosing(stream):
            async for event in stream:
                match event:
                    case Delta(text):
                        yield "delta", DeltaBody(text=text)
                    case Restart(reason):
                        yield "restart", RestartBody(reason=reason)
                    case Answer():
                        yield "answer", answer_body(event, self.conversation)

    async def final(self) -> AnswerBody:
        """The answer alone."""
        answer = None
        async with aclosing(self.events()) as events:
            async for _, body in events:
                answer = body
        assert isinstance(answer, AnswerBody), "an answer comes last"
        return answer

    async def frames(self) -> AsyncGenerator[bytes, None]:
        """The events in the wire format, an error as the last of them."""
        try:
            async with aclosing(self.events()) as events:
                async for name, body in events:
                    yield format_sse_event(event=name, data_str=body.model_dump_json())
        except Exception as error:
            yield format_sse_event(event="error", data_str=problem_of(error).json_text())


class EventStream(EventSourceResponse):
    """Server-sent events; when the client leaves, what produces them is closed at once."""

    def __init__(self, frames: AsyncGenerator[bytes, None]) -> None:
        super().__init__(frames, headers={"x-accel-buffering": "no"})
        self.frames = frames

    async def stream_response(self, send: Send) -> None:
        """Send all frames."""
        async with aclosing(self.frames):
            await super().stream_response(send)


async def while_connected(request: Request, work: Coroutine[Any, Any, AnswerBody]) -> AnswerBody:
    """The result of the work, which ends unfinished, with ClientDisconnect, when nobody waits for it any more."""
    answering = asyncio.create_task(work)
    leaving = asyncio.create_task(_gone(request))
    try:
        await asyncio.wait((answering, leaving), return_when=asyncio.FIRST_COMPLETED)
        if not answering.done():
            raise ClientDisconnect
        return answering.result()
    finally:
        answering.cancel()
        leaving.cancel()
        await asyncio.wait((answering, leaving))


async def _gone(request: Request) -> None:
    while (await request.receive())["type"] != "http.disconnect":
        pass
