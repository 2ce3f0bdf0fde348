"""The gateway of the local Discord: sessions, shards, disorder and close codes."""

from __future__ import annotations

import asyncio
import os
import sys
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager

import aiohttp
import discord
import pytest

from tests.wire.discord_bot import READING, Bot, Scene, opened, redirect, running
from tests.wire.discord_server import DiscordServer, discord_server


@pytest.fixture
async def scene() -> AsyncIterator[Scene]:
    async with opened(READING) as scene:
        yield scene


@pytest.fixture
async def server() -> AsyncIterator[DiscordServer]:
    async with discord_server() as server:
        server.stage.guild("Study")
        yield server


def contents(bot: Bot) -> list[str]:
    return [each.content for each in bot.heard]


async def test_a_dropped_connection_is_resumed_and_misses_nothing(scene: Scene) -> None:
    scene.server.people.message(scene.ada, scene.channel, "before")
    await scene.bot.hears("before")
    scene.server.gateway.drop()
    scene.server.people.message(scene.ada, scene.channel, "between")
    await scene.bot.hears("between")
    scene.server.people.message(scene.ada, scene.channel, "after")
    await scene.bot.hears("after")
    assert contents(scene.bot) == ["before", "between", "after"]
    assert (scene.server.gateway.entrance.resumed, scene.server.gateway.entrance.identified) == (1, 1)


async def test_a_session_that_cannot_be_resumed_is_begun_again_and_has_missed_what_was_said(scene: Scene) -> None:
    scene.server.gateway.drop(resumable=False)
    scene.server.people.message(scene.ada, scene.channel, "between")
    await scene.server.until(lambda: scene.server.gateway.connected)
    scene.server.people.message(scene.ada, scene.channel, "after")
    await scene.bot.hears("after")
    assert contents(scene.bot) == ["after"] and scene.server.gateway.entrance.identified == 2


async def test_a_bot_that_is_asked_to_reconnect_resumes(scene: Scene) -> None:
    scene.server.gateway.reconnect()
    await scene.bot.bell.until(lambda: "RESUMED" in scene.bot.events)
    scene.server.people.message(scene.ada, scene.channel, "after")
    await scene.bot.hears("after")


@pytest.mark.parametrize(("resumable", "identified"), [(True, 1), (False, 2)])
async def test_an_invalidated_session_is_resumed_or_begun_again(scene: Scene, resumable: bool, identified: int) -> None:
    scene.server.gateway.invalidate(resumable=resumable)
    await scene.server.until(lambda: scene.server.gateway.connected)
    scene.server.people.message(scene.ada, scene.channel, "after")
    await scene.bot.hears("after")
    assert scene.server.gateway.entrance.identified == identified


async def test_an_event_is_dispatched_twice_on_order(scene: Scene) -> None:
    scene.server.gateway.disorder.duplicate("MESSAGE_CREATE")
    scene.server.people.message(scene.ada, scene.channel, "one")
    scene.server.people.message(scene.ada, scene.channel, "two")
    await scene.bot.hears("two")
    assert contents(scene.bot) == ["one", "one", "two"]


async def test_an_event_is_overtaken_on_order(scene: Scene) -> None:
    scene.server.gateway.disorder.hold("MESSAGE_CREATE")
    scene.server.people.message(scene.ada, scene.channel, "one")
    scene.server.people.message(scene.ada, scene.channel, "two")
    scene.server.gateway.disorder.release()
    await scene.bot.hears("one")
    assert contents(scene.bot) == ["two", "one"]


async def test_an_event_comes_late_on_order(scene: Scene) -> None:
    scene.server.gateway.disorder.delay("MESSAGE_CREATE", 0.05)
    scene.server.people.message(scene.ada, scene.channel, "one")
    scene.server.people.message(scene.ada, scene.channel, "two")
    await scene.bot.hears("one")
    assert contents(scene.bot) == ["two", "one"]


async def test_every_replica_hears_everything(scene: Scene) -> None:
    async with running(scene.server, Bot(READING)) as second:
        scene.server.people.message(scene.ada, scene.channel, "all")
        await scene.bot.hears("all")
        await second.hears("all")


async def test_shards_share_the_guilds_and_the_first_has_the_direct_messages(server: DiscordServer) -> None:
    other = server.stage.guild("Other")
    while len({(guild.id >> 22) % 2 for guild in server.world.guilds.values()}) < 2:
        other = server.stage.guild("Another")
    ada = server.stage.user("Ada", other)
    async with running(server, Bot(READING, (0, 2))) as first, running(server, Bot(READING, (1, 2))) as second:
        guilds = [{guild.id for guild in bot.guilds} for bot in (first, second)]
        assert guilds[0] | guilds[1] == set(server.world.guilds) and not guilds[0] & guilds[1]
        server.people.dm(ada, "private")
        await first.hears("private")
        assert second.heard == []


class Sharded(discord.AutoShardedClient):
    """Takes the number of shards from the gateway, and no pause between their IDENTIFYs."""

    async def before_identify_hook(self, shard_id: int | None, *, initial: bool = False) -> None:
        return None


async def test_discord_py_opens_as_many_shards_as_recommended(server: DiscordServer) -> None:
    server.gateway.terms.shards = 3
    redirect(server)
    async with Sharded(intents=READING, guild_ready_timeout=0.05) as bot:
        await bot.login(server.env["DISCORD_TOKEN"])
        connection = asyncio.create_task(bot.connect())
        await bot.wait_until_ready()
        assert [session.shard for session in server.gateway.connected] == [(0, 3), (1, 3), (2, 3)]
    await connection


SCRIPT = """
import asyncio, os, discord, yarl
discord.http.Route.BASE = os.environ["DISCORD_API_BASE"]
discord.gateway.DiscordWebSocket.DEFAULT_GATEWAY = yarl.URL(os.environ["DISCORD_GATEWAY_URL"])
asyncio.run(discord.Client(intents=discord.Intents.default()).start(os.environ["DISCORD_TOKEN"]))
"""


async def test_a_process_finds_the_server_by_its_environment_and_its_death_ends_the_connection(
    server: DiscordServer,
) -> None:
    env = {**os.environ, **server.env}
    process = await asyncio.create_subprocess_exec(sys.executable, "-W", "ignore", "-c", SCRIPT, env=env)
    await server.until(lambda: server.gateway.connected, 30)
    process.kill()
    await process.wait()
    await server.until(lambda: not server.gateway.connected)


async def test_heartbeats_are_acknowledged(server: DiscordServer) -> None:
    async with raw(server) as line:
        await line.send_json({"op": 1, "d": None})
        assert (await line.receive_json())["op"] == 11


async def test_discord_py_keeps_the_heartbeats_interval(server: DiscordServer) -> None:
    server.gateway.terms.heartbeat = 0.1
    async with running(server, Bot(READING)):
        await server.until(lambda: server.gateway.entrance.heartbeats >= 3)


async def test_a_revoked_token_ends_the_connection_for_good(server: DiscordServer) -> None:
    bot = Bot(READING)
    with pytest.raises(discord.ConnectionClosed) as closed:
        await _until_revoked(server, bot)
    assert closed.value.code == 4004


async def _until_revoked(server: DiscordServer, bot: Bot) -> None:
    redirect(server)
    await bot.login(server.env["DISCORD_TOKEN"])
    connection = asyncio.create_task(bot.connect())
    await bot.wait_until_ready()
    await server.stage.revoke_token()
    await connection


async def test_a_wrong_token_fails_at_login(server: DiscordServer) -> None:
    redirect(server)
    bot = Bot(READING)
    with pytest.raises(discord.LoginFailure):
        await bot.login("wrong")
    await bot.close()


async def test_an_intent_that_the_portal_does_not_open_is_refused(server: DiscordServer) -> None:
    server.world.application.message_content = False
    redirect(server)
    bot = Bot(READING)
    with pytest.raises(discord.PrivilegedIntentsRequired):
        await bot.start(server.env["DISCORD_TOKEN"])
    await bot.close()
    assert server.gateway.closes == [4014]


async def test_sharding_is_required_past_a_number_of_guilds(server: DiscordServer) -> None:
    server.gateway.terms.guilds_per_shard = 0
    redirect(server)
    bot = Bot(READING)
    with pytest.raises(discord.ConnectionClosed) as closed:
        await bot.start(server.env["DISCORD_TOKEN"])
    await bot.close()
    assert closed.value.code == 4011


async def test_one_identify_too_many_resets_the_token(server: DiscordServer) -> None:
    server.gateway.terms.identifies = 1
    token = server.env["DISCORD_TOKEN"]
    async with running(server, Bot(READING)):
        async with raw(server) as line:
            await identify(line, token)
            assert await code(line) == 4004
        await server.until(lambda: not server.gateway.connected)
        assert server.env["DISCORD_TOKEN"] != token


@asynccontextmanager
async def raw(server: DiscordServer, version: int = 10) -> AsyncIterator[aiohttp.ClientWebSocketResponse]:
    """A connection without a library; HELLO is read."""
    async with (
        aiohttp.ClientSession() as session,
        session.ws_connect(f"{server.gateway.terms.url}?v={version}&encoding=json") as line,
    ):
        if version == 10:
            assert (await line.receive_json())["op"] == 10
        yield line


async def identify(line: aiohttp.ClientWebSocketResponse, token: str, **more: object) -> None:
    await line.send_json({"op": 2, "d": {"token": token, "intents": 1, "properties": {}, **more}})


async def code(line: aiohttp.ClientWebSocketResponse) -> int | None:
    """The code with which the gateway closes."""
    while (await line.receive()).type is aiohttp.WSMsgType.TEXT:
        pass
    return line.close_code


@pytest.mark.parametrize(
    ("said", "expected"),
    [
        ('{"op": 99}', 4001),
        ("{", 4002),
        ('{"op": 3, "d": {}}', 4003),
        ('{"op": 2, "d": {"token": "wrong", "intents": 1}}', 4004),
        ('{"op": 6, "d": {"token": "wrong"}}', 4004),
    ],
)
async def test_what_the_gateway_does_not_take_closes_with_its_code(
    server: DiscordServer, said: str, expected: int
) -> None:
    async with raw(server) as line:
        await line.send_str(said)
        assert await code(line) == expected


@pytest.mark.parametrize(("more", "expected"), [({"shard": [2, 2]}, 4010), ({"intents": 1 << 40}, 4013)])
async def test_an_identify_with_wrong_values_is_closed(
    server: DiscordServer, more: dict[str, object], expected: int
) -> None:
    async with raw(server) as line:
        await identify(line, server.env["DISCORD_TOKEN"], **more)
        assert await code(line) == expected


async def test_a_second_identify_is_closed(server: DiscordServer) -> None:
    async with raw(server) as line:
        await identify(line, server.env["DISCORD_TOKEN"])
        await identify(line, server.env["DISCORD_TOKEN"])
        assert await code(line) == 4005


async def test_another_version_is_closed(server: DiscordServer) -> None:
    async with raw(server, version=5) as line:
        assert await code(line) == 4012


async def test_too_many_sends_are_closed(server: DiscordServer) -> None:
    async with raw(server) as line:
        for _ in range(121):
            await line.send_json({"op": 1, "d": None})
        assert await code(line) == 4008


async def test_silence_is_closed(server: DiscordServer) -> None:
    server.gateway.terms.heartbeat = 0.02
    async with raw(server) as line:
        assert await code(line) == 4009


async def test_a_resumption_ahead_of_its_session_is_closed(server: DiscordServer) -> None:
    token = server.env["DISCORD_TOKEN"]
    async with raw(server) as line:
        await identify(line, token)
        session = (await line.receive_json())["d"]["session_id"]
        async with raw(server) as second:
            await second.send_json({"op": 6, "d": {"token": token, "session_id": session, "seq": 99}})
            assert await code(second) == 4007


async def test_identifying_too_fast_invalidates_the_session(server: DiscordServer) -> None:
    server.gateway.terms.pace = 5.0
    async with raw(server) as first, raw(server) as second:
        await identify(first, server.env["DISCORD_TOKEN"])
        await identify(second, server.env["DISCORD_TOKEN"])
        assert (await second.receive_json())["op"] == 9
        assert server.gateway.entrance.identified == 1
