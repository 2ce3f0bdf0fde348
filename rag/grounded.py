"""Answers that a chat model writes from the passages; when no model can, the documents are quoted."""

from __future__ import annotations

import logging
from collections.abc import AsyncGenerator, Callable, Sequence
from contextlib import aclosing
from dataclasses import replace
from functools import reduce

from rag import trace
from rag.answer import not_covered
from rag.draft import Draft, End
from rag.extractive import ExtractiveAnswerer
from rag.followup import search_text
from rag.prompts import PromptVersion, compose, repair
from rag.reading import Reader, Reading
from rag.released import Release, citation_numbers
from rag.types import (
    Answer,
    ChatModel,
    Citation,
    Delta,
    Events,
    Notice,
    Passage,
    Question,
    Restart,
    Usage,
)

log = logging.getLogger(__name__)

GIVEN_UP = "a draft was given up"
"""The log line with `model` and `why`, which metrics count."""
MAX_TOKENS = 900
"""Room for the longest form of answer that the prompts ask for."""
TRIES = 2
"""Drafts asked of one model: a second one after a draft that was withheld or empty."""
QUOTED = Notice("provider", "No language model could answer just now: these are the documents' own words.", False)
CUT = Notice("cut", "The answer grew too long and ends early. Ask for the part that is missing.", False)


class GroundedAnswerer:
    """Has the first model write, the next one when it fails, and quotes the documents when all do."""

    def __init__(
        self,
        reader: Reader,
        models: Sequence[ChatModel],
        quoting: ExtractiveAnswerer,
        prompt: PromptVersion,
        new_id: Callable[[], str],
    ) -> None:
        self._reader = reader
        self._models = tuple(models)
        self._quoting = quoting
        self._prompt = prompt
        self._new_id = new_id

    async def answer(self, question: Question) -> Events:
        """Checked text as it comes, a Restart where a draft is given up, then the Answer."""
        reading = await self._reader.read(question.tenant, search_text(question))
        if not reading.covered:
            yield not_covered(self._new_id(), question, reading)
            return
        async with aclosing(self._written(question, reading)) as events:
            async for event in events:
                yield event

    async def _written(self, question: Question, reading: Reading) -> Events:
        spent: list[Usage] = []
        for model in self._models:
            messages = compose(self._prompt, question, reading.passages, self._new_id()[:8])
            room = MAX_TOKENS
            for _ in range(TRIES):
                text, end = "", End("failed")
                async with aclosing(self._draft(Draft(model, messages, room), question, reading)) as draft:
                    async for event in draft:
                        if isinstance(event, End):
                            end = event
                        else:
                            text += event
                            yield Delta(event)
                spent += [end.usage] if end.usage else []
                if end.kind in ("done", "cut", "uncovered"):
                    yield self._answer(question, reading, text, end, _total(spent))
                    return
                log.warning(GIVEN_UP, extra={"model": model.name, "why": end.kind})
                if text:
                    yield Restart("provider" if end.kind == "failed" else "repair")
                if end.kind == "failed":
                    break
                messages, room = repair(messages, end.detail), 2 * MAX_TOKENS
        async with aclosing(self._quoting.quote(question, reading)) as quotes:
            async for quoted in quotes:
                yield _quoted(quoted, spent) if isinstance(quoted, Answer) else quoted

    async def _draft(self, draft: Draft, question: Question, reading: Reading) -> AsyncGenerator[str | End, None]:
        """The draft's events, under the spans of the model's call and of the output screen that it passes."""
        tenant = question.tenant
        with (
            trace.generator_span("generate", "LLM", tenant=tenant) as generate,
            trace.generator_span("release", "GUARDRAIL", tenant=tenant) as release,
        ):
            generate.set_attributes({**trace.model(draft.model.name), "llm.prompt_template.version": self._prompt})
            writing = draft.write(Release(reading.passages, question.text))
            async with aclosing(trace.within(generate, writing)) as events:
                async for event in events:
                    if isinstance(event, End):
                        generate.set_attributes(trace.usage(event.usage) if event.usage else {})
                        release.set_attribute("certcoach.draft", event.kind)
                        if event.kind == "withheld":
                            release.set_attribute("certcoach.rule", event.detail.partition(" ")[0])
                    yield event

    def _answer(self, question: Question, reading: Reading, text: str, end: End, usage: Usage | None) -> Answer:
        if end.kind == "uncovered":
            return replace(not_covered(self._new_id(), question, reading, missing=end.detail), usage=usage)
        return Answer(
            self._new_id(),
            "answer",
            "none",
            text,
            question.text,
            _citations(text, reading.passages),
            reading.passages,
            reading.confidence,
            usage,
            (*question.notices, CUT) if end.kind == "cut" else question.notices,
        )


def _quoted(answer: Answer, spent: Sequence[Usage]) -> Answer:
    return replace(answer, usage=_total(spent), notices=(*answer.notices, QUOTED))


def _total(spent: Sequence[Usage]) -> Usage | None:
    """All that an answer cost, under the name of the model that was asked last."""
    return reduce(_add, spent) if spent else None


def _add(first: Usage, second: Usage) -> Usage:
    known = first.usd is not None and second.usd is not None
    usd = (first.usd or 0) + (second.usd or 0) if known else None
    return Usage(second.model, first.input + second.input, first.output + second.output, usd)


def _citations(text: str, passages: Sequence[Passage]) -> tuple[Citation, ...]:
    return tuple(
        Citation(number, number - 1, passages[number - 1].url, passages[number - 1].title, passages[number - 1].heading)
        for number in citation_numbers(text)
    )
