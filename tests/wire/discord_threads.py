"""Threads of a local Discord: started, joined, archived and locked."""

from __future__ import annotations

from dataclasses import dataclass

from tests.wire.discord_clock import stamp
from tests.wire.discord_gateway import Gateway
from tests.wire.discord_payloads import thread_member_json
from tests.wire.discord_permissions import Permission
from tests.wire.discord_posting import Posting
from tests.wire.discord_refusals import (
    ARCHIVED,
    MISSING_PERMISSIONS,
    THREAD_EXISTS,
    TOO_MANY_THREADS,
    WRONG_CHANNEL,
    Form,
    Refused,
)
from tests.wire.discord_sessions import Event, Intent
from tests.wire.discord_world import (
    HAS_THREAD,
    STARTER,
    THREAD,
    THREAD_CREATED,
    Channel,
    Json,
    Message,
    Thread,
    User,
    World,
)

MINUTES = (60, 1440, 4320, 10080)


@dataclass(slots=True)
class Threads:
    """Starts and changes threads. `most` is how many may be active in a guild."""

    world: World
    gateway: Gateway
    posting: Posting
    most: int = 1000

    def start(self, owner: User, channel: Channel, body: Json, message: Message | None = None) -> Channel:
        """A public thread, from a message or on its own."""
        if channel.guild is None or channel.thread:
            raise Refused(WRONG_CHANNEL)
        kind = body.get("type", THREAD)
        private = kind == 12
        power = Permission.CREATE_PRIVATE_THREADS if private else Permission.CREATE_PUBLIC_THREADS
        self.posting.need(owner, channel, power)
        self._check(body)
        if message and message.thread:
            raise Refused(THREAD_EXISTS)
        # PLATFORMS.md: "Threads: … active threads are capped per guild"
        if sum(1 for each in channel.guild.threads if each.thread and not each.thread.archived) >= self.most:
            raise Refused(TOO_MANY_THREADS)
        state = Thread(owner, body.get("auto_archive_duration") or 1440, members={owner.id})
        # PLATFORMS.md: "Threads: … thread id = starter message id"
        identity = message.id if message else self.world.snowflake()
        thread = Channel(identity, str(body["name"]), kind, channel.guild, channel, thread=state)
        self.world.add_channel(thread)
        self._announce(thread, message)
        return thread

    def _announce(self, thread: Channel, message: Message | None) -> None:
        self.posting.tell_channel("THREAD_CREATE", thread, {"newly_created": True})
        assert thread.parent and thread.thread
        if message:
            message.thread, message.flags = thread, message.flags | HAS_THREAD
            self.posting.tell("MESSAGE_UPDATE", message)
            starter = Message(self.world.snowflake(), thread, message.author, kind=STARTER, reply_to=message)
        else:
            owner, words = thread.thread.owner, thread.name
            starter = Message(self.world.snowflake(), thread.parent, owner, words, kind=THREAD_CREATED, thread=thread)
        starter.channel.messages[starter.id] = starter
        self.posting.tell("MESSAGE_CREATE", starter)

    def _check(self, body: Json) -> None:
        form = Form()
        if "name" in body:
            form.size("name", body["name"], 100, 1)
        # PLATFORMS.md: "Threads: auto-archive 60/1440/4320/10080 min"
        if body.get("auto_archive_duration") is not None:
            form.one_of("auto_archive_duration", body["auto_archive_duration"], MINUTES)
        form.close()

    def change(self, user: User, channel: Channel, body: Json) -> None:
        """Rename, archive, unarchive, lock or unlock."""
        thread = channel.thread
        assert thread
        self.posting.need(user, channel)
        manages = Permission.MANAGE_THREADS in self.world.permissions(user, channel)
        self._check(body)
        # an archived thread takes no other change than to be opened: discord-api-docs#6928
        if thread.archived and body.get("archived") is not False:
            raise Refused(ARCHIVED)
        lock_changes = "locked" in body and body["locked"] != thread.locked
        if not manages and (thread.locked or lock_changes or user is not thread.owner):
            raise Refused(MISSING_PERMISSIONS)
        self.apply(channel, body)

    def apply(self, channel: Channel, body: Json) -> None:
        """Change a thread without asking who may."""
        thread = channel.thread
        assert thread
        channel.name = body.get("name", channel.name)
        thread.archived, thread.locked = body.get("archived", thread.archived), body.get("locked", thread.locked)
        thread.auto_archive, thread.changed = body.get("auto_archive_duration", thread.auto_archive), stamp()
        self.posting.tell_channel("THREAD_UPDATE", channel)

    def join(self, user: User, channel: Channel, *, leave: bool = False) -> None:
        """Add a user to a thread, or take one out."""
        if channel.thread is None or channel.guild is None:
            raise Refused(WRONG_CHANNEL)
        self.posting.need(user, channel)
        if channel.thread.archived:
            raise Refused(ARCHIVED)
        members = channel.thread.members
        if (user.id in members) is not leave:
            return
        members.discard(user.id) if leave else members.add(user.id)
        key = "removed_member_ids" if leave else "added_members"
        changed = [str(user.id)] if leave else [thread_member_json(channel, user)]
        body = {"id": str(channel.id), "guild_id": str(channel.guild.id), "member_count": len(members), key: changed}
        self.gateway.dispatch(Event("THREAD_MEMBERS_UPDATE", body, channel.guild.id, Intent.GUILDS))
