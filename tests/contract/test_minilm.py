"""The written graph computes what the published model computes, and orders meanings as it should."""

from __future__ import annotations

from math import erf, sqrt
from pathlib import Path

import numpy as np
import pytest
from numpy.typing import NDArray
from safetensors.numpy import load_file

from rag.errors import ConfigError
from rag.providers import load_embedder
from rag.providers.local import MiniLM, _model_folder

Array = NDArray[np.float64]


class Reference:
    """BERT in plain numpy, one text at a time."""

    def __init__(self, folder: Path) -> None:
        from tokenizers import Tokenizer

        self.weights = {
            name: value.astype(np.float64) for name, value in load_file(folder / "model.safetensors").items()
        }
        self.tokenizer = Tokenizer.from_file(str(folder / "tokenizer.json"))
        self.tokenizer.no_padding()

    def embed(self, text: str) -> Array:
        ids = self.tokenizer.encode(text).ids
        w = self.weights
        x = w["embeddings.word_embeddings.weight"][ids] + w["embeddings.position_embeddings.weight"][: len(ids)]
        x = self.norm(x + w["embeddings.token_type_embeddings.weight"][0], "embeddings.LayerNorm")
        for layer in range(6):
            prefix = f"encoder.layer.{layer}"
            attended = self.linear(self.attention(x, f"{prefix}.attention.self"), f"{prefix}.attention.output.dense")
            x = self.norm(x + attended, f"{prefix}.attention.output.LayerNorm")
            wide = self.linear(x, f"{prefix}.intermediate.dense")
            wide = wide * 0.5 * (1 + np.vectorize(erf)(wide / sqrt(2)))
            x = self.norm(x + self.linear(wide, f"{prefix}.output.dense"), f"{prefix}.output.LayerNorm")
        mean = x.mean(axis=0)
        return np.asarray(mean / np.linalg.norm(mean))

    def attention(self, x: Array, prefix: str) -> Array:
        q, k, v = (
            self.linear(x, f"{prefix}.{part}").reshape(len(x), 12, 32).transpose(1, 0, 2)
            for part in ("query", "key", "value")
        )
        scores = np.exp(q @ k.transpose(0, 2, 1) / sqrt(32))
        shares = scores / scores.sum(axis=-1, keepdims=True)
        return np.asarray((shares @ v).transpose(1, 0, 2).reshape(len(x), 384))

    def linear(self, x: Array, name: str) -> Array:
        return np.asarray(x @ self.weights[f"{name}.weight"].T + self.weights[f"{name}.bias"])

    def norm(self, x: Array, name: str) -> Array:
        centred = x - x.mean(axis=-1, keepdims=True)
        scaled = centred / np.sqrt((centred**2).mean(axis=-1, keepdims=True) + 1e-12)
        return np.asarray(scaled * self.weights[f"{name}.weight"] + self.weights[f"{name}.bias"])


TEXTS = [
    "How do I keep old versions of an object?",
    "Versioning keeps every variant of an object in the same bucket.",
    "Terraform locks its state, so that two people cannot write it at once.",
    "x",
]


async def test_the_graph_equals_a_plain_implementation(minilm: MiniLM) -> None:
    reference = Reference(_model_folder())
    for text, vector in zip(TEXTS, await minilm.embed(TEXTS, "passage"), strict=True):
        assert np.abs(vector - reference.embed(text)).max() < 1e-4


async def test_a_vector_does_not_depend_on_its_batch(minilm: MiniLM) -> None:
    together = await minilm.embed([*TEXTS, "word " * 300], "passage")
    for text, vector in zip(TEXTS, together, strict=False):
        (alone,) = await minilm.embed([text], "passage")
        assert np.abs(alone - vector).max() < 1e-4


async def test_a_question_lies_nearer_to_its_answer(minilm: MiniLM) -> None:
    question, answer, other, _ = await minilm.embed(TEXTS, "query")
    assert question @ answer > question @ other


@pytest.mark.parametrize("text", ["", " ", "\x00", "🙂", "ß" * 10_000])
async def test_any_text_has_a_unit_vector(minilm: MiniLM, text: str) -> None:
    (vector,) = await minilm.embed([text], "query")
    assert vector.shape == (384,) and np.linalg.norm(vector) == pytest.approx(1, abs=1e-4)


def test_an_unknown_embedder_is_named_with_the_known_ones(home: Path) -> None:
    with pytest.raises(ConfigError, match=r"local:minilm"):
        load_embedder("local:other", home)
