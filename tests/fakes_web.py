"""A coach whose answers are written down, and a real server around it, for tests of what people and programs see."""

from __future__ import annotations

import asyncio
import socket
from collections.abc import AsyncIterator, Callable, Iterator, Sequence
from contextlib import asynccontextmanager, contextmanager
from dataclasses import dataclass, field, replace
from datetime import UTC, datetime, timedelta

import uvicorn
from fastapi import FastAPI

from bot.coach import Readiness
from bot.conversations import Exchange, Talk
from bot.web import create_app
from bot.web_door import Access
from rag.errors import UnknownTenant
from rag.types import Answer, Blueprint, Citation, Delta, Event, Events, Passage, Tenant

BEGAN = datetime(2026, 1, 2, 3, 4, 5, tzinfo=UTC)

RACKS = Passage(
    chunk_id=1,
    document="groups",
    url="https://docs.example/groups",
    title="Placement groups",
    citation="User Guide",
    heading="Placement groups > Strategies > Partition",
    text="A partition is a segment. **Each partition** has its own set of racks. Racks have their own power.",
    before="What came before.",
    after="What came after.",
    dated="2024-05-30",
)
LIMITS = Passage(
    chunk_id=2,
    document="limits",
    url="https://docs.example/limits",
    title="Rules and limits",
    citation="User Guide",
    heading="Rules and limits",
    text="| Group | Most |\n|---|---|\n| partition | seven partitions |\n| spread | seven instances |",
    before="",
    after="",
    dated=None,
)
TEXT = (
    "Choose a **partition** group. Each partition has its own set of racks [1].\n\n"
    "- At most seven partitions for a partition group. [2]\n\n"
    "```sh\naws ec2 describe-placement-groups --group-names a-group-with-a-rather-long-name --output table\n```\n\n"
    "| Group | Most |\n|---|---|\n| partition | seven partitions in each zone of the region [2] |\n"
)


def answer(asked: str, text: str = TEXT, answer_id: str = "a") -> Answer:
    """An answer with two sources."""
    cited = [Citation(n + 1, n, each.url, each.title, each.heading) for n, each in enumerate((RACKS, LIMITS))]
    return Answer(answer_id, "answer", "none", text, asked, tuple(cited), (RACKS, LIMITS), confidence=0.92)


def tenant(slug: str, title: str) -> Tenant:
    topics = ("placement groups", "storage classes", "endpoints")
    return Tenant(slug, title, "X-1", "UTC", topics, Blueprint("1", "2024-01-01", True, ()), ())


TENANTS = (
    tenant("aws-saa", "AWS Certified Solutions Architect – Associate"),
    tenant("gcp-ace", "Google Associate Cloud Engineer"),
)


@dataclass(slots=True)
class ScriptedCoach:
    """Plays its events, then raises its error if it has one; without a script it answers.

    From the event number `early` on it waits until the test lets it go on. `failures` is how many questions fail
    first. It keeps conversations and verdicts, and notes who asked what, and how it ended.
    """

    events: tuple[Event, ...] = ()
    error: Exception | None = None
    early: int | None = None
    failures: int = 0
    answer: Callable[[str], Answer] | None = None
    readiness: Readiness = field(default_factory=lambda: Readiness({"database": "ok"}, {"aws-saa": 12, "gcp-ace": 1}))
    unready: int = 0
    tenants: tuple[Tenant, ...] = TENANTS
    asked: list[tuple[Talk, str]] = field(default_factory=list)
    kept: dict[Talk, list[Exchange]] = field(default_factory=dict)
    raters: list[str] = field(default_factory=list)
    begun: asyncio.Event = field(default_factory=asyncio.Event)
    go_on: asyncio.Event = field(default_factory=asyncio.Event)
    closed: asyncio.Event = field(default_factory=asyncio.Event)

    async def ask(self, tenant: str, text: str, conversation: str | None = None, person: str = "local") -> Events:
        talk = Talk(tenant, conversation or "", person)
        self.asked.append((talk, text))
        if tenant not in {known.slug for known in self.tenants}:
            raise UnknownTenant(tenant, [known.slug for known in self.tenants])
        try:
            for position, event in enumerate(self._script(text)):
                if position == self.early:
                    await self._pause()
                if isinstance(event, Answer):
                    self._keep(talk, event)
                yield event
            if self.error:
                raise self.error
        finally:
            self.closed.set()

    async def rate(self, tenant: str, answer: str, helpful: bool, comment: str = "", person: str = "local") -> bool:
        for talk, kept in self.kept.items():
            for position, each in enumerate(kept):
                if talk.tenant == tenant and each.id == answer:
                    kept[position] = replace(each, helpful=helpful, comment=comment or None)
                    self.raters.append(person)
                    return True
        return False

    async def export(self, tenant: str, conversation: str, person: str = "local") -> Sequence[Exchange]:
        return self.kept.get(Talk(tenant, conversation, person), ())

    async def forget(self, tenant: str, conversation: str, person: str = "local") -> bool:
        return self.kept.pop(Talk(tenant, conversation, person), None) is not None

    async def ready(self) -> Readiness:
        if self.unready:
            self.unready -= 1
            raise RuntimeError("not yet")
        return self.readiness

    def _script(self, text: str) -> tuple[Event, ...]:
        if self.failures:
            self.failures -= 1
            raise RuntimeError("broken")
        if self.events or self.error:
            return self.events
        number = str(len(self.asked))
        return (self.answer(text),) if self.answer else (Delta(TEXT), answer(text, answer_id=f"answer-{number}"))

    async def _pause(self) -> None:
        self.begun.set()
        await self.go_on.wait()

    def _keep(self, talk: Talk, given: Answer) -> None:
        kept = self.kept.setdefault(talk, [])
        at = BEGAN + timedelta(seconds=len(self.asked))
        kept.append(Exchange(given.id, at, given.asked, given.kind, given.reason, given.text, None, None))


@dataclass(slots=True)
class Stage:
    """Where one server serves all tests of a module, each with a coach of its own."""

    url: str = ""
    coach: ScriptedCoach = field(default_factory=ScriptedCoach)

    @property
    def tenants(self) -> tuple[Tenant, ...]:
        return self.coach.tenants

    def ask(self, tenant: str, text: str, conversation: str | None = None, person: str = "local") -> Events:
        return self.coach.ask(tenant, text, conversation, person)

    async def rate(self, tenant: str, answer: str, helpful: bool, comment: str = "", person: str = "local") -> bool:
        return await self.coach.rate(tenant, answer, helpful, comment, person)

    async def export(self, tenant: str, conversation: str, person: str = "local") -> Sequence[Exchange]:
        return await self.coach.export(tenant, conversation, person)

    async def forget(self, tenant: str, conversation: str, person: str = "local") -> bool:
        return await self.coach.forget(tenant, conversation, person)

    async def ready(self) -> Readiness:
        return await self.coach.ready()


class Server(uvicorn.Server):
    """A server that leaves the signals to the test runner, and tells when it begins to end."""

    def __init__(self, config: uvicorn.Config) -> None:
        super().__init__(config)
        self.ending = asyncio.Event()

    async def shutdown(self, sockets: list[socket.socket] | None = None) -> None:
        self.ending.set()
        await super().shutdown(sockets)

    @contextmanager
    def capture_signals(self) -> Iterator[None]:
        yield


@dataclass(frozen=True, slots=True)
class Served:
    """A running server."""

    port: int
    server: Server
    task: asyncio.Task[None]

    @property
    def url(self) -> str:
        return f"http://127.0.0.1:{self.port}"


@asynccontextmanager
async def serving(app: FastAPI, grace: int = 1) -> AsyncIterator[Served]:
    """Serve the application on a free port of this machine; `grace` is in seconds."""
    listener = socket.create_server(("127.0.0.1", 0))
    server = Server(uvicorn.Config(app, lifespan="off", log_level="error", timeout_graceful_shutdown=grace))
    task = asyncio.create_task(server.serve(sockets=[listener]))
    yield Served(listener.getsockname()[1], server, task)
    server.should_exit = True
    await task


@asynccontextmanager
async def staged(access: Access | None = None) -> AsyncIterator[Stage]:
    """A stage with its server."""
    stage = Stage()
    async with serving(create_app(stage, access)) as served:
        stage.url = served.url
        yield stage
