"""What a database must be before the product uses it, and what is said when it is not."""

from __future__ import annotations

import asyncio
from collections.abc import AsyncIterator
from dataclasses import replace

import psycopg
import pytest
from psycopg import AsyncConnection

from rag import db
from rag.errors import ConfigError, DatabaseError
from rag.migrate import Migration, load_migrations, migrate


@pytest.fixture
async def superuser(database: str) -> AsyncIterator[psycopg.AsyncConnection[tuple[object, ...]]]:
    async with await AsyncConnection.connect(as_role(database, "postgres"), autocommit=True) as conn:
        yield conn


def as_role(url: str, role: str) -> str:
    return url.replace("//certcoach@", f"//{role}@")


async def refused(url: str) -> str:
    with pytest.raises(DatabaseError) as error:
        async with db.open_pool(url):
            pass
    return str(error.value)


async def test_a_superuser_is_refused_with_the_remedy(database: str) -> None:
    message = await refused(as_role(database, "postgres"))
    assert "passes by row-level security" in message and "NOSUPERUSER NOBYPASSRLS" in message


async def test_a_role_that_bypasses_row_level_security_is_refused(
    database: str, superuser: AsyncConnection[tuple[object, ...]]
) -> None:
    await superuser.execute("drop role if exists passer")
    await superuser.execute("create role passer login bypassrls")
    assert "passes by row-level security" in await refused(as_role(database, "passer"))
    await superuser.execute("drop role passer")


async def test_a_database_without_pgvector_is_refused_with_the_statement_to_run(
    database: str, superuser: AsyncConnection[tuple[object, ...]]
) -> None:
    await superuser.execute("drop extension vector cascade")
    assert "CREATE EXTENSION vector" in await refused(database)


async def test_an_old_pgvector_is_refused_with_the_statement_to_run(
    database: str, superuser: AsyncConnection[tuple[object, ...]]
) -> None:
    await superuser.execute("update pg_extension set extversion = '0.7.4' where extname = 'vector'")
    message = await refused(database)
    assert "0.7.4 is too old" in message and "ALTER EXTENSION vector UPDATE" in message


@pytest.mark.parametrize(("version", "fine"), [(140_013, False), (150_000, True), (180_004, True)])
def test_postgres_before_15_is_refused(version: int, fine: bool) -> None:
    if fine:
        db.check_postgres(version)
        return
    with pytest.raises(DatabaseError, match="needs 15 or newer"):
        db.check_postgres(version)


async def test_a_server_that_is_not_there_is_named_with_the_setting() -> None:
    assert "DATABASE_URL" in await refused("postgresql://certcoach@127.0.0.1:9/certcoach")


async def test_a_url_that_is_none_is_named_with_the_setting() -> None:
    assert "DATABASE_URL" in await refused("not a url")


async def test_a_full_disk_is_told_with_the_remedy(pool: db.Pool) -> None:
    with pytest.raises(DatabaseError, match="disk"):
        async with db.tenant(pool, "t") as conn:
            await conn.execute("do $$ begin raise exception 'no space left' using errcode = '53100'; end $$")


async def test_a_lost_connection_is_told_and_the_pool_recovers(
    pool: db.Pool, superuser: AsyncConnection[tuple[object, ...]]
) -> None:
    with pytest.raises(DatabaseError, match="went away"):
        async with db.tenant(pool, "t") as conn:
            await superuser.execute("select pg_terminate_backend(%s)", (conn.info.backend_pid,))
            await conn.execute("select 1")
    async with db.tenant(pool, "t") as conn:
        assert await (await conn.execute("select 1")).fetchone() == (1,)


async def test_migrating_twice_applies_nothing(database: str) -> None:
    async with await AsyncConnection.connect(database, autocommit=True) as conn:
        assert await migrate(conn) == 0


async def test_two_processes_migrate_once(database: str) -> None:
    extra = [*load_migrations(), Migration(9_000, "9000_extra.sql", "create table extra (x int)")]

    async def go() -> int:
        async with await AsyncConnection.connect(database, autocommit=True) as conn:
            return await migrate(conn, extra)

    assert sorted(await asyncio.gather(go(), go(), go())) == [0, 0, 1]


async def test_an_edited_migration_is_refused(database: str) -> None:
    first, *rest = load_migrations()
    async with await AsyncConnection.connect(database, autocommit=True) as conn:
        with pytest.raises(ConfigError, match="was edited after it was applied"):
            await migrate(conn, [replace(first, sql=first.sql + "-- more"), *rest])


async def test_a_database_newer_than_the_program_is_refused(database: str) -> None:
    async with await AsyncConnection.connect(database, autocommit=True) as conn:
        with pytest.raises(ConfigError, match="newer than this program"):
            await migrate(conn, [])


async def test_a_failing_migration_leaves_nothing_behind(database: str) -> None:
    broken = Migration(9_001, "9001_broken.sql", "create table half (x int); select 1 / 0")
    async with await AsyncConnection.connect(database, autocommit=True) as conn:
        with pytest.raises(psycopg.errors.DivisionByZero):
            await migrate(conn, [*load_migrations(), broken])
        assert await (await conn.execute("select to_regclass('half')")).fetchone() == (None,)
