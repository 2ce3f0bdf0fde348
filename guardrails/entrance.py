"""Where words come in: cleaned and redacted before anything else sees them, with masks that a conversation shares."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field

from guardrails.clean import MOST, clean
from guardrails.maskbook import MaskBook, Place
from guardrails.masks import apply_masks, escape_masks
from guardrails.modes import Modes
from guardrails.pii import SECRET_TYPES, Recognizers, Span
from guardrails.redact import PLAIN, Redacted
from rag.types import Question, Turn


@dataclass(frozen=True, slots=True)
class Entrance:
    """Takes in words for a tenant."""

    recognizers: Mapping[str, Recognizers] = field(default_factory=dict)
    modes: Modes = field(default_factory=Modes)
    masks: MaskBook | None = None

    def words(self, tenant: str, text: str) -> str:
        """Words that stand alone, such as a comment: numbered by themselves."""
        text = escape_masks(clean(text[:MOST]))
        return Redacted.of(text, self._spans(tenant, text)).text

    async def question(self, place: Place, text: str, history: tuple[Turn, ...] = ()) -> Question:
        """A question, with a private warning if it held a secret. Raises DatabaseError."""
        text = escape_masks(clean(text[:MOST]))
        spans = self._spans(place.tenant, text)
        earlier = [part for turn in history for part in (turn.question, turn.answer)]
        redacted = Redacted.of(text, spans, earlier)
        if spans and self.masks is not None:
            numbers = await self.masks.numbers(place, text, spans, earlier)
            redacted = Redacted(apply_masks(text, spans, numbers), tuple(spans))
        return Question(place.tenant, redacted.text, history, redacted.notices)

    def _spans(self, tenant: str, text: str) -> list[Span]:
        """What is taken out: everything, secrets alone where personal data is only observed, or nothing."""
        mode = self.modes.mode(tenant, "pii")
        found = [] if mode == "off" else self.recognizers.get(tenant, PLAIN).find(text)
        return [span for span in found if mode == "enforce" or span.type in SECRET_TYPES]
