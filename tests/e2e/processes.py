"""The product as a subprocess."""

from __future__ import annotations

import asyncio
import os
import re
import sys
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from dataclasses import dataclass
from pathlib import Path

ROOT = Path(__file__).parents[2]
COMMAND = [sys.executable, "-m", "bot"]


def environment(home: Path, **more: str) -> dict[str, str]:
    """The machine's environment without any setting of ours, then these."""
    kept = {
        name: value
        for name, value in os.environ.items()
        if not name.startswith(("CERTCOACH_", "ANTHROPIC_", "OPENAI_", "AWS_", "OTEL_"))
        and name not in ("DATABASE_URL", "PORT")
    }
    return {**kept, "CERTCOACH_HOME": str(home), "PORT": "0", **more}


@dataclass(frozen=True, slots=True)
class Ended:
    """How a command ended."""

    code: int
    out: str
    err: str


async def certcoach(home: Path, *arguments: str, stdin: str = "", **more: str) -> Ended:
    """Run a command to its end."""
    process = await asyncio.create_subprocess_exec(
        *COMMAND,
        *arguments,
        cwd=ROOT,
        env=environment(home, **more),
        stdin=asyncio.subprocess.PIPE,
        stdout=asyncio.subprocess.PIPE,
        stderr=asyncio.subprocess.PIPE,
    )
    out, err = await process.communicate(stdin.encode())
    assert process.returncode is not None
    return Ended(process.returncode, out.decode(), err.decode())


@dataclass(slots=True)
class Server:
    """A running `certcoach run`."""

    process: asyncio.subprocess.Process
    url: str

    @property
    def port(self) -> int:
        return int(self.url.rsplit(":", 1)[1])

    async def stop(self, number: int) -> Ended:
        self.process.send_signal(number)
        out, err = await self.process.communicate()
        assert self.process.returncode is not None
        return Ended(self.process.returncode, out.decode(), err.decode())


async def start(home: Path, **more: str) -> Server:
    """Start the server and wait until it is ready."""
    process = await asyncio.create_subprocess_exec(
        *COMMAND,
        "run",
        cwd=ROOT,
        env=environment(home, **more),
        stdout=asyncio.subprocess.PIPE,
        stderr=asyncio.subprocess.PIPE,
    )
    assert process.stdout is not None and process.stderr is not None
    line = (await process.stdout.readline()).decode()
    match = re.fullmatch(r"ready (http://\S+)\n", line)
    if match is None:
        raise AssertionError(f"not ready: {line!r} {(await process.stderr.read()).decode()}")
    return Server(process, match.group(1))


@asynccontextmanager
async def running(home: Path, **more: str) -> AsyncIterator[Server]:
    """A server for the length of a block."""
    server = await start(home, **more)
    try:
        yield server
    finally:
        if server.process.returncode is None:
            await server.stop(15)
