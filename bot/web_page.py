"""Serves self-contained pages under a content security policy that names their inline style and script by hash."""

from __future__ import annotations

import re
from base64 import b64encode
from dataclasses import dataclass
from hashlib import sha256
from pathlib import Path

from starlette.responses import HTMLResponse

FOLDER = Path(__file__).parent / "page"
_INCLUDE = re.compile(r"/\* include (\S+) \*/\n")


@dataclass(frozen=True, slots=True)
class Page:
    """A page whose inline style and script may run, that talks to its own origin, and nothing else."""

    html: str

    def policy(self) -> str:
        """The content security policy that fits the page."""
        directives = {
            "default-src": "'none'",
            "script-src": _hashes(self.html, "script") or "'none'",
            "style-src": _hashes(self.html, "style") or "'none'",
            "connect-src": "'self'",
            "img-src": "data:",
            "base-uri": "'none'",
            "form-action": "'none'",
            "frame-ancestors": "'none'",
        }
        return "; ".join(f"{name} {value}" for name, value in directives.items())

    def response(self) -> HTMLResponse:
        """The page over HTTP; a browser asks again each time, so that an update is seen at once."""
        return HTMLResponse(self.html, headers={"content-security-policy": self.policy(), "cache-control": "no-cache"})


def read_page() -> Page:
    """The page for people: `index.html` with the style and the scripts that it includes in their places."""
    index = (FOLDER / "index.html").read_text(encoding="utf-8")
    return Page(_INCLUDE.sub(lambda found: (FOLDER / found[1]).read_text(encoding="utf-8"), index))


def _hashes(html: str, tag: str) -> str:
    """The sources, such as 'sha256-…', of all inline elements of that name (CSP level 3, 2.3.1)."""
    contents = re.findall(rf"<{tag}>(.*?)</{tag}>", html, re.DOTALL)
    return " ".join(f"'sha256-{b64encode(sha256(content.encode()).digest()).decode()}'" for content in contents)
