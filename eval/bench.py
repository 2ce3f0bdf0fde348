"""Measures time and memory: the server as people start it, and the search beside its own SQL."""

from __future__ import annotations

import asyncio
from collections.abc import AsyncIterator, Sequence
from contextlib import asynccontextmanager
from dataclasses import dataclass
from statistics import median, quantiles
from time import perf_counter
from typing import Any

import psycopg
from pgvector import HalfVector
from pgvector.psycopg import register_vector_async
from rich.console import Console

from bot.console import ask
from bot.wiring import App
from eval.bench_server import Served, measure_server, sources_with
from eval.corpus import find, folders, load_genuine
from eval.dataset import Gold, load_gold
from eval.ground import Ground, open_ground
from eval.runner import VARIANTS, askable
from rag import db, lexicon
from rag.corpus import QUERIES, Corpus, Search
from rag.fusion import fuse
from rag.retrieve import TYPICAL_PASSAGE
from rag.settings import Settings

ROUNDS = 3
"""How often each question is searched for: the search and its raw SQL in turn."""
WARM_UP = "How does a load balancer check the health of its targets?"
"""Asked first and not timed: a question like any other, so that no screen answers for the search."""


@dataclass(frozen=True, slots=True)
class Spread:
    """Milliseconds over `n` measurements."""

    n: int
    p50: float
    p95: float


@dataclass(frozen=True, slots=True)
class Timing:
    """In one process, one question at a time: the whole answer, the search with the embedding given, and its SQL.

    Questions that were declined take no part in `answer`: nothing is quoted for them, so they are quicker.
    """

    documents: int
    chunks: int
    asked: int
    answer: Spread
    search: Spread
    raw: Spread


@dataclass(frozen=True, slots=True)
class Bench:
    """What was measured on one corpus."""

    corpus: str
    served: Served
    timing: Timing


@dataclass(frozen=True, slots=True)
class Statements:
    """The parameters of the two statements that one search makes."""

    tenant: str
    candidates: dict[str, Any]
    passages: dict[str, Any]


async def run_bench(settings: Settings, console: Console) -> list[Bench]:
    """Measure on the starter notes and, where the genuine documents are, on the evaluation corpus."""
    documents = load_genuine()
    found = find(documents, folders(settings))
    hybrid = settings.model_copy(update=VARIANTS["hybrid"])
    corpora = {"starter notes": False} | ({"evaluation corpus": True} if found else {})
    benches = []
    for name, genuine in corpora.items():
        console.print(f"measuring: {name}", highlight=False)
        served = await asyncio.to_thread(measure_server, sources_with(documents if genuine else (), found))
        async with open_ground(hybrid, console, genuine=genuine) as ground:
            benches.append(Bench(name, served, await time_questions(ground)))
    return benches


async def time_questions(ground: Ground) -> Timing:
    """Time the gold questions, in their first phrasing, that this ground can answer."""
    questions = askable(load_gold(), ground).answerable
    documents, chunks = await _size(ground)
    answers = await _time_answers(ground, questions)
    searches, raw = await _time_searches(ground, questions)
    return Timing(documents, chunks, len(questions), spread(answers), spread(searches), spread(raw))


def spread(seconds: Sequence[float]) -> Spread:
    """The median and the 95th percentile of two or more durations."""
    return Spread(len(seconds), 1000 * median(seconds), 1000 * quantiles(seconds, n=20, method="inclusive")[-1])


async def _time_answers(ground: Ground, questions: Sequence[Gold]) -> list[float]:
    """The times of the questions that were answered; each is new to the process, so its embedding is part of it."""
    await ask(ground.app.coach, ground.prefix + questions[0].tenant, WARM_UP)
    seconds = []
    for gold in questions:
        start = perf_counter()
        answer = await ask(ground.app.coach, ground.prefix + gold.tenant, gold.question)
        if answer.kind == "answer":
            seconds.append(perf_counter() - start)
    return seconds


async def _time_searches(ground: Ground, questions: Sequence[Gold]) -> tuple[list[float], list[float]]:
    app = ground.app
    searches, raw = [], []
    async with plain_connection(ground.app.pool) as connection:
        for gold in questions:
            statements = await product_statements(app, ground.prefix + gold.tenant, gold.question)
            await app.retriever.retrieve(statements.tenant, gold.question)  # remembers the embedding
            await run_raw(connection, statements)
            for _ in range(ROUNDS):
                start = perf_counter()
                await app.retriever.retrieve(statements.tenant, gold.question)
                middle = perf_counter()
                await run_raw(connection, statements)
                searches.append(middle - start)
                raw.append(perf_counter() - middle)
    return searches, raw


async def product_statements(app: App, tenant: str, text: str) -> Statements:
    """What the application's retriever sends for this question."""
    (vector,) = await app.embedder.embed([text], "query")
    corpus = Corpus(app.pool, space=app.embedder.name, edition=app.settings.chunker)
    found = await corpus.candidates(Search(tenant, text, vector))
    most = app.retriever.recipe.budget // TYPICAL_PASSAGE + 1
    candidates = {
        "tenant": tenant,
        "space": corpus.space,
        "edition": corpus.edition,
        "n": app.retriever.recipe.n,
        "terms": lexicon.dimensions(text),
        "vector": HalfVector(vector),
    }
    ids = [scored.chunk_id for scored in fuse(found, "hybrid")[:most]]
    return Statements(tenant, candidates, {"tenant": tenant, "space": corpus.space, "ids": ids})


async def run_raw(connection: db.Connection, statements: Statements) -> list[tuple[Any, ...]]:
    """Send the two statements as the product does, and nothing else; the rows of the second."""
    rows: list[tuple[Any, ...]] = []
    for query, parameters in (("hybrid", statements.candidates), ("passages", statements.passages)):
        async with connection.pipeline():
            await connection.execute(db.ENTER, (statements.tenant,))
            cursor = await connection.execute(QUERIES[query], parameters, prepare=True)
            rows = await cursor.fetchall()
    return rows


@asynccontextmanager
async def plain_connection(pool: db.Pool) -> AsyncIterator[db.Connection]:
    """A connection of psycopg alone, set up as those of the pool are."""
    async with await psycopg.AsyncConnection.connect(str(pool.conninfo), autocommit=True) as connection:
        await register_vector_async(connection)
        await connection.execute("set jit = off")
        yield connection


async def _size(ground: Ground) -> tuple[int, int]:
    library = ground.app.library
    versions = [await library.versions(tenant) for tenant in ground.app.catalogue.tenants]
    return sum(map(len, versions)), sum(version.chunks for known in versions for version in known.values())
