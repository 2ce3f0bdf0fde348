"""The routes of a bot's account: users, application, commands, guilds, and the gateway's address."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass

from tests.wire.discord_commands import Commands
from tests.wire.discord_gateway import Gateway
from tests.wire.discord_payloads import (
    application_json,
    channel_json,
    guild_json,
    member_json,
    roles_json,
    thread_member_json,
    user_json,
)
from tests.wire.discord_record import Call
from tests.wire.discord_refusals import (
    MISSING_ACCESS,
    Refused,
)
from tests.wire.discord_routes import Handler, Result
from tests.wire.discord_world import World


@dataclass(frozen=True, slots=True)
class AccountRoutes:
    """The bot's account, its application and commands, the gateway's address, guilds and users."""

    world: World
    gateway: Gateway
    commands: Commands
    leave: Callable[[int], None]

    def table(self) -> Mapping[str, Handler]:
        """Handlers by route."""
        application = "/applications/{application}"
        table: dict[str, Handler] = {
            "GET /users/@me": lambda _: user_json(self.world.bot),
            "GET /users/@me/guilds": lambda _: [{"id": str(each.id), "name": each.name} for each in self.world.home()],
            "DELETE /users/@me/guilds/{guild}": lambda call: self.leave(call.id("guild")),
            "POST /users/@me/channels": self._open_dm,
            "GET /users/{user}": lambda call: user_json(self.world.user(call.id("user"))),
            "GET /applications/@me": self._application,
            "GET /oauth2/applications/@me": self._application,
            "GET /gateway": lambda _: {"url": self.gateway.terms.url},
            "GET /gateway/bot": self._gateway,
            "GET /guilds/{guild}": lambda call: guild_json(self.world.guild(call.id("guild")), self.world),
            "GET /guilds/{guild}/roles": lambda call: roles_json(self.world.guild(call.id("guild"))),
            "GET /guilds/{guild}/channels": self._channels,
            "GET /guilds/{guild}/threads/active": self._threads,
            "GET /guilds/{guild}/members": self._members,
            "GET /guilds/{guild}/members/{user}": self._member,
        }
        for path in (f"{application}/commands", f"{application}/guilds/{{guild}}/commands"):
            table |= {
                f"GET {path}": lambda call: self.commands.of(self._scope(call)),
                f"PUT {path}": lambda call: self.commands.replace(self._scope(call), call.body["list"]),
                f"POST {path}": lambda call: self.commands.upsert(self._scope(call), call.body),
                f"GET {path}/{{command}}": lambda call: self.commands.get(self._scope(call), call.id("command")),
                f"PATCH {path}/{{command}}": self._change_command,
                f"DELETE {path}/{{command}}": lambda call: self.commands.remove(self._scope(call), call.id("command")),
            }
        return table

    def _scope(self, call: Call) -> int | None:
        if call.id("application") != self.world.application.id:
            raise Refused(MISSING_ACCESS)
        return self.world.guild(call.id("guild")).id if "guild" in call.path else None

    def _change_command(self, call: Call) -> Result:
        scope = self._scope(call)
        return self.commands.upsert(scope, self.commands.get(scope, call.id("command")) | call.body)

    def _open_dm(self, call: Call) -> Result:
        person = self.world.user(int(call.body["recipient_id"]))
        return channel_json(self.world.dm(person), self.world)

    def _application(self, _: Call) -> Result:
        return application_json(self.world.application, len(self.world.home()))

    def _gateway(self, _: Call) -> Result:
        # PLATFORMS.md: "Gateway: 120 sends/60 s; 1000 IDENTIFY/24 h"
        terms = self.gateway.terms
        limit = {"total": 1000, "remaining": max(0, terms.identifies), "reset_after": 86_400_000, "max_concurrency": 1}
        return {"url": self.gateway.terms.url, "shards": terms.shards, "session_start_limit": limit}

    def _channels(self, call: Call) -> Result:
        channels = self.world.guild(call.id("guild")).channels.values()
        seen = [each for each in channels if not each.thread and self.world.permissions(self.world.bot, each)]
        return [channel_json(each, self.world) for each in seen]

    def _threads(self, call: Call) -> Result:
        bot, threads = self.world.bot, self.world.guild(call.id("guild")).threads
        active = [each for each in threads if each.thread and not each.thread.archived]
        seen = [each for each in active if self.world.permissions(bot, each)]
        members = [thread_member_json(each, bot) for each in seen if each.thread and bot.id in each.thread.members]
        return {"threads": [channel_json(each, self.world) for each in seen], "members": members, "has_more": False}

    def _members(self, call: Call) -> Result:
        if not self.world.application.members:
            raise Refused(MISSING_ACCESS)
        return [member_json(each) for each in self.world.guild(call.id("guild")).members.values()]

    def _member(self, call: Call) -> Result:
        return member_json(self.world.member(self.world.guild(call.id("guild")), call.id("user")))
