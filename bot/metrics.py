"""What operators count and time, for Prometheus: how answers end, how long they take, and what they cost."""

from __future__ import annotations

import asyncio
import logging
import platform
from collections.abc import Iterator, Mapping
from contextlib import aclosing, contextmanager
from dataclasses import dataclass
from importlib.metadata import version
from time import perf_counter
from typing import Protocol, TypedDict

from prometheus_client import CONTENT_TYPE_LATEST, REGISTRY, Counter, Gauge, Histogram, Info, generate_latest

from rag import grounded
from rag.types import Answer, Event, Events, Restart, Usage

SECONDS = (0.05, 0.1, 0.25, 0.5, 1, 2, 4, 8, 15, 30, 60)
"""Upper bounds of the histograms: quotes take tens of milliseconds, written answers seconds."""

ANSWERS = Counter("certcoach_answers", "Answers given.", ["tenant", "kind", "reason"])
FAILURES = Counter("certcoach_failures", "Questions that ended in an error instead of an answer.", ["error"])
ABANDONED = Counter("certcoach_abandoned", "Questions whose asker left before the answer.")
RESTARTS = Counter("certcoach_restarts", "Times that shown text was withdrawn.", ["tenant", "reason"])
FIRST_TEXT = Histogram("certcoach_first_text_seconds", "From question to first text.", ["tenant"], buckets=SECONDS)
WHOLE = Histogram("certcoach_answer_seconds", "From question to the whole answer.", ["tenant"], buckets=SECONDS)
TOKENS = Counter("certcoach_tokens", "Tokens of chat models.", ["model", "direction"])
USD = Counter("certcoach_usd", "What chat models cost in US dollars, an estimate.", ["model"])
GIVEN_UP = Counter("certcoach_drafts_given_up", "Drafts of chat models that were given up.", ["model", "why"])
DOCUMENTS = Gauge("certcoach_documents", "Documents that can be answered from.", ["tenant"])
READY = Gauge("certcoach_ready", "1 if a question would be answered, else 0.")
BUILD = Info("certcoach_build", "The program that runs.")


class Readiness(Protocol):
    """Whether answering would work, and how many documents each tenant has."""

    @property
    def ok(self) -> bool: ...
    @property
    def documents(self) -> Mapping[str, int]: ...


class Ready(Protocol):
    """What can tell its readiness."""

    async def ready(self) -> Readiness: ...


class Exposition(TypedDict):
    """The metrics in Prometheus' text format, under the names that an HTTP response takes them by."""

    content: bytes
    media_type: str


async def measured(tenant: str, events: Events) -> Events:
    """The events of one question, counted and timed as they pass.

    The tenant becomes a label with the first event, so an unknown one, which ends in an error, never does.
    """
    meter = _Meter(tenant, perf_counter())
    with meter.ending():
        async with aclosing(events):
            async for event in events:
                meter.see(event, perf_counter())
                yield event


async def metrics_response(coach: Ready) -> Exposition:
    """All metrics as they stand, the readiness and the documents looked up anew."""
    readiness = await coach.ready()
    READY.set(readiness.ok)
    for tenant, count in readiness.documents.items():
        DOCUMENTS.labels(tenant).set(count)
    BUILD.info({"version": version("certcoach"), "python": platform.python_version()})
    return {"content": generate_latest(REGISTRY), "media_type": CONTENT_TYPE_LATEST}


class DraftsGivenUp(logging.Handler):
    """Counts the drafts that the core gives up: it knows no metrics, but it logs each of them."""

    def emit(self, record: logging.LogRecord) -> None:
        """Count the record if it tells of a draft."""
        if record.msg == grounded.GIVEN_UP:
            GIVEN_UP.labels(record.__dict__["model"], record.__dict__["why"]).inc()


@dataclass(slots=True)
class _Meter:
    """Where one question stands. Times are readings of one clock, in seconds."""

    tenant: str
    begun: float
    shown: bool = False
    answered: bool = False

    def see(self, event: Event, now: float) -> None:
        if isinstance(event, Restart):
            RESTARTS.labels(self.tenant, event.reason).inc()
            return
        if not self.shown:
            self.shown = True
            FIRST_TEXT.labels(self.tenant).observe(now - self.begun)
        if isinstance(event, Answer):
            self.answered = True
            WHOLE.labels(self.tenant).observe(now - self.begun)
            ANSWERS.labels(self.tenant, event.kind, event.reason).inc()
            _bill(event.usage)

    @contextmanager
    def ending(self) -> Iterator[None]:
        try:
            yield
        except (GeneratorExit, asyncio.CancelledError):
            ABANDONED.inc(not self.answered)
            raise
        except Exception as error:
            FAILURES.labels(type(error).__name__).inc()
            raise


def _bill(usage: Usage | None) -> None:
    if usage is None:
        return
    TOKENS.labels(usage.model, "input").inc(usage.input)
    TOKENS.labels(usage.model, "output").inc(usage.output)
    USD.labels(usage.model).inc(usage.usd or 0)
