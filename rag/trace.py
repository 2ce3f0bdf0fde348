"""Spans of a question's way through the system, for OpenTelemetry; no-ops until an exporter is set."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import AbstractContextManager, contextmanager

from opentelemetry import trace as otel
from opentelemetry.context import attach, detach
from opentelemetry.trace import Span

tracer = otel.get_tracer("certcoach")


def span(name: str, *, tenant: str) -> AbstractContextManager[Span]:
    """A span around a block that does not yield."""
    return tracer.start_as_current_span(name, attributes={"certcoach.tenant": tenant})


@contextmanager
def generator_span(name: str, *, tenant: str) -> Iterator[Span]:
    """A span around a generator's body.

    The current span must not stay set while the generator is suspended, or spans of others would hang under it; enter
    children with `under`.
    """
    started = tracer.start_span(name, attributes={"certcoach.tenant": tenant})
    try:
        yield started
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
