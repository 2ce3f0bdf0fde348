"""`certcoach doctor`: looks at everything that a working installation needs, and names the remedy."""

from __future__ import annotations

import asyncio
import errno
import platform
import shutil
import socket
import sys
from collections.abc import AsyncIterator, Callable, Mapping
from contextlib import aclosing
from dataclasses import dataclass
from pathlib import Path
from typing import TypeVar

import psycopg
from psycopg.rows import class_row

from bot.web_door import access_for
from bot.web_keys import Keys
from bot.wiring import build_chunker, open_database
from ingest.sources import Catalogue, load_catalogue
from rag import db
from rag.embedded import only_server, open_home
from rag.errors import CertCoachError, ConfigError, DatabaseError, ProviderError
from rag.library import DRIFT
from rag.providers import load_chat_models, load_embedder
from rag.queries import load_queries
from rag.settings import Settings, load_settings
from rag.types import ChatModel, Embedder, Finish, Message

QUERIES = load_queries("doctor", package="bot")
OLDEST = (3, 11)
LOW_DISK = 500 * 2**20
"""Bytes: a database with its write-ahead log, and room for the next documents."""
PATIENCE = 60.0
"""Seconds that a chat model gets to answer at all."""
WORD = Message("user", "Answer with the word ready.")
Value = TypeVar("Value")


@dataclass(frozen=True, slots=True)
class Finding:
    """One thing looked at: how it stands, and what to do when it is not ok."""

    name: str
    ok: bool
    detail: str


@dataclass(frozen=True, slots=True)
class Holdings:
    """What a tenant has: its documents, how many of them a search finds, and the drift of their lexical weights.

    `stretch` is the average length of a chunk over the length that the weights were made for; None without chunks.
    """

    documents: int
    searchable: int
    stretch: float | None


async def examine(*, live: bool = False) -> AsyncIterator[Finding]:
    """Findings in the order in which things depend on each other; what needs a broken thing is left out.

    With `live` each configured chat model is asked once, which costs a few tokens.
    """
    doctor = Doctor()
    await doctor.examine(live)
    for finding in doctor.findings:
        yield finding


class Doctor:
    """Looks at one thing after the other, and keeps what it found."""

    def __init__(self) -> None:
        self.findings: list[Finding] = []

    async def examine(self, live: bool) -> None:
        self.findings.append(check_python(sys.version_info[:2]))
        settings = self._try("settings", _read_settings, lambda _: "every name and value is known")
        if settings is None:
            return
        catalogue = self._try(
            "sources", lambda: load_catalogue(settings.sources), lambda read: f"tenants {', '.join(read.tenants)}"
        )
        home = self._try("home", lambda: open_home(settings.home), str)
        self.findings.append(await check_port(settings.host, settings.port, home))
        if catalogue is not None:
            self._try("keys", lambda: _keys(settings, catalogue), _counted)
        if home is not None:
            self.findings.append(check_disk(shutil.disk_usage(home).free))
            await self._storage(settings, home, catalogue)
        for model in self._try("chat", lambda: load_chat_models(settings), _named) or ():
            self.findings.append(await check_chat(model, live=live))

    async def _storage(self, settings: Settings, home: Path, catalogue: Catalogue | None) -> None:
        embedder = self._try("embedder", lambda: load_embedder(settings.embedder, home), _described)
        try:
            async with open_database(settings, home) as url, db.open_pool(url) as pool:
                self.findings.append(Finding("database", True, await _versions(pool)))
                if catalogue is not None and embedder is not None:
                    held = await _holdings(pool, settings.chunker, embedder.name, catalogue)
                    self.findings += [check_documents(held), check_lexical(held)]
        except psycopg.errors.InsufficientPrivilege as error:
            remedy = "Let the role own the database: ALTER DATABASE … OWNER TO certcoach;"
            self.findings.append(Finding("database", False, f"{str(error).splitlines()[0].capitalize()}. {remedy}"))
        except (DatabaseError, ConfigError) as error:
            self.findings.append(Finding("database", False, str(error)))

    def _try(self, name: str, make: Callable[[], Value], tell: Callable[[Value], str]) -> Value | None:
        """What could be made, or None; a finding in either case."""
        try:
            made = make()
        except CertCoachError as error:
            self.findings.append(Finding(name, False, str(error)))
            return None
        self.findings.append(Finding(name, True, tell(made)))
        return made


def check_python(version: tuple[int, ...]) -> Finding:
    """Whether this version, such as (3, 12), is new enough."""
    ok = version >= OLDEST
    return Finding("python", ok, platform.python_version() if ok else "3.11 or newer is needed: make PYTHON=python3.12")


def check_disk(free: int) -> Finding:
    """Whether so many bytes are enough."""
    remedy = ". Free some, or set CERTCOACH_HOME to a folder on another disk." if free < LOW_DISK else ""
    return Finding("disk", not remedy, f"{free // 2**20} MB free{remedy}")


async def check_port(host: str, port: int, home: Path | None) -> Finding:
    """Whether `certcoach run` could listen there, or does already."""
    try:
        family, kind, _, _, address = socket.getaddrinfo(host, port, type=socket.SOCK_STREAM)[0]
        with socket.socket(family, kind) as probe:
            probe.setsockopt(socket.SOL_SOCKET, socket.SO_REUSEADDR, 1)
            probe.bind(address)
    except OSError as error:
        if error.errno != errno.EADDRINUSE:
            why = f"{host} port {port}: {error.strerror}. Correct CERTCOACH_HOST, or choose a PORT above 1023."
            return Finding("port", False, why)
        if home is not None and await _serves(home):
            return Finding("port", True, f"{port} is in use, as is {home}: CertCoach runs")
        return Finding(
            "port", False, f"{port} is in use by another program. Stop it, or choose another: PORT={port + 1}."
        )
    return Finding("port", True, f"{port} is free" if port else "any that is free")


def check_documents(held: Mapping[str, Holdings]) -> Finding:
    """Whether each tenant has documents, and a search finds all of them."""
    told = ", ".join(f"{slug} {each.documents}" for slug, each in held.items())
    empty = [slug for slug, each in held.items() if not each.documents]
    hidden = [slug for slug, each in held.items() if each.searchable < each.documents]
    if empty:
        return Finding("documents", False, f"{told}. None for {', '.join(empty)}: run `certcoach ingest`.")
    if hidden:
        why = "some were split or embedded by other means than CERTCOACH_CHUNKER and CERTCOACH_EMBEDDER say"
        return Finding("documents", False, f"{told}. Of {', '.join(hidden)} {why}: run `certcoach ingest`.")
    return Finding("documents", True, told)


def check_lexical(held: Mapping[str, Holdings]) -> Finding:
    """Whether the lexical weights still fit the chunks' average length."""
    drifts = {slug: abs(each.stretch - 1) for slug, each in held.items() if each.stretch is not None}
    told = ", ".join(f"{slug} {drift:.0%}" for slug, drift in drifts.items()) or "no chunks yet"
    if any(drift > DRIFT for drift in drifts.values()):
        return Finding("lexical drift", False, f"{told}, more than {DRIFT:.0%}. `certcoach ingest` weighs them anew.")
    return Finding("lexical drift", True, told)


async def check_chat(model: ChatModel, *, live: bool) -> Finding:
    """Whether the model answers; it is asked only with `live`."""
    name = f"chat {model.name}"
    if not live:
        return Finding(name, True, "not tried: `certcoach doctor --live` asks it for one word")
    try:
        async with asyncio.timeout(PATIENCE), aclosing(model.stream([WORD], max_tokens=16)) as stream:
            events = [event async for event in stream]
    except ProviderError as error:
        return Finding(name, False, str(error))
    except TimeoutError:
        return Finding(name, False, f"no answer within {PATIENCE:.0f} s. Try again, or name another in CERTCOACH_CHAT.")
    finally:
        await model.aclose()
    tokens = sum(event.usage.input + event.usage.output for event in events if isinstance(event, Finish))
    return Finding(name, True, f"it answers ({tokens} tokens)")


def _read_settings() -> Settings:
    settings = load_settings()
    build_chunker(settings.chunker)
    return settings


def _keys(settings: Settings, catalogue: Catalogue) -> Keys:
    try:
        bound = str(socket.getaddrinfo(settings.host, None)[0][4][0])
    except OSError:  # what is wrong with the host, the finding about the port says
        bound = "127.0.0.1"
    return access_for(settings, catalogue.tenants, bound).keys


async def _serves(home: Path) -> bool:
    try:
        async with only_server(home):
            return False
    except ConfigError:
        return True


async def _versions(pool: db.Pool) -> str:
    async with db.connection(pool) as conn:
        cursor = await conn.execute("select extversion from pg_extension where extname = 'vector'")
        row = await cursor.fetchone()
        server = conn.info.server_version
    extension = row[0] if row else "missing"
    return f"Postgres {server // 10_000}.{server % 10_000}, pgvector {extension}, role bound by row-level security"


async def _holdings(pool: db.Pool, edition: str, space: str, catalogue: Catalogue) -> dict[str, Holdings]:
    held = {}
    for slug in catalogue.tenants:
        scope = {"tenant": slug, "edition": edition, "space": space}
        (held[slug],) = await db.fetch(pool, slug, QUERIES["holdings"], scope, class_row(Holdings))
    return held


def _counted(keys: Keys) -> str:
    return f"{len(keys.entries)}, needed by whoever asks" if keys else "none: this machine alone may ask, without one"


def _described(embedder: Embedder) -> str:
    return f"{embedder.name}, {embedder.dimensions} dimensions"


def _named(models: tuple[ChatModel, ...]) -> str:
    if not models:
        return "no model: answers are quoted. Set ANTHROPIC_API_KEY, or CERTCOACH_CHAT, to have them written"
    return ", then ".join(model.name for model in models)
