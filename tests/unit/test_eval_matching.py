from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from eval.matching import holds, plain


@pytest.mark.parametrize(
    ("markdown", "expected"),
    [
        ("## A *bold*  **claim**\n\nand `code`", "a bold claim and code"),
        ('See [the guide](https://a.example/b_(c) "Title") now', "see the guide now"),
        ("![An image](x.png) stays as its text", "an image stays as its text"),
        ("1. First\n2. Second", "first second"),
        ("| a | b |", "a b"),
        ("> quoted\n> twice", "quoted twice"),
        (r"up to 5 GB \(per object\)", "up to 5 gb (per object)"),
        ("line one<br/>line two", "line one line two"),
        ("it’s prevent_destroy", "it's prevent_destroy"),
        ("_emphasis_ and __more__", "emphasis and more"),
    ],
)
def test_plain_text_has_no_markdown_left(markdown: str, expected: str) -> None:
    assert plain(markdown) == expected


def test_a_substring_is_found_across_marks_and_line_breaks() -> None:
    assert holds("Then it can **never**\nreturn to an [unversioned](u) state.", "It can never return to an unversioned")


def test_a_substring_that_is_not_said_is_not_found() -> None:
    assert not holds("It can always return.", "it can never return")


@given(st.text())
def test_plain_text_is_folded(text: str) -> None:
    assert "  " not in plain(text) and plain(text) == plain(text).strip()
