"""What a client says on one connection of the gateway, in turn."""

from __future__ import annotations

import asyncio
import json

from aiohttp import WSMsgType

from tests.wire.discord_entrance import Entrance
from tests.wire.discord_sessions import (
    HEARTBEAT,
    HEARTBEAT_ACK,
    IDENTIFY,
    PRESENCE,
    REQUEST_MEMBERS,
    RESUME,
    VOICE,
    Closed,
    Line,
    Session,
)
from tests.wire.discord_world import Json


class Handshake:
    """Listens to one connection; what it says goes to the entrance."""

    def __init__(self, entrance: Entrance, line: Line) -> None:
        self._entrance = entrance
        self._line = line
        self._session: Session | None = None

    async def listen(self) -> None:
        """Until the client goes away or the gateway closes: no heartbeat for one and a half intervals is 4009."""
        loop = asyncio.get_running_loop()
        patience = self._entrance.terms.heartbeat * 1.5
        deadline = loop.time() + patience
        while True:
            try:
                message = await self._line.socket.receive(timeout=max(0.0, deadline - loop.time()))
            except TimeoutError:
                raise Closed(4009, "Session timed out") from None
            if message.type is not WSMsgType.TEXT:
                return
            if self._hear(message.data) == HEARTBEAT:
                deadline = loop.time() + patience

    def _hear(self, text: str) -> int:
        self._entrance.count_send(self._line)
        try:
            said = json.loads(text)
            op, body = said["op"], said.get("d")
        except (ValueError, KeyError, TypeError):
            raise Closed(4002, "Error while decoding payload.") from None
        if op == HEARTBEAT:
            self._entrance.beat()
            self._line.put(HEARTBEAT_ACK)
        elif op in (IDENTIFY, RESUME):
            self._enter(op, body)
        elif op not in (PRESENCE, VOICE, REQUEST_MEMBERS):
            raise Closed(4001, "Unknown opcode.")
        elif self._session is None:
            raise Closed(4003, "Not authenticated.")
        elif op == REQUEST_MEMBERS:
            self._entrance.members(self._session, body)
        return int(op)

    def _enter(self, op: int, body: Json) -> None:
        if self._session:
            raise Closed(4005, "Already authenticated.")
        enter = self._entrance.identify if op == IDENTIFY else self._entrance.resume
        self._session = enter(self._line, body)
