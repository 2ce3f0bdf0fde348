"""A message as its reader sees it: the words, the links and the buttons, and whom it would notify."""

from __future__ import annotations

import re
from collections.abc import Iterator
from dataclasses import dataclass

from tests.wire.slack_blocks import words
from tests.wire.slack_json import Json
from tests.wire.slack_world import Message

ANGLED = re.compile(r"<(?P<target>[^<>|\s]+)(?:\|(?P<label>[^<>]*))?>")
MARKDOWN_LINK = re.compile(r"\[(?P<label>(?:[^\[\]]|\[[^\[\]]*\])*)\]\((?:<(?P<angled>[^<>]*)>|(?P<bare>[^()\s]+))\)")
# PLATFORMS.md: "`<@U…>` and `<!here>` still fire inside a markdown block"
MENTION = re.compile(r"<(@[UW][A-Z0-9]+|!(?:here|channel|everyone)|!subteam\^S[A-Z0-9]+)(?:\|[^<>]*)?>")
NAMED = re.compile(r"(?<![\w@])@(here|channel|everyone)\b")


@dataclass(frozen=True, slots=True)
class Link:
    """A link that works when it is clicked."""

    label: str
    url: str


@dataclass(frozen=True, slots=True)
class Seen:
    """A message as it is seen: `text` without markup for links and entities, `buttons` by their labels."""

    ts: str
    author: str
    text: str
    links: tuple[Link, ...] = ()
    buttons: tuple[str, ...] = ()
    only_for: str = ""
    streaming: bool = False
    edited: bool = False


def unescaped(text: str) -> str:
    """The three entities that the platform knows, decoded."""
    return text.replace("&lt;", "<").replace("&gt;", ">").replace("&amp;", "&")


def pings(message: Message, parse_names: bool = False) -> set[str]:
    """Whom it would notify: user ids, `!here`, `!channel`, `!everyone`, `!subteam^S…`.

    Both the blocks and the text that stands in for them count, code included: to be notified once too often is the
    fault that tests look for. With `parse_names` (the arguments `parse=full` and `link_names`) bare names count too.
    """
    marked = (piece.raw for piece in pieces(message.blocks) if piece.markup != "plain")
    sources = [message.text, message.markdown, *marked]
    found = {match.removeprefix("@") for source in sources for match in MENTION.findall(source)}
    bare = {f"!{name}" for source in sources for name in NAMED.findall(source)} if parse_names else set()
    return found | bare


@dataclass(frozen=True, slots=True)
class Piece:
    """A run of text in a block."""

    raw: str
    markup: str

    def shown(self) -> str:
        """Its words."""
        if self.markup == "plain":
            return self.raw
        text = MARKDOWN_LINK.sub(lambda link: link["label"], self.raw) if self.markup == "markdown" else self.raw
        return unescaped(ANGLED.sub(_angled, text))

    def links(self) -> Iterator[Link]:
        """Its links."""
        if self.markup == "markdown":
            for link in MARKDOWN_LINK.finditer(self.raw):
                yield Link(unescaped(link["label"]), unescaped(link["angled"] or link["bare"]))
        rest = MARKDOWN_LINK.sub("", self.raw) if self.markup == "markdown" else self.raw
        for link in ANGLED.finditer(rest if self.markup != "plain" else ""):
            if link["target"][0] not in "@#!":
                yield Link(unescaped(link["label"] or link["target"]), unescaped(link["target"]))


def _angled(match: re.Match[str]) -> str:
    target, label = match["target"], match["label"]
    if target.startswith("!"):
        return "@" + target[1:]
    return str(label or target)


def pieces(blocks: list[Json]) -> Iterator[Piece]:
    """The texts of blocks, top to bottom, buttons excepted."""
    for block in blocks:
        if block.get("type") == "markdown":
            yield Piece(words(block.get("text")), "markdown")
        elif block.get("type") != "actions":
            yield from _texts(block)


def _texts(node: object) -> Iterator[Piece]:
    if isinstance(node, list):
        for item in node:
            yield from _texts(item)
    elif isinstance(node, dict) and node.get("type") in ("mrkdwn", "plain_text", "text", "raw_text"):
        yield Piece(words(node), "mrkdwn" if node["type"] == "mrkdwn" else "plain")
    elif isinstance(node, dict) and node.get("type") in ("button", "feedback_buttons"):
        return
    elif isinstance(node, dict):
        for value in node.values():
            yield from _texts(value)


def elements(node: object) -> Iterator[Json]:
    """Every interactive element of blocks or of a view, in order."""
    if isinstance(node, list):
        for item in node:
            yield from elements(item)
    elif isinstance(node, dict):
        if "action_id" in node or node.get("type") in ("button", "feedback_buttons"):
            yield node
        for value in node.values():
            yield from elements(value)


def labels(element: Json) -> list[str]:
    """What stands on an element: one label, or two on feedback buttons."""
    if element.get("type") == "feedback_buttons":
        return [words((element.get(name) or {}).get("text")) for name in ("positive_button", "negative_button")]
    return [words(element.get("text"))] if element.get("type") == "button" else []


def seen(message: Message, author: str, now: float) -> Seen:
    """The message as its reader sees it at a time."""
    content = [Piece(message.markdown, "markdown")] if message.markdown else []
    content = [*content, *pieces(message.blocks)] or [Piece(message.text, "mrkdwn")]
    return Seen(
        ts=message.ts,
        author=author,
        text="\n".join(piece.shown() for piece in content),
        links=tuple(link for piece in content for link in piece.links()),
        buttons=tuple(label for element in elements(message.blocks) for label in labels(element)),
        only_for=message.only_for,
        streaming=message.stream is not None and message.stream.open(now),
        edited=bool(message.edited),
    )
