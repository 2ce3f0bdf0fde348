"""What can go wrong with a call: a fault is an answer wrapped in another, and happens to the n-th call."""

from __future__ import annotations

import asyncio
from collections.abc import Awaitable, Callable
from dataclasses import dataclass, field
from inspect import isawaitable

from aiohttp import web

from tests.wire.slack_clock import Clock
from tests.wire.slack_record import Call
from tests.wire.slack_refusal import Refusal

Answering = Callable[[], Awaitable[web.Response]]
Fault = Callable[[web.Request, Call, Answering], Awaitable[web.Response]]
"""Gets the call, and a function that serves it; returns what is answered."""
Act = Callable[[Call], object]
"""What a test does at a call, awaited when it can be."""

# What the SDK calls to get going; these calls count for `on_call` only by their own name.
PREPARATIONS = frozenset({"auth.test", "apps.connections.open"})


async def lose_answer(request: web.Request, call: Call, serve: Answering) -> web.Response:
    """The call takes effect; the client sees a closed connection."""
    await serve()
    return await lose_call(request, call, serve)


async def lose_call(request: web.Request, call: Call, serve: Answering) -> web.Response:
    """The call has no effect; the client sees a closed connection."""
    if request.transport is not None:
        request.transport.abort()
    return web.Response()


def status(code: int) -> Fault:
    """The call has no effect and is answered with an HTTP status, such as 500."""

    async def fault(request: web.Request, call: Call, serve: Answering) -> web.Response:
        call.status = code
        return web.Response(status=code, text="upstream connect error")

    return fault


def refuse(error: str) -> Fault:
    """The call has no effect and is refused by name."""

    async def fault(request: web.Request, call: Call, serve: Answering) -> web.Response:
        call.answer = Refusal(error).body()
        return web.json_response(call.answer)

    return fault


def throttle(seconds: int) -> Fault:
    """The call has no effect and is answered 429, to be tried again after real seconds."""

    async def fault(request: web.Request, call: Call, serve: Answering) -> web.Response:
        call.answer, call.status = Refusal("ratelimited").body(), 429
        return web.json_response(call.answer, status=429, headers={"Retry-After": str(seconds)})

    return fault


def delay(clock: Clock, seconds: float) -> Fault:
    """The call is served after platform seconds; calls sent later may overtake it."""

    async def fault(request: web.Request, call: Call, serve: Answering) -> web.Response:
        await clock.sleep(seconds)
        return await serve()

    return fault


def hold(gate: asyncio.Event) -> Fault:
    """The call is served once the gate opens; calls sent later may overtake it."""

    async def fault(request: web.Request, call: Call, serve: Answering) -> web.Response:
        await gate.wait()
        return await serve()

    return fault


async def _happen(act: Act, call: Call) -> None:
    outcome = act(call)
    if isawaitable(outcome):
        await outcome


def before(act: Act) -> Fault:
    """Something happens, then the call takes effect and is answered."""

    async def fault(request: web.Request, call: Call, serve: Answering) -> web.Response:
        await _happen(act, call)
        return await serve()

    return fault


def instead(act: Act) -> Fault:
    """Something happens, such as the death of the process that sent the call, which has no effect."""

    async def fault(request: web.Request, call: Call, serve: Answering) -> web.Response:
        await _happen(act, call)
        return await lose_call(request, call, serve)

    return fault


def after(act: Act) -> Fault:
    """The call takes effect, then something happens, such as the death of the process that waits for the answer."""

    async def fault(request: web.Request, call: Call, serve: Answering) -> web.Response:
        response = await serve()
        await _happen(act, call)
        return response

    return fault


@dataclass(slots=True)
class _Due:
    fault: Fault
    left: int
    method: str | None

    def counts(self, method: str) -> bool:
        return self.method == method if self.method else method not in PREPARATIONS


@dataclass(slots=True)
class Faults:
    """The faults that are still to happen."""

    _due: list[_Due] = field(default_factory=list)

    def on_call(self, n: int, fault: Fault, method: str | None = None) -> None:
        """Let the fault happen to the n-th call from now on (from 1), of one method or of any."""
        self._due.append(_Due(fault, n, method))

    def clear(self) -> None:
        """Nothing more goes wrong."""
        self._due.clear()

    async def around(self, request: web.Request, call: Call, serve: Answering) -> web.Response:
        """Serve the call, with the faults that fall due wrapped around it, the first one outermost."""
        for due in reversed(self._fall_due(call.method)):
            serve = _wrapped(due.fault, request, call, serve)
        return await serve()

    def _fall_due(self, method: str) -> list[_Due]:
        counting = [due for due in self._due if due.counts(method)]
        for due in counting:
            due.left -= 1
        fallen = [due for due in counting if due.left == 0]
        self._due = [due for due in self._due if due.left > 0]
        return fallen


def _wrapped(fault: Fault, request: web.Request, call: Call, serve: Answering) -> Answering:
    async def served() -> web.Response:
        return await fault(request, call, serve)

    return served
