"""Writes what the product adds to a model's stream as a Markdown table."""

from __future__ import annotations

from collections.abc import Callable

from eval.bench_chat import FOLLOW_UP, ChatBench, Load, Pair
from eval.bench_server import machine
from eval.pace import Pace

MIB = 2**20
DURATIONS: tuple[tuple[str, Callable[[Pair], float]], ...] = (
    ("question to the first shown sentence", lambda pair: pair.product.first),
    ("raw stream, to the end of that sentence", lambda pair: pair.raw.first),
    ("added before the first sentence", lambda pair: pair.product.first - pair.raw.first),
    ("question to the whole answer", lambda pair: pair.product.end),
    ("raw stream, to its end", lambda pair: pair.raw.end),
    ("**added to an answer**", lambda pair: pair.product.end - pair.raw.end),
)


def as_table(bench: ChatBench, pace: Pace) -> str:
    """One column a load, and below it the memory, the pace, the command and the machine."""
    lines = ["| p50 / p95 | " + " | ".join(f"{load.at_once} at once" for load in bench.loads) + " |"]
    lines.append("|---|" + "---:|" * len(bench.loads))
    lines.append("| answers, of questions asked | " + " | ".join(map(_counts, bench.loads)) + " |")
    lines += [f"| {name} | " + " | ".join(_spread(load, of) for load in bench.loads) + " |" for name, of in DURATIONS]
    on = "; ".join(f"{name}: {value}" for name, value in machine().items())
    told = (
        f"Memory of the process: {bench.idle / MIB:.0f} MiB before the first conversation, {bench.after / MIB:.0f} MiB"
        f" after the last. Over {bench.corpus}; {pace.tokens} tokens at {pace.rate:g} a second take"
        f" {1000 * pace.seconds:.0f} ms; each conversation is a gold question and then \u201c{FOLLOW_UP}\u201d."
        " Questions that the documents were found not to cover reach no model and are left out."
    )
    return "\n".join([*lines, "", told, "", f"Measured by `certcoach eval bench-chat`. {on}."])


def _counts(load: Load) -> str:
    return f"{len(load.pairs)} of {load.asked}"


def _spread(load: Load, of: Callable[[Pair], float]) -> str:
    found = load.spread(of)
    return f"{found.p50:.0f} / {found.p95:.0f} ms"
