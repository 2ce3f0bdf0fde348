"""A local Slack for tests: the Web API, Socket Mode, signed requests, and people who write, press and read.

    async with slack_server() as slack:
        team = slack.workspace("Study Circle")
        lena = slack.member(team, "Lena")
        channel = slack.channel(team, "aws")
        question = lena.mention(channel, "what is a subnet?")
        await slack.record.until(lambda: len(slack.transcript(channel, question)) == 2)

Clients find it by `slack.base_url`, a subprocess by `slack.environment(team)`.
"""

from __future__ import annotations

import random
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager

import aiohttp
from aiohttp import web

from tests.wire import slack_responses as responses
from tests.wire.slack_api import Api
from tests.wire.slack_ask import arguments
from tests.wire.slack_clock import Clock
from tests.wire.slack_door import Door
from tests.wire.slack_faults import Faults
from tests.wire.slack_json import Json
from tests.wire.slack_member import Member
from tests.wire.slack_oauth import allow, authorize
from tests.wire.slack_outbox import Outbox, Parcel
from tests.wire.slack_platform import Platform
from tests.wire.slack_rates import Rates
from tests.wire.slack_reading import Seen, seen
from tests.wire.slack_record import Call, Delivery, Ping, Record
from tests.wire.slack_sockets import Sockets
from tests.wire.slack_world import SCOPES, App, Channel, Kind, Message, Workspace, World


class SlackServer:
    """The whole platform. `scale` real seconds last one platform second; `seed` decides what happens by chance."""

    def __init__(self, session: aiohttp.ClientSession, scale: float = 1.0, seed: int = 0) -> None:
        self.clock = Clock(scale)
        self.world = World()
        self.record = Record()
        self.rates = Rates(self.clock)
        self.faults = Faults()
        self.sockets = Sockets(self.clock, self.record, self.app.id, random.Random(seed))
        self.outbox = Outbox(self.clock, self.record, self.sockets, random.Random(seed))
        self.platform = Platform(self.clock, self.world, self.record, self.rates, self.outbox, self.sockets)
        self._session = session

    @property
    def app(self) -> App:
        """The app and its secrets."""
        return self.world.app

    @property
    def base_url(self) -> str:
        """The base of the Web API, as the SDK's clients take it."""
        return f"{self.platform.url}/api/"

    def environment(self, team: Workspace | None = None) -> dict[str, str]:
        """The settings with which a process finds this server; without a team it has no bot token and uses OAuth."""
        common = {
            "SLACK_API_URL": self.base_url,
            "SLACK_SIGNING_SECRET": self.app.signing_secret,
            "SLACK_AUTHORIZE_URL": f"{self.platform.url}/oauth/v2/authorize",
        }
        if team is None:
            return common | {"SLACK_CLIENT_ID": self.app.client_id, "SLACK_CLIENT_SECRET": self.app.client_secret}
        return common | {"SLACK_BOT_TOKEN": team.installed().token, "SLACK_APP_TOKEN": self.app.token}

    def http_mode(self, request_url: str) -> Door:
        """Deliver over signed HTTP requests from now on."""
        door = Door(self.clock, request_url, self.app.signing_secret, self._session)
        self.outbox.transport = door
        return door

    def workspace(self, name: str, id: str = "", installed: bool = True, bot: str = "") -> Workspace:
        """A new workspace, with the app in it unless told otherwise; the ids can be given."""
        team = self.world.workspace(name, id)
        if installed:
            self.world.install(team, SCOPES, bot)
        return team

    def member(self, team: Workspace, name: str, id: str = "", admin: bool = False) -> Member:
        """A new person, who is in every channel that is not private."""
        person = self.world.person(team, name, id, admin)
        for channel in team.channels.values():
            if channel.kind == "channel":
                channel.members.add(person.id)
        return Member(self.platform, team, person)

    def channel(self, team: Workspace, name: str, kind: Kind = "channel", id: str = "") -> Channel:
        """A new channel with everybody in it; "group" is a private one."""
        return self.world.channel(team, name, kind, id)

    def allow(self, team: Workspace) -> str:
        """Somebody presses Allow on the authorization page: the code for `oauth.v2.access`."""
        return allow(self.world, team)

    def kick(self, channel: Channel) -> None:
        """The app is removed from a channel."""
        team = self.world.workspaces[channel.team]
        channel.members.discard(team.installed().bot.id)
        left = "group_left" if channel.kind == "group" else "channel_left"
        self.platform.publish(team, {"type": left, "channel": channel.id, "event_ts": self.clock.stamp()})

    def archive(self, channel: Channel) -> None:
        """A channel is archived."""
        channel.archived = True
        event = {"type": "channel_archive", "channel": channel.id, "event_ts": self.clock.stamp()}
        self.platform.publish(self.world.workspaces[channel.team], event)

    def revoke(self, team: Workspace) -> None:
        """The app's token is revoked."""
        install = team.installed()
        install.problem = "token_revoked"
        tokens = {"oauth": [], "bot": [install.bot.id]}
        self.platform.announce(team, {"type": "tokens_revoked", "tokens": tokens, "event_ts": self.clock.stamp()})

    def uninstall(self, team: Workspace) -> None:
        """The app is removed from a workspace."""
        team.installed().problem = "account_inactive"
        self.platform.announce(team, {"type": "app_uninstalled", "event_ts": self.clock.stamp()})

    async def settled(self) -> None:
        """Wait until the app answered everything that was sent to it; retries that are due later do not count."""
        await self.outbox.settled()

    async def deliver(self, body: Json, attempt: int = 0, reason: str = "") -> Delivery:
        """Deliver a recorded event once, as a first delivery or as a retry; its message exists from then on."""
        self.platform.remember(body)
        return await self.outbox.attempt(Parcel("events_api", str(body["event_id"]), body), attempt, reason)

    async def redeliver(self, body: Json, times: int = 1, reason: str = "timeout") -> list[Delivery]:
        """Deliver an event again although it was acknowledged, as the platform does when an answer came too late."""
        return [await self.deliver(body, attempt, reason) for attempt in range(1, times + 1)]

    def transcript(self, channel: Channel, thread: Message | None = None, viewer: Member | None = None) -> list[Seen]:
        """A channel, or one thread of it, as it is seen: ephemeral messages only by the viewer who got them."""
        whispers = [one for one in channel.whispers.values() if viewer and one.only_for == viewer.id]
        shown = sorted([*channel.messages.values(), *whispers], key=lambda message: message.ts)
        names = {person.id: person.name for person in self.world.workspaces[channel.team].people.values()}
        return [
            seen(message, names.get(message.user, message.user), self.clock.now())
            for message in shown
            if thread is None or message.root == thread.root
        ]

    def written(self, channel: Channel) -> list[Message]:
        """What the app wrote into a channel for everybody, in order."""
        return [message for message in channel.messages.values() if message.bot_id]

    def pings(self) -> list[Ping]:
        """The notifications that the app's own messages fired."""
        bots = {install.bot.id for install in self.world.installs()}
        return [ping for ping in self.record.pings if ping.author in bots]

    async def respond(self, request: web.Request) -> web.Response:
        """Serve a response URL; faults count it as a call of `response_url`."""
        _, body = await arguments(request)
        call = Call(self.clock.now(), "response_url", request.match_info["key"], body)
        self.record.call(call)

        async def answer() -> web.Response:
            return await responses.serve(self.platform, request, call)

        try:
            return await self.faults.around(request, call, answer)
        finally:
            self.record.changed()

    def routes(self) -> web.Application:
        """The paths of the server."""
        api = Api(self.platform, self.faults)

        async def authorization(request: web.Request) -> web.Response:
            return authorize(self.world, request)

        application = web.Application(client_max_size=8 * 1024**2)
        application.router.add_route("*", "/api/{method}", api.serve)
        application.router.add_get("/link", self.sockets.connect)
        application.router.add_post("/response/{key}", self.respond)
        application.router.add_get("/oauth/v2/authorize", authorization)
        return application


@asynccontextmanager
async def slack_server(scale: float = 1.0, seed: int = 0) -> AsyncIterator[SlackServer]:
    """The server, open on a free port of 127.0.0.1 until the block ends."""
    async with aiohttp.ClientSession() as session:
        slack = SlackServer(session, scale, seed)
        runner = web.AppRunner(slack.routes(), shutdown_timeout=0.2)
        await runner.setup()
        site = web.TCPSite(runner, "127.0.0.1", 0)
        await site.start()
        slack.platform.url = f"http://127.0.0.1:{runner.addresses[0][1]}"
        try:
            yield slack
        finally:
            await slack.outbox.close()
            await slack.sockets.close()
            await runner.cleanup()
