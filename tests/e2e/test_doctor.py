"""`certcoach doctor` as an operator runs it: each broken thing is found and named, and the rest is still looked at."""

from __future__ import annotations

import json
import socket
from collections.abc import Mapping
from pathlib import Path

import psycopg
import pytest
from psycopg import sql

from tests.e2e.processes import Ended, certcoach

NAMES = ["python", "settings", "sources", "home", "port", "keys", "disk", "embedder", "database", "documents"]
NAMES += ["lexical drift", "chat"]


def findings(ended: Ended) -> dict[str, tuple[bool, str]]:
    return {each["name"]: (each["ok"], each["detail"]) for each in json.loads(ended.out)}


def broken(ended: Ended) -> dict[str, str]:
    assert ended.code == 1, ended.err
    return {name: detail for name, (ok, detail) in findings(ended).items() if not ok}


async def test_a_working_installation_passes_every_check(filled: Path) -> None:
    ended = await certcoach(filled, "doctor", "--json")
    assert ended.code == 0, ended.out
    assert list(findings(ended)) == NAMES and all(ok for ok, _ in findings(ended).values())


async def test_people_read_the_same_findings_a_line_each(filled: Path) -> None:
    ended = await certcoach(filled, "doctor", CERTCOACH_EMBEDDER="local:none")
    assert ended.code == 1
    lines = ended.out.splitlines()
    assert [line.split(":")[0].removeprefix("ok").removeprefix("no").strip() for line in lines] == [
        name for name in NAMES if name not in ("documents", "lexical drift")
    ]
    assert any(line.startswith("no") and "local:minilm" in line for line in lines)


@pytest.mark.parametrize(
    ("name", "setting", "value", "remedy"),
    [
        ("settings", "CERTCOACH_MODEL", "x", "CERTCOACH_MODEL is not a setting"),
        ("settings", "CERTCOACH_GATE", "high", "CERTCOACH_GATE"),
        ("settings", "CERTCOACH_CHUNKER", "pages", "headings-SIZE"),
        ("sources", "CERTCOACH_SOURCES", "no/such.yaml", "no/such.yaml"),
        ("keys", "CERTCOACH_API_KEYS", "hush hush", "Make one with"),
        ("keys", "CERTCOACH_HOST", "0.0.0.0", "CERTCOACH_API_KEYS must hold a key"),
        ("embedder", "CERTCOACH_EMBEDDER", "local:none", "local:minilm"),
        ("database", "DATABASE_URL", "postgresql://certcoach:hush@127.0.0.1:9/certcoach", "DATABASE_URL"),
        ("chat", "CERTCOACH_CHAT", "nobody:model", "anthropic:MODEL"),
    ],
)
async def test_a_broken_setting_is_named_and_nothing_else(
    filled: Path, name: str, setting: str, value: str, remedy: str
) -> None:
    ended = await certcoach(filled, "doctor", "--json", **{setting: value})
    assert list(broken(ended)) == [name] and remedy in broken(ended)[name]
    assert "hush" not in ended.out + ended.err, "a secret is told"


async def test_a_home_that_cannot_be_used_is_named(tmp_path: Path) -> None:
    (tmp_path / "file").touch()
    found = broken(await certcoach(tmp_path / "file" / "home", "doctor", "--json"))
    assert list(found) == ["home"] and "CERTCOACH_HOME" in found["home"]


async def test_a_port_in_use_by_another_program_is_named(filled: Path) -> None:
    with socket.create_server(("127.0.0.1", 0)) as listener:
        port = str(listener.getsockname()[1])
        found = broken(await certcoach(filled, "doctor", "--json", PORT=port))
    assert list(found) == ["port"] and "another program" in found["port"]


async def test_documents_of_another_chunker_are_found(filled: Path) -> None:
    found = broken(await certcoach(filled, "doctor", "--json", CERTCOACH_CHUNKER="headings-800"))
    assert list(found) == ["documents"] and "certcoach ingest" in found["documents"]


def as_superuser(url: str) -> str:
    return url.replace("//certcoach@", "//postgres@")


DATABASES: Mapping[str, tuple[str, str]] = {
    "empty": ("documents", "certcoach ingest"),
    "superuser": ("database", "NOSUPERUSER NOBYPASSRLS"),
    "no extension": ("database", "CREATE EXTENSION vector"),
    "not the owner": ("database", "OWNER TO certcoach"),
}


@pytest.mark.parametrize("kind", DATABASES)
async def test_a_database_that_does_not_do_is_named_with_the_statement_to_run(
    database: str, tmp_path: Path, kind: str
) -> None:
    name, remedy = DATABASES[kind]
    async with await psycopg.AsyncConnection.connect(as_superuser(database), autocommit=True) as conn:
        if kind == "no extension":
            await conn.execute("drop extension vector cascade")
        if kind == "not the owner":
            await conn.execute("drop owned by certcoach")
            lost = sql.SQL("alter database {} owner to postgres").format(sql.Identifier(conn.info.dbname))
            await conn.execute(lost)
    url = as_superuser(database) if kind == "superuser" else database
    found = broken(await certcoach(tmp_path / "home", "doctor", "--json", DATABASE_URL=url))
    assert list(found) == [name] and remedy in found[name]
