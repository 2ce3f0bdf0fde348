"""Retrieval metrics at passage level, computed by ir-measures."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass
from statistics import fmean, median

from eval.dataset import Gold, Half, Phrasing
from eval.matching import holds
from rag.errors import ConfigError
from rag.types import Passage

try:
    import ir_measures
    from ir_measures import RR, Qrel, R, ScoredDoc, Success, nDCG
except ImportError:
    raise ConfigError(
        "Evaluation needs ir-measures. Install it with `pip install 'certcoach[eval]'` or `make install-dev`."
    ) from None

DEPTH = 20
"""Passages of a ranking that are looked at."""
SHOWN = 5
"""Passages whose characters are counted: recall rises with the size of what is returned."""
MEASURES = {
    "recall@1": R @ 1,
    "recall@5": R @ 5,
    "recall@10": R @ 10,
    "hit@1": Success @ 1,
    "mrr@10": RR @ 10,
    "ndcg@5": nDCG @ 5,
}


@dataclass(frozen=True, slots=True)
class Ranking:
    """One answerable question as it was searched: at which rank (from 1) the needle stood, None if not at all.

    `characters` is the length of the first five passages together, `seconds` the time that the product's own search
    took with the question's embedding.
    """

    question: str
    tenant: str
    half: Half
    phrasing: Phrasing
    rank: int | None
    characters: int
    seconds: float

    @property
    def key(self) -> str:
        return f"{self.question}/{self.phrasing}"


@dataclass(frozen=True, slots=True)
class Metrics:
    """Means over `n` questions; `values` by the names of MEASURES, each in [0, 1]; `p50` in milliseconds."""

    n: int
    values: dict[str, float]
    characters: float
    p50: float

    @property
    def floor(self) -> float:
        """What one question is worth."""
        return 1 / self.n


def needle_rank(gold: Gold, passages: Sequence[Passage]) -> int | None:
    """The rank, from 1, of the first passage that holds the substring and is of a document that counts."""
    for rank, passage in enumerate(passages[:DEPTH], start=1):
        if passage.document in gold.documents and holds(passage.text, gold.substring):
            return rank
    return None


def measure(rankings: Sequence[Ranking]) -> Metrics:
    """The means over these questions. Raises ValueError without any."""
    if not rankings:
        raise ValueError("no question was asked")
    needles = [Qrel(ranking.key, "needle", 1) for ranking in rankings]
    values = ir_measures.calc_aggregate(MEASURES.values(), needles, [hit for r in rankings for hit in _run(r)])
    return Metrics(
        n=len(rankings),
        values={name: float(values[of]) for name, of in MEASURES.items()},
        characters=fmean(ranking.characters for ranking in rankings),
        p50=1000 * median(ranking.seconds for ranking in rankings),
    )


def slices(rankings: Sequence[Ranking]) -> dict[str, Metrics]:
    """The metrics of all questions, and by tenant, half and phrasing, in that order."""
    found = {"all": measure(rankings)} if rankings else {}
    views: tuple[Callable[[Ranking], str], ...] = (
        lambda ranking: ranking.tenant,
        lambda ranking: ranking.half,
        lambda ranking: ranking.phrasing,
        lambda ranking: f"{ranking.half}, {ranking.phrasing}",
    )
    for view in views:
        for name in _distinct(map(view, rankings)):
            found[name] = measure([ranking for ranking in rankings if view(ranking) == name])
    return found


def _run(ranking: Ranking) -> list[ScoredDoc]:
    """The ranking as ir-measures wants it: what is not the needle stands there by its rank."""
    return [
        ScoredDoc(ranking.key, "needle" if rank == ranking.rank else f"other {rank}", float(DEPTH - rank))
        for rank in range(1, DEPTH + 1)
    ]


def _distinct(names: Iterable[str]) -> list[str]:
    return list(dict.fromkeys(names))
