"""The content of a message: what may be posted, cut or refused before it becomes one."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from typing import Any

from tests.wire.slack_ask import Ask
from tests.wire.slack_blocks import block_problems, words
from tests.wire.slack_json import Json
from tests.wire.slack_limits import BLOCKS_TEXT, MARKDOWN, POSTED_TEXT
from tests.wire.slack_refusal import Refusal, invalid


@dataclass(frozen=True, slots=True)
class Content:
    """Checked content; a field that was not given is None."""

    text: str | None
    markdown: str | None
    blocks: list[Json] | None
    attachments: list[Json] | None
    metadata: Json | None

    def given(self) -> Json:
        """The fields that were given, by the names they have in a message."""
        fields = ("text", "markdown", "blocks", "attachments", "metadata")
        return {name: value for name in fields if (value := getattr(self, name)) is not None}


def content(ask: Ask) -> Content:
    """The content in the arguments of a call; raises what the platform would answer."""
    text, markdown = ask.arguments.get("text"), ask.arguments.get("markdown_text")
    if markdown and (text or ask.arguments.get("blocks")):
        raise Refusal("markdown_text_conflict")
    # PLATFORMS.md: "Streaming: … `markdown_text` ≤12,000 per call"
    if markdown and len(markdown) > MARKDOWN:
        raise Refusal("msg_too_long")
    found = Content(
        text=None if text is None else str(text)[:POSTED_TEXT],
        markdown=markdown,
        blocks=checked_blocks(ask.value("blocks", "invalid_blocks_format")),
        attachments=ask.value("attachments", "invalid_attachments"),
        metadata=_metadata(ask.value("metadata", "invalid_metadata_format")),
    )
    if not ((found.text or "").strip() or found.markdown or found.blocks or found.attachments):
        raise Refusal("no_text")
    return found


def checked_blocks(blocks: Any) -> list[Json] | None:
    """The blocks of a message when they are accepted: raises `invalid_blocks` or `msg_blocks_too_long`."""
    if blocks is None:
        return None
    if problems := block_problems(blocks):
        raise invalid("invalid_blocks", problems)
    if sum(map(len, _texts(blocks))) > BLOCKS_TEXT:
        raise Refusal("msg_blocks_too_long")
    return [block | {"block_id": block.get("block_id") or f"b{index}"} for index, block in enumerate(blocks)]


def _texts(node: object) -> Iterator[str]:
    if isinstance(node, list):
        for item in node:
            yield from _texts(item)
    elif isinstance(node, dict):
        yield words(node)
        for value in node.values():
            yield from _texts(value)


def _metadata(metadata: Any) -> Json | None:
    if metadata is None:
        return None
    if not isinstance(metadata, dict) or not metadata.get("event_type"):
        raise Refusal("invalid_metadata_format")
    if not isinstance(metadata.get("event_payload"), dict):
        raise Refusal("invalid_metadata_schema")
    return metadata
