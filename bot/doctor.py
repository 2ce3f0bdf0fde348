"""`certcoach doctor`: looks at everything that a working installation needs, and names the remedy."""

from __future__ import annotations

import platform
import shutil
import socket
import sys
from collections.abc import AsyncIterator
from dataclasses import dataclass

from bot.wiring import build_app, open_database
from ingest.sources import load_catalogue
from rag import db
from rag.embedded import open_home
from rag.errors import CertCoachError, ConfigError
from rag.providers import load_embedder
from rag.settings import load_settings

OLDEST = (3, 11)
LOW_DISK = 500 * 2**20


@dataclass(frozen=True, slots=True)
class Finding:
    """One thing looked at: how it stands, and what to do when it is not ok."""

    name: str
    ok: bool
    detail: str


async def examine() -> AsyncIterator[Finding]:
    """Findings in the order in which things depend on each other; what cannot be looked at is left out."""
    yield _python()
    try:
        settings = load_settings()
        yield Finding("settings", True, f"home {settings.home}, sources {settings.sources}")
        catalogue = load_catalogue(settings.sources)
        yield Finding("sources", True, f"tenants {', '.join(catalogue.tenants)}")
        home = open_home(settings.home)
    except CertCoachError as error:
        yield Finding("configuration", False, str(error))
        return
    yield _disk(shutil.disk_usage(home).free)
    yield _port(settings.host, settings.port)
    try:
        embedder = load_embedder(settings.embedder, home)
        yield Finding("embedder", True, f"{embedder.name}, {embedder.dimensions} dimensions")
        async with open_database(settings, home) as url, db.open_pool(url) as pool:
            yield Finding("database", True, await _versions(pool))
            readiness = await build_app(settings, catalogue, pool, embedder).coach.ready()
            counts = ", ".join(f"{slug} {count}" for slug, count in readiness.documents.items())
            yield Finding("documents", readiness.ok, counts if readiness.ok else readiness.checks["corpus"])
    except CertCoachError as error:
        yield Finding("embedder" if isinstance(error, ConfigError) else "database", False, str(error))


def _python() -> Finding:
    ok = sys.version_info >= OLDEST
    remedy = "" if ok else "; CertCoach needs 3.11 or newer: make PYTHON=python3.12 install"
    return Finding("python", ok, platform.python_version() + remedy)


def _disk(free: int) -> Finding:
    low = "; free some, or set CERTCOACH_HOME to another disk" if free < LOW_DISK else ""
    return Finding("disk", not low, f"{free // 2**20} MB free{low}")


def _port(host: str, port: int) -> Finding:
    with socket.socket(socket.AF_INET6 if ":" in host else socket.AF_INET, socket.SOCK_STREAM) as probe:
        probe.settimeout(1)
        taken = probe.connect_ex((host, port)) == 0
    return Finding("port", True, f"{port} {'is in use (by CertCoach, if it runs)' if taken else 'is free'}")


async def _versions(pool: db.Pool) -> str:
    async with db.connection(pool) as conn:
        cursor = await conn.execute("select extversion from pg_extension where extname = 'vector'")
        row = await cursor.fetchone()
        server = conn.info.server_version
    extension = row[0] if row else "missing"
    return f"Postgres {server // 10_000}.{server % 10_000}, pgvector {extension}, role bound by row-level security"
