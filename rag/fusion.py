"""Makes one ranking of what the legs proposed."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from math import inf
from statistics import fmean, pstdev

from rag.types import Candidate, Fusion, Mode, Scored

POWER = 1.5
"""How steeply lexical coverage counts: keeps rank 1 on natural wording, silent where few words are shared."""
RRF_K = 60
"""Cormack, Clarke and Büttcher, "Reciprocal Rank Fusion outperforms Condorcet" (2009)."""
RRF_DEPTH = 20
"""Ranks of a leg that take part in RRF."""


def fuse(candidates: Sequence[Candidate], mode: Mode, fusion: Fusion = "coverage") -> list[Scored]:
    """Score every candidate, best first; ties by chunk id. In dense and sparse mode the leg's own score decides."""
    if mode == "dense":
        return _ranked((c.chunk_id, c.cosine) for c in candidates)
    if mode == "sparse":
        return _ranked((c.chunk_id, c.bm25) for c in candidates)
    return {"coverage": _coverage, "rrf": _rrf, "zsum": _zsum}[fusion](candidates)


def _coverage(candidates: Sequence[Candidate]) -> list[Scored]:
    return _ranked((c.chunk_id, (c.cosine or 0.0) + (c.coverage or 0.0) ** POWER) for c in candidates)


def _rrf(candidates: Sequence[Candidate]) -> list[Scored]:
    def vote(rank: int | None) -> float:
        return 1 / (RRF_K + rank) if rank is not None and rank <= RRF_DEPTH else 0.0

    return _ranked((c.chunk_id, vote(c.dense_rank) + vote(c.sparse_rank)) for c in candidates)


def _zsum(candidates: Sequence[Candidate]) -> list[Scored]:
    dense = _standardised([c.cosine or 0.0 for c in candidates])
    sparse = _standardised([c.bm25 or 0.0 for c in candidates])
    return _ranked((c.chunk_id, d + s) for c, d, s in zip(candidates, dense, sparse, strict=True))


def _standardised(values: list[float]) -> list[float]:
    if not values:
        return []
    mean, deviation = fmean(values), pstdev(values)
    return [(value - mean) / deviation if deviation > 0 else 0.0 for value in values]


def _ranked(scores: Iterable[tuple[int, float | None]]) -> list[Scored]:
    scored = [Scored(chunk_id, -inf if score is None else score) for chunk_id, score in scores]
    return sorted(scored, key=lambda item: (-item.score, item.chunk_id))
