"""The HTTP API over a real socket, around a coach whose answers are written down here."""

from __future__ import annotations

import asyncio
import json
import logging
import re
from base64 import b64encode
from collections.abc import AsyncIterator
from hashlib import sha256

import httpx
import pytest
from hypothesis import given
from hypothesis import strategies as st

from bot.coach import Readiness
from bot.web import create_app
from bot.web_accept import prefers_events
from bot.web_edge import MAX_BODY, SECURITY_HEADERS
from bot.web_kinds import KINDS
from bot.web_models import MAX_QUESTION, AskBody
from rag.errors import DatabaseError, ProviderError, UserError
from rag.types import Answer, Citation, Delta, Notice, Passage, Restart, Usage
from tests.fakes_web import ScriptedCoach, Stage, serving, staged
from tests.wire.web_client import EVENTS, QUESTION, client_of, events_of, problem_in

PASSAGE = Passage(
    chunk_id=7,
    document="groups.md",
    url="https://docs.example/groups",
    title="Placement groups",
    citation="User Guide",
    heading="Placement groups > Partition",
    text="Each partition has its own set of racks.",
    before="Before.",
    after="",
    dated="2024-05-30",
)


def answer(asked: str) -> Answer:
    return Answer(
        id="a1",
        kind="answer",
        reason="none",
        text="Each partition has its own set of racks. [1]",
        asked=asked,
        citations=(Citation(1, 0, PASSAGE.url, PASSAGE.title, PASSAGE.heading),),
        passages=(PASSAGE,),
        confidence=0.9,
        usage=Usage("model", 100, 20, 0.01),
        notices=(Notice("secret", "Rotate it."),),
    )


@pytest.fixture(scope="module")
async def stage() -> AsyncIterator[Stage]:
    async with staged() as stage:
        yield stage


@pytest.fixture
def coach(stage: Stage) -> ScriptedCoach:
    stage.coach = ScriptedCoach(answer=answer)
    return stage.coach


@pytest.fixture
async def client(stage: Stage, coach: ScriptedCoach) -> AsyncIterator[httpx.AsyncClient]:
    async with client_of(stage.url) as client:
        yield client


# --- asking ---


async def test_an_answer_has_exactly_the_shape_of_the_contract(client: httpx.AsyncClient) -> None:
    response = await client.post("/v1/ask", json={**QUESTION, "conversation": "c-1-made-up"})
    assert response.status_code == 200
    assert response.json() == {
        "id": "a1",
        "kind": "answer",
        "reason": "none",
        "answer": "Each partition has its own set of racks. [1]",
        "asked": "Why partitions?",
        "citations": [
            {"number": 1, "source": 0, "url": PASSAGE.url, "title": PASSAGE.title, "heading": PASSAGE.heading}
        ],
        "sources": [
            {
                "chunk_id": 7,
                "document": "groups.md",
                "url": PASSAGE.url,
                "title": "Placement groups",
                "citation": "User Guide",
                "heading": "Placement groups > Partition",
                "text": "Each partition has its own set of racks.",
                "before": "Before.",
                "after": "",
                "dated": "2024-05-30",
            }
        ],
        "confidence": 0.9,
        "usage": {"model": "model", "input": 100, "output": 20, "usd": 0.01},
        "notices": [{"kind": "secret", "text": "Rotate it.", "private": True}],
        "conversation": "c-1-made-up",
    }


async def test_the_stream_ends_with_the_object_that_json_returns(
    client: httpx.AsyncClient, coach: ScriptedCoach
) -> None:
    asked = "Why partitions?"
    coach.events = (Delta("Wrong"), Restart("repair"), Delta("Each partition\nhas its own"), answer(asked))
    body = {**QUESTION, "conversation": "c-1-made-up"}
    whole = (await client.post("/v1/ask", json=body)).json()
    streamed = await client.post("/v1/ask", json=body, headers=EVENTS)
    assert streamed.headers["content-type"].startswith("text/event-stream")
    assert events_of(streamed.text) == [
        ("delta", {"text": "Wrong"}),
        ("restart", {"reason": "repair"}),
        ("delta", {"text": "Each partition\nhas its own"}),
        ("answer", whole),
    ]


async def test_a_delta_arrives_before_the_answer_is_finished(client: httpx.AsyncClient, coach: ScriptedCoach) -> None:
    coach.events, coach.early = (Delta("First."), answer("Why?")), 1
    async with client.stream("POST", "/v1/ask", json=QUESTION, headers=EVENTS) as response:
        first = await anext(response.aiter_text())
    assert events_of(first) == [("delta", {"text": "First."})]


async def test_a_conversation_is_begun_without_one_and_continued_with_one(
    client: httpx.AsyncClient, coach: ScriptedCoach
) -> None:
    begun = (await client.post("/v1/ask", json=QUESTION)).json()["conversation"]
    continued = (await client.post("/v1/ask", json={**QUESTION, "conversation": begun})).json()["conversation"]
    other = (await client.post("/v1/ask", json=QUESTION)).json()["conversation"]
    assert begun == continued != other
    assert [talk.id for talk, _ in coach.asked] == [begun, begun, other]


@pytest.mark.parametrize(
    ("accept", "streams"),
    [
        ("", False),
        ("*/*", False),
        ("application/json", False),
        ("text/html, */*;q=0.8", False),
        ("text/event-stream", True),
        ("TEXT/Event-Stream; Q=1", True),
        ("text/*", True),
        ("text/event-stream, */*", True),
        ("text/event-stream, application/json", False),
        ("text/event-stream;q=0.4, application/json;q=0.5", False),
        ("text/event-stream;q=0.5, application/json;q=0.4", True),
        ("text/event-stream;q=0, */*", False),
        ("application/json;q=0, */*", True),
        ("text/event-stream;q=nonsense", False),
    ],
)
async def test_accept_chooses_between_json_and_events(client: httpx.AsyncClient, accept: str, streams: bool) -> None:
    response = await client.post("/v1/ask", json=QUESTION, headers={"accept": accept})
    assert response.status_code == 200
    assert response.headers["content-type"].startswith("text/event-stream" if streams else "application/json")


@given(st.lists(st.text(max_size=60), max_size=3))
def test_no_accept_header_is_too_strange_to_read(headers: list[str]) -> None:
    assert prefers_events(headers) in (True, False)


@pytest.mark.parametrize("streams", [False, True])
async def test_a_client_that_leaves_ends_the_answer(
    client: httpx.AsyncClient, coach: ScriptedCoach, streams: bool
) -> None:
    coach.early = 0
    asking = asyncio.create_task(client.post("/v1/ask", json=QUESTION, headers=EVENTS if streams else {}))
    await coach.begun.wait()
    assert not coach.closed.is_set()
    asking.cancel()
    await asyncio.wait_for(coach.closed.wait(), 10)


async def test_a_client_that_leaves_in_mid_stream_ends_the_answer(
    client: httpx.AsyncClient, coach: ScriptedCoach
) -> None:
    coach.events, coach.early = (Delta("x"), answer("Why?")), 1
    async with client.stream("POST", "/v1/ask", json=QUESTION, headers=EVENTS) as response:
        await anext(response.aiter_text())
    await asyncio.wait_for(coach.closed.wait(), 10)


# --- bad input ---


@pytest.mark.parametrize("headers", [{}, EVENTS])
async def test_an_unknown_tenant_is_told_the_known_ones(client: httpx.AsyncClient, headers: dict[str, str]) -> None:
    problem = problem_in(await client.post("/v1/ask", json={**QUESTION, "tenant": "azure"}, headers=headers), 404)
    assert problem["known"] == ["aws-saa", "gcp-ace"]
    assert "azure" in problem["detail"]


@pytest.mark.parametrize(
    ("body", "named"),
    [
        ({"tenant": "aws-saa"}, "question"),
        ({"question": "Why?"}, "tenant"),
        ({**QUESTION, "question": ""}, "question"),
        ({**QUESTION, "question": " \n\t\u00a0"}, "question"),
        ({**QUESTION, "question": 7}, "question"),
        ({**QUESTION, "question": None}, "question"),
        ({**QUESTION, "question": ["Why?"]}, "question"),
        ({**QUESTION, "tenant": {"slug": "aws-saa"}}, "tenant"),
        ({**QUESTION, "conversation": 7}, "conversation"),
        ({**QUESTION, "conversation": "../../etc"}, "conversation"),
        ([], "body"),
        ("Why?", "body"),
        (None, "body"),
    ],
)
async def test_a_wrong_field_is_named_and_its_value_is_not_repeated(
    client: httpx.AsyncClient, coach: ScriptedCoach, body: object, named: str
) -> None:
    problem = problem_in(await client.post("/v1/ask", json=body), 422)
    assert [error["field"] for error in problem["errors"]] == [named]
    assert "etc" not in json.dumps(problem)
    assert coach.asked == []


@pytest.mark.parametrize("content", [b"", b"{", b'{"tenant": "aws-saa", "question": }', b"tenant=aws-saa"])
async def test_what_is_not_json_is_a_422_that_names_the_body(client: httpx.AsyncClient, content: bytes) -> None:
    response = await client.post("/v1/ask", content=content, headers={"content-type": "application/json"})
    assert [error["field"] for error in problem_in(response, 422)["errors"]] == ["body"]


async def test_a_form_is_told_to_send_json(client: httpx.AsyncClient) -> None:
    assert "application/json" in problem_in(await client.post("/v1/ask", data=QUESTION), 422)["detail"]


@pytest.mark.parametrize("content", [b"\xff\xfe\xfd", b'{"tenant": "\xff"}', b"[" * 100_000])
async def test_bytes_that_cannot_be_read_are_a_problem_and_no_crash(client: httpx.AsyncClient, content: bytes) -> None:
    response = await client.post("/v1/ask", content=content, headers={"content-type": "application/json"})
    assert response.status_code in (400, 422)
    problem_in(response, response.status_code)


@pytest.mark.parametrize(("length", "status"), [(MAX_QUESTION, 200), (MAX_QUESTION + 1, 413)])
async def test_a_question_may_have_20000_characters(client: httpx.AsyncClient, length: int, status: int) -> None:
    response = await client.post("/v1/ask", json={**QUESTION, "question": "é" * length})
    assert response.status_code == status
    if status == 413:
        assert "20,000" in problem_in(response, 413)["detail"]


async def test_the_longest_question_fits_the_body_however_it_is_escaped(client: httpx.AsyncClient) -> None:
    content = json.dumps({**QUESTION, "question": "\u00e9\U0001f600" * (MAX_QUESTION // 2)}, ensure_ascii=True)
    response = await client.post("/v1/ask", content=content, headers={"content-type": "application/json"})
    assert response.status_code == 200


async def _drip(size: int) -> AsyncIterator[bytes]:
    for _ in range(0, size, 16_384):
        yield b" " * 16_384


@pytest.mark.parametrize("declared", [True, False])
async def test_a_body_over_256_kb_ends_in_413_with_and_without_its_length(
    client: httpx.AsyncClient, coach: ScriptedCoach, declared: bool
) -> None:
    content = b" " * (MAX_BODY + 1) if declared else _drip(MAX_BODY + 1)
    response = await client.post("/v1/ask", content=content, headers={"content-type": "application/json"})
    assert "256 kB" in problem_in(response, 413)["detail"]
    assert coach.asked == []


@pytest.mark.parametrize("accept", ["application/json", "text/event-stream"])
async def test_nul_and_half_characters_come_back_as_valid_utf8(client: httpx.AsyncClient, accept: str) -> None:
    content = rb'{"tenant": "aws-saa", "question": "a\u0000b \ud800 \udc00x \ud83d\ude00"}'
    headers = {"content-type": "application/json", "accept": accept}
    response = await client.post("/v1/ask", content=content, headers=headers)
    assert response.status_code == 200
    body = events_of(response.text)[-1][1] if accept == "text/event-stream" else response.json()
    assert body["asked"] == "a\0b \ufffd \ufffdx \U0001f600"


async def test_a_half_character_in_the_tenant_is_an_unknown_tenant(client: httpx.AsyncClient) -> None:
    content = rb'{"tenant": "\ud800", "question": "Why?"}'
    response = await client.post("/v1/ask", content=content, headers={"content-type": "application/json"})
    assert problem_in(response, 404)["known"] == ["aws-saa", "gcp-ace"]


@given(st.text(st.characters(exclude_categories=()), min_size=1).filter(str.strip))
def test_every_question_becomes_text_that_utf8_can_write(question: str) -> None:
    assert AskBody(tenant="t", question=question).question.encode()


# --- what goes wrong inside ---

SECRET_WORDS = "my colleague Zebulon"


@pytest.mark.parametrize(
    ("error", "status"),
    [
        (RuntimeError(f"while answering {SECRET_WORDS}"), 500),
        (ExceptionGroup("several", [ValueError(SECRET_WORDS)]), 500),
        (DatabaseError(f"cannot reach db.internal for {SECRET_WORDS}"), 503),
        (ProviderError(f"refused: {SECRET_WORDS}"), 503),
    ],
)
@pytest.mark.parametrize("streams", [False, True])
async def test_an_error_inside_becomes_a_problem_with_a_reference_and_no_words_of_anybody(
    client: httpx.AsyncClient,
    coach: ScriptedCoach,
    caplog: pytest.LogCaptureFixture,
    error: Exception,
    status: int,
    streams: bool,
) -> None:
    coach.events, coach.error = (Delta("Some text."),), error
    body = {**QUESTION, "question": SECRET_WORDS}
    with caplog.at_level(logging.DEBUG):
        response = await client.post("/v1/ask", json=body, headers=EVENTS if streams else {})
    if streams:
        assert response.status_code == 200
        name, problem = events_of(response.text)[-1]
        assert name == "error"
        assert problem["status"] == status
    else:
        problem = problem_in(response, status)
    assert "Traceback" not in response.text
    assert "Zebulon" not in response.text
    assert "db.internal" not in response.text
    records = [record for record in caplog.records if record.name == "bot.web_problems"]
    assert [record.__dict__["reference"] for record in records] == [problem["reference"]]
    assert any("fakes_web.py" in place for place in records[0].__dict__["places"])
    assert "Zebulon" not in "".join(str(record.__dict__) + record.getMessage() for record in caplog.records)


async def test_an_error_meant_for_the_person_is_shown_as_it_is(client: httpx.AsyncClient, coach: ScriptedCoach) -> None:
    coach.error = UserError("Ask again tomorrow.")
    assert problem_in(await client.post("/v1/ask", json=QUESTION), 400)["detail"] == "Ask again tomorrow."


# --- the other routes ---


async def test_tenants_are_listed_with_their_topics_and_documents(client: httpx.AsyncClient) -> None:
    first, second = (await client.get("/v1/tenants")).json()
    topics = ["placement groups", "storage classes", "endpoints"]
    title = "AWS Certified Solutions Architect – Associate"
    assert first == {"slug": "aws-saa", "title": title, "exam": "X-1", "topics": topics, "documents": 12}
    assert second["slug"] == "gcp-ace"


async def test_tenants_whose_documents_cannot_be_counted_are_not_called_empty(
    client: httpx.AsyncClient, coach: ScriptedCoach
) -> None:
    coach.readiness = Readiness({"database": "does not answer"}, {})
    assert problem_in(await client.get("/v1/tenants"), 503)["checks"] == {"database": "does not answer"}


async def test_healthz_touches_nothing() -> None:
    async with serving(create_app(Untouchable())) as served, client_of(served.url) as client:
        response = await client.get("/healthz")
    assert (response.status_code, response.json()) == (200, {"status": "ok"})


class Untouchable(ScriptedCoach):
    async def ready(self) -> Readiness:
        raise AssertionError("touched")


async def test_readyz_shows_the_checks_when_all_is_well(client: httpx.AsyncClient) -> None:
    response = await client.get("/readyz")
    assert response.status_code == 200
    assert response.json() == {"ok": True, "checks": {"database": "ok"}, "documents": {"aws-saa": 12, "gcp-ace": 1}}


async def test_readyz_names_what_is_missing(client: httpx.AsyncClient, coach: ScriptedCoach) -> None:
    coach.readiness = Readiness({"database": "ok", "corpus": "empty: run certcoach ingest"}, {})
    problem = problem_in(await client.get("/readyz"), 503)
    assert problem["checks"] == {"database": "ok", "corpus": "empty: run certcoach ingest"}


async def test_a_route_that_is_not_there_is_a_problem(client: httpx.AsyncClient) -> None:
    assert problem_in(await client.get("/nothing"), 404)["title"] == "Not Found"


async def test_a_wrong_method_is_told_the_right_ones(client: httpx.AsyncClient) -> None:
    response = await client.get("/v1/ask")
    problem_in(response, 405)
    assert response.headers["allow"] == "POST"


@pytest.mark.parametrize("path", ["/", "/docs", "/openapi.json", "/healthz", "/readyz", "/v1/tenants", "/nothing"])
async def test_every_response_carries_the_security_headers(client: httpx.AsyncClient, path: str) -> None:
    headers = (await client.get(path)).headers
    assert SECURITY_HEADERS.keys() <= headers.keys()
    assert "frame-ancestors 'none'" in headers["content-security-policy"]
    assert headers["x-content-type-options"] == "nosniff"


async def test_a_crash_carries_the_security_headers_too(client: httpx.AsyncClient, coach: ScriptedCoach) -> None:
    coach.error = RuntimeError("broken")
    response = await client.post("/v1/ask", json=QUESTION)
    assert response.status_code == 500
    assert SECURITY_HEADERS.keys() <= response.headers.keys()


@pytest.mark.parametrize("path", ["/", "/docs"])
async def test_a_page_runs_only_what_its_policy_names_and_loads_nothing(client: httpx.AsyncClient, path: str) -> None:
    response = await client.get(path)
    policy = response.headers["content-security-policy"]
    for tag in ("script", "style"):
        assert f"<{tag} " not in response.text
        for content in re.findall(rf"<{tag}>(.*?)</{tag}>", response.text, re.DOTALL):
            assert f"'sha256-{b64encode(sha256(content.encode()).digest()).decode()}'" in policy
    assert "unsafe" not in policy
    assert not re.search(r"\s(on\w+|style)=\"", response.text)
    assert not re.search(r"(?:src|href)=\"(?:https?:)?//", response.text)


async def test_the_reference_lists_every_route_object_and_kind_of_problem(client: httpx.AsyncClient) -> None:
    spec = (await client.get("/openapi.json")).json()
    html = (await client.get("/docs")).text
    anchors = set(re.findall(r'id="([^"]+)"', html))
    assert {target for target in re.findall(r'href="#([^"]+)"', html)} <= anchors
    assert all(path in html for path in spec["paths"])
    assert spec["components"]["schemas"].keys() <= anchors
    assert {kind.slug for kind in KINDS} <= anchors
