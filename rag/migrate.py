"""Brings a database to this program's schema: numbered files, one transaction each."""

from __future__ import annotations

import hashlib
from dataclasses import dataclass
from importlib.resources import files
from typing import LiteralString

from psycopg import AsyncConnection
from psycopg.rows import TupleRow

from rag.errors import ConfigError

LOCK = 4_712_001
LEDGER: LiteralString = (
    "create table if not exists migrations"
    " (number integer primary key, name text not null, sha256 text not null, at timestamptz not null default now())"
)


@dataclass(frozen=True, slots=True)
class Migration:
    """One file of `rag/migrations`, named NNNN_what.sql."""

    number: int
    name: str
    sql: LiteralString

    @property
    def sha256(self) -> str:
        return hashlib.sha256(self.sql.encode()).hexdigest()


def load_migrations() -> list[Migration]:
    """All migrations of this program, in order."""
    paths = sorted((path for path in (files("rag") / "migrations").iterdir()), key=lambda path: path.name)
    return [
        Migration(int(path.name[:4]), path.name, path.read_text(encoding="utf-8"))
        for path in paths
        if path.name.endswith(".sql")
    ]


async def migrate(connection: AsyncConnection[TupleRow], migrations: list[Migration] | None = None) -> int:
    """Apply what is missing and return how many were applied. Safe from several processes at once.

    Raises ConfigError when an applied file was edited since, or the database is newer than the program.
    """
    migrations = load_migrations() if migrations is None else migrations
    applied = 0
    for migration in [None, *migrations]:
        async with connection.transaction():
            await connection.execute("select pg_advisory_xact_lock(%s)", (LOCK,))
            await connection.execute(LEDGER)
            rows = await (await connection.execute("select number, sha256 from migrations")).fetchall()
            done = {number: digest for number, digest in rows}
            if migration is None:
                _check(done, migrations)
            elif migration.number not in done:
                await connection.execute(migration.sql)
                await connection.execute(
                    "insert into migrations (number, name, sha256) values (%s, %s, %s)",
                    (migration.number, migration.name, migration.sha256),
                )
                applied += 1
    return applied


def _check(done: dict[int, str], migrations: list[Migration]) -> None:
    ours = {migration.number: migration for migration in migrations}
    for number, digest in sorted(done.items()):
        if number not in ours:
            raise ConfigError(
                f"The database is at migration {number}, newer than this program knows. Update CertCoach, or point"
                " DATABASE_URL or CERTCOACH_HOME elsewhere."
            )
        if ours[number].sha256 != digest:
            raise ConfigError(
                f"Migration {ours[number].name} was edited after it was applied. Restore the file as released."
            )
