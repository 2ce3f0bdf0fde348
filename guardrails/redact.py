"""Takes secrets and personal data out of a text before anything else sees it."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, replace
from typing import Self

from guardrails.masks import apply_masks, own_numbers
from guardrails.pii import SECRET_TYPES, Recognizers, Span
from rag.types import Notice, Question

WARNING = (
    "Your message held something that looks like a secret ({kinds}). It was removed before anything was stored."
    " Delete the message, and revoke or rotate the secret now."
)
PLAIN = Recognizers()
"""The rules for a text of no tenant."""


@dataclass(frozen=True, slots=True)
class Redacted:
    """A text with masks such as [EMAIL_1] in the place of what was found; `spans` count the text that was given."""

    text: str
    spans: tuple[Span, ...]

    @classmethod
    def of(cls, text: str, spans: Sequence[Span], earlier: Iterable[str] = ()) -> Self:
        """The text with its spans masked; numbers go on from the masks in it and in `earlier` texts."""
        return cls(apply_masks(text, spans, own_numbers(text, spans, earlier)), tuple(spans))

    @property
    def secrets(self) -> tuple[str, ...]:
        """The types of secrets found, each once."""
        return tuple(dict.fromkeys(span.type for span in self.spans if span.type in SECRET_TYPES))

    @property
    def notices(self) -> tuple[Notice, ...]:
        """A private warning, if there was a secret; it does not repeat it."""
        if not self.secrets:
            return ()
        kinds = ", ".join(kind.lower().replace("_", " ") for kind in self.secrets)
        return (Notice("secret", WARNING.format(kinds=kinds)),)


def redact(
    text: str, recognizers: Recognizers = PLAIN, earlier: Iterable[str] = (), *, secrets_only: bool = False
) -> Redacted:
    """Mask secrets and personal data. The same value gets the same mask; numbers go on from the masks in the text and
    in `earlier` texts. Redacting again changes nothing."""
    spans = [span for span in recognizers.find(text) if span.type in SECRET_TYPES or not secrets_only]
    return Redacted.of(text, spans, earlier)


class Redaction:
    """The screen that rewrites a question without its secrets and personal data, and warns about secrets.

    `recognizers` by tenant; a tenant that has none of its own gets the rules for all.
    """

    def __init__(self, recognizers: Mapping[str, Recognizers] | None = None, *, secrets_only: bool = False) -> None:
        self._recognizers = recognizers or {}
        self._secrets_only = secrets_only

    async def screen(self, question: Question) -> Question:
        recognizers = self._recognizers.get(question.tenant, PLAIN)
        earlier = [part for turn in question.history for part in (turn.question, turn.answer)]
        redacted = redact(question.text, recognizers, earlier, secrets_only=self._secrets_only)
        if not redacted.spans:
            return question
        return replace(question, text=redacted.text, notices=(*question.notices, *redacted.notices))
