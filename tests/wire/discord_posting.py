"""Messages of a local Discord: written, changed, deleted and reacted to, as permissions and limits allow."""

from __future__ import annotations

from dataclasses import dataclass

from tests.wire.discord_clock import Clock, stamp
from tests.wire.discord_gateway import Gateway
from tests.wire.discord_limits import check_message
from tests.wire.discord_payloads import channel_json, event_json, sealed, veiled
from tests.wire.discord_permissions import Permission
from tests.wire.discord_pings import Ping, read_mentions
from tests.wire.discord_record import Record
from tests.wire.discord_refusals import (
    ARCHIVED,
    DMS_CLOSED,
    LOCKED,
    MISSING_ACCESS,
    MISSING_PERMISSIONS,
    NO_HISTORY,
    TOO_LARGE,
    Form,
    Refused,
)
from tests.wire.discord_sessions import Event, Intent
from tests.wire.discord_world import COMPONENTS_V2, EPHEMERAL, LOADING, REPLY, Channel, Json, Message, User, World

NONCE_SECONDS = 180.0
"""For how long a nonce is remembered: "the past few minutes" (resources/message.mdx, Create Message)."""
SETTABLE = 1 << 2 | 1 << 12 | COMPONENTS_V2
"""Flags that an author may set: SUPPRESS_EMBEDS, SUPPRESS_NOTIFICATIONS, IS_COMPONENTS_V2."""
UPLOAD_MOST = 10 * 2**20


@dataclass(frozen=True, slots=True)
class Origin:
    """What an interaction gives to a message that is sent through its token."""

    kind: int
    flags: int
    user: User
    interaction: Json


class Posting:
    """Keeps the messages, tells the bot about them and records whom they notify."""

    def __init__(self, world: World, gateway: Gateway, record: Record, clock: Clock) -> None:
        self._world = world
        self._gateway = gateway
        self._record = record
        self._clock = clock
        self._nonces: dict[tuple[int, str], tuple[float, Message]] = {}

    def need(self, user: User, channel: Channel, *powers: Permission) -> None:
        """Refuse who may not: without sight of the channel as 50001, else as 50013."""
        held = self._world.permissions(user, channel)
        if Permission.VIEW_CHANNEL not in held:
            raise Refused(MISSING_ACCESS)
        if any(power not in held for power in powers):
            raise Refused(MISSING_PERMISSIONS)

    def post(self, author: User, channel: Channel, body: Json) -> Message:
        """A message by somebody in a channel; with an enforced nonce that is known, the message it stands for."""
        self._may_speak(author, channel, body)
        nonce = str(body["nonce"]) if body.get("nonce") is not None else None
        if body.get("enforce_nonce") and nonce and (known := self._known(author, nonce)):
            return known
        message = Message(self._world.snowflake(), channel, author, nonce=nonce, flags=body.get("flags", 0) & SETTABLE)
        message.reply_to = self._reference(author, channel, body)
        message.kind = REPLY if message.reply_to else 0
        self._write(message, body)
        if nonce:
            self._nonces[author.id, nonce] = (self._clock.now(), message)
        return message

    def post_through(self, channel: Channel, body: Json, origin: Origin) -> Message:
        """A message of the bot sent through an interaction: for its user alone, when ephemeral."""
        reader = origin.user if origin.flags & EPHEMERAL else None
        message = Message(self._world.snowflake(), channel, self._world.bot, kind=origin.kind, reader=reader)
        message.flags, message.webhook, message.interaction = origin.flags, True, origin.interaction
        if channel.thread and channel.thread.locked:
            raise Refused(ARCHIVED)  # discord-api-docs#6884, #5517
        self._write(message, body)
        return message

    def _write(self, message: Message, body: Json) -> None:
        _check_files(body)
        check_message(body, message.flags, empty_is_fine=bool(message.flags & LOADING))
        self._unarchive(message.channel)
        message.content = str(body.get("content") or "").strip()
        message.embeds = _embeds(body)
        message.components, message.attachments = body.get("components") or [], body.get("files") or []
        message.channel.messages[message.id] = message
        targets = read_mentions(self._world, message, body.get("allowed_mentions"))
        self._record.pings += [Ping(message.id, message.channel.id, target) for target in targets]
        self.tell("MESSAGE_CREATE", message, {"nonce": message.nonce} if message.nonce else {})

    def edit(self, message: Message, body: Json) -> None:
        """Change what the body names; the whole has to be within the limits."""
        thread = message.channel.thread
        if thread and thread.archived:
            raise Refused(ARCHIVED)
        _check_files(body)
        flags = (message.flags & ~LOADING) | (body.get("flags") or 0) & SETTABLE
        current: Json = {"content": message.content, "embeds": message.embeds, "components": message.components}
        whole = current | {"files": message.attachments} | body
        check_message(whole, flags)
        message.flags, message.edited, message.edits = flags, stamp(), message.edits + 1
        message.content = str(whole.get("content") or "").strip()
        message.embeds, message.components = _embeds(whole), whole.get("components") or []
        message.attachments = _kept(message, body)
        # "We do not persist allowed_mentions": an edit reads the mentions anew (discord-api-docs#2474)
        targets = read_mentions(self._world, message, body.get("allowed_mentions"))
        self._record.pings += [Ping(message.id, message.channel.id, target, loud=False) for target in targets]
        self.tell("MESSAGE_UPDATE", message)

    def delete(self, message: Message) -> None:
        """Take a message away."""
        channel = message.channel
        channel.messages.pop(message.id, None)
        if not message.reader and self._visible(channel):
            self._gateway.dispatch(self._event("MESSAGE_DELETE", channel, {"id": str(message.id)}))

    def react(self, user: User, message: Message, emoji: str, *, remove: bool = False) -> None:
        """Add or take away a reaction."""
        thread = message.channel.thread
        # PLATFORMS.md: "Threads: … in archived threads nobody can react or use commands"
        if thread and thread.archived:
            raise Refused(ARCHIVED)
        needed = () if remove or emoji in message.reactions else (Permission.ADD_REACTIONS,)
        self.need(user, message.channel, Permission.READ_MESSAGE_HISTORY, *needed)
        users = message.reactions.setdefault(emoji, set())
        users.discard(user.id) if remove else users.add(user.id)
        if not users:
            del message.reactions[emoji]
        name = f"MESSAGE_REACTION_{'REMOVE' if remove else 'ADD'}"
        body = {"user_id": str(user.id), "message_id": str(message.id), "emoji": {"id": None, "name": emoji}}
        self._gateway.dispatch(self._event(name, message.channel, body | {"burst": False, "type": 0}))

    def tell(self, name: str, message: Message, more: Json | None = None) -> None:
        """Dispatch a message to the bot, where it can see it; ephemeral messages are no news."""
        if message.reader or not self._visible(message.channel):
            return
        body = event_json(message, self._world) | (more or {})
        hidden = veiled(body) if sealed(message, self._world) else None
        guild = message.channel.guild
        intent = Intent.GUILD_MESSAGES if guild else Intent.DIRECT_MESSAGES
        self._gateway.dispatch(Event(name, body, guild.id if guild else None, intent, hidden))

    def _event(self, name: str, channel: Channel, body: Json) -> Event:
        reaction = "REACTION" in name
        body = body | {"channel_id": str(channel.id)}
        if channel.guild is None:
            return Event(name, body, None, Intent.DIRECT_MESSAGE_REACTIONS if reaction else Intent.DIRECT_MESSAGES)
        intent = Intent.GUILD_MESSAGE_REACTIONS if reaction else Intent.GUILD_MESSAGES
        return Event(name, body | {"guild_id": str(channel.guild.id)}, channel.guild.id, intent)

    def _visible(self, channel: Channel) -> bool:
        return Permission.VIEW_CHANNEL in self._world.permissions(self._world.bot, channel)

    def _may_speak(self, author: User, channel: Channel, body: Json) -> None:
        # PLATFORMS.md: "DMs: …": who has closed them, or shares no guild with the bot, is out of reach
        if channel.person and author is self._world.bot and not self._reachable(channel.person):
            raise Refused(DMS_CLOSED)
        # PLATFORMS.md: "Threads: … needs SEND_MESSAGES_IN_THREADS — SEND_MESSAGES has no effect there"
        needed = [Permission.SEND_MESSAGES_IN_THREADS if channel.thread else Permission.SEND_MESSAGES]
        needed += [Permission.EMBED_LINKS] if body.get("embeds") else []
        needed += [Permission.ATTACH_FILES] if body.get("files") else []
        self.need(author, channel, *needed)
        thread = channel.thread
        # PLATFORMS.md: "Threads: … (a send unarchives unless locked)"
        if thread and thread.locked and Permission.MANAGE_THREADS not in self._world.permissions(author, channel):
            raise Refused(ARCHIVED if thread.archived else LOCKED)

    def _reachable(self, person: User) -> bool:
        return person.dms_open and any(person.id in guild.members for guild in self._world.home())

    def _known(self, author: User, nonce: str) -> Message | None:
        at, message = self._nonces.get((author.id, nonce), (float("-inf"), None))
        return message if self._clock.now() < at + NONCE_SECONDS else None

    def _reference(self, author: User, channel: Channel, body: Json) -> Message | None:
        reference = body.get("message_reference")
        if not reference or not reference.get("message_id"):
            return None
        if Permission.READ_MESSAGE_HISTORY not in self._world.permissions(author, channel):
            raise Refused(NO_HISTORY)
        found = channel.messages.get(int(reference["message_id"]))
        if (found is None or found.reader) and reference.get("fail_if_not_exists", True):
            form = Form()
            form.wrong("message_reference", "REPLIES_UNKNOWN_MESSAGE", "Unknown message")
            form.close()
        return found

    def _unarchive(self, channel: Channel) -> None:
        if channel.thread and channel.thread.archived:
            channel.thread.archived, channel.thread.changed = False, stamp()
            self.tell_channel("THREAD_UPDATE", channel)

    def tell_channel(self, name: str, channel: Channel, more: Json | None = None) -> None:
        """Dispatch a channel or thread to the bot, where it can see it."""
        if channel.guild and (self._visible(channel) or "DELETE" in name):
            body = channel_json(channel, self._world) | (more or {})
            self._gateway.dispatch(Event(name, body, channel.guild.id, Intent.GUILDS))


def _embeds(body: Json) -> list[Json]:
    return [{"type": "rich"} | embed for embed in body.get("embeds") or []]


def _kept(message: Message, body: Json) -> list[Json]:
    """The attachments that an edit leaves: those it names, all of them if it names none, and the new ones."""
    named = {str(each["id"]) for each in body.get("attachments") or []}
    old = [each for each in message.attachments if "attachments" not in body or each["id"] in named]
    return [*old, *(body.get("files") or [])]


def _check_files(body: Json) -> None:
    # PLATFORMS.md: "Uploads 10 MiB default per file"
    if any(each["size"] > UPLOAD_MOST for each in body.get("files") or []):
        raise Refused(TOO_LARGE)
