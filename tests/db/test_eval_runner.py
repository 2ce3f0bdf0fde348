"""Evaluation asks the product's own retriever, and labels decide what counts as found."""

from __future__ import annotations

from collections.abc import AsyncIterator
from dataclasses import replace
from math import isclose

import pytest

from bot.wiring import Models, build_app
from eval.check_gold import check_gold
from eval.dataset import Gold, GoldSet, Unanswerable
from eval.ground import Ground
from eval.runner import VARIANTS, askable, run_variants
from ingest.fetch import open_fetcher
from ingest.sources import Catalogue
from rag import db
from rag.reading import Reader
from rag.settings import Settings
from tests.corpora import HashedWords, put

BUCKET = Gold("g1", "t", "ingest/starter/t/a.md", "buckets keep every version", "buckets version", "old copies kept")
SUBNET = Gold("g2", "t", "t/md/b.md", "a subnet lies in one zone", "subnet zone", "where is my network")
RECIPE = Unanswerable("u1", "t", "banana bread recipe", "fruit loaf", "off_topic")
GOLD = GoldSet((BUCKET, SUBNET), (RECIPE,))


@pytest.fixture
async def ground(pool: db.Pool) -> AsyncIterator[Ground]:
    async with open_fetcher() as fetcher:
        app = build_app(Settings(), Catalogue({}), pool, Models(HashedWords()), fetcher)
        yield Ground(app, HashedWords(), "eval-", frozenset({"t/md/b.md"}), ())


@pytest.fixture(autouse=True)
async def documents(ground: Ground) -> None:
    library = ground.app.library
    await put(library, "eval-t", "ingest/starter/t/a.md", ["Buckets keep **every** version.", "A bucket has a policy."])
    await put(library, "eval-t", "t/md/b.md", ["A subnet lies in one zone.", "A route table has routes."])


@pytest.mark.parametrize("variant", VARIANTS)
async def test_every_variant_asks_every_phrasing_once(ground: Ground, variant: str) -> None:
    (result,) = await run_variants(ground, GOLD, [variant])
    assert sorted(ranking.key for ranking in result.rankings) == [
        f"{question}/{phrasing}" for question in ("g1", "g2") for phrasing in ("paraphrase", "question")
    ]
    assert len(result.verdicts) == 6 and sum(not verdict.answerable for verdict in result.verdicts) == 2


async def test_a_question_in_the_passages_words_finds_it_first(ground: Ground) -> None:
    (result,) = await run_variants(ground, GOLD, ["hybrid"])
    assert [ranking.rank for ranking in result.rankings if ranking.phrasing == "question"] == [1, 1]


async def test_a_sparse_search_finds_nothing_without_a_shared_word(ground: Ground) -> None:
    (result,) = await run_variants(ground, GOLD, ["sparse"])
    assert [ranking.rank for ranking in result.rankings if ranking.key == "g1/paraphrase"] == [None]


async def test_the_confidence_is_the_one_that_the_product_gives(ground: Ground) -> None:
    (result,) = await run_variants(ground, GOLD, ["hybrid"])
    found = await Reader(ground.app.retriever, ground.app.embedder, 0.5).read("eval-t", BUCKET.question)
    (seen,) = [v for v in result.verdicts if (v.question, v.phrasing) == ("g1", "question")]
    assert isclose(seen.confidence, found.confidence)


async def test_another_tenants_passages_are_not_found(ground: Ground) -> None:
    (result,) = await run_variants(ground, GoldSet((replace(BUCKET, tenant="other"),)), ["hybrid"])
    assert {ranking.rank for ranking in result.rankings} == {None}


async def test_questions_about_absent_documents_are_left_out(ground: Ground) -> None:
    alone = replace(ground, present=frozenset())
    assert askable(GOLD, alone) == GoldSet((BUCKET,), (RECIPE,))


async def test_the_check_names_a_label_that_no_stored_document_bears_out(ground: Ground) -> None:
    missing = replace(BUCKET, id="g3", document="ingest/starter/t/gone.md")
    problems = [problem async for problem in check_gold(GoldSet((missing,)), ground)]
    assert [(problem.question, problem.what) for problem in problems] == [
        ("g3", "ingest/starter/t/gone.md is not stored")
    ]
