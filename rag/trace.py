"""Spans of a question's way through the system, for OpenTelemetry; no-ops until an exporter is set.

Attributes have the names of OpenInference (https://arize-ai.github.io/openinference) where it has one, else
`certcoach.*`. Nobody's words stand in a span: no question, no passage, no answer, no error's message.
"""

from __future__ import annotations

import asyncio
from collections.abc import AsyncGenerator, Iterator, Mapping
from contextlib import aclosing, contextmanager
from typing import Literal, TypeVar

from opentelemetry import trace as otel
from opentelemetry.context import attach, detach
from opentelemetry.trace import Span, StatusCode

from rag.types import Answer, Events, Retrieved, Usage

Kind = Literal["CHAIN", "GUARDRAIL", "EMBEDDING", "RETRIEVER", "RERANKER", "LLM"]
"""What a span is for, as OpenInference tells them apart."""
Attributes = Mapping[str, str | bool | int | float]
Item = TypeVar("Item")

tracer = otel.get_tracer("certcoach")


@contextmanager
def span(name: str, kind: Kind, *, tenant: str) -> Iterator[Span]:
    """A span around a block that does not yield; what begins inside is its child."""
    with generator_span(name, kind, tenant=tenant) as started, under(started):
        yield started


@contextmanager
def generator_span(name: str, kind: Kind, *, tenant: str) -> Iterator[Span]:
    """A span around a generator's body.

    It is not the current span: that would stay set while the generator is suspended, and spans of others would hang
    under it. Let children begin inside `under` or `within`.
    """
    started = tracer.start_span(name, attributes={"openinference.span.kind": kind, "certcoach.tenant": tenant})
    try:
        yield started
    except BaseException as error:
        _fail(started, error)
        raise
    finally:
        started.end()


@contextmanager
def under(parent: Span) -> Iterator[None]:
    """Make `parent` the current span for a block that does not yield."""
    token = attach(otel.set_span_in_context(parent))
    try:
        yield
    finally:
        detach(token)


async def within(parent: Span, events: AsyncGenerator[Item, None]) -> AsyncGenerator[Item, None]:
    """The events, each computed under `parent`, which is current no longer when the event is handed on."""
    async with aclosing(events):
        while True:
            with under(parent):
                try:
                    event = await anext(events)
                except StopAsyncIteration:
                    return
            yield event


async def question(tenant: str, events: Events) -> Events:
    """The events of one question, with the root of its tree above whatever span they begin.

    Within a tree they pass as they are: the outermost caller's is the root.
    """
    if otel.get_current_span().get_span_context().is_valid:
        async with aclosing(events):
            async for event in events:
                yield event
        return
    with generator_span("ask", "CHAIN", tenant=tenant) as root:
        async with aclosing(within(root, events)) as steps:
            async for event in steps:
                if isinstance(event, Answer):
                    root.set_attributes(_answered(event))
                yield event


def found(retrieved: Retrieved) -> Attributes:
    """What a search found: chunk ids and scores, best first."""
    attributes: dict[str, str | bool | int | float] = {"certcoach.candidates": len(retrieved.candidates)}
    for place, (passage, score) in enumerate(zip(retrieved.passages, retrieved.scores, strict=True)):
        attributes[f"retrieval.documents.{place}.document.id"] = str(passage.chunk_id)
        attributes[f"retrieval.documents.{place}.document.score"] = float(score)
    return attributes


def model(name: str) -> Attributes:
    """The chat model "provider:model"."""
    provider, _, plain = name.rpartition(":")
    return {"llm.provider": provider, "llm.system": provider, "llm.model_name": plain}


def usage(spent: Usage) -> Attributes:
    """What a call cost."""
    tokens = {
        "llm.token_count.prompt": spent.input,
        "llm.token_count.completion": spent.output,
        "llm.token_count.total": spent.input + spent.output,
    }
    return tokens if spent.usd is None else {**tokens, "llm.cost.total": spent.usd}


def _answered(answer: Answer) -> Attributes:
    ending: dict[str, str | bool | int | float] = {
        "certcoach.answer": answer.id,
        "certcoach.kind": answer.kind,
        "certcoach.reason": answer.reason,
        "certcoach.citations": len(answer.citations),
    }
    return ending if answer.confidence is None else {**ending, "certcoach.confidence": answer.confidence}


def _fail(started: Span, error: BaseException) -> None:
    if isinstance(error, GeneratorExit | asyncio.CancelledError):
        started.set_attribute("certcoach.abandoned", True)
    else:
        started.set_status(StatusCode.ERROR, type(error).__name__)
