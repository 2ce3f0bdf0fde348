"""A site on a local port: answers that a test lays down, requests that it can look at afterwards."""

from __future__ import annotations

import threading
from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from dataclasses import dataclass, field
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from typing import ClassVar


@dataclass(frozen=True, slots=True)
class Page:
    """One answer. With an `ETag` among its headers it answers 304 to those who have it."""

    body: bytes = b""
    status: int = 200
    headers: Mapping[str, str] = field(default_factory=lambda: {"Content-Type": "text/html; charset=utf-8"})


@dataclass(frozen=True, slots=True)
class Request:
    """One request as it arrived; header names are in lower case."""

    path: str
    headers: Mapping[str, str]


class Site:
    """Pages by path. A list of pages is answered in turn, its last one from then on. Unknown paths are 404."""

    def __init__(self, pages: Mapping[str, Page | list[Page]]) -> None:
        self.pages = dict(pages)
        self.requests: list[Request] = []
        self.port = 0

    @property
    def host(self) -> str:
        """`127.0.0.1:port`, as CERTCOACH_FETCH_ALLOW takes it."""
        return f"127.0.0.1:{self.port}"

    def url(self, path: str) -> str:
        """The address of a page."""
        return f"http://{self.host}{path}"

    def answer(self, request: Request) -> Page:
        """Keep the request and find its answer."""
        self.requests.append(request)
        found = self.pages.get(request.path, Page(b"nothing here", 404))
        if isinstance(found, list):
            found = found.pop(0) if len(found) > 1 else found[0]
        tag = found.headers.get("ETag")
        return Page(b"", 304, found.headers) if tag and request.headers.get("if-none-match") == tag else found


@contextmanager
def serve(pages: Mapping[str, Page | list[Page]]) -> Iterator[Site]:
    """The site, open on a free port of 127.0.0.1 until the block ends."""
    site = Site(pages)

    class Handler(_Handler):
        served = site

    with ThreadingHTTPServer(("127.0.0.1", 0), Handler) as server:
        site.port = server.server_address[1]
        thread = threading.Thread(target=server.serve_forever, kwargs={"poll_interval": 0.02}, daemon=True)
        thread.start()
        try:
            yield site
        finally:
            server.shutdown()
            thread.join()


class _Handler(BaseHTTPRequestHandler):
    served: ClassVar[Site]

    def do_GET(self) -> None:
        request = Request(self.path, {name.lower(): value for name, value in self.headers.items()})
        page = self.served.answer(request)
        self.send_response(page.status)
        for name, value in page.headers.items():
            self.send_header(name, value)
        if "Content-Length" not in page.headers and page.status != 304:
            self.send_header("Content-Length", str(len(page.body)))
        self.end_headers()
        try:
            self.wfile.write(page.body)
        except (BrokenPipeError, ConnectionResetError):
            self.close_connection = True

    def log_message(self, format: str, *args: object) -> None:
        """Keep the tests' output quiet."""
