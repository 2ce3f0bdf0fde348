"""The routes of a local Discord's REST API that bots use, and what each of them does."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass

from tests.wire.discord_commands import Commands
from tests.wire.discord_gateway import Gateway
from tests.wire.discord_interactions import Interactions
from tests.wire.discord_payloads import (
    application_json,
    channel_json,
    guild_json,
    member_json,
    message_json,
    roles_json,
    sealed,
    thread_member_json,
    user_json,
    veiled,
)
from tests.wire.discord_posting import Posting
from tests.wire.discord_record import Call
from tests.wire.discord_refusals import (
    MISSING_ACCESS,
    MISSING_PERMISSIONS,
    NOT_IN_DM,
    NOT_YOURS,
    TOKEN_EXPIRED,
    WRONG_CHANNEL,
    Form,
    Refused,
)
from tests.wire.discord_threads import Threads
from tests.wire.discord_world import Channel, Json, Message, Permission, World

Result = Json | list[Json] | None
Handler = Callable[[Call], Result]


@dataclass(frozen=True, slots=True)
class AccountRoutes:
    """The bot's account, its application and commands, the gateway's address, guilds and users."""

    world: World
    gateway: Gateway
    commands: Commands
    leave: Callable[[int], None]

    def table(self) -> Mapping[str, Handler]:
        """Handlers by route."""
        application, scoped = "/applications/{application}/commands", "/applications/{application}/guilds/{guild}/commands"
        table: dict[str, Handler] = {
            "GET /users/@me": lambda _: user_json(self.world.bot),
            "GET /users/@me/guilds": lambda _: [{"id": str(each.id), "name": each.name} for each in self.world.home()],
            "DELETE /users/@me/guilds/{guild}": lambda call: self.leave(call.id("guild")),
            "POST /users/@me/channels": self._open_dm,
            "GET /users/{user}": lambda call: user_json(self.world.user(call.id("user"))),
            "GET /applications/@me": self._application,
            "GET /oauth2/applications/@me": self._application,
            "GET /gateway": lambda _: {"url": self.gateway.url},
            "GET /gateway/bot": self._gateway,
            "GET /guilds/{guild}": lambda call: guild_json(self.world.guild(call.id("guild")), self.world),
            "GET /guilds/{guild}/roles": lambda call: roles_json(self.world.guild(call.id("guild"))),
            "GET /guilds/{guild}/channels": self._channels,
            "GET /guilds/{guild}/threads/active": self._threads,
            "GET /guilds/{guild}/members": self._members,
            "GET /guilds/{guild}/members/{user}": self._member,
        }
        for path in (application, scoped):
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
        # Row "Gateway: 120 sends/60 s; 1000 IDENTIFY/24 h"
        terms = self.gateway.terms
        limit = {"total": 1000, "remaining": max(0, terms.identifies), "reset_after": 86_400_000, "max_concurrency": 1}
        return {"url": self.gateway.url, "shards": terms.shards, "session_start_limit": limit}

    def _channels(self, call: Call) -> Result:
        channels = self.world.guild(call.id("guild")).channels.values()
        seen = [each for each in channels if not each.thread and self.world.permissions(self.world.bot, each)]
        return [channel_json(each, self.world) for each in seen]

    def _threads(self, call: Call) -> Result:
        threads = [each for each in self.world.guild(call.id("guild")).threads if each.thread and not each.thread.archived]
        seen = [each for each in threads if self.world.permissions(self.world.bot, each)]
        members = [
            thread_member_json(each, self.world.bot)
            for each in seen
            if each.thread and self.world.bot.id in each.thread.members
        ]
        return {"threads": [channel_json(each, self.world) for each in seen], "members": members, "has_more": False}

    def _members(self, call: Call) -> Result:
        if not self.world.application.members:
            raise Refused(MISSING_ACCESS)
        return [member_json(each) for each in self.world.guild(call.id("guild")).members.values()]

    def _member(self, call: Call) -> Result:
        return member_json(self.world.member(self.world.guild(call.id("guild")), call.id("user")))


@dataclass(frozen=True, slots=True)
class ChannelRoutes:
    """Channels, their messages, reactions and threads."""

    world: World
    posting: Posting
    threads: Threads
    remove: Callable[[Channel], None]

    def table(self) -> Mapping[str, Handler]:
        """Handlers by route."""
        message = "/channels/{channel}/messages/{message}"
        return {
            "GET /channels/{channel}": lambda call: channel_json(self._seen(call), self.world),
            "PATCH /channels/{channel}": self._change,
            "DELETE /channels/{channel}": self._delete_channel,
            "POST /channels/{channel}/typing": self._type,
            "GET /channels/{channel}/messages": self._history,
            "POST /channels/{channel}/messages": self._post,
            f"GET {message}": lambda call: self._read(self._message(call, Permission.READ_MESSAGE_HISTORY)),
            f"PATCH {message}": self._edit,
            f"DELETE {message}": self._delete,
            f"PUT {message}/reactions/{{emoji}}/@me": lambda call: self._react(call),
            f"DELETE {message}/reactions/{{emoji}}/@me": lambda call: self._react(call, remove=True),
            f"GET {message}/reactions/{{emoji}}": self._reacted,
            f"POST {message}/threads": self._start_from,
            "POST /channels/{channel}/threads": self._start,
            "GET /channels/{channel}/threads/archived/public": self._archived,
            "PUT /channels/{channel}/thread-members/@me": lambda call: self._join(call, self.world.bot.id),
            "DELETE /channels/{channel}/thread-members/@me": lambda call: self._join(call, self.world.bot.id, leave=True),
            "PUT /channels/{channel}/thread-members/{user}": lambda call: self._join(call, call.id("user")),
            "DELETE /channels/{channel}/thread-members/{user}": lambda call: self._join(call, call.id("user"), leave=True),
        }

    def _seen(self, call: Call, *powers: Permission) -> Channel:
        channel = self.world.channel(call.id("channel"))
        self.posting.need(self.world.bot, channel, *powers)
        return channel

    def _message(self, call: Call, *powers: Permission) -> Message:
        return self.world.message(self._seen(call, *powers), call.id("message"))

    def _read(self, message: Message) -> Json:
        body = message_json(message, self.world)
        hidden = sealed(message, self.world) and not self.world.application.message_content
        return veiled(body) if hidden else body

    def _change(self, call: Call) -> Result:
        channel = self._seen(call)
        if channel.guild is None:
            raise Refused(NOT_IN_DM)
        if channel.thread:
            self.threads.change(self.world.bot, channel, call.body)
        else:
            self.posting.need(self.world.bot, channel, Permission.MANAGE_CHANNELS)
            channel.name = call.body.get("name", channel.name)
            self.posting.tell_channel("CHANNEL_UPDATE", channel)
        return channel_json(channel, self.world)

    def _delete_channel(self, call: Call) -> Result:
        channel = self._seen(call)
        power = Permission.MANAGE_THREADS if channel.thread else Permission.MANAGE_CHANNELS
        self.posting.need(self.world.bot, channel, power)
        body = channel_json(channel, self.world)
        self.remove(channel)
        return body

    def _type(self, call: Call) -> Result:
        channel = self.world.channel(call.id("channel"))
        speaks = Permission.SEND_MESSAGES_IN_THREADS if channel.thread else Permission.SEND_MESSAGES
        self.posting.need(self.world.bot, channel, speaks)
        channel.typing += 1
        return None

    def _history(self, call: Call) -> Result:
        channel = self._seen(call)
        form, limit = Form(), int(call.query.get("limit", 50))
        if not 1 <= limit <= 100:
            form.wrong("limit", "NUMBER_TYPE_MAX", "int value should be between 1 and 100.")
        form.close()
        # resources/channel.mdx, Get Channel Messages: without READ_MESSAGE_HISTORY there are none
        if Permission.READ_MESSAGE_HISTORY not in self.world.permissions(self.world.bot, channel):
            return []
        found = _page([each for each in channel.messages.values() if not each.reader], call.query, limit)
        return [self._read(each) for each in reversed(found)]

    def _post(self, call: Call) -> Result:
        message = self.posting.post(self.world.bot, self._seen(call), call.body)
        return message_json(message, self.world) | ({"nonce": message.nonce} if message.nonce else {})

    def _edit(self, call: Call) -> Result:
        message = self._message(call)
        if message.author is not self.world.bot:
            raise Refused(NOT_YOURS)
        self.posting.edit(message, call.body)
        return message_json(message, self.world)

    def _delete(self, call: Call) -> Result:
        message = self._message(call)
        if message.author is not self.world.bot:
            self.posting.need(self.world.bot, message.channel, Permission.MANAGE_MESSAGES)
        self.posting.delete(message)
        return None

    def _react(self, call: Call, *, remove: bool = False) -> Result:
        self.posting.react(self.world.bot, self._message(call), call.path["emoji"], remove=remove)
        return None

    def _reacted(self, call: Call) -> Result:
        users = self._message(call, Permission.READ_MESSAGE_HISTORY).reactions.get(call.path["emoji"], set())
        return [user_json(self.world.users[each]) for each in sorted(users)]

    def _start_from(self, call: Call) -> Result:
        channel = self._seen(call)
        message = self.world.message(channel, call.id("message"))
        return channel_json(self.threads.start(self.world.bot, channel, call.body, message), self.world)

    def _start(self, call: Call) -> Result:
        return channel_json(self.threads.start(self.world.bot, self._seen(call), call.body), self.world)

    def _archived(self, call: Call) -> Result:
        channel = self._seen(call, Permission.READ_MESSAGE_HISTORY)
        if channel.guild is None:
            raise Refused(WRONG_CHANNEL)
        found = [each for each in channel.guild.threads if each.parent is channel and each.thread and each.thread.archived]
        return {"threads": [channel_json(each, self.world) for each in found], "members": [], "has_more": False}

    def _join(self, call: Call, user: int, *, leave: bool = False) -> Result:
        channel = self._seen(call)
        if leave and user != self.world.bot.id and not self._manages(channel):
            raise Refused(MISSING_PERMISSIONS)
        self.threads.join(self.world.user(user), channel, leave=leave)
        return None

    def _manages(self, channel: Channel) -> bool:
        return Permission.MANAGE_THREADS in self.world.permissions(self.world.bot, channel)


def _page(messages: list[Message], query: Mapping[str, str], limit: int) -> list[Message]:
    """At most `limit` messages, oldest first: the first ones after an id, or the last ones (before an id)."""
    if "after" in query:
        return [each for each in messages if each.id > int(query["after"])][:limit]
    if "around" in query:
        nearest = sorted(messages, key=lambda each: abs(each.id - int(query["around"])))[:limit]
        return sorted(nearest, key=lambda each: each.id)
    before = int(query.get("before", 1 << 63))
    return [each for each in messages if each.id < before][-limit:]


@dataclass(frozen=True, slots=True)
class InteractionRoutes:
    """What is done with an interaction's token, which stands for the bot's own."""

    world: World
    posting: Posting
    interactions: Interactions

    def table(self) -> Mapping[str, Handler]:
        """Handlers by route."""
        message = "/webhooks/{application}/{token}/messages/{message}"
        return {
            "POST /interactions/{interaction}/{token}/callback": self._respond,
            "POST /webhooks/{application}/{token}": self._follow_up,
            f"GET {message}": lambda call: message_json(self._find(call), self.world),
            f"PATCH {message}": self._edit,
            f"DELETE {message}": self._delete,
        }

    def _respond(self, call: Call) -> Result:
        body = self.interactions.respond(call.id("interaction"), call.path["token"], call.body)
        return body if call.query.get("with_response") in ("1", "true") else None

    def _find(self, call: Call) -> Message:
        if call.id("application") != self.world.application.id:
            raise Refused(TOKEN_EXPIRED)
        return self.interactions.find(call.path["token"], call.path["message"])

    def _follow_up(self, call: Call) -> Result:
        return message_json(self.interactions.follow_up(call.path["token"], call.body), self.world)

    def _edit(self, call: Call) -> Result:
        message = self._find(call)
        self.posting.edit(message, call.body)
        return message_json(message, self.world)

    def _delete(self, call: Call) -> Result:
        self.posting.delete(self._find(call))
        return None
