"""Measures what to search for when a question follows others: the product's rule beside simpler ones."""

from __future__ import annotations

import re
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from time import perf_counter
from typing import Literal

from pydantic import TypeAdapter, ValidationError
from pydantic.dataclasses import dataclass as checked
from rich.console import Console

from bot.wiring import build_retriever
from eval.dataset import FOLDER, Gold, load_gold
from eval.ground import Ground, open_ground
from eval.metrics import SHOWN, Ranking, needle_rank
from eval.runner import VARIANTS, WIDE, askable
from rag.errors import ConfigError
from rag.followup import search_text
from rag.remember import Remembering
from rag.retrieve import Retriever
from rag.settings import Settings
from rag.types import Question, Turn

PATH = FOLDER / "followups" / "questions.jsonl"
PRODUCT = "the product's"
Kind = Literal["leaning", "new", "gold"]
Rule = Callable[[Question], str]
_PRONOUN = re.compile(
    r"\b(?:it|its|they|them|their|that|this|these|those|ones?|the same|the other|both|former|latter)\b", re.IGNORECASE
)


@checked(frozen=True, slots=True)
class FollowUp:
    """A question after others: it is `leaning` on them, or it stands alone and begins a `new` subject.

    `substring` stands verbatim in `document`, and perhaps in those of `also`; the last of `history` is the exchange
    just before. A `gold` one is a gold question after another, of which none was written with a history in mind.
    """

    id: str
    tenant: str
    document: str
    substring: str
    kind: Kind
    history: tuple[Turn, ...]
    question: str
    also: tuple[str, ...] = ()

    @property
    def gold(self) -> Gold:
        """The label, as rankings are judged by it."""
        return Gold(self.id, self.tenant, self.document, self.substring, self.question, "", also=self.also)

    def asked(self, prefix: str) -> Question:
        """The question as the coach hands it on, of the tenant that the prefix makes."""
        return Question(prefix + self.tenant, self.question, self.history)


@dataclass(frozen=True, slots=True)
class Followed:
    """How the rules did, by their names: one ranking a question. `kinds` by question; `left_out` lack a document."""

    rankings: Mapping[str, tuple[Ranking, ...]]
    kinds: Mapping[str, Kind]
    left_out: int

    def of(self, rule: str, kind: Kind | None = None) -> tuple[Ranking, ...]:
        """The rankings of a rule, of one kind of question or of all."""
        return tuple(r for r in self.rankings[rule] if kind is None or self.kinds[r.question] == kind)


def alone(question: Question) -> str:
    """The question's text, whatever came before."""
    return question.text


def after_the_last(question: Question) -> str:
    """The last question and this one, whatever this one says."""
    return f"{question.history[-1].question} {question.text}" if question.history else question.text


def at_a_pronoun(question: Question) -> str:
    """The product's rule, and the last question also before one with a pronoun anywhere."""
    return after_the_last(question) if _PRONOUN.search(question.text) else search_text(question)


RULES: Mapping[str, Rule] = {
    PRODUCT: search_text,
    "never prepend": alone,
    "always prepend": after_the_last,
    "at pronouns, too": at_a_pronoun,
}
"""What is searched for, by the name of the rule; the product's comes first, and the others are compared with it."""


def load_follow_ups(path: Path = PATH) -> tuple[FollowUp, ...]:
    """The labelled follow-ups. Raises ConfigError naming the line that does not fit."""
    adapter, found = TypeAdapter(FollowUp), []
    for number, line in enumerate(path.read_text(encoding="utf-8").splitlines(), start=1):
        try:
            found.append(adapter.validate_json(line))
        except ValidationError as error:
            first = error.errors(include_url=False, include_input=False)[0]
            raise ConfigError(f"{path.name}:{number}: {first['loc']}: {first['msg']}. Correct it.") from None
    return tuple(found)


def after_one_another(gold: Sequence[Gold]) -> tuple[FollowUp, ...]:
    """Each gold question after the one before it in the tenant's list, the first after the last."""
    found = []
    for tenant in dict.fromkeys(each.tenant for each in gold):
        own = [each for each in gold if each.tenant == tenant]
        for before, each in zip([own[-1], *own[:-1]], own, strict=True):
            history = (Turn(before.question, before.substring),)
            found.append(
                FollowUp(each.id, tenant, each.document, each.substring, "gold", history, each.question, each.also)
            )
    return tuple(found)


async def follow(settings: Settings, console: Console) -> Followed:
    """Search for every follow-up by every rule, with the product's own retriever on the evaluation's ground."""
    async with open_ground(settings.model_copy(update=VARIANTS["hybrid"]), console) as ground:
        questions = load_follow_ups()
        here = [each for each in questions if each.gold.half == "notes" or each.document in ground.present]
        left_out = len(questions) - len(here)
        here += after_one_another(askable(load_gold(), ground).answerable)
        retriever = build_retriever(ground.settings(budget_chars=WIDE), ground.app.pool, Remembering(ground.embedder))
        rankings = {name: await _rank(retriever, rule, here, ground) for name, rule in RULES.items()}
        return Followed(rankings, {each.id: each.kind for each in here}, left_out)


async def _rank(retriever: Retriever, rule: Rule, questions: Sequence[FollowUp], ground: Ground) -> tuple[Ranking, ...]:
    rankings = []
    for each in questions:
        question = each.asked(ground.prefix)
        start = perf_counter()
        found = await retriever.retrieve(question.tenant, rule(question))
        rankings.append(
            Ranking(
                question=each.id,
                tenant=each.tenant,
                half=each.gold.half,
                phrasing="question",
                rank=needle_rank(each.gold, found.passages),
                characters=sum(len(passage.text) for passage in found.passages[:SHOWN]),
                seconds=perf_counter() - start,
            )
        )
    return tuple(rankings)
