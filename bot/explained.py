"""What the guardrails make of a message, told step by step: for people who wonder, and for measuring."""

from __future__ import annotations

from dataclasses import dataclass
from time import perf_counter

from bot.screens import Guards
from guardrails.clean import MOST, clean
from guardrails.limits import Limits
from guardrails.masks import escape_masks
from guardrails.pii import SECRET_TYPES, Span
from guardrails.redact import PLAIN, Redacted
from rag.types import Answer, Question, Turn


@dataclass(frozen=True, slots=True)
class Explanation:
    """A decision. `spans` count the code points of the text that was given; `ms` is the time of it all, and
    `deterministic_ms` that of the rules without any model."""

    verdict: str
    rule: str
    text: str
    spans: tuple[Span, ...]
    ms: float
    deterministic_ms: float

    def as_json(self) -> dict[str, object]:
        """`{verdict, rule, text, spans: [{start, end, type}], ms}`."""
        spans = [{"start": span.start, "end": span.end, "type": span.type} for span in self.spans]
        ms = round(self.ms, 3)
        return {"verdict": self.verdict, "rule": self.rule, "text": self.text, "spans": spans, "ms": ms}


async def explain(guards: Guards, tenant: str, text: str, history: tuple[Turn, ...] = ()) -> Explanation:
    """The decision on a message in a tenant's channel, and the text as anything after the guardrails would see it."""
    begun = perf_counter()
    redacted = _redacted(guards, tenant, text)
    question = Question(tenant, clean(redacted.text), history)
    verdict: str = "answer"
    rule = "topic: off"
    turned_away = await Limits(guards.new_id).screen(question)
    guards.judge.by_rule(question)
    deterministic = perf_counter() - begun
    if isinstance(turned_away, Answer):
        verdict, rule = turned_away.reason, "limits"
    elif guards.modes.mode(tenant, "topic") != "off":
        judged = await guards.judge.judge(question)
        verdict, rule = judged.label, judged.rule
    passed = perf_counter() - begun
    return Explanation(verdict, rule, question.text, redacted.spans, 1e3 * passed, 1e3 * deterministic)


def _redacted(guards: Guards, tenant: str, text: str) -> Redacted:
    mode = guards.modes.mode(tenant, "pii")
    escaped = escape_masks(text[:MOST])
    found = [] if mode == "off" else guards.recognizers.get(tenant, PLAIN).find(escaped)
    return Redacted.of(escaped, [span for span in found if mode == "enforce" or span.type in SECRET_TYPES])
