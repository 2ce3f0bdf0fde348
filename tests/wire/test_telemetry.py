"""What leaves the process about a question: one tree of spans, counts, log lines, and nobody's words in any of them."""

from __future__ import annotations

import asyncio
import json
import logging
import re
from collections import Counter
from collections.abc import AsyncIterator, Callable, Iterator, Mapping
from contextlib import aclosing
from dataclasses import dataclass, field, replace
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from threading import Thread
from typing import Any, ClassVar

import pytest
from opentelemetry import trace as otel
from opentelemetry.proto.collector.trace.v1.trace_service_pb2 import ExportTraceServiceRequest
from opentelemetry.sdk.trace import TracerProvider
from prometheus_client import REGISTRY
from prometheus_client.parser import text_string_to_metric_families

from bot.coach import Coach
from bot.metrics import DraftsGivenUp, measured, metrics_response
from bot.telemetry import set_up_logging, tracing
from bot.wiring import Models, build_app
from guardrails.guarded import Guarded
from ingest.fetch import Offline, open_fetcher
from ingest.sources import Catalogue, load_catalogue
from rag import db, trace
from rag.answer import refusal
from rag.errors import DatabaseError, Unavailable
from rag.settings import Settings
from rag.types import Answer, ChatModel, Delta, Events, Finish, Question, Restart, Usage
from tests.corpora import HashedWords, put
from tests.e2e.processes import ROOT
from tests.fakes import ScriptedChat

PASSAGE = "Zanzibar keeps marmalade in velvet drawers. Marmalade never leaves those velvet drawers."
QUESTION = "Where does zanzibar keep marmalade, asks quentin@example.com?"
WRITTEN = "Zanzibar stores marmalade inside velvet drawers [1]."
WORDS = set(re.findall(r"[a-z]{4,}", f"{PASSAGE} {QUESTION} {WRITTEN}".lower()))
DONE = Finish("done", Usage("scripted:chat", 120, 30, 0.25))
PARENTS = {
    "ask": None,
    "redact": "ask",
    "screens": "ask",
    "embed": "ask",
    "retrieve": "ask",
    "search": "retrieve",
    "passages": "retrieve",
    "read": "ask",
    "generate": "ask",
    "release": "ask",
}


@dataclass(frozen=True, slots=True)
class Seen:
    """A span as the collector got it."""

    trace: bytes
    id: bytes
    parent: bytes
    name: str
    status: str
    attributes: Mapping[str, Any]


@dataclass(slots=True)
class Collector:
    """What an OTLP/HTTP receiver was sent: the spans, and the whole messages as text."""

    spans: list[Seen] = field(default_factory=list)
    raw: list[str] = field(default_factory=list)

    def receive(self, body: bytes) -> None:
        message = ExportTraceServiceRequest.FromString(body)
        self.raw.append(str(message))
        for resource in message.resource_spans:
            for scope in resource.scope_spans:
                self.spans += [_seen(span) for span in scope.spans]

    def trees(self) -> list[dict[str, str | None]]:
        """For each trace, the name of each span's parent; a name that comes twice must have one parent."""
        traces: dict[bytes, dict[str, str | None]] = {}
        names = {span.id: span.name for span in self.spans}
        for span in self.spans:
            parent = names[span.parent] if span.parent else None
            assert traces.setdefault(span.trace, {}).setdefault(span.name, parent) == parent
        return list(traces.values())

    def named(self, name: str) -> list[Seen]:
        return [span for span in self.spans if span.name == name]


def _seen(span: Any) -> Seen:
    attributes = {each.key: getattr(each.value, each.value.WhichOneof("value")) for each in span.attributes}
    assert not span.events, "an event of an exception would quote its message"
    return Seen(span.trace_id, span.span_id, span.parent_span_id, span.name, span.status.message, attributes)


@pytest.fixture(scope="module")
def exported() -> Iterator[Collector]:
    """A receiver on a local port, to which the process exports for as long as this module runs."""
    collector = Collector()

    class Handler(BaseHTTPRequestHandler):
        def do_POST(self) -> None:
            assert self.path == "/v1/traces"
            collector.receive(self.rfile.read(int(self.headers["content-length"])))
            self.send_response(200)
            self.send_header("content-length", "0")
            self.end_headers()

        def log_message(self, format: str, *args: object) -> None:
            pass

    with ThreadingHTTPServer(("127.0.0.1", 0), Handler) as server:
        Thread(target=server.serve_forever, daemon=True).start()
        endpoint = f"http://127.0.0.1:{server.server_address[1]}"
        with tracing(Settings().model_copy(update={"otlp_endpoint": endpoint})):
            yield collector
        server.shutdown()


@pytest.fixture
def collector(exported: Collector) -> Collector:
    """The receiver, with nothing received yet."""
    flush()
    exported.spans.clear()
    exported.raw.clear()
    return exported


def flush() -> None:
    provider = otel.get_tracer_provider()
    assert isinstance(provider, TracerProvider) and provider.force_flush()


Open = Callable[..., Coach]


@pytest.fixture(scope="module")
def catalogue() -> Catalogue:
    return load_catalogue(ROOT / "sources.yaml")


@pytest.fixture
async def coach_with(pool: db.Pool, catalogue: Catalogue) -> AsyncIterator[Open]:
    """Builds a coach with these chat models over a database where two tenants have one document each."""
    async with open_fetcher() as fetcher:
        settings = Settings().model_copy(update={"gate": 0.0})

        def build(*models: ChatModel) -> Coach:
            return build_app(settings, catalogue, pool, Models(HashedWords(), models), Offline(fetcher)).coach

        library = build_app(settings, catalogue, pool, Models(HashedWords()), Offline(fetcher)).library
        for tenant in ("aws-saa", "gcp-ace"):
            await put(library, tenant, "drawers.md", [PASSAGE])
        yield build


async def ask(coach: Coach, tenant: str = "aws-saa", conversation: str | None = None) -> Answer:
    async with aclosing(coach.ask(tenant, QUESTION, conversation)) as events:
        answer = [event async for event in events][-1]
    assert isinstance(answer, Answer)
    return answer


async def test_a_question_is_one_tree_of_spans_from_redaction_to_release(
    coach_with: Open, collector: Collector
) -> None:
    answer = await ask(coach_with(ScriptedChat([WRITTEN, DONE])))
    flush()
    assert answer.text == WRITTEN
    assert collector.trees() == [PARENTS]
    assert {span.attributes["certcoach.tenant"] for span in collector.spans} == {"aws-saa"}
    assert all("openinference.span.kind" in span.attributes for span in collector.spans)


async def test_the_spans_tell_scores_tokens_model_and_how_it_ended(coach_with: Open, collector: Collector) -> None:
    answer = await ask(coach_with(ScriptedChat([WRITTEN, DONE])))
    flush()
    (root,), (retrieve,), (read,), (generate,) = (
        collector.named(name) for name in ("ask", "retrieve", "read", "generate")
    )
    assert root.attributes["certcoach.kind"] == "answer" and root.attributes["certcoach.reason"] == "none"
    assert root.attributes["certcoach.answer"] == answer.id
    assert root.attributes["certcoach.confidence"] == answer.confidence
    assert retrieve.attributes["certcoach.candidates"] == 1 and read.attributes["certcoach.covered"] is True
    assert retrieve.attributes["retrieval.documents.0.document.id"] == str(answer.passages[0].chunk_id)
    assert retrieve.attributes["retrieval.documents.0.document.score"] > 0
    assert generate.attributes["llm.provider"] == "scripted" and generate.attributes["llm.model_name"] == "chat"
    assert generate.attributes["llm.token_count.prompt"] == 120 and generate.attributes["llm.cost.total"] == 0.25
    assert collector.named("embed")[0].attributes["embedding.model_name"] == HashedWords.name


@pytest.mark.parametrize(
    "script",
    [[WRITTEN, DONE], ["Zanzibar keeps 99 marmalade [1]. ", DONE], [Unavailable("zanzibar")], []],
    ids=["written", "withheld", "failed", "empty"],
)
async def test_no_word_of_question_passage_or_answer_is_exported(
    coach_with: Open, collector: Collector, script: list[Any]
) -> None:
    await ask(coach_with(ScriptedChat(script)))
    flush()
    sent = "\n".join(collector.raw).lower()
    assert collector.spans and not {word for word in WORDS if re.search(rf"\b{word}\b", sent)}


class Unreached:
    """An answerer that nobody may ask."""

    async def answer(self, question: Question) -> Events:
        raise AssertionError("the screens were to answer")
        yield  # makes it a generator


class Rewriting:
    """A screen that takes out what it does not like."""

    async def screen(self, question: Question) -> Question:
        return replace(question, text=question.text.replace("marmalade", "[JAM_1]"))


class Refusing:
    """A screen that answers, whatever is asked."""

    async def screen(self, question: Question) -> Answer:
        return refusal("1", question, "off_topic", "marmalade?")


async def test_the_spans_of_the_screens_tell_that_they_rewrote_and_why_they_refused(collector: Collector) -> None:
    onion = Guarded(Unreached(), [Rewriting(), Refusing()])
    _ = [event async for event in onion.answer(Question("t", QUESTION))]
    flush()
    (screens,) = collector.named("screens")
    assert screens.attributes["certcoach.rewritten"] is True and screens.attributes["certcoach.reason"] == "off_topic"
    assert collector.named("ask")[0].attributes["certcoach.reason"] == "off_topic"


async def test_a_root_within_a_root_is_one_tree(coach_with: Open, collector: Collector) -> None:
    async with aclosing(trace.question("aws-saa", coach_with().ask("aws-saa", QUESTION))) as events:
        _ = [event async for event in events]
    flush()
    assert [span.name for span in collector.spans].count("ask") == 1 and len(collector.trees()) == 1


async def test_without_a_model_the_tree_has_the_quoting_in_the_place_of_generation(
    coach_with: Open, collector: Collector
) -> None:
    await ask(coach_with())
    flush()
    (tree,) = collector.trees()
    assert tree == {name: parent for name, parent in PARENTS.items() if name not in ("generate", "release")} | {
        "quote": "ask"
    }


async def test_each_draft_of_a_question_hangs_in_its_one_tree(coach_with: Open, collector: Collector) -> None:
    broken = ScriptedChat([Unavailable("away")], name="broken:model")
    await ask(coach_with(broken, ScriptedChat(["Marmalade costs 99 dollars [1]. ", DONE], [WRITTEN, DONE])))
    flush()
    assert collector.trees() == [PARENTS]
    assert [span.attributes["certcoach.draft"] for span in collector.named("release")] == ["failed", "withheld", "done"]
    assert collector.named("release")[1].attributes["certcoach.rule"] == "figure"


async def test_questions_at_the_same_time_do_not_mix(coach_with: Open, collector: Collector) -> None:
    gates = [asyncio.Event() for _ in range(6)]
    coaches = [coach_with(ScriptedChat(["Zanzibar stores marmalade ", gate, WRITTEN[26:], DONE])) for gate in gates]
    asking = [asyncio.create_task(ask(coach, ("aws-saa", "gcp-ace")[place % 2])) for place, coach in enumerate(coaches)]
    for gate in reversed(gates):
        await asyncio.sleep(0.01)
        gate.set()
    assert {answer.text for answer in await asyncio.gather(*asking)} == {WRITTEN}
    flush()
    assert collector.trees() == [PARENTS] * 6
    tenants: dict[bytes, set[str]] = {}
    for span in collector.spans:
        tenants.setdefault(span.trace, set()).add(span.attributes["certcoach.tenant"])
    assert Counter(tenant for (tenant,) in tenants.values()) == {"aws-saa": 3, "gcp-ace": 3}


async def test_between_two_events_no_span_is_current_so_nothing_of_others_hangs_under_it(coach_with: Open) -> None:
    async with aclosing(coach_with(ScriptedChat([WRITTEN, DONE])).ask("aws-saa", QUESTION)) as events:
        current = [otel.get_current_span().get_span_context().is_valid async for _ in events]
    assert current and not any(current)


async def test_two_streams_taken_in_turns_by_one_task_stay_two_trees(coach_with: Open, collector: Collector) -> None:
    coaches = [coach_with(ScriptedChat([f"{WRITTEN} ", WRITTEN, DONE])) for _ in range(2)]
    first, second = (coach.ask("aws-saa", QUESTION) for coach in coaches)
    async with aclosing(first), aclosing(second):
        while [event async for event in _one(first)] + [event async for event in _one(second)]:
            pass
    flush()
    assert collector.trees() == [PARENTS] * 2


async def _one(events: Events) -> Events:
    async for event in events:
        yield event
        return


async def test_an_asker_who_leaves_is_no_error_and_a_failure_is_named_without_its_message(
    collector: Collector,
) -> None:
    async def failing() -> Events:
        yield Delta("x")
        raise DatabaseError("marmalade")

    async with aclosing(trace.question("left", failing())) as events:
        await anext(events)
    with pytest.raises(DatabaseError):
        async with aclosing(trace.question("failed", failing())) as events:
            _ = [event async for event in events]
    flush()
    left, failed = collector.named("ask")
    assert left.attributes["certcoach.abandoned"] is True and left.status == ""
    assert failed.status == "DatabaseError" and "marmalade" not in "".join(collector.raw)


async def test_a_log_line_within_a_question_names_its_trace(
    coach_with: Open, collector: Collector, capsys: pytest.CaptureFixture[str]
) -> None:
    before = list(logging.root.handlers)
    set_up_logging(Settings().model_copy(update={"log": "json"}))
    try:
        await ask(coach_with(ScriptedChat([Unavailable("away")])))
    finally:
        logging.root.handlers[:] = before
    flush()
    lines = [json.loads(line) for line in capsys.readouterr().err.splitlines()]
    (given_up,) = [line for line in lines if line["message"] == "a draft was given up"]
    assert given_up["trace"] == collector.named("ask")[0].trace.hex() and given_up["why"] == "failed"


def sample(name: str, **labels: str) -> float:
    return REGISTRY.get_sample_value(name, labels) or 0.0


class Played:
    """A coach that is ready, and has three documents."""

    ok = True
    documents: ClassVar = {"measured": 3}

    async def ready(self) -> Played:
        return self


def answered(kind: str = "answer", reason: str = "none", usage: Usage | None = None) -> Answer:
    return Answer("1", kind, reason, "text", "asked", usage=usage)  # type: ignore[arg-type]


async def stream(*events: Delta | Restart | Answer | Exception) -> Events:
    for event in events:
        if isinstance(event, Exception):
            raise event
        yield event


async def test_answers_are_counted_by_tenant_kind_and_reason_and_timed_once_each() -> None:
    for answer in (answered(), answered(), answered("refusal", "too_fast")):
        assert [event async for event in measured("counted", stream(Delta("text"), answer))][-1] == answer
    assert sample("certcoach_answers_total", tenant="counted", kind="answer", reason="none") == 2
    assert sample("certcoach_answers_total", tenant="counted", kind="refusal", reason="too_fast") == 1
    assert sample("certcoach_first_text_seconds_count", tenant="counted") == 3
    assert sample("certcoach_answer_seconds_count", tenant="counted") == 3


async def test_tokens_and_dollars_are_counted_by_model() -> None:
    for usage in (Usage("m:billed", 100, 20, 0.5), Usage("m:billed", 1, 2, None)):
        _ = [event async for event in measured("t", stream(answered(usage=usage)))]
    assert sample("certcoach_tokens_total", model="m:billed", direction="input") == 101
    assert sample("certcoach_tokens_total", model="m:billed", direction="output") == 22
    assert sample("certcoach_usd_total", model="m:billed") == 0.5


async def test_shown_text_that_is_withdrawn_is_counted() -> None:
    _ = [event async for event in measured("restarted", stream(Delta("x"), Restart("repair"), answered()))]
    assert sample("certcoach_restarts_total", tenant="restarted", reason="repair") == 1


async def test_a_failure_is_counted_by_its_kind_and_an_unknown_tenant_becomes_no_label() -> None:
    before = sample("certcoach_failures_total", error="DatabaseError")
    with pytest.raises(DatabaseError):
        _ = [event async for event in measured("nobody's tenant", stream(DatabaseError("away")))]
    assert sample("certcoach_failures_total", error="DatabaseError") == before + 1
    assert "nobody's tenant" not in (await metrics_response(Played()))["content"].decode()


async def test_an_asker_who_leaves_is_counted_unless_the_answer_was_given() -> None:
    before = sample("certcoach_abandoned_total")
    for events in (stream(Delta("x"), answered()), stream(answered(), answered())):
        async with aclosing(measured("left", events)) as watched:
            await anext(watched)
    assert sample("certcoach_abandoned_total") == before + 1


async def test_drafts_given_up_are_counted_by_model_and_reason(coach_with: Open) -> None:
    log, handler = logging.getLogger("rag.grounded"), DraftsGivenUp()
    log.addHandler(handler)
    try:
        await ask(coach_with(ScriptedChat([Unavailable("away")], name="m:away"), ScriptedChat([""], name="m:mute")))
    finally:
        log.removeHandler(handler)
    assert sample("certcoach_drafts_given_up_total", model="m:away", why="failed") == 1
    assert sample("certcoach_drafts_given_up_total", model="m:mute", why="empty") == 2


async def test_the_exposition_is_what_prometheus_reads_with_documents_readiness_and_build() -> None:
    response = await metrics_response(Played())
    families = {family.name: family for family in text_string_to_metric_families(response["content"].decode())}
    assert response["media_type"].startswith("text/plain")
    assert {sample.value for sample in families["certcoach_documents"].samples if "measured" in str(sample)} == {3}
    assert families["certcoach_ready"].samples[0].value == 1
    assert set(families["certcoach_build_info"].samples[0].labels) == {"version", "python"}
