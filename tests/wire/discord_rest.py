"""The REST side of a local Discord over HTTP: authentication, bodies, errors, rate limits, faults and the record."""

from __future__ import annotations

import json
from collections.abc import Awaitable, Callable, Mapping
from dataclasses import dataclass
from os import SEEK_END

from aiohttp import web
from aiohttp.web_request import FileField

from tests.wire.discord_clock import Clock
from tests.wire.discord_faults import Broken, Faults, Lost, Trap, spring
from tests.wire.discord_record import Call, Record
from tests.wire.discord_refusals import NO_SUCH_ROUTE, UNAUTHORIZED, Refused
from tests.wire.discord_routes import Handler, Result
from tests.wire.discord_traffic import Banned, TooMany, Traffic
from tests.wire.discord_world import Json, World

BASE = "/api/v10"
TOKENED = ("/interactions/", "/webhooks/")
Door = Callable[[web.Request], Awaitable[web.Response]]
VIA = {"Via": "1.1 google"}
"""Discord's own answers carry it; discord.py takes a 429 without it for Cloudflare's."""


@dataclass(frozen=True, slots=True)
class Rest:
    """Takes requests to the handlers."""

    world: World
    record: Record
    faults: Faults
    traffic: Traffic
    clock: Clock

    def mount(self, application: web.Application, table: Mapping[str, Handler]) -> None:
        """Add the routes, and one for all paths that have none."""
        for route, handler in table.items():
            method, _, path = route.partition(" ")
            application.router.add_route(method, BASE + path, self._door(path, handler))
        application.router.add_route("*", "/{tail:.*}", self._door("?", _no_such_route))

    def _door(self, path: str, handler: Handler) -> Door:
        async def enter(request: web.Request) -> web.Response:
            call = self.record.begin(f"{request.method} {path}")
            call.path, call.query, call.body = dict(request.match_info), dict(request.query), await self._body(request)
            response, code = await self._serve(request, call, handler)
            self.record.end(call, response.status, code)
            if call.lost and request.transport:
                request.transport.abort()
            return response

        return enter

    async def _serve(self, request: web.Request, call: Call, handler: Handler) -> tuple[web.Response, int]:
        traps = self.faults.sprung(call)
        try:
            response = await self._answer(request, call, handler, traps)
        except Lost:
            return web.Response(status=500), 0
        except Broken as broken:
            return web.Response(status=broken.status, text="<html>upstream error</html>", content_type="text/html"), 0
        except Banned:
            return web.Response(status=429, text="error code: 1015", content_type="text/plain"), 0
        except TooMany as refusal:
            self.traffic.note(429, refusal.scope)
            return self._too_many(refusal), 0
        except Refused as refused:
            self.traffic.note(refused.refusal.status)
            return _json(refused.refusal.status, refused.body(), {}), refused.refusal.code
        except Exception as crash:
            self.record.crashes.append(crash)
            return web.Response(status=503), 0
        return response, 0

    async def _answer(self, request: web.Request, call: Call, handler: Handler, traps: list[Trap]) -> web.Response:
        await spring(traps, "before", call)
        self._authenticate(request, call)
        headers = self.traffic.admit(call)
        result = handler(call)
        await spring(traps, "after", call)
        return _json(204, None, headers) if result is None else _json(200, result, headers)

    def _authenticate(self, request: web.Request, call: Call) -> None:
        path = call.route.partition(" ")[2]
        if path.startswith(TOKENED) or path in ("?", "/gateway"):
            return
        if request.headers.get("Authorization") != f"Bot {self.world.application.token}":
            raise Refused(UNAUTHORIZED)

    async def _body(self, request: web.Request) -> Json:
        """The JSON of a request; a list under "list", uploaded files as attachments under "files"."""
        if not request.can_read_body:
            return {}
        if not request.content_type.startswith("multipart/"):
            said = json.loads(await request.read() or b"{}")
            return {"list": said} if isinstance(said, list) else said or {}
        form = await request.post()
        body: Json = json.loads(str(form["payload_json"]))
        return body | {"files": [self._attachment(each) for each in form.values() if isinstance(each, FileField)]}

    def _attachment(self, upload: FileField) -> Json:
        url = f"https://cdn.discordapp.com/attachments/{upload.filename}"
        size = upload.file.seek(0, SEEK_END)
        identity = str(self.world.snowflake())
        return {"id": identity, "filename": upload.filename, "size": size, "url": url, "proxy_url": url}

    def _too_many(self, refusal: TooMany) -> web.Response:
        wait = round(self.clock.real(refusal.retry_after), 3)
        words = "The resource is being rate limited." if refusal.scope == "shared" else "You are being rate limited."
        body = {"message": words, "retry_after": wait, "global": refusal.scope == "global"}
        headers = {"Retry-After": str(max(1, round(wait))), "X-RateLimit-Scope": refusal.scope}
        return _json(429, body, headers | ({"X-RateLimit-Global": "true"} if refusal.scope == "global" else {}))


def _json(status: int, body: Result, headers: Mapping[str, str]) -> web.Response:
    if body is None:
        return web.Response(status=status, headers=VIA | dict(headers))
    data = json.dumps(body).encode()
    return web.Response(status=status, body=data, content_type="application/json", headers=VIA | dict(headers))


def _no_such_route(_: Call) -> Result:
    raise Refused(NO_SUCH_ROUTE)
