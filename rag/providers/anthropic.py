"""Claude through Anthropic's Messages API."""

from __future__ import annotations

import asyncio
import logging
from collections.abc import AsyncGenerator, Mapping, Sequence
from contextlib import aclosing
from dataclasses import dataclass, field
from json import JSONDecodeError
from pathlib import Path
from typing import Any, Literal

import anthropic
import httpx2
from anthropic import AsyncAnthropic, Omit, omit, transform_schema, types
from anthropic.types.raw_message_delta_event import Delta

from rag.errors import ProviderError, Rejected, Unavailable
from rag.providers.prices import Prices, Tokens, load_prices
from rag.types import Finish, Message

CONNECT, READ, START = 5.0, 60.0, 90.0
"""Seconds to connect, between two chunks, and until the stream begins (retries and the waits asked for included)."""
RETRIES = 2

Stop = Literal["done", "length", "refusal", "other"]
_STOPS: Mapping[str, Stop] = {
    "end_turn": "done",
    "stop_sequence": "done",
    "max_tokens": "length",
    "model_context_window_exceeded": "length",
    "refusal": "refusal",
}

_REMEDIES: Mapping[str, str] = {
    "invalid_request_error": "the request is refused: too long, against the content policy, or beyond this model. "
    "Lower CERTCOACH_BUDGET_CHARS, or name another model in CERTCOACH_CHAT.",
    "authentication_error": "the key is missing or not accepted. Set ANTHROPIC_API_KEY to a valid one.",
    "billing_error": "the account cannot pay. Check its billing.",
    "permission_error": "the key may not use this model. Allow it, or name another model in CERTCOACH_CHAT.",
    "not_found_error": "there is no such model at this address. Correct CERTCOACH_CHAT or ANTHROPIC_BASE_URL.",
}
_KINDS: Mapping[int, str] = {
    401: "authentication_error",
    402: "billing_error",
    403: "permission_error",
    404: "not_found_error",
}
_PASSING = (408, 409, 429)
"""The statuses below 500 after which another try may succeed."""

_FAULTS = (anthropic.AnthropicError, httpx2.HTTPError, httpx2.InvalidURL, TimeoutError, JSONDecodeError, UnicodeError)
"""What the SDK raises: in mid-stream it lets the errors of its HTTP client and JSON decoder through."""


class AnthropicChat:
    """A model of Anthropic's; the key and the address are the SDK's own: ANTHROPIC_API_KEY, ANTHROPIC_BASE_URL.

    The system messages are cached by the provider, so a prompt whose beginning stays the same costs less. `read` and
    `start` are seconds.
    """

    def __init__(self, model: str, prices: Prices, *, read: float = READ, start: float = START) -> None:
        self.name = f"anthropic:{model}"
        self._model = model
        self._prices = prices
        self._timeout = anthropic.Timeout(read, connect=CONNECT)
        self._start = start
        self._client: AsyncAnthropic | None = None

    async def stream(
        self, messages: Sequence[Message], *, max_tokens: int, schema: Mapping[str, Any] | None = None
    ) -> AsyncGenerator[str | Finish, None]:
        """Pieces of text, then one Finish. Raises Unavailable or Rejected, also in mid-stream."""
        seen = _Seen()
        async with aclosing(self._events(messages, max_tokens, schema)) as events:
            async for event in events:
                if text := seen.take(event):
                    yield text
        if seen.stop is None:
            raise Unavailable(f"{self.name}: the stream ended before the answer did. Try again.")
        yield Finish(_STOPS.get(seen.stop, "other"), self._prices.usage(self.name, seen.tokens()))

    async def aclose(self) -> None:
        """Close the connections; a later call opens new ones."""
        if self._client is not None:
            client, self._client = self._client, None
            await client.close()

    async def _events(
        self, messages: Sequence[Message], max_tokens: int, schema: Mapping[str, Any] | None
    ) -> AsyncGenerator[types.RawMessageStreamEvent, None]:
        try:
            async with asyncio.timeout(self._start):
                stream = await self._open().messages.create(
                    model=self._model,
                    max_tokens=max_tokens,
                    system=_system(messages) or omit,
                    messages=_turns(messages),
                    output_config=_format(schema),
                    stream=True,
                )
            async with stream:
                async for event in stream:
                    yield event
        except _FAULTS as error:
            raise _translated(self.name, error) from None

    def _open(self) -> AsyncAnthropic:
        if self._client is None:
            _hush()
            client = AsyncAnthropic(timeout=self._timeout, max_retries=RETRIES, open_telemetry=False)
            if not (client.api_key or client.auth_token or client.credentials):
                raise Rejected(f"{self.name}: {_REMEDIES['authentication_error']}")
            self._client = client
        return self._client


@dataclass(slots=True)
class _Seen:
    """What the events have told so far: why the text ended, and how many tokens of which kind were used."""

    stop: str | None = None
    counts: dict[str, int] = field(default_factory=dict)

    def take(self, event: types.RawMessageStreamEvent) -> str:
        """The event's text, or "". Events and blocks of other kinds are passed over."""
        match event:
            case types.RawContentBlockDeltaEvent(delta=types.TextDelta(text=str(text))):
                return text
            case types.RawMessageStartEvent(message=types.Message(usage=usage)):
                self._count(usage)
            case types.RawMessageDeltaEvent(delta=Delta(stop_reason=str(stop))):
                self.stop = stop
                self._count(getattr(event, "usage", None))
        return ""

    def tokens(self) -> Tokens:
        return Tokens(
            self.counts.get("input_tokens", 0),
            self.counts.get("output_tokens", 0),
            self.counts.get("cache_read_input_tokens", 0),
            self.counts.get("cache_creation_input_tokens", 0),
        )

    def _count(self, usage: types.Usage | types.MessageDeltaUsage | None) -> None:
        # Counts are cumulative, and later events repeat only some of them.
        self.counts |= {name: count for name, count in usage or () if isinstance(count, int)}


def load(model: str, prices: Path | None = None) -> AnthropicChat:
    """The model of this name. Raises ConfigError where the prices, in this file or the usual ones, cannot be read."""
    return AnthropicChat(model, load_prices(prices))


def _system(messages: Sequence[Message]) -> list[types.TextBlockParam]:
    blocks: list[types.TextBlockParam] = [
        {"type": "text", "text": each.text} for each in messages if each.role == "system"
    ]
    if blocks:
        blocks[-1]["cache_control"] = {"type": "ephemeral"}
    return blocks


def _turns(messages: Sequence[Message]) -> list[types.MessageParam]:
    return [_turn(each) for each in messages if each.role != "system"]


def _turn(message: Message) -> types.MessageParam:
    if message.role == "assistant":
        return {"role": "assistant", "content": message.text}
    return {"role": "user", "content": message.text}


def _format(schema: Mapping[str, Any] | None) -> types.OutputConfigParam | Omit:
    if schema is None:
        return omit
    return {"format": {"type": "json_schema", "schema": transform_schema(dict(schema))}}


def _translated(name: str, error: Exception) -> ProviderError:
    match error:
        case UnicodeEncodeError() | anthropic.APIConnectionError(__cause__=httpx2.LocalProtocolError()):
            return Rejected(f"{name}: {_REMEDIES['authentication_error']}")  # no header can carry it
        case httpx2.InvalidURL() | anthropic.APIConnectionError(__cause__=httpx2.UnsupportedProtocol()):
            return Rejected(f"{name}: the address is not a URL. Correct ANTHROPIC_BASE_URL.")
        case anthropic.APIStatusError():
            return _refused(name, error)
        case anthropic.APITimeoutError() | httpx2.TimeoutException() | TimeoutError():
            return Unavailable(f"{name}: no answer in time. Try again later.")
        case anthropic.APIConnectionError() | httpx2.HTTPError():
            return Unavailable(f"{name}: the connection failed or was cut. Try again, or check the network.")
        case anthropic.CredentialsError():
            return Rejected(f"{name}: {_REMEDIES['authentication_error']}")
        case _:
            return Unavailable(f"{name}: the server sent something that cannot be read. Try again.")


def _refused(name: str, error: anthropic.APIStatusError) -> ProviderError:
    # An error in mid-stream arrives with status 200; then its type alone tells what happened.
    status = error.status_code
    kind = error.type if error.type in _REMEDIES else _KINDS.get(status)
    if kind is None and 300 <= status < 500 and status not in _PASSING:
        kind = "invalid_request_error"
    if kind is not None:
        return Rejected(f"{name}: {_REMEDIES[kind]}")
    if status == 429 or error.type == "rate_limit_error":
        return Unavailable(f"{name}: too many requests, or a spending limit is reached. Wait, or raise the limits.")
    return Unavailable(f"{name}: the provider is overloaded or has a fault. Try again later.")


def _hush() -> None:
    """Keep the SDK's debug lines out of every log: they hold whole prompts."""
    log = logging.getLogger("anthropic")
    log.setLevel(max(log.getEffectiveLevel(), logging.INFO))
