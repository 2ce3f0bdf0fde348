"""Markdown and MDX, as publishers write them, become plain Markdown: words, links and code, nothing of the site's machinery."""

from __future__ import annotations

import html
import re
import tomllib
from collections.abc import Callable
from datetime import date
from typing import Any
from urllib.parse import urldefrag, urljoin

import yaml
from markdown_it import MarkdownIt

from ingest.parse_html import Parsed, clean_text, convert_fragment, decode_text

_BLOCKS = MarkdownIt("commonmark").enable("table").disable("inline")
_INLINE = MarkdownIt("commonmark")


def parse_markdown(body: bytes, *, url: str | None = None, charset: str | None = None) -> Parsed:
    """A Markdown document without its front matter, components, comments, anchors and needless escapes.

    Front matter gives `title` (or `page_title`), `url` (absolute), `checked` (the day it was confirmed) and `citation`.
    Relative links become absolute against that `url`, else against the argument; without either they are reduced to text.
    """
    meta, text = _front_matter(decode_text(body, charset, is_html=False))
    own = meta.get("url")
    cited = own if isinstance(own, str) and re.match(r"https?://", own) else None
    checked = meta.get("checked")
    citation = meta.get("citation")
    markdown = _clean(text, cited or url)
    return Parsed(
        title=_named(meta) or _first_heading(markdown),
        markdown=markdown,
        url=cited,
        dated=str(checked)[:10] if isinstance(checked, date | str) and re.match(r"\d{4}-\d\d-\d\d", str(checked)) else None,
        citation=citation if isinstance(citation, str) else None,
    )


# Front matter.

_YAML = re.compile(r"\A---[ \t]*\n(.*?)^(?:---|\.\.\.)[ \t]*(?:\n|\Z)", re.DOTALL | re.MULTILINE)
_TOML = re.compile(r"\A\+\+\+[ \t]*\n(.*?)^\+\+\+[ \t]*(?:\n|\Z)", re.DOTALL | re.MULTILINE)


def _front_matter(text: str) -> tuple[dict[str, Any], str]:
    text = text.lstrip("\n")
    for header, load in ((_YAML, _load_yaml), (_TOML, _load_toml)):
        found = header.match(text)
        values = load(found[1]) if found else None
        if found and values is not None:
            return values, text[found.end() :]
    return {}, text


def _load_yaml(text: str) -> dict[str, Any] | None:
    try:
        values = yaml.safe_load(text)
    except (yaml.YAMLError, ValueError, RecursionError):
        lines = re.findall(r"^(\w+):[ \t]*(\S.*)$", text, re.MULTILINE)  # templates and slips: what can be read counts
        return {key: value.strip("'\" ") for key, value in lines} or None
    return values if isinstance(values, dict) else None


def _load_toml(text: str) -> dict[str, Any] | None:
    try:
        return tomllib.loads(text)
    except (tomllib.TOMLDecodeError, RecursionError):
        return None


def _named(meta: dict[str, Any]) -> str:
    for key in ("title", "page_title"):
        if isinstance(meta.get(key), str) and meta[key].strip():
            return " ".join(meta[key].split())
    return ""


def _first_heading(markdown: str) -> str:
    tokens = _BLOCKS.parse(markdown)
    for opened, inline in zip(tokens, tokens[1:], strict=False):
        if opened.type == "heading_open" and opened.tag == "h1":
            words = _INLINE.parseInline(inline.content)[0].children or ()
            return " ".join("".join(token.content or " " for token in words if token.type != "html_inline").split())
    return ""


# The text. Code is set aside first, so that nothing below touches it.

_ASIDE = re.compile("\ue000(\\d+)\ue001")
_CODE = re.compile(
    r"^[ \t>]*(?:(?:[-*+]|\d{1,9}[.)])[ \t]+)*(?P<fence>`{3,}|~{3,})[^\n`]*\n(?:(?!^[ \t>]*(?P=fence))[^\n]*\n)*"
    r"(?:[ \t>]*(?P=fence)[`~]*[ \t]*$|(?=\Z)|[^\n]*\Z)"
    r"|(?<![`\\])(?P<tick>`+)(?!`)(?:[^`\n]|\n(?!\s*\n)|(?!(?P=tick)(?!`))`+){1,2000}?(?<!`)(?P=tick)(?!`)"
    r"|(?P<drop><!--.*?(?:-->|\Z)|\{/\*.*?\*/\})",
    re.DOTALL | re.MULTILINE,
)


def _clean(text: str, base: str | None) -> str:
    aside: list[str] = []

    def keep(code: str) -> str:
        aside.append(code)
        return f"\ue000{len(aside) - 1}\ue001"

    text = re.sub("[\ue000\ue001]", "", text)
    text = _CODE.sub(lambda match: "" if match["drop"] else keep(match[0]), text)
    text = _keep_indented_code(text, keep)
    for rewrite in (_site_machinery, _html):
        text = rewrite(text, keep, base)
    text = _links(text, base)
    text = _escapes(html_entities(text))
    text = re.sub(r"[ \t]+$", "", text, flags=re.MULTILINE)
    text = re.sub(r"\n{3,}", "\n\n", text)
    while _ASIDE.search(text):
        text = _ASIDE.sub(lambda match: aside[int(match[1])], text)
    return clean_text(text).strip("\n")
