"""What the server does when something takes long: a question, a silent stream, a slow request, its own end."""

from __future__ import annotations

import asyncio

import pytest

from bot.web import create_app
from bot.web_patience import Patience
from rag.types import Delta
from tests.fakes_web import ScriptedCoach, answer, serving
from tests.wire.web_client import EVENTS, QUESTION, client_of, events_of, problem_in

SHORT = 0.05
STUCK = (Delta("Some text."), answer("Why?"))


async def test_a_question_that_takes_too_long_ends_with_a_problem() -> None:
    coach = ScriptedCoach(early=0)
    app = create_app(coach, patience=Patience(answer=SHORT))
    async with serving(app) as served, client_of(served.url) as client:
        problem = problem_in(await client.post("/v1/ask", json=QUESTION), 504)
    assert problem["type"] == "/docs#too-slow"
    assert coach.closed.is_set()


async def test_a_stream_that_takes_too_long_ends_with_a_problem() -> None:
    coach = ScriptedCoach(events=STUCK, early=1)
    app = create_app(coach, patience=Patience(answer=SHORT))
    async with serving(app) as served, client_of(served.url) as client:
        response = await client.post("/v1/ask", json=QUESTION, headers=EVENTS)
    (first, text), (last, problem) = events_of(response.text)
    assert (first, text) == ("delta", {"text": "Some text."})
    assert (last, problem["status"]) == ("error", 504)
    assert coach.closed.is_set()


async def test_a_timeout_inside_is_not_taken_for_the_servers_own() -> None:
    coach = ScriptedCoach(error=TimeoutError("of a socket"))
    async with serving(create_app(coach)) as served, client_of(served.url) as client:
        problem_in(await client.post("/v1/ask", json=QUESTION), 500)


async def test_a_silent_stream_shows_that_it_is_alive() -> None:
    coach = ScriptedCoach(events=STUCK, early=1)
    app = create_app(coach, patience=Patience(silence=SHORT))
    async with (
        serving(app) as served,
        client_of(served.url) as client,
        client.stream("POST", "/v1/ask", json=QUESTION, headers=EVENTS) as response,
    ):
        text = ""
        async for piece in response.aiter_text():
            text += piece
            if text.count(": ping\n\n") == 3:
                coach.go_on.set()
    assert [name for name, _ in events_of(text)] == ["delta", "answer"]


async def test_a_stream_begins_though_nothing_is_there_yet() -> None:
    coach = ScriptedCoach(early=0)
    app = create_app(coach, patience=Patience(opening=SHORT))
    async with (
        serving(app) as served,
        client_of(served.url) as client,
        client.stream("POST", "/v1/ask", json=QUESTION, headers=EVENTS) as response,
    ):
        assert response.status_code == 200
        pieces = response.aiter_text()
        assert await anext(pieces) == ": ping\n\n"
        coach.go_on.set()
        rest = "".join([piece async for piece in pieces])
    assert events_of(rest)[-1][0] == "answer"


async def test_a_request_that_does_not_arrive_is_given_up() -> None:
    app = create_app(ScriptedCoach(), patience=Patience(body=SHORT))
    head = "POST /v1/ask HTTP/1.1\r\nHost: localhost\r\nContent-Type: application/json\r\nContent-Length: 99\r\n\r\n{"
    async with serving(app) as served:
        reader, writer = await asyncio.open_connection("127.0.0.1", served.port)
        writer.write(head.encode())
        response = (await reader.read()).decode()
        writer.close()
        await writer.wait_closed()
    assert response.startswith("HTTP/1.1 408 ")
    assert '"type":"/docs#slow-request"' in response
    assert "connection: close" in response.lower()


async def test_the_time_for_a_request_does_not_count_for_its_answer() -> None:
    coach = ScriptedCoach(events=STUCK, early=1)
    app = create_app(coach, patience=Patience(body=SHORT))
    async with serving(app) as served, client_of(served.url) as client:
        asking = asyncio.create_task(client.post("/v1/ask", json=QUESTION))
        await coach.begun.wait()
        await asyncio.sleep(2 * SHORT)
        coach.go_on.set()
        assert (await asking).status_code == 200


@pytest.mark.parametrize("headers", [{}, EVENTS])
async def test_a_server_that_is_to_end_finishes_the_running_answers(headers: dict[str, str]) -> None:
    coach = ScriptedCoach(events=STUCK, early=1)
    async with serving(create_app(coach), grace=30) as served, client_of(served.url) as client:
        asking = asyncio.create_task(client.post("/v1/ask", json=QUESTION, headers=headers))
        await coach.begun.wait()
        served.server.should_exit = True
        await served.server.ending.wait()
        assert not served.task.done()
        coach.go_on.set()
        response = await asking
        await served.task
    assert response.status_code == 200
    assert '"kind":"answer"' in response.text


async def test_a_server_that_is_to_end_does_not_wait_for_ever() -> None:
    coach = ScriptedCoach(early=0)
    async with serving(create_app(coach), grace=1) as served, client_of(served.url) as client:
        asking = asyncio.create_task(client.post("/v1/ask", json=QUESTION))
        await coach.begun.wait()
        served.server.should_exit = True
        await served.task
        await asyncio.wait([asking])
        asking.exception()
    assert coach.closed.is_set()
