"""The embedded server lives as long as somebody uses it, and outlives whoever was killed."""

from __future__ import annotations

import asyncio
import os
import signal
import sys
from pathlib import Path

import psycopg
import pytest

from rag.embedded import embedded_postgres, only_server, open_home
from rag.errors import ConfigError

HOLD = """
import asyncio, sys
from pathlib import Path
from rag.embedded import embedded_postgres
async def main():
    async with embedded_postgres(Path(sys.argv[1])) as url:
        print(url, flush=True)
        await asyncio.sleep(600)
asyncio.run(main())
"""


def postmaster(home: Path) -> int | None:
    pid = home / "postgres" / "postmaster.pid"
    return int(pid.read_text().split()[0]) if pid.exists() else None


async def test_the_last_user_stops_the_server(tmp_path: Path) -> None:
    home = open_home(tmp_path / "home")
    async with embedded_postgres(home) as url:
        async with embedded_postgres(home) as same:
            assert same == url
        assert postmaster(home) is not None, "the first user still needs it"
        async with await psycopg.AsyncConnection.connect(url) as conn:
            row = await (
                await conn.execute("select rolsuper, rolbypassrls from pg_roles where rolname = user")
            ).fetchone()
            assert row == (False, False)
    assert postmaster(home) is None


async def test_after_kill_9_the_next_user_takes_the_server_over_and_stops_it(tmp_path: Path) -> None:
    home = open_home(tmp_path / "home")
    process = await asyncio.create_subprocess_exec(
        sys.executable, "-c", HOLD, str(home), stdout=asyncio.subprocess.PIPE
    )
    assert process.stdout is not None
    await process.stdout.readline()
    process.kill()
    await process.wait()
    orphan = postmaster(home)
    assert orphan is not None
    os.kill(orphan, 0)
    async with embedded_postgres(home):
        assert postmaster(home) == orphan
    assert postmaster(home) is None


async def test_a_server_that_was_killed_itself_is_started_again(tmp_path: Path) -> None:
    home = open_home(tmp_path / "home")
    async with embedded_postgres(home) as url:
        async with await psycopg.AsyncConnection.connect(url, autocommit=True) as conn:
            await conn.execute("create table kept (x int)")
        victim = postmaster(home)
        assert victim is not None
        os.kill(victim, signal.SIGKILL)
        await asyncio.sleep(0.5)
    async with embedded_postgres(home) as url, await psycopg.AsyncConnection.connect(url) as conn:
        assert await (await conn.execute("select count(*) from kept")).fetchone() == (0,)


async def test_a_second_server_on_the_same_home_is_refused_with_the_holder_named(tmp_path: Path) -> None:
    home = open_home(tmp_path / "home")
    async with only_server(home):
        with pytest.raises(ConfigError, match=f"process {os.getpid()}.*CERTCOACH_HOME"):
            async with only_server(home):
                pass
    async with only_server(home):
        pass


def test_a_home_that_cannot_be_made_is_named_with_the_setting(tmp_path: Path) -> None:
    (tmp_path / "file").touch()
    with pytest.raises(ConfigError, match="CERTCOACH_HOME"):
        open_home(tmp_path / "file" / "home")


def test_a_home_belongs_to_its_owner_alone(tmp_path: Path) -> None:
    assert open_home(tmp_path / "home").stat().st_mode & 0o777 == 0o700
