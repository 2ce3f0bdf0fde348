"""The form of the routes of a local Discord's REST API: handlers by "METHOD /path"."""

from __future__ import annotations

from collections.abc import Callable

from tests.wire.discord_record import Call
from tests.wire.discord_world import Json

Result = Json | list[Json] | None
Handler = Callable[[Call], Result]
