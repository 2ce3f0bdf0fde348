"""The onion: an answerer whose questions pass the screens first."""

from __future__ import annotations

from collections.abc import Sequence
from contextlib import aclosing
from dataclasses import replace

from guardrails.clean import clean
from rag import trace
from rag.types import Answer, Answerer, Events, Question, Screen


class Guarded:
    """Asks each screen in turn; the first that answers ends it, otherwise the inner answerer does."""

    def __init__(self, inner: Answerer, screens: Sequence[Screen]) -> None:
        self._inner = inner
        self._screens = tuple(screens)

    async def answer(self, question: Question) -> Events:
        with trace.span("screens", tenant=question.tenant):
            screened = await self._screen(replace(question, text=clean(question.text)))
        if isinstance(screened, Answer):
            yield screened
            return
        async with aclosing(self._inner.answer(screened)) as events:
            async for event in events:
                yield event

    async def _screen(self, question: Question) -> Question | Answer:
        for screen in self._screens:
            result = await screen.screen(question)
            if isinstance(result, Answer):
                return result
            question = result
        return question
