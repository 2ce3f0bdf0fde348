"""The header of a Markdown file: what it says of itself."""

from __future__ import annotations

import re
import tomllib
from typing import Any

import yaml

_YAML = re.compile(r"\A---[ \t]*\n(.*?)^(?:---|\.\.\.)[ \t]*(?:\n|\Z)", re.DOTALL | re.MULTILINE)
_TOML = re.compile(r"\A\+\+\+[ \t]*\n(.*?)^\+\+\+[ \t]*(?:\n|\Z)", re.DOTALL | re.MULTILINE)


def split_front_matter(text: str) -> tuple[dict[str, Any], str]:
    """The values of a YAML or TOML header, and the text after it; no values where no header can be read."""
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
