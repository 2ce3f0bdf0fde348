"""A local Discord for tests: REST and gateway on one port, people and moderators to act, and a record of it all."""

from __future__ import annotations

from collections.abc import AsyncIterator, Callable, Mapping
from contextlib import asynccontextmanager
from typing import TypeVar

from aiohttp import web

from tests.wire.discord_account_routes import AccountRoutes
from tests.wire.discord_channel_routes import ChannelRoutes
from tests.wire.discord_clock import Bell, Clock
from tests.wire.discord_commands import Commands
from tests.wire.discord_faults import Faults
from tests.wire.discord_gateway import Gateway
from tests.wire.discord_interaction_routes import InteractionRoutes
from tests.wire.discord_interactions import Interactions
from tests.wire.discord_people import People
from tests.wire.discord_posting import Posting
from tests.wire.discord_record import Record
from tests.wire.discord_rest import BASE, Rest
from tests.wire.discord_stage import Stage
from tests.wire.discord_threads import Threads
from tests.wire.discord_traffic import Traffic
from tests.wire.discord_world import World

T = TypeVar("T")
TOKEN = "token.of-the-local.discord"


class DiscordServer:
    """The rooms of a local Discord: `stage` sets up, `people` act, `gateway`, `faults` and `traffic` go wrong.

    `record` has every call and ping, `interactions` and `commands` the state of those, `clock` the platform's time.
    """

    def __init__(self, speed: float = 1.0) -> None:
        self.clock, self.bell = Clock(speed), Bell()
        self.world = World(TOKEN)
        self.record = Record(self.clock, self.bell)
        self.faults, self.traffic = Faults(self.clock), Traffic(self.clock)
        self.gateway = Gateway(self.world, self.clock, self.bell, self.world.reset_token)
        self.commands = Commands(self.world)
        self.posting = Posting(self.world, self.gateway, self.record, self.clock)
        self.threads = Threads(self.world, self.gateway, self.posting)
        self.interactions = Interactions(self.world, self.gateway, self.posting, self.clock, self.bell)
        self.stage = Stage(self.world, self.gateway, self.posting, self.threads)
        self.people = People(self.world, self.posting, self.interactions, self.commands, self.bell)
        self.url = ""

    @property
    def env(self) -> Mapping[str, str]:
        """What a process needs to find this Discord."""
        return {
            "DISCORD_TOKEN": self.world.application.token,
            "DISCORD_API_BASE": self.url + BASE,
            "DISCORD_GATEWAY_URL": self.gateway.terms.url,
        }

    async def until(self, holds: Callable[[], T], seconds: float = 10.0) -> T:
        """Wait until something holds, and return it; TimeoutError after so many real seconds."""
        return await self.bell.until(holds, seconds)

    def application(self) -> web.Application:
        """The web application that answers for it."""
        application = web.Application(client_max_size=64 * 2**20)
        application.router.add_get("/gateway/", self.gateway.connect)
        rest = Rest(self.world, self.record, self.faults, self.traffic, self.clock)
        account = AccountRoutes(self.world, self.gateway, self.commands, self._leave)
        channels = ChannelRoutes(self.world, self.posting, self.threads, self.stage.delete)
        interactions = InteractionRoutes(self.world, self.posting, self.interactions)
        rest.mount(application, {**account.table(), **channels.table(), **interactions.table()})
        return application

    def _leave(self, guild: int) -> None:
        self.stage.kick(self.world.guild(guild))


@asynccontextmanager
async def discord_server(speed: float = 1.0) -> AsyncIterator[DiscordServer]:
    """A Discord on a free local port, whose time runs `speed` times as fast.

    An exception of a hook, or of the server's own, is answered with 503 and raised at the end.
    """
    discord = DiscordServer(speed)
    runner = web.AppRunner(discord.application(), shutdown_timeout=0.5, access_log=None)
    await runner.setup()
    try:
        site = web.TCPSite(runner, "127.0.0.1", 0)
        await site.start()
        host, port = runner.addresses[0][:2]
        discord.url, discord.gateway.terms.url = f"http://{host}:{port}", f"ws://{host}:{port}/gateway/"
        yield discord
    finally:
        discord.gateway.drop()
        await runner.cleanup()
    if discord.record.crashes:
        raise ExceptionGroup("the local Discord crashed", discord.record.crashes)
