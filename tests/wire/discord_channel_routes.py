"""The routes of channels: messages, reactions and threads."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass

from tests.wire.discord_payloads import (
    channel_json,
    message_json,
    sealed,
    user_json,
    veiled,
)
from tests.wire.discord_permissions import Permission
from tests.wire.discord_posting import Posting
from tests.wire.discord_record import Call
from tests.wire.discord_refusals import (
    NOT_IN_DM,
    NOT_YOURS,
    WRONG_CHANNEL,
    Form,
    Refused,
)
from tests.wire.discord_routes import Handler, Result
from tests.wire.discord_threads import Threads
from tests.wire.discord_world import Channel, Json, Message, User, World


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
            "PUT /channels/{channel}/thread-members/@me": self._join,
            "DELETE /channels/{channel}/thread-members/@me": self._leave,
            "PUT /channels/{channel}/thread-members/{user}": self._join,
            "DELETE /channels/{channel}/thread-members/{user}": self._leave,
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
        mine = [each for each in channel.guild.threads if each.parent is channel]
        found = [channel_json(each, self.world) for each in mine if each.thread and each.thread.archived]
        return {"threads": found, "members": [], "has_more": False}

    def _join(self, call: Call) -> Result:
        self.threads.join(self._named(call), self._seen(call))
        return None

    def _leave(self, call: Call) -> Result:
        channel, user = self._seen(call), self._named(call)
        if user is not self.world.bot:
            self.posting.need(self.world.bot, channel, Permission.MANAGE_THREADS)
        self.threads.join(user, channel, leave=True)
        return None

    def _named(self, call: Call) -> User:
        return self.world.user(call.id("user")) if "user" in call.path else self.world.bot


def _page(messages: list[Message], query: Mapping[str, str], limit: int) -> list[Message]:
    """At most `limit` messages, oldest first: the first ones after an id, or the last ones (before an id)."""
    if "after" in query:
        return [each for each in messages if each.id > int(query["after"])][:limit]
    if "around" in query:
        nearest = sorted(messages, key=lambda each: abs(each.id - int(query["around"])))[:limit]
        return sorted(nearest, key=lambda each: each.id)
    before = int(query.get("before", 1 << 63))
    return [each for each in messages if each.id < before][-limit:]
