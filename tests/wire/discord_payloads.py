"""How a local Discord writes its objects as JSON."""

from __future__ import annotations

from tests.wire.discord_permissions import EVERYTHING, Permission
from tests.wire.discord_world import DM, Application, Channel, Guild, Json, Member, Message, Role, User, World

VEIL: Json = {"content": "", "embeds": [], "attachments": [], "components": []}
"""What is left of a message for a bot that may not read it."""


def user_json(user: User) -> Json:
    """A user object."""
    name = user.name.lower().replace(" ", "")
    face = {"avatar": None, "global_name": user.name, "public_flags": 0}
    return {"id": str(user.id), "username": name, "discriminator": "0000", "bot": user.bot, **face}


def application_json(application: Application, guilds: int) -> Json:
    """The application object of the bot itself. Flags: resources/application.mdx, Application Flags."""
    switches = {12: application.presences, 14: application.members, 18: application.message_content}
    return {
        "id": str(application.id),
        "name": application.user.name,
        "description": "",
        "icon": None,
        "bot": user_json(application.user),
        "bot_public": True,
        "bot_require_code_grant": False,
        "owner": user_json(application.user) | {"username": "owner", "bot": False},
        "verify_key": "0" * 64,
        "flags": sum(1 << bit for bit, on in switches.items() if on),
        "approximate_guild_count": guilds,
    }


def member_json(member: Member, *, with_user: bool = True) -> Json:
    """A guild member object."""
    roles = [str(role.id) for role in member.roles]
    body = {"roles": roles, "joined_at": member.joined, "deaf": False, "mute": False, "flags": 0, "nick": None}
    return body | {"avatar": None, "pending": False} | ({"user": user_json(member.user)} if with_user else {})


def role_json(role: Role, position: int = 0) -> Json:
    """A role object."""
    return {
        "id": str(role.id),
        "name": role.name,
        "color": 0,
        "colors": {"primary_color": 0, "secondary_color": None, "tertiary_color": None},
        "hoist": False,
        "position": position,
        "permissions": str(int(role.permissions)),
        "managed": role.managed,
        "mentionable": role.mentionable,
        "flags": 0,
    }


def roles_json(guild: Guild) -> list[Json]:
    """The roles of a guild, @everyone first."""
    return [role_json(role, position) for position, role in enumerate(guild.roles.values())]


def channel_json(channel: Channel, world: World) -> Json:
    """A channel object of whichever kind."""
    last = next(reversed(channel.messages), None)
    body: Json = {"id": str(channel.id), "type": channel.kind, "last_message_id": str(last) if last else None}
    if channel.kind == DM and channel.person:
        return body | {"recipients": [user_json(channel.person)]}
    body |= {"name": channel.name, "guild_id": str(channel.guild.id) if channel.guild else None, "flags": 0}
    if channel.thread:
        return body | _thread_json(channel, world)
    overwrites = [_overwrite_json(channel, target) for target in channel.overwrites]
    body |= {"position": 0, "permission_overwrites": overwrites, "nsfw": False, "parent_id": None}
    return body | {"topic": None, "rate_limit_per_user": 0}


def _overwrite_json(channel: Channel, target: int) -> Json:
    allow, deny = channel.overwrites[target]
    kind = 0 if channel.guild and target in channel.guild.roles else 1
    return {"id": str(target), "type": kind, "allow": str(int(allow)), "deny": str(int(deny))}


def _thread_json(channel: Channel, world: World) -> Json:
    thread = channel.thread
    assert thread and channel.parent
    body: Json = {
        "parent_id": str(channel.parent.id),
        "owner_id": str(thread.owner.id),
        "message_count": len(channel.messages),
        "total_message_sent": len(channel.messages),
        "member_count": len(thread.members),
        "rate_limit_per_user": 0,
        "thread_metadata": {
            "archived": thread.archived,
            "locked": thread.locked,
            "auto_archive_duration": thread.auto_archive,
            "archive_timestamp": thread.changed,
        },
    }
    return body | ({"member": thread_member_json(channel, world.bot)} if world.bot.id in thread.members else {})


def thread_member_json(channel: Channel, user: User) -> Json:
    """A thread member object."""
    joined = channel.thread.changed if channel.thread else ""
    return {"id": str(channel.id), "user_id": str(user.id), "join_timestamp": joined, "flags": 0}


def guild_json(guild: Guild, world: World) -> Json:
    """A guild object as GUILD_CREATE carries it: with the channels and threads that the bot can see."""
    seen = [each for each in guild.channels.values() if world.permissions(world.bot, each)]
    threads = [each for each in seen if each.thread and not each.thread.archived]
    return {
        "id": str(guild.id),
        "name": guild.name,
        "owner_id": str(guild.owner.id),
        "roles": roles_json(guild),
        "channels": [channel_json(each, world) for each in seen if not each.thread],
        "threads": [channel_json(each, world) for each in threads],
        "members": [member_json(guild.members[world.bot.id])] if world.bot.id in guild.members else [],
        "member_count": len(guild.members),
        "joined_at": guild.members[world.bot.id].joined if world.bot.id in guild.members else None,
        "large": False,
        "unavailable": False,
        "preferred_locale": "en-US",
        "features": [],
        "emojis": [],
        "stickers": [],
        "icon": None,
    }


def message_json(message: Message, world: World) -> Json:
    """A message object, as somebody who may read it gets it."""
    guild = message.channel.guild
    body: Json = {
        "id": str(message.id),
        "channel_id": str(message.channel.id),
        "author": user_json(message.author),
        "content": message.content,
        "timestamp": message.created,
        "edited_timestamp": message.edited,
        "type": message.kind,
        "flags": message.flags,
        "tts": False,
        "pinned": False,
        "mention_everyone": message.mention_everyone,
        "mentions": [_mention_json(user, guild) for user in message.mentions],
        "mention_roles": [str(role.id) for role in message.mention_roles],
        "attachments": message.attachments,
        "embeds": message.embeds,
        "components": message.components,
    }
    return body | _extras(message, world)


def _mention_json(user: User, guild: Guild | None) -> Json:
    member = guild.members.get(user.id) if guild else None
    return user_json(user) | ({"member": member_json(member, with_user=False)} if member else {})


def _extras(message: Message, world: World) -> Json:
    extras: Json = {}
    if message.reactions:
        extras["reactions"] = [_reaction_json(message, emoji, world) for emoji in message.reactions]
    if message.reply_to:
        place = message.reply_to.channel
        alive = message.reply_to.id in place.messages
        where = {"guild_id": str(place.guild.id)} if place.guild else {}
        extras["message_reference"] = {"message_id": str(message.reply_to.id), "channel_id": str(place.id), **where}
        extras["referenced_message"] = message_json(message.reply_to, world) if alive else None
    if message.thread:
        extras["thread"] = channel_json(message.thread, world)
    if message.webhook:
        extras |= {"webhook_id": str(world.application.id), "application_id": str(world.application.id)}
    return extras | ({"interaction_metadata": message.interaction} if message.interaction else {})


def _reaction_json(message: Message, emoji: str, world: World) -> Json:
    users = message.reactions[emoji]
    shape = {"burst_colors": [], "me_burst": False, "count_details": {"burst": 0, "normal": len(users)}}
    return {"count": len(users), "me": world.bot.id in users, "emoji": {"id": None, "name": emoji}, **shape}


def event_json(message: Message, world: World) -> Json:
    """A message as its event carries it: with the guild and the author's membership."""
    guild = message.channel.guild
    body = message_json(message, world)
    if guild is None:
        return body
    member = guild.members.get(message.author.id)
    mine = {"member": member_json(member, with_user=False)} if member and not message.webhook else {}
    return body | {"guild_id": str(guild.id)} | mine


def sealed(message: Message, world: World) -> bool:
    """Whether a bot needs the Message Content intent to read it."""
    # PLATFORMS.md: "Message Content intent is not needed for DMs to the bot, messages that @mention it, … or its own"
    return message.channel.guild is not None and world.bot not in (message.author, *message.mentions)


def veiled(body: Json) -> Json:
    """The message without what the Message Content intent opens."""
    hidden = body | VEIL
    original = body.get("referenced_message")
    return hidden | ({"referenced_message": original | VEIL} if original else {})


def powers_json(powers: Permission) -> str:
    """A set of permissions."""
    return str(int(powers & EVERYTHING))
