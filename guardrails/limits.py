"""Turns away what is no question at all, or too much of one."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import replace

from rag.answer import refusal
from rag.types import Answer, Question

LONGEST = 4_000
"""Characters of a question that is searched for."""
EMPTY = "There is no question here yet. What would you like to know?"


class Limits:
    """The screen for empty and overlong questions. Of an overlong one only the beginning is kept."""

    def __init__(self, new_id: Callable[[], str]) -> None:
        self._new_id = new_id

    async def screen(self, question: Question) -> Question | Answer:
        if not any(character.isalnum() or ord(character) > 0x2190 for character in question.text):
            return refusal(self._new_id(), question, "empty", EMPTY)
        if len(question.text) > LONGEST:
            words = f"That is {len(question.text):,} characters; up to {LONGEST:,} can be answered. Ask the core of it."
            return refusal(self._new_id(), replace(question, text=question.text[:LONGEST]), "too_long", words)
        return question
