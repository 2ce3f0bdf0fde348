"""Documents are replaced whole, and the lexical statistics always equal a recount."""

from __future__ import annotations

import asyncio
from collections import Counter
from random import Random
from typing import get_args

import pytest

from rag import db, lexicon
from rag.corpus import Corpus, Search
from rag.library import Library
from rag.types import Fetch, Lexical
from tests.corpora import NOW, HashedWords, document, put

SPACE, EDITION = HashedWords.name, "test-chunks"
WORDS = "bucket policy versioning object lifecycle gateway subnet route state lock module provider plan apply".split()


@pytest.fixture
def library(pool: db.Pool) -> Library:
    return Library(pool, space=SPACE, edition=EDITION)


@pytest.fixture
def corpus(pool: db.Pool) -> Corpus:
    return Corpus(pool, space=SPACE, edition=EDITION)


async def frequencies(pool: db.Pool, tenant: str) -> dict[int, int]:
    async with db.tenant(pool, tenant) as conn:
        rows = await (await conn.execute("select term, chunks from frequencies where chunks <> 0")).fetchall()
    return dict(rows)


async def recounted(pool: db.Pool, tenant: str) -> dict[int, int]:
    async with db.tenant(pool, tenant) as conn:
        rows = await (await conn.execute("select text from chunks")).fetchall()
    return dict(Counter(place for (text,) in rows for place in lexicon.dimensions(text)))


async def test_a_replaced_document_leaves_nothing_of_its_earlier_version(library: Library, corpus: Corpus) -> None:
    await put(library, "t", "a.md", ["old words about buckets", "more old words"])
    await put(library, "t", "a.md", ["new words about subnets"], version=2)
    found = await corpus.candidates(Search("t", "old new words", None, "sparse"))
    passages = await corpus.passages("t", [candidate.chunk_id for candidate in found])
    assert [passage.text for passage in passages] == ["new words about subnets"]
    assert {version.chunks for version in (await library.versions("t")).values()} == {1}


async def test_frequencies_equal_a_recount_after_concurrent_random_replacements(
    library: Library, pool: db.Pool
) -> None:
    random = Random(7)

    async def churn(worker: int) -> None:
        for version in range(6):
            key = f"doc-{random.randrange(6)}.md"
            texts = [" ".join(random.choices(WORDS, k=8)) for _ in range(random.randrange(1, 4))]
            await put(library, "t", key, texts, version=100 * worker + version)
            if random.random() < 0.3:
                await library.withdraw("t", key, Fetch("t", key, "", NOW, "withdrawn"))

    await asyncio.gather(*(churn(worker) for worker in range(6)))
    assert await frequencies(pool, "t") == await recounted(pool, "t")


async def test_the_edition_counts_its_chunks_and_words(library: Library, pool: db.Pool) -> None:
    await put(library, "t", "a.md", ["alpha beta", "gamma delta epsilon"])
    await put(library, "t", "a.md", ["alpha beta gamma"], version=2)
    async with db.tenant(pool, "t") as conn:
        row = await (await conn.execute("select chunks, words from editions")).fetchone()
    assert row == (1, 3)


async def test_editions_of_an_unchanged_document_live_side_by_side(library: Library, pool: db.Pool) -> None:
    other = Library(pool, space=SPACE, edition="other-chunks")
    await put(library, "t", "a.md", ["alpha beta"])
    await put(other, "t", "a.md", ["alpha", "beta"])
    assert (await library.versions("t"))["a.md"].chunks == 1
    assert (await other.versions("t"))["a.md"].chunks == 2


async def test_a_changed_document_withdraws_the_chunks_of_every_edition(library: Library, pool: db.Pool) -> None:
    other = Library(pool, space=SPACE, edition="other-chunks")
    await put(library, "t", "a.md", ["alpha beta"])
    await put(other, "t", "a.md", ["alpha beta gamma"], version=2)
    assert await library.versions("t") == {}
    assert await frequencies(pool, "t") == await recounted(pool, "t")


async def test_settling_saturates_the_weights_anew_when_the_average_length_has_drifted(
    library: Library, corpus: Corpus, pool: db.Pool
) -> None:
    await put(library, "t", "a.md", ["bucket policy", "bucket versioning and lifecycle rules"])
    before = await corpus.candidates(Search("t", "bucket", None, "sparse"))
    await library.settle("t")
    after = await corpus.candidates(Search("t", "bucket", None, "sparse"))
    async with db.tenant(pool, "t") as conn:
        row = await (await conn.execute("select length from editions")).fetchone()
    assert row == (3.0,)
    assert [candidate.bm25 for candidate in after] != [candidate.bm25 for candidate in before]


async def test_bm25_equals_the_formula(library: Library, corpus: Corpus) -> None:
    from math import log

    texts = ["bucket bucket policy", "bucket lifecycle", "subnet route"]
    await put(library, "t", "a.md", texts)
    await library.settle("t")
    found = {c.chunk_id: c for c in await corpus.candidates(Search("t", "bucket policy unknownword", None, "sparse"))}
    passages = await corpus.passages("t", list(found))
    lengths = [len(text.split()) for text in texts]
    average = sum(lengths) / len(lengths)

    def idf(n: int) -> float:
        return log(1 + (3 - n + 0.5) / (n + 0.5))

    def gain(count: int, length: int) -> float:
        return count * 2.2 / (count + 1.2 * (0.25 + 0.75 * length / average)) if count else 0.0

    for passage in passages:
        words = passage.text.split()
        expected = idf(2) * gain(words.count("bucket"), len(words)) + idf(1) * gain(words.count("policy"), len(words))
        candidate = found[passage.chunk_id]
        assert candidate.bm25 == pytest.approx(expected, rel=1e-5)
        assert candidate.coverage == pytest.approx(expected / (2.2 * (idf(2) + idf(1) + idf(0))), rel=1e-5)


async def test_neighbours_come_with_a_passage_and_are_empty_at_the_ends(library: Library, corpus: Corpus) -> None:
    await put(library, "t", "a.md", ["first part", "middle part", "last part"])
    found = await corpus.candidates(Search("t", "middle", None, "sparse"))
    (middle,) = await corpus.passages("t", [found[0].chunk_id])
    assert (middle.before, middle.after) == ("first part", "last part")
    firsts = await corpus.candidates(Search("t", "first", None, "sparse"))
    (first,) = await corpus.passages("t", [firsts[0].chunk_id])
    assert (first.before, first.after) == ("", "middle part")


async def test_the_modes_are_exactly_what_they_say(library: Library, corpus: Corpus) -> None:
    await put(library, "t", "a.md", ["bucket policy", "subnet route", "state lock"])
    (vector,) = await HashedWords().embed(["bucket"], "query")
    dense = await corpus.candidates(Search("t", "bucket", vector, "dense"))
    sparse = await corpus.candidates(Search("t", "bucket", vector, "sparse"))
    hybrid = await corpus.candidates(Search("t", "bucket", vector, "hybrid"))
    assert len(dense) == 3 and all(c.bm25 is None and c.coverage is None for c in dense)
    assert len(sparse) == 1 and all(c.cosine is None for c in sparse)
    assert len(hybrid) == 3 and all(c.cosine is not None and c.bm25 is not None for c in hybrid)


async def test_both_scores_are_filled_in_for_the_union_of_the_legs(library: Library, corpus: Corpus) -> None:
    await put(library, "t", "a.md", [f"{word} filler{number}" for number, word in enumerate(WORDS)])
    (vector,) = await HashedWords().embed(["subnet filler6"], "query")
    found = await corpus.candidates(Search("t", "state filler2", vector, "hybrid", n=2))
    assert {c.dense_rank for c in found} >= {1, 2} and {c.sparse_rank for c in found} >= {1, 2}
    assert all(c.cosine is not None and c.bm25 is not None and c.coverage is not None for c in found)


async def test_c08_one_word_too_many_lowers_the_rank_and_does_not_empty_the_result(
    library: Library, corpus: Corpus
) -> None:
    await put(library, "t", "a.md", ["A bucket policy grants access to objects."])
    question = "please kindly explain bucket policy grants zebra"
    assert len(await corpus.candidates(Search("t", question, None, "sparse"))) == 1
    assert await corpus.candidates(Search("t", question, None, "sparse", "and")) == []


@pytest.mark.parametrize("text", ["s3:GetObject & ! | <-> ( ' \"", "the of and", "", "a" * 5_000, "🙂", "%s %(x)s \\"])
async def test_c09_any_text_can_be_searched(library: Library, corpus: Corpus, text: str) -> None:
    await put(library, "t", "a.md", ["The action s3:GetObject reads an object.", "Nothing here."])
    (vector,) = await HashedWords().embed([text], "query")
    for lexical in get_args(Lexical):
        found = await corpus.candidates(Search("t", text, vector, "hybrid", lexical))
        assert {c.chunk_id for c in found if c.dense_rank}, "dense search runs for any text"
    if "GetObject" in text:
        assert len(await corpus.candidates(Search("t", text, None, "sparse"))) == 1


async def test_c10_a_small_tenant_beside_a_large_one_gets_all_its_results(library: Library, corpus: Corpus) -> None:
    random = Random(3)
    for part in range(10):
        await put(library, "large", f"{part}.md", [" ".join(random.choices(WORDS, k=6)) for _ in range(60)])
    await put(library, "small", "a.md", [f"{' '.join(random.choices(WORDS, k=6))} {n}" for n in range(30)])
    (vector,) = await HashedWords().embed(["bucket policy"], "query")
    for n, expected in ((20, 20), (50, 30)):
        assert len(await corpus.candidates(Search("small", "bucket policy", vector, "dense", n=n))) == expected


async def test_an_unchanged_fetch_renews_the_date_and_is_logged(library: Library, pool: db.Pool) -> None:
    await put(library, "t", "a.md", ["alpha"])
    later = NOW.replace(year=2027)
    await library.record(Fetch("t", "a.md", document("t", "a.md").url, later, "unchanged", etag='"x"'))
    async with db.tenant(pool, "t") as conn:
        row = await (await conn.execute("select fetched_at, etag from documents")).fetchone()
        log = await (await conn.execute("select outcome from fetches order by id")).fetchall()
    assert row == (later, '"x"')
    assert log == [("new",), ("unchanged",)]
