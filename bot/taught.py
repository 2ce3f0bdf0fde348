"""A judge that moderators teach: a tenant's own examples count beside those that come with the product."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Mapping, Sequence
from dataclasses import dataclass

from guardrails.examples import Examples
from guardrails.terms import Terms
from guardrails.topic import Judge, Verdict
from guardrails.wordings import Label
from rag.types import Question

RULE = "taught"
"""The rule of a verdict on a message that a moderator has labelled, word for word."""


@dataclass(frozen=True, slots=True)
class Example:
    """A redacted message and what it is."""

    text: str
    label: Label


@dataclass(frozen=True, slots=True)
class _Lesson:
    """What one tenant has taught: single messages, and a judge of others that knows them."""

    examples: tuple[Example, ...]
    labels: Mapping[str, Label]
    judge: Judge


class Taught(Judge):
    """Labels messages as its tenants have taught it, and as any judge where they have not."""

    def __init__(self, terms: Terms, examples: Examples | None = None) -> None:
        super().__init__(terms, examples)
        self._lessons: dict[str, _Lesson] = {}

    def teach(self, tenant: str, examples: Sequence[Example]) -> None:
        """Take these for the tenant's own examples, in the place of earlier ones."""
        lesson = self._lessons.get(tenant)
        if tuple(examples) != (lesson.examples if lesson else ()):
            self._lessons[tenant] = self._lesson(tuple(examples))

    async def judge(self, question: Question) -> Verdict:
        """The verdict on a message. What a moderator said of the same words goes before every rule."""
        lesson = self._lessons.get(question.tenant)
        if lesson is None:
            return await super().judge(question)
        label = lesson.labels.get(_key(question.text))
        if label is None:
            return await lesson.judge.judge(question)
        return Verdict(label, RULE, question.text if label == "answer" else "")

    def _lesson(self, examples: tuple[Example, ...]) -> _Lesson:
        own: defaultdict[str, list[str]] = defaultdict(list)
        for example in examples:
            own[example.label].append(example.text)
        known = self._examples.with_own(own) if self._examples and own else self._examples
        labels = {_key(example.text): example.label for example in examples}
        return _Lesson(examples, labels, Judge(self._terms, known))


def _key(text: str) -> str:
    return " ".join(text.casefold().split())
