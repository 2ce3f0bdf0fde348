"""How a command lives: one event loop, ended in good order by Ctrl-C and by SIGTERM."""

from __future__ import annotations

import asyncio
import signal
from collections.abc import Coroutine
from typing import Any, TypeVar

Result = TypeVar("Result")


class Stopped(Exception):
    """The command was asked to end before it was done."""


def run(main: Coroutine[Any, Any, Result]) -> Result:
    """Run to the end, or to the first SIGINT or SIGTERM: then cancel, let everything close, and raise Stopped."""

    async def supervised() -> Result:
        task = asyncio.ensure_future(main)
        loop = asyncio.get_running_loop()
        for number in (signal.SIGINT, signal.SIGTERM):
            loop.add_signal_handler(number, task.cancel)
        return await task

    try:
        return asyncio.run(supervised())
    except asyncio.CancelledError:
        raise Stopped from None
