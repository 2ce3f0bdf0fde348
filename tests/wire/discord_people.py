"""What people do in a local Discord: write, ask by command, press, choose, fill in forms, and read."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace

from tests.wire.discord_clock import Bell
from tests.wire.discord_commands import Commands
from tests.wire.discord_components import (
    BUTTON,
    CHECKBOX,
    CHECKBOXES,
    LABEL,
    LINK,
    RADIOS,
    ROW,
    SELECT,
    TEXT_INPUT,
    inside,
    text_of,
    usable,
    walk,
)
from tests.wire.discord_interactions import COMMANDED, COMPLETING, PRESSED, SUBMITTED, Exchange, Interactions
from tests.wire.discord_options import Options
from tests.wire.discord_payloads import member_json, message_json, user_json
from tests.wire.discord_permissions import Permission
from tests.wire.discord_posting import Posting
from tests.wire.discord_refusals import MISSING_ACCESS, Refused
from tests.wire.discord_world import LOADING, STARTER, Channel, Json, Message, User, World


class Impossible(Exception):
    """Discord's own program would not let the user do that; the words say why."""


@dataclass(frozen=True, slots=True)
class Seen:
    """A message as somebody sees it; the first one of a thread is the message that it was started from.

    `text` holds content, embeds and text components; `pending`: "is thinking…"; `private` is shown to its reader only.
    `buttons` are labels in their order, a disabled one in parentheses.
    """

    id: int
    author: str
    text: str
    buttons: tuple[str, ...]
    private: bool
    pending: bool
    edited: bool
    reply_to: int | None


@dataclass(frozen=True, slots=True)
class People:
    """Acts as people do. What they are not permitted raises Refused, what the program does not offer Impossible."""

    world: World
    posting: Posting
    interactions: Interactions
    commands: Commands
    bell: Bell

    def message(self, user: User, channel: Channel, text: str, *, reply_to: Message | None = None) -> Message:
        """Write a message; a reply pings the author of what it answers."""
        reference = {"message_reference": {"message_id": str(reply_to.id)}} if reply_to else {}
        return self.posting.post(user, channel, {"content": text} | reference)

    def mention(self, user: User, channel: Channel, text: str) -> Message:
        """Write a message that begins with a mention of the bot."""
        return self.message(user, channel, f"<@{self.world.bot.id}> {text}")

    def dm(self, user: User, text: str) -> Message:
        """Write to the bot directly."""
        return self.message(user, self.world.dm(user), text)

    def edit(self, message: Message, text: str) -> None:
        """Change one's message."""
        self.posting.edit(message, {"content": text})

    def delete(self, message: Message) -> None:
        """Delete one's message."""
        self.posting.delete(message)

    def react(self, user: User, message: Message, emoji: str) -> None:
        """React to a message."""
        self.posting.react(user, message, emoji)

    def slash(self, user: User, channel: Channel, path: str, /, **values: object) -> Exchange:
        """Use a chat command by its path ("coach ask") and option values; entities are given as User, Role, Channel."""
        name, *rest = path.split(" ")
        command = self._command(user, channel, name, 1)
        data = Options(self.world, channel).command(command, rest, values)
        return self.interactions.begin(COMMANDED, user, channel, data)

    async def autocomplete(self, user: User, channel: Channel, path: str, /, **values: object) -> list[Json]:
        """The choices for the last of the values while it is being typed."""
        name, *rest = path.split(" ")
        command = self._command(user, channel, name, 1)
        data = Options(self.world, channel).command(command, rest, values, focused=list(values)[-1])
        exchange = self.interactions.begin(COMPLETING, user, channel, data)
        await self.bell.until(lambda: exchange.answer or exchange.refused)
        if exchange.choices is None:
            raise Impossible(f"the choices were refused: {exchange.refused}")
        return exchange.choices

    def context_menu(self, user: User, target: Message, name: str) -> Exchange:
        """Use a message command on a message, whose text the bot then gets without any intent."""
        command = self._command(user, target.channel, name, 3)
        data = {"id": command["id"], "name": name, "type": 3, "target_id": str(target.id)}
        data["resolved"] = {"messages": {str(target.id): message_json(target, self.world)}}
        return self.interactions.begin(COMMANDED, user, target.channel, data)

    def press(self, user: User, message: Message, button: str) -> Exchange:
        """Press a button, by its label or custom id."""
        found = self._component(user, message, button)
        if found["type"] != BUTTON or found.get("style") == LINK:
            raise Impossible(f"{button} is no button that tells the bot")
        data = {"custom_id": found["custom_id"], "component_type": BUTTON, "id": found.get("id", 1)}
        return self.interactions.begin(PRESSED, user, message.channel, data, message)

    def select(self, user: User, message: Message, values: Sequence[str], custom_id: str | None = None) -> Exchange:
        """Choose values in a select (the only one, or by custom id or placeholder); users by their id."""
        selects = [each for each in usable(message.components) if each["type"] != BUTTON]
        found = self._component(user, message, custom_id or str(selects[0]["custom_id"] if selects else ""))
        least, most = found.get("min_values", 1), found.get("max_values", 1)
        offered = [option["value"] for option in found.get("options", [])]
        if not least <= len(values) <= most or (found["type"] == SELECT and not set(values) <= set(offered)):
            raise Impossible(f"the select takes {least} to {most} of {offered}")
        data: Json = {"custom_id": found["custom_id"], "component_type": found["type"], "values": list(values)}
        data |= {"id": found.get("id", 1)} | ({} if found["type"] == SELECT else {"resolved": self._resolved(values)})
        return self.interactions.begin(PRESSED, user, message.channel, data, message)

    def submit_modal(self, opened_by: Exchange, values: Mapping[str, str | bool | Sequence[str]]) -> Exchange:
        """Fill in the modal that an interaction opened, by custom ids, and send it."""
        if opened_by.modal is None:
            raise Impossible("the interaction opened no modal")
        fields = [_filled(component, values) for component in opened_by.modal["components"]]
        data = {"custom_id": opened_by.modal["custom_id"], "components": fields}
        return self.interactions.begin(SUBMITTED, opened_by.user, opened_by.channel, data, opened_by.message)

    def transcript(self, channel: Channel, viewer: User | None = None) -> tuple[Seen, ...]:
        """The channel as a member sees it, oldest first; as a certain one, with what only they are shown."""
        shown = [each for each in channel.messages.values() if each.reader in (None, viewer)]
        return tuple(_seen(each) for each in shown)

    def _command(self, user: User, channel: Channel, name: str, kind: int) -> Json:
        self._may_act(user, channel)
        command = self.commands.find(channel.guild.id if channel.guild else None, name, kind)
        if command is None:
            raise Impossible(f"there is no command {name} here")
        needed = command.get("default_member_permissions")
        held = self.world.permissions(user, channel)
        if channel.guild and needed is not None and (Permission(int(needed)) not in held or needed == "0"):
            raise Impossible(f"{user.name} is not shown the command {name}")
        return command

    def _component(self, user: User, message: Message, name: str) -> Json:
        self._may_act(user, message.channel)
        if message.id not in message.channel.messages or message.reader not in (None, user):
            raise Impossible("the message is not there")
        for each in usable(message.components):
            if name in (each.get("label"), each.get("custom_id"), each.get("placeholder")):
                if each.get("disabled"):
                    raise Impossible(f"{name} is disabled")
                return each
        raise Impossible(f"the message has no component {name}")

    def _may_act(self, user: User, channel: Channel) -> None:
        held = self.world.permissions(user, channel)
        if Permission.VIEW_CHANNEL not in held or channel.id not in self.world.channels:
            raise Refused(MISSING_ACCESS)
        # PLATFORMS.md: "Threads: … in archived threads nobody can react or use commands"
        if channel.thread and channel.thread.archived:
            raise Impossible("the thread is archived")
        if channel.guild and self.world.bot.id not in channel.guild.members:
            raise Impossible("the bot is not here")
        if Permission.USE_APPLICATION_COMMANDS not in held:
            raise Impossible(f"{user.name} may not use commands here")

    def _resolved(self, values: Sequence[str]) -> Json:
        users = [self.world.users[int(each)] for each in values if int(each) in self.world.users]
        return {"users": {str(user.id): user_json(user) for user in users}, "members": self._members(users)}

    def _members(self, users: Sequence[User]) -> Json:
        known = [(user.id, guild.members.get(user.id)) for user in users for guild in self.world.home()]
        found = {str(each): member_json(member, with_user=False) for each, member in known if member}
        return {each: member | {"permissions": "0"} for each, member in found.items()}


def _filled(component: Json, values: Mapping[str, str | bool | Sequence[str]]) -> Json:
    """A component of a modal with what was filled in."""
    if component["type"] == LABEL:
        return {"type": LABEL, "id": component.get("id", 1), "component": _field(component["component"], values)}
    if component["type"] == ROW:
        return {"type": ROW, "components": [_field(each, values) for each in inside(component)]}
    return {"type": component["type"], "id": component.get("id", 1)}


def _field(each: Json, values: Mapping[str, str | bool | Sequence[str]]) -> Json:
    value = values.get(each["custom_id"])
    if each.get("required", True) and not value and each["type"] != CHECKBOX:
        raise Impossible(f"{each['custom_id']} has to be filled in")
    if each["type"] == TEXT_INPUT and value:
        least, most = each.get("min_length") or 0, each.get("max_length") or 4000
        if not least <= len(str(value)) <= most:
            raise Impossible(f"{each['custom_id']} takes {least} to {most} characters")
    body: Json = {"type": each["type"], "custom_id": each["custom_id"], "id": each.get("id", 1)}
    if each["type"] in (TEXT_INPUT, RADIOS, CHECKBOX):
        empty = {TEXT_INPUT: "", RADIOS: None, CHECKBOX: False}[each["type"]]
        return body | {"value": value if value is not None else empty}
    chosen = list(value) if value and not isinstance(value, str | bool) else []
    offered = {option["value"] for option in each.get("options") or []}
    if each["type"] in (SELECT, CHECKBOXES) and not set(chosen) <= offered:
        raise Impossible(f"{each['custom_id']} offers {sorted(offered)}")
    return body | {"values": chosen}


def _seen(message: Message) -> Seen:
    original = message.reply_to
    if message.kind == STARTER and original:
        return replace(_seen(original), id=message.id)
    embeds = [str(embed.get(name) or "") for embed in message.embeds for name in ("title", "description")]
    fields = [f"{field['name']}: {field['value']}" for embed in message.embeds for field in embed.get("fields") or []]
    texts = [message.content, *embeds, *fields, *text_of(message.components)]
    buttons = [each for each in walk(message.components) if each["type"] == BUTTON]
    labels = [str(each.get("label") or (each.get("emoji") or {}).get("name")) for each in buttons]
    return Seen(
        message.id,
        message.author.name,
        "\n".join(text for text in texts if text),
        tuple(f"({label})" if each.get("disabled") else label for label, each in zip(labels, buttons, strict=True)),
        message.reader is not None,
        bool(message.flags & LOADING),
        message.edited is not None,
        message.reply_to.id if message.reply_to else None,
    )
