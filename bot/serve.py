"""`certcoach run`: takes in the documents, then serves the page and the API until it is stopped."""

from __future__ import annotations

import asyncio
import errno
import socket
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

import uvicorn
from rich.console import Console

from bot.housekeeping import housekeeping
from bot.progress import ingest_all
from bot.web import create_app
from bot.web_door import Access, access_for
from bot.web_patience import Patience
from bot.wiring import App, open_app
from ingest.sources import Catalogue
from rag.embedded import only_server, open_home
from rag.errors import ConfigError
from rag.settings import Settings

GRACE = round(Patience().answer) + 1
"""Seconds that running answers get to finish: as long as an answer may take."""


async def serve(settings: Settings, catalogue: Catalogue, console: Console) -> None:
    """Serve until the task is cancelled.

    Raises ConfigError when the port is taken, when another process serves from the same home, and when other machines
    could come in without a key.
    """
    with _listening(settings.host, settings.port) as listener:
        access = access_for(settings, catalogue.tenants, listener.getsockname()[0])
        async with only_server(open_home(settings.home)), open_app(settings, catalogue) as app:
            await ingest_all(app, console)
            with console.status("preparing the screens …"):
                await app.guards.examples.warm_up()
            address = f"http://{_shown(settings.host)}:{listener.getsockname()[1]}"
            _tell(app, console)
            async with housekeeping(app.coach, settings.retain_days):
                await _serve(_Server(app, access, address), listener)


async def _serve(server: _Server, listener: socket.socket) -> None:
    task = asyncio.create_task(server.serve(sockets=[listener]))
    try:
        await asyncio.shield(task)
    except asyncio.CancelledError:
        server.should_exit = True
        await task
        raise


class _Server(uvicorn.Server):
    """Says when it is ready, and leaves the signals to `lifetime.run`."""

    def __init__(self, app: App, access: Access, address: str) -> None:
        super().__init__(
            uvicorn.Config(
                create_app(app.coach, access),
                lifespan="off",
                log_config=None,
                access_log=False,
                server_header=False,
                timeout_graceful_shutdown=GRACE,
            )
        )
        self._address = address

    async def startup(self, sockets: list[socket.socket] | None = None) -> None:
        await super().startup(sockets)
        if self.started:
            print(f"ready {self._address}", flush=True)

    @contextmanager
    def capture_signals(self) -> Iterator[None]:
        yield


@contextmanager
def _listening(host: str, port: int) -> Iterator[socket.socket]:
    try:
        family = socket.getaddrinfo(host, port, type=socket.SOCK_STREAM)[0][0]
        listener = socket.socket(family, socket.SOCK_STREAM)
        listener.setsockopt(socket.SOL_SOCKET, socket.SO_REUSEADDR, 1)
        listener.bind((host, port))
    except OSError as error:
        raise ConfigError(_why(error, host, port)) from None
    with listener:
        yield listener


def _why(error: OSError, host: str, port: int) -> str:
    if error.errno == errno.EADDRINUSE:
        return f"Port {port} is taken. Stop what uses it, or choose another: PORT={port + 1} make run."
    if error.errno == errno.EACCES:
        return f"This user may not listen on port {port}. Choose one above 1023: PORT=8080 make run."
    return f"Cannot listen on {host} port {port}: {error.strerror or error}. Check CERTCOACH_HOST and PORT."


def _shown(host: str) -> str:
    return f"[{host}]" if ":" in host else host


def _tell(app: App, console: Console) -> None:
    """What is on, what is off, and how to switch it on."""
    for on, what in _features(app):
        console.print(f"{'[green]on [/]' if on else '[yellow]off[/]'}  {what}", highlight=False, soft_wrap=True)


def _features(app: App) -> Iterator[tuple[bool, str]]:
    settings = app.settings
    writers = ", then ".join(model.name for model in app.models.chat)
    yield True, f"answers: quoted from the documents, with citations ({settings.mode} search)"
    yield bool(writers), f"answers written by a language model: {writers or 'set ANTHROPIC_API_KEY or CERTCOACH_CHAT'}"
    yield True, "screens: secrets and personal data are taken out of questions"
    yield True, f"database: {'DATABASE_URL' if settings.database_url else 'embedded, in ' + _short(settings.home)}"
    yield bool(settings.otlp_endpoint), f"traces: {settings.otlp_endpoint or 'set OTEL_EXPORTER_OTLP_ENDPOINT'}"
    local = settings.host in ("127.0.0.1", "localhost", "::1")
    yield not local, f"other machines: {'set CERTCOACH_HOST and CERTCOACH_API_KEYS' if local else settings.host}"


def _short(home: Path) -> str:
    resolved, here = home.expanduser().resolve(), Path.cwd()
    return str(resolved.relative_to(here)) if resolved.is_relative_to(here) else str(resolved)
