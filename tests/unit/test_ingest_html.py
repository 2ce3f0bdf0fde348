"""A page becomes the Markdown of its content."""

from __future__ import annotations

import pytest

from ingest.parse_html import parse_html
from ingest.parsed import Parsed, clean_text
from rag.errors import Unreadable

URL = "https://docs.example.com/guide/storage/buckets.html"


def parsed(body: str, *, url: str | None = URL, head: str = "") -> Parsed:
    return parse_html(f"<html><head>{head}</head><body>{body}</body></html>".encode(), url=url)


def markdown(body: str, *, url: str | None = URL, head: str = "") -> str:
    return parsed(body, url=url, head=head).markdown


def test_the_title_is_the_heading_before_the_title_of_the_window() -> None:
    assert (
        parsed("<h1>Buckets <a class=headerlink href='#b'>¶</a></h1>", head="<title>X | Site</title>").title
        == "Buckets"
    )
    assert parsed("<p>text</p>", head="<title>Buckets</title>").title == "Buckets"


def test_what_stands_around_the_content_goes() -> None:
    text = markdown(
        "<header>Banner</header><nav>Menu</nav><div class=cookie-banner>We use cookies</div>"
        "<main><div class=breadcrumbs><a href=/>Home</a></div>"
        "<div class=md-sidebar><ul><li><a href=/x>Other</a></ul></div>"
        "<article><h1>Buckets</h1><p>Kept.</p><p hidden>H1</p><p aria-hidden=true>H2</p><p style='display: none'>H3</p>"
        "<!-- comment --><script>s()</script><template>t</template><noscript>Enable scripts</noscript>"
        "<aside>Related</aside><aside class=note><p>A note stays.</p></aside></article></main><footer>Careers</footer>"
    )
    assert text == "# Buckets\n\nKept.\n\nA note stays."


def test_a_heading_within_a_header_of_the_content_stays() -> None:
    assert markdown("<main><header><h1>Buckets</h1><p>5 min</p></header><p>Text.</p></main>") == "# Buckets\n\nText."


def test_a_list_of_links_within_the_page_is_no_content() -> None:
    toc = "<ul><li><a href='#a'>A</a><li><a href='#b'>B</a><li><a href='#c'>C</a></ul>"
    assert markdown(f"<main><h1>T</h1>{toc}<p>Text.</p></main>") == "# T\n\nText."


def test_a_tab_that_is_not_on_top_is_content() -> None:
    assert "Second tab." in markdown("<div role=tabpanel>First tab.</div><div role=tabpanel hidden>Second tab.</div>")


def test_content_is_kept_whatever_its_class_is_called() -> None:
    assert "word" in markdown(f"<div class='page has-sidebar'><p>{'word ' * 200}</p></div>")


def test_links_are_absolute_against_the_final_address_or_the_base() -> None:
    assert "[size](https://docs.example.com/guide/limits.html#s)" in markdown(
        "<p><a href=../limits.html#s>size</a></p>"
    )
    based = markdown("<p><a href=x.html>x</a></p>", head="<base href='https://other.example.com/b/'>")
    assert "[x](https://other.example.com/b/x.html)" in based


def test_links_that_lead_nowhere_are_reduced_to_their_words() -> None:
    assert (
        markdown("<p><a href='#here'>here</a> <a href='javascript:x()'>there</a> <a>where</a></p>")
        == "here there where"
    )
    assert markdown("<p><a href=x.html>relative</a></p>", url=None) == "relative"
    assert markdown("<p><a href='http://[bad'>odd</a></p>") == "odd"


def test_a_table_of_data_cells_takes_its_first_row_as_header() -> None:
    rows = "<tr><td>Type</td><td>Size</td></tr><tr><td>ssd</td><td>16 TiB</td></tr>"
    assert markdown(f"<table>{rows}</table>") == "| Type | Size |\n| --- | --- |\n| ssd | 16 TiB |"


def test_cells_that_span_rows_are_repeated_and_rows_are_complete() -> None:
    table = (
        "<tr><th>A</th><th>B</th></tr><tr><td rowspan=2>x</td><td>1</td></tr><tr><td>2</td></tr>"
        "<tr><td colspan=2>all</td></tr>"
    )
    assert markdown(f"<table>{table}</table>").split("\n")[2:] == ["| x | 1 |", "| x | 2 |", "| all |  |"]


def test_a_cell_stays_on_one_line_with_its_bars_escaped() -> None:
    cell = "<p>one</p><ul><li>a|b<li>c</ul><pre>x\n y</pre>"
    assert "| one; a\\|b; c `x y` |" in markdown(
        f"<table><tr><th>H</th><th>I</th></tr><tr><td>{cell}</td><td>2</td></tr></table>"
    )


def test_layout_tables_of_notes_are_no_data() -> None:
    cells = "<td class=icon><i title=Note></i></td><td class=content>Mind it.</td>"
    note = f"<div class='admonitionblock note'><table><tr>{cells}</tr></table></div>"
    assert markdown(note) == "**Note:** Mind it."


def test_the_title_of_a_note_begins_its_text() -> None:
    note = "<div class='admonition warning'><p class=admonition-title>Warning</p><p>It costs.</p></div>"
    assert markdown(note) == "**Warning:** It costs."


def test_code_keeps_its_lines_and_its_language() -> None:
    assert markdown("<pre><code class=language-hcl>a {\n  b = 1\n}\n</code></pre>") == "```hcl\na {\n  b = 1\n}\n```"
    numbered = (
        "<table class=highlighttable><tr><td class=linenos>1\n2</td><td class=code><pre>a\nb</pre></td></tr></table>"
    )
    assert markdown(numbered) == "```\na\nb\n```"


def test_code_that_holds_a_fence_gets_a_longer_one() -> None:
    assert markdown("<pre>```\nx\n```</pre>") == "````\n```\nx\n```\n````"


def test_definitions_and_nested_lists_keep_their_order() -> None:
    assert markdown("<dl><dt>Term</dt><dd>Meaning.</dd></dl>") == "**Term**\n\nMeaning."
    assert markdown("<ul><li>a</li><ul><li>b</li></ul><li>c</li></ul>") == "- a\n  - b\n- c"


def test_names_with_underscores_stay_clean_and_placeholders_visible() -> None:
    assert markdown("<p>set my_var_name to &lt;your-bucket&gt; and 2<sup>10</sup></p>") == (
        "set my_var_name to \\<your-bucket> and 2^10"
    )


@pytest.mark.parametrize(
    ("body", "charset"),
    [
        ("<p>na\xefve \x80 5</p>".encode("latin-1"), "windows-1252"),
        ("<meta charset=windows-1252><p>na\xefve \x80 5</p>".encode("latin-1"), None),
        ("<p>naïve € 5</p>".encode(), None),
        ("<p>naïve € 5</p>".encode("utf-16"), None),
        ("<p>naïve € 5</p>".encode(), "no-such-charset"),
    ],
)
def test_the_charset_comes_from_header_page_or_bytes(body: bytes, charset: str | None) -> None:
    assert parse_html(body, charset=charset).markdown == "naïve € 5"


def test_elements_nested_without_end_are_unreadable() -> None:
    with pytest.raises(Unreadable, match="nested"):
        parse_html(b"<div>" * 5000 + b"text" + b"</div>" * 5000)


def test_invisible_characters_go_and_emoji_stay_whole() -> None:
    assert clean_text("avail\u00adab\u200bility\u00a0zone\ufeff\x00 \u202eleft") == "availability zone left"
    family = "👩\u200d👩\u200d👧"
    assert clean_text(family) == family
    assert clean_text("a\u200db") == "ab"
    assert clean_text("x\ud800y") == "xy"
    assert clean_text("hidden\U000e0041\U000e0042") == "hidden"
    assert clean_text("e\u0301\r\nx\u2028y") == "é\nx\ny"
