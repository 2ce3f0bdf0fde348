"""What every request passes on its way in and out: a limit on the body, security headers, and an end to every error."""

from __future__ import annotations

import asyncio
from dataclasses import dataclass

from starlette.datastructures import Headers, MutableHeaders
from starlette.requests import ClientDisconnect
from starlette.types import ASGIApp, Message, Receive, Scope, Send

from bot.web_kinds import SLOW_REQUEST, TOO_LARGE
from bot.web_patience import Patience
from bot.web_problems import Problem, ProblemError, ProblemResponse, problem_of

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

    def __init__(self, app: ASGIApp, patience: Patience) -> None:
        self.app = app
        self.patience = patience

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        if scope["type"] != "http":
            await self.app(scope, receive, send)
            return
        deadline = asyncio.get_running_loop().time() + self.patience.body
        body = LimitedBody(receive, Headers(scope=scope).get("content-length"), deadline)
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
    """A request's body that may be neither too large, whether or not it says so, nor too slow.

    `deadline` is in seconds of the event loop's clock.
    """

    source: Receive
    declared: str | None
    deadline: float
    read: int = 0
    complete: bool = False

    async def receive(self) -> Message:
        """The next message; raises ProblemError (413, 408) when the body exceeds MAX_BODY or the deadline."""
        if self.declared is not None and self.declared.isdecimal():
            self._check(int(self.declared))
        message = await self.source() if self.complete else await self._in_time()
        self.read += len(message.get("body", b""))
        self.complete = not message.get("more_body", False)
        self._check(self.read)
        return message

    async def _in_time(self) -> Message:
        try:
            async with asyncio.timeout_at(self.deadline):
                return await self.source()
        except TimeoutError:
            raise ProblemError(Problem.of(SLOW_REQUEST), {"connection": "close"}) from None

    def _check(self, size: int) -> None:
        if size > MAX_BODY:
            detail = f"The body is larger than {MAX_BODY // 1024} kB. Shorten the question."
            raise ProblemError(Problem.of(TOO_LARGE, detail))


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
