"""The door: decides who may come in before anything else of a request is looked at."""

from __future__ import annotations

import re
from collections.abc import Iterable
from dataclasses import dataclass
from ipaddress import ip_address

from starlette.datastructures import Headers
from starlette.types import ASGIApp, Receive, Scope, Send

from bot.web_keys import KEYLESS, LOCAL, REMEDY, STRANGER, Caller, Keys, parse_keys
from bot.web_kinds import NO_KEY, WRONG_HOST
from bot.web_problems import Problem, ProblemResponse
from rag.errors import ConfigError
from rag.settings import Settings

LOOPBACK = frozenset({"localhost", "127.0.0.1", "[::1]"})
GUARDED = ("/v1/", "/metrics")
_HOST = re.compile(r"(?P<name>\[[0-9A-Fa-f:.]+\]|[^\s:/@\[\]]+)(?::\d*)?")  # RFC 9110, 7.2


@dataclass(frozen=True, slots=True)
class Access:
    """How a server may be reached: with keys, or without keys by its own machine only.

    Without keys the Host header must be one of `hosts`, or a page of somebody else could reach the server through its
    reader's browser, by letting its own name resolve to 127.0.0.1 (DNS rebinding).
    """

    keys: Keys = KEYLESS
    hosts: frozenset[str] = LOOPBACK

    def caller(self, headers: Headers) -> Caller | None:
        """Who asks; None for a wrong key or none where one is needed."""
        if not self.keys:
            return LOCAL
        secret = _bearer(headers)
        return self.keys.caller(secret) if secret else None

    def addressed(self, headers: Headers) -> bool:
        """Whether the request was meant for this server."""
        return bool(self.keys) or _host(headers) in self.hosts


def access_for(settings: Settings, tenants: Iterable[str], bound: str) -> Access:
    """The access to a server that listens on the address `bound`.

    Raises ConfigError for keys that are not well formed, and for none where other machines can reach the server.
    """
    keys = parse_keys(settings.api_keys.get_secret_value(), tenants)
    if not keys and not ip_address(bound).is_loopback:
        raise ConfigError(
            f"CERTCOACH_HOST {settings.host} lets other machines in, so CERTCOACH_API_KEYS must hold a key. {REMEDY} "
            "and set it as CERTCOACH_API_KEYS, or leave CERTCOACH_HOST at 127.0.0.1."
        )
    own = f"[{settings.host}]" if ":" in settings.host else settings.host
    return Access(keys, LOOPBACK | {own.lower()})


class Door:
    """ASGI middleware: finds out who asks, and keeps everybody else away from the API."""

    def __init__(self, app: ASGIApp, access: Access) -> None:
        self.app = app
        self.access = access

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        if scope["type"] != "http":
            await self.app(scope, receive, send)
            return
        headers = Headers(scope=scope)
        caller = self.access.caller(headers)
        if not self.access.addressed(headers):
            await ProblemResponse(Problem.of(WRONG_HOST))(scope, receive, send)
        elif caller is None and scope["path"].startswith(GUARDED):
            challenge = {"www-authenticate": _challenge(headers)}
            await ProblemResponse(Problem.of(NO_KEY), challenge)(scope, receive, send)
        else:
            scope.setdefault("state", {})["caller"] = caller or STRANGER
            await self.app(scope, receive, send)


def _bearer(headers: Headers) -> str:
    scheme, _, secret = headers.get("authorization", "").partition(" ")
    return secret.strip() if scheme.lower() == "bearer" else ""


def _challenge(headers: Headers) -> str:
    """Says whether a key was missing or wrong (RFC 6750, 3)."""
    return 'Bearer realm="CertCoach"' + (', error="invalid_token"' if _bearer(headers) else "")


def _host(headers: Headers) -> str:
    """The name in the Host header without its port; "" unless there is exactly one."""
    match = _HOST.fullmatch(", ".join(headers.getlist("host")))
    return match["name"].lower() if match else ""
