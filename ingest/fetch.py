"""Fetching: the bytes of a page or a file, within limits of time, size and place."""

from __future__ import annotations

import asyncio
import zlib
from collections.abc import AsyncGenerator, AsyncIterator, Awaitable, Callable, Iterable
from contextlib import aclosing, asynccontextmanager
from dataclasses import dataclass, replace
from hashlib import sha256
from importlib.metadata import version
from pathlib import Path
from typing import Protocol, cast

import httpx

from ingest.addresses import AddressGuard, GuardedTransport
from rag.errors import FetchFailed, Unreadable
from rag.types import Version

Pause = Callable[[float], Awaitable[None]]

_GZIP = 47
"""zlib's window size for "gzip or zlib, by its header"."""


@dataclass(frozen=True, slots=True)
class Fetched:
    """What came back. `status` is None for files; `body` is decompressed, and empty for HTTP 304 and errors."""

    url: str
    body: bytes = b""
    final_url: str | None = None
    status: int | None = None
    content_type: str | None = None
    charset: str | None = None
    etag: str | None = None
    last_modified: str | None = None

    @property
    def sha256(self) -> str:
        """The hex digest of the body."""
        return sha256(self.body).hexdigest()


@dataclass(frozen=True, slots=True)
class Limits:
    """Bytes after decompression, redirects, seconds an attempt, and the seconds to wait before each further attempt."""

    size: int = 20 * 1024 * 1024
    redirects: int = 5
    seconds: float = 30.0
    waits: tuple[float, ...] = (1.0, 4.0)
    longest_wait: float = 15.0


class Fetches(Protocol):
    """Fetches pages and reads files."""

    async def fetch(self, url: str, previous: Version | None = None) -> Fetched:
        """The page at `url`; HTTP 304 if it is still the previous version."""
        ...

    async def read(self, path: Path) -> Fetched:
        """The file."""
        ...


class Offline:
    """Reads files, and fetches nothing."""

    def __init__(self, inner: Fetches) -> None:
        self._inner = inner

    async def fetch(self, url: str, previous: Version | None = None) -> Fetched:
        raise FetchFailed("CERTCOACH_OFFLINE is set, so no page is fetched")

    async def read(self, path: Path) -> Fetched:
        return await self._inner.read(path)


@asynccontextmanager
async def open_fetcher(allow: Iterable[str] = (), limits: Limits | None = None) -> AsyncIterator[Fetcher]:
    """A fetcher that reaches public addresses and those in `allow` (`host` or `host:port`)."""
    agent = f"CertCoach/{version('certcoach')} (+study bot)"
    transport = GuardedTransport(AddressGuard(allow))
    async with httpx.AsyncClient(transport=transport, headers={"User-Agent": agent}) as client:
        yield Fetcher(client, limits or Limits())


class Fetcher:
    """Fetches over an httpx client whose transport is guarded (see `open_fetcher`), and from disk."""

    def __init__(self, client: httpx.AsyncClient, limits: Limits, pause: Pause = asyncio.sleep) -> None:
        self._client = client
        self._limits = limits
        self._pause = pause

    async def fetch(self, url: str, previous: Version | None = None) -> Fetched:
        """The page at `url` after redirects, whatever its status; conditional if a previous version is known.

        Raises FetchFailed if there is no answer in time, Unreadable if the answer is too large, redirects without
        end, or comes from an address that may not be fetched.
        """
        waits = iter(self._limits.waits)
        while True:
            wait = next(waits, None)
            try:
                fetched, hint = await self._attempt(url, previous)
                if wait is None or not (fetched.status == 429 or (fetched.status or 0) >= 500):
                    return fetched
                wait = min(max(wait, hint), self._limits.longest_wait)
            except httpx.TransportError as error:
                if wait is None:
                    raise FetchFailed(f"there was no answer: {_words(error)}; the next run tries again") from error
            await self._pause(wait)

    async def read(self, path: Path) -> Fetched:
        """A file's bytes. Raises FetchFailed if it cannot be read, Unreadable if it is too large."""
        try:
            body = await asyncio.to_thread(self._read_file, path)
        except OSError as error:
            raise FetchFailed(f"the file cannot be read: {error.strerror}") from error
        return Fetched(str(path), body)

    def _read_file(self, path: Path) -> bytes:
        with path.open("rb") as file:
            body = file.read(self._limits.size + 1)
        self._within_limit(len(body))
        return body

    async def _attempt(self, url: str, previous: Version | None) -> tuple[Fetched, float]:
        """One answer, and the seconds after which the server would like to be asked again."""
        try:
            async with asyncio.timeout(self._limits.seconds):
                request = self._client.build_request(
                    "GET", url, headers=_headers(previous), timeout=_timeouts(self._limits)
                )
                return await self._follow(url, request)
        except TimeoutError:
            raise FetchFailed(
                f"it took longer than {self._limits.seconds:g} seconds; the next run tries again"
            ) from None
        except (httpx.InvalidURL, httpx.UnsupportedProtocol) as error:
            raise Unreadable(f"the address, or one it redirects to, cannot be fetched: {error}") from None

    async def _follow(self, url: str, request: httpx.Request) -> tuple[Fetched, float]:
        for _ in range(self._limits.redirects + 1):
            response = await self._client.send(request, stream=True, follow_redirects=False)
            try:
                if response.next_request is None:
                    return await self._receive(url, response)
                request = response.next_request
            finally:
                await response.aclose()
        raise Unreadable(f"it redirects more than {self._limits.redirects} times")

    async def _receive(self, url: str, response: httpx.Response) -> tuple[Fetched, float]:
        content_type = response.headers.get("content-type", "").split(";")[0].strip().lower()
        answer = Fetched(
            url,
            final_url=str(response.url),
            status=response.status_code,
            content_type=content_type or None,
            charset=response.charset_encoding,
            etag=response.headers.get("etag"),
            last_modified=response.headers.get("last-modified"),
        )
        if response.status_code not in {200, 203}:
            hint = response.headers.get("retry-after", "")
            return answer, float(hint) if hint.isascii() and hint.isdigit() else 0.0
        return replace(answer, body=await self._body(response)), 0.0

    async def _body(self, response: httpx.Response) -> bytes:
        """The body, decompressed here and not by httpx so that a small answer cannot fill the memory."""
        encoding = response.headers.get("content-encoding", "identity").strip().lower()
        if encoding not in {"identity", "", "gzip", "x-gzip", "deflate"}:
            raise Unreadable(f"it is compressed as {encoding}, which was not asked for")
        inflate = _Inflate() if encoding not in {"identity", ""} else None
        body = bytearray()
        async with aclosing(cast(AsyncGenerator[bytes], response.aiter_raw())) as parts:
            async for part in parts:
                body += inflate.feed(part, self._limits.size + 1 - len(body)) if inflate else part
                self._within_limit(len(body))
        if inflate and not inflate.complete:
            raise FetchFailed("the compressed answer is damaged or ends too early; the next run tries again")
        return bytes(body)

    def _within_limit(self, size: int) -> None:
        if size > self._limits.size:
            raise Unreadable(f"it is too large: more than {self._limits.size // 1024 // 1024} MB")


class _Inflate:
    """gzip and zlib data, a bounded piece at a time; gzip may consist of several members."""

    def __init__(self) -> None:
        self._members = zlib.decompressobj(_GZIP)
        self.complete = False

    def feed(self, data: bytes, room: int) -> bytes:
        """At most `room` bytes of what `data` goes on with. Raises FetchFailed for damaged data."""
        out = bytearray()
        try:
            while data and len(out) < room:
                if self._members.eof:
                    self._members = zlib.decompressobj(_GZIP)
                out += self._members.decompress(data, room - len(out))
                data = self._members.unconsumed_tail or self._members.unused_data
        except zlib.error as error:
            raise FetchFailed(f"the compressed answer is damaged: {error}; the next run tries again") from None
        self.complete = self._members.eof
        return bytes(out)


def _headers(previous: Version | None) -> dict[str, str]:
    headers = {"Accept": "text/html, text/markdown, text/plain;q=0.9, */*;q=0.1", "Accept-Encoding": "gzip"}
    if previous and previous.etag:
        headers["If-None-Match"] = previous.etag
    if previous and previous.last_modified:
        headers["If-Modified-Since"] = previous.last_modified
    return headers


def _timeouts(limits: Limits) -> httpx.Timeout:
    return httpx.Timeout(limits.seconds, connect=min(10.0, limits.seconds))


def _words(error: httpx.TransportError) -> str:
    return str(error) or (
        "the connection took too long" if isinstance(error, httpx.TimeoutException) else "it broke off"
    )
