"""The data of a chat command, as Discord's program makes it from what a user typed."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field

from tests.wire.discord_payloads import channel_json, member_json, role_json, user_json
from tests.wire.discord_world import Channel, Json, Role, User, World

SUBCOMMAND, GROUP, STRING, INTEGER, BOOLEAN, USER, CHANNEL, ROLE, MENTIONABLE, NUMBER = range(1, 11)
PLAIN: Mapping[int, type | tuple[type, ...]] = {STRING: str, INTEGER: int, BOOLEAN: bool, NUMBER: (int, float)}


class Mistyped(Exception):
    """The program does not take such options; the words say why."""


@dataclass(slots=True)
class Options:
    """Builds the options of a command, and what they resolve to, in a channel."""

    world: World
    channel: Channel
    _resolved: Json = field(default_factory=dict)

    def command(
        self, command: Json, path: Sequence[str], values: Mapping[str, object], *, focused: str | None = None
    ) -> Json:
        """The data of a command whose subcommand is at `path`; `focused` is the option that is being typed."""
        options = self._nested(command, path, values, focused)
        data = {"id": command["id"], "name": command["name"], "type": 1, "options": options}
        guild = {"guild_id": command["guild_id"]} if "guild_id" in command else {}
        return data | guild | ({"resolved": self._resolved} if self._resolved else {})

    def _nested(
        self, level: Json, path: Sequence[str], values: Mapping[str, object], focused: str | None
    ) -> list[Json]:
        known = {option["name"]: option for option in level.get("options") or []}
        if not path:
            if any(option["type"] in (SUBCOMMAND, GROUP) for option in known.values()):
                raise Mistyped(f"{level['name']} needs one of {sorted(known)}")
            return self._values(known, values, focused)
        if path[0] not in known or known[path[0]]["type"] not in (SUBCOMMAND, GROUP):
            raise Mistyped(f"{level['name']} has no {path[0]}")
        below = known[path[0]]
        return [{"name": path[0], "type": below["type"], "options": self._nested(below, path[1:], values, focused)}]

    def _values(self, known: Mapping[str, Json], values: Mapping[str, object], focused: str | None) -> list[Json]:
        unknown = set(values) - set(known)
        missing = [name for name, option in known.items() if option.get("required") and name not in values]
        if unknown or (missing and focused is None):
            raise Mistyped(f"unknown options {sorted(unknown)}, missing {missing}")
        made = []
        for name, value in values.items():
            if name == focused:
                if not known[name].get("autocomplete"):
                    raise Mistyped(f"{name} is not completed")
                made.append({"name": name, "type": known[name]["type"], "value": value, "focused": True})
            else:
                made.append({"name": name, "type": known[name]["type"], "value": self._value(known[name], value)})
        return made

    def _value(self, option: Json, value: object) -> object:
        if option["type"] not in PLAIN:
            return self._entity(value)
        if not isinstance(value, PLAIN[option["type"]]):
            raise Mistyped(f"{option['name']} takes no {value!r}")
        choices = [choice["value"] for choice in option.get("choices") or []]
        if choices and value not in choices:
            raise Mistyped(f"{option['name']} takes one of {choices}")
        if isinstance(value, str):
            least, most = option.get("min_length") or 0, option.get("max_length") or 6000
            if not least <= len(value) <= most:
                raise Mistyped(f"{option['name']} takes {least} to {most} characters")
        elif not option.get("min_value", value) <= value <= option.get("max_value", value):
            raise Mistyped(f"{option['name']} is out of range")
        return value

    def _entity(self, value: object) -> str:
        if isinstance(value, User):
            self._resolve("users", value.id, user_json(value))
            member = self.channel.guild.members.get(value.id) if self.channel.guild else None
            if member:
                self._resolve("members", value.id, member_json(member, with_user=False) | {"permissions": "0"})
        elif isinstance(value, Channel):
            held = str(int(self.world.permissions(self.world.bot, value)))
            self._resolve("channels", value.id, channel_json(value, self.world) | {"permissions": held})
        elif isinstance(value, Role):
            self._resolve("roles", value.id, role_json(value))
        else:
            raise Mistyped(f"{value!r} is no user, channel or role")
        return str(value.id)

    def _resolve(self, kind: str, identity: int, body: Json) -> None:
        self._resolved.setdefault(kind, {})[str(identity)] = body
