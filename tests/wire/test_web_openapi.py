"""The OpenAPI description is true: what it allows is taken, what it forbids is refused, and nothing else comes back."""

from __future__ import annotations

import json
import string
from collections.abc import AsyncIterator
from typing import Any
from urllib.parse import quote

import httpx
import pytest
from hypothesis import HealthCheck, given
from hypothesis import settings as examples
from hypothesis import strategies as st

from bot.web import create_app
from bot.web_models import MAX_QUESTION
from tests.fakes_web import ScriptedCoach, staged
from tests.wire.web_client import QUESTION, client_of

SPEC: dict[str, Any] = create_app(ScriptedCoach()).openapi()
OPERATIONS = [(path, method) for path, methods in SPEC["paths"].items() for method in methods]
METHODS = {"GET", "HEAD", "POST", "PUT", "PATCH", "DELETE", "OPTIONS", "TRACE"}
few = examples(max_examples=40, suppress_health_check=[HealthCheck.function_scoped_fixture], deadline=None)

NAMES = st.text(string.ascii_letters + string.digits + "_-", min_size=8, max_size=64)
TEXTS = st.text(max_size=80)
JSON = st.recursive(
    st.none() | st.booleans() | st.integers() | st.floats(allow_nan=False) | TEXTS,
    lambda inner: st.lists(inner, max_size=3) | st.dictionaries(TEXTS, inner, max_size=3),
    max_leaves=6,
)
ASKED = st.fixed_dictionaries(
    {"tenant": st.sampled_from(["aws-saa", "gcp-ace", "azure"]) | TEXTS, "question": TEXTS.filter(str.strip)},
    optional={"conversation": st.none() | NAMES, "unheard_of": JSON},
)
RATED = st.fixed_dictionaries(
    {"tenant": st.just("aws-saa") | TEXTS, "answer": TEXTS, "helpful": st.booleans()}, optional={"comment": TEXTS}
)


@pytest.fixture(scope="module")
async def client() -> AsyncIterator[httpx.AsyncClient]:
    async with staged() as stage, client_of(stage.url) as client:
        stage.coach = ScriptedCoach()
        yield client


def fits(schema: dict[str, Any], value: Any) -> bool:
    """Whether the value has the shape that the description gives it, as far as our own schemas go."""
    match schema:
        case {"$ref": path}:
            return fits(SPEC["components"]["schemas"][path.rsplit("/", 1)[-1]], value)
        case {"anyOf": choices}:
            return any(fits(choice, value) for choice in choices)
        case {"enum": values}:
            return value in values
        case {"type": "array", "items": items}:
            return isinstance(value, list) and all(fits(items, item) for item in value)
        case {"type": "object", "properties": known}:
            complete = isinstance(value, dict) and set(schema.get("required", ())) <= value.keys() <= known.keys()
            return complete and all(fits(known[name], member) for name, member in value.items())
        case {"type": "object", "additionalProperties": of}:
            return isinstance(value, dict) and all(fits(of, member) for member in value.values())
    kinds = {"string": str, "integer": int, "number": int | float, "boolean": bool, "null": type(None)}
    return isinstance(value, kinds[schema["type"]])


def assert_described(response: httpx.Response, path: str, method: str) -> None:
    """The status, the media type, the headers and the shape of a response are in the description."""
    described = SPEC["paths"][path][method]["responses"]
    assert str(response.status_code) in described, response.text
    expected = described[str(response.status_code)]
    for name in expected.get("headers", ()):
        assert name in response.headers
    if "content" not in expected:
        assert response.content == b""
        return
    media = response.headers["content-type"].split(";")[0]
    assert media in expected["content"]
    assert fits(expected["content"][media]["schema"], response.json()), response.text


@few
@given(body=ASKED)
async def test_a_question_that_the_description_allows_is_taken(client: httpx.AsyncClient, body: Any) -> None:
    response = await client.post("/v1/ask", json=body)
    assert response.status_code in (200, 404)
    assert_described(response, "/v1/ask", "post")


@few
@given(body=RATED)
async def test_a_verdict_that_the_description_allows_is_taken(client: httpx.AsyncClient, body: Any) -> None:
    response = await client.post("/v1/feedback", json=body)
    assert response.status_code in (204, 404)
    assert_described(response, "/v1/feedback", "post")


@pytest.mark.parametrize("path", ["/v1/ask", "/v1/feedback"])
@few
@given(body=JSON, media=st.sampled_from(["application/json", "text/plain", "application/xml", "nonsense"]))
async def test_whatever_is_sent_the_response_is_described(
    client: httpx.AsyncClient, path: str, body: Any, media: str
) -> None:
    response = await client.post(path, content=json.dumps(body), headers={"content-type": media})
    assert response.status_code == 422
    assert_described(response, path, "post")


@few
@given(name=st.text(min_size=1, max_size=70).filter(lambda name: name not in (".", "..")), tenant=TEXTS)
async def test_whatever_a_conversation_is_called_the_response_is_described(
    client: httpx.AsyncClient, name: str, tenant: str
) -> None:
    path = "/v1/conversations/{name}"
    for method in ("get", "delete"):
        url = f"/v1/conversations/{quote(name, safe='')}?tenant={quote(tenant, safe='')}"
        response = await client.request(method, url)
        if "/" not in name:
            assert_described(response, path, method)
        assert response.status_code in (404, 422)


@pytest.mark.parametrize(("path", "method"), [each for each in OPERATIONS if each[1] == "get" and "{" not in each[0]])
async def test_what_a_route_returns_is_described(client: httpx.AsyncClient, path: str, method: str) -> None:
    assert_described(await client.request(method, path), path, method)


@pytest.mark.parametrize("path", SPEC["paths"])
async def test_a_method_that_is_not_described_is_a_405_that_names_all_that_are(
    client: httpx.AsyncClient, path: str
) -> None:
    described = {method.upper() for method in SPEC["paths"][path]}
    for method in METHODS - described:
        response = await client.request(method, path.replace("{name}", "abcdefgh"))
        assert response.status_code == 405
        assert set(response.headers["allow"].split(", ")) == described


async def test_a_question_that_is_too_long_is_not_called_malformed(client: httpx.AsyncClient) -> None:
    question = SPEC["components"]["schemas"]["AskBody"]["properties"]["question"]
    assert "maxLength" not in question
    assert f"{MAX_QUESTION:,}" in question["description"]
    response = await client.post("/v1/ask", json={**QUESTION, "question": "x" * (MAX_QUESTION + 1)})
    assert_described(response, "/v1/ask", "post")


async def test_every_operation_names_its_problems_in_the_one_form() -> None:
    reference = {"schema": {"$ref": "#/components/schemas/Problem"}}
    for path, method in OPERATIONS:
        responses = SPEC["paths"][path][method]["responses"]
        for status in responses.keys() - {"200", "204"}:
            assert responses[status]["content"] == {"application/problem+json": reference}
            assert responses[status]["description"]
    ask = SPEC["paths"]["/v1/ask"]["post"]["responses"]
    assert ask.keys() == {"200", "400", "404", "408", "413", "421", "422", "429", "500", "503", "504"}
    assert ask["200"]["content"].keys() == {"application/json", "text/event-stream"}
