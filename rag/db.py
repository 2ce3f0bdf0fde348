"""The database: one pool, a role that row-level security binds, and the only way to a tenant's rows."""

from __future__ import annotations

from collections.abc import AsyncIterator, Mapping
from contextlib import asynccontextmanager
from typing import Any, LiteralString, TypeVar

import psycopg
from pgvector.psycopg import register_vector_async
from psycopg import AsyncConnection
from psycopg.rows import BaseRowFactory, TupleRow
from psycopg_pool import AsyncConnectionPool, PoolTimeout

from rag.errors import DatabaseError
from rag.migrate import migrate

Connection = AsyncConnection[TupleRow]
Pool = AsyncConnectionPool[Connection]
Row = TypeVar("Row")

MIN_POSTGRES = 150_000
MIN_PGVECTOR = (0, 8)
ENTER: LiteralString = "select set_config('certcoach.tenant', %s, true)"


@asynccontextmanager
async def open_pool(url: str, *, size: int = 8) -> AsyncIterator[Pool]:
    """Check the server, migrate it, and open the pool on it.

    Raises DatabaseError for a server that cannot be reached, is too old, lacks pgvector, or would let this role pass by
    row-level security; ConfigError for a schema that is not ours.
    """
    await _prepare(url)
    pool: Pool = AsyncConnectionPool(
        url, min_size=1, max_size=size, open=False, kwargs={"autocommit": True}, configure=_configure, timeout=5
    )
    async with pool:
        yield pool


@asynccontextmanager
async def tenant(pool: Pool, slug: str) -> AsyncIterator[Connection]:
    """A connection that sees one tenant's rows, inside a transaction that commits at the end."""
    async with connection(pool) as conn, conn.transaction():
        await conn.execute(ENTER, (slug,))
        yield conn


async def fetch(
    pool: Pool, slug: str, query: LiteralString, parameters: Mapping[str, Any], row: BaseRowFactory[Row]
) -> list[Row]:
    """Run one query over one tenant's rows in a single round trip.

    The pipeline is one implicit transaction, so the tenant ends with it.
    """
    async with connection(pool) as conn, conn.pipeline():
        await conn.execute(ENTER, (slug,))
        cursor = conn.cursor(row_factory=row)
        await cursor.execute(query, parameters, prepare=True)
        return await cursor.fetchall()


@asynccontextmanager
async def connection(pool: Pool) -> AsyncIterator[Connection]:
    """A connection that sees no tenant's rows; database failures come out as DatabaseError."""
    try:
        async with pool.connection() as conn:
            yield conn
    except PoolTimeout:
        raise DatabaseError("The database gave no connection within 5 s. Is it up? `certcoach doctor` tells.") from None
    except (psycopg.errors.DiskFull, psycopg.errors.InsufficientResources) as error:
        raise DatabaseError(f"The database is out of resources: {_first_line(error)}. Free some disk space.") from error
    except psycopg.OperationalError as error:
        raise DatabaseError(
            f"The database went away: {_first_line(error)}. It is tried again at the next use."
        ) from error


async def _configure(conn: Connection) -> None:
    await register_vector_async(conn)
    await conn.execute("set jit = off")


async def _prepare(url: str) -> None:
    try:
        async with await AsyncConnection.connect(url, autocommit=True, connect_timeout=10) as conn:
            await _check_role(conn)
            await _check_versions(conn)
            await migrate(conn)
    except psycopg.errors.InsufficientPrivilege as error:
        raise DatabaseError(
            f"The database role may not make its tables: {_first_line(error)}. Let it own the database, as a superuser:"
            " ALTER DATABASE certcoach OWNER TO certcoach;"
        ) from None
    except (psycopg.OperationalError, psycopg.ProgrammingError) as error:
        if isinstance(error, psycopg.ProgrammingError) and error.sqlstate is not None:
            raise
        raise DatabaseError(
            f"Cannot connect to the database: {_first_line(error)}. Check DATABASE_URL and that the server is up."
        ) from None


async def _check_role(conn: Connection) -> None:
    cursor = await conn.execute("select rolname, rolsuper, rolbypassrls from pg_roles where rolname = current_user")
    row = await cursor.fetchone()
    if row is not None and (row[1] or row[2]):
        raise DatabaseError(
            f"The role {row[0]!r} passes by row-level security, so tenants would not be kept apart. Use a plain one:"
            " CREATE ROLE certcoach LOGIN NOSUPERUSER NOBYPASSRLS; and let it own the database."
        )


def check_postgres(version: int) -> None:
    """Raises DatabaseError for a server version, such as 150004, that is too old."""
    if version < MIN_POSTGRES:
        raise DatabaseError(
            f"Postgres {version // 10_000} is too old: CertCoach needs 15 or newer. Upgrade the server, or leave"
            " DATABASE_URL unset to use the embedded one."
        )


async def _check_versions(conn: Connection) -> None:
    check_postgres(conn.info.server_version)
    try:
        await conn.execute("create extension if not exists vector")
    except psycopg.errors.InsufficientPrivilege:
        raise DatabaseError(
            "The extension pgvector is not in this database. As a superuser run there: CREATE EXTENSION vector;"
        ) from None
    except (psycopg.errors.FeatureNotSupported, psycopg.errors.UndefinedFile):
        raise DatabaseError(
            "This server has no pgvector. Install it (0.8 or newer; the image pgvector/pgvector has it), then run"
            " CREATE EXTENSION vector; as a superuser."
        ) from None
    await _check_pgvector(conn)


async def _check_pgvector(conn: Connection) -> None:
    row = await (await conn.execute("select extversion from pg_extension where extname = 'vector'")).fetchone()
    version = row[0] if row else "0"
    if tuple(int(part) for part in version.split(".")[:2]) < MIN_PGVECTOR:
        raise DatabaseError(
            f"pgvector {version} is too old: CertCoach needs 0.8 or newer. Update it, then run as a superuser:"
            " ALTER EXTENSION vector UPDATE;"
        )


def _first_line(error: Exception) -> str:
    return (str(error).strip().splitlines() or ["no reason given"])[0].rstrip(".")
