"""What a gateway's connections are made of: intents, events, sessions, and the lines that carry them."""

from __future__ import annotations

import asyncio
import json
import zlib
from collections import deque
from dataclasses import dataclass, field
from enum import IntFlag
from uuid import uuid4

from aiohttp import web

from tests.wire.discord_world import Json

DISPATCH, HEARTBEAT, IDENTIFY, PRESENCE, VOICE, RESUME = 0, 1, 2, 3, 4, 6
RECONNECT, REQUEST_MEMBERS, INVALID_SESSION, HELLO, HEARTBEAT_ACK = 7, 8, 9, 10, 11
FLUSH = zlib.Z_SYNC_FLUSH


class Intent(IntFlag):
    """Source: discord-api-docs, events/gateway.mdx, List of Intents."""

    NONE = 0
    GUILDS = 1 << 0
    GUILD_MEMBERS = 1 << 1
    GUILD_PRESENCES = 1 << 8
    GUILD_MESSAGES = 1 << 9
    GUILD_MESSAGE_REACTIONS = 1 << 10
    DIRECT_MESSAGES = 1 << 12
    DIRECT_MESSAGE_REACTIONS = 1 << 13
    MESSAGE_CONTENT = 1 << 15


ALL_INTENTS = (1 << 26) - 1


@dataclass(frozen=True, slots=True)
class Event:
    """Something to tell the bot. `guild` decides the shard (None: the first), `intent` the sessions that hear it.

    `veiled` is the body for sessions without the Message Content intent, where that makes a difference.
    """

    name: str
    body: Json
    guild: int | None = None
    intent: Intent = Intent.NONE
    veiled: Json | None = None


class Closed(Exception):
    """The gateway ends a connection. Codes: topics/opcodes-and-status-codes.mdx, Gateway Close Event Codes."""

    def __init__(self, code: int, words: str) -> None:
        super().__init__(words)
        self.code = code
        self.words = words


class TokenReset(Closed):
    """Too many IDENTIFYs: the token is reset and all sessions end."""

    def __init__(self) -> None:
        super().__init__(4004, "Authentication failed")


class Line:
    """One WebSocket: what goes out keeps its order and is compressed as the client asked."""

    def __init__(self, socket: web.WebSocketResponse, request: web.Request) -> None:
        self.socket = socket
        self.request = request
        self.sent: deque[float] = deque()
        self._queue: asyncio.Queue[Json] = asyncio.Queue()
        self._zlib = zlib.compressobj() if request.query.get("compress") == "zlib-stream" else None

    def put(self, op: int, body: object = None, sequence: int | None = None, name: str | None = None) -> None:
        """Send something when everything before it is sent."""
        self._queue.put_nowait({"op": op, "d": body, "s": sequence, "t": name})

    async def pump(self) -> None:
        """Send what is put, until cancelled or cut off."""
        while not self.socket.closed:
            frame = json.dumps(await self._queue.get())
            try:
                if self._zlib:
                    await self.socket.send_bytes(self._zlib.compress(frame.encode()) + self._zlib.flush(FLUSH))
                else:
                    await self.socket.send_str(frame)
            except ConnectionError:
                return

    def cut(self) -> None:
        """Break the connection without a word."""
        if self.request.transport:
            self.request.transport.abort()


@dataclass(slots=True, eq=False)
class Session:
    """A session, which outlives its connections. `backlog` holds what was dispatched, for a resumption."""

    token: str
    intents: Intent
    shard: tuple[int, int]
    id: str = field(default_factory=lambda: uuid4().hex)
    sequence: int = 0
    backlog: deque[tuple[int, str, Json]] = field(default_factory=lambda: deque(maxlen=10_000))
    line: Line | None = None

    def hears(self, event: Event) -> bool:
        """Whether the event is for this session's intents and shard."""
        shard = 0 if event.guild is None else (event.guild >> 22) % self.shard[1]
        return event.intent in self.intents and shard == self.shard[0]

    def tell(self, name: str, body: Json) -> None:
        """Dispatch something, now or at the resumption."""
        self.sequence += 1
        self.backlog.append((self.sequence, name, body))
        if self.line:
            self.line.put(DISPATCH, body, self.sequence, name)
