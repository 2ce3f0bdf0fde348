"""The installation by OAuth: the page where somebody presses Allow, and the exchange of the code for a token."""

from __future__ import annotations

from base64 import b64decode
from binascii import Error as NotBase64
from collections.abc import Mapping
from typing import Any
from urllib.parse import urlencode

from aiohttp import web

from tests.wire.slack_json import Json
from tests.wire.slack_refusal import Refusal
from tests.wire.slack_world import Workspace, World


def allow(world: World, team: Workspace) -> str:
    """Somebody in the workspace presses Allow; returns the code that the app exchanges, once."""
    code = world.id("code.")
    world.codes[code] = team.id
    return code


def authorize(world: World, request: web.Request) -> web.Response:
    """The authorization page: the workspace named by `team`, or the first one without the app, allows at once."""
    if request.query.get("client_id") != world.app.client_id:
        return web.Response(status=400, text="invalid_client_id")
    wanted = request.query.get("team")
    team = next(team for team in world.workspaces.values() if team.id == wanted or (not wanted and not team.install))
    query = urlencode({"code": allow(world, team), "state": request.query.get("state", "")})
    return web.Response(status=302, headers={"Location": f"{request.query['redirect_uri']}?{query}"})


def exchange(world: World, authorization: str, arguments: Mapping[str, Any]) -> Json:
    """oauth.v2.access"""
    if _client(authorization, arguments) != (world.app.client_id, world.app.client_secret):
        raise Refusal("bad_client_secret")
    team = world.workspaces.get(world.codes.pop(str(arguments.get("code", "")), ""))
    if team is None:
        raise Refusal("invalid_code")
    install = world.install(team)
    return {
        "app_id": world.app.id,
        "authed_user": {"id": next(iter(team.people))},
        "scope": ",".join(sorted(install.scopes)),
        "token_type": "bot",
        "access_token": install.token,
        "bot_user_id": install.bot.id,
        "team": {"id": team.id, "name": team.name},
        "enterprise": None,
        "is_enterprise_install": False,
    }


def _client(authorization: str, arguments: Mapping[str, Any]) -> tuple[str, str]:
    scheme, _, encoded = authorization.partition(" ")
    if scheme != "Basic":
        return str(arguments.get("client_id", "")), str(arguments.get("client_secret", ""))
    try:
        id, _, secret = b64decode(encoded).decode().partition(":")
    except (NotBase64, UnicodeDecodeError):
        return "", ""
    return id, secret
