"""A stand-in for a language model's server: it streams chat completions as OpenAI's does, at a pace that is known."""

from __future__ import annotations

import asyncio
import json
import re
from collections.abc import AsyncGenerator, Iterator, Mapping
from contextlib import asynccontextmanager
from dataclasses import dataclass
from itertools import cycle, islice
from typing import Any

CITED = " [1]."
"""The token at the end of every sentence."""
FALLBACK = "The first of the passages that were given answers this question"
"""What is said over a prompt without a passage that has a plain sentence."""
HEAD = b"HTTP/1.1 200 OK\r\ncontent-type: text/event-stream\r\ntransfer-encoding: chunked\r\n\r\n"
NOT_FOUND = b"HTTP/1.1 404 Not Found\r\ncontent-length: 0\r\n\r\n"

_PASSAGE = re.compile(r"<passage \S+ number=1>\n[^\n]*\n\n(.*?)\n</passage ", re.DOTALL)
_SENTENCE = re.compile(r"(?:^|(?<=\. ))([A-Z][\w ,'-]{40,200})\.(?=\s|$)", re.MULTILINE)


@dataclass(frozen=True, slots=True)
class Pace:
    """Tokens a second, and tokens of an answer. The first one comes after one beat."""

    rate: float = 40.0
    tokens: int = 60

    @property
    def seconds(self) -> float:
        """How long an answer takes."""
        return self.tokens / self.rate


def answer_tokens(prompt: str, n: int) -> Iterator[str]:
    """An answer of n tokens: a sentence of the first passage, cited, over and over; the last one is cut short."""
    passage = _PASSAGE.search(prompt)
    sentence = _SENTENCE.search(passage.group(1)) if passage else None
    words = (sentence.group(1) if sentence else FALLBACK).split()
    tokens = islice(cycle([*(f" {word}" for word in words), CITED]), n - 1)
    yield from (token.lstrip() if place == 0 else token for place, token in enumerate(tokens))
    yield CITED


@asynccontextmanager
async def open_pace(pace: Pace) -> AsyncGenerator[str, None]:
    """Serve on a free port of the loopback; the base URL that clients of OpenAI's take."""

    async def serve(reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        try:
            await _converse(reader, writer, pace)
        except (ConnectionError, asyncio.IncompleteReadError):
            pass  # the client has left
        finally:
            writer.close()

    async with await asyncio.start_server(serve, "127.0.0.1", 0) as server:
        yield f"http://127.0.0.1:{server.sockets[0].getsockname()[1]}/v1"


async def _converse(reader: asyncio.StreamReader, writer: asyncio.StreamWriter, pace: Pace) -> None:
    """Answer one request after another, until the client closes the connection."""
    while True:
        path, body = await _request(reader)
        if not path.endswith("/chat/completions"):
            writer.write(NOT_FOUND)
            continue
        writer.write(HEAD)
        async for data in _events(json.loads(body), pace):
            line = f"data: {data}\n\n".encode()
            writer.write(b"%x\r\n%b\r\n" % (len(line), line))
            await writer.drain()
        writer.write(b"0\r\n\r\n")


async def _request(reader: asyncio.StreamReader) -> tuple[str, bytes]:
    """The path and the body of the next request."""
    head = (await reader.readuntil(b"\r\n\r\n")).decode("latin-1")
    length = re.search(r"^content-length:\s*(\d+)", head, re.IGNORECASE | re.MULTILINE)
    return head.split(" ", 2)[1], await reader.readexactly(int(length.group(1)) if length else 0)


async def _events(request: Mapping[str, Any], pace: Pace) -> AsyncGenerator[str, None]:
    """The data of each event. Every token has its moment on the clock, so that a late one delays no other."""
    loop = asyncio.get_running_loop()
    begun = loop.time()
    for place, token in enumerate(answer_tokens(str(request["messages"][-1]["content"]), pace.tokens), start=1):
        await asyncio.sleep(begun + place / pace.rate - loop.time())
        yield _chunk([{"index": 0, "delta": {"content": token}, "finish_reason": None}])
    yield _chunk([{"index": 0, "delta": {}, "finish_reason": "stop"}])
    if (request.get("stream_options") or {}).get("include_usage"):
        yield _chunk([], {"prompt_tokens": 0, "completion_tokens": pace.tokens, "total_tokens": pace.tokens})
    yield "[DONE]"


def _chunk(choices: list[dict[str, Any]], usage: Mapping[str, int] | None = None) -> str:
    return json.dumps(
        {
            "id": "chatcmpl-paced",
            "object": "chat.completion.chunk",
            "created": 0,
            "model": "paced",
            "choices": choices,
            "usage": usage,
        }
    )


async def serve_until_stopped(pace: Pace) -> None:
    """Serve, and say on stdout where, until the process is ended."""
    async with open_pace(pace) as url:
        print(f"ready {url}", flush=True)
        await asyncio.Event().wait()


if __name__ == "__main__":
    asyncio.run(serve_until_stopped(Pace()))
