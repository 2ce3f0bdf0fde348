"""Switches: what a screen says is obeyed, only counted, or not asked for, by tenant."""

from __future__ import annotations

import logging
from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Literal

from opentelemetry import metrics

from rag.types import Answer, Question, Screen

log = logging.getLogger(__name__)

Mode = Literal["off", "observe", "enforce"]
_verdicts = metrics.get_meter("certcoach").create_counter(
    "certcoach.screen.verdicts", description="Messages by verdict."
)


@dataclass(frozen=True, slots=True)
class Modes:
    """The mode of each screen ("pii", "topic", "output"): a tenant's own, or the one for all."""

    standard: Mode = "enforce"
    own: Mapping[str, Mapping[str, Mode]] = field(default_factory=dict)

    def mode(self, tenant: str, screen: str) -> Mode:
        """The mode of a screen in a tenant's channels."""
        return self.own.get(tenant, {}).get(screen, self.standard)


class Observed:
    """A screen that only counts what another one would have said."""

    def __init__(self, name: str, screen: Screen) -> None:
        self._name = name
        self._screen = screen

    async def screen(self, question: Question) -> Question:
        """The question as it was."""
        result = await self._screen.screen(question)
        record(self._name, "observe", question, result)
        return question


class Switched:
    """A screen in the mode of the question's tenant. `least` is what is done even where it is only observed."""

    def __init__(self, name: str, screen: Screen, modes: Modes, least: Screen | None = None) -> None:
        self._name = name
        self.inner = screen
        self._observed = Observed(name, screen)
        self._modes = modes
        self._least = least

    async def screen(self, question: Question) -> Question | Answer:
        """What the screen says, if it is enforced."""
        mode = self._modes.mode(question.tenant, self._name)
        if mode == "off":
            return question
        if mode == "observe":
            seen = await self._observed.screen(question)
            return seen if self._least is None else await self._least.screen(seen)
        result = await self.inner.screen(question)
        record(self._name, mode, question, result)
        return result


def record(name: str, mode: Mode, question: Question, result: Question | Answer) -> None:
    """Count a verdict; log those that change something. Nobody's words are in it."""
    verdict = (
        result.reason if isinstance(result, Answer) else "passed" if result.text == question.text else ("rewritten")
    )
    fields = {"tenant": question.tenant, "screen": name, "mode": mode, "verdict": verdict}
    _verdicts.add(1, {f"certcoach.{key}": value for key, value in fields.items()})
    if verdict != "passed":
        log.info("a screen had something to say", extra=fields)
