"""What every chat model keeps to: real SDKs against a server that speaks their wire formats, and the scripted one."""

from __future__ import annotations

import asyncio
import json
import logging
import os
import traceback
from collections.abc import AsyncIterator, Callable, Mapping
from contextlib import aclosing, asynccontextmanager
from pathlib import Path
from typing import Any, Protocol

import pytest

from rag.errors import ConfigError, ProviderError, Rejected, Unavailable
from rag.providers.anthropic import AnthropicChat
from rag.providers.bedrock import BedrockChat
from rag.providers.openai import Dialect, OpenAIChat
from rag.providers.prices import Tokens, load_prices
from rag.types import ChatModel, Finish, Message, Usage
from tests.fakes import ScriptedChat, Step
from tests.wire.model_server import Fault, ModelServer, Play, Stop, model_server

KEY = "sk-not-a-key-0123456789"
PROMPT = "Which racks does a partition have, asks the heron."
MESSAGES = (
    Message("system", "Answer briefly."),
    Message("system", "Cite passages."),
    Message("user", "Earlier."),
    Message("assistant", "Yes."),
    Message("user", PROMPT),
)
SCHEMA: Mapping[str, Any] = {
    "type": "object",
    "properties": {"score": {"type": "number"}},
    "required": ["score"],
    "additionalProperties": False,
}
SOON = {"retry-after-ms": "1"}
REAL = ("anthropic", "openai", "bedrock")
ADDRESSES = (
    ("anthropic", "ANTHROPIC_BASE_URL"),
    ("openai", "OPENAI_BASE_URL"),
    ("bedrock", "AWS_ENDPOINT_URL_BEDROCK_RUNTIME"),
)
KEYS = (("anthropic", "ANTHROPIC_API_KEY"), ("openai", "OPENAI_API_KEY"), ("bedrock", "AWS_ACCESS_KEY_ID"))
OWN_PREFIXES = ("ANTHROPIC_", "OPENAI_", "AWS_", "HTTP_PROXY", "HTTPS_PROXY", "ALL_PROXY")


class Stage(Protocol):
    """A chat model, and the way to say what its provider does next."""

    @property
    def model(self) -> ChatModel: ...

    @property
    def left(self) -> asyncio.Event: ...

    def play(self, *plays: Play) -> None: ...


class RealStage:
    """A model on its real SDK, and the server it talks to."""

    def __init__(self, model: ChatModel, server: ModelServer) -> None:
        self.model = model
        self.server = server

    @property
    def left(self) -> asyncio.Event:
        return self.server.left

    def play(self, *plays: Play) -> None:
        self.server.play(*plays)


class ScriptedStage:
    """The scripted model, told the same plays."""

    def __init__(self) -> None:
        self.model = ScriptedChat()

    @property
    def left(self) -> asyncio.Event:
        return self.model.left

    def play(self, *plays: Play) -> None:
        self.model = ScriptedChat(*(script(play) for play in plays))


def script(play: Play) -> list[Step]:
    usage = Usage("scripted:chat", 125, 7)
    if play.status in (400, 401, 403, 404):
        return [Rejected("Correct the settings.")]
    if play.status != 200 or play.fault == "silent":
        return [Unavailable("Try again.")]
    if play.fault is None:
        return [*play.pieces, Finish(play.stop, usage)]
    return [*play.pieces, Rejected("Ask otherwise.") if play.fault == "policy" else Unavailable("Try again.")]


@asynccontextmanager
async def real_model(provider: str, **limits: float) -> AsyncIterator[ChatModel]:
    prices = load_prices()
    models: Mapping[str, Callable[[], ChatModel]] = {
        "anthropic": lambda: AnthropicChat("claude-sonnet-4-6", prices, **limits),
        "openai": lambda: OpenAIChat("gpt-5.4", prices, **limits),
        "bedrock": lambda: BedrockChat("maker.model-v1:0", prices, **limits),
    }
    model = models[provider]()
    try:
        yield model
    finally:
        await model.aclose()


@pytest.fixture(scope="module")
async def server(tmp_path_factory: pytest.TempPathFactory) -> AsyncIterator[ModelServer]:
    """The local server, and an environment that leads every SDK to it and to nothing else."""
    folder = tmp_path_factory.mktemp("nothing")
    async with model_server() as played:
        with pytest.MonkeyPatch.context() as environment:
            for name in list(os.environ):
                if name.upper().startswith(OWN_PREFIXES):
                    environment.delenv(name)
            for name, value in settings(played.url, folder).items():
                environment.setenv(name, value)
            yield played


def settings(url: str, folder: Path) -> Mapping[str, str]:
    return {
        "ANTHROPIC_API_KEY": KEY,
        "ANTHROPIC_BASE_URL": url,
        "ANTHROPIC_CONFIG_DIR": str(folder),
        "OPENAI_API_KEY": KEY,
        "OPENAI_BASE_URL": f"{url}/v1",
        "AWS_ACCESS_KEY_ID": KEY,
        "AWS_SECRET_ACCESS_KEY": KEY,
        "AWS_DEFAULT_REGION": "us-east-1",
        "AWS_ENDPOINT_URL_BEDROCK_RUNTIME": url,
        "AWS_EC2_METADATA_DISABLED": "true",
        "AWS_CONFIG_FILE": str(folder / "config"),
        "AWS_SHARED_CREDENTIALS_FILE": str(folder / "credentials"),
    }


@pytest.fixture(scope="module", params=[*REAL, "scripted"])
async def stage(request: pytest.FixtureRequest, server: ModelServer) -> AsyncIterator[Stage]:
    if request.param == "scripted":
        yield ScriptedStage()
        return
    async with real_model(request.param, read=0.2) as model:
        yield RealStage(model, server)


@pytest.fixture(scope="module", params=REAL)
async def real(request: pytest.FixtureRequest, server: ModelServer) -> AsyncIterator[RealStage]:
    async with real_model(request.param, read=0.2) as model:
        yield RealStage(model, server)


@pytest.fixture
async def openai_stage(server: ModelServer) -> AsyncIterator[RealStage]:
    async with real_model("openai") as model:
        yield RealStage(model, server)


@pytest.fixture(autouse=True)
def fresh(server: ModelServer) -> None:
    """Nothing stays from an earlier test: neither its play nor the loggers that its models quietened."""
    server.play(Play())
    for name in ("anthropic", "openai", "botocore", "aiobotocore"):
        logging.getLogger(name).setLevel(logging.NOTSET)


async def collect(model: ChatModel, into: list[str | Finish], schema: Mapping[str, Any] | None = None) -> None:
    async with aclosing(model.stream(MESSAGES, max_tokens=50, schema=schema)) as stream:
        async for event in stream:
            into.append(event)  # noqa: PERF401  what came before an error is kept


async def heard(model: ChatModel, schema: Mapping[str, Any] | None = None) -> list[str | Finish]:
    events: list[str | Finish] = []
    await collect(model, events, schema)
    return events


def text(events: list[str | Finish]) -> str:
    return "".join(event for event in events if isinstance(event, str))


def finish(events: list[str | Finish]) -> Finish:
    assert isinstance(events[-1], Finish)
    return events[-1]


async def test_pieces_make_up_the_text_and_one_finish_comes_last(stage: Stage) -> None:
    stage.play(Play(("Each ", "partition", " — so.")))
    events = await heard(stage.model)
    assert text(events) == "Each partition — so."
    assert [event for event in events if isinstance(event, Finish)] == events[-1:]


@pytest.mark.parametrize("stop", ["done", "length", "refusal", "other"])
async def test_the_finish_says_why_the_text_ended(stage: Stage, stop: Stop) -> None:
    stage.play(Play(stop=stop))
    assert finish(await heard(stage.model)).stop == stop


async def test_the_finish_counts_all_input_and_output_under_the_models_name(stage: Stage) -> None:
    stage.play(Play())
    usage = finish(await heard(stage.model)).usage
    assert (usage.model, usage.input, usage.output) == (stage.model.name, 125, 7)


async def test_an_empty_completion_is_a_finish_alone(stage: Stage) -> None:
    stage.play(Play(pieces=()))
    assert [type(event) for event in await heard(stage.model)] == [Finish]


@pytest.mark.parametrize("status", [429, 500, 529])
async def test_a_busy_provider_is_unavailable(stage: Stage, status: int) -> None:
    stage.play(Play(status=status, headers=SOON))
    with pytest.raises(Unavailable):
        await heard(stage.model)


async def test_a_provider_that_never_answers_is_unavailable(stage: Stage) -> None:
    stage.play(Play(fault="silent"))
    with pytest.raises(Unavailable):
        await heard(stage.model)


@pytest.mark.parametrize("fault", ["hang", "drop", "end", "malformed", "overloaded"])
async def test_a_stream_that_breaks_off_gives_its_pieces_and_is_unavailable(stage: Stage, fault: Fault) -> None:
    play = Play(fault=fault)
    stage.play(play)
    events: list[str | Finish] = []
    with pytest.raises(Unavailable):
        await collect(stage.model, events)
    assert tuple(events) == play.pieces


@pytest.mark.parametrize("status", [400, 401, 403, 404])
async def test_a_request_that_would_fail_again_is_rejected(stage: Stage, status: int) -> None:
    stage.play(Play(status=status))
    with pytest.raises(Rejected):
        await heard(stage.model)


async def test_a_policy_that_strikes_in_mid_stream_rejects(stage: Stage) -> None:
    stage.play(Play(fault="policy"))
    with pytest.raises(Rejected):
        await heard(stage.model)


async def test_a_structured_answer_is_one_json_value(stage: Stage) -> None:
    stage.play(Play(pieces=('{"sc', 'ore": ', "0.5}")))
    events = await heard(stage.model, SCHEMA)
    assert json.loads(text(events)) == {"score": 0.5}
    assert finish(events).stop == "done"


async def test_a_structured_answer_that_was_cut_says_so(stage: Stage) -> None:
    stage.play(Play(pieces=('{"sc',), stop="length"))
    assert finish(await heard(stage.model, SCHEMA)).stop == "length"


async def test_cancelling_passes_through_and_closes_the_connection(real: RealStage) -> None:
    real.play(Play(fault="silent"))
    task = asyncio.create_task(heard(real.model))
    await real.server.asked.wait()
    task.cancel()
    with pytest.raises(asyncio.CancelledError):
        await task
    await asyncio.wait_for(real.left.wait(), 10)


async def test_leaving_a_stream_early_closes_the_connection(stage: Stage) -> None:
    stage.play(Play(fault="hang"))
    async with aclosing(stage.model.stream(MESSAGES, max_tokens=50)) as stream:
        assert await anext(stream) == Play().pieces[0]
    await asyncio.wait_for(stage.left.wait(), 10)


@pytest.mark.parametrize("status", [200, 400, 429])
@pytest.mark.parametrize("provider", REAL)
async def test_neither_key_nor_prompt_is_in_an_error_or_a_log(
    server: ModelServer, caplog: pytest.LogCaptureFixture, provider: str, status: int
) -> None:
    caplog.set_level(logging.DEBUG)
    server.play(Play(status=status, headers=SOON))
    told = ""
    async with real_model(provider) as model:
        try:
            await heard(model)
        except ProviderError as error:
            told = "".join(traceback.format_exception(error))
    logged = " ".join(f"{record.getMessage()} {record.exc_text}" for record in caplog.records)
    for secret in (KEY, "heron"):
        assert secret not in told
        assert secret not in logged


async def test_a_refused_key_names_the_variable(real: RealStage) -> None:
    real.play(Play(status=401))
    with pytest.raises(Rejected, match=dict(KEYS)[real.model.name.partition(":")[0]]):
        await heard(real.model)


@pytest.mark.parametrize(("provider", "variable"), KEYS)
async def test_a_missing_key_names_the_variable(
    server: ModelServer, monkeypatch: pytest.MonkeyPatch, provider: str, variable: str
) -> None:
    monkeypatch.delenv(variable)
    monkeypatch.delenv("AWS_SECRET_ACCESS_KEY")
    async with real_model(provider) as model:
        with pytest.raises(Rejected, match=variable):
            await heard(model)
        assert not server.requests


@pytest.mark.parametrize("key", ["sk-geheim\n", "sk–geheim"])
@pytest.mark.parametrize(("provider", "variable"), KEYS[:2])
async def test_a_key_that_cannot_be_right_is_rejected_without_being_shown(
    server: ModelServer, monkeypatch: pytest.MonkeyPatch, provider: str, variable: str, key: str
) -> None:
    server.play(Play(status=401))
    monkeypatch.setenv(variable, key)
    async with real_model(provider) as model:
        with pytest.raises(Rejected, match=variable) as caught:
            await heard(model)
    assert "geheim" not in "".join(traceback.format_exception(caught.value))


@pytest.mark.parametrize(("provider", "variable"), ADDRESSES)
async def test_an_address_that_is_none_names_the_variable(
    server: ModelServer, monkeypatch: pytest.MonkeyPatch, provider: str, variable: str
) -> None:
    monkeypatch.setenv(variable, "models.example")
    async with real_model(provider) as model:
        with pytest.raises(Rejected, match=variable):
            await heard(model)


@pytest.mark.parametrize(("provider", "variable"), ADDRESSES)
async def test_a_server_that_is_not_there_is_unavailable(
    server: ModelServer, monkeypatch: pytest.MonkeyPatch, provider: str, variable: str
) -> None:
    monkeypatch.setenv(variable, "http://127.0.0.1:1")
    async with real_model(provider, start=1.0) as model:
        with pytest.raises(Unavailable):
            await heard(model)


async def test_no_region_names_the_variable(server: ModelServer, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.delenv("AWS_DEFAULT_REGION")
    async with real_model("bedrock") as model:
        with pytest.raises(Rejected, match="AWS_DEFAULT_REGION"):
            await heard(model)


async def test_a_passing_failure_is_retried_inside(real: RealStage) -> None:
    real.play(Play(status=429, headers=SOON), Play())
    assert text(await heard(real.model)) == "".join(Play().pieces)
    assert len(real.server.requests) == 2


async def test_a_failure_that_stays_is_tried_three_times(real: RealStage) -> None:
    real.play(Play(status=500, headers=SOON))
    with pytest.raises(Unavailable):
        await heard(real.model)
    assert len(real.server.requests) == 3


@pytest.mark.parametrize("provider", ["anthropic", "openai"])
async def test_the_wait_between_tries_is_the_one_asked_for(
    server: ModelServer, caplog: pytest.LogCaptureFixture, provider: str
) -> None:
    caplog.set_level(logging.INFO)
    server.play(Play(status=429, headers={"retry-after": "0.02"}), Play())
    async with real_model(provider) as model:
        await heard(model)
        assert any("0.02" in record.getMessage() for record in caplog.records if record.name.startswith(provider))


@pytest.mark.parametrize("provider", REAL)
async def test_a_server_that_asks_for_an_hour_does_not_get_it(server: ModelServer, provider: str) -> None:
    server.play(Play(status=429, headers={"retry-after": "3600"}))
    async with real_model(provider, start=1.0) as model:
        with pytest.raises(Unavailable):
            await heard(model)


async def test_a_closed_model_opens_again(real: RealStage) -> None:
    await heard(real.model)
    await real.model.aclose()
    assert text(await heard(real.model)) == "".join(Play().pieces)


async def test_streams_at_the_same_time_keep_apart(real: RealStage) -> None:
    real.play(Play(("one",)), Play(("two",)), Play(("three",)))
    texts = await asyncio.gather(*(heard(real.model) for _ in range(3)))
    assert sorted(text(events) for events in texts) == ["one", "three", "two"]


async def test_no_sampling_parameters_are_sent(real: RealStage) -> None:
    await heard(real.model)
    sent = json.dumps(real.server.requests[0].body)
    assert not any(name in sent for name in ("temperature", "top_p", "topP", "top_k", "seed"))


async def test_claude_gets_its_system_messages_apart_and_cached_to_their_end(server: ModelServer) -> None:
    async with real_model("anthropic") as model:
        await heard(model)
        body = server.requests[0].body
        assert [block.get("cache_control") for block in body["system"]] == [None, {"type": "ephemeral"}]
        assert [turn["role"] for turn in body["messages"]] == ["user", "assistant", "user"]
        assert body["max_tokens"] == 50


@pytest.mark.parametrize(
    ("provider", "place"),
    [
        ("anthropic", ("output_config", "format", "schema")),
        ("openai", ("response_format", "json_schema", "schema")),
        ("bedrock", ("toolConfig", "tools", 0, "toolSpec", "inputSchema", "json")),
    ],
)
async def test_the_schema_goes_where_the_provider_enforces_it(
    server: ModelServer, provider: str, place: tuple[str | int, ...]
) -> None:
    async with real_model(provider) as model:
        await heard(model, SCHEMA)
        found: Any = server.requests[0].body
        for part in place:
            found = found[part]
        assert found == SCHEMA


async def test_text_beside_a_structured_answer_of_bedrock_is_passed_over(server: ModelServer) -> None:
    server.play(
        Play(
            raw=(
                {"contentBlockDelta": {"contentBlockIndex": 0, "delta": {"text": "Let me see."}}},
                {"contentBlockDelta": {"contentBlockIndex": 1, "delta": {"toolUse": {"input": '{"score": 1}'}}}},
                {"messageStop": {"stopReason": "tool_use"}},
            )
        )
    )
    async with real_model("bedrock") as model:
        assert text(await heard(model, SCHEMA)) == '{"score": 1}'


async def test_events_of_a_shape_that_nobody_expects_are_passed_over(server: ModelServer) -> None:
    server.play(
        Play(
            raw=(
                {"type": "message_start"},
                {"type": "content_block_delta", "index": 0},
                {"type": "content_block_delta", "index": 0, "delta": {"type": "text_delta", "text": None}},
                {"type": "content_block_delta", "index": 0, "delta": {"type": "thinking_delta", "thinking": "Hm."}},
                {"type": "something_new", "of": [1, 2]},
                {"type": "message_delta", "delta": {"stop_reason": "end_turn"}},
            )
        )
    )
    async with real_model("anthropic") as model:
        assert await heard(model) == [Finish("done", Usage(model.name, 0, 0))]


async def test_completions_without_choices_or_message_are_a_finish_alone(openai_stage: RealStage, shared: Path) -> None:
    cases = json.loads((shared / "cases/chat/files/c15-no-choices.json").read_text(encoding="utf-8"))
    stops = []
    for completion in cases:
        openai_stage.play(Play(raw=(completion,)))
        (only,) = await heard(openai_stage.model)
        assert isinstance(only, Finish)
        stops.append(only.stop)
    assert stops == ["other", "done", "done"]


async def test_a_refusal_in_words_is_a_refusal(openai_stage: RealStage) -> None:
    choice = {"index": 0, "delta": {"refusal": "I can't."}, "finish_reason": "stop"}
    openai_stage.play(Play(raw=({"choices": [choice]},)))
    events = await heard(openai_stage.model)
    assert (text(events), finish(events).stop) == ("", "refusal")


async def test_a_server_that_counts_nothing_costs_nobody_knows_what(openai_stage: RealStage) -> None:
    openai_stage.play(Play(usage=False))
    assert finish(await heard(openai_stage.model)).usage == Usage("openai:gpt-5.4", 0, 0, None)


async def test_a_server_that_refuses_stream_options_is_asked_without_them_from_then_on(
    openai_stage: RealStage,
) -> None:
    openai_stage.play(Play(status=400, complaint="Unrecognized request argument: stream_options"), Play())
    await heard(openai_stage.model)
    await heard(openai_stage.model)
    assert ["stream_options" in request.body for request in openai_stage.server.requests] == [True, False, False]


async def test_a_model_that_refuses_max_tokens_gets_the_new_name(openai_stage: RealStage) -> None:
    complaint = "Unsupported parameter: 'max_tokens' is not supported. Use 'max_completion_tokens' instead."
    openai_stage.play(Play(status=400, complaint=complaint), Play())
    await heard(openai_stage.model)
    assert openai_stage.server.requests[-1].body["max_completion_tokens"] == 50
    assert "max_tokens" not in openai_stage.server.requests[-1].body


async def test_a_limit_that_no_name_helps_is_rejected_after_two_tries(openai_stage: RealStage) -> None:
    complaint = "max_tokens (or max_completion_tokens) is too large"
    openai_stage.play(Play(status=400, complaint=complaint))
    with pytest.raises(Rejected):
        await heard(openai_stage.model)
    assert len(openai_stage.server.requests) == 2


def test_another_complaint_changes_no_dialect() -> None:
    dialect = Dialect("max_tokens")
    assert dialect.without("The prompt is too long.") == dialect


def test_a_price_counts_what_the_cache_gave_and_took() -> None:
    usage = load_prices().usage("anthropic:claude-sonnet-4-6", Tokens(input=1_000_000, output=1_000_000))
    cached = load_prices().usage("anthropic:claude-sonnet-4-6", Tokens(cached=1_000_000, stored=1_000_000))
    assert usage.usd == pytest.approx(18.0)
    assert cached.usd == pytest.approx(4.05)
    assert cached.input == 2_000_000


def test_a_model_without_a_price_costs_nobody_knows_what() -> None:
    assert load_prices().usage("openai:llama", Tokens(10, 10)).usd is None


def test_an_operators_prices_replace_the_table(tmp_path: Path) -> None:
    path = tmp_path / "prices.yaml"
    path.write_text("dated: 2026-01-31\nmodels: {'openai:own': {input: 1, output: 2}}\n", encoding="utf-8")
    prices = load_prices(path)
    assert prices.usage("openai:own", Tokens(1_000_000, 1_000_000)).usd == pytest.approx(3.0)
    assert prices.usage("anthropic:claude-sonnet-4-6", Tokens(1, 1)).usd is None


@pytest.mark.parametrize(
    ("content", "named"),
    [
        ("models: {}", "dated"),
        ("dated: 2026-01-31\nmodels: {'openai:own': {input: -1, output: 2}}", "models.openai:own.input"),
        ("[", "ParserError"),
    ],
)
def test_prices_that_do_not_fit_are_named(tmp_path: Path, content: str, named: str) -> None:
    path = tmp_path / "prices.yaml"
    path.write_text(content, encoding="utf-8")
    with pytest.raises(ConfigError, match=named):
        load_prices(path)
