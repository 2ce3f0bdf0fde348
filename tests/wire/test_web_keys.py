"""Who may use the HTTP API: holders of keys, and without keys only the server's own machine."""

from __future__ import annotations

import logging
from collections.abc import AsyncIterator
from hashlib import sha256

import pytest
from hypothesis import given
from hypothesis import strategies as st
from pydantic import SecretStr

from bot.coach import Readiness
from bot.web import HIDDEN
from bot.web_door import Access, access_for
from bot.web_keys import Keys, parse_keys
from rag.errors import ConfigError
from rag.settings import Settings
from tests.fakes_web import ScriptedCoach, Stage, staged
from tests.wire.web_client import EVENTS, QUESTION, client_of, problem_in

AWS, GCP, EVERY = "aws-key-0123456789abcdef", "gcp-key-0123456789abcdef", "all-key-0123456789abcdef"
TENANTS = ("aws-saa", "gcp-ace")
KEYS = parse_keys(f"aws-saa:{AWS}, gcp-ace:{GCP},*:{EVERY}", TENANTS)


@pytest.fixture(scope="module")
async def stage() -> AsyncIterator[Stage]:
    async with staged(Access(KEYS)) as stage:
        yield stage


@pytest.fixture(scope="module")
async def home() -> AsyncIterator[Stage]:
    """The stage of a server without keys."""
    async with staged() as stage:
        yield stage


@pytest.fixture
def coach(stage: Stage) -> ScriptedCoach:
    stage.coach = ScriptedCoach()
    return stage.coach


def person(key: str) -> str:
    return f"key:{sha256(key.encode()).hexdigest()[:12]}"


# --- a server with keys ---


@pytest.mark.parametrize(
    ("method", "path"),
    [
        ("GET", "/v1/tenants"),
        ("POST", "/v1/ask"),
        ("POST", "/v1/feedback"),
        ("GET", "/v1/conversations/abcdefgh?tenant=aws-saa"),
        ("DELETE", "/v1/conversations/abcdefgh?tenant=aws-saa"),
        ("GET", "/v1/nothing"),
        ("OPTIONS", "/v1/ask"),
        ("GET", "/metrics"),
    ],
)
@pytest.mark.parametrize(
    "authorization", [None, "", "Bearer", f"Bearer {AWS}x", f"Basic {AWS}", AWS, "Bearer \xff", f"Bearer {AWS[:-1]}"]
)
async def test_without_a_right_key_nothing_is_reached(
    stage: Stage, coach: ScriptedCoach, method: str, path: str, authorization: str | None
) -> None:
    headers = {} if authorization is None else {b"authorization": authorization.encode("latin-1")}
    async with client_of(stage.url) as client:
        response = await client.request(method, path, headers=headers, content=b"{")
    assert problem_in(response, 401)["type"] == "/docs#no-key"
    assert response.headers["www-authenticate"].startswith("Bearer")
    assert AWS[:8] not in response.text
    assert coach.asked == []


@pytest.mark.parametrize("scheme", ["Bearer", "bearer", "BEARER"])
async def test_a_key_opens_its_tenant(stage: Stage, coach: ScriptedCoach, scheme: str) -> None:
    async with client_of(stage.url) as client:
        response = await client.post("/v1/ask", json=QUESTION, headers={"authorization": f"{scheme} {AWS}"})
    assert response.status_code == 200
    assert coach.asked[0][0].person == person(AWS)


async def test_other_tenants_do_not_exist_for_a_key(stage: Stage, coach: ScriptedCoach) -> None:
    theirs = "there-is-one"
    async with client_of(stage.url, GCP) as client:
        await client.post("/v1/ask", json={**QUESTION, "tenant": "gcp-ace", "conversation": theirs})
    address = f"/v1/conversations/{theirs}?tenant=gcp-ace"
    async with client_of(stage.url, AWS) as client:
        answers = [
            await client.post("/v1/ask", json={**QUESTION, "tenant": "gcp-ace"}),
            await client.post("/v1/ask", json={**QUESTION, "tenant": "gcp-ace"}, headers=EVENTS),
            await client.post("/v1/feedback", json={"tenant": "gcp-ace", "answer": "answer-1", "helpful": True}),
            await client.get(address),
            await client.delete(address),
        ]
        listed = (await client.get("/v1/tenants")).json()
    for response in answers:
        assert problem_in(response, 404)["known"] == ["aws-saa"]
    assert [tenant["slug"] for tenant in listed] == ["aws-saa"]
    assert len(coach.asked) == 1


async def test_a_key_for_all_tenants_opens_each(stage: Stage, coach: ScriptedCoach) -> None:
    async with client_of(stage.url, EVERY) as client:
        for tenant in TENANTS:
            assert (await client.post("/v1/ask", json={**QUESTION, "tenant": tenant})).status_code == 200
        assert len((await client.get("/v1/tenants")).json()) == 2
        assert (await client.get("/metrics")).status_code == 200


async def test_conversations_belong_to_the_key_that_held_them(stage: Stage, coach: ScriptedCoach) -> None:
    async with client_of(stage.url, AWS) as client:
        await client.post("/v1/ask", json={**QUESTION, "conversation": "of-aws-key"})
    async with client_of(stage.url, EVERY) as client:
        problem_in(await client.get("/v1/conversations/of-aws-key?tenant=aws-saa"), 404)
        problem_in(await client.delete("/v1/conversations/of-aws-key?tenant=aws-saa"), 404)


async def test_the_metrics_of_all_are_not_for_a_key_of_one(stage: Stage, coach: ScriptedCoach) -> None:
    async with client_of(stage.url, AWS) as client:
        problem_in(await client.get("/metrics"), 401)


@pytest.mark.parametrize("path", ["/", "/docs", "/openapi.json", "/healthz", "/readyz"])
async def test_what_tells_nothing_of_the_tenants_needs_no_key(stage: Stage, coach: ScriptedCoach, path: str) -> None:
    async with client_of(stage.url) as client:
        response = await client.get(path)
    assert response.status_code == 200
    assert "gcp-ace" not in response.text


async def test_why_it_is_not_ready_is_for_a_key_of_all_tenants(stage: Stage, coach: ScriptedCoach) -> None:
    reason = "cannot reach db.internal"
    coach.readiness = Readiness({"database": reason, "corpus": "ok"}, {})
    told = {}
    for key in (None, AWS, EVERY):
        async with client_of(stage.url, key) as client:
            told[key] = problem_in(await client.get("/readyz"), 503)["checks"]
    assert told[None] == told[AWS] == {"database": HIDDEN, "corpus": "ok"}
    assert told[EVERY] == {"database": reason, "corpus": "ok"}


async def test_keys_are_in_no_log(stage: Stage, coach: ScriptedCoach, caplog: pytest.LogCaptureFixture) -> None:
    coach.error = RuntimeError("broken")
    with caplog.at_level(logging.DEBUG):
        async with client_of(stage.url, AWS) as client:
            response = await client.post("/v1/ask", json=QUESTION)
    assert response.status_code == 500
    logged = "".join(str(record.__dict__) + record.getMessage() for record in caplog.records if record.name != "httpx")
    assert AWS not in response.text and AWS not in logged and AWS not in repr(KEYS)


async def test_another_name_of_the_server_is_fine_where_keys_are_needed(stage: Stage, coach: ScriptedCoach) -> None:
    async with client_of(stage.url, AWS) as client:
        response = await client.get("/v1/tenants", headers={"host": "coach.example.org"})
    assert response.status_code == 200


async def test_the_description_says_that_keys_are_needed(stage: Stage, coach: ScriptedCoach) -> None:
    async with client_of(stage.url) as client:
        spec = (await client.get("/openapi.json")).json()
    operation = spec["paths"]["/v1/ask"]["post"]
    assert operation["security"] == [{"key": []}]
    assert "401" in operation["responses"]
    assert "security" not in spec["paths"]["/healthz"]["get"]


# --- a server without keys ---


@pytest.mark.parametrize("host", ["localhost", "LOCALHOST:8080", "127.0.0.1", "127.0.0.1:8080", "[::1]", "[::1]:8080"])
async def test_the_own_machine_needs_no_key(home: Stage, host: str) -> None:
    async with client_of(home.url) as client:
        response = await client.post("/v1/ask", json=QUESTION, headers={"host": host})
    assert response.status_code == 200
    assert home.coach.asked[0][0].person == "local"


@pytest.mark.parametrize("path", ["/", "/v1/tenants", "/readyz", "/metrics"])
@pytest.mark.parametrize(
    "host",
    [
        "evil.example",
        "localhost.evil.example",
        "evil.example:8080",
        "localhost@evil.example",
        "",
        "127.0.0.1.evil",
        "::1",
    ],
)
async def test_a_name_that_is_not_the_servers_is_turned_away(home: Stage, host: str, path: str) -> None:
    async with client_of(home.url) as client:
        response = await client.get(path, headers={"host": host})
    assert response.status_code in (400, 421)
    assert "aws-saa" not in response.text


async def test_no_other_site_may_read_the_answers(home: Stage) -> None:
    home.coach = ScriptedCoach()
    asks = {"origin": "https://evil.example", "access-control-request-method": "POST"}
    async with client_of(home.url) as client:
        preflight = await client.options("/v1/ask", headers=asks)
        simple = await client.post(
            "/v1/ask", content=b'{"tenant": "aws-saa", "question": "x"}', headers={**asks, "content-type": "text/plain"}
        )
    assert preflight.status_code == 405
    assert simple.status_code == 422
    assert not [name for name in (*preflight.headers, *simple.headers) if name.startswith("access-control")]
    assert home.coach.asked == []


# --- the setting ---


def settings(host: str, keys: str = "") -> Settings:
    return Settings.model_construct(host=host, api_keys=SecretStr(keys))


@pytest.mark.parametrize("bound", ["0.0.0.0", "::", "192.168.1.7", "8.8.8.8"])
def test_beyond_the_own_machine_a_key_is_required_and_the_remedy_makes_one(bound: str) -> None:
    with pytest.raises(ConfigError, match="token_urlsafe"):
        access_for(settings(bound), TENANTS, bound)
    assert access_for(settings(bound, f"*:{EVERY}"), TENANTS, bound).keys


@pytest.mark.parametrize(
    ("host", "bound", "name"),
    [("127.0.0.1", "127.0.0.1", "127.0.0.1"), ("::1", "::1", "[::1]"), ("MyBox", "127.0.1.1", "mybox")],
)
def test_the_own_machine_may_be_called_as_it_is_configured(host: str, bound: str, name: str) -> None:
    access = access_for(settings(host), TENANTS, bound)
    assert not access.keys
    assert name in access.hosts


@pytest.mark.parametrize(
    "text",
    ["secretsecret", "aws-saa:", ":secretsecret", "azure:secretsecret", "aws-saa:ok,secretsecret", "*:secret secret"],
)
def test_a_malformed_key_is_counted_and_not_shown(text: str) -> None:
    with pytest.raises(ConfigError, match=r"entry \d") as raised:
        parse_keys(text, TENANTS)
    assert "secretsecret" not in str(raised.value)


def test_one_key_may_open_several_tenants() -> None:
    caller = parse_keys("aws-saa:shared,gcp-ace:shared", ("aws-saa", "gcp-ace", "azure")).caller("shared")
    assert caller is not None
    assert caller.tenants == frozenset({"aws-saa", "gcp-ace"})


@given(st.text())
def test_no_other_text_is_a_key(text: str) -> None:
    assert (KEYS.caller(text) is None) == (text not in (AWS, GCP, EVERY))


def test_without_keys_nobody_holds_one() -> None:
    assert Keys().caller("") is None
