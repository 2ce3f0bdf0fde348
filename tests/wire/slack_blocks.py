"""What Block Kit refuses, in the platform's own words: the checks behind `invalid_blocks` and `invalid_arguments`."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from typing import Literal

from tests.wire.slack_json import Json
from tests.wire.slack_limits import (
    IDENTIFIER,
    ITEMS,
    MARKDOWN,
    MESSAGE_BLOCKS,
    TEXTS,
    VIEW_BLOCKS,
    VIEW_TEXTS,
)

Surface = Literal["message", "modal", "home"]

EVERYWHERE = frozenset("section divider image actions context input header rich_text video".split())
# PLATFORMS.md: "Card (in a carousel 1-10) works in messages; Alert only in modals; also container, plan, task card, …"
BLOCKS: Mapping[Surface, frozenset[str]] = {
    "message": EVERYWHERE
    | set("markdown context_actions file table task_card plan card carousel container".split())
    | {"data_table", "data_visualization"},
    "modal": EVERYWHERE | {"alert"},
    "home": EVERYWHERE,
}
REQUIRED: Mapping[str, tuple[str, ...]] = {
    "header": ("text",),
    "markdown": ("text",),
    "actions": ("elements",),
    "context": ("elements",),
    "context_actions": ("elements",),
    "input": ("label", "element"),
    "image": ("image_url", "alt_text"),
    "button": ("text",),
    "rich_text": ("elements",),
    "carousel": ("elements",),
}
PLAIN = {("header", "text"), ("button", "text"), ("input", "label"), ("input", "hint"), ("option", "text")}
BLANK = {("section", "text"), ("header", "text"), ("markdown", "text"), ("button", "text"), ("input", "label")}
# The fields whose objects carry no type of their own.
NAMED = {"fields": "fields", "options": "option", "option_groups": "option_group"}
CHILDREN = "fields elements options option_groups accessory element positive_button negative_button".split()


def words(value: object) -> str:
    """The text of a string or of a text object."""
    found = value.get("text") if isinstance(value, Mapping) else value
    return found if isinstance(found, str) else ""


def block_problems(blocks: object, surface: Surface = "message") -> list[str]:
    """Everything wrong with the blocks of a message, a modal or the Home tab; empty when they are accepted."""
    if not isinstance(blocks, list) or not all(isinstance(block, dict) for block in blocks):
        return ["must be an array of blocks [json-pointer:/blocks]"]
    return list(_blocks(blocks, surface))


def _blocks(blocks: list[Json], surface: Surface) -> Iterator[str]:
    most = MESSAGE_BLOCKS if surface == "message" else VIEW_BLOCKS
    if len(blocks) > most:
        yield f"no more than {most} items allowed [json-pointer:/blocks]"
    named = [block["block_id"] for block in blocks if block.get("block_id")]
    if len(named) > len(set(named)):
        yield "`block_id` must be unique [json-pointer:/blocks]"
    if sum(len(words(block.get("text"))) for block in blocks if block.get("type") == "markdown") > MARKDOWN:
        yield f"markdown must be less than {MARKDOWN + 1} characters in total [json-pointer:/blocks]"
    for index, block in enumerate(blocks):
        if block.get("type") not in BLOCKS[surface]:
            yield f"unsupported type: {block.get('type')} [json-pointer:/blocks/{index}/type]"
        else:
            yield from _node(block, str(block["type"]), f"/blocks/{index}")


def _node(node: Json, kind: str, pointer: str) -> Iterator[str]:
    yield from _presence(node, kind, pointer)
    yield from _texts(node, kind, pointer)
    for field, most in ITEMS.get(kind, {}).items():
        items = node.get(field)
        if isinstance(items, list) and not 1 <= len(items) <= most:
            bound = f"no more than {most} items allowed" if items else "must have at least 1 item"
            yield f"{bound} [json-pointer:{pointer}/{field}]"
    for field in ("block_id", "action_id"):
        if len(words(node.get(field))) > IDENTIFIER:
            yield f"must be less than {IDENTIFIER + 1} characters [json-pointer:{pointer}/{field}]"
    acting = [child["action_id"] for child in _listed(node.get("elements")) if child.get("action_id")]
    if len(acting) > len(set(acting)):
        yield f"`action_id` must be unique in its block [json-pointer:{pointer}/elements]"
    for field in CHILDREN:
        yield from _children(node.get(field), field, f"{pointer}/{field}")


def _listed(value: object) -> list[Json]:
    return [item for item in value if isinstance(item, dict)] if isinstance(value, list) else []


def _children(value: object, field: str, pointer: str) -> Iterator[str]:
    if isinstance(value, dict):
        yield from _node(value, _kind(value, field), pointer)
    for index, child in enumerate(_listed(value)):
        yield from _node(child, _kind(child, field), f"{pointer}/{index}")


def _kind(node: Json, field: str) -> str:
    if field in ("positive_button", "negative_button"):
        return "button"
    return NAMED.get(field) or str(node.get("type", ""))


def _presence(node: Json, kind: str, pointer: str) -> Iterator[str]:
    for field in REQUIRED.get(kind, ()):
        if not node.get(field):
            yield f"missing required field: {field} [json-pointer:{pointer}]"
    if kind == "section" and not (node.get("text") or node.get("fields")):
        yield f"missing required field: text or fields [json-pointer:{pointer}]"


def _texts(node: Json, kind: str, pointer: str) -> Iterator[str]:
    for field, most in TEXTS.get(kind, {}).items():
        value, place = node.get(field), f"[json-pointer:{pointer}/{field}]"
        if len(words(value)) > most:
            yield f"must be less than {most + 1} characters {place}"
        if value is not None and (kind, field) in BLANK and not words(value).strip():
            yield f"must be more than 0 characters {place}"
        if isinstance(value, dict):
            yield from _text_object(value, (kind, field) in PLAIN, place)
        elif kind == "section" and field == "text" and isinstance(value, str):
            yield f"must be a text object {place}"


def _text_object(value: Json, plain: bool, place: str) -> Iterator[str]:
    allowed = ("plain_text",) if plain else ("plain_text", "mrkdwn")
    if value.get("type") not in allowed:
        yield f"must be one of: {', '.join(allowed)} {place}"


def view_problems(view: object) -> list[str]:
    """Everything wrong with a modal or a Home view."""
    if not isinstance(view, dict) or view.get("type") not in ("modal", "home"):
        return ["must be a modal or a home view [json-pointer:/view/type]"]
    return list(_view(view))


def _view(view: Json) -> Iterator[str]:
    surface: Surface = view["type"]
    for field, most in VIEW_TEXTS.items():
        if len(words(view.get(field))) > most:
            yield f"must be less than {most + 1} characters [json-pointer:/view/{field}]"
    if surface == "modal" and not words(view.get("title")):
        yield "missing required field: title [json-pointer:/view]"
    if surface == "home" and (view.get("submit") or view.get("close")):
        yield "a home view has no submit and no close [json-pointer:/view]"
    asks = [block for block in _listed(view.get("blocks")) if block.get("type") == "input"]
    if surface == "modal" and asks and not view.get("submit"):
        yield "a modal with an input block needs `submit` [json-pointer:/view/submit]"
    for problem in block_problems(view.get("blocks"), surface):
        yield problem.replace("[json-pointer:/blocks", "[json-pointer:/view/blocks")
