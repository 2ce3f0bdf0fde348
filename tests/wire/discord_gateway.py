"""The gateway of a local Discord: the place where bots connect, and where connections break."""

from __future__ import annotations

import asyncio
from collections.abc import Callable

from aiohttp import web

from tests.wire.discord_clock import Bell, Clock
from tests.wire.discord_disorder import Disorder
from tests.wire.discord_entrance import Entrance, Terms
from tests.wire.discord_handshake import Handshake
from tests.wire.discord_sessions import (
    HELLO,
    INVALID_SESSION,
    RECONNECT,
    Closed,
    Event,
    Intent,
    Line,
    Session,
    TokenReset,
)
from tests.wire.discord_world import World


class Gateway:
    """Tells bots what happens; `disorder` mixes that up. `closes` are the codes with which it ended connections."""

    def __init__(self, world: World, clock: Clock, bell: Bell, reset_token: Callable[[], None]) -> None:
        self.entrance = Entrance(world, clock, bell, reset_token)
        self.disorder = Disorder(clock, self._tell)
        self.closes: list[int] = []
        self._bell = bell

    @property
    def terms(self) -> Terms:
        """The rules, which tests may change."""
        return self.entrance.terms

    @property
    def connected(self) -> list[Session]:
        """The sessions that have a connection."""
        return [session for session in self.entrance.sessions.values() if session.line]

    def dispatch(self, event: Event) -> None:
        """Tell every session that may hear it."""
        self.disorder.pass_on(event)

    def _tell(self, event: Event) -> None:
        for session in self.entrance.sessions.values():
            if session.hears(event):
                veil = event.veiled is not None and Intent.MESSAGE_CONTENT not in session.intents
                session.tell(event.name, event.veiled or {} if veil else event.body)
        self._bell.ring()

    def drop(self, *, resumable: bool = True) -> None:
        """Break all connections; if not resumable, the next RESUME meets INVALID_SESSION."""
        for session in self.connected:
            if session.line:
                session.line.cut()
            self._detach(session, forget=not resumable)

    def reconnect(self) -> None:
        """Ask all bots to reconnect and resume."""
        for session in self.connected:
            if session.line:
                session.line.put(RECONNECT)

    def invalidate(self, *, resumable: bool = False) -> None:
        """Send INVALID_SESSION on all connections."""
        for session in self.connected:
            if session.line:
                session.line.put(INVALID_SESSION, resumable)
            self._detach(session, forget=not resumable)

    async def close_all(self, code: int, words: str) -> None:
        """End all sessions with a close code."""
        lines = [session.line for session in self.connected]
        self.entrance.sessions.clear()
        for line in lines:
            if line:
                await self._close(line, Closed(code, words))

    def _detach(self, session: Session, *, forget: bool) -> None:
        session.line = None
        if forget:
            self.entrance.sessions.pop(session.id, None)

    async def connect(self, request: web.Request) -> web.WebSocketResponse:
        """One connection, from HELLO to its end."""
        socket = web.WebSocketResponse(compress=False)
        await socket.prepare(request)
        line = Line(socket, request)
        line.put(HELLO, {"heartbeat_interval": int(self.terms.heartbeat * 1000)})
        pump = asyncio.create_task(line.pump())
        try:
            if request.query.get("v") != "10":
                raise Closed(4012, "Invalid API version")
            await Handshake(self.entrance, line).listen()
        except TokenReset as end:
            await self._close(line, end)
            await self.close_all(end.code, end.words)
        except Closed as end:
            await self._close(line, end)
        finally:
            pump.cancel()
            self._leave(line)
        return socket

    async def _close(self, line: Line, end: Closed) -> None:
        self.closes.append(end.code)
        await line.socket.close(code=end.code, message=end.words.encode())
        self._bell.ring()

    def _leave(self, line: Line) -> None:
        for session in [each for each in self.connected if each.line is line]:
            # events/gateway.mdx: a session whose client closes with 1000 or 1001 is invalidated
            self._detach(session, forget=line.socket.close_code in (1000, 1001))
        self._bell.ring()
