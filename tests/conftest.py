"""What tests share: one Postgres a session, a database a test, and one loaded embedder."""

from __future__ import annotations

import os
import subprocess
import tempfile
from collections.abc import AsyncIterator, Iterator
from pathlib import Path
from uuid import uuid4

import psycopg
import pytest
from hypothesis import settings

from rag import db
from rag.embedded import embedded_postgres, open_home
from rag.providers.local import MiniLM, load_minilm
from tests.e2e.processes import certcoach

# Under CI, hypothesis takes its own profile, which draws the same examples each time.
settings.register_profile("anywhere", deadline=None)
if "CI" not in os.environ:
    settings.load_profile("anywhere")

ROOT = Path(__file__).parent.parent
SHARED = ROOT.parent / "shared"


@pytest.fixture(scope="session")
def home() -> Iterator[Path]:
    """A CERTCOACH_HOME for the whole session, away from the user's own."""
    with tempfile.TemporaryDirectory(prefix="certcoach-") as folder:
        yield open_home(Path(folder) / "home")


@pytest.fixture(scope="session")
async def server(home: Path) -> AsyncIterator[str]:
    """The address of a database of the product's own role."""
    async with embedded_postgres(home) as url:
        yield url


@pytest.fixture(scope="session")
async def template(server: str) -> str:
    """The name of a migrated, empty database that others are copied from."""
    async with await psycopg.AsyncConnection.connect(server, autocommit=True) as conn:
        await conn.execute("create database template_certcoach template certcoach")
    async with db.open_pool(server.replace("/certcoach?", "/template_certcoach?")):
        pass
    return "template_certcoach"


@pytest.fixture
async def database(server: str, template: str) -> AsyncIterator[str]:
    """The address of a fresh database."""
    name = f"test_{uuid4().hex[:12]}"
    superuser = server.replace("//certcoach@", "//postgres@")
    async with await psycopg.AsyncConnection.connect(superuser, autocommit=True) as conn:
        await conn.execute(f"create database {name} template {template} owner certcoach")
        yield server.replace("/certcoach?", f"/{name}?")
        await conn.execute(f"drop database {name} with (force)")


@pytest.fixture
async def pool(database: str) -> AsyncIterator[db.Pool]:
    async with db.open_pool(database) as opened:
        yield opened


@pytest.fixture(scope="session")
def minilm(home: Path) -> MiniLM:
    return load_minilm(home)


@pytest.fixture(autouse=True)
def plain_environment(monkeypatch: pytest.MonkeyPatch) -> None:
    """No setting of the machine reaches a test."""
    for name in list(os.environ):
        if name.startswith("CERTCOACH_") or name in ("DATABASE_URL", "PORT", "OTEL_EXPORTER_OTLP_ENDPOINT"):
            monkeypatch.delenv(name)


@pytest.fixture(scope="session")
def shared() -> Path:
    """The folder of genuine documents and cases beside the checkout; tests that need it skip where it is absent."""
    if not SHARED.is_dir():
        pytest.skip("needs the shared documents beside the checkout")
    return SHARED


@pytest.fixture(scope="session")
async def stocked(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A home with all starter notes taken in and the screens' examples embedded, to be copied and not to be used."""
    home = tmp_path_factory.mktemp("stocked") / "home"
    for arguments in (("ingest",), ("ask", "aws-saa", "What is a NAT gateway?")):
        ended = await certcoach(home, *arguments)
        assert ended.code == 0, ended.err
    return home


@pytest.fixture(scope="module")
def filled(stocked: Path, tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A home of the module's own with the starter notes in it."""
    home = tmp_path_factory.mktemp("filled") / "home"
    subprocess.run(["cp", "-a", str(stocked), str(home)], check=True)  # with the owner of the database's files
    return home
