"""Checks that gold questions can be trusted: their labels point at text, and the second phrasing gives nothing away."""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import AsyncIterator, Iterator, Mapping
from dataclasses import dataclass

from eval.dataset import Gold, GoldSet
from eval.ground import Ground
from eval.matching import holds
from eval.runner import askable
from rag import lexicon
from rag.library import Shown

MOST_WORDS = 8
PRODUCTS = re.compile(
    r"\b(?:amazon|aws|s3|ec2|ebs|efs|iam|vpc|rds|sqs|elb|kms|aurora|lambda|cloudfront|route 53|auto scaling"
    r"|google|gcp|gke|gce|gcsfuse|iap|compute engine|cloud (?:run|sql|storage|nat|pub/sub)|pub/sub|kubernetes|knative"
    r"|hcp|hcl|tfe|terraform)\b",
    re.IGNORECASE,
)
"""Names that a question can hardly do without, and so may share with the words that answer it."""


@dataclass(frozen=True, slots=True)
class Problem:
    """What is wrong with a question. A warning lowers what the question can show, but does not make it wrong."""

    question: str
    what: str
    warning: bool = False


async def check_gold(gold: GoldSet, ground: Ground) -> AsyncIterator[Problem]:
    """Everything that is wrong with these questions, as far as their documents are here."""
    for problem in repeated_ids(gold):
        yield problem
    library = ground.app.library
    for question in askable(gold, ground).answerable:
        stored: dict[str, Shown] = {}
        for key in question.documents:
            shown = await library.show(ground.prefix + question.tenant, key)
            stored |= {document.key: document for document in shown if document.key == key}
        for problem in (*wording(question), *labels(question, stored, ground.present)):
            yield problem


def repeated_ids(gold: GoldSet) -> Iterator[Problem]:
    """Ids that more than one question has."""
    ids = Counter([question.id for question in gold.answerable] + [question.id for question in gold.unanswerable])
    yield from (Problem(name, f"{count} questions have this id") for name, count in ids.items() if count > 1)


def wording(question: Gold) -> Iterator[Problem]:
    """A substring that is too long, or a second phrasing that shares its words."""
    if (count := len(question.substring.split())) > MOST_WORDS:
        yield Problem(question.id, f"the substring has {count} words, more than {MOST_WORDS}")
    asked, needle = (set(lexicon.words(PRODUCTS.sub(" ", text))) for text in (question.paraphrase, question.substring))
    if leaks := asked & needle:
        yield Problem(question.id, f"the paraphrase shares with the substring: {', '.join(sorted(leaks))}")


def labels(question: Gold, stored: Mapping[str, Shown], present: frozenset[str]) -> Iterator[Problem]:
    """A substring that the document as stored does not say, or that no chunk holds whole."""
    for key in sorted(question.documents):
        document = stored.get(key)
        warning = key != question.document
        if document is None:
            if key in present or key.startswith("ingest/starter/"):
                yield Problem(question.id, f"{key} is not stored", warning)
        elif not holds(document.markdown, question.substring):
            yield Problem(question.id, f"{key} does not say the substring", warning)
        elif not any(holds(chunk.text, question.substring) for chunk in document.chunks):
            yield Problem(question.id, f"no chunk of {key} holds the substring whole", warning)
