"""Finds what a page is about among everything that stands around it."""

from __future__ import annotations

import re
from typing import Any

from bs4 import BeautifulSoup, Comment, Tag
from bs4.element import PageElement

_NEVER_CONTENT = (
    "script style template noscript head nav button input select textarea svg iframe canvas object dialog video audio"
).split()
_FURNITURE = re.compile(
    r"(?:^|[-_])(?:breadcrumbs?|toc2?|toctree|sidebar|navbar|nav|navigation|menu|pagination|cookies?|consent|footer)(?:[-_]|$)"
    r"|^(?:pager|feedback|banner|share|social|skip|skip-?link|skip-to-content|edit-?(?:page|this-page|link)|on-this-page)$"
)
_FURNITURE_IDS = re.compile(
    r"toc|sidebar|nav|navbar|menu|breadcrumbs?|footer|cookie-?(?:banner|consent)", re.IGNORECASE
)
_NOTE = re.compile(r"^(?:admonition(?:block)?|alert|callout|note|tip|info|warning|caution|important|danger|key-point)$")
_HIDDEN = re.compile(r"display\s*:\s*none|visibility\s*:\s*hidden", re.IGNORECASE)
_PROSE = 600
"""Characters in paragraphs above which an element is content, whatever its class says."""


def cut_furniture(soup: BeautifulSoup) -> None:
    for comment in soup.find_all(string=lambda text: isinstance(text, Comment)):
        comment.extract()
    for tag in soup.find_all(_NEVER_CONTENT):
        tag.decompose()
    for tag in soup.find_all(["header", "footer", "aside", True]):
        if not tag.decomposed and _is_furniture(tag):
            heading = tag.find("h1") if tag.name == "header" and tag.find_parent(["main", "article"]) else None
            tag.replace_with(heading.extract()) if heading else tag.decompose()


def _is_furniture(tag: Tag) -> bool:
    if tag.name in {"html", "body", "main", "article", "pre", "code", "table", "tr", "td", "th"}:
        return False
    if tag.name in {"header", "footer"}:
        return not tag.find(["main", "article"])
    if tag.name == "aside":
        return not is_note(tag)
    if _is_hidden(tag):
        return True
    if tag.name in {"ul", "ol", "div"} and _is_contents(tag):
        return True
    named = any(_FURNITURE.search(word) for word in classes(tag)) or bool(
        _FURNITURE_IDS.fullmatch(attribute(tag, "id"))
    )
    role = attribute(tag, "role") in {"navigation", "banner", "contentinfo", "search"}
    return (named or role) and not re.match(r"h\d$", tag.name) and not _holds_content(tag)


def _is_hidden(tag: Tag) -> bool:
    if attribute(tag, "role") == "tabpanel":  # the tabs that are not on top are content, too
        return False
    hidden = tag.has_attr("hidden") or attribute(tag, "aria-hidden") == "true"
    return hidden or bool(_HIDDEN.search(attribute(tag, "style")))


def _is_contents(tag: Tag) -> bool:
    """A list of links to the sections of this page, or a menu that stands before its first heading."""
    links = tag.find_all("a", href=True)
    if len(links) < 3 or tag.find(["p", "pre", "table", "h1", "h2"]):
        return False
    linked = sum(len(link.get_text(strip=True)) for link in links)
    only_links = linked >= 0.9 * len("".join(tag.get_text().split()))
    inner = all(attribute(link, "href").startswith("#") for link in links)
    return only_links and (inner or (len(links) >= 8 and tag.find_previous("h1") is None and bool(tag.find_next("h1"))))


def _holds_content(tag: Tag) -> bool:
    if tag.find(["main", "article", "h1"]):
        return True
    return sum(len(paragraph.get_text()) for paragraph in tag.find_all("p")) > _PROSE


def main_content(soup: BeautifulSoup) -> Tag:
    """The smallest element that holds most of what the page marks as its content; else the body."""
    marked = soup.select("main, [role=main], article") or [soup.body or soup]
    lengths = {id(tag): len(tag.get_text(strip=True)) for tag in marked}
    most = 0.6 * max(lengths.values())
    return min((tag for tag in marked if lengths[id(tag)] >= most), key=lambda tag: lengths[id(tag)])


def is_note(tag: Tag) -> bool:
    return tag.name in {"div", "aside", "section", "blockquote"} and any(_NOTE.match(word) for word in classes(tag))


def classes(tag: Tag) -> list[str]:
    value: Any = tag.get("class")
    return value.split() if isinstance(value, str) else list(value or ())


def attribute(tag: PageElement | None, name: str) -> str:
    value = tag.get(name) if isinstance(tag, Tag) else None
    return value if isinstance(value, str) else " ".join(value or ())
