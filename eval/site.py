"""A web site on this machine, so that documents can be taken in over HTTP as they would be from their publisher."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager
from functools import partial
from http.server import SimpleHTTPRequestHandler, ThreadingHTTPServer
from pathlib import Path
from threading import Thread

from rag.errors import ConfigError

HOST = "127.0.0.1"


@contextmanager
def serve_folder(folder: Path, port: int = 0) -> Iterator[str]:
    """The address, without a slash at its end, of a site that has the folder's files; 0 chooses a free port.

    Raises ConfigError when the port is taken.
    """
    try:
        server = ThreadingHTTPServer((HOST, port), partial(_Files, directory=str(folder)))
    except OSError:
        raise ConfigError(f"Port {port} is taken; the documents are served there. Stop what uses it.") from None
    with server:
        thread = Thread(target=server.serve_forever, kwargs={"poll_interval": 0.05}, daemon=True)
        thread.start()
        try:
            yield f"http://{HOST}:{server.server_address[1]}"
        finally:
            server.shutdown()
            thread.join()


class _Files(SimpleHTTPRequestHandler):
    """Says nothing on standard error, and knows what Markdown is."""

    extensions_map = {  # noqa: RUF012
        **SimpleHTTPRequestHandler.extensions_map,
        ".md": "text/markdown; charset=utf-8",
        ".mdx": "text/markdown; charset=utf-8",
    }

    def log_message(self, format: str, *args: object) -> None:
        """The site is asked by this process alone."""
