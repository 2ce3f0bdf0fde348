"""The state of a local Discord: users, guilds, roles, channels, threads and messages, and who may do what."""

from __future__ import annotations

import time
from dataclasses import dataclass, field
from typing import Any
from uuid import uuid4

from tests.wire.discord_clock import stamp
from tests.wire.discord_permissions import DEFAULT, EVERYTHING, Permission
from tests.wire.discord_refusals import (
    UNKNOWN_CHANNEL,
    UNKNOWN_GUILD,
    UNKNOWN_MEMBER,
    UNKNOWN_MESSAGE,
    UNKNOWN_USER,
    Refused,
)

Json = dict[str, Any]

EPOCH = 1_420_070_400_000
"""Milliseconds: the first of 2015. Source: discord-api-docs, reference.mdx, Snowflakes."""

TEXT, DM, THREAD = 0, 1, 11
EPHEMERAL, LOADING, HAS_THREAD, COMPONENTS_V2 = 1 << 6, 1 << 7, 1 << 5, 1 << 15
STARTER, REPLY, COMMAND, MENU, THREAD_CREATED = 21, 19, 20, 23, 18


@dataclass(slots=True, eq=False)
class User:
    """A person or a bot. `dms_open` is false for who takes no direct messages."""

    id: int
    name: str
    bot: bool = False
    dms_open: bool = True
    locale: str = "en-US"


@dataclass(slots=True, eq=False)
class Role:
    """A role; the one whose id is its guild's is @everyone. A managed role is the bot's own."""

    id: int
    name: str
    permissions: Permission
    mentionable: bool = False
    managed: bool = False


@dataclass(slots=True, eq=False)
class Member:
    """A user in a guild."""

    user: User
    roles: list[Role] = field(default_factory=list)
    joined: str = field(default_factory=stamp)


@dataclass(slots=True, eq=False)
class Guild:
    """A server of Discord, with its roles, members, channels and threads by id."""

    id: int
    name: str
    owner: User
    roles: dict[int, Role] = field(default_factory=dict)
    members: dict[int, Member] = field(default_factory=dict)
    channels: dict[int, Channel] = field(default_factory=dict)

    @property
    def everyone(self) -> Role:
        return self.roles[self.id]

    @property
    def threads(self) -> list[Channel]:
        return [channel for channel in self.channels.values() if channel.thread]


@dataclass(slots=True, eq=False)
class Thread:
    """What a thread has beyond a channel. `auto_archive` in minutes."""

    owner: User
    auto_archive: int = 1440
    archived: bool = False
    locked: bool = False
    members: set[int] = field(default_factory=set)
    changed: str = field(default_factory=stamp)


@dataclass(slots=True, eq=False)
class Channel:
    """A text channel, a thread (with a parent), or a direct message (with a person and no guild).

    `overwrites` maps the id of a role or member to what is allowed and denied it. `typing` counts the bot's signs.
    """

    id: int
    name: str
    kind: int = TEXT
    guild: Guild | None = None
    parent: Channel | None = None
    person: User | None = None
    thread: Thread | None = None
    overwrites: dict[int, tuple[Permission, Permission]] = field(default_factory=dict)
    messages: dict[int, Message] = field(default_factory=dict)
    typing: int = 0

    @property
    def ruling(self) -> Channel:
        """The channel whose overwrites rule: a thread inherits its parent's."""
        return self.parent or self


@dataclass(slots=True, eq=False)
class Message:
    """A message; an ephemeral one has a `reader`. `webhook` marks what was sent through an interaction's token."""

    id: int
    channel: Channel
    author: User
    content: str = ""
    kind: int = 0
    flags: int = 0
    embeds: list[Json] = field(default_factory=list)
    components: list[Json] = field(default_factory=list)
    attachments: list[Json] = field(default_factory=list)
    mentions: list[User] = field(default_factory=list)
    mention_roles: list[Role] = field(default_factory=list)
    mention_everyone: bool = False
    reply_to: Message | None = None
    reactions: dict[str, set[int]] = field(default_factory=dict)
    nonce: str | None = None
    thread: Channel | None = None
    reader: User | None = None
    webhook: bool = False
    interaction: Json | None = None
    created: str = field(default_factory=stamp)
    edited: str | None = None
    edits: int = 0


@dataclass(slots=True, eq=False)
class Application:
    """The bot's application, as its portal shows it: the token and the privileged intents that are switched on."""

    id: int
    user: User
    token: str
    message_content: bool = True
    members: bool = False
    presences: bool = False


class World:
    """Everything there is, by id."""

    def __init__(self, token: str) -> None:
        self._last = 0
        self.users: dict[int, User] = {}
        self.guilds: dict[int, Guild] = {}
        self.channels: dict[int, Channel] = {}
        self.bot = self.add_user("CertCoach", bot=True)
        self.application = Application(self.bot.id, self.bot, token)

    def snowflake(self) -> int:
        """A new id: increasing, each in a millisecond of its own, so that guilds fall to different shards."""
        self._last = max(self._last + 1, int(time.time() * 1000) - EPOCH)
        return self._last << 22

    def reset_token(self) -> None:
        """Give the application another token."""
        self.application.token = f"token.reset.{uuid4().hex}"

    def add_user(self, name: str, *, bot: bool = False) -> User:
        user = User(self.snowflake(), name, bot)
        self.users[user.id] = user
        return user

    def add_channel(self, channel: Channel) -> Channel:
        self.channels[channel.id] = channel
        if channel.guild:
            channel.guild.channels[channel.id] = channel
        return channel

    def remove_channel(self, channel: Channel) -> None:
        """Forget a channel, and its threads with it."""
        for gone in [each for each in self.channels.values() if channel in (each, each.parent)]:
            del self.channels[gone.id]
            if gone.guild:
                del gone.guild.channels[gone.id]

    def dm(self, person: User) -> Channel:
        """The direct messages between a person and the bot, opened when there are none."""
        found = (each for each in self.channels.values() if each.person is person)
        return next(found, None) or self.add_channel(Channel(self.snowflake(), "", DM, person=person))

    def user(self, user_id: int) -> User:
        if user_id not in self.users:
            raise Refused(UNKNOWN_USER)
        return self.users[user_id]

    def guild(self, guild_id: int) -> Guild:
        """The guild, where the bot is in it."""
        guild = self.guilds.get(guild_id)
        if guild is None or self.bot.id not in guild.members:
            raise Refused(UNKNOWN_GUILD)
        return guild

    def member(self, guild: Guild, user_id: int) -> Member:
        if user_id not in guild.members:
            raise Refused(UNKNOWN_MEMBER)
        return guild.members[user_id]

    def channel(self, channel_id: int) -> Channel:
        if channel_id not in self.channels:
            raise Refused(UNKNOWN_CHANNEL)
        return self.channels[channel_id]

    def message(self, channel: Channel, message_id: int) -> Message:
        """A message of a channel; ephemeral ones are not there for anybody who asks."""
        message = channel.messages.get(message_id)
        if message is None or message.reader:
            raise Refused(UNKNOWN_MESSAGE)
        return message

    def home(self) -> list[Guild]:
        """The guilds that the bot is in."""
        return [guild for guild in self.guilds.values() if self.bot.id in guild.members]

    def permissions(self, user: User, channel: Channel) -> Permission:
        """What a user may do in a channel. Source: discord-api-docs, topics/permissions.mdx, Permission Overwrites."""
        if channel.guild is None:
            return DEFAULT if user in (channel.person, self.bot) else Permission(0)
        granted = self.granted(user, channel.guild)
        if granted == EVERYTHING or not granted:
            return granted
        for allow, deny in _layers(channel.guild.members[user.id], channel):
            granted = (granted & ~deny) | allow
        return granted if Permission.VIEW_CHANNEL in granted else Permission(0)

    def granted(self, user: User, guild: Guild) -> Permission:
        """What a user's roles grant in the guild, before a channel's overwrites; nothing to who is not in it."""
        member = guild.members.get(user.id)
        if member is None:
            return Permission(0)
        granted = guild.everyone.permissions
        for role in member.roles:
            granted |= role.permissions
        return EVERYTHING if user is guild.owner or Permission.ADMINISTRATOR in granted else granted


def _layers(member: Member, channel: Channel) -> list[tuple[Permission, Permission]]:
    """Overwrites in the order in which they count: @everyone's, the roles' together, the member's own."""
    overwrites, nothing = channel.ruling.overwrites, (Permission(0), Permission(0))
    allow = deny = Permission(0)
    for role in member.roles:
        more = overwrites.get(role.id, nothing)
        allow, deny = allow | more[0], deny | more[1]
    everyone = overwrites.get(channel.guild.id, nothing) if channel.guild else nothing
    return [everyone, (allow, deny), overwrites.get(member.user.id, nothing)]
