"""The Web API: who may call what how often, and which function serves it."""

from __future__ import annotations

from collections.abc import Awaitable, Callable, Mapping
from dataclasses import dataclass

from aiohttp import web

from tests.wire import slack_chat as chat
from tests.wire import slack_conversations as conversations
from tests.wire import slack_directory as directory
from tests.wire import slack_streams as streams
from tests.wire import slack_views as views
from tests.wire.slack_ask import Ask, arguments
from tests.wire.slack_faults import Faults
from tests.wire.slack_json import Json
from tests.wire.slack_oauth import exchange
from tests.wire.slack_platform import Platform
from tests.wire.slack_record import Call
from tests.wire.slack_refusal import Refusal


@dataclass(frozen=True, slots=True)
class Method:
    """A method for bot tokens. `scopes` are alternatives; `tier` 0 stands for a limit of its own, or none."""

    serve: Callable[[Ask], Awaitable[Json]]
    tier: int = 0
    scopes: tuple[str, ...] = ()


WRITE = ("chat:write",)
READ = ("channels:read", "groups:read", "im:read")
HISTORY = ("channels:history", "groups:history", "im:history")
THREADS = ("assistant:write", "chat:write")

# The tiers stand on the methods' pages; PLATFORMS.md: "clients class start as Tier 2 and append as Tier 4".
METHODS: Mapping[str, Method] = {
    "auth.test": Method(directory.auth_test),
    "bots.info": Method(directory.bot_info, 3, ("users:read",)),
    "users.info": Method(directory.user_info, 4, ("users:read",)),
    "team.info": Method(directory.team_info, 3, ("team:read",)),
    "conversations.info": Method(conversations.info, 3, READ),
    "conversations.members": Method(conversations.members, 4, READ),
    "conversations.history": Method(conversations.history, 3, HISTORY),
    "conversations.replies": Method(conversations.replies, 3, HISTORY),
    "conversations.open": Method(conversations.open_, 3, ("im:write",)),
    "conversations.join": Method(conversations.join, 3, ("channels:join",)),
    "reactions.add": Method(conversations.react, 3, ("reactions:write",)),
    "chat.postMessage": Method(chat.post_message, 0, WRITE),
    "chat.postEphemeral": Method(chat.post_ephemeral, 4, WRITE),
    "chat.update": Method(chat.update, 3, WRITE),
    "chat.delete": Method(chat.delete, 3, WRITE),
    "chat.getPermalink": Method(chat.permalink),
    "chat.startStream": Method(streams.start, 2, WRITE),
    "chat.appendStream": Method(streams.append, 4, WRITE),
    "chat.stopStream": Method(streams.stop, 2, WRITE),
    "assistant.threads.setStatus": Method(directory.set_status, 0, THREADS),
    "assistant.threads.setTitle": Method(directory.set_title, 0, THREADS),
    "assistant.threads.setSuggestedPrompts": Method(directory.set_prompts, 0, THREADS),
    "views.open": Method(views.open_, 4),
    "views.push": Method(views.push, 4),
    "views.update": Method(views.update, 4),
    "views.publish": Method(views.publish, 4),
}


class Api:
    """Serves `/api/<method>`, records every call and lets faults happen to it."""

    def __init__(self, platform: Platform, faults: Faults) -> None:
        self.platform = platform
        self.faults = faults

    async def serve(self, request: web.Request) -> web.Response:
        """Answer one call."""
        try:
            token, given = await arguments(request)
        except Refusal as refusal:
            return web.json_response(refusal.body())
        call = Call(self.platform.clock.now(), request.match_info["method"], token, given)
        self.platform.record.call(call)

        async def answer() -> web.Response:
            return await self._answer(request, call)

        try:
            return await self.faults.around(request, call, answer)
        finally:
            self.platform.record.changed()

    async def _answer(self, request: web.Request, call: Call) -> web.Response:
        headers = {}
        try:
            call.answer, call.status = {"ok": True, **await self._served(request, call)}, 200
        except Refusal as refusal:
            call.answer, call.status, headers = refusal.body(), refusal.status, dict(refusal.headers)
        install = self.platform.world.holder(call.token)
        if install is not None:
            headers["X-OAuth-Scopes"] = ",".join(sorted(install.scopes))
        return web.json_response(call.answer, status=call.status, headers=headers)

    async def _served(self, request: web.Request, call: Call) -> Json:
        if call.method == "oauth.v2.access":
            return exchange(self.platform.world, request.headers.get("Authorization", ""), call.arguments)
        if call.method == "apps.connections.open":
            return self._connection(call.token)
        ask = self._admitted(call)
        method = METHODS.get(call.method)
        if method is None:
            raise Refusal("unknown_method", req_method=call.method)
        if method.scopes and not set(method.scopes) & ask.install.scopes:
            provided = ",".join(sorted(ask.install.scopes))
            raise Refusal("missing_scope", needed=method.scopes[0], provided=provided)
        if method.tier:
            self.platform.rates.admit(ask.team.id, call.method, method.tier)
        return await method.serve(ask)

    def _admitted(self, call: Call) -> Ask:
        if not call.token:
            raise Refusal("not_authed")
        if call.token == self.platform.world.app.token:
            raise Refusal("not_allowed_token_type")
        install = self.platform.world.holder(call.token)
        if install is None:
            raise Refusal("invalid_auth")
        call.team = install.team
        if install.problem:
            raise Refusal(install.problem)
        return Ask(self.platform, self.platform.world.workspaces[install.team], call.arguments)

    def _connection(self, token: str) -> Json:
        if token != self.platform.world.app.token:
            raise Refusal("not_allowed_token_type" if token.startswith("xoxb-") else "invalid_auth")
        ticket = self.platform.sockets.ticket()
        return {"url": f"{self.platform.url.replace('http', 'ws', 1)}/link?ticket={ticket}&app_id=tests"}
