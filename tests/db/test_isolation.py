"""No query shows a tenant's rows to another, even without its WHERE."""

from __future__ import annotations

import re
from random import Random

import psycopg
import pytest
from pgvector import HalfVector
from psycopg.rows import dict_row

from rag import db, lexicon
from rag.corpus import QUERIES, Corpus, Search
from rag.library import Library
from tests.corpora import HashedWords, put

SPACE, EDITION = HashedWords.name, "test-chunks"
TENANTS = ("red", "green", "blue")
WORDS = "bucket policy versioning object lifecycle gateway subnet route state lock module provider plan apply".split()
EXEMPT = {
    "migrations": "the schema's own ledger",
    "embeddings": "vectors by content hash; holds no text",
}


async def fill(pool: db.Pool, seed: int) -> None:
    random = Random(seed)
    library = Library(pool, space=SPACE, edition=EDITION)
    for tenant in TENANTS:
        for part in range(3):
            texts = [f"{tenant} {' '.join(random.choices(WORDS, k=6))}" for _ in range(random.randrange(1, 12))]
            await put(library, tenant, f"{part}.md", texts)


async def test_10_000_random_queries_never_return_another_tenants_row(pool: db.Pool) -> None:
    await fill(pool, 1)
    corpus = Corpus(pool, space=SPACE, edition=EDITION)
    random = Random(2)
    owners = await owned(pool)
    for number in range(10_000):
        tenant = random.choice(TENANTS)
        text = " ".join(random.choices([*WORDS, *TENANTS], k=random.randrange(0, 5)))
        (vector,) = await HashedWords().embed([text], "query")
        mode = random.choice(("dense", "sparse", "hybrid"))
        lexical = random.choice(("bm25", "and"))
        found = await corpus.candidates(Search(tenant, text, vector, mode, lexical, random.randrange(1, 60)))  # type: ignore[arg-type]
        assert {owners[candidate.chunk_id] for candidate in found} <= {tenant}
        if number % 20 == 0:
            stolen = random.sample(sorted(owners), 5)
            assert {owners[passage.chunk_id] for passage in await corpus.passages(tenant, stolen)} <= {tenant}


async def owned(pool: db.Pool) -> dict[int, str]:
    owners: dict[int, str] = {}
    for tenant in TENANTS:
        async with db.tenant(pool, tenant) as conn:
            rows = await (await conn.execute("select id from chunks")).fetchall()
            owners |= {chunk: tenant for (chunk,) in rows}
    return owners


def unfiltered(query: str) -> str:
    """The query with every comparison of a tenant removed."""
    stripped = re.sub(r"\b\w+\.tenant = (?:\w+\.tenant|%\(tenant\)s)", "true", query)
    return re.sub(r"\btenant = %\(tenant\)s", "true", stripped)


@pytest.mark.parametrize("name", sorted(QUERIES))
async def test_row_level_security_holds_with_the_where_removed(pool: db.Pool, name: str) -> None:
    await fill(pool, 3)
    owners = await owned(pool)
    query = unfiltered(QUERIES[name])
    assert "tenant = %" not in query
    (vector,) = await HashedWords().embed(["bucket policy"], "query")
    parameters = {
        "tenant": "red",
        "space": SPACE,
        "edition": EDITION,
        "n": 1_000,
        "text": "bucket",
        "terms": lexicon.dimensions("bucket policy"),
        "vector": HalfVector(vector),
        "ids": sorted(owners),
    }
    for tenant in TENANTS:
        rows = await db.fetch(pool, tenant, query, parameters, dict_row)
        assert rows and {owners[row["chunk_id"]] for row in rows} == {tenant}


async def test_a_statement_that_names_no_tenant_sees_nothing(pool: db.Pool) -> None:
    await fill(pool, 4)
    async with db.connection(pool) as conn:
        for table in await tenant_tables(conn):
            row = await (await conn.execute(f"select count(*) from {table}")).fetchone()
            assert row == (0,), table


async def test_the_tenant_does_not_outlive_its_transaction(pool: db.Pool) -> None:
    await fill(pool, 5)
    corpus = Corpus(pool, space=SPACE, edition=EDITION)
    await corpus.passages("red", [1])
    async with db.tenant(pool, "green"):
        pass
    for _ in range(10):
        async with db.connection(pool) as conn:
            assert await (await conn.execute("select count(*) from chunks")).fetchone() == (0,)


async def test_rows_cannot_be_written_for_another_tenant(pool: db.Pool) -> None:
    with pytest.raises(psycopg.errors.InsufficientPrivilege):
        async with db.tenant(pool, "red") as conn:
            await conn.execute("insert into editions (tenant, edition, length) values ('green', 'e', 1)")


async def test_every_table_is_bound_by_row_level_security_or_listed_as_exempt(pool: db.Pool) -> None:
    async with db.connection(pool) as conn:
        cursor = await conn.execute(
            "select relname, relrowsecurity and relforcerowsecurity from pg_class"
            " where relkind in ('r', 'p') and relnamespace = 'public'::regnamespace"
        )
        tables = dict(await cursor.fetchall())
    assert {name for name, bound in tables.items() if not bound} == set(EXEMPT)


async def tenant_tables(conn: db.Connection) -> list[str]:
    cursor = await conn.execute(
        "select relname from pg_class where relkind in ('r', 'p') and relrowsecurity"
        " and relnamespace = 'public'::regnamespace"
    )
    return [name for (name,) in await cursor.fetchall()]
