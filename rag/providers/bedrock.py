"""Chat models of Amazon Bedrock, through its Converse API, which is one for all of them."""

from __future__ import annotations

import asyncio
import logging
from collections.abc import AsyncGenerator, Mapping, Sequence
from contextlib import AsyncExitStack, aclosing, closing
from dataclasses import dataclass, field
from json import JSONDecodeError
from pathlib import Path
from typing import Any, Literal

import aiohttp
from aiobotocore.config import AioConfig  # type: ignore[import-untyped]
from aiobotocore.session import get_session  # type: ignore[import-untyped]
from botocore import exceptions as boto  # type: ignore[import-untyped]
from botocore.eventstream import ParserError  # type: ignore[import-untyped]
from botocore.parsers import ResponseParserError  # type: ignore[import-untyped]

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
    "tool_use": "done",  # the only tool there is takes the structured answer
    "max_tokens": "length",
    "model_context_window_exceeded": "length",
    "guardrail_intervened": "refusal",
    "content_filtered": "refusal",
}

_REFUSED = (
    "the request is refused: too long, against a guardrail, or no such model for this call. "
    "Lower CERTCOACH_BUDGET_CHARS, or name another model in CERTCOACH_CHAT."
)
_NO_KEY = (
    "the credentials are missing or not accepted. Set AWS_ACCESS_KEY_ID and AWS_SECRET_ACCESS_KEY, AWS_PROFILE, "
    "or AWS_BEARER_TOKEN_BEDROCK."
)
_REMEDIES: Mapping[str, str] = {
    "ValidationException": _REFUSED,
    "AccessDeniedException": "the account may not use this model. Allow it in the Bedrock console and in IAM.",
    "ResourceNotFoundException": "there is no such model in this region. Correct CERTCOACH_CHAT or AWS_DEFAULT_REGION.",
    "UnrecognizedClientException": _NO_KEY,
    "InvalidSignatureException": _NO_KEY,
    "ExpiredTokenException": _NO_KEY,
    "MissingAuthenticationTokenException": _NO_KEY,
    "IncompleteSignatureException": _NO_KEY,
}
_PASSING = (408, 409, 424, 429)
"""The statuses below 500 after which another try may succeed; 424 is the model's own failure."""
_BUSY = ("ThrottlingException", "ServiceQuotaExceededException", "ModelNotReadyException")

_NO_CREDENTIALS = (
    boto.NoCredentialsError,
    boto.PartialCredentialsError,
    boto.CredentialRetrievalError,
    boto.NoAuthTokenError,
    boto.TokenRetrievalError,
    boto.ProfileNotFound,
    boto.SSOError,
)
_FAULTS = (
    boto.BotoCoreError,
    boto.ClientError,
    aiohttp.ClientError,
    ParserError,
    ResponseParserError,
    TimeoutError,
    ValueError,
)
"""What the SDK raises: in mid-stream it lets the errors of its HTTP client and decoders through."""


class BedrockChat:
    """A model of Bedrock; credentials, region and address are the SDK's own settings (AWS_…).

    `read` and `start` are seconds.
    """

    def __init__(self, model: str, prices: Prices, *, read: float = READ, start: float = START) -> None:
        self.name = f"bedrock:{model}"
        self._model = model
        self._prices = prices
        self._read = read
        self._start = start
        self._client: Any = None
        self._closing = AsyncExitStack()
        self._opening = asyncio.Lock()

    async def stream(
        self, messages: Sequence[Message], *, max_tokens: int, schema: Mapping[str, Any] | None = None
    ) -> AsyncGenerator[str | Finish, None]:
        """Pieces of text, then one Finish. Raises Unavailable or Rejected, also in mid-stream."""
        seen = _Seen(structured=schema is not None)
        async with aclosing(self._events(_request(self._model, messages, max_tokens, schema))) as events:
            async for event in events:
                if text := seen.take(event):
                    yield text
        if seen.stop is None:
            raise Unavailable(f"{self.name}: the stream ended before the answer did. Try again.")
        yield Finish(_STOPS.get(seen.stop, "other"), self._prices.usage(self.name, seen.tokens))

    async def aclose(self) -> None:
        """Close the connections; a later call opens new ones."""
        self._client = None
        await self._closing.aclose()

    async def _events(self, request: Mapping[str, Any]) -> AsyncGenerator[Mapping[str, Any], None]:
        try:
            async with asyncio.timeout(self._start):
                client = await self._open()
                response = await client.converse_stream(**request)
            with closing(response["stream"]) as stream:
                async for event in stream:
                    yield event
        except _FAULTS as error:
            raise _translated(self.name, error) from None

    async def _open(self) -> Any:
        async with self._opening:
            if self._client is None:
                _hush()
                config = AioConfig(
                    connect_timeout=CONNECT,
                    read_timeout=self._read,
                    retries={"mode": "standard", "total_max_attempts": RETRIES + 1},
                    warm_up_loader_caches=True,  # its data files are large: read them off the event loop
                )
                client = get_session().create_client("bedrock-runtime", config=config)
                self._client = await self._closing.enter_async_context(client)
            return self._client


@dataclass(slots=True)
class _Seen:
    """What the events have told so far. A structured answer is the input of a tool; text beside it is passed over."""

    structured: bool
    stop: str | None = None
    tokens: Tokens = field(default_factory=Tokens)

    def take(self, event: Mapping[str, Any]) -> str:
        """The event's text, or "". Events and blocks of other kinds are passed over."""
        match event:
            case {"contentBlockDelta": {"delta": {"toolUse": {"input": str(text)}}}} if self.structured:
                return text
            case {"contentBlockDelta": {"delta": {"text": str(text)}}} if not self.structured:
                return text
            case {"messageStop": {"stopReason": str(stop)}}:
                self.stop = stop
            case {"metadata": {"usage": {"inputTokens": int(), "outputTokens": int()} as usage}}:
                self.tokens = _tokens(usage)
        return ""


def load(model: str, prices: Path | None = None) -> BedrockChat:
    """The model of this id. Raises ConfigError where the prices, in this file or the usual ones, cannot be read."""
    return BedrockChat(model, load_prices(prices))


def _request(
    model: str, messages: Sequence[Message], max_tokens: int, schema: Mapping[str, Any] | None
) -> dict[str, Any]:
    request: dict[str, Any] = {
        "modelId": model,
        "messages": [
            {"role": each.role, "content": [{"text": each.text}]} for each in messages if each.role != "system"
        ],
        "inferenceConfig": {"maxTokens": max_tokens},
    }
    if system := [{"text": each.text} for each in messages if each.role == "system"]:
        request["system"] = system
    if schema is not None:
        request["toolConfig"] = _tool(schema)
    return request


def _tool(schema: Mapping[str, Any]) -> dict[str, Any]:
    # "any" with one tool forces it like naming it would, and more models know it.
    spec = {"name": "answer", "description": "Takes the answer.", "inputSchema": {"json": dict(schema)}}
    return {"tools": [{"toolSpec": spec}], "toolChoice": {"any": {}}}


def _tokens(usage: Mapping[str, int]) -> Tokens:
    return Tokens(
        usage["inputTokens"],
        usage["outputTokens"],
        usage.get("cacheReadInputTokens", 0),
        usage.get("cacheWriteInputTokens", 0),
    )


def _translated(name: str, error: Exception) -> ProviderError:
    if isinstance(error, boto.ClientError):
        return _refused(name, error)
    if isinstance(error, _NO_CREDENTIALS):
        return Rejected(f"{name}: {_NO_KEY}")
    if isinstance(error, boto.NoRegionError):
        return Rejected(f"{name}: no region is set. Set AWS_DEFAULT_REGION.")
    if isinstance(error, boto.ParamValidationError):
        return Rejected(f"{name}: {_REFUSED}")
    if isinstance(error, (boto.ReadTimeoutError, boto.ConnectTimeoutError, TimeoutError)):
        return Unavailable(f"{name}: no answer in time. Try again later.")
    if isinstance(error, (boto.BotoCoreError, aiohttp.ClientError)):
        return Unavailable(f"{name}: the connection failed or was cut. Try again, or check the network.")
    if isinstance(error, ValueError) and not isinstance(error, (JSONDecodeError, UnicodeError)):
        return Rejected(f"{name}: the address is not a URL. Correct AWS_ENDPOINT_URL_BEDROCK_RUNTIME.")
    return Unavailable(f"{name}: the server sent something that cannot be read. Try again.")


def _refused(name: str, error: Any) -> ProviderError:
    code = str(error.response.get("Error", {}).get("Code", ""))
    code = code[:1].upper() + code[1:]  # in mid-stream the names of errors begin in lower case
    status = error.response.get("ResponseMetadata", {}).get("HTTPStatusCode", 0)
    if code in _REMEDIES:
        return Rejected(f"{name}: {_REMEDIES[code]}")
    if code in _BUSY or status == 429:
        return Unavailable(f"{name}: too many requests, or a quota is used up. Wait, or raise the quota.")
    if isinstance(error, boto.EventStreamError) or status >= 500 or status in _PASSING:
        return Unavailable(f"{name}: the provider is overloaded or has a fault. Try again later.")
    return Rejected(f"{name}: {_REFUSED}")


def _hush() -> None:
    """Keep the SDK's debug lines out of every log: they hold whole prompts and signed headers."""
    for library in ("botocore", "aiobotocore"):
        log = logging.getLogger(library)
        log.setLevel(max(log.getEffectiveLevel(), logging.INFO))
