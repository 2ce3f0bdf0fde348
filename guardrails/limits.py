"""Turns away what is no question at all, or too much of one."""

from __future__ import annotations

from collections.abc import Callable

from rag.answer import refusal
from rag.types import Answer, Question

LONGEST = 4_000
"""Characters of a question that is searched for."""


class Limits:
    """The screen for empty and overlong questions."""

    def __init__(self, new_id: Callable[[], str]) -> None:
        self._new_id = new_id

    async def screen(self, question: Question) -> Question | Answer:
        if not any(character.isalnum() for character in question.text):
            return refusal(
                self._new_id(), question, "empty", "There is no question here yet. What would you like to know?"
            )
        if len(question.text) > LONGEST:
            words = f"That is {len(question.text):,} characters; up to {LONGEST:,} can be answered. Ask the core of it."
            return refusal(self._new_id(), question, "too_long", words)
        return question
