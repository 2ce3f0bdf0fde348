"""What the benchmark sends by psycopg alone is what the product sends."""

from __future__ import annotations

from bot.wiring import Models, build_app
from eval.bench import plain_connection, product_statements, run_raw, spread
from ingest.fetch import open_fetcher
from ingest.sources import Catalogue
from rag import db
from rag.settings import Settings
from tests.corpora import HashedWords, put


async def test_the_raw_statements_find_the_passages_that_the_product_finds(pool: db.Pool) -> None:
    async with open_fetcher() as fetcher, plain_connection(pool) as connection:
        app = build_app(Settings(), Catalogue({}), pool, Models(HashedWords()), fetcher)
        await put(app.library, "t", "a.md", [f"Bucket number {n} keeps versions." for n in range(8)])
        found = await app.retriever.retrieve("t", "bucket 3 versions")
        rows = await run_raw(connection, await product_statements(app, "t", "bucket 3 versions"))
        assert found.passages
        assert [row[0] for row in rows][: len(found.passages)] == [passage.chunk_id for passage in found.passages]


def test_a_spread_is_in_milliseconds() -> None:
    found = spread([0.001 * number for number in range(1, 101)])
    assert (found.n, round(found.p50, 2), round(found.p95, 2)) == (100, 50.5, 95.05)
