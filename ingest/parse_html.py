"""HTML becomes clean Markdown: the content of the page, without what stands around it."""

from __future__ import annotations

import copy
import re
from collections.abc import Iterator
from urllib.parse import urldefrag, urljoin

from bs4 import BeautifulSoup, Tag
from markdownify import MarkdownConverter

from ingest.content import attribute, classes, cut_furniture, is_note, main_content
from ingest.parsed import Parsed, clean_text, decode_text
from rag.errors import Unreadable

_PERMALINK = re.compile(r"^\s*[¶#§🔗]\s*|\s*[¶§🔗]\s*$")
_DEEPEST = 200
"""Levels of elements; real pages have some thirty, and the conversion recurses."""


def parse_html(body: bytes, *, url: str | None = None, charset: str | None = None) -> Parsed:
    """The main content of a page as Markdown with absolute links.

    `url` is the address it came from after redirects; without one, relative links are reduced to their text.
    Raises Unreadable where elements are nested too deeply to be a document.
    """
    soup = BeautifulSoup(decode_text(body, charset, is_html=True), "lxml")
    _check_depth(soup)
    title, base = _title(soup), _base(soup, url)
    cut_furniture(soup)
    return Parsed(title, _to_markdown(main_content(soup), base, url))


def convert_fragment(html: str, url: str | None = None) -> str:
    """A piece of HTML, such as a table within a Markdown document, as Markdown."""
    return _to_markdown(BeautifulSoup(html, "lxml"), url, url)


def _check_depth(soup: BeautifulSoup) -> None:
    depths = {id(soup): 0}
    for tag in soup.find_all(True):
        depths[id(tag)] = depths[id(tag.parent)] + 1
        if depths[id(tag)] > _DEEPEST:
            raise Unreadable(f"its elements are nested more than {_DEEPEST} deep")


def _to_markdown(root: Tag, base: str | None, page: str | None) -> str:
    for table in root.find_all("table"):
        _settle_table(table)
    for inner in root.select("ul > ul, ul > ol, ol > ul, ol > ol"):
        _settle_nested_list(inner)
    for note in root.find_all(is_note):
        _settle_note(note)
    for heading in root.find_all(re.compile(r"^h[1-6]$")):
        _settle_heading(heading)
    for image in root.find_all("img"):
        _settle_image(image)
    for link in root.find_all("a"):
        _settle_link(link, base, page)
    text = _Converter(heading_style="atx", bullets="-", table_infer_header=True).convert_soup(root)
    return re.sub(r"[ \t]+$", "", clean_text(text), flags=re.MULTILINE).strip("\n")


def _title(soup: BeautifulSoup) -> str:
    candidates = [*soup.select("main h1, [role=main] h1, article h1"), *soup.find_all("h1"), *soup.find_all("title")]
    texts = (" ".join(_PERMALINK.sub("", tag.get_text(" ")).split()) for tag in candidates)
    return next((clean_text(text) for text in texts if text), "")


def _base(soup: BeautifulSoup, url: str | None) -> str | None:
    base = soup.find("base", href=True)
    declared = attribute(base, "href") if base else ""
    return urljoin(url, declared) if url else declared if declared.startswith("http") else None


# What markdownify would get wrong.


def _settle_heading(heading: Tag) -> None:
    for link in heading.find_all("a"):
        if re.fullmatch(r"[\s¶#§🔗]*", link.get_text()) or "headerlink" in classes(link):
            link.decompose()
        else:
            link.unwrap()
    if not heading.get_text(strip=True):
        heading.decompose()


def _settle_image(image: Tag) -> None:
    """An image is what it says in words; one that stands alone says little in two or three."""
    words = attribute(image, "alt").split()
    alone = image.parent is not None and not image.parent.get_text(strip=True) and image.parent.name not in {"td", "a"}
    image.replace_with("" if alone and len(words) < 5 else " ".join(words))


def _settle_link(link: Tag, base: str | None, page: str | None) -> None:
    href = attribute(link, "href").strip()
    try:
        target = urljoin(base or "", href)
        here = page is not None and urldefrag(target).url == urldefrag(page).url
    except ValueError:
        target, here = "", False
    if not href or here or not re.match(r"https?://", target) or not link.get_text(strip=True):
        link.unwrap()
    else:
        link.attrs = {"href": target.replace(" ", "%20").replace("(", "%28").replace(")", "%29")}


def _settle_nested_list(inner: Tag) -> None:
    """A list directly in a list, which HTML does not allow but pages have, belongs to the item before it."""
    item = inner.find_previous_sibling("li")
    if item is not None:
        item.append(inner.extract())


def _settle_note(note: Tag) -> None:
    """The title of a note ("Warning") becomes the bold start of its text."""
    if note.name == "aside":
        note.name = "div"
    title = note.find(
        class_=re.compile(r"admonition-title|admonition-?heading|alert-heading|callout-title|^icon$|^title$")
    )
    if title is None:
        return
    icon = title.find(title=True)
    words = title.get_text(" ", strip=True) or (attribute(icon, "title") if icon else "")
    title.decompose()
    if words:
        bold = Tag(name="strong")
        bold.string = words.rstrip(":") + ":"
        home = note
        while (first := _first(home)) is not None and first.name in {"p", "div"}:
            home = first
        home.insert(0, bold)
        bold.insert_after(" ")


def _first(tag: Tag) -> Tag | None:
    """The element that the tag begins with; None where it begins with words."""
    first = next((child for child in tag.children if isinstance(child, Tag) or str(child).strip()), None)
    return first if isinstance(first, Tag) else None


def _settle_table(table: Tag) -> None:
    if table.parent is None:
        return
    rows = table.find_all("tr")
    code = table.select_one("td.code pre, td.blob-code pre, td.rouge-code pre")
    if code is not None:
        table.replace_with(code.extract())
    elif _is_layout(table, rows):
        for tag in [table, *table.find_all(["thead", "tbody", "tr", "td", "th"])]:
            tag.name = "div"
    else:
        _settle_rows(table, rows)


def _is_layout(table: Tag, rows: list[Tag]) -> bool:
    framed = table.find_parent(class_=re.compile(r"^(admonitionblock|colist)$")) is not None
    single = len(table.find_all(["td", "th"])) <= 1
    return framed or single or table.find("table") is not None or attribute(table, "role") == "presentation"


def _settle_rows(table: Tag, rows: list[Tag]) -> None:
    """One body whose first row is the header, each row complete: cells that span rows are repeated in each."""
    grid = [row for row in _grid(rows) if any(cell.get_text(strip=True) for cell in row)]
    width = max((len(row) for row in grid), default=0)
    body = Tag(name="tbody")
    for row in grid:
        line = Tag(name="tr")
        line.extend([*row, *(Tag(name="td") for _ in range(width - len(row)))])
        body.append(line)
    caption = table.find("caption")
    if caption is not None:
        table.insert_before(caption.extract())
        caption.name = "p"
    table.clear()
    table.append(body)


def _grid(rows: list[Tag]) -> Iterator[list[Tag]]:
    spanning: dict[int, tuple[int, Tag]] = {}
    for row in rows:
        cells = iter(row.find_all(["td", "th"], recursive=False))
        line: list[Tag] = []
        while True:
            column = len(line)
            left, above = spanning.pop(column, (0, None))
            cell = copy.copy(above) if above is not None else next(cells, None)
            if cell is None:
                break
            left = left or _span(cell, "rowspan")
            if left > 1:
                spanning[column] = (left - 1, cell)
            line += [cell, *(Tag(name="td") for _ in range(_span(cell, "colspan") - 1))]
        for cell in line:
            cell.attrs = {}
        yield line


def _span(cell: Tag, name: str) -> int:
    value = attribute(cell, name)
    return min(max(int(value), 1), 60) if value.isascii() and value.isdigit() else 1


class _Converter(MarkdownConverter):
    """markdownify, with tables, code and definitions as our chunks need them."""

    def escape(self, text: str, parent_tags: set[str]) -> str:
        return re.sub(r"(?<!\w)_(?=\S)|(?<=\S)_(?!\w)|\*(?=\S)|(?<=\S)\*|`|<(?=[A-Za-z/!?])", r"\\\g<0>", text)

    def convert_br(self, el: Tag, text: str, parent_tags: set[str]) -> str:
        return " " if "_inline" in parent_tags else "\n"

    def convert_hr(self, el: Tag, text: str, parent_tags: set[str]) -> str:
        return "\n\n"

    def convert_sup(self, el: Tag, text: str, parent_tags: set[str]) -> str:
        before = str(el.previous_sibling or "")[-1:]
        return f"^{text}" if before.isalnum() and re.fullmatch(r"-?[\dn]+", text) else text

    def convert_pre(self, el: Tag, text: str, parent_tags: set[str]) -> str:
        code = el.get_text().strip("\n").rstrip()
        if not code:
            return ""
        if "_inline" in parent_tags:
            return f" `{' '.join(code.split())}` "
        fence = max(["```", *(run + "`" for run in re.findall(r"`{3,}", code))], key=len)
        return f"\n\n{fence}{_language(el)}\n{code}\n{fence}\n\n"

    def convert_td(self, el: Tag, text: str, parent_tags: set[str]) -> str:
        text = re.sub(r"(?:^|\s*\n\s*)(?:[-*+]|\d+\.)\s+", "; ", text.strip()).removeprefix("; ")
        text = re.sub(r"(?<!\\)\|", r"\\|", " ".join(text.split()))
        return f" {text} |"

    convert_th = convert_td

    def convert_dl(self, el: Tag, text: str, parent_tags: set[str]) -> str:
        return f"\n\n{text.strip()}\n\n"

    def convert_dt(self, el: Tag, text: str, parent_tags: set[str]) -> str:
        words = " ".join(text.replace("**", "").split())
        return f"\n\n**{words}**\n\n" if words and "_inline" not in parent_tags else f" {words} "

    def convert_dd(self, el: Tag, text: str, parent_tags: set[str]) -> str:
        return f"\n\n{text.strip()}\n\n" if "_inline" not in parent_tags else f" {text.strip()} "


def _language(pre: Tag) -> str:
    """The language that the code, or what it stands in, is marked with."""
    code = pre.find("code")
    for tag in [code, pre, pre.parent, pre.parent.parent if pre.parent else None]:
        if not isinstance(tag, Tag):
            continue
        marked = attribute(tag, "data-lang") or attribute(tag, "data-language")
        matches = (
            re.match(r"(?:language|lang|highlight-source|highlight)-([\w+#.-]+)$", word) for word in classes(tag)
        )
        found = marked or next((match[1] for match in matches if match), "")
        if found:
            return re.sub(r"[^\w+#.-]", "", found)
    return ""
