"""Messages, threads, permissions and faults of the local Discord, met by the real discord.py."""

from __future__ import annotations

import io
from collections.abc import AsyncIterator

import aiohttp
import discord
import pytest
from hypothesis import given
from hypothesis import strategies as st

from tests.wire.discord_bot import READING, UNREAD, Bot, Scene, opened, running
from tests.wire.discord_faults import At
from tests.wire.discord_permissions import EVERYTHING, Permission
from tests.wire.discord_pings import read_mentions
from tests.wire.discord_record import Call
from tests.wire.discord_refusals import Refused
from tests.wire.discord_traffic import Scope
from tests.wire.discord_world import Channel, Guild, Member, Message, Role, User, World

POST = "POST /channels/{channel}/messages"
NOBODY = discord.AllowedMentions.none()


@pytest.fixture
async def scene() -> AsyncIterator[Scene]:
    async with opened(READING) as scene:
        yield scene


def mentions(scene: Scene, *, loud: bool = True) -> list[str]:
    return [ping.target for ping in scene.server.record.pings if ping.loud is loud]


async def test_a_mention_is_answered_in_a_thread_whose_id_is_the_messages(scene: Scene) -> None:
    message = scene.server.people.mention(scene.ada, scene.channel, "what is S3?")
    heard = await scene.bot.hears(message.content)
    thread = await heard.create_thread(name="S3")
    await thread.send("An object store.")
    assert thread.id == message.id and thread.me is not None
    assert scene.texts(scene.server.world.channels[message.id]) == [message.content, "An object store."]


async def test_a_restarted_bot_finds_active_threads_again(scene: Scene) -> None:
    scene.server.threads.start(scene.ada, scene.channel, {"name": "S3"})
    async with running(scene.server, Bot(READING)) as second:
        assert [thread.name for thread in second.guilds[0].threads] == ["S3"]


async def test_edits_and_deletions_by_people_reach_the_bot(scene: Scene) -> None:
    message = scene.server.people.message(scene.ada, scene.channel, "first")
    await scene.bot.hears("first")
    scene.server.people.edit(message, "second")
    scene.server.people.delete(message)
    await scene.bot.bell.until(lambda: "MESSAGE_DELETE" in scene.bot.events)
    assert "MESSAGE_UPDATE" in scene.bot.events and scene.texts() == []


async def test_a_nonce_that_is_enforced_gives_one_message(scene: Scene) -> None:
    first = await scene.place.send("once", nonce="claim-1")
    again = await scene.place.send("once", nonce="claim-1")
    assert again.id == first.id and scene.texts() == ["once"]


async def test_a_nonce_is_forgotten_after_minutes(scene: Scene) -> None:
    await scene.place.send("once", nonce="claim-1")
    scene.server.clock.skip(200)
    await scene.place.send("once", nonce="claim-1")
    assert scene.texts() == ["once", "once"]


async def test_history_after_an_id_comes_newest_first_and_is_limited(scene: Scene) -> None:
    ids = [scene.server.people.message(scene.ada, scene.channel, str(number)).id for number in range(5)]
    found = await scene.call("GET", f"/channels/{scene.channel.id}/messages?after={ids[0]}&limit=3")
    assert isinstance(found, list) and [each["content"] for each in found] == ["3", "2", "1"]


async def test_typing_is_seen(scene: Scene) -> None:
    async with scene.place.typing():
        assert scene.channel.typing == 1


async def test_reactions_of_people_and_bot_are_kept(scene: Scene) -> None:
    message = await scene.place.send("good?")
    await message.add_reaction("👍")
    stored = scene.channel.messages[message.id]
    scene.server.people.react(scene.ada, stored, "👍")
    assert stored.reactions["👍"] == {scene.ada.id, scene.server.world.bot.id}
    await message.remove_reaction("👍", scene.place.guild.me)
    assert stored.reactions["👍"] == {scene.ada.id}


async def test_a_file_arrives_as_an_attachment(scene: Scene) -> None:
    message = await scene.place.send(file=discord.File(io.BytesIO(b"a,b"), "stats.csv"))
    assert [(each.filename, each.size) for each in message.attachments] == [("stats.csv", 3)]


async def test_a_file_over_ten_mebibytes_is_refused(scene: Scene) -> None:
    with pytest.raises(discord.HTTPException) as refused:
        await scene.place.send(file=discord.File(io.BytesIO(bytes(10 * 2**20 + 1)), "big.bin"))
    assert (refused.value.status, refused.value.code) == (413, 40005)


@pytest.mark.parametrize(
    ("text", "target"),
    [("hey @everyone", "everyone"), ("hey @here", "here"), ("<@{ada}>", "user:Ada"), ("<@&{role}>", "role:Mods")],
)
async def test_an_ordinary_message_pings_all_it_names_unless_told_not_to(scene: Scene, text: str, target: str) -> None:
    role = scene.server.stage.role(scene.guild, "Mods", mentionable=True)
    text = text.format(ada=scene.ada.id, role=role.id)
    await scene.place.send(text, allowed_mentions=NOBODY)
    assert mentions(scene) == []
    await scene.place.send(text)
    assert mentions(scene) == [target]


@given(st.lists(st.sampled_from(["@everyone", "@here", "<@1>", "<@&1>", "`", "```", "\n", " ", "x"])).map("".join))
def test_no_text_pings_anybody_when_nothing_is_allowed(text: str) -> None:
    world = World("token")
    guild = Guild(1, "Study", world.bot, {1: Role(1, "@everyone", EVERYTHING, mentionable=True)})
    world.users[1], guild.members[1] = User(1, "Ada"), Member(User(1, "Ada"))
    message = Message(2, Channel(3, "c", guild=guild), world.bot, text)
    assert read_mentions(world, message, NOBODY.to_dict()) == []  # type: ignore[arg-type]


async def test_listed_users_are_pinged_and_no_others(scene: Scene) -> None:
    bob = scene.server.stage.user("Bob", scene.guild)
    allowed = discord.AllowedMentions(everyone=False, roles=False, users=[discord.Object(bob.id)])
    await scene.place.send(f"<@{scene.ada.id}> <@{bob.id}> @everyone", allowed_mentions=allowed)
    assert mentions(scene) == ["user:Bob"]


async def test_nobody_is_pinged_from_code_or_an_embed(scene: Scene) -> None:
    await scene.place.send("`@everyone` ```\n@here\n```", embed=discord.Embed(description="@everyone"))
    assert mentions(scene) == []


async def test_everyone_is_not_pinged_without_the_permission(scene: Scene) -> None:
    everyone = scene.guild.everyone
    scene.server.stage.permit(scene.guild, everyone, everyone.permissions & ~Permission.MENTION_EVERYONE)
    await scene.place.send("@everyone")
    assert mentions(scene) == []


async def test_an_edit_marks_but_rings_for_nobody(scene: Scene) -> None:
    message = await scene.place.send("soon")
    await message.edit(content="@everyone")
    assert (mentions(scene), mentions(scene, loud=False)) == ([], ["everyone"])


async def test_a_reply_pings_the_author_of_what_it_answers(scene: Scene) -> None:
    message = scene.server.people.message(scene.ada, scene.channel, "question")
    await (await scene.bot.hears("question")).reply("answer")
    assert mentions(scene) == ["user:Ada"]
    assert scene.server.people.transcript(scene.channel)[-1].reply_to == message.id


async def test_a_reply_to_a_message_that_is_gone_is_refused(scene: Scene) -> None:
    message = scene.server.people.message(scene.ada, scene.channel, "question")
    heard = await scene.bot.hears("question")
    scene.server.people.delete(message)
    with pytest.raises(discord.HTTPException, match="Unknown message"):
        await heard.reply("answer")


async def test_errors_name_what_is_unknown(scene: Scene) -> None:
    assert (await scene.refusal("GET", "/channels/1")).code == 10003
    assert (await scene.refusal("GET", f"/channels/{scene.channel.id}/messages/1")).code == 10008
    assert (await scene.refusal("GET", "/guilds/1")).code == 10004
    assert (await scene.refusal("GET", f"/guilds/{scene.guild.id}/members/1")).code == 10007
    assert (await scene.refusal("GET", "/users/1")).code == 10013


async def test_an_unknown_route_is_404_and_recorded(scene: Scene) -> None:
    assert (await scene.refusal("GET", "/nowhere")).status == 404
    assert [call.status for call in scene.server.record.unknown()] == [404]


async def test_a_channel_that_the_bot_cannot_see_is_missing_access_and_silent(scene: Scene) -> None:
    scene.server.stage.overwrite(scene.channel, scene.guild.everyone, deny=Permission.VIEW_CHANNEL)
    with pytest.raises(Refused, match="Missing Access"):
        scene.server.people.message(scene.ada, scene.channel, "unseen")
    assert (await scene.refusal("POST", f"/channels/{scene.channel.id}/messages", {"content": "x"})).code == 50001


async def test_an_overwrite_for_the_bots_role_or_itself_wins_over_everyones(scene: Scene) -> None:
    scene.server.stage.overwrite(scene.channel, scene.guild.everyone, deny=Permission.SEND_MESSAGES)
    assert (await scene.refusal("POST", f"/channels/{scene.channel.id}/messages", {"content": "x"})).code == 50013
    scene.server.stage.overwrite(scene.channel, scene.server.world.bot, allow=Permission.SEND_MESSAGES)
    await scene.place.send("allowed")
    assert scene.texts() == ["allowed"]


async def test_embeds_need_their_permission(scene: Scene) -> None:
    scene.server.stage.overwrite(scene.channel, scene.guild.everyone, deny=Permission.EMBED_LINKS)
    with pytest.raises(discord.Forbidden) as refused:
        await scene.place.send(embed=discord.Embed(title="x"))
    assert refused.value.code == 50013


async def test_another_authors_message_cannot_be_edited_nor_deleted(scene: Scene) -> None:
    message = scene.server.people.message(scene.ada, scene.channel, "mine")
    path = f"/channels/{scene.channel.id}/messages/{message.id}"
    assert (await scene.refusal("PATCH", path, {"content": "yours"})).code == 50005
    assert (await scene.refusal("DELETE", path)).code == 50013


async def test_direct_messages_go_both_ways_until_they_are_closed(scene: Scene) -> None:
    scene.server.people.dm(scene.ada, "hello")
    heard = await scene.bot.hears("hello")
    await heard.channel.send("hi")
    assert scene.texts(scene.server.world.dm(scene.ada)) == ["hello", "hi"]
    scene.ada.dms_open = False
    with pytest.raises(discord.Forbidden) as refused:
        await heard.channel.send("again")
    assert refused.value.code == 50007


async def test_the_bot_opens_a_direct_message_channel(scene: Scene) -> None:
    await (await scene.bot.fetch_user(scene.ada.id)).send("daily question")
    assert scene.texts(scene.server.world.dm(scene.ada)) == ["daily question"]


async def test_sending_to_an_archived_thread_opens_it(scene: Scene) -> None:
    thread = scene.server.threads.start(scene.ada, scene.channel, {"name": "old"})
    scene.server.stage.archive(thread)
    await scene.call("POST", f"/channels/{thread.id}/messages", {"content": "still here"})
    assert thread.thread and not thread.thread.archived


async def test_a_locked_thread_takes_no_message(scene: Scene) -> None:
    thread = scene.server.threads.start(scene.ada, scene.channel, {"name": "old"})
    path = f"/channels/{thread.id}/messages"
    scene.server.stage.lock(thread)
    assert (await scene.refusal("POST", path, {"content": "x"})).code == 160005
    scene.server.stage.lock(thread, archive=True)
    assert (await scene.refusal("POST", path, {"content": "x"})).code == 50083


async def test_in_an_archived_thread_nothing_is_edited_or_reacted_to(scene: Scene) -> None:
    thread = scene.server.threads.start(scene.server.world.bot, scene.channel, {"name": "old"})
    sent = await scene.call("POST", f"/channels/{thread.id}/messages", {"content": "x"})
    assert isinstance(sent, dict)
    scene.server.stage.archive(thread)
    path = f"/channels/{thread.id}/messages/{sent['id']}"
    assert (await scene.refusal("PATCH", path, {"content": "y"})).code == 50083
    assert (await scene.refusal("PUT", f"{path}/reactions/👍/@me")).code == 50083


async def test_a_message_has_one_thread_and_a_guild_a_limited_number(scene: Scene) -> None:
    message = await scene.place.send("start")
    await message.create_thread(name="one")
    path = f"/channels/{scene.channel.id}/messages/{message.id}/threads"
    assert (await scene.refusal("POST", path, {"name": "two"})).code == 160004
    scene.server.threads.most = 1
    other = await scene.place.send("another")
    with pytest.raises(discord.HTTPException) as refused:
        await other.create_thread(name="three")
    assert refused.value.code == 160006


async def test_threads_have_a_send_permission_of_their_own(scene: Scene) -> None:
    thread = scene.server.threads.start(scene.ada, scene.channel, {"name": "talk"})
    scene.server.stage.overwrite(scene.channel, scene.guild.everyone, deny=Permission.SEND_MESSAGES)
    await scene.call("POST", f"/channels/{thread.id}/messages", {"content": "in the thread"})
    scene.server.stage.overwrite(scene.channel, scene.guild.everyone, deny=Permission.SEND_MESSAGES_IN_THREADS)
    assert (await scene.refusal("POST", f"/channels/{thread.id}/messages", {"content": "x"})).code == 50013


async def test_only_moderators_lock_threads(scene: Scene) -> None:
    thread = scene.server.threads.start(scene.server.world.bot, scene.channel, {"name": "quiz"})
    assert (await scene.refusal("PATCH", f"/channels/{thread.id}", {"locked": True})).code == 50013
    own = scene.guild.members[scene.server.world.bot.id].roles[0]
    scene.server.stage.permit(scene.guild, own, Permission.MANAGE_THREADS)
    await scene.call("PATCH", f"/channels/{thread.id}", {"locked": True, "archived": True})
    assert thread.thread and thread.thread.locked and thread.thread.archived


async def test_without_the_content_intent_only_what_is_meant_for_the_bot_is_read() -> None:
    async with opened(UNREAD) as scene:
        people, own = scene.server.people, await scene.place.send("mine")
        people.message(scene.ada, scene.channel, "not for it")
        people.mention(scene.ada, scene.channel, "for it")
        people.message(scene.ada, scene.channel, "an answer", reply_to=scene.channel.messages[own.id])
        people.dm(scene.ada, "private")
        await scene.bot.hears("private")
        heard = [each.content for each in scene.bot.heard if each.author.id == scene.ada.id]
        assert heard == ["", f"<@{scene.server.world.bot.id}> for it", "an answer", "private"]


async def test_history_is_veiled_when_the_portal_does_not_open_content(scene: Scene) -> None:
    scene.server.people.message(scene.ada, scene.channel, "not for it")
    scene.server.world.application.message_content = False
    assert [each.content async for each in scene.place.history()] == [""]


async def test_a_lost_answer_leaves_its_effect_and_the_nonce_mends_it(scene: Scene) -> None:
    scene.server.faults.lose_answer(At(route=POST))
    with pytest.raises(aiohttp.ClientError):
        await scene.place.send("once", nonce="claim-1")
    await scene.place.send("once", nonce="claim-1")
    assert scene.texts() == ["once"] and [call.lost for call in scene.server.record.of(POST)] == [True, False]


async def test_a_server_error_comes_with_or_without_the_effect(scene: Scene) -> None:
    scene.server.faults.fail(503, At(route=POST))
    with pytest.raises(discord.DiscordServerError):
        await scene.place.send("not sent")
    scene.server.faults.fail(503, At(route=POST, side="after"))
    with pytest.raises(discord.DiscordServerError):
        await scene.place.send("sent")
    assert scene.texts() == ["sent"]


async def test_a_hook_runs_at_the_nth_call_on_either_side_of_its_effect(scene: Scene) -> None:
    seen: list[tuple[int, list[str]]] = []

    def look(call: Call) -> None:
        seen.append((call.number, scene.texts()))

    first = len(scene.server.record.calls)
    scene.server.faults.on_call(look, At(nth=2))
    scene.server.faults.on_call(look, At(nth=2, side="after"))
    for text in ("a", "b", "c"):
        await scene.place.send(text)
    assert seen == [(first + 2, ["a"]), (first + 2, ["a", "b"])]


async def test_a_delay_holds_a_call_back(scene: Scene) -> None:
    scene.server.faults.delay(0.05, At(route=POST))
    before = scene.server.clock.now()
    await scene.place.send("late")
    assert scene.server.clock.now() - before >= 0.05


@pytest.mark.parametrize("scope", ["user", "global", "shared"])
async def test_discord_py_waits_out_a_429_and_sends_once(scene: Scene, scope: Scope) -> None:
    scene.server.traffic.refuse(POST, 0.02, scope=scope)
    await scene.place.send("through")
    assert [call.status for call in scene.server.record.of(POST)] == [429, 200] and scene.texts() == ["through"]


async def test_a_route_limit_is_told_in_headers_that_discord_py_heeds(scene: Scene) -> None:
    scene.server.traffic.limit(POST, 2, 0.1)
    for number in range(5):
        await scene.place.send(str(number))
    assert {call.status for call in scene.server.record.of(POST)} == {200}
    assert scene.texts() == list("01234")


async def test_the_global_limit_spares_interactions(scene: Scene) -> None:
    scene.server.traffic.limit_everything(1, 0.05)
    exchange = scene.server.people.slash(scene.ada, scene.channel, "ask", question="x")
    await scene.server.until(lambda: exchange.messages)
    await scene.place.send("a")
    await scene.place.send("b")
    assert [call.status for call in scene.server.record.of(POST)] == [200, 429, 200]


async def test_too_many_invalid_calls_are_banned_without_a_via_header(scene: Scene) -> None:
    scene.server.traffic.invalid_most = 1
    scene.server.stage.overwrite(scene.channel, scene.guild.everyone, deny=Permission.SEND_MESSAGES)
    path = f"/channels/{scene.channel.id}/messages"
    assert (await scene.refusal("POST", path, {"content": "x"})).status == 403
    assert (await scene.refusal("POST", path, {"content": "x"})).status == 429


async def test_a_kicked_bot_is_told_and_finds_nothing(scene: Scene) -> None:
    scene.server.stage.kick(scene.guild)
    await scene.bot.bell.until(lambda: "GUILD_DELETE" in scene.bot.events)
    assert list(scene.bot.guilds) == []
    assert (await scene.refusal("GET", f"/guilds/{scene.guild.id}")).code == 10004
    assert (await scene.refusal("GET", f"/channels/{scene.channel.id}")).code == 50001


async def test_a_deleted_channel_takes_its_threads_with_it(scene: Scene) -> None:
    thread = scene.server.threads.start(scene.ada, scene.channel, {"name": "talk"})
    scene.server.stage.delete(scene.channel)
    await scene.bot.bell.until(lambda: "CHANNEL_DELETE" in scene.bot.events)
    assert (await scene.refusal("POST", f"/channels/{thread.id}/messages", {"content": "x"})).code == 10003


async def test_a_bot_that_joins_a_guild_hears_its_channels(scene: Scene) -> None:
    guild = scene.server.stage.guild("Other", bot=None)
    channel = scene.server.stage.channel(guild, "gcp-ace")
    scene.server.stage.invite(guild)
    await scene.bot.bell.until(lambda: scene.bot.get_channel(channel.id))
    assert guild.id in [each.id for each in scene.bot.guilds]


async def test_a_reset_token_is_unauthorized(scene: Scene) -> None:
    scene.server.world.reset_token()
    assert (await scene.refusal("GET", "/users/@me")).status == 401


async def test_the_application_says_which_privileged_intents_are_on(scene: Scene) -> None:
    info = await scene.bot.application_info()
    assert info.flags.gateway_message_content and not info.flags.gateway_guild_members


async def test_a_hook_that_raises_fails_its_test() -> None:
    def crash(_: Call) -> None:
        raise LookupError("in the hook")

    with pytest.raises(ExceptionGroup) as crashed:
        async with opened(READING) as scene:
            scene.server.faults.on_call(crash)
            with pytest.raises(discord.DiscordServerError):
                await scene.place.send("x")
    assert crashed.group_contains(LookupError)
