"""Every answerer keeps the contract of an answer, also when something fails at any of its events."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from guardrails.guarded import Guarded
from guardrails.limits import Limits
from guardrails.redact import Redaction
from rag.errors import DatabaseError
from rag.extractive import ExtractiveAnswerer
from rag.reading import Reader
from rag.types import Answer, Delta, Events, Passage, Question, Retrieved
from tests.contract.answers import observe
from tests.corpora import HashedWords

TEXT = """Amazon S3 stores objects in buckets. A bucket lives in one Region. It never leaves that Region by itself.

Versioning keeps:

- every version of an object
- a delete marker for a deleted object

| class | for |
|---|---|
| Standard | objects that are read often |
"""


class Found:
    """A retriever that has found these passages already."""

    def __init__(self, passages: tuple[Passage, ...]) -> None:
        self._retrieved = Retrieved(passages, tuple(1.0 for _ in passages))

    async def retrieve(self, tenant: str, text: str) -> Retrieved:
        return self._retrieved


class Broken:
    """A retriever whose database is away."""

    async def retrieve(self, tenant: str, text: str) -> Retrieved:
        raise DatabaseError("The database went away.")


class Faulty:
    """An answerer that fails before its n-th event, and knows whether it was closed."""

    def __init__(self, pieces: list[str], fail_at: int | None) -> None:
        self._pieces = pieces
        self._fail_at = fail_at
        self.closed = False

    async def answer(self, question: Question) -> Events:
        try:
            for index, piece in enumerate(self._pieces):
                if index == self._fail_at:
                    raise DatabaseError("The database went away.")
                yield Delta(piece)
            if self._fail_at == len(self._pieces):
                raise DatabaseError("The database went away.")
            yield Answer("1", "answer", "none", "".join(self._pieces), question.text)
        finally:
            self.closed = True


def passage(number: int, text: str = TEXT) -> Passage:
    url = f"https://docs.example-cloud.test/{number}"
    return Passage(
        number, f"{number}.md", url, f"Title {number}", "Guide", f"Title {number} > Part", text, "", "", None
    )


def reader(retriever: object, *, covered: bool = True) -> Reader:
    return Reader(retriever, HashedWords(), 0.0 if covered else 1.0)  # type: ignore[arg-type]


def extractive(retriever: object, *, covered: bool = True) -> ExtractiveAnswerer:
    return ExtractiveAnswerer(reader(retriever, covered=covered), lambda: "1")


async def answered(question: str, *texts: str) -> Answer:
    passages = tuple(passage(number, text) for number, text in enumerate(texts))
    observed = await observe(extractive(Found(passages)).answer(Question("t", question)))
    assert observed.answer is not None and len(observed.deltas) >= 1
    return observed.answer


@given(st.text(max_size=60), st.lists(st.sampled_from([TEXT, "One sentence about a bucket.", "- x", ""]), max_size=4))
async def test_an_extractive_answer_keeps_the_contract_for_any_question(question: str, texts: list[str]) -> None:
    passages = tuple(passage(number, text) for number, text in enumerate(texts))
    await observe(extractive(Found(passages)).answer(Question("t", question)))


async def test_every_quote_stands_verbatim_in_the_passage_that_it_cites() -> None:
    answer = await answered("In how many Regions does a bucket live?", TEXT)
    assert "A bucket lives in one Region. [1]" in answer.text
    for line in answer.text.replace(" [1]", "").splitlines():
        assert line.removesuffix(" |").strip() in TEXT


async def test_a_sentence_that_begins_with_it_brings_the_one_before() -> None:
    answer = await answered("Does it ever leave by itself?", TEXT)
    assert answer.text.index("A bucket lives in one Region.") < answer.text.index("It never leaves that Region")


async def test_a_sentence_that_announces_a_list_brings_the_list() -> None:
    answer = await answered("Versioning keeps:", TEXT)
    assert "Versioning keeps: [1]" in answer.text
    assert "- every version of an object [1]" in answer.text and "- a delete marker" in answer.text


async def test_an_uncovered_question_is_declined_with_what_lies_nearest() -> None:
    observed = await observe(extractive(Found((passage(1),)), covered=False).answer(Question("t", "pancakes?")))
    assert observed.answer is not None and observed.deltas == ()
    assert (observed.answer.kind, observed.answer.reason) == ("unknown", "not_covered")
    assert "don't cover" in observed.answer.text and "Title 1" in observed.answer.text
    assert observed.answer.citations == ()


async def test_a_failing_search_ends_the_stream_with_its_error() -> None:
    observed = await observe(extractive(Broken()).answer(Question("t", "x")))
    assert observed.answer is None and isinstance(observed.error, DatabaseError)


@given(st.lists(st.text(min_size=1, max_size=5), max_size=6), st.data())
async def test_a_fault_at_any_event_keeps_the_contract_through_the_onion(
    pieces: list[str], data: st.DataObject
) -> None:
    fail_at = data.draw(st.one_of(st.none(), st.integers(0, len(pieces))))
    inner = Faulty(pieces, fail_at)
    observed = await observe(Guarded(inner, [Redaction(), Limits(lambda: "1")]).answer(Question("t", "what?")))
    assert inner.closed
    assert (observed.error is None) == (fail_at is None)
    assert list(observed.deltas) == pieces[: len(pieces) if fail_at is None else fail_at]


@pytest.mark.parametrize("read", range(4))
async def test_a_reader_who_leaves_closes_the_inner_answerer(read: int) -> None:
    inner = Faulty(["a", "b", "c"], None)
    events = Guarded(inner, []).answer(Question("t", "what?"))
    for _ in range(read):
        await anext(events)
    await events.aclose()
    assert inner.closed or read == 0
