"""Loads named SQL statements from the `.sql` file beside a repository."""

from __future__ import annotations

import re
from importlib.resources import files
from typing import LiteralString, cast


def load_queries(name: str, package: str = "rag") -> dict[str, LiteralString]:
    """The statements of `<package>/<name>.sql`, by the name in the `-- name --` line above each."""
    text = (files(package) / f"{name}.sql").read_text(encoding="utf-8")
    parts = re.split(r"^-- (\w+) --$", text, flags=re.MULTILINE)[1:]
    return {key: cast(LiteralString, body.strip()) for key, body in zip(parts[::2], parts[1::2], strict=True)}
