"""The `chat.*Stream` methods: a message that grows in front of its reader.

PLATFORMS.md gives the limits. Not in PLATFORMS.md, nor documented, but measured by others on the platform: a stream is
locked to text or to chunks by its first content, its thread must be named, and an open stream cannot be deleted.
"""

from __future__ import annotations

from collections.abc import Iterable

from tests.wire.slack_ask import Ask
from tests.wire.slack_blocks import words
from tests.wire.slack_content import checked_blocks
from tests.wire.slack_json import Json
from tests.wire.slack_limits import STREAM_TEXT, TEXTS
from tests.wire.slack_refusal import Refusal, invalid
from tests.wire.slack_world import Channel, Message, Mode, Stream

CHUNKS = ("markdown_text", "task_update", "plan_update", "blocks")


async def start(ask: Ask) -> Json:
    """chat.startStream"""
    channel = ask.writable()
    if not ask.text("thread_ts") or ask.text("thread_ts") not in channel.messages:
        raise Refusal("invalid_thread_ts")
    _recipient(ask, channel)
    message = Message(channel.id, ask.platform.clock.stamp(), ask.bot.id, bot_id=ask.bot.bot_id)
    message.thread_ts = channel.message(ask.text("thread_ts")).root
    message.stream = Stream(ask.platform.clock.now())
    for name, value in _grown(message, _chunks(ask)).items():
        setattr(message, name, value)
    message.stream.mode = _mode(ask, message.stream)
    ask.platform.post(message)
    return {"channel": channel.id, "ts": message.ts}


async def append(ask: Ask) -> Json:
    """chat.appendStream"""
    message, stream = _open(ask)
    chunks = _chunks(ask)
    if not chunks:
        raise invalid("invalid_arguments", ["missing required field: markdown_text"])
    stream.mode = _mode(ask, stream)
    ask.platform.grow(message, **_grown(message, chunks))
    return {"channel": message.channel, "ts": message.ts}


async def stop(ask: Ask) -> Json:
    """chat.stopStream"""
    message, stream = _open(ask)
    grown, blocks = _grown(message, _chunks(ask)), checked_blocks(ask.value("blocks", "invalid_blocks_format")) or []
    stream.mode = _mode(ask, stream)
    stream.stopped_by = "app"
    metadata = ask.value("metadata", "invalid_metadata_format") or message.metadata
    ask.platform.edit(message, **grown | {"blocks": grown["blocks"] + blocks, "metadata": metadata})
    return {"channel": message.channel, "ts": message.ts, "message": message.shape()}


def _recipient(ask: Ask, channel: Channel) -> None:
    # PLATFORMS.md: "in channels `recipient_user_id` and `recipient_team_id` are required"
    if channel.kind == "im":
        return
    for name in ("recipient_user_id", "recipient_team_id"):
        if not ask.text(name):
            raise Refusal(f"missing_{name}")
    if ask.text("recipient_user_id") not in ask.team.people or ask.text("recipient_team_id") != ask.team.id:
        raise Refusal("user_not_found")


def _open(ask: Ask) -> tuple[Message, Stream]:
    channel = ask.writable()
    message = channel.message(ask.need("ts"))
    if message.user != ask.bot.id:
        raise Refusal("message_not_owned_by_app")
    # PLATFORMS.md: "the reader may press Stop (`stopped_by_user`)"
    if message.stream and message.stream.stopped_by == "reader":
        raise Refusal("stopped_by_user")
    # PLATFORMS.md: "A stream lives about 300 s: then `message_not_in_streaming_state`"
    if message.stream is None or not message.stream.open(ask.platform.clock.now()):
        raise Refusal("message_not_in_streaming_state")
    return message, message.stream


def _chunks(ask: Ask) -> list[Json]:
    text, chunks = ask.text("markdown_text"), ask.value("chunks", "invalid_chunks")
    if text and chunks:
        raise Refusal("cannot_provide_both_markdown_text_and_chunks")
    found = [{"type": "markdown_text", "text": text}] if text else list(chunks or [])
    for chunk in found:
        _check(chunk)
    return found


def _check(chunk: Json) -> None:
    kind = chunk.get("type")
    if kind not in CHUNKS:
        raise Refusal("invalid_chunks")
    if kind == "markdown_text" and len(words(chunk)) > STREAM_TEXT:
        raise Refusal("msg_too_long")
    if kind == "blocks":
        checked_blocks(chunk.get("blocks"))
    if len(words(chunk.get("title"))) > TEXTS.get(str(kind), {}).get("title", 256):
        raise Refusal("invalid_chunks")


def _grown(message: Message, chunks: Iterable[Json]) -> Json:
    markdown, blocks, tasks = message.markdown, message.blocks, message.tasks
    for chunk in chunks:
        if chunk["type"] == "markdown_text":
            markdown += words(chunk)
        elif chunk["type"] == "blocks":
            blocks = blocks + chunk["blocks"]
        else:
            key = str(chunk.get("id", "plan"))
            tasks = tasks | {key: tasks.get(key, {}) | chunk}
    return {"markdown": markdown, "blocks": blocks, "tasks": tasks}


def _mode(ask: Ask, stream: Stream) -> Mode:
    mode: Mode = "text" if ask.text("markdown_text") else "chunks" if ask.arguments.get("chunks") else ""
    if mode and stream.mode and mode != stream.mode:
        raise Refusal("streaming_mode_mismatch")
    return stream.mode or mode
