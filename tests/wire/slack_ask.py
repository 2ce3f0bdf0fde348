"""One call as a method sees it: who asks, where, and the arguments, read as forgivingly as the platform reads them."""

from __future__ import annotations

import json
from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any
from urllib.parse import parse_qsl

from aiohttp import web

from tests.wire.slack_json import Json
from tests.wire.slack_platform import Platform
from tests.wire.slack_refusal import Refusal, invalid
from tests.wire.slack_world import Channel, Install, Person, Workspace


@dataclass(frozen=True, slots=True)
class Ask:
    """A call that was let in."""

    platform: Platform
    team: Workspace
    arguments: Mapping[str, Any]

    @property
    def install(self) -> Install:
        """The app in the workspace of the token."""
        return self.team.installed()

    @property
    def bot(self) -> Person:
        """The app's bot user there."""
        return self.install.bot

    def text(self, name: str) -> str:
        """An argument as text, "" when it is absent."""
        value = self.arguments.get(name)
        return "" if value is None else str(value)

    def need(self, name: str) -> str:
        """An argument that must be there: raises `invalid_arguments`."""
        if not self.text(name):
            raise invalid("invalid_arguments", [f"missing required field: {name}"])
        return self.text(name)

    def flag(self, name: str) -> bool:
        """A boolean, however it is written."""
        return self.text(name).lower() in ("1", "true")

    def number(self, name: str, default: int) -> int:
        """A whole number."""
        return int(self.text(name) or default)

    def value(self, name: str, refusal: str) -> Any:
        """An argument with a structure, which forms carry as JSON; None when it is absent."""
        found = self.arguments.get(name)
        if not isinstance(found, str):
            return found
        try:
            return json.loads(found)
        except ValueError:
            raise Refusal(refusal) from None

    def writable(self, name: str = "channel") -> Channel:
        """The channel to write to; a person's id stands for the conversation with that person."""
        id = self.need(name)
        if id.startswith("U") and id in self.team.people:
            return self.platform.world.dm(self.team, id)
        return self.team.writable(id)


async def arguments(request: web.Request) -> tuple[str, Json]:
    """The token and the arguments of a request, wherever they stand: query, form or JSON."""
    found: Json = dict(request.query)
    body = await request.text()
    if request.content_type == "application/json" and body:
        try:
            found |= json.loads(body)
        except ValueError:
            raise Refusal("invalid_json") from None
    else:
        found |= dict(parse_qsl(body, keep_blank_values=True))
    scheme, _, bearer = request.headers.get("Authorization", "").partition(" ")
    token = bearer if scheme == "Bearer" else ""
    return token or str(found.pop("token", "")), found
