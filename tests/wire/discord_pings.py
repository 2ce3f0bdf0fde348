"""Whom a message of a local Discord would notify, by what it says and what it allows."""

from __future__ import annotations

import re
from dataclasses import dataclass

from tests.wire.discord_components import text_of
from tests.wire.discord_permissions import Permission
from tests.wire.discord_world import Json, Message, Role, User, World

CODE = re.compile(r"```.*?```|`[^`\n]+`", re.DOTALL)
USERS, ROLES, EVERYONE = re.compile(r"<@!?(\d+)>"), re.compile(r"<@&(\d+)>"), re.compile(r"@(everyone|here)\b")


@dataclass(frozen=True, slots=True)
class Ping:
    """A notification: `target` is "everyone", "here", "role:NAME" or "user:NAME".

    A mention that an edit brings in is marked in the reader's window but rings for nobody: it is not `loud`
    (discord-api-docs#4034, #5497: neither does the edit that fills in a deferred answer).
    """

    message: int
    channel: int
    target: str
    loud: bool = True


def read_mentions(world: World, message: Message, allowed: Json | None) -> list[str]:
    """Set the mentions of a message by its text, and return the targets that it would notify.

    `allowed` is the allowed_mentions of the request, None when it had none; Discord does not keep them.
    """
    text = CODE.sub("", "\n".join([message.content, *text_of(message.components)]))
    rule = _rule(allowed, webhook=message.webhook)
    powers = world.permissions(message.author, message.channel)
    message.mentions = _users(world, message, text, rule)
    message.mention_roles = _roles(message, text, rule, powers)
    named = EVERYONE.findall(text) if "everyone" in rule["parse"] and Permission.MENTION_EVERYONE in powers else []
    message.mention_everyone = bool(named and message.channel.guild)
    broad = sorted(set(named)) if message.mention_everyone else []
    roles = [f"role:{role.name}" for role in message.mention_roles]
    return [*broad, *roles, *(f"user:{user.name}" for user in _reached(world, message))]


def _rule(allowed: Json | None, *, webhook: bool) -> Json:
    # PLATFORMS.md: "allowed_mentions defaults: ordinary messages parse everything; interactions … users only"
    if allowed is None:
        return {"parse": ["users"] if webhook else ["users", "roles", "everyone"], "replied_user": True}
    return {"parse": [], "replied_user": False} | {name: value for name, value in allowed.items() if value is not None}


def _allows(rule: Json, kind: str, identity: int) -> bool:
    return kind in rule["parse"] or str(identity) in map(str, rule.get(kind) or [])


def _users(world: World, message: Message, text: str, rule: Json) -> list[User]:
    named = [world.users[int(each)] for each in USERS.findall(text) if int(each) in world.users]
    users = [user for user in named if _allows(rule, "users", user.id)]
    # PLATFORMS.md: "Message Content intent is not needed for … replies (with ping) to its ordinary messages"
    if rule["replied_user"] and message.reply_to and not message.reply_to.webhook:
        users.append(message.reply_to.author)
    return list(dict.fromkeys(users))


def _roles(message: Message, text: str, rule: Json, powers: Permission) -> list[Role]:
    roles = message.channel.guild.roles if message.channel.guild else {}
    named = [roles[int(each)] for each in dict.fromkeys(ROLES.findall(text)) if int(each) in roles]
    open_to_all = Permission.MENTION_EVERYONE in powers
    return [role for role in named if _allows(rule, "roles", role.id) and (role.mentionable or open_to_all)]


def _reached(world: World, message: Message) -> list[User]:
    """The mentioned who can see the message, its author excepted."""
    others = [user for user in message.mentions if user is not message.author]
    if message.reader:
        return [user for user in others if user is message.reader]
    return [user for user in others if Permission.VIEW_CHANNEL in world.permissions(user, message.channel)]
