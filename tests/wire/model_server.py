"""A local server that speaks the wire formats of three model providers, so that tests can run their real SDKs."""

from __future__ import annotations

import asyncio
import json
import struct
import zlib
from collections.abc import AsyncIterator, Iterable, Mapping
from contextlib import asynccontextmanager
from dataclasses import dataclass, field
from typing import Any, Literal, Protocol

Stop = Literal["done", "length", "refusal", "other"]
Fault = Literal["silent", "hang", "drop", "end", "malformed", "overloaded", "policy"]
"""It never answers, stops sending, drops the connection, ends too soon, sends garbage, or sends an error event."""


@dataclass(frozen=True, slots=True)
class Play:
    """What the server does with one request: refuse it with a status, or stream pieces and then end or fail.

    `raw` replaces the events of the wire by these bodies, each put into one frame.
    """

    pieces: tuple[str, ...] = ("Each partition ", "has its own ", "racks.")
    stop: Stop = "done"
    status: int = 200
    headers: Mapping[str, str] = field(default_factory=dict)
    fault: Fault | None = None
    usage: bool = True
    raw: tuple[object, ...] = ()
    complaint: str = ""


@dataclass(frozen=True, slots=True)
class Request:
    """One request as it arrived; header names are in lower case."""

    path: str
    headers: Mapping[str, str]
    body: Mapping[str, Any]


class Wire(Protocol):
    """A provider's format: how its streams begin, go on and end, and what its errors look like."""

    type: str

    def frame(self, body: object) -> bytes: ...

    def opening(self, play: Play) -> Iterable[bytes]: ...

    def piece(self, text: str, structured: bool) -> bytes: ...

    def closing(self, play: Play, structured: bool) -> Iterable[bytes]: ...

    def broken(self, fault: Fault) -> bytes: ...

    def refusal(self, status: int, words: str) -> tuple[Mapping[str, str], object]: ...


def _event(name: str | None, data: object) -> bytes:
    head = f"event: {name}\n" if name else ""
    return f"{head}data: {data if isinstance(data, str) else json.dumps(data)}\n\n".encode()


class AnthropicWire:
    """Messages as server-sent events. Source: the event types of the anthropic SDK."""

    type = "text/event-stream"
    stops: Mapping[Stop, str] = {
        "done": "end_turn",
        "length": "max_tokens",
        "refusal": "refusal",
        "other": "pause_turn",
    }
    kinds: Mapping[int, str] = {
        400: "invalid_request_error",
        401: "authentication_error",
        403: "permission_error",
        404: "not_found_error",
        429: "rate_limit_error",
        529: "overloaded_error",
    }

    def frame(self, body: object) -> bytes:
        return _event(body.get("type") if isinstance(body, dict) else "message", body)

    def opening(self, play: Play) -> Iterable[bytes]:
        usage = {
            "input_tokens": 100,
            "output_tokens": 1,
            "cache_read_input_tokens": 20,
            "cache_creation_input_tokens": 5,
        }
        message = {"id": "msg_1", "type": "message", "role": "assistant", "model": "m", "content": [], "usage": usage}
        yield self.frame({"type": "message_start", "message": message})
        yield self.frame({"type": "ping"})
        block = {"type": "text", "text": ""}
        yield self.frame({"type": "content_block_start", "index": 0, "content_block": block})

    def piece(self, text: str, structured: bool) -> bytes:
        delta = {"type": "text_delta", "text": text}
        return self.frame({"type": "content_block_delta", "index": 0, "delta": delta})

    def closing(self, play: Play, structured: bool) -> Iterable[bytes]:
        yield self.frame({"type": "content_block_stop", "index": 0})
        delta = {"stop_reason": self.stops[play.stop], "stop_sequence": None}
        yield self.frame({"type": "message_delta", "delta": delta, "usage": {"output_tokens": 7}})
        yield self.frame({"type": "message_stop"})

    def broken(self, fault: Fault) -> bytes:
        if fault == "malformed":
            return _event("content_block_delta", '{"type": "content_block_delta", "index"')
        kind = "overloaded_error" if fault == "overloaded" else "invalid_request_error"
        return _event("error", {"type": "error", "error": {"type": kind, "message": "No."}})

    def refusal(self, status: int, words: str) -> tuple[Mapping[str, str], object]:
        kind = self.kinds.get(status, "api_error")
        return {}, {"type": "error", "error": {"type": kind, "message": words}}


class OpenAIWire:
    """Chat completion chunks as server-sent events. Source: the chunk types of the openai SDK."""

    type = "text/event-stream"
    stops: Mapping[Stop, str] = {"done": "stop", "length": "length", "refusal": "content_filter", "other": "tool_calls"}

    def frame(self, body: object) -> bytes:
        return _event(None, body)

    def opening(self, play: Play) -> Iterable[bytes]:
        yield self._chunk({"role": "assistant", "content": ""})

    def piece(self, text: str, structured: bool) -> bytes:
        return self._chunk({"content": text})

    def closing(self, play: Play, structured: bool) -> Iterable[bytes]:
        yield self._chunk({}, self.stops[play.stop])
        if play.usage:
            usage = {"prompt_tokens": 125, "completion_tokens": 7, "total_tokens": 132}
            usage["prompt_tokens_details"] = {"cached_tokens": 20, "cache_write_tokens": 5}  # type: ignore[assignment]
            yield self.frame({"id": "c", "object": "chat.completion.chunk", "choices": [], "usage": usage})
        yield self.frame("[DONE]")

    def broken(self, fault: Fault) -> bytes:
        if fault == "malformed":
            return self.frame('{"choices": [')
        code = "server_error" if fault == "overloaded" else "content_filter"
        return self.frame({"error": {"message": "No.", "type": code, "code": code}})

    def refusal(self, status: int, words: str) -> tuple[Mapping[str, str], object]:
        return {}, {"error": {"message": words, "type": "invalid_request_error", "code": None}}

    def _chunk(self, delta: Mapping[str, str], finish: str | None = None) -> bytes:
        choice = {"index": 0, "delta": delta, "finish_reason": finish}
        return self.frame(
            {"id": "c", "object": "chat.completion.chunk", "created": 1, "model": "m", "choices": [choice]}
        )


class BedrockWire:
    """ConverseStream as binary messages: lengths, a checksum, headers, a JSON payload, a checksum.

    Source: the event stream encoding of the AWS SDKs (application/vnd.amazon.eventstream).
    """

    type = "application/vnd.amazon.eventstream"
    stops: Mapping[Stop, str] = {
        "done": "end_turn",
        "length": "max_tokens",
        "refusal": "content_filtered",
        "other": "malformed_model_output",
    }
    kinds: Mapping[int, str] = {
        400: "ValidationException",
        401: "UnrecognizedClientException",
        403: "AccessDeniedException",
        404: "ResourceNotFoundException",
        429: "ThrottlingException",
        503: "ServiceUnavailableException",
    }

    def frame(self, body: object) -> bytes:
        assert isinstance(body, dict)
        (name, payload), *_ = body.items()
        kind = "exception" if name.endswith("Exception") else "event"
        headers = {f":{kind}-type": name, ":content-type": "application/json", ":message-type": kind}
        return _message(headers, json.dumps(payload).encode())

    def opening(self, play: Play) -> Iterable[bytes]:
        yield self.frame({"messageStart": {"role": "assistant"}})

    def piece(self, text: str, structured: bool) -> bytes:
        delta = {"toolUse": {"input": text}} if structured else {"text": text}
        return self.frame({"contentBlockDelta": {"contentBlockIndex": 0, "delta": delta}})

    def closing(self, play: Play, structured: bool) -> Iterable[bytes]:
        yield self.frame({"contentBlockStop": {"contentBlockIndex": 0}})
        stop = "tool_use" if structured and play.stop == "done" else self.stops[play.stop]
        yield self.frame({"messageStop": {"stopReason": stop}})
        usage = {"inputTokens": 100, "outputTokens": 7, "totalTokens": 132}
        usage |= {"cacheReadInputTokens": 20, "cacheWriteInputTokens": 5}
        yield self.frame({"metadata": {"usage": usage, "metrics": {"latencyMs": 1}}})

    def broken(self, fault: Fault) -> bytes:
        if fault == "malformed":
            whole = self.piece("x", structured=False)
            return whole[:-1] + bytes([whole[-1] ^ 1])
        name = "serviceUnavailableException" if fault == "overloaded" else "validationException"
        return self.frame({name: {"message": "No."}})

    def refusal(self, status: int, words: str) -> tuple[Mapping[str, str], object]:
        return {"x-amzn-errortype": self.kinds.get(status, "InternalServerException")}, {"message": words}


def _message(headers: Mapping[str, str], payload: bytes) -> bytes:
    encoded = b"".join(
        struct.pack(f"!B{len(name)}sBH{len(value)}s", len(name), name.encode(), 7, len(value), value.encode())
        for name, value in headers.items()
    )
    prelude = struct.pack("!II", 16 + len(encoded) + len(payload), len(encoded))
    body = prelude + struct.pack("!I", zlib.crc32(prelude)) + encoded + payload
    return body + struct.pack("!I", zlib.crc32(body))


class ModelServer:
    """Plays the given plays, one a request; the last one again and again. Keeps the requests it saw.

    `asked` is set when a request has arrived, `left` when a client went away while the server had more to say.
    """

    def __init__(self, url: str) -> None:
        self.url = url
        self.plays: list[Play] = [Play()]
        self.requests: list[Request] = []
        self.asked = asyncio.Event()
        self.left = asyncio.Event()

    def play(self, *plays: Play) -> None:
        """Set what happens next, and forget what happened."""
        self.plays = list(plays)
        self.requests = []
        self.asked = asyncio.Event()
        self.left = asyncio.Event()

    async def serve(self, reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        """One connection, which carries one request."""
        try:
            request = await _read(reader)
            self.requests.append(request)
            self.asked.set()
            play = self.plays.pop(0) if len(self.plays) > 1 else self.plays[0]
            await self._answer(request, play, reader, writer)
        except (ConnectionError, asyncio.IncompleteReadError):
            self.left.set()
        finally:
            writer.close()

    async def _answer(
        self, request: Request, play: Play, reader: asyncio.StreamReader, writer: asyncio.StreamWriter
    ) -> None:
        wire = _wire(request)
        if play.status != 200:
            _refuse(writer, wire, play, request)
            return await writer.drain()
        if play.fault == "silent":
            return await self._wait(reader)
        _head(writer, 200, {"content-type": wire.type, "transfer-encoding": "chunked"})
        for frame in _frames(wire, play, structured=_structured(request)):
            writer.write(b"%x\r\n%b\r\n" % (len(frame), frame))
        await writer.drain()
        if play.fault == "hang":
            await self._wait(reader)
        elif play.fault == "drop":
            await asyncio.sleep(0.05)  # let the client take what was sent: an abort discards it otherwise
            writer.transport.abort()
        else:
            writer.write(b"0\r\n\r\n")
            await writer.drain()

    async def _wait(self, reader: asyncio.StreamReader) -> None:
        await reader.read()
        self.left.set()


def _frames(wire: Wire, play: Play, *, structured: bool) -> Iterable[bytes]:
    if play.raw:
        yield from map(wire.frame, play.raw)
        return
    yield from wire.opening(play)
    yield from (wire.piece(text, structured) for text in play.pieces)
    if play.fault is None:
        yield from wire.closing(play, structured)
    elif play.fault in ("malformed", "overloaded", "policy"):
        yield wire.broken(play.fault)


def _refuse(writer: asyncio.StreamWriter, wire: Wire, play: Play, request: Request) -> None:
    """An error that repeats the key and the prompt, as providers' errors sometimes do."""
    words = play.complaint or f"{request.headers.get('authorization')} {json.dumps(request.body)}"
    headers, body = wire.refusal(play.status, words)
    data = json.dumps(body).encode()
    extra = {"content-type": "application/json", "content-length": str(len(data))}
    _head(writer, play.status, {**headers, **extra, **play.headers})
    writer.write(data)


def _head(writer: asyncio.StreamWriter, status: int, headers: Mapping[str, str]) -> None:
    lines = [f"HTTP/1.1 {status} Answer", "connection: close", *(f"{name}: {value}" for name, value in headers.items())]
    writer.write("\r\n".join([*lines, "", ""]).encode())


async def _read(reader: asyncio.StreamReader) -> Request:
    head = (await reader.readuntil(b"\r\n\r\n")).decode("latin-1").split("\r\n")
    pairs = (line.partition(":") for line in head[1:] if line)
    headers = {name.lower(): value.strip() for name, _, value in pairs}
    body = await reader.readexactly(int(headers.get("content-length", "0")))
    return Request(head[0].split(" ")[1], headers, json.loads(body))


def _wire(request: Request) -> Wire:
    if request.path.endswith("/messages"):
        return AnthropicWire()
    if request.path.endswith("/chat/completions"):
        return OpenAIWire()
    return BedrockWire()


def _structured(request: Request) -> bool:
    return any(name in request.body for name in ("output_config", "response_format", "toolConfig"))


@asynccontextmanager
async def model_server() -> AsyncIterator[ModelServer]:
    """A server on a free local port."""
    played = ModelServer("")
    server = await asyncio.start_server(played.serve, "127.0.0.1", 0)
    played.url = f"http://127.0.0.1:{server.sockets[0].getsockname()[1]}"
    try:
        yield played
    finally:
        server.close()
        await server.wait_closed()
