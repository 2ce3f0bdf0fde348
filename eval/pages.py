"""Pages of the documentation that people and programs write together: the generated part stands between two markers."""

from __future__ import annotations

from pathlib import Path

from rag.errors import ConfigError

START = "<!-- generated: {} -->"
END = "<!-- end of generated: {} -->"


def write_part(path: Path, name: str, content: str) -> None:
    """Put the content between the markers of this name.

    Raises ConfigError when the page lacks them.
    """
    page = path.read_text(encoding="utf-8") if path.is_file() else ""
    path.write_text(replace_part(page, name, content, path.name), encoding="utf-8")


def replace_part(page: str, name: str, content: str, file: str = "the page") -> str:
    """The page with this content between the markers of this name. Raises ConfigError when it lacks them."""
    start, end = START.format(name), END.format(name)
    before, opened, rest = page.partition(start)
    _, closed, after = rest.partition(end)
    if not opened or not closed:
        raise ConfigError(f"{file} lacks the lines {start} and {end}. Put them where the figures belong.")
    return f"{before}{start}\n\n{content.strip()}\n\n{end}{after}"
