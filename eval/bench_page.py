"""Writes the benchmark's figures as Markdown tables."""

from __future__ import annotations

from collections.abc import Callable, Sequence

from eval.bench import Bench, Spread
from eval.bench_server import QUESTIONS, machine

MIB = 2**20
ROWS: tuple[tuple[str, Callable[[Bench], str]], ...] = (
    ("documents, chunks", lambda b: f"{b.timing.documents}, {b.timing.chunks}"),
    ("first start, empty home, to the first answer", lambda b: f"{b.served.cold:.1f} s"),
    ("later start, to `ready`", lambda b: f"{b.served.warm_ready:.1f} s"),
    ("later start, to the first answer", lambda b: f"{b.served.warm:.1f} s"),
    ("question to answer, p50 / p95", lambda b: _milliseconds(b.timing.answer)),
    ("search, embedding given, p50 / p95", lambda b: _milliseconds(b.timing.search)),
    ("its two statements by psycopg alone, p50 / p95", lambda b: _milliseconds(b.timing.raw)),
    ("search over its statements, p50", lambda b: f"{b.timing.search.p50 / b.timing.raw.p50:.2f} times"),
    (f"memory of the Python process after {QUESTIONS} questions", lambda b: f"{b.served.python / MIB:.0f} MiB"),
    ("memory of Postgres beside it", lambda b: f"{b.served.postgres / MIB:.0f} MiB"),
)


def as_tables(benches: Sequence[Bench]) -> str:
    """One column a corpus, and below it the machine and the command."""
    lines = ["| | " + " | ".join(bench.corpus for bench in benches) + " |", "|---|" + "---:|" * len(benches)]
    lines += [f"| {name} | " + " | ".join(figure(bench) for bench in benches) + " |" for name, figure in ROWS]
    on = "; ".join(f"{name}: {value}" for name, value in machine().items())
    timed = "; ".join(
        f"{b.corpus}: {b.timing.answer.n} of {b.timing.asked} questions were answered, {b.timing.search.n} searches"
        for b in benches
    )
    lines += ["", f"Measured by `make bench`, one question at a time. {timed}.", "", f"{on}."]
    return "\n".join(lines)


def _milliseconds(spread: Spread) -> str:
    return f"{spread.p50:.1f} / {spread.p95:.1f} ms"
