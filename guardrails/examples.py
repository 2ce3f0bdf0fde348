"""Likeness to labelled examples: what messages of known labels say about a new one.

Two readings are averaged: the nearest examples, weighed by their cosine, and a linear map that ridge regression fits
to all of them (Hoerl and Kennard, 1970). Both take well under a millisecond, and both follow whatever embedder is used.
"""

from __future__ import annotations

import asyncio
from collections.abc import Mapping
from importlib.resources import files

import numpy as np
import yaml
from numpy.typing import NDArray

from rag.types import Embedder, Vector

NEAREST = 10
SHARPNESS = 15.0
"""How much more a nearer example counts: weights are exp(SHARPNESS * cosine)."""
RIDGE = 1.0
"""Strength of the regularisation. Like the other constants, the best of a few in cross-validation."""


def load_examples() -> dict[str, list[str]]:
    """The examples by label."""
    loaded = yaml.safe_load((files("guardrails") / "examples.yaml").read_text(encoding="utf-8"))
    return {str(label): [str(text) for text in texts] for label, texts in loaded.items()}


class Examples:
    """Embeds the examples once, at the first question or when it is warmed up."""

    def __init__(self, embedder: Embedder, asking: Embedder, examples: Mapping[str, list[str]]) -> None:
        """`embedder` is for the examples and may remember them for good; `asking` is for messages."""
        self._embedder = embedder
        self._asking = asking
        self._labels = tuple(examples)
        self._texts = [text for texts in examples.values() for text in texts]
        self._targets = np.repeat(np.eye(len(examples)), [len(texts) for texts in examples.values()], axis=0)
        self._fitting = asyncio.Lock()
        self._vectors: NDArray[np.float64] | None = None
        self._map: NDArray[np.float64] = np.zeros((0, 0))

    async def warm_up(self) -> None:
        """Embed the examples and fit the map. Raises ProviderError."""
        async with self._fitting:
            if self._vectors is None:
                vectors = np.array(await self._embedder.embed(self._texts, "passage"), dtype=np.float64)
                self._map = _ridge(_with_one(vectors), self._targets)
                self._vectors = vectors

    async def likeness(self, text: str) -> Mapping[str, float]:
        """How much a message is like each label's examples; about 1 for its own, about 0 for others.

        Raises ProviderError.
        """
        await self.warm_up()
        (vector,) = await self._asking.embed([text], "query")
        near, linear = self._near(vector), _with_one(vector[None].astype(np.float64)) @ self._map
        return dict(zip(self._labels, ((near + linear[0]) / 2).tolist(), strict=True))

    def _near(self, vector: Vector) -> NDArray[np.float64]:
        assert self._vectors is not None
        cosines = self._vectors @ vector
        nearest = np.argsort(-cosines, kind="stable")[:NEAREST]
        weights = np.exp(SHARPNESS * cosines[nearest])
        shares: NDArray[np.float64] = weights @ self._targets[nearest] / weights.sum()
        return shares


def _with_one(vectors: NDArray[np.float64]) -> NDArray[np.float64]:
    return np.hstack([vectors, np.ones((len(vectors), 1))])


def _ridge(inputs: NDArray[np.float64], targets: NDArray[np.float64]) -> NDArray[np.float64]:
    penalised = inputs.T @ inputs + RIDGE * np.eye(inputs.shape[1])
    return np.asarray(np.linalg.solve(penalised, inputs.T @ targets), dtype=np.float64)
