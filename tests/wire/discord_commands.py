"""The application commands that a bot has registered with a local Discord."""

from __future__ import annotations

from collections import Counter
from collections.abc import Sequence

from tests.wire.discord_limits import check_commands
from tests.wire.discord_refusals import TOO_MANY_CREATES, UNKNOWN_COMMAND, Refused
from tests.wire.discord_world import Json, World


class Commands:
    """Commands by scope: a guild's id, or None for the global ones. `creates` counts the day's creations."""

    def __init__(self, world: World) -> None:
        self.creates_most = 200
        self.creates: Counter[int | None] = Counter()
        self._world = world
        self._scopes: dict[int | None, dict[tuple[int, str], Json]] = {}

    def of(self, scope: int | None) -> list[Json]:
        """The commands of a scope."""
        return list(self._scopes.get(scope, {}).values())

    def replace(self, scope: int | None, commands: Sequence[Json]) -> list[Json]:
        """Bulk upsert: what is not named is gone, what has a known name keeps its id."""
        check_commands(commands)
        old = self._scopes.get(scope, {})
        new = {_key(command): command for command in commands}
        # PLATFORMS.md: "Commands: … 200 creates/day/guild": a known name is an update
        created = sum(1 for key in new if key not in old)
        if self.creates[scope] + created > self.creates_most:
            raise Refused(TOO_MANY_CREATES)
        self.creates[scope] += created
        self._scopes[scope] = {key: self._kept(scope, command, old.get(key)) for key, command in new.items()}
        return self.of(scope)

    def upsert(self, scope: int | None, command: Json) -> Json:
        """Add or change one command."""
        others = [each for each in self.of(scope) if _key(each) != _key(command)]
        self.replace(scope, [*others, command])
        return self._scopes[scope][_key(command)]

    def get(self, scope: int | None, command_id: int) -> Json:
        """A command by its id."""
        for command in self.of(scope):
            if command["id"] == str(command_id):
                return command
        raise Refused(UNKNOWN_COMMAND)

    def remove(self, scope: int | None, command_id: int) -> None:
        """Take a command away."""
        del self._scopes[scope][_key(self.get(scope, command_id))]

    def find(self, guild: int | None, name: str, kind: int) -> Json | None:
        """The command that a user finds under a name in a guild (None: in direct messages); the guild's own first."""
        here = self._scopes.get(guild, {}).get((kind, name)) if guild else None
        found = here or self._scopes.get(None, {}).get((kind, name))
        return found if found and _offered(found, in_guild=guild is not None) else None

    def _kept(self, scope: int | None, command: Json, old: Json | None) -> Json:
        body: Json = {"type": 1, "description": "", "contexts": None, "integration_types": [0]} | command
        body |= {"default_member_permissions": command.get("default_member_permissions")}
        identity = old["id"] if old else str(self._world.snowflake())
        mine = {"id": identity, "application_id": str(self._world.application.id), "version": identity}
        return body | mine | ({"guild_id": str(scope)} if scope else {})


def _offered(command: Json, *, in_guild: bool) -> bool:
    # PLATFORMS.md: "Commands: … contexts + integration_types replace dm_permission", which still counts without them
    contexts = command.get("contexts")
    if contexts is None:
        return in_guild or command.get("dm_permission") is not False
    return (0 if in_guild else 1) in contexts


def _key(command: Json) -> tuple[int, str]:
    return int(command.get("type", 1)), str(command["name"])
