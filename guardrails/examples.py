"""Likeness to labelled examples: what messages of known labels say about a new one.

Kernel ridge regression (Saunders, Gammerman and Vovk, 1998). Two messages are alike by their embeddings, through a
Gaussian kernel, and by the words and pairs of words that they share. It takes well under a millisecond a message, is
fitted in a fraction of a second, and follows whatever embedder is used.
"""

from __future__ import annotations

import asyncio
import itertools
import re
from collections import Counter
from collections.abc import Mapping, Sequence
from importlib.resources import files
from zlib import crc32

import numpy as np
import yaml
from numpy.typing import NDArray

from rag.types import Embedder

WIDTH = 1.5
WORDS = 0.5
OFFSET = 0.2
RIDGE = 0.2
"""The Gaussian's width, the weight of shared words, of the constant, and of the penalty. Of a few tried in
cross-validation on the examples, these found most at one false alarm in a hundred questions."""
PLACES = 4_096
"""Places that words are hashed to."""

_WORD = re.compile(r"\w+")
Matrix = NDArray[np.float64]


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
        self._examples = examples
        self._labels = tuple(examples)
        self._texts = [text for texts in examples.values() for text in texts]
        self._targets = np.repeat(np.eye(len(examples)), [len(texts) for texts in examples.values()], axis=0)
        self._fitting = asyncio.Lock()
        self._fitted: _Fitted | None = None

    def with_own(self, own: Mapping[str, Sequence[str]]) -> Examples:
        """These and a tenant's own, whose labels go before those of the same texts. Unknown labels are left out."""
        taken = {text for texts in own.values() for text in texts}
        joined = {
            label: [*(text for text in texts if text not in taken), *own.get(label, ())]
            for label, texts in self._examples.items()
        }
        return Examples(self._embedder, self._asking, joined)

    async def warm_up(self) -> None:
        """Embed the examples and fit. Raises ProviderError."""
        await self._fit()

    async def likeness(self, text: str) -> Mapping[str, float]:
        """How much a message is like each label's examples; about 1 for its own, about 0 for others.

        Raises ProviderError.
        """
        fitted = await self._fit()
        (vector,) = await self._asking.embed([text], "query")
        return dict(zip(self._labels, fitted.values(vector[None].astype(np.float64), [text])[0].tolist(), strict=True))

    async def _fit(self) -> _Fitted:
        async with self._fitting:
            if self._fitted is None:
                vectors = np.array(await self._embedder.embed(self._texts, "passage"), dtype=np.float64)
                self._fitted = await asyncio.to_thread(_Fitted, vectors, self._texts, self._targets)
            return self._fitted


class _Fitted:
    """The regression, ready for messages."""

    def __init__(self, vectors: Matrix, texts: Sequence[str], targets: Matrix) -> None:
        self._vectors = vectors
        self._words = _bags(texts)
        kernel = self._kernel(vectors, self._words)
        self._weights = np.linalg.solve(kernel + RIDGE * np.eye(len(texts)), targets)

    def values(self, vectors: Matrix, texts: Sequence[str]) -> Matrix:
        """Shape (messages, labels)."""
        return np.asarray(self._kernel(vectors, _bags(texts)) @ self._weights, dtype=np.float64)

    def _kernel(self, vectors: Matrix, words: Matrix) -> Matrix:
        gaussian = np.exp(-2 * WIDTH * (1 - vectors @ self._vectors.T))
        used = words.any(axis=0)  # a message has a few dozen of the places
        shared = words[:, used] @ self._words[:, used].T
        return np.asarray(gaussian + WORDS * shared + OFFSET, dtype=np.float64)


def _bags(texts: Sequence[str]) -> Matrix:
    """Unit vectors of the words and pairs of words of each text, by the square roots of their counts."""
    bags = np.zeros((len(texts), PLACES), dtype=np.float64)
    for row, text in zip(bags, texts, strict=True):
        words = _WORD.findall(text.casefold())
        for feature, count in Counter([*words, *(" ".join(pair) for pair in itertools.pairwise(words))]).items():
            row[crc32(feature.encode("utf-8", "replace")) % PLACES] += count
    roots = np.sqrt(bags)
    return np.asarray(roots / np.linalg.norm(roots, axis=1, keepdims=True).clip(1e-9), dtype=np.float64)
