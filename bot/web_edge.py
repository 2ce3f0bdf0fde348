"""What every request passes on its way in and out: a limit on the body, security headers, and an end to every error."""

from __future__ import annotations

from dataclasses import dataclass

from starlette.datastructures import Headers, MutableHeaders
from starlette.exceptions import HTTPException
from starlette.requests import ClientDisconnect
from starlette.types import ASGIApp, Message, Receive, Scope, Send

from bot.web_problems import ProblemResponse, problem_of

MAX_BODY = 256 * 1024
"""Bytes of a request's body: 20,000 characters of six bytes each (JSON's \\uXXXX), and room to spare."""

SECURITY_HEADERS = {
    "content-security-policy": "default-src 'none'; base-uri 'none'; form-action 'none'; frame-ancestors 'none'",
    "cross-origin-opener-policy": "same-origin",
    "cross-origin-resource-policy": "same-origin",
    "permissions-policy": "camera=(), geolocation=(), microphone=()",
    "referrer-policy": "no-referrer",
    "x-content-type-options": "nosniff",
    "x-frame-options": "DENY",
    "cache-control": "no-store",
}
"""What OWASP's REST security cheat sheet asks of an API; a page brings a policy of its own."""


class Edge:
    """ASGI middleware around the whole application."""

    def __init__(self, app: ASGIApp) -> None:
        self.app = app

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        if scope["type"] != "http":
            await self.app(scope, receive, send)
            return
        body = LimitedBody(receive, Headers(scope=scope).get("content-length"))
        response = HardenedResponse(send)
        try:
            await self.app(scope, body.receive, response.send)
        except ClientDisconnect:
            return
        except Exception as error:
            problem = problem_of(error)
            if not response.started:
                await ProblemResponse(problem)(scope, receive, response.send)


@dataclass(slots=True)
class LimitedBody:
    """A request's body that ends in 413 as soon as it is known to be too large, whether or not it said so."""

    source: Receive
    declared: str | None
    read: int = 0

    async def receive(self) -> Message:
        """The next message; raises HTTPException (413) when the body exceeds MAX_BODY."""
        if self.declared is not None and self.declared.isdecimal():
            self._check(int(self.declared))
        message = await self.source()
        self.read += len(message.get("body", b""))
        self._check(self.read)
        return message

    def _check(self, size: int) -> None:
        if size > MAX_BODY:
            raise HTTPException(413, f"The body is larger than {MAX_BODY // 1024} kB. Shorten the question.")


@dataclass(slots=True)
class HardenedResponse:
    """Adds the security headers that the response does not set itself."""

    target: Send
    started: bool = False

    async def send(self, message: Message) -> None:
        """Pass the message on."""
        if message["type"] == "http.response.start":
            self.started = True
            headers = MutableHeaders(scope=message)
            for name, value in SECURITY_HEADERS.items():
                headers.setdefault(name, value)
        await self.target(message)
