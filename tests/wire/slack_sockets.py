"""Socket Mode: the WebSockets an app holds open, one of which gets each event."""

from __future__ import annotations

import asyncio
import json
import random
from uuid import uuid4

from aiohttp import WSMsgType, web

from tests.wire.slack_clock import Clock
from tests.wire.slack_json import Json
from tests.wire.slack_limits import SOCKETS
from tests.wire.slack_outbox import Parcel, Receipt, acknowledged
from tests.wire.slack_record import Record


class Sockets:
    """The open connections of the app, oldest first."""

    def __init__(self, clock: Clock, record: Record, app_id: str, chance: random.Random) -> None:
        self.clock = clock
        self.record = record
        self.app_id = app_id
        self.chance = chance
        self.live: list[web.WebSocketResponse] = []
        self._requests: dict[web.WebSocketResponse, web.Request] = {}
        self._tickets: set[str] = set()
        self._waiting: dict[str, tuple[Parcel, asyncio.Future[Json]]] = {}

    def ticket(self) -> str:
        """What `apps.connections.open` hands out: good for one connection."""
        ticket = uuid4().hex
        self._tickets.add(ticket)
        return ticket

    async def connect(self, request: web.Request) -> web.WebSocketResponse:
        """Serve one connection until it closes."""
        if request.query.get("ticket") not in self._tickets:
            raise web.HTTPForbidden()
        self._tickets.remove(request.query["ticket"])
        socket = web.WebSocketResponse()
        await socket.prepare(request)
        if len(self.live) >= SOCKETS:
            await self._part(socket, "too_many_websockets")
            return socket
        self.live.append(socket)
        self._requests[socket] = request
        try:
            await socket.send_json(self._hello())
            self.record.changed()
            await self._listen(socket)
        finally:
            self._forget(socket)
        return socket

    async def offer(self, parcel: Parcel, attempt: int, reason: str) -> Receipt:
        """Send to one of the connections, at random. PLATFORMS.md: "each event goes to one of them at random"."""
        if not self.live:
            return Receipt("timeout")
        id = str(uuid4())
        answer: asyncio.Future[Json] = asyncio.get_running_loop().create_future()
        self._waiting[id] = (parcel, answer)
        try:
            await self.chance.choice(self.live).send_str(json.dumps(_envelope(parcel, id, attempt, reason)))
            payload = await acknowledged(self.clock, answer)
        except ConnectionError:
            return Receipt("timeout")
        finally:
            del self._waiting[id]
        return Receipt("timeout") if payload is None else Receipt(payload=payload)

    async def disconnect(self, reason: str = "refresh_requested", socket: web.WebSocketResponse | None = None) -> None:
        """Ask for a new connection, as the platform does every few hours, and close the old one."""
        leaving = socket or self.live[0]
        self._forget(leaving)
        await self._part(leaving, reason)

    def drop(self, socket: web.WebSocketResponse | None = None) -> None:
        """Cut a connection without a word."""
        leaving = socket or self.live[0]
        transport = self._requests[leaving].transport
        self._forget(leaving)
        if transport is not None:
            transport.abort()

    async def close(self) -> None:
        """Close all connections."""
        for socket in tuple(self.live):
            self._forget(socket)
            await socket.close()

    async def _part(self, socket: web.WebSocketResponse, reason: str) -> None:
        await socket.send_json({"type": "disconnect", "reason": reason, "debug_info": {"host": "applink-tests"}})
        await socket.close()

    async def _listen(self, socket: web.WebSocketResponse) -> None:
        async for message in socket:
            if message.type == WSMsgType.TEXT:
                body = json.loads(message.data)
                self._take(str(body.get("envelope_id", "")), body.get("payload") or {})

    def _take(self, id: str, payload: Json) -> None:
        parcel, answer = self._waiting.get(id, (None, None))
        if parcel is not None and answer is not None and not answer.done():
            parcel.taken(payload)
            answer.set_result(payload)

    def _hello(self) -> Json:
        debug = {"host": "applink-tests", "approximate_connection_time": 18060}
        about = {"num_connections": len(self.live), "debug_info": debug, "connection_info": {"app_id": self.app_id}}
        return {"type": "hello", **about}

    def _forget(self, socket: web.WebSocketResponse) -> None:
        self._requests.pop(socket, None)
        if socket in self.live:
            self.live.remove(socket)
        self.record.changed()


def _envelope(parcel: Parcel, id: str, attempt: int, reason: str) -> Json:
    # PLATFORMS.md: "In Socket Mode the envelope carries `retry_attempt` / `retry_reason`; retries happen there too"
    about: Json = {"type": parcel.kind, "envelope_id": id, "payload": parcel.payload}
    if parcel.kind == "events_api":
        return about | {"accepts_response_payload": False, "retry_attempt": attempt, "retry_reason": reason}
    return about | {"accepts_response_payload": True}
