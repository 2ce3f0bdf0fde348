from __future__ import annotations

from pathlib import Path

import pytest

from eval.pages import replace_part, write_part
from rag.errors import ConfigError

PAGE = "Words.\n<!-- generated: a -->\nold\n<!-- end of generated: a -->\nMore words.\n"


def test_only_the_part_between_the_markers_changes() -> None:
    page = replace_part(PAGE, "a", "new")
    assert page == "Words.\n<!-- generated: a -->\n\nnew\n\n<!-- end of generated: a -->\nMore words.\n"


def test_writing_the_same_part_twice_changes_nothing() -> None:
    once = replace_part(PAGE, "a", "new")
    assert replace_part(once, "a", "new") == once


def test_a_page_without_the_markers_is_left_alone(tmp_path: Path) -> None:
    path = tmp_path / "page.md"
    path.write_text("Words.\n")
    with pytest.raises(ConfigError, match=r"page\.md lacks"):
        write_part(path, "a", "new")
    assert path.read_text() == "Words.\n"
