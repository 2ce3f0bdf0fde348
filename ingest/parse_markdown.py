"""Markdown and MDX, as publishers write them, become plain Markdown without the machinery of their sites."""

from __future__ import annotations

import html
import re
from datetime import date
from itertools import pairwise
from typing import Any
from urllib.parse import urldefrag, urljoin

from markdown_it import MarkdownIt

from ingest.chunk_headings import plain_heading
from ingest.front_matter import split_front_matter
from ingest.parse_html import convert_fragment
from ingest.parsed import Parsed, clean_text, decode_text

_BLOCKS = MarkdownIt("commonmark").enable("table").disable("inline")


def parse_markdown(body: bytes, *, url: str | None = None, charset: str | None = None) -> Parsed:
    """A Markdown document without its front matter, components, comments, anchors and needless escapes.

    Front matter gives `title` (or `page_title`), `url` (absolute), `checked` (the day it was confirmed) and `citation`.
    Relative links become absolute against that `url`, else against the argument; without either only their words stay.
    """
    meta, text = split_front_matter(decode_text(body, charset, is_html=False))
    own = meta.get("url")
    cited = own if isinstance(own, str) and re.match(r"https?://", own) else None
    checked = meta.get("checked")
    citation = meta.get("citation")
    markdown = _clean(text, cited or url)
    return Parsed(
        title=_named(meta) or _first_heading(markdown),
        markdown=markdown,
        url=cited,
        dated=str(checked)[:10]
        if isinstance(checked, date | str) and re.match(r"\d{4}-\d\d-\d\d", str(checked))
        else None,
        citation=citation if isinstance(citation, str) else None,
    )


def _named(meta: dict[str, Any]) -> str:
    for key in ("title", "page_title"):
        if isinstance(meta.get(key), str) and meta[key].strip():
            return " ".join(meta[key].split())
    return ""


def _first_heading(markdown: str) -> str:
    tokens = _BLOCKS.parse(markdown)
    found = (
        inline.content for opened, inline in pairwise(tokens) if opened.type == "heading_open" and opened.tag == "h1"
    )
    return plain_heading(next(found, ""))


# The text. Code is set aside first, so that nothing below touches it, and comes back last.


class _Aside:
    """Pieces that are finished, each standing in the text as a mark that no rule matches."""

    def __init__(self) -> None:
        self._pieces: list[str] = []

    def keep(self, piece: str) -> str:
        self._pieces.append(piece)
        return f"\ue000{len(self._pieces) - 1}\ue001"

    def restore(self, text: str) -> str:
        while _ASIDE.search(text):
            text = _ASIDE.sub(lambda mark: self._pieces[int(mark[1])], text)
        return text


_ASIDE = re.compile("\ue000(\\d+)\ue001")
_FENCE = re.compile(r"[ \t>]*(?:(?:[-*+]|\d{1,9}[.)])[ \t]+)*(?P<mark>`{3,}|~{3,})(?P<info>[^\n`]*)$")
_SPAN = re.compile(r"(?<![`\\])(`+)(?!`)((?:[^\n]|\n(?![ \t]*\n)){1,2000}?)(?<!`)\1(?!`)")
_COMMENT = re.compile(r"<!--.*?(?:-->|\Z)|\{/\*.*?\*/\}", re.DOTALL)


def _clean(text: str, base: str | None) -> str:
    aside = _Aside()
    text = _set_fences_aside(re.sub("[\ue000\ue001]", "", text), aside)
    text = _SPAN.sub(lambda span: aside.keep(f"{span[1]}{_trimmed(span[2])}{span[1]}"), text)
    text = _COMMENT.sub("", text)
    text = _drop_machinery(text, aside)
    text = _set_indented_code_aside(text, aside)
    text = _convert_html(text, aside, base)
    text = _settle_links(text, base)
    text = _ESCAPE.sub(lambda found: found["keep"] or found["char"], _ENTITY.sub(_character, text))
    text = re.sub(r"\n{3,}", "\n\n", re.sub(r"[ \t]+$", "", text, flags=re.MULTILINE))
    return clean_text(aside.restore(text)).strip("\n")


def _trimmed(code: str) -> str:
    return code if "`" in code or not code.strip() else code.strip()


def _set_fences_aside(text: str, aside: _Aside) -> str:
    """Each fenced block, its lines as they stand, becomes one mark; one that is never closed runs to the end."""
    kept: list[str] = []
    block: list[str] = []
    mark = ""
    for line in text.split("\n"):
        opening = None if mark else _FENCE.match(line)
        if opening:
            mark, block = opening["mark"], [line]
        elif mark:
            block.append(line)
            bare = line.strip(" \t>")
            if bare.startswith(mark) and not bare.strip(mark[0]):
                kept.append(aside.keep("\n".join(block)))
                mark = ""
        else:
            kept.append(line)
    return "\n".join([*kept, aside.keep("\n".join(block))] if mark else kept)


def _set_indented_code_aside(text: str, aside: _Aside) -> str:
    lines = text.split("\n")
    for token in _BLOCKS.parse(text):
        if token.type == "code_block" and token.map:
            first, last = token.map
            lines[first] = aside.keep("\n".join(lines[first:last]).rstrip())
            lines[first + 1 : last] = [""] * (last - first - 1)
    return "\n".join(lines)


# What belongs to the site, not to the text.

_MODULE = re.compile(
    r"""^(?:import\s[^\n]*?['"][^'"\n]+['"];?[ \t]*"""
    r"""|export\s+(?:default|const|let|function)\b[^\n]*(?:\n(?![ \t]*\n)[^\n]*)*)$""",
    re.MULTILINE,
)
_HIGHLIGHT = re.compile(r"\{%-?\s*highlight\s+(\w+)[^%]*%\}\n?(.*?)\{%-?\s*endhighlight\s*-?%\}", re.DOTALL)
_SHORTCODE = re.compile(r"\{%[^\n]{0,500}?%\}|\{\{[<%][^\n]{0,500}?[>%]\}\}|[ \t]*\{[#:][^{}\n]{0,200}\}")
_CONTENTS = re.compile(
    r"(?:^(?:\*\*|#+ )(?:Topics|Contents|Table of contents|On this page):?(?:\*\*)?[ \t]*\n+)?"
    r"(?:^[ \t]*(?:[-*+]|\d{1,3}\.)[ \t]+\[[^\]\n]*\]\(#[^)\n]*\)[ \t]*(?:\n+|\Z)){3,}",
    re.MULTILINE | re.IGNORECASE,
)
_POINTER = re.compile(r"^([ \t]*)[-~!]>[ \t]*", re.MULTILINE)
_LABEL_LINE = re.compile(
    r"^([ \t>]*\*\*)(Note|Important|Warning|Tip|Caution)\*\*[ \t]*\n[ \t>]*(?=[\w`*\[])", re.MULTILINE
)
_RULE = re.compile(r"((?:\A|\n)[ \t]*\n|\A)[ ]{0,3}([-*_])(?:[ \t]*\2){2,}[ \t]*$", re.MULTILINE)
_ALERT = re.compile(r"^([ \t>]*)\[!(\w+)\][ \t]*(?:\n[ \t]*>[ \t]*(?=\S)|$)", re.MULTILINE)
_CONTAINER = re.compile(r"^[ \t]*:::+[ \t]*(?:(\w+)[ \t]*(.*?))?[ \t]*$", re.MULTILINE)
_ADMONITION = re.compile(
    r"""^(?:!!!|\?\?\?\+?)[ \t]+(\w+)(?:[ \t]+"([^"\n]*)")?[ \t]*\n"""
    r"""((?:(?:[ ]{4}|\t)[^\n]*(?:\n|\Z)|[ \t]*\n(?=[ ]{4}|\t))*)""",
    re.MULTILINE,
)


def _drop_machinery(text: str, aside: _Aside) -> str:
    """Module lines, shortcodes and tables of contents go; the several ways to mark a note become bold words."""
    text = _HIGHLIGHT.sub(lambda code: aside.keep(f"```{code[1]}\n{code[2].strip()}\n```"), text)
    text = _SHORTCODE.sub("", _MODULE.sub("", text))
    text = _CONTENTS.sub("", text)
    text = _POINTER.sub(r"\1> ", text)
    text = _ALERT.sub(lambda alert: f"{alert[1]}**{alert[2].capitalize()}:** ", text)
    text = _CONTAINER.sub(lambda box: f"**{box[2] or box[1].capitalize()}:**" if box[1] else "", text)
    text = _LABEL_LINE.sub(r"\1\2:** ", text)
    text = _RULE.sub(r"\1", text)
    return _ADMONITION.sub(
        lambda note: (
            f"**{note[2] or note[1].capitalize()}:**\n" + re.sub(r"^(?: {4}|\t)", "", note[3], flags=re.MULTILINE)
        ),
        text,
    )


# HTML within Markdown.

_DROPPED = re.compile(r"<(script|style|svg|noscript|template)\b.*?</\1\s*>", re.DOTALL | re.IGNORECASE)
_PRE = re.compile(r"<pre\b[^<>]*>(.*?)</pre\s*>", re.DOTALL | re.IGNORECASE)
_INLINE_CODE = re.compile(r"<code\b[^<>]*>((?:(?!</?code)[^\n]|\n(?!\n)){0,2000})</code\s*>", re.IGNORECASE)
_CONVERTED = re.compile(r"<(table|ul|ol|dl)\b(?:(?!<\1\b).)*?</\1\s*>", re.DOTALL | re.IGNORECASE)
_HEADING = re.compile(r"<h([1-6])\b[^<>]*>(.*?)</h\1\s*>", re.DOTALL | re.IGNORECASE)
_LINK = re.compile(r"""<a\b[^<>]*?\bhref\s*=\s*["']([^"'<>]*)["'][^<>]*>(.*?)</a\s*>""", re.DOTALL | re.IGNORECASE)
_IMAGE = re.compile(r"<img\b([^<>]*)>", re.IGNORECASE)
_BREAKS = re.compile(r"</?(?:p|div|center|details|section|figure|summary|blockquote)\b[^<>]*>", re.IGNORECASE)
_TAGS = re.compile(
    r"</?(?:a|abbr|b|big|br|cite|code|del|em|figcaption|font|hr|i|ins|kbd|label|li|mark|meta|picture|q|s|samp|small|source"
    r"|span|strong|sub|sup|tt|u|ul|ol|dl|dt|dd|table|tbody|thead|tr|td|th|var|video|wbr)(?:[\s/][^<>]*)?>",
    re.IGNORECASE,
)
_COMPONENT = re.compile(r"<(/?)([A-Z][a-z]\w*(?:\.\w+)?)((?:\s[^<>]*?)?)(/?)>")
_LABEL = re.compile(r"""\b(?:title|heading|label|summary)\s*=\s*\{?["']([^"'<>]+)["']""")


def _convert_html(text: str, aside: _Aside, base: str | None) -> str:
    text = _DROPPED.sub("", text)
    text = _PRE.sub(lambda pre: aside.keep(convert_fragment(aside.restore(pre[0]))), text)
    text = _INLINE_CODE.sub(lambda code: aside.keep(_code_span(_TAGS.sub("", aside.restore(code[1])))), text)
    text = _CONVERTED.sub(lambda block: _converted(block[0], text, block.start(), base), text)
    text = _HEADING.sub(lambda heading: f"\n\n{'#' * int(heading[1])} {' '.join(heading[2].split())}\n\n", text)
    text = _LINK.sub(lambda link: f"[{' '.join(link[2].split())}]({link[1]})", text)
    text = _IMAGE.sub(lambda image: (re.findall(r"""\balt\s*=\s*["']([^"']*)["']""", image[1]) or [""])[0], text)
    text = _TAGS.sub(lambda tag: " " if tag[0][1:3].lower() == "br" else "", _BREAKS.sub("\n\n", text))
    closed = set(re.findall(r"</([A-Z][a-z]\w*(?:\.\w+)?)>", text))
    return _COMPONENT.sub(lambda tag: _component(tag, closed), text)


def _code_span(markup: str) -> str:
    code = " ".join(html.unescape(markup).replace("`", "").split())
    return f"`{code}`" if code else ""


def _converted(markup: str, text: str, start: int, base: str | None) -> str:
    """A list or table in HTML; within a row of a Markdown table it has to stay on its line."""
    line = text[text.rfind("\n", 0, start) + 1 : start]
    if line.lstrip().startswith("|"):
        return re.sub(r"<[^<>]*>", " ", re.sub(r"</li>\s*<li>", "; ", markup))
    return "\n\n" + convert_fragment(markup, base) + "\n\n"


def _component(tag: re.Match[str], closed: set[str]) -> str:
    """A component's tag goes, but for the title it shows. What is not one, such as <Name> in a sentence, stays."""
    closing, name, attributes, alone = tag.groups()
    if name not in closed and not alone and "=" not in attributes:
        return tag[0]
    label = None if closing else _LABEL.search(attributes)
    return f"\n\n**{label[1]}**\n\n" if label else "\n\n" if alone or closing or name in closed else ""


# Links, entities, escapes.

_DEFINITION = re.compile(
    r"^[ ]{0,3}\[([^\]\n^][^\]\n]{0,200})\]:[ \t]*<?(\S+?)>?(?:[ \t]+[\"'(][^\n]*[\"')])?[ \t]*$", re.MULTILINE
)
_LABELLED = r"\[((?:[^\[\]\\]|\\.|\[[^\[\]]{0,200}\]){0,500})\]"
_IMAGES = re.compile(rf"!{_LABELLED}(?:\([^()\n]*(?:\([^()\n]*\)[^()\n]*)*\)|\[[^\[\]\n]*\])")
_LINKS = re.compile(
    rf"""(?<![!\\]){_LABELLED}\(\s*(?:<([^<>\n]*)>|((?:[^\s()\\]|\\.|\([^\s()]*\))*))(?:\s+(?:"[^"]*"|'[^']*'|\([^()]*\)))?\s*\)"""
)
_REFERENCES = re.compile(rf"(?<![!\\\]]){_LABELLED}(?:\[([^\[\]\n]{{0,200}})\])?(?![(\[:])")
_ENTITY = re.compile(
    r"&(?!lt;|gt;|#60;|#62;|#x3[ce];)(?:#\d{1,7}|#[xX][0-9a-fA-F]{1,6}|[A-Za-z]\w{1,30});", re.IGNORECASE
)
_ESCAPE = re.compile(
    r"(?P<keep>\\\\|^[ \t>]*\\[#\-+>=~:]|^[ \t>]*\d{1,9}\\[.)](?=\s)"
    r"|(?<=\])\\\(|\\!(?=\[)|\\&(?=#?\w+;)|\\<(?=[A-Za-z/!?]))"
    r"|\\(?P<char>[!\"#$%&'()+,\-./:;<=>?@^{}~])",
    re.MULTILINE,
)


def _settle_links(text: str, base: str | None) -> str:
    """Images become their descriptions; links are absolute, or only their words where that is impossible."""
    targets = {_label(found[1]): found[2] for found in _DEFINITION.finditer(text)}
    text = _DEFINITION.sub("", text)
    text = _IMAGES.sub(_description, text)
    if targets:
        text = _REFERENCES.sub(lambda link: _referring(link, targets, base), text)
    return _LINKS.sub(lambda link: _linked(link[1], link[2] or link[3] or "", base), text)


def _description(image: re.Match[str]) -> str:
    """What an image says in words. One that stands alone says little in two or three."""
    words = re.sub(r"\\([\[\]])", "", image[1]).split()
    around = image.string[max(image.start() - 1, 0) : image.start()] + image.string[image.end() : image.end() + 1]
    alone = not around.strip("\n") and len(words) < 5
    return "" if alone or words[:3] == ["Image", "NOT", "FOUND"] else " ".join(words)


def _label(text: str) -> str:
    return " ".join(text.casefold().split())


def _referring(link: re.Match[str], targets: dict[str, str], base: str | None) -> str:
    target = targets.get(_label(link[2] or link[1]))
    return link[0] if target is None else _linked(link[1], target, base)


def _linked(words: str, target: str, base: str | None) -> str:
    words = " ".join(words.split())
    try:
        address = urljoin(base or "", target.replace("\\", ""))
        here = base is not None and urldefrag(address).url == urldefrag(base).url
    except ValueError:
        return words
    usable = re.match(r"https?://[^\s]+$", address) and not here
    return f"[{words}]({address})" if usable and words else words


def _character(entity: re.Match[str]) -> str:
    character = html.unescape(entity[0])
    return "\\" + character if character in "*_[]|`\\" else character
