"""What to search for when a question leans on the ones before it."""

from __future__ import annotations

import re

from rag import lexicon
from rag.types import Question

FEW = 3
"""Terms up to which a question says too little to be searched for alone."""
_CONTINUED = re.compile(r"\s*(?:and|but|so|also|then|what about|how about|or)\b", re.IGNORECASE)


def search_text(question: Question) -> str:
    """The question's text, after the last question before it when it leans on that one: few terms, or an "and …".

    Pronouns tell nothing: most of those in questions stand for something in the same question.
    """
    if not question.history:
        return question.text
    few = len(set(lexicon.words(question.text))) <= FEW
    if few or _CONTINUED.match(question.text):
        return f"{question.history[-1].question} {question.text}"
    return question.text
