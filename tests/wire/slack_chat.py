"""The `chat.*` methods for whole messages."""

from __future__ import annotations

from tests.wire.slack_ask import Ask
from tests.wire.slack_content import content
from tests.wire.slack_json import Json
from tests.wire.slack_limits import UPDATED_TEXT
from tests.wire.slack_refusal import Refusal
from tests.wire.slack_world import Message


async def post_message(ask: Ask) -> Json:
    """chat.postMessage"""
    channel = ask.writable()
    thread = _thread(ask, set(channel.messages))
    given = content(ask)
    ask.platform.rates.post(channel.id)
    message = Message(channel.id, ask.platform.clock.stamp(), ask.bot.id, thread_ts=thread, bot_id=ask.bot.bot_id)
    message.broadcast = ask.flag("reply_broadcast")
    for name, value in given.given().items():
        setattr(message, name, value)
    ask.platform.post(message, parse_names=ask.flag("link_names") or ask.text("parse") == "full")
    return {"channel": channel.id, "ts": message.ts, "message": message.shape()}


async def post_ephemeral(ask: Ask) -> Json:
    """chat.postEphemeral"""
    channel = ask.writable()
    user = ask.need("user")
    if user not in channel.members:
        raise Refusal("user_not_in_channel")
    given = content(ask)
    message = Message(channel.id, ask.platform.clock.stamp(), ask.bot.id, bot_id=ask.bot.bot_id, only_for=user)
    message.thread_ts = ask.text("thread_ts") or None
    for name, value in given.given().items():
        setattr(message, name, value)
    ask.platform.whisper(message)
    return {"message_ts": message.ts}


async def update(ask: Ask) -> Json:
    """chat.update: what is not given stays, blocks included; markdown and text replace each other."""
    channel = ask.writable()
    message = channel.message(ask.need("ts"))
    if message.user != ask.bot.id:
        raise Refusal("cant_update_message")
    # PLATFORMS.md: "`chat.update` on an open stream is `streaming_state_conflict`"
    if message.stream and message.stream.open(ask.platform.clock.now()):
        raise Refusal("streaming_state_conflict")
    if len(ask.text("text")) > UPDATED_TEXT:
        raise Refusal("msg_too_long")
    given = content(ask).given()
    cleared = {"markdown": ""} if "markdown" not in given else {"text": "", "blocks": []}
    ask.platform.edit(message, **(cleared | given), edited=ask.platform.clock.stamp())
    return {"channel": channel.id, "ts": message.ts, "text": message.text, "message": message.shape()}


async def delete(ask: Ask) -> Json:
    """chat.delete"""
    channel = ask.writable()
    message = channel.message(ask.need("ts"))
    streaming = message.stream is not None and message.stream.open(ask.platform.clock.now())
    if message.user != ask.bot.id or streaming:
        raise Refusal("cant_delete_message")
    ask.platform.delete(message)
    return {"channel": channel.id, "ts": message.ts}


async def permalink(ask: Ask) -> Json:
    """chat.getPermalink"""
    channel = ask.team.channel(ask.need("channel"))
    message = channel.message(ask.need("message_ts"))
    thread = f"?thread_ts={message.thread_ts}&cid={channel.id}" if message.thread_ts else ""
    path = f"archives/{channel.id}/p{message.ts.replace('.', '')}{thread}"
    return {"channel": channel.id, "permalink": f"{ask.platform.url}/{path}"}


def _thread(ask: Ask, known: set[str]) -> str | None:
    # Not in PLATFORMS.md, and not documented by the platform: what a reply to a deleted thread is answered with.
    thread = ask.text("thread_ts")
    if thread and thread not in known:
        raise Refusal("thread_not_found")
    return thread or None
