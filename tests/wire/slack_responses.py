"""What an app answers outside the Web API: in the acknowledgement of a command, and to a `response_url`."""

from __future__ import annotations

from uuid import uuid4

from aiohttp import web

from tests.wire.slack_content import checked_blocks
from tests.wire.slack_json import Json
from tests.wire.slack_limits import RESPONSE_SECONDS, RESPONSE_USES
from tests.wire.slack_platform import Platform
from tests.wire.slack_record import Call
from tests.wire.slack_refusal import Refusal
from tests.wire.slack_world import Channel, Message, ResponseUrl


def issue(platform: Platform, channel: Channel, user: str, original: Message | None = None) -> tuple[str, ResponseUrl]:
    """A new response URL, and what it stands for."""
    permission = ResponseUrl(channel.id, channel.team, user, platform.clock.now())
    if original is not None:
        permission.original, permission.thread_ts = original.ts, original.thread_ts
    key = uuid4().hex
    platform.world.response_urls[key] = permission
    return f"{platform.url}/response/{key}", permission


async def serve(platform: Platform, request: web.Request, call: Call) -> web.Response:
    """Take one post to a response URL."""
    permission = platform.world.response_urls.get(request.match_info["key"])
    try:
        respond(platform, _admitted(platform, permission), call.arguments)
    except Refusal as refusal:
        call.answer, call.status = refusal.body(), refusal.status
        return web.json_response(call.answer, status=call.status)
    call.answer, call.status = {"ok": True}, 200
    return web.Response(text="ok")


def _admitted(platform: Platform, permission: ResponseUrl | None) -> ResponseUrl:
    # PLATFORMS.md: "`response_url`: 5 uses in 30 min". Not in PLATFORMS.md: how the platform words the refusals.
    if permission is None:
        raise Refusal("invalid_url", status=404)
    if platform.clock.now() - permission.issued > RESPONSE_SECONDS:
        raise Refusal("expired_url", status=404)
    if permission.uses >= RESPONSE_USES:
        raise Refusal("used_url", status=404)
    permission.uses += 1
    return permission


def respond(platform: Platform, place: ResponseUrl, body: Json) -> None:
    """Show an answer: to the one person unless `response_type` says otherwise, or in the original's place."""
    channel = platform.world.workspaces[place.team].channels[place.channel]
    blocks = checked_blocks(body.get("blocks"))
    original = channel.messages.get(place.original or "") or channel.whispers.get(place.original or "")
    if original is not None and body.get("delete_original"):
        platform.delete(original)
    elif original is not None and body.get("replace_original"):
        new = {"text": str(body.get("text", "")), "blocks": blocks or [], "markdown": ""}
        platform.edit(original, **new, edited=platform.clock.stamp())
    elif body.get("text") or blocks:
        _show(platform, place, body, blocks or [])
    elif not body.get("delete_original"):
        raise Refusal("no_text", status=500)


def _show(platform: Platform, place: ResponseUrl, body: Json, blocks: list[Json]) -> None:
    bot = platform.world.workspaces[place.team].installed().bot
    message = Message(place.channel, platform.clock.stamp(), bot.id, str(body.get("text", "")), blocks=blocks)
    message.bot_id, message.metadata = bot.bot_id, body.get("metadata")
    message.thread_ts = body.get("thread_ts") or place.thread_ts
    if body.get("response_type") == "in_channel":
        platform.post(message)
    else:
        message.only_for = place.user
        platform.whisper(message)
