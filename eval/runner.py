"""Asks the gold questions of the product's own retriever, one variant of its settings after another."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from time import perf_counter

from bot.wiring import build_retriever
from eval.dataset import Gold, GoldSet, Phrasing, Unanswerable
from eval.gate import Gate, Verdict, judge_gate
from eval.ground import Ground
from eval.metrics import SHOWN, Metrics, Ranking, needle_rank, slices
from rag.reading import Reader, Reading
from rag.remember import Remembering
from rag.retrieve import Retriever

VARIANTS: Mapping[str, Mapping[str, str]] = {
    "hybrid": {"mode": "hybrid", "lexical": "bm25", "fusion": "coverage"},
    "dense": {"mode": "dense", "lexical": "bm25", "fusion": "coverage"},
    "sparse": {"mode": "sparse", "lexical": "bm25", "fusion": "coverage"},
    "rrf": {"mode": "hybrid", "lexical": "bm25", "fusion": "rrf"},
    "zsum": {"mode": "hybrid", "lexical": "bm25", "fusion": "zsum"},
    "and-rrf": {"mode": "hybrid", "lexical": "and", "fusion": "rrf"},
}
"""Settings by the name of the variant: coverage-scaled fusion is the default, the last has the AND-tsvector leg."""
WIDE = 1_000_000
"""A budget, in characters, that no ranking of candidates fills."""


@dataclass(frozen=True, slots=True)
class Result:
    """What a variant did with the questions."""

    variant: str
    rankings: tuple[Ranking, ...]
    verdicts: tuple[Verdict, ...]

    def metrics(self) -> dict[str, Metrics]:
        """Over all questions, then by tenant, half and phrasing."""
        return slices(self.rankings)

    def gate(self) -> Gate | None:
        """How the confidence gate did, where unanswerable questions were asked, too."""
        return judge_gate(self.verdicts)


class Asker:
    """Asks one variant: the product's search as it is, and the same without a budget for the whole ranking."""

    def __init__(self, ground: Ground, variant: str) -> None:
        embedder = Remembering(ground.embedder)
        settings, wide = ground.settings(**VARIANTS[variant]), ground.settings(**VARIANTS[variant], budget_chars=WIDE)
        self._product: Retriever = build_retriever(settings, ground.app.pool, embedder)
        self._reader = Reader(self._product, embedder, ground.app.settings.gate)
        self._whole: Retriever = build_retriever(wide, ground.app.pool, embedder)
        self._prefix = ground.prefix

    async def warm_up(self, tenant: str) -> None:
        """Search once, so that no question pays for what is done once."""
        await self._product.retrieve(self._prefix + tenant, "warm up")

    async def rank(self, gold: Gold, phrasing: Phrasing, text: str) -> tuple[Ranking, Verdict]:
        """Ask an answerable question in one phrasing."""
        start = perf_counter()
        await self._product.retrieve(self._prefix + gold.tenant, text)
        seconds = perf_counter() - start
        found = await self._whole.retrieve(self._prefix + gold.tenant, text)
        ranking = Ranking(
            question=gold.id,
            tenant=gold.tenant,
            half=gold.half,
            phrasing=phrasing,
            rank=needle_rank(gold, found.passages),
            characters=sum(len(passage.text) for passage in found.passages[:SHOWN]),
            seconds=seconds,
        )
        return ranking, _verdict(gold, phrasing, await self._reader.read(self._prefix + gold.tenant, text))

    async def judge(self, question: Unanswerable, phrasing: Phrasing, text: str) -> Verdict:
        """Ask an unanswerable question in one phrasing."""
        return _verdict(question, phrasing, await self._reader.read(self._prefix + question.tenant, text))


async def run_variants(ground: Ground, gold: GoldSet, variants: Sequence[str]) -> tuple[Result, ...]:
    """Ask every question in every phrasing of all variants in turn, so that a busy moment slows them all alike."""
    askers = {variant: Asker(ground, variant) for variant in variants}
    rankings: dict[str, list[Ranking]] = {variant: [] for variant in variants}
    verdicts: dict[str, list[Verdict]] = {variant: [] for variant in variants}
    for tenant in dict.fromkeys(question.tenant for question in gold.answerable):
        for asker in askers.values():
            await asker.warm_up(tenant)
    for question in gold.answerable:
        for phrasing, text in question.phrasings.items():
            for variant, asker in askers.items():
                ranking, verdict = await asker.rank(question, phrasing, text)
                rankings[variant].append(ranking)
                verdicts[variant].append(verdict)
    for outside in gold.unanswerable:
        for phrasing, text in outside.phrasings.items():
            for variant, asker in askers.items():
                verdicts[variant].append(await asker.judge(outside, phrasing, text))
    return tuple(Result(variant, tuple(rankings[variant]), tuple(verdicts[variant])) for variant in variants)


def askable(gold: GoldSet, ground: Ground) -> GoldSet:
    """The questions whose documents are here; without the genuine documents, those about the notes."""
    here = [question for question in gold.answerable if question.half == "notes" or question.documents & ground.present]
    return GoldSet(tuple(here), gold.unanswerable)


def _verdict(question: Gold | Unanswerable, phrasing: Phrasing, reading: Reading) -> Verdict:
    why = question.why if isinstance(question, Unanswerable) else ""
    return Verdict(question.id, question.tenant, phrasing, why, reading.nearest, reading.confidence)
