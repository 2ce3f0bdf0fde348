"""What to search for when a question leans on the ones before it."""

from __future__ import annotations

import re

from rag import lexicon
from rag.types import Question

FEW = 3
"""Terms up to which a question says too little to be searched for alone."""
_LEANING = re.compile(
    r"^\s*(?:and|but|so|also|then|why|what about|how about|or)\b|"
    r"\b(?:it|its|they|them|their|that|this|these|those|one|ones|the same|the other|instead|both|former|latter)\b",
    re.IGNORECASE,
)


def search_text(question: Question) -> str:
    """The question's text, after the last question before it when it leans on that one: a pronoun, or few terms."""
    if not question.history:
        return question.text
    few = len(set(lexicon.words(question.text))) <= FEW
    if few or _LEANING.search(question.text):
        return f"{question.history[-1].question} {question.text}"
    return question.text
