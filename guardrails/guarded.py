"""The onion: an answerer whose questions pass the screens first."""

from __future__ import annotations

from collections.abc import Sequence
from contextlib import aclosing
from dataclasses import replace
from itertools import groupby

from guardrails.clean import MOST, clean
from guardrails.modes import Switched
from guardrails.redact import Redaction
from rag import trace
from rag.types import Answer, Answerer, Events, Question, Screen


class Guarded:
    """Asks each screen in turn; the first that answers ends it, otherwise the inner answerer does."""

    def __init__(self, inner: Answerer, screens: Sequence[Screen]) -> None:
        self._inner = inner
        self._stages = tuple((stage, tuple(group)) for stage, group in groupby(screens, _stage))

    async def answer(self, question: Question) -> Events:
        """What the screens leave to be answered; the whole of it is one tree of spans."""
        async with aclosing(trace.question(question.tenant, self._answered(question))) as events:
            async for event in events:
                yield event

    async def _answered(self, question: Question) -> Events:
        screened = await self._screened(replace(question, text=clean(question.text[:MOST])))
        if isinstance(screened, Answer):
            yield screened
            return
        async with aclosing(self._inner.answer(screened)) as events:
            async for event in events:
                yield event

    async def _screened(self, question: Question) -> Question | Answer:
        for stage, screens in self._stages:
            with trace.span(stage, "GUARDRAIL", tenant=question.tenant) as span:
                for screen in screens:
                    result = await screen.screen(question)
                    if isinstance(result, Answer):
                        span.set_attribute("certcoach.reason", result.reason)
                        return result
                    if result.text != question.text:
                        span.set_attribute("certcoach.rewritten", True)
                    question = result
        return question


def _stage(screen: Screen) -> str:
    inner = screen.inner if isinstance(screen, Switched) else screen
    return "redact" if isinstance(inner, Redaction) else "screens"
