"""Writes the ONNX graph of all-MiniLM-L6-v2 from its published weights, since no package carries one.

The architecture is BERT (Devlin et al., 2018, arXiv:1810.04805) with 6 layers of 12 heads and 384 units; the fused
operators are ONNX Runtime's contrib operators (domain com.microsoft).
"""

from __future__ import annotations

from pathlib import Path
from typing import Any

import numpy as np
import onnx
from numpy.typing import NDArray
from onnx import TensorProto, helper, numpy_helper
from safetensors.numpy import load_file

LAYERS = 6
HEADS = 12
EPSILON = 1e-12
FUSED = "com.microsoft"

Weights = dict[str, NDArray[np.float32]]


class _Graph:
    """Collects nodes and the weights that they use."""

    def __init__(self, weights: Weights) -> None:
        self.weights = weights
        self.nodes: list[onnx.NodeProto] = []
        self.initializers: list[onnx.TensorProto] = []

    def constant(self, name: str, value: NDArray[np.float32]) -> str:
        self.initializers.append(numpy_helper.from_array(np.ascontiguousarray(value), name))
        return name

    def weight(self, name: str) -> str:
        return self.constant(name, self.weights[name])

    def transposed(self, name: str) -> str:
        return self.constant(name, self.weights[name].T)

    def add(self, operator: str, inputs: list[str], output: str, **attributes: Any) -> str:
        self.nodes.append(helper.make_node(operator, inputs, [output], domain=FUSED, **attributes))
        return output

    def multiply(self, left: str, right: str, output: str) -> str:
        self.nodes.append(helper.make_node("MatMul", [left, right], [output]))
        return output

    def normalise(self, x: str, skip: str, prefix: str, bias: str, output: str) -> str:
        """LayerNorm(x + skip + bias)."""
        inputs = [x, skip, self.weight(f"{prefix}.LayerNorm.weight"), self.weight(f"{prefix}.LayerNorm.bias")]
        return self.add("SkipLayerNormalization", [*inputs, self.weight(bias)], output, epsilon=EPSILON)

    def embeddings(self) -> str:
        names = ["word_embeddings", "position_embeddings", "token_type_embeddings", "LayerNorm"]
        tables = [self.weight(f"embeddings.{name}.weight") for name in names]
        inputs = ["input_ids", "token_type_ids", *tables, self.weight("embeddings.LayerNorm.bias"), "attention_mask"]
        outputs = ["embedded", "mask_index"]
        self.nodes.append(helper.make_node("EmbedLayerNormalization", inputs, outputs, domain=FUSED, epsilon=EPSILON))
        return "embedded"

    def attention(self, x: str, prefix: str) -> str:
        parts = ("query", "key", "value")
        weights = np.concatenate([self.weights[f"{prefix}.self.{part}.weight"].T for part in parts], axis=1)
        biases = np.concatenate([self.weights[f"{prefix}.self.{part}.bias"] for part in parts])
        inputs = [x, self.constant(f"{prefix}.qkv", weights), self.constant(f"{prefix}.qkv_bias", biases), "mask_index"]
        return self.add("Attention", inputs, f"{prefix}.attended", num_heads=HEADS)

    def layer(self, x: str, prefix: str) -> str:
        attention, between, after = f"{prefix}.attention", f"{prefix}.intermediate.dense", f"{prefix}.output"
        attended = self.attention(x, attention)
        projected = self.multiply(
            attended, self.transposed(f"{attention}.output.dense.weight"), f"{attention}.projected"
        )
        x = self.normalise(
            projected, x, f"{attention}.output", f"{attention}.output.dense.bias", f"{attention}.normalised"
        )
        widened = self.multiply(x, self.transposed(f"{between}.weight"), f"{prefix}.widened")
        active = self.add("BiasGelu", [widened, self.weight(f"{between}.bias")], f"{prefix}.active")
        narrowed = self.multiply(active, self.transposed(f"{after}.dense.weight"), f"{prefix}.narrowed")
        return self.normalise(narrowed, x, after, f"{after}.dense.bias", f"{prefix}.normalised")


def build_model(weights: Path) -> onnx.ModelProto:
    """The graph: int32 `input_ids`, `token_type_ids`, `attention_mask` of shape (batch, length) → float32 `states`
    of shape (batch, length, 384)."""
    graph = _Graph(load_file(weights))
    x = graph.embeddings()
    for index in range(LAYERS):
        x = graph.layer(x, f"encoder.layer.{index}")
    shape = ["batch", "length"]
    names = ("input_ids", "token_type_ids", "attention_mask")
    inputs = [helper.make_tensor_value_info(name, TensorProto.INT32, shape) for name in names]
    output = helper.make_tensor_value_info(x, TensorProto.FLOAT, [*shape, 384])
    body = helper.make_graph(graph.nodes, "all-MiniLM-L6-v2", inputs, [output], graph.initializers)
    return helper.make_model(
        body, opset_imports=[helper.make_opsetid("", 17), helper.make_opsetid(FUSED, 1)], ir_version=9
    )
