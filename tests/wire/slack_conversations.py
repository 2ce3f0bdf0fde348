"""The `conversations.*` and `reactions.*` methods."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from tests.wire.slack_ask import Ask
from tests.wire.slack_json import Json
from tests.wire.slack_refusal import Refusal
from tests.wire.slack_world import Channel, Message


async def info(ask: Ask) -> Json:
    """conversations.info"""
    return {"channel": _shape(ask, ask.team.channel(ask.need("channel")))}


async def members(ask: Ask) -> Json:
    """conversations.members"""
    page, rest = _page(ask, sorted(ask.team.channel(ask.need("channel")).members), 100)
    return {"members": page, **rest}


async def history(ask: Ask) -> Json:
    """conversations.history: what stands in the channel itself, the latest first."""
    channel = _readable(ask)
    shown = [message for message in channel.messages.values() if message.root == message.ts or message.broadcast]
    return _messages(ask, channel, shown[::-1], 100)


async def replies(ask: Ask) -> Json:
    """conversations.replies: a thread, its root first."""
    channel = _readable(ask)
    thread = channel.thread(ask.need("ts"))
    if not thread:
        raise Refusal("thread_not_found")
    return _messages(ask, channel, thread, 1000)


async def open_(ask: Ask) -> Json:
    """conversations.open: the conversation with one person."""
    if ask.text("channel"):
        return {"channel": _shape(ask, ask.team.channel(ask.text("channel")))}
    user = ask.team.person(ask.need("users"))
    if user.bot_id:
        raise Refusal("cannot_dm_bot")
    return {"channel": {"id": ask.platform.world.dm(ask.team, user.id).id}}


async def join(ask: Ask) -> Json:
    """conversations.join"""
    channel = ask.team.channel(ask.need("channel"))
    if channel.kind != "channel":
        raise Refusal("method_not_supported_for_channel_type")
    if channel.archived:
        raise Refusal("is_archived")
    channel.members.add(ask.bot.id)
    return {"channel": _shape(ask, channel)}


async def react(ask: Ask) -> Json:
    """reactions.add"""
    message = ask.writable().message(ask.need("timestamp"))
    users = message.reactions.setdefault(ask.need("name"), [])
    if ask.bot.id in users:
        raise Refusal("already_reacted")
    users.append(ask.bot.id)
    return {}


def _readable(ask: Ask) -> Channel:
    channel = ask.team.channel(ask.need("channel"))
    if ask.bot.id not in channel.members:
        raise Refusal("not_in_channel")
    return channel


def _shape(ask: Ask, channel: Channel) -> Json:
    return {
        "id": channel.id,
        "name": channel.name,
        "is_channel": channel.kind == "channel",
        "is_private": channel.kind != "channel",
        "is_im": channel.kind == "im",
        "is_archived": channel.archived,
        "is_member": ask.bot.id in channel.members,
        "num_members": len(channel.members),
        "context_team_id": channel.team,
    }


def _messages(ask: Ask, channel: Channel, found: Sequence[Message], most: int) -> Json:
    oldest, latest = ask.text("oldest") or "0", ask.text("latest") or "9" * 17
    edge = ask.flag("inclusive")
    within = [one for one in found if oldest < one.ts < latest or (edge and one.ts in (oldest, latest))]
    page, rest = _page(ask, within, most)
    metadata = ask.flag("include_all_metadata")
    shapes = [_told(channel, one) | ({"metadata": one.metadata} if metadata and one.metadata else {}) for one in page]
    return {"messages": shapes, **rest}


def _told(channel: Channel, message: Message) -> Json:
    count = len(channel.thread(message.ts)) - 1
    thread = {"thread_ts": message.ts, "reply_count": count} if count > 0 else {}
    return message.shape() | thread


def _page(ask: Ask, found: Sequence[Any], most: int) -> tuple[list[Any], Json]:
    begin, size = ask.number("cursor", 0), min(ask.number("limit", most), 1000)
    end = begin + size
    cursor = str(end) if end < len(found) else ""
    return list(found[begin:end]), {"has_more": bool(cursor), "response_metadata": {"next_cursor": cursor}}
