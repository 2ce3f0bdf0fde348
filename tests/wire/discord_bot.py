"""A small bot on the real discord.py that tests connect to a local Discord."""

from __future__ import annotations

import asyncio
from collections.abc import AsyncIterator, Awaitable, Callable
from contextlib import asynccontextmanager, suppress
from dataclasses import dataclass

import discord
import yarl
from discord import app_commands

from tests.wire.discord_clock import Bell
from tests.wire.discord_server import DiscordServer, discord_server
from tests.wire.discord_world import Channel, Guild, User

Interaction = discord.Interaction[discord.Client]
OnAsk = Callable[[Interaction, str], Awaitable[None]]


def redirect(server: DiscordServer) -> None:
    """Point discord.py at a server. INVALID_SESSION sends it back to its default gateway, so that is set as well."""
    discord.http.Route.BASE = server.env["DISCORD_API_BASE"]
    discord.gateway.DiscordWebSocket.DEFAULT_GATEWAY = yarl.URL(server.env["DISCORD_GATEWAY_URL"])


class Bot(discord.Client):
    """Keeps what it hears and what went wrong; `on_ask` answers /ask, /coach bind and the message command.

    `completions` are offered for the question of /ask.
    """

    def __init__(self, intents: discord.Intents, shard: tuple[int, int] | None = None) -> None:
        number, count = shard or (None, None)
        super().__init__(intents=intents, guild_ready_timeout=0.05, shard_id=number, shard_count=count)
        self.bell = Bell()
        self.heard: list[discord.Message] = []
        self.events: list[str] = []
        self.errors: list[BaseException] = []
        self.completions: list[str] = []
        self.on_ask: OnAsk = _answer
        self.tree = app_commands.CommandTree(self)
        self.tree.error(self._note)
        _add_commands(self)

    async def setup_hook(self) -> None:
        await self.tree.sync()

    async def before_identify_hook(self, shard_id: int | None, *, initial: bool = False) -> None:
        """No pause of five seconds before another IDENTIFY."""

    async def on_message(self, message: discord.Message) -> None:
        self.heard.append(message)
        self.bell.ring()

    async def on_socket_event_type(self, name: str) -> None:
        self.events.append(name)
        self.bell.ring()

    async def _note(self, _: Interaction, error: app_commands.AppCommandError) -> None:
        self.errors.append(error.original if isinstance(error, app_commands.CommandInvokeError) else error)
        self.bell.ring()

    async def hears(self, content: str) -> discord.Message:
        """Wait for a message with that content."""
        await self.bell.until(lambda: content in [each.content for each in self.heard])
        return next(each for each in self.heard if each.content == content)


def _add_commands(bot: Bot) -> None:
    @bot.tree.command(name="ask", description="Ask a question")
    async def ask(interaction: Interaction, question: str) -> None:
        await bot.on_ask(interaction, question)

    @ask.autocomplete("question")
    async def complete(_: Interaction, typed: str) -> list[app_commands.Choice[str]]:
        return [app_commands.Choice(name=each, value=each) for each in bot.completions if typed in each]

    coach = app_commands.Group(
        name="coach",
        description="Settings",
        guild_only=True,
        default_permissions=discord.Permissions(manage_guild=True),
    )

    @coach.command(name="bind", description="Bind a channel")
    async def bind(interaction: Interaction, tenant: str, channel: discord.TextChannel) -> None:
        await bot.on_ask(interaction, f"{tenant} in {channel.name}")

    bot.tree.add_command(coach)

    @bot.tree.context_menu(name="Ask about this")
    async def about(interaction: Interaction, message: discord.Message) -> None:
        await bot.on_ask(interaction, message.content)


async def _answer(interaction: Interaction, question: str) -> None:
    await interaction.response.send_message(f"About {question}")


@asynccontextmanager
async def running(server: DiscordServer, bot: Bot) -> AsyncIterator[Bot]:
    """The bot, connected and ready."""
    redirect(server)
    await bot.login(server.env["DISCORD_TOKEN"])
    connection = asyncio.create_task(bot.connect())
    try:
        async with asyncio.timeout(10):
            await bot.wait_until_ready()
        yield bot
    finally:
        await bot.close()
        with suppress(discord.DiscordException):
            await connection


@dataclass(frozen=True, slots=True)
class Scene:
    """A server with one guild, one channel, one learner and a connected bot."""

    server: DiscordServer
    guild: Guild
    channel: Channel
    ada: User
    bot: Bot

    @property
    def place(self) -> discord.TextChannel:
        """The channel as the bot knows it."""
        found = self.bot.get_channel(self.channel.id)
        assert isinstance(found, discord.TextChannel)
        return found

    async def call(self, method: str, path: str, body: object = None) -> object:
        """A request as discord.py sends it, past what it checks by itself."""
        route = discord.http.Route(method, path)
        return await (self.bot.http.request(route) if body is None else self.bot.http.request(route, json=body))

    async def refusal(self, method: str, path: str, body: object = None) -> discord.HTTPException:
        """The error that a request meets."""
        try:
            await self.call(method, path, body)
        except discord.HTTPException as error:
            return error
        raise AssertionError(f"{method} {path} was not refused")

    def texts(self, channel: Channel | None = None, viewer: User | None = None) -> list[str]:
        """What is read in the channel."""
        return [each.text for each in self.server.people.transcript(channel or self.channel, viewer)]


@asynccontextmanager
async def opened(intents: discord.Intents) -> AsyncIterator[Scene]:
    """A scene whose bot has these intents."""
    async with discord_server() as server:
        guild = server.stage.guild("Study")
        channel = server.stage.channel(guild, "aws-saa")
        ada = server.stage.user("Ada", guild)
        async with running(server, Bot(intents)) as bot:
            yield Scene(server, guild, channel, ada, bot)


READING = discord.Intents(guilds=True, messages=True, message_content=True)
UNREAD = discord.Intents(guilds=True, messages=True)
