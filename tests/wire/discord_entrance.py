"""The entrance to the gateway: which connection gets a session, and what it is welcomed with."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass

from tests.wire.discord_clock import Bell, Clock
from tests.wire.discord_payloads import guild_json, member_json, user_json
from tests.wire.discord_sessions import (
    ALL_INTENTS,
    DISPATCH,
    INVALID_SESSION,
    Closed,
    Event,
    Intent,
    Line,
    Session,
    TokenReset,
)
from tests.wire.discord_world import Json, World


@dataclass(slots=True)
class Terms:
    """The gateway's rules. `heartbeat` in real seconds; `pace`: platform seconds between two IDENTIFYs.

    `identifies` is what is left of the day's, `shards` what GET /gateway/bot recommends, `sends` per minute.
    """

    heartbeat: float = 41.25
    identifies: int = 1000
    shards: int = 1
    guilds_per_shard: int = 2500
    sends: int = 120
    pace: float = 0.0
    url: str = ""


class Entrance:
    """Opens and resumes sessions, kept by their ids. `identified`, `resumed` and `heartbeats` count."""

    def __init__(self, world: World, clock: Clock, bell: Bell, reset_token: Callable[[], None]) -> None:
        self.terms = Terms()
        self.sessions: dict[str, Session] = {}
        self.identified = self.resumed = self.heartbeats = 0
        self._world = world
        self._clock = clock
        self._bell = bell
        self._reset_token = reset_token
        self._last_identify = float("-inf")

    def identify(self, line: Line, body: Json) -> Session | None:
        """A new session; None when it has to try again; Closed when it may not."""
        intents, shard = self._checked(body)
        now, last = self._clock.now(), self._last_identify
        if now < last + self.terms.pace:
            line.put(INVALID_SESSION, False)
            return None
        self._last_identify = now
        self.terms.identifies -= 1
        # PLATFORMS.md: "Gateway: 120 sends/60 s; 1000 IDENTIFY/24 h, past that the token is reset"
        if self.terms.identifies < 0:
            self._reset_token()
            raise TokenReset
        session = Session(str(body["token"]), intents, shard, line=line)
        self.sessions[session.id] = session
        self.identified += 1
        self._welcome(session)
        self._bell.ring()
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
        # PLATFORMS.md: "Gateway: … sharding compulsory at 2500 guilds"
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
            "resume_gateway_url": self.terms.url,
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
        self._bell.ring()
        return session

    def beat(self) -> None:
        """A heartbeat came."""
        self.heartbeats += 1
        self._bell.ring()

    def count_send(self, line: Line) -> None:
        """Close a connection that sends too much."""
        # PLATFORMS.md: "Gateway: 120 sends/60 s …"
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
