"""What every way of answering shares: numbered citations, and the words for what the documents do not cover."""

from __future__ import annotations

from collections.abc import Iterable, Sequence

from rag.reading import Reading
from rag.types import Answer, Citation, Passage, Question, Reason

NEARBY = 3
"""How many subjects an answer names that lie near an uncovered question."""


class Numbering:
    """Gives sources their citation numbers, in the order of their first use."""

    def __init__(self, passages: Sequence[Passage]) -> None:
        self._passages = passages
        self._numbers: dict[int, int] = {}

    def number(self, source: int) -> int:
        """The citation number of the passage at this index."""
        return self._numbers.setdefault(source, len(self._numbers) + 1)

    def citations(self) -> tuple[Citation, ...]:
        """One citation for each number given, in order."""
        return tuple(
            Citation(
                number, source, self._passages[source].url, self._passages[source].title, self._passages[source].heading
            )
            for source, number in self._numbers.items()
        )


def refusal(answer_id: str, question: Question, reason: Reason, text: str) -> Answer:
    """An answer that declines for a reason; nothing was searched."""
    return Answer(answer_id, "refusal", reason, text, question.text, notices=question.notices)


def not_covered(answer_id: str, question: Question, reading: Reading, missing: str = "") -> Answer:
    """Says that the documents do not cover the question, what is missing, and what lies nearest in them."""
    text = f"The documents don't cover this. {missing}".strip()
    if nearby := _distinct(passage.title for passage in reading.passages):
        text += " Nearest in them: " + "; ".join(nearby[:NEARBY]) + "."
    return Answer(
        answer_id,
        "unknown",
        "not_covered",
        text,
        question.text,
        passages=reading.passages,
        confidence=reading.confidence,
        notices=question.notices,
    )


def _distinct(titles: Iterable[str]) -> list[str]:
    return list(dict.fromkeys(title for title in titles if title))
