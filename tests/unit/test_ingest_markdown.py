"""Publishers' Markdown becomes plain Markdown."""

from __future__ import annotations

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from ingest.parse_markdown import parse_markdown

URL = "https://docs.example.com/guide/page.md"


def cleaned(text: str, url: str | None = URL) -> str:
    return parse_markdown(text.encode(), url=url).markdown


def test_front_matter_gives_title_address_and_day_and_goes() -> None:
    text = '---\ntitle: "Cloud Run"\nurl: https://docs.example.com/run\nchecked: 2023-07-30\n---\n\n# H\n\n[x](y)'
    parsed = parse_markdown(text.encode())
    assert (parsed.title, parsed.url, parsed.dated) == ("Cloud Run", "https://docs.example.com/run", "2023-07-30")
    assert parsed.markdown == "# H\n\n[x](https://docs.example.com/y)"


def test_page_title_and_the_first_heading_serve_as_title() -> None:
    assert parse_markdown(b"---\npage_title: Apply\n---\n# Other").title == "Apply"
    assert parse_markdown(b"intro\n\nThe `apply` *command*\n=====\n").title == "The apply command"
    assert parse_markdown(b"no heading").title == ""


def test_front_matter_that_is_no_yaml_still_gives_what_can_be_read() -> None:
    parsed = parse_markdown(b"---\ntitle: A: b: c\nx: {{ y }}\n---\ntext")
    assert (parsed.title, parsed.markdown) == ("A: b: c", "text")


def test_toml_front_matter_is_read() -> None:
    assert parse_markdown(b'+++\ntitle = "T"\n+++\ntext').title == "T"


def test_a_rule_at_the_start_is_no_front_matter() -> None:
    assert "words" in cleaned("---\nonly words\n---\n\nmore")


def test_a_relative_address_of_its_own_is_not_cited() -> None:
    assert parse_markdown(b"---\nurl: /docs/x\n---\ntext").url is None


@pytest.mark.parametrize(
    ("published", "plain"),
    [
        ('# What is S3?<a name="Welcome"></a>', "# What is S3?"),
        ("## Title {#the-id}", "## Title"),
        (r"industry\-leading \(Amazon S3\)\. 50\% \& more \#1", "industry-leading (Amazon S3). 50% & more #1"),
        (r"keep \*this\* my\_var \[x\] a\|b", r"keep \*this\* my\_var \[x\] a\|b"),
        ("\\# no heading\n\n1\\. no item", "\\# no heading\n\n1\\. no item"),
        ("`a\\.b` and\n\n```\nc\\-d\n```", "`a\\.b` and\n\n```\nc\\-d\n```"),
        ("text\n\n    indented\\.code <T>\n\nmore\\.", "text\n\n    indented\\.code <T>\n\nmore."),
        ("import Tabs from '@site/tabs'\n\nText", "Text"),
        ("<!-- hidden\n\n# x -->Text", "Text"),
        ("{/* hidden */}Text", "Text"),
        ('<Tabs><Tab heading="AWS">\n\nText\n\n</Tab></Tabs>', "**AWS**\n\nText"),
        ("Use <NAME> and <Name> here", "Use <NAME> and <Name> here"),
        ("{% include x.md %}{{< note >}}Mind.{{< /note >}}", "Mind."),
        ("{% highlight hcl %}\na {}\n{% endhighlight %}", "```hcl\na {}\n```"),
        ("~> **Note:** Mind.", "> **Note:** Mind."),
        ("> [!NOTE]\n> Mind.", "> **Note:** Mind."),
        ("**Note**\nMind\\.", "**Note:** Mind."),
        ('!!! warning "Costs"\n    It costs.\n', "**Costs:**\nIt costs."),
        (":::tip Faster\nDo it.\n:::", "**Faster:**\nDo it."),
        ("para\n\n------\n\nmore", "para\n\nmore"),
        ("Heading\n---\ntext", "Heading\n---\ntext"),
        ("see [x](other.md#a) and [y](#here)", "see [x](https://docs.example.com/guide/other.md#a) and y"),
        ("see [x][1] and [y]\n\n[1]: a.md\n[y]: <b.md> 'T'", "see [x](https://docs.example.com/guide/a.md) and [y](https://docs.example.com/guide/b.md)"),
        ("![A diagram of the whole network path](x.png)", "A diagram of the whole network path"),
        ("![a logo](x.png)\n\ntext ![yes](y.png)", "text yes"),
        ("[![Open in Shell](b.svg)](https://h.example/x)", "[Open in Shell](https://h.example/x)"),
        ("<code>a&#40;<var>b</var>&#41;</code> &rarr; &lt;x&gt;", "`a(b)` → &lt;x&gt;"),
        ("a<br/>b <b>bold</b>", "a b bold"),
        ("<table><tr><th>A</th></tr><tr><td>1</td></tr></table>", "| A |\n| --- |\n| 1 |"),
        ("| a | <ul><li>x</li><li>y</li></ul> |", "| a |   x; y   |"),
        ("**Topics**\n+ [A](#a)\n+ [B](#b)\n+ [C](#c)\n\nText", "Text"),
        ("```\n<!-- kept -->\n[x](y)\n```", "```\n<!-- kept -->\n[x](y)\n```"),
        ("avail\u00adability\u00a0zone\x00", "availability zone"),
    ],
)  # fmt: skip
def test_machinery_goes_and_words_stay(published: str, plain: str) -> None:
    assert cleaned(published) == plain


def test_relative_links_without_an_address_are_reduced_to_their_words() -> None:
    assert cleaned("[x](y.md) [z](https://h.example/)", url=None) == "x [z](https://h.example/)"


def test_a_fence_that_is_never_closed_is_code_to_the_end() -> None:
    assert cleaned("```\na\\.b\n\n# c") == "```\na\\.b\n\n# c"


@settings(max_examples=150, deadline=None)
@given(st.text(alphabet="ab\\`*_[]()<>!#-|:{}%&;./\n \ue0001", max_size=400))
def test_no_text_is_a_crash_and_cleaning_is_settled(text: str) -> None:
    assert "\ue000" not in cleaned(text)


@pytest.mark.parametrize(
    "unit",
    ["[", "`", "<", "[a](", "![", "\\[", "<!--", "{%", "<ul>", "[a]: b\n", "**Topics**\n", "--- \n", "<Tab", "a ` b "],
)
def test_long_runs_of_markup_are_read_to_their_end(unit: str) -> None:
    assert cleaned(unit * (40_000 // len(unit)) + "\n\n# End\n\nlast words").count("last words") <= 1
