"""Measures the server as people start it: a process of its own, on a home of its own."""

from __future__ import annotations

import os
import signal
import subprocess
import sys
import tempfile
from collections.abc import Iterator, Mapping, Sequence
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path
from time import perf_counter
from typing import Any

import httpx
import yaml

from eval.corpus import PROJECT, Genuine
from eval.dataset import load_gold
from rag.errors import CertCoachError, ConfigError

try:
    import psutil
except ImportError:
    raise ConfigError("Benchmarks need psutil. Install it with `make install-dev`.") from None

QUESTIONS = 100
"""Asked before memory is read."""
FOREIGN = ("CERTCOACH_", "DATABASE_URL", "PORT", "OTEL_")
"""Settings of the caller's that do not reach the server."""


@dataclass(frozen=True, slots=True)
class Served:
    """Seconds from the command to the first answer, with an empty home (`cold`) and at the next start (`warm`), and
    until the server said that it was ready (`warm_ready`); bytes of proportional memory after QUESTIONS questions."""

    cold: float
    warm: float
    warm_ready: float
    python: int
    postgres: int


def measure_server(sources: Mapping[str, Any]) -> Served:
    """Start the server twice on a new home, and look at its memory after a hundred questions.

    Raises CertCoachError when it does not come up.
    """
    with tempfile.TemporaryDirectory(prefix="certcoach-bench-") as folder:
        path = Path(folder) / "sources.yaml"
        path.write_text(yaml.safe_dump(dict(sources), sort_keys=False, allow_unicode=True), encoding="utf-8")
        with _running(Path(folder), path) as server:
            cold = server.first_answer()
        with _running(Path(folder), path) as server:
            warm = server.first_answer()
            server.ask_many()
            return Served(cold, warm, server.ready_after, server.memory(), server.postgres_memory())


def sources_with(documents: Sequence[Genuine], found: Mapping[str, Path]) -> dict[str, Any]:
    """The project's own sources.yaml, its paths absolute, with these documents added as files."""
    catalogue: dict[str, Any] = yaml.safe_load((PROJECT / "sources.yaml").read_text(encoding="utf-8"))
    for slug, tenant in catalogue["tenants"].items():
        for source in tenant["sources"]:
            if "file" in source:
                source["file"] = str(PROJECT / source["file"])
        tenant["sources"] += [
            {"file": str(found[d.path] / d.path), "kind": "file", "citation": d.citation, "cite_url": d.published}
            for d in documents
            if d.tenant == slug and d.path in found
        ]
    return catalogue


@dataclass(slots=True)
class _Server:
    process: subprocess.Popen[str]
    home: Path
    started: float
    address: str
    ready_after: float

    def ask(self, question: str, tenant: str) -> None:
        body = {"tenant": tenant, "question": question}
        httpx.post(f"{self.address}/v1/ask", json=body, timeout=60).raise_for_status()

    def first_answer(self) -> float:
        """Seconds since the start of the process at which the first answer was there."""
        first = load_gold().answerable[0]
        self.ask(first.question, first.tenant)
        return perf_counter() - self.started

    def ask_many(self) -> None:
        gold = load_gold().answerable
        texts = [(text, question.tenant) for question in gold for text in question.phrasings.values()]
        for text, tenant in texts[:QUESTIONS]:
            self.ask(text, tenant)

    def memory(self) -> int:
        return _memory([psutil.Process(self.process.pid)])

    def postgres_memory(self) -> int:
        pid = int((self.home / "postgres" / "postmaster.pid").read_text().splitlines()[0])
        master = psutil.Process(pid)
        return _memory([master, *master.children(recursive=True)])


@contextmanager
def _running(folder: Path, sources: Path) -> Iterator[_Server]:
    home = folder / "home"
    own = {
        "CERTCOACH_HOME": str(home),
        "CERTCOACH_SOURCES": str(sources),
        "PORT": "0",
        "CERTCOACH_RATE": "0",
        "CERTCOACH_CHAT": "none",
    }
    kept = {n: v for n, v in os.environ.items() if not n.startswith(FOREIGN)}
    log = (folder / "server.log").open("w")
    started = perf_counter()
    process = subprocess.Popen(
        [sys.executable, "-m", "bot", "run"], cwd=PROJECT, env=kept | own, stdout=subprocess.PIPE, stderr=log, text=True
    )
    try:
        with log:
            address = _ready(process, Path(log.name))
        yield _Server(process, home, started, address, perf_counter() - started)
    finally:
        process.send_signal(signal.SIGTERM)
        process.wait(timeout=60)


def _ready(process: subprocess.Popen[str], log: Path) -> str:
    assert process.stdout is not None
    for line in process.stdout:
        if line.startswith("ready "):
            return line.split()[1]
    status, said = process.wait(), log.read_text(encoding="utf-8").strip().splitlines() or ["nothing"]
    raise CertCoachError(f"The server ended with status {status} before it was ready; its last words: {said[-1]}")


def _memory(processes: Sequence[psutil.Process]) -> int:
    """Proportional set size, in which shared pages count once over all processes; resident size where there is none."""
    total = 0
    for process in processes:
        info = process.memory_full_info()
        total += getattr(info, "pss", info.rss)
    return total


def machine() -> dict[str, str]:
    """What the figures were measured on."""
    import platform

    cpu = next((line.split(":")[1].strip() for line in _lines("/proc/cpuinfo") if line.startswith("model name")), "")
    return {
        "system": f"{platform.system()} {platform.release()}, Python {platform.python_version()}",
        "processor": f"{cpu or platform.processor()}, {psutil.cpu_count()} cores",
        "memory": f"{psutil.virtual_memory().total / 2**30:.1f} GiB",
        "load average at the end": ", ".join(f"{load:.1f}" for load in os.getloadavg()) + " (1, 5, 15 minutes)",
    }


def _lines(path: str) -> list[str]:
    return Path(path).read_text(encoding="utf-8").splitlines() if Path(path).exists() else []
