"""Chat models of OpenAI, and of every server that speaks its chat completions."""

from __future__ import annotations

import asyncio
from collections.abc import AsyncGenerator, Mapping, Sequence
from contextlib import aclosing
from dataclasses import dataclass, field, replace
from json import JSONDecodeError
from pathlib import Path
from typing import Any, Literal

import httpx2
import openai
from openai import AsyncOpenAI, AsyncStream, Omit, omit
from openai.types import CompletionUsage, chat
from openai.types.chat import chat_completion_chunk as wire
from openai.types.shared_params import ResponseFormatJSONSchema

from rag.errors import ProviderError, Rejected, Unavailable
from rag.providers.prices import Prices, Tokens, load_prices
from rag.types import Finish, Message

CONNECT, READ, START = 5.0, 60.0, 90.0
"""Seconds to connect, between two chunks, and until the stream begins (retries and the waits asked for included)."""
RETRIES = 2
OWN_HOST = "openai.com"

Stop = Literal["done", "length", "refusal", "other"]
_STOPS: Mapping[str, Stop] = {"stop": "done", "length": "length", "content_filter": "refusal"}

_REFUSED = (
    "the request is refused: too long, against the content policy, or beyond this model. "
    "Lower CERTCOACH_BUDGET_CHARS, or name another model in CERTCOACH_CHAT."
)
_NO_KEY = "the key is missing or not accepted. Set OPENAI_API_KEY (any word, where the server asks for none)."
_REMEDIES: Mapping[int, str] = {
    401: _NO_KEY,
    402: "the account cannot pay. Check its billing.",
    403: "the key may not use this model. Allow it, or name another model in CERTCOACH_CHAT.",
    404: "there is no such model at this address. Correct CERTCOACH_CHAT or OPENAI_BASE_URL.",
}
_PASSING = (408, 409, 429)
"""The statuses below 500 after which another try may succeed."""
_POLICY = ("content_filter", "content_policy_violation", "invalid_prompt", "invalid_request_error")
"""Codes and types of an error in mid-stream that the same request would meet again."""

_FAULTS = (openai.OpenAIError, httpx2.HTTPError, httpx2.InvalidURL, TimeoutError, JSONDecodeError, UnicodeError)
"""What the SDK raises, and what it lets through from its HTTP client and JSON decoder."""


Limit = Literal["max_completion_tokens", "max_tokens"]
_OTHER_LIMIT: Mapping[Limit, Limit] = {"max_completion_tokens": "max_tokens", "max_tokens": "max_completion_tokens"}


@dataclass(frozen=True, slots=True)
class Dialect:
    """What differs between servers: the name of the output limit, and whether usage may be asked for.

    OpenAI's newer models refuse `max_tokens`; many other servers know nothing else, or refuse `stream_options`.
    """

    limit: Limit
    usage: bool = True

    def without(self, complaint: str) -> Dialect:
        """The dialect to try after a server complained in these words; the same one if it is not the matter."""
        if self.usage and "stream_options" in complaint:
            return replace(self, usage=False)
        if self.limit in complaint:
            return replace(self, limit=_OTHER_LIMIT[self.limit])
        return self


class OpenAIChat:
    """A model behind OpenAI's API or a compatible one; OPENAI_API_KEY and OPENAI_BASE_URL are the SDK's own.

    A server that counts no tokens gives a Usage of zeros without a cost. `read` and `start` are seconds.
    """

    def __init__(self, model: str, prices: Prices, *, read: float = READ, start: float = START) -> None:
        self.name = f"openai:{model}"
        self._model = model
        self._prices = prices
        self._timeout = openai.Timeout(read, connect=CONNECT)
        self._start = start
        self._client: AsyncOpenAI | None = None
        self._dialect: Dialect | None = None

    async def stream(
        self, messages: Sequence[Message], *, max_tokens: int, schema: Mapping[str, Any] | None = None
    ) -> AsyncGenerator[str | Finish, None]:
        """Pieces of text, then one Finish. Raises Unavailable or Rejected, also in mid-stream."""
        seen = _Seen()
        async with aclosing(self._chunks(messages, max_tokens, schema)) as events:
            async for event in events:
                if text := seen.take(event):
                    yield text
        if seen.cut():
            raise Unavailable(f"{self.name}: the stream ended before the answer did. Try again.")
        yield Finish(seen.stop(), self._prices.usage(self.name, seen.tokens))

    async def aclose(self) -> None:
        """Close the connections; a later call opens new ones."""
        if self._client is not None:
            client, self._client = self._client, None
            await client.close()

    async def _chunks(
        self, messages: Sequence[Message], max_tokens: int, schema: Mapping[str, Any] | None
    ) -> AsyncGenerator[chat.ChatCompletionChunk, None]:
        try:
            async with asyncio.timeout(self._start):
                stream = await self._create(_Request(messages, max_tokens, schema))
            async with stream:
                async for chunk in stream:
                    yield chunk
        except _FAULTS as error:
            raise _translated(self.name, error) from None

    async def _create(self, request: _Request) -> AsyncStream[chat.ChatCompletionChunk]:
        """Open the stream, in the dialect that the server turns out to understand, and remember it."""
        client = self._open()
        dialect = self._dialect or Dialect("max_completion_tokens" if _own(client) else "max_tokens")
        tried: list[Dialect] = []
        while True:
            tried.append(dialect)
            try:
                stream = await request.send(client, self._model, dialect)
            except (openai.BadRequestError, openai.UnprocessableEntityError) as error:
                dialect = dialect.without(error.message)
                if dialect in tried:
                    raise
            else:
                self._dialect = dialect
                return stream

    def _open(self) -> AsyncOpenAI:
        if self._client is None:
            self._client = AsyncOpenAI(timeout=self._timeout, max_retries=RETRIES)
        return self._client


@dataclass(frozen=True, slots=True)
class _Request:
    """One request, before it is put into a server's dialect."""

    messages: Sequence[Message]
    max_tokens: int
    schema: Mapping[str, Any] | None

    async def send(self, client: AsyncOpenAI, model: str, dialect: Dialect) -> AsyncStream[chat.ChatCompletionChunk]:
        new = dialect.limit == "max_completion_tokens"
        return await client.chat.completions.create(
            model=model,
            messages=[_turn(each) for each in self.messages],
            max_completion_tokens=self.max_tokens if new else omit,
            max_tokens=omit if new else self.max_tokens,
            response_format=_format(self.schema),
            stream_options={"include_usage": True} if dialect.usage else omit,
            stream=True,
        )


@dataclass(slots=True)
class _Seen:
    """What the chunks have told so far."""

    chunks: int = 0
    choices: int = 0
    reason: str | None = None
    refused: bool = False
    tokens: Tokens = field(default_factory=Tokens)

    def take(self, chunk: chat.ChatCompletionChunk) -> str:
        """The chunk's text, or ""."""
        self.chunks += 1
        if isinstance(usage := getattr(chunk, "usage", None), CompletionUsage):
            self.tokens = _tokens(usage)
        match getattr(chunk, "choices", None):
            case [wire.Choice() as choice, *_]:
                return self._choose(choice)
        return ""

    def cut(self) -> bool:
        """Whether the stream broke off: nothing came, or text came without a reason for its end."""
        return not self.chunks or bool(self.choices and self.reason is None)

    def stop(self) -> Stop:
        if self.refused:
            return "refusal"
        return _STOPS.get(self.reason or "", "other")

    def _choose(self, choice: wire.Choice) -> str:
        self.choices += 1
        self.reason = getattr(choice, "finish_reason", None) or self.reason
        match getattr(choice, "delta", None):
            case wire.ChoiceDelta(refusal=str(refusal)) if refusal:
                self.refused = True
            case wire.ChoiceDelta(content=str(text)):
                return text
        return ""


def load(model: str, prices: Path | None = None) -> OpenAIChat:
    """The model of this name. Raises ConfigError where the prices, in this file or the usual ones, cannot be read."""
    return OpenAIChat(model, load_prices(prices))


def _own(client: AsyncOpenAI) -> bool:
    host = client.base_url.host
    return host == OWN_HOST or host.endswith(f".{OWN_HOST}")


def _turn(message: Message) -> chat.ChatCompletionMessageParam:
    match message.role:
        case "system":
            return {"role": "system", "content": message.text}
        case "assistant":
            return {"role": "assistant", "content": message.text}
        case _:
            return {"role": "user", "content": message.text}


def _format(schema: Mapping[str, Any] | None) -> ResponseFormatJSONSchema | Omit:
    if schema is None:
        return omit
    return {"type": "json_schema", "json_schema": {"name": "answer", "schema": dict(schema), "strict": True}}


def _tokens(usage: CompletionUsage) -> Tokens:
    details = usage.prompt_tokens_details
    cached = (details and details.cached_tokens) or 0
    stored = (details and details.cache_write_tokens) or 0
    return Tokens(usage.prompt_tokens - cached - stored, usage.completion_tokens, cached, stored)


def _translated(name: str, error: Exception) -> ProviderError:
    match error:
        case UnicodeEncodeError() | openai.APIConnectionError(__cause__=httpx2.LocalProtocolError()):
            return Rejected(f"{name}: {_NO_KEY}")  # no header can carry it
        case httpx2.InvalidURL() | openai.APIConnectionError(__cause__=httpx2.UnsupportedProtocol()):
            return Rejected(f"{name}: the address is not a URL. Correct OPENAI_BASE_URL.")
        case openai.APIStatusError(status_code=status):
            return _refused(name, status)
        case openai.APITimeoutError() | httpx2.TimeoutException() | TimeoutError():
            return Unavailable(f"{name}: no answer in time. Try again later.")
        case openai.APIConnectionError() | httpx2.HTTPError():
            return Unavailable(f"{name}: the connection failed or was cut. Try again, or check the network.")
        case openai.APIError(code=code, type=kind) if code in _POLICY or kind in _POLICY:
            return Rejected(f"{name}: {_REFUSED}")
        case openai.APIError():
            return Unavailable(f"{name}: the provider broke off with an error. Try again later.")
        case openai.OpenAIError():
            return Rejected(f"{name}: {_NO_KEY}")
        case _:
            return Unavailable(f"{name}: the server sent something that cannot be read. Try again.")


def _refused(name: str, status: int) -> ProviderError:
    if status == 429:
        return Unavailable(f"{name}: too many requests, or the account's quota is used up. Wait, or raise the limits.")
    if status >= 500 or status in _PASSING:
        return Unavailable(f"{name}: the provider is overloaded or has a fault. Try again later.")
    return Rejected(f"{name}: {_REMEDIES.get(status, _REFUSED)}")
