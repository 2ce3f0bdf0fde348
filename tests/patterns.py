"""Every regular expression of a package, found in its modules, so that none escapes the tests of its speed."""

from __future__ import annotations

import importlib
import pkgutil
import re
from collections.abc import Iterator
from dataclasses import fields, is_dataclass


def patterns(package: str) -> dict[str, re.Pattern[str]]:
    """The compiled expressions of a package by where they stand, each once."""
    found: dict[str, re.Pattern[str]] = {}
    for module in pkgutil.iter_modules(importlib.import_module(package).__path__):
        for name, value in vars(importlib.import_module(f"{package}.{module.name}")).items():
            for path, pattern in _inside(value, f"{module.name}.{name}"):
                found.setdefault(pattern.pattern, pattern)
                found[path] = found.pop(pattern.pattern) if pattern.pattern in found else pattern
    return found


def _inside(value: object, path: str) -> Iterator[tuple[str, re.Pattern[str]]]:
    if isinstance(value, re.Pattern):
        yield path, value
    elif isinstance(value, tuple | list):
        for at, part in enumerate(value):
            yield from _inside(part, f"{path}[{at}]")
    elif isinstance(value, type):
        for name, part in vars(value).items():
            yield from _inside(part, f"{path}.{name}") if isinstance(part, re.Pattern) else ()
    elif is_dataclass(value):
        for each in fields(value):
            yield from _inside(getattr(value, each.name), f"{path}.{each.name}")
