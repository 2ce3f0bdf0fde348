"""The rules of the local Slack, seen through the real SDK: each limit and each error once."""

from __future__ import annotations

from collections.abc import AsyncIterator

import pytest
from hypothesis import given
from hypothesis import strategies as st
from slack_sdk.errors import SlackApiError
from slack_sdk.http_retry.builtin_async_handlers import AsyncRateLimitErrorRetryHandler
from slack_sdk.web.async_client import AsyncWebClient

from tests.wire.slack_clock import Clock
from tests.wire.slack_json import Json
from tests.wire.slack_rates import Rates
from tests.wire.slack_reading import Link
from tests.wire.slack_refusal import Refusal
from tests.wire.slack_scene import (
    Scene,
    actions,
    button,
    buttons,
    choice,
    context,
    feedback,
    field,
    fields,
    groups,
    header,
    image,
    markdown,
    option,
    section,
    staged,
)


@pytest.fixture
async def scene() -> AsyncIterator[Scene]:
    async with staged() as scene:
        yield scene


@pytest.mark.parametrize(
    "blocks",
    [
        [section("x")] * 50,
        [section("x" * 3000)],
        [header("x" * 150)],
        [fields(10), fields(1, "x" * 2000)],
        [context(10)],
        [buttons(25)],
        [actions(button("x" * 75, value="v" * 2000, action_id="a" * 255))],
        [choice("radio_buttons", *[option()] * 10)],
        [choice("static_select", *[option("x" * 75, "v" * 150)] * 100)],
        [markdown("x" * 6000), markdown("x" * 6000)],
        [feedback(5)],
        [section("x") | {"block_id": "b" * 255}],
        [choice("checkboxes", *[option()] * 10), choice("overflow", *[option()] * 5)],
        [choice("multi_static_select", *[option()] * 100)],
        [groups(100), groups(1, 100)],
        [image("a" * 2000, "https://example.com/".ljust(3000, "a"), "t" * 2000)],
        [field("l" * 2000, "h" * 2000)],
        [actions(button(url="https://example.com/".ljust(3000, "a")))],
        [{"type": "carousel", "elements": [{"type": "card"}] * 10}],
    ],
    ids=lambda blocks: blocks[0]["type"],
)
async def test_blocks_at_their_limits_are_accepted(scene: Scene, blocks: list[Json]) -> None:
    assert await scene.refused("chat.postMessage", channel=scene.channel.id, text="x", blocks=blocks) == ""


@pytest.mark.parametrize(
    "blocks",
    [
        [section("x")] * 51,
        [section("x" * 3001)],
        [section("")],
        [{"type": "section"}],
        [{"type": "section", "text": "not an object"}],
        [header("x" * 151)],
        [{"type": "header", "text": {"type": "mrkdwn", "text": "x"}}],
        [fields(11)],
        [fields(1, "x" * 2001)],
        [context(11)],
        [buttons(26)],
        [actions()],
        [actions(button("x" * 76))],
        [actions(button(value="v" * 2001))],
        [actions(button(action_id="a" * 256))],
        [actions(button(action_id="twice"), button(action_id="twice"))],
        [choice("radio_buttons", *[option()] * 11)],
        [choice("radio_buttons", option("x" * 76))],
        [choice("radio_buttons", option("x", "v" * 151))],
        [choice("static_select", *[option()] * 101)],
        [markdown("x" * 12_001)],
        [markdown("x" * 6001), markdown("x" * 6000)],
        [feedback(6)],
        [section("x") | {"block_id": "b" * 256}],
        [section("x") | {"block_id": "twice"}, section("y") | {"block_id": "twice"}],
        [{"type": "alert", "text": {"type": "plain_text", "text": "x"}}],
        [{"type": "paragraph"}],
        [choice("checkboxes", *[option()] * 11)],
        [choice("overflow", *[option()] * 6)],
        [choice("multi_static_select", *[option()] * 101)],
        [groups(101)],
        [groups(1, 101)],
        [image(alt="a" * 2001)],
        [image(url="https://example.com/".ljust(3001, "a"))],
        [image(title="t" * 2001)],
        [field(label="l" * 2001)],
        [field(hint="h" * 2001)],
        [actions(button(url="https://example.com/".ljust(3001, "a")))],
        [{"type": "carousel", "elements": [{"type": "card"}] * 11}],
    ],
    ids=lambda blocks: str(blocks[0])[9:60],
)
async def test_blocks_beyond_a_limit_are_invalid_blocks(scene: Scene, blocks: list[Json]) -> None:
    arguments = {"channel": scene.channel.id, "text": "x", "blocks": blocks}
    assert await scene.refused("chat.postMessage", **arguments) == "invalid_blocks"
    assert scene.channel.messages == {}


async def test_a_refusal_of_blocks_says_what_is_wrong_where(scene: Scene) -> None:
    with pytest.raises(SlackApiError) as caught:
        await scene.client.chat_postMessage(channel=scene.channel.id, text="x", blocks=[section("x" * 3001)])
    assert caught.value.response["errors"] == ["must be less than 3001 characters [json-pointer:/blocks/0/text]"]


@pytest.mark.parametrize(
    ("content", "refusal"),
    [
        ({}, "no_text"),
        ({"text": "x", "blocks": [section("x" * 2640)] * 5}, ""),
        ({"text": "x", "blocks": [section("x" * 2640)] * 5 + [section("x")]}, "msg_blocks_too_long"),
        ({"markdown_text": "x" * 12_000}, ""),
        ({"markdown_text": "x" * 12_001}, "msg_too_long"),
        ({"markdown_text": "x", "text": "x"}, "markdown_text_conflict"),
        ({"text": "x", "blocks": "[not json"}, "invalid_blocks_format"),
        ({"text": "x", "metadata": {"event_payload": {}}}, "invalid_metadata_format"),
        ({"text": "x", "thread_ts": "1.000001"}, "thread_not_found"),
    ],
)
async def test_content_beyond_its_limits_is_refused_by_name(scene: Scene, content: Json, refusal: str) -> None:
    assert await scene.refused("chat.postMessage", channel=scene.channel.id, **content) == refusal


async def test_a_posted_text_is_cut_at_forty_thousand_without_an_error(scene: Scene) -> None:
    ts = await scene.post("x" * 40_001)
    assert len(scene.channel.message(ts).text) == 40_000


async def test_an_update_refuses_text_over_four_thousand(scene: Scene) -> None:
    place = scene.at(await scene.post())
    assert await scene.refused("chat.update", **place, text="x" * 4001) == "msg_too_long"
    assert await scene.refused("chat.update", **place, text="x" * 4000) == ""


async def test_an_update_without_blocks_keeps_the_blocks(scene: Scene) -> None:
    place = scene.at(await scene.post(blocks=[section("first")]))
    await scene.client.chat_update(**place, text="second")
    assert [one.text for one in scene.slack.transcript(scene.channel)] == ["first"]
    await scene.client.chat_update(**place, text="second", blocks=[])
    assert [(one.text, one.edited) for one in scene.slack.transcript(scene.channel)] == [("second", True)]


async def test_only_own_messages_can_be_changed(scene: Scene) -> None:
    place = scene.at(scene.lena.message(scene.channel, "mine").ts)
    assert await scene.refused("chat.update", **place, text="x") == "cant_update_message"
    assert await scene.refused("chat.delete", **place) == "cant_delete_message"
    assert await scene.refused("chat.delete", channel=scene.channel.id, ts="1.000001") == "message_not_found"


async def test_an_ephemeral_message_is_seen_by_one_person_and_by_no_method(scene: Scene) -> None:
    other = scene.slack.member(scene.team, "Omar")
    await scene.client.chat_postEphemeral(channel=scene.channel.id, user=scene.lena.id, text="psst")
    (whisper,) = scene.slack.transcript(scene.channel, viewer=scene.lena)
    assert (whisper.text, whisper.only_for) == ("psst", scene.lena.id)
    assert scene.slack.transcript(scene.channel, viewer=other) == []
    assert (await scene.client.conversations_history(channel=scene.channel.id))["messages"] == []
    assert await scene.refused("chat.update", channel=scene.channel.id, ts=whisper.ts, text="x") == "message_not_found"


async def test_an_ephemeral_message_needs_a_reader_in_the_channel(scene: Scene) -> None:
    arguments = {"channel": scene.channel.id, "user": "U0STRANGER", "text": "psst"}
    assert await scene.refused("chat.postEphemeral", **arguments) == "user_not_in_channel"


async def test_timestamps_are_unique_and_increase(scene: Scene) -> None:
    stamps = [await scene.post() for _ in range(20)]
    assert stamps == sorted(set(stamps))


@given(st.lists(st.floats(0, 1e6), max_size=20))
def test_stamps_increase_whatever_time_passes(steps: list[float]) -> None:
    clock, stamps = Clock(), []
    for step in steps:
        clock.advance(step)
        stamps.append(clock.stamp())
    assert stamps == sorted(set(stamps))


# --- who may do what where


async def test_a_channel_of_another_workspace_is_not_found(scene: Scene) -> None:
    other = scene.slack.channel(scene.slack.workspace("Elsewhere"), "gcp")
    for method in ("conversations.info", "conversations.history", "chat.postMessage"):
        assert await scene.refused(method, channel=other.id, text="x") == "channel_not_found"


async def test_a_private_channel_is_hidden_from_an_app_that_is_not_in_it(scene: Scene) -> None:
    private = scene.slack.channel(scene.team, "secret", "group")
    assert await scene.refused("conversations.info", channel=private.id) == ""
    scene.slack.kick(private)
    assert await scene.refused("conversations.info", channel=private.id) == "channel_not_found"


async def test_writing_into_a_channel_needs_membership_which_joining_gives(scene: Scene) -> None:
    scene.slack.kick(scene.channel)
    assert await scene.refused("chat.postMessage", channel=scene.channel.id, text="x") == "not_in_channel"
    assert await scene.refused("conversations.replies", channel=scene.channel.id, ts="1.0") == "not_in_channel"
    await scene.client.conversations_join(channel=scene.channel.id)
    assert await scene.refused("chat.postMessage", channel=scene.channel.id, text="x") == ""


async def test_an_archived_channel_takes_nothing(scene: Scene) -> None:
    scene.slack.archive(scene.channel)
    assert await scene.refused("chat.postMessage", channel=scene.channel.id, text="x") == "is_archived"


async def test_a_missing_scope_is_named(scene: Scene) -> None:
    scene.team.installed().scopes.discard("reactions:write")
    with pytest.raises(SlackApiError) as caught:
        await scene.client.reactions_add(channel=scene.channel.id, name="eyes", timestamp=await scene.post())
    assert (caught.value.response["error"], caught.value.response["needed"]) == ("missing_scope", "reactions:write")


async def test_tokens_that_are_not_good_are_refused_by_name(scene: Scene) -> None:
    url = scene.slack.base_url

    async def refusal(token: str | None) -> str:
        with pytest.raises(SlackApiError) as caught:
            await AsyncWebClient(token, base_url=url).auth_test()
        return str(caught.value.response["error"])

    assert await refusal(None) == "not_authed"
    assert await refusal("xoxb-nobody") == "invalid_auth"
    assert await refusal(scene.slack.app.token) == "not_allowed_token_type"
    scene.slack.revoke(scene.team)
    assert await refusal(scene.client.token) == "token_revoked"
    scene.slack.uninstall(scene.team)
    assert await refusal(scene.client.token) == "account_inactive"


async def test_an_unknown_method_is_refused_and_recorded(scene: Scene) -> None:
    assert await scene.refused("chat.teleport", channel="C1") == "unknown_method"
    (call,) = scene.slack.record.called("chat.teleport")
    assert (call.error, call.arguments, call.team) == ("unknown_method", {"channel": "C1"}, scene.team.id)


async def test_a_message_to_a_persons_id_reaches_the_conversation_with_them(scene: Scene) -> None:
    await scene.client.chat_postMessage(channel=scene.lena.id, text="good morning")
    opened = await scene.client.conversations_open(users=scene.lena.id)
    assert opened["channel"]["id"] == scene.lena.conversation.id
    assert [one.text for one in scene.slack.transcript(scene.lena.conversation)] == ["good morning"]


async def test_who_is_who_is_told(scene: Scene) -> None:
    me = await scene.client.auth_test()
    assert (me["team_id"], me["user_id"]) == (scene.team.id, scene.team.installed().bot.id)
    assert "chat:write" in me.headers["X-OAuth-Scopes"]
    assert (await scene.client.bots_info(bot=me["bot_id"]))["bot"]["user_id"] == me["user_id"]
    assert (await scene.client.users_info(user=scene.lena.id))["user"]["is_admin"] is False
    assert (await scene.client.team_info())["team"]["name"] == "Study Circle"
    members = (await scene.client.conversations_members(channel=scene.channel.id))["members"]
    assert set(members) == {scene.lena.id, me["user_id"]}
    assert await scene.refused("users.info", user="U0NOBODY") == "user_not_found"
    assert await scene.refused("bots.info", bot="B0NOBODY") == "bot_not_found"


async def test_history_and_replies_are_paged_and_carry_metadata_on_request(scene: Scene) -> None:
    root = await scene.post("root", metadata={"event_type": "claim", "event_payload": {"id": "7"}})
    replies = [await scene.post(f"reply {n}", thread_ts=root) for n in range(3)]
    pages = await scene.client.conversations_replies(channel=scene.channel.id, ts=root, limit=2)
    told = [message["ts"] async for page in pages for message in page["messages"]]
    assert told == [root, *replies]
    (top,) = (await scene.client.conversations_history(channel=scene.channel.id, include_all_metadata=True))["messages"]
    assert (top["reply_count"], top["metadata"]["event_payload"]) == (3, {"id": "7"})
    assert await scene.refused("conversations.replies", channel=scene.channel.id, ts="1.000001") == "thread_not_found"


async def test_a_reaction_counts_once(scene: Scene) -> None:
    place = {"channel": scene.channel.id, "timestamp": await scene.post(), "name": "eyes"}
    assert await scene.refused("reactions.add", **place) == ""
    assert await scene.refused("reactions.add", **place) == "already_reacted"


async def test_a_permalink_names_the_message(scene: Scene) -> None:
    ts = await scene.post()
    link = await scene.client.chat_getPermalink(channel=scene.channel.id, message_ts=ts)
    assert link["permalink"].endswith(f"/archives/{scene.channel.id}/p{ts.replace('.', '')}")


async def test_a_status_belongs_to_the_root_of_a_thread_and_ends_with_the_answer(scene: Scene) -> None:
    root = scene.lena.message(scene.channel, "a question")
    reply = scene.lena.message(scene.channel, "and another", root)
    thread: Json = {"channel_id": scene.channel.id, "thread_ts": root.ts}
    await scene.client.assistant_threads_setStatus(**thread, status="is thinking…")
    await scene.post("an answer", thread_ts=root.ts)
    assert [status.text for status in scene.slack.record.statuses] == ["is thinking…", ""]
    await scene.client.assistant_threads_setTitle(**thread, title="Subnets")
    assert scene.channel.titles == {root.ts: "Subnets"}
    arguments = {"channel_id": scene.channel.id, "thread_ts": reply.ts, "status": "x"}
    assert await scene.refused("assistant.threads.setStatus", **arguments) == "invalid_thread_ts"


async def test_suggested_prompts_need_no_thread_and_are_four_at_most(scene: Scene) -> None:
    prompt, place = {"title": "Quiz me", "message": "quiz"}, {"channel_id": scene.lena.conversation.id}
    await scene.client.assistant_threads_setSuggestedPrompts(**place, prompts=[prompt])
    assert scene.lena.conversation.prompts == {"": [prompt]}
    assert await scene.refused("assistant.threads.setSuggestedPrompts", **place, prompts=[prompt] * 4) == ""
    refusal = await scene.refused("assistant.threads.setSuggestedPrompts", **place, prompts=[prompt] * 5)
    assert refusal == "invalid_arguments"


# --- how often


async def test_a_second_post_within_a_second_is_429_and_the_retry_handler_gets_it_through(scene: Scene) -> None:
    scene.slack.rates.channels = True
    await scene.post()
    with pytest.raises(SlackApiError) as caught:
        await scene.post()
    assert (caught.value.response.status_code, caught.value.response["error"]) == (429, "ratelimited")
    assert caught.value.response.headers["Retry-After"] == "1"
    scene.client.retry_handlers.append(AsyncRateLimitErrorRetryHandler(max_retry_count=2))
    await scene.post("late")
    assert [message.text for message in scene.slack.written(scene.channel)] == ["hello", "late"]


@pytest.mark.parametrize(("tier", "calls"), [(1, 1), (2, 20), (3, 50), (4, 100)])
def test_a_tier_admits_its_calls_a_minute(tier: int, calls: int) -> None:
    rates = Rates(Clock(scale=1000))
    for _ in range(calls):
        rates.admit("T1", "some.method", tier)
    with pytest.raises(Refusal, match="ratelimited"):
        rates.admit("T1", "some.method", tier)
    rates.admit("T2", "some.method", tier)


def test_a_channel_takes_a_post_a_second() -> None:
    clock = Clock(scale=1000)
    rates = Rates(clock)
    rates.post("C1")
    clock.advance(0.9)
    with pytest.raises(Refusal, match="ratelimited"):
        rates.post("C1")
    clock.advance(0.1)
    rates.post("C1")


async def test_channels_do_not_share_their_rate(scene: Scene) -> None:
    scene.slack.rates.channels = True
    other = scene.slack.channel(scene.team, "gcp")
    await scene.post()
    assert await scene.refused("chat.postMessage", channel=other.id, text="x") == ""


async def test_a_tier_is_used_up_per_method_and_workspace_until_a_minute_has_passed(scene: Scene) -> None:
    for _ in range(50):
        assert await scene.refused("team.info") == ""
    assert await scene.refused("team.info") == "ratelimited"
    assert await scene.refused("bots.info") == ""
    scene.slack.clock.advance(60)
    assert await scene.refused("team.info") == ""
    scene.slack.rates.tiers = False
    assert {await scene.refused("team.info") for _ in range(60)} == {""}


# --- streams


async def test_the_sdks_stream_helper_writes_one_message_that_grows(scene: Scene) -> None:
    question = scene.lena.message(scene.channel, "a question")
    stream = await scene.client.chat_stream(
        channel=scene.channel.id,
        thread_ts=question.ts,
        recipient_user_id=scene.lena.id,
        recipient_team_id=scene.team.id,
        buffer_size=1,
    )
    await stream.append(markdown_text="A **subnet** ")
    (_, growing) = scene.slack.transcript(scene.channel, question)
    assert (growing.text, growing.streaming) == ("A **subnet** ", True)
    await stream.append(markdown_text="is a range. ")
    await stream.stop(markdown_text="[1](https://example.com/a)", blocks=[feedback(1)])
    (_, shown) = scene.slack.transcript(scene.channel, question)
    assert (shown.text, shown.streaming) == ("A **subnet** is a range. 1", False)
    assert (shown.links, shown.buttons) == ((Link("1", "https://example.com/a"),), ("Good", "Bad"))


@pytest.mark.parametrize("missing", ["recipient_user_id", "recipient_team_id"])
async def test_a_stream_in_a_channel_needs_its_recipient(scene: Scene, missing: str) -> None:
    question = scene.lena.message(scene.channel, "a question")
    arguments = {"recipient_user_id": scene.lena.id, "recipient_team_id": scene.team.id} | {missing: ""}
    place = {"channel": scene.channel.id, "thread_ts": question.ts}
    assert await scene.refused("chat.startStream", **place, **arguments) == f"missing_{missing}"


async def test_a_stream_in_a_conversation_needs_no_recipient_but_a_thread(scene: Scene) -> None:
    question = scene.lena.dm("a question")
    place = {"channel": question.channel}
    assert await scene.refused("chat.startStream", **place) == "invalid_thread_ts"
    assert await scene.refused("chat.startStream", **place, thread_ts=question.ts) == ""


async def test_a_stream_takes_twelve_thousand_characters_a_call(scene: Scene) -> None:
    place = await scene.stream()
    assert await scene.refused("chat.appendStream", **place, markdown_text="x" * 12_001) == "msg_too_long"
    assert await scene.refused("chat.appendStream", **place, markdown_text="x" * 12_000) == ""
    assert await scene.refused("chat.appendStream", **place) == "invalid_arguments"


async def test_a_stream_keeps_to_text_or_to_chunks(scene: Scene) -> None:
    place = await scene.stream("text")
    chunks = [{"type": "markdown_text", "text": "more"}]
    assert await scene.refused("chat.appendStream", **place, chunks=chunks) == "streaming_mode_mismatch"
    both = await scene.refused("chat.appendStream", **place, chunks=chunks, markdown_text="x")
    assert both == "cannot_provide_both_markdown_text_and_chunks"
    assert await scene.refused("chat.appendStream", **place, chunks=[{"type": "poem"}]) == "invalid_chunks"


async def test_the_title_of_a_task_has_256_characters_at_most(scene: Scene) -> None:
    place, task = await scene.stream(), {"type": "task_update", "id": "1", "status": "pending"}
    plan = {"type": "plan_update", "title": "t" * 256}
    chunks = [task | {"title": "t" * 256}, plan]
    assert await scene.refused("chat.appendStream", **place, chunks=chunks) == ""
    for long in (task | {"title": "t" * 257}, plan | {"title": "t" * 257}):
        assert await scene.refused("chat.appendStream", **place, chunks=[long]) == "invalid_chunks"


async def test_an_open_stream_can_be_neither_updated_nor_deleted(scene: Scene) -> None:
    place = await scene.stream("text")
    assert await scene.refused("chat.update", **place, text="x") == "streaming_state_conflict"
    assert await scene.refused("chat.delete", **place) == "cant_delete_message"
    await scene.client.chat_stopStream(**place)
    assert await scene.refused("chat.update", **place, text="x") == ""


async def test_a_stream_ends_after_three_hundred_seconds(scene: Scene) -> None:
    place = await scene.stream("text")
    scene.slack.clock.advance(295)
    assert await scene.refused("chat.appendStream", **place, markdown_text="x") == ""
    scene.slack.clock.advance(5)
    for method in ("chat.appendStream", "chat.stopStream"):
        assert await scene.refused(method, **place, markdown_text="x") == "message_not_in_streaming_state"
    assert await scene.refused("chat.update", **place, text="x") == ""


async def test_a_message_that_is_not_a_stream_cannot_be_appended_to(scene: Scene) -> None:
    place = scene.at(await scene.post())
    assert await scene.refused("chat.appendStream", **place, markdown_text="x") == "message_not_in_streaming_state"


async def test_a_stream_that_the_reader_stopped_takes_nothing_more(scene: Scene) -> None:
    place = await scene.stream("text")
    scene.lena.stop(scene.channel.message(place["ts"]))
    assert await scene.refused("chat.appendStream", **place, markdown_text="x") == "stopped_by_user"


async def test_the_last_call_of_a_stream_adds_fifty_blocks_at_most(scene: Scene) -> None:
    place = await scene.stream("text")
    assert await scene.refused("chat.stopStream", **place, blocks=[section("x")] * 51) == "invalid_blocks"
    assert await scene.refused("chat.stopStream", **place, blocks=[section("x")] * 50) == ""
