"""Holds a stream of events against the contract of an answer."""

from __future__ import annotations

from contextlib import aclosing
from dataclasses import dataclass

from rag.types import Answer, Delta, Events, Restart


@dataclass(frozen=True, slots=True)
class Observed:
    """A stream that kept the contract; `error` is what ended it before its answer."""

    deltas: tuple[str, ...]
    answer: Answer | None
    error: Exception | None = None


async def observe(events: Events) -> Observed:
    """Consume the stream, and assert: at most one Answer, last; the deltas since the last Restart are a prefix of its
    text; citation numbers are 1, 2, … in the text's order and point at passages."""
    deltas: list[str] = []
    answer: Answer | None = None
    try:
        async with aclosing(events):
            async for event in events:
                assert answer is None, f"{event} came after the answer"
                match event:
                    case Delta(text):
                        deltas.append(text)
                    case Restart():
                        deltas.clear()
                    case Answer():
                        answer = event
    except AssertionError:
        raise
    except Exception as error:
        assert answer is None, "an answer was given before the failure"
        return Observed(tuple(deltas), None, error)
    assert answer is not None, "the stream ended without an answer"
    assert answer.text.startswith("".join(deltas))
    for place, citation in enumerate(answer.citations, start=1):
        assert citation.number == place and f"[{place}]" in answer.text
        assert answer.passages[citation.source].url == citation.url
    return Observed(tuple(deltas), answer)
