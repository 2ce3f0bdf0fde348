"""Takes secrets and personal data out of a text before anything else sees it."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Iterator
from dataclasses import dataclass, replace

from guardrails.rules import PERSONAL, SECRETS, Rule
from rag.types import Notice, Question

SECRET_TYPES = frozenset(rule.type for rule in SECRETS)
WARNING = (
    "Your message held something that looks like a secret ({kinds}). It was removed before anything was stored."
    " Delete the message, and revoke or rotate the secret now."
)


@dataclass(frozen=True, slots=True)
class Span:
    """Where something was found: code points of the text, end excluded."""

    start: int
    end: int
    type: str


@dataclass(frozen=True, slots=True)
class Redacted:
    """A text with masks such as [EMAIL_1] in the place of what was found."""

    text: str
    spans: tuple[Span, ...]

    @property
    def secrets(self) -> tuple[str, ...]:
        """The types of secrets found, each once."""
        return tuple(dict.fromkeys(span.type for span in self.spans if span.type in SECRET_TYPES))


def redact(text: str) -> Redacted:
    """Mask secrets and personal data. The same value gets the same mask; where two rules meet, secrets and then the
    longer match win."""
    spans = sorted(_longest(_found(text)), key=lambda span: span.start)
    numbers: dict[tuple[str, str], int] = {}
    counts: Counter[str] = Counter()
    pieces, position = [], 0
    for span in spans:
        value = (span.type, text[span.start : span.end])
        if value not in numbers:
            counts[span.type] += 1
            numbers[value] = counts[span.type]
        pieces += [text[position : span.start], f"[{span.type}_{numbers[value]}]"]
        position = span.end
    return Redacted("".join([*pieces, text[position:]]), tuple(spans))


class Redaction:
    """The screen that rewrites a question without its secrets and personal data, and warns about secrets."""

    async def screen(self, question: Question) -> Question:
        redacted = redact(question.text)
        if not redacted.spans:
            return question
        notices = question.notices
        if redacted.secrets:
            kinds = ", ".join(kind.lower().replace("_", " ") for kind in redacted.secrets)
            notices = (*notices, Notice("secret", WARNING.format(kinds=kinds)))
        return replace(question, text=redacted.text, notices=notices)


def _found(text: str) -> Iterator[tuple[int, Span]]:
    for priority, rules in enumerate((SECRETS, PERSONAL)):
        for rule in rules:
            for span in _matches(rule, text):
                yield priority, span


def _matches(rule: Rule, text: str) -> Iterator[Span]:
    for match in rule.pattern.finditer(text):
        group = 1 if rule.pattern.groups else 0
        if rule.holds(match.group(group)):
            yield Span(*match.span(group), rule.type)


def _longest(found: Iterable[tuple[int, Span]]) -> list[Span]:
    kept: list[Span] = []
    for _, span in sorted(found, key=lambda item: (item[0], item[1].start - item[1].end, item[1].start)):
        if all(span.end <= other.start or span.start >= other.end for other in kept):
            kept.append(span)
    return kept
