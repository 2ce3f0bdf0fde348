"""The form of a deterministic rule: a pattern and what must hold for its match."""

from __future__ import annotations

import re
from collections.abc import Callable, Iterator
from dataclasses import dataclass

Match = re.Match[str]


@dataclass(frozen=True, slots=True)
class Found:
    """Something that a rule found: characters of the text that was searched, end excluded."""

    start: int
    end: int
    type: str


def always(match: Match) -> bool:
    """The pattern says it all."""
    return True


def value(match: Match) -> str:
    """What a match stands for: its group `v`, or all of it."""
    return match[_group(match)]


@dataclass(frozen=True, slots=True)
class Rule:
    """What `pattern` matches (its group `v`, if it has one) is of `type` if `holds` says so.

    Patterns take time linear in the text: every repetition is bounded, and where a match may begin, a look-behind
    keeps it from beginning at every character of a long run.
    """

    type: str
    pattern: re.Pattern[str]
    holds: Callable[[Match], bool] = always

    def find(self, text: str) -> Iterator[Found]:
        """Everything that the rule finds, in order."""
        for match in self.pattern.finditer(text):
            if self.holds(match):
                yield Found(*match.span(_group(match)), self.type)


def rule(type_: str, pattern: str, holds: Callable[[Match], bool] = always) -> Rule:
    """A rule from the text of its pattern."""
    return Rule(type_, re.compile(pattern), holds)


def _group(match: Match) -> str | int:
    return "v" if "v" in match.re.groupindex else 0
