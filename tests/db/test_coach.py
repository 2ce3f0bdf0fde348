"""The application service over a real database, real search and a scripted language model."""

from __future__ import annotations

from collections.abc import AsyncIterator, Callable, Sequence

import pytest

from bot.coach import Coach
from bot.wiring import Models, build_app
from ingest.fetch import Offline, open_fetcher
from ingest.sources import Catalogue, load_catalogue
from rag import db
from rag.errors import UnknownTenant
from rag.settings import Settings
from rag.types import Answer, ChatModel, Restart
from tests.contract.answers import observe
from tests.contract.test_grounded import finish
from tests.corpora import HashedWords, put
from tests.fakes import ScriptedChat, Step

GOOD = "Amazon S3 keeps objects in buckets [1]."
QUESTION = "Where does S3 keep objects?"


@pytest.fixture(scope="module")
def catalogue() -> Catalogue:
    from tests.e2e.processes import ROOT

    return load_catalogue(ROOT / "sources.yaml")


Open = Callable[..., Coach]


@pytest.fixture
async def coach(pool: db.Pool, catalogue: Catalogue) -> AsyncIterator[Open]:
    """Builds the coach of a database with one document, around these chat models and settings."""

    def build(*models: ChatModel, **settings: object) -> Coach:
        chosen = Settings().model_copy(update={"chunker": "headings-1200", "gate": 0.0, **settings})
        return build_app(chosen, catalogue, pool, Models(HashedWords(), models), fetcher).coach

    async with open_fetcher() as opened:
        fetcher = Offline(opened)
        app = build_app(Settings(), catalogue, pool, Models(HashedWords()), fetcher)
        await put(
            app.library, "aws-saa", "s3.md", ["Amazon S3 keeps objects in buckets. A bucket lives in one Region."]
        )
        yield build


async def ask(coach: Coach, text: str, conversation: str | None = None, person: str = "anna") -> Answer:
    observed = await observe(coach.ask("aws-saa", text, conversation, person))
    assert observed.answer is not None, observed.error
    return observed.answer


def writes(*scripts: Sequence[Step]) -> ScriptedChat:
    return ScriptedChat(*(scripts or ([GOOD, finish()],)))


async def test_without_a_model_the_documents_are_quoted(coach: Open) -> None:
    answer = await ask(coach(), QUESTION)
    assert answer.text.startswith("Amazon S3 keeps objects in buckets. [1]") and answer.usage is None


async def test_with_a_model_the_answer_is_written_and_its_cost_is_on_the_bill(coach: Open, pool: db.Pool) -> None:
    answer = await ask(coach(writes()), QUESTION)
    assert answer.text == GOOD
    async with db.tenant(pool, "aws-saa") as conn:
        row = await (await conn.execute("select person, model, input, output, usd from spending")).fetchone()
    assert row == ("anna", "scripted", 100, 10, 0.001)


async def test_a_follow_up_sees_what_was_said(coach: Open) -> None:
    model = writes()
    opened = coach(model)
    await ask(opened, QUESTION, "conversation-1")
    await ask(opened, "and in how many Regions?", "conversation-1")
    assert [message.text for message in model.calls[1].messages[1:3]] == [QUESTION, GOOD]


async def test_without_a_conversation_nothing_is_kept(coach: Open, pool: db.Pool) -> None:
    await ask(coach(), QUESTION)
    async with db.tenant(pool, "aws-saa") as conn:
        assert await (await conn.execute("select count(*) from answers")).fetchone() == (0,)


async def test_a_secret_is_neither_kept_nor_sent_to_a_model(coach: Open, pool: db.Pool) -> None:
    model, secret = writes(), "AKIA" + "FAKE" * 4
    answer = await ask(coach(model), f"Is {secret} fine for S3 objects?", "conversation-1")
    assert answer.notices[0].kind == "secret" and secret not in answer.asked
    assert all(secret not in message.text for call in model.calls for message in call.messages)
    async with db.tenant(pool, "aws-saa") as conn:
        rows = await (await conn.execute("select asked, text from answers")).fetchall()
    assert rows and secret not in str(rows)


async def test_used_up_tokens_mean_quotes_with_the_time_they_come_back(coach: Open) -> None:
    opened = coach(writes(), daily_tokens_person=100)
    assert (await ask(opened, QUESTION)).text == GOOD
    answer = await ask(opened, QUESTION)
    assert answer.text.startswith("Amazon S3 keeps objects in buckets. [1]")
    assert [notice.kind for notice in answer.notices] == ["budget"] and "UTC" in answer.notices[0].text
    assert (await ask(opened, QUESTION, person="ben")).text == GOOD


async def test_too_many_questions_in_a_minute_are_turned_away_without_a_search(coach: Open) -> None:
    opened = coach(rate=2)
    kinds = [(await ask(opened, QUESTION)).reason for _ in range(4)]
    assert kinds.count("too_fast") >= 1 and kinds[:2] == ["none", "none"]


async def test_a_comment_is_redacted_before_it_is_kept(coach: Open) -> None:
    opened = coach()
    answer = await ask(opened, QUESTION, "conversation-1")
    assert await opened.rate("aws-saa", answer.id, False, "mail me: anna@example.org", "anna")
    (exchange,) = await opened.export("aws-saa", "conversation-1", "anna")
    assert exchange.comment == "mail me: [EMAIL_1]"


async def test_a_forgotten_conversation_is_gone(coach: Open) -> None:
    opened = coach()
    await ask(opened, QUESTION, "conversation-1")
    assert await opened.forget("aws-saa", "conversation-1", "anna")
    assert list(await opened.export("aws-saa", "conversation-1", "anna")) == []


async def test_conversations_older_than_the_setting_expire(coach: Open, pool: db.Pool) -> None:
    opened = coach()
    await ask(opened, QUESTION, "conversation-1")
    async with db.tenant(pool, "aws-saa") as conn:
        await conn.execute("update conversations set last_at = now() - interval '31 days'")
    await opened.expire(30)
    assert list(await opened.export("aws-saa", "conversation-1", "anna")) == []


async def test_a_restart_reaches_the_asker(coach: Open) -> None:
    model = writes([GOOD + " ", "Buckets cost 99 euros [1].", finish()], [GOOD, finish()])
    events = [event async for event in coach(model).ask("aws-saa", QUESTION)]
    assert Restart("repair") in events and isinstance(events[-1], Answer) and events[-1].text == GOOD


async def test_an_unknown_tenant_is_refused_with_the_known_ones(coach: Open) -> None:
    with pytest.raises(UnknownTenant) as error:
        await anext(coach().ask("no-such", QUESTION))
    assert error.value.known == ("aws-saa", "gcp-ace", "terraform-assoc")


async def test_readiness_names_the_tenants_without_documents(coach: Open) -> None:
    readiness = await coach().ready()
    assert not readiness.ok and readiness.documents == {"aws-saa": 1, "gcp-ace": 0, "terraform-assoc": 0}
    assert "gcp-ace, terraform-assoc" in readiness.checks["corpus"] and "certcoach ingest" in readiness.checks["corpus"]
