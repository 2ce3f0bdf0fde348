"""Conversations over HTTP: continued, exported, rated and deleted."""

from __future__ import annotations

import re
from collections.abc import AsyncIterator

import httpx
import pytest

from rag.types import Answer
from tests.fakes_web import ScriptedCoach, Stage, staged
from tests.wire.web_client import EVENTS, QUESTION, client_of, problem_in

NAME = "a-conversation"
ADDRESS = f"/v1/conversations/{NAME}?tenant=aws-saa"


@pytest.fixture(scope="module")
async def stage() -> AsyncIterator[Stage]:
    async with staged() as stage:
        yield stage


@pytest.fixture
def coach(stage: Stage) -> ScriptedCoach:
    stage.coach = ScriptedCoach()
    return stage.coach


@pytest.fixture
async def client(stage: Stage, coach: ScriptedCoach) -> AsyncIterator[httpx.AsyncClient]:
    async with client_of(stage.url) as client:
        yield client


async def test_what_was_said_is_exported_oldest_first(client: httpx.AsyncClient) -> None:
    for question in ("First?", "Second?"):
        await client.post("/v1/ask", json={**QUESTION, "question": question, "conversation": NAME})
    exported = (await client.get(ADDRESS)).json()
    assert (exported["conversation"], exported["tenant"]) == (NAME, "aws-saa")
    assert [exchange["asked"] for exchange in exported["exchanges"]] == ["First?", "Second?"]
    keys = {"id", "at", "asked", "kind", "reason", "answer", "helpful", "comment"}
    assert exported["exchanges"][0].keys() == keys
    assert exported["exchanges"][0]["at"].endswith("Z")


async def test_a_verdict_is_kept_and_a_later_one_takes_its_place(client: httpx.AsyncClient) -> None:
    answer = (await client.post("/v1/ask", json={**QUESTION, "conversation": NAME})).json()["id"]
    verdict = {"tenant": "aws-saa", "answer": answer, "helpful": False}
    for body in (verdict, {**verdict, "helpful": True, "comment": "Clear."}):
        response = await client.post("/v1/feedback", json=body)
        assert (response.status_code, response.content) == (204, b"")
    (exchange,) = (await client.get(ADDRESS)).json()["exchanges"]
    assert (exchange["helpful"], exchange["comment"]) == (True, "Clear.")


async def test_a_deleted_conversation_is_gone_with_its_verdicts(client: httpx.AsyncClient) -> None:
    answer = (await client.post("/v1/ask", json={**QUESTION, "conversation": NAME})).json()["id"]
    deleted = await client.delete(ADDRESS)
    assert (deleted.status_code, deleted.content) == (204, b"")
    verdict = {"tenant": "aws-saa", "answer": answer, "helpful": True}
    assert problem_in(await client.get(ADDRESS), 404)["type"] == "/docs#unknown-conversation"
    assert problem_in(await client.delete(ADDRESS), 404)["type"] == "/docs#unknown-conversation"
    assert problem_in(await client.post("/v1/feedback", json=verdict), 404)["type"] == "/docs#unknown-answer"


async def test_conversations_are_not_listed(client: httpx.AsyncClient) -> None:
    problem_in(await client.get("/v1/conversations?tenant=aws-saa"), 404)


@pytest.mark.parametrize("path", [f"/v1/conversations/{NAME}?tenant=azure", f"/v1/conversations/{NAME}?tenant="])
async def test_a_conversation_of_no_tenant_names_the_tenants(client: httpx.AsyncClient, path: str) -> None:
    for method in ("GET", "DELETE"):
        assert problem_in(await client.request(method, path), 404)["known"] == ["aws-saa", "gcp-ace"]


@pytest.mark.parametrize(
    ("path", "named"),
    [
        ("/v1/conversations/short?tenant=aws-saa", "name"),
        (f"/v1/conversations/{'x' * 65}?tenant=aws-saa", "name"),
        ("/v1/conversations/with.a.dot?tenant=aws-saa", "name"),
        ("/v1/conversations/abcdefgh%0A?tenant=aws-saa", "name"),
        (f"/v1/conversations/{NAME}", "tenant"),
    ],
)
async def test_what_is_wrong_with_an_address_is_named(client: httpx.AsyncClient, path: str, named: str) -> None:
    assert [error["field"] for error in problem_in(await client.get(path), 422)["errors"]] == [named]


@pytest.mark.parametrize(
    ("wrong", "named"),
    [
        ({"helpful": None}, "helpful"),
        ({"helpful": "yes"}, "helpful"),
        ({"helpful": 1}, "helpful"),
        ({"comment": "x" * 2_001}, "comment"),
        ({"comment": None}, "comment"),
        ({"answer": 7}, "answer"),
        ({"tenant": []}, "tenant"),
    ],
)
async def test_what_is_wrong_with_a_verdict_is_named(
    client: httpx.AsyncClient, wrong: dict[str, object], named: str
) -> None:
    body = {"tenant": "aws-saa", "answer": "answer-1", "helpful": True, **wrong}
    assert [error["field"] for error in problem_in(await client.post("/v1/feedback", json=body), 422)["errors"]] == [
        named
    ]


async def test_a_new_conversation_has_a_name_that_cannot_be_guessed(client: httpx.AsyncClient) -> None:
    names = {(await client.post("/v1/ask", json=QUESTION)).json()["conversation"] for _ in range(8)}
    assert len(names) == 8
    assert all(re.fullmatch("[A-Za-z0-9_-]{22}", name) for name in names)  # 128 bits


@pytest.mark.parametrize("headers", [{}, EVENTS])
async def test_too_many_questions_are_a_429_that_says_when_to_come_back(
    client: httpx.AsyncClient, coach: ScriptedCoach, headers: dict[str, str]
) -> None:
    coach.events = (Answer("a", "refusal", "too_fast", "The next one can come in 12 s.", "Why?"),)
    response = await client.post("/v1/ask", json=QUESTION, headers=headers)
    assert problem_in(response, 429)["detail"] == "The next one can come in 12 s."
    assert 1 <= int(response.headers["retry-after"]) <= 60


@pytest.mark.parametrize("reason", ["off_topic", "budget", "injection"])
async def test_any_other_refusal_is_an_answer(client: httpx.AsyncClient, coach: ScriptedCoach, reason: str) -> None:
    coach.events = (Answer("a", "refusal", reason, "No.", "Why?"),)  # type: ignore[arg-type]
    assert (await client.post("/v1/ask", json=QUESTION)).json()["reason"] == reason


async def test_an_error_before_the_first_event_is_a_status_for_streams_too(
    client: httpx.AsyncClient, coach: ScriptedCoach
) -> None:
    coach.error = RuntimeError("broken")
    problem_in(await client.post("/v1/ask", json=QUESTION, headers=EVENTS), 500)
