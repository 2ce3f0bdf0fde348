"""The gateway of a local Discord: sessions over WebSockets, with their heartbeats, resumptions, shards and faults."""

from __future__ import annotations

import asyncio
import json
import zlib
from collections import deque
from collections.abc import Callable
from dataclasses import dataclass, field
from enum import IntFlag
from uuid import uuid4

from aiohttp import WSMsgType, web

from tests.wire.discord_clock import Bell, Clock
from tests.wire.discord_payloads import guild_json, member_json, user_json
from tests.wire.discord_world import Json, World

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


@dataclass(slots=True)
class Terms:
    """The gateway's rules. `heartbeat` in real seconds; `pace`: platform seconds between two IDENTIFYs of a shard key."""

    heartbeat: float = 41.25
    identifies: int = 1000
    shards: int = 1
    guilds_per_shard: int = 2500
    sends: int = 120
    pace: float = 0.0


class Gateway:
    """Where bots connect and are told what happens.

    `heartbeats` counts those received, `resumed` and `identified` the handshakes, `closes` the codes it closed with.
    """

    def __init__(self, world: World, clock: Clock, bell: Bell) -> None:
        self.terms = Terms()
        self.url = ""
        self.sessions: dict[str, Session] = {}
        self.heartbeats = self.identified = self.resumed = 0
        self.closes: list[int] = []
        self.revoke: Callable[[], None] = lambda: None
        self._world = world
        self._clock = clock
        self._bell = bell
        self._duplicates: list[str] = []
        self._holding: list[str] = []
        self._held: list[Event] = []
        self._delays: list[tuple[str, float]] = []
        self._last_identify = float("-inf")

    @property
    def connected(self) -> list[Session]:
        """The sessions that have a connection."""
        return [session for session in self.sessions.values() if session.line]

    def dispatch(self, event: Event) -> None:
        """Tell every session that may hear it; subject to the faults that are on order."""
        for name, seconds in [each for each in self._delays if each[0] == event.name][:1]:
            self._delays.remove((name, seconds))
            asyncio.get_running_loop().call_later(self._clock.real(seconds), self._tell, event)
            return
        if event.name in self._holding:
            self._holding.remove(event.name)
            self._held.append(event)
            return
        self._tell(event)
        if event.name in self._duplicates:
            self._duplicates.remove(event.name)
            self._tell(event)

    def _tell(self, event: Event) -> None:
        for session in self.sessions.values():
            if session.hears(event):
                veil = event.veiled is not None and Intent.MESSAGE_CONTENT not in session.intents
                session.tell(event.name, event.veiled or {} if veil else event.body)
        self._bell.ring()

    def duplicate(self, name: str, times: int = 1) -> None:
        """Dispatch the next events of that name twice."""
        self._duplicates += [name] * times

    def hold(self, name: str) -> None:
        """Keep back the next event of that name until `release`: what happens meanwhile overtakes it."""
        self._holding.append(name)

    def release(self) -> None:
        """Dispatch what was held."""
        held, self._held = self._held, []
        for event in held:
            self._tell(event)

    def delay(self, name: str, seconds: float) -> None:
        """Dispatch the next event of that name so many platform seconds late."""
        self._delays.append((name, seconds))

    def drop(self, *, resumable: bool = True) -> None:
        """Break all connections; if not resumable, the next RESUME meets INVALID_SESSION."""
        for session in self.connected:
            self._cut(session)
            if not resumable:
                del self.sessions[session.id]

    def _cut(self, session: Session) -> None:
        if session.line:
            session.line.cut()
        session.line = None

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
            if not resumable:
                del self.sessions[session.id]

    async def close_all(self, code: int, words: str) -> None:
        """End all sessions with a close code."""
        sessions, self.sessions = list(self.sessions.values()), {}
        for session in sessions:
            if session.line:
                await self._close(session.line, Closed(code, words))

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
            await Handshake(self, line).listen()
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
            session.line = None
            # events/gateway.mdx: a session whose client closes with 1000 or 1001 is invalidated
            if line.socket.close_code in (1000, 1001):
                self.sessions.pop(session.id, None)
        self._bell.ring()

    def identify(self, line: Line, body: Json) -> Session | None:
        """A new session; None when it has to try again; Closed when it may not."""
        intents, shard = self._checked(body)
        now, last = self._clock.now(), self._last_identify
        if now < last + self.terms.pace:
            line.put(INVALID_SESSION, False)
            return None
        self._last_identify = now
        self.terms.identifies -= 1
        # Row "Gateway: 120 sends/60 s; 1000 IDENTIFY/24 h, past that the token is reset"
        if self.terms.identifies < 0:
            self.revoke()
            raise Closed(4004, "Authentication failed")
        session = Session(str(body["token"]), intents, shard, line=line)
        self.sessions[session.id] = session
        self.identified += 1
        self._welcome(session)
        return session

    def _checked(self, body: Json) -> tuple[Intent, tuple[int, int]]:
        application, intents = self._world.application, body.get("intents")
        if body.get("token") != application.token:
            raise Closed(4004, "Authentication failed")
        if not isinstance(intents, int) or intents & ~ALL_INTENTS:
            raise Closed(4013, "Invalid intent(s)")
        switches = ((1, application.members), (8, application.presences), (15, application.message_content))
        if any(intents & 1 << bit and not on for bit, on in switches):
            raise Closed(4014, "Disallowed intent(s)")
        number, count = body.get("shard") or (0, 1)
        if not 0 <= number < count:
            raise Closed(4010, "Invalid shard")
        # Row "Gateway: … sharding compulsory at 2500 guilds"
        mine = [guild for guild in self._world.home() if (guild.id >> 22) % count == number]
        if len(mine) > self.terms.guilds_per_shard:
            raise Closed(4011, "Sharding required")
        return Intent(intents), (number, count)

    def _welcome(self, session: Session) -> None:
        home = [guild for guild in self._world.home() if session.hears(Event("", {}, guild.id))]
        application = self._world.application
        flags = 1 << 18 if application.message_content else 0
        ready = {
            "v": 10,
            "user": user_json(self._world.bot),
            "guilds": [{"id": str(guild.id), "unavailable": True} for guild in home],
            "session_id": session.id,
            "resume_gateway_url": self.url,
            "shard": list(session.shard),
            "application": {"id": str(application.id), "flags": flags},
        }
        session.tell("READY", ready)
        for guild in home:
            if Intent.GUILDS in session.intents:
                session.tell("GUILD_CREATE", guild_json(guild, self._world))

    def resume(self, line: Line, body: Json) -> Session | None:
        """The session, with what it missed; None and INVALID_SESSION when it is gone."""
        if body.get("token") != self._world.application.token:
            raise Closed(4004, "Authentication failed")
        session = self.sessions.get(str(body.get("session_id")))
        if session is None:
            line.put(INVALID_SESSION, False)
            return None
        seen = int(body.get("seq") or 0)
        if seen > session.sequence:
            raise Closed(4007, "Invalid seq")
        session.line = line
        for sequence, name, missed in session.backlog:
            if sequence > seen:
                line.put(DISPATCH, missed, sequence, name)
        session.tell("RESUMED", {"_trace": []})
        self.resumed += 1
        return session

    def beat(self) -> None:
        """Count a heartbeat."""
        self.heartbeats += 1

    def count_send(self, line: Line) -> None:
        """Close a connection that sends too much."""
        # Row "Gateway: 120 sends/60 s …"
        now = self._clock.now()
        line.sent.append(now)
        while line.sent[0] < now - 60:
            line.sent.popleft()
        if len(line.sent) > self.terms.sends:
            raise Closed(4008, "You are being rate limited.")

    def members(self, session: Session, body: Json) -> None:
        """Answer a request for a guild's members with one chunk."""
        guild = self._world.guild(int(body["guild_id"]))
        wanted = {int(each) for each in body.get("user_ids") or guild.members}
        members = [member_json(member) for each, member in guild.members.items() if each in wanted]
        chunk = {"guild_id": str(guild.id), "members": members, "chunk_index": 0, "chunk_count": 1, "not_found": []}
        session.tell("GUILD_MEMBERS_CHUNK", chunk | ({"nonce": body["nonce"]} if "nonce" in body else {}))


class Handshake:
    """What a client says on one connection, in turn."""

    def __init__(self, gateway: Gateway, line: Line) -> None:
        self._gateway = gateway
        self._line = line
        self._session: Session | None = None

    async def listen(self) -> None:
        """Until the client goes away or the gateway closes: no heartbeat for one and a half intervals is 4009."""
        loop = asyncio.get_running_loop()
        patience = self._gateway.terms.heartbeat * 1.5
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
        self._gateway.count_send(self._line)
        try:
            said = json.loads(text)
            op, body = said["op"], said.get("d")
        except (ValueError, KeyError, TypeError):
            raise Closed(4002, "Error while decoding payload.") from None
        if op == HEARTBEAT:
            self._gateway.beat()
            self._line.put(HEARTBEAT_ACK)
        elif op in (IDENTIFY, RESUME):
            self._enter(op, body)
        elif op not in (PRESENCE, VOICE, REQUEST_MEMBERS):
            raise Closed(4001, "Unknown opcode.")
        elif self._session is None:
            raise Closed(4003, "Not authenticated.")
        elif op == REQUEST_MEMBERS:
            self._gateway.members(self._session, body)
        return int(op)

    def _enter(self, op: int, body: Json) -> None:
        if self._session:
            raise Closed(4005, "Already authenticated.")
        enter = self._gateway.identify if op == IDENTIFY else self._gateway.resume
        self._session = enter(self._line, body)
