"""Nothing secret or personal that comes in by any entrance is found at any exit."""

from __future__ import annotations

from collections.abc import AsyncIterator, Callable, Iterator
from dataclasses import dataclass, field
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from pathlib import Path
from threading import Thread

import httpx
import psycopg
import pytest

from bot.coach import Coach
from bot.web import create_app
from bot.wiring import Models, build_app
from ingest.fetch import Offline, open_fetcher
from ingest.sources import load_catalogue
from rag import db
from rag.errors import Unavailable
from rag.settings import Settings
from rag.types import Answer
from tests.contract.answers import observe
from tests.corpora import HashedWords, put
from tests.e2e.processes import ROOT, certcoach
from tests.fakes import ScriptedChat, Step

CANARIES = {
    "AWS_ACCESS_KEY": ("AKIA" + "CANARY01FAKE2345", "CANARY01"),
    "AWS_SECRET_KEY": ("aws_secret_access_key=" + "canary02Fake/NotReal+Secret/JustForTests", "canary02"),
    "GCP_API_KEY": ("AIza" + "canary03NotRealNotRealNotRealNotReal", "canary03"),
    "GCP_OAUTH_TOKEN": ("ya29." + "canary04NotRealNotReal", "canary04"),
    "GCP_SA_KEY": ('{"type": "service_account", "private_key": "canary05"}', "canary05"),
    "TFC_TOKEN": ("FakeFakeFake12.atlasv1." + "canary06NotRealNotReal", "canary06"),
    "VAULT_TOKEN": ("hvs." + "canary07NotRealNotReal", "canary07"),
    "GITHUB_TOKEN": ("ghp_" + "canary08NotRealNotRealNotRealNotReal", "canary08"),
    "SLACK_WEBHOOK": ("https://hooks.slack.com/services/T0FAKE0/B0FAKE0/canary09", "canary09"),
    "SLACK_TOKEN": ("xoxb-" + "1234567890-canary10", "canary10"),
    "DISCORD_WEBHOOK": ("https://discord.com/api/webhooks/123456789/canary11NotReal", "canary11"),
    "DISCORD_TOKEN": ("MTAwMDAwMDAwMDAwMDAwMDAw.GFAKE0." + "canary12NotRealNotRealNotRe", "canary12"),
    "JWT": ("eyJhbGciOiJub25lIn0.eyJjYW5hcnkxMyI6MX0.canary13", "canary13"),
    "API_KEY": ("sk-" + "proj-canary14NotRealNotRealNotReal", "canary14"),
    "PRIVATE_KEY": ("-----BEGIN RSA PRIVATE KEY-----\ncanary15NotReal\n-----END RSA PRIVATE KEY-----", "canary15"),
    "PASSWORD": ("postgres://anna:canary16@db.example.com/x", "canary16"),
    "EMAIL": ("canary17@example.org", "canary17"),
    "PHONE": ("+49 30 23125 018", "23125"),
    "PERSON": ("my name is Canarina Nineteenova", "Canarina"),
    "CREDIT_CARD": ("4111 1111 1111 1111", "1111 1111"),
}
CORES = [core for _, core in CANARIES.values()]
QUESTION = "Where does S3 keep objects?"


def planted(kind: str) -> str:
    return f"{QUESTION} {CANARIES[kind][0]} \n"


def leaks(*exits: str) -> set[str]:
    """The canaries that are found in what came out."""
    return {core for core in CORES for text in exits if core in text}


@dataclass(slots=True)
class Built:
    """A coach around a scripted model, and its database."""

    coach: Coach
    model: ScriptedChat
    database: str

    async def tables(self) -> str:
        """Every row of every table as text, seen past row-level security."""
        superuser = self.database.replace("//certcoach@", "//postgres@")
        async with await psycopg.AsyncConnection.connect(superuser) as conn:
            names = await (await conn.execute("select tablename from pg_tables where schemaname = 'public'")).fetchall()
            rows = [await (await conn.execute(f"select t::text from {name} as t")).fetchall() for (name,) in names]
        return "\n".join(str(row) for table in rows for row in table)

    @property
    def prompts(self) -> str:
        """Everything that the provider was sent."""
        return "\n".join(message.text for call in self.model.calls for message in call.messages)


Build = Callable[..., Built]


@pytest.fixture
async def build(pool: db.Pool, database: str) -> AsyncIterator[Build]:
    """Builds a coach over a database with one document, around a model that plays these steps."""
    catalogue = load_catalogue(ROOT / "sources.yaml")
    settings = Settings().model_copy(update={"gate": 0.0, "rate": 0})
    async with open_fetcher() as fetcher:

        def with_script(*steps: Step) -> Built:
            model = ScriptedChat(steps or ["Amazon S3 keeps objects in buckets [1]."])
            app = build_app(settings, catalogue, pool, Models(HashedWords(), (model,)), Offline(fetcher))
            return Built(app.coach, model, database)

        app = build_app(settings, catalogue, pool, Models(HashedWords()), Offline(fetcher))
        await put(app.library, "aws-saa", "s3.md", ["Amazon S3 keeps objects in buckets."])
        yield with_script


@pytest.fixture
def built(build: Build) -> Built:
    return build()


async def answer(built: Built, text: str) -> Answer:
    observed = await observe(built.coach.ask("aws-saa", text, "conversation-1", "anna"))
    assert observed.answer is not None, observed.error
    return observed.answer


async def test_what_is_asked_and_commented_leaks_nowhere(built: Built, caplog: pytest.LogCaptureFixture) -> None:
    caplog.set_level("DEBUG")
    answers = [await answer(built, planted(kind)) for kind in CANARIES]
    for given, kind in zip(answers, CANARIES, strict=True):
        assert await built.coach.rate("aws-saa", given.id, False, f"wrong: {CANARIES[kind][0]}", "anna")
    records = " ".join(str(vars(record)) for record in caplog.records)
    assert not leaks(await built.tables(), built.prompts, records, caplog.text, str(answers))
    assert all(f"[{kind}_" in given.asked for given, kind in zip(answers, CANARIES, strict=True))
    assert built.model.calls


async def test_a_model_that_says_a_secret_is_not_heard(build: Build) -> None:
    secret, core = CANARIES["GITHUB_TOKEN"]
    built = build(f"S3 keeps objects in buckets, use {secret} there [1].")
    assert core not in str(await answer(built, QUESTION))


async def test_a_failing_provider_repeats_nothing(build: Build, caplog: pytest.LogCaptureFixture) -> None:
    built = build(Unavailable("The model is overloaded."))
    answers = [await answer(built, planted(kind)) for kind in ("PASSWORD", "EMAIL", "JWT")]
    assert not leaks(await built.tables(), built.prompts, caplog.text, str(answers))


async def test_the_api_gives_nothing_back_and_keeps_nothing(built: Built, caplog: pytest.LogCaptureFixture) -> None:
    caplog.set_level("DEBUG")
    transport = httpx.ASGITransport(create_app(built.coach), raise_app_exceptions=False)
    replies: list[str] = []
    async with httpx.AsyncClient(transport=transport, base_url="http://127.0.0.1") as client:
        for kind in CANARIES:
            for accept in ("application/json", "text/event-stream"):
                body = {"tenant": "aws-saa", "question": planted(kind), "conversation": f"canaries-{len(replies)}"}
                response = await client.post("/v1/ask", json=body, headers={"accept": accept})
                assert response.status_code == 200, response.text
                replies.append(response.text)
    ours = [record for record in caplog.records if not record.name.startswith(("httpx", "httpcore"))]
    assert not leaks(await built.tables(), built.prompts, str([vars(record) for record in ours]), *replies)


@dataclass(slots=True)
class Receiver:
    """An OTLP/HTTP receiver on a local port: what it was sent, as it came."""

    url: str = ""
    bodies: list[bytes] = field(default_factory=list)


@pytest.fixture
def receiver() -> Iterator[Receiver]:
    received = Receiver()

    class Handler(BaseHTTPRequestHandler):
        def do_POST(self) -> None:
            received.bodies.append(self.rfile.read(int(self.headers["content-length"])))
            self.send_response(200)
            self.send_header("content-length", "0")
            self.end_headers()

        def log_message(self, format: str, *args: object) -> None:
            pass

    with ThreadingHTTPServer(("127.0.0.1", 0), Handler) as server:
        Thread(target=server.serve_forever, daemon=True).start()
        received.url = f"http://127.0.0.1:{server.server_address[1]}"
        yield received
        server.shutdown()


async def test_the_command_line_prints_logs_and_traces_nothing(
    built: Built, receiver: Receiver, tmp_path: Path
) -> None:
    told = {"DATABASE_URL": built.database, "OTEL_EXPORTER_OTLP_ENDPOINT": receiver.url, "CERTCOACH_LOG": "json"}
    message = " ".join(planted(kind) for kind in CANARIES)
    ended = await certcoach(tmp_path / "home", "ask", "aws-saa", "-", "--json", stdin=message, **told)
    assert ended.code == 0, ended.err
    spans = b"".join(receiver.bodies).decode("utf-8", "replace")
    assert "screens" in spans
    assert not leaks(ended.out, ended.err, spans, await built.tables())
    assert all(f"[{kind}_" in ended.out for kind in CANARIES)
