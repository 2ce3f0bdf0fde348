"""What the local Slack delivers, what people do on it, and what can go wrong, seen through the real bolt and SDK."""

from __future__ import annotations

import asyncio
import os
import sys
import time
from collections import Counter
from collections.abc import AsyncIterator, Awaitable, Callable
from contextlib import AsyncExitStack
from typing import Any

import aiohttp
import pytest
from aiohttp import web
from hypothesis import given
from hypothesis import strategies as st
from slack_bolt.async_app import AsyncAck, AsyncApp, AsyncRespond
from slack_sdk.errors import SlackApiError
from slack_sdk.web.async_client import AsyncWebClient
from slack_sdk.webhook.async_client import AsyncWebhookClient

from tests.wire.slack_faults import (
    Fault,
    after,
    before,
    delay,
    hold,
    instead,
    lose_answer,
    lose_call,
    refuse,
    status,
    throttle,
)
from tests.wire.slack_json import Json
from tests.wire.slack_reading import Link, pings, seen
from tests.wire.slack_record import Call
from tests.wire.slack_scene import (
    Scene,
    actions,
    button,
    choice,
    connected,
    feedback,
    keep,
    markdown,
    modal,
    option,
    question_form,
    section,
    serving,
    staged,
)
from tests.wire.slack_server import slack_server
from tests.wire.slack_world import Message

Handler = Callable[[web.Request], Awaitable[web.StreamResponse]]


@pytest.fixture
async def scene() -> AsyncIterator[Scene]:
    async with staged() as scene:
        yield scene


# --- events over sockets


async def test_a_mention_arrives_as_message_and_as_app_mention_with_ids_of_their_own(scene: Scene) -> None:
    async with connected(scene) as app:
        messages, mentions = keep(app, "message"), keep(app, "app_mention")
        question = scene.lena.mention(scene.channel, "what is a subnet?")
        await scene.slack.record.until(lambda: messages and mentions)
        assert messages[0]["event"]["ts"] == mentions[0]["event"]["ts"] == question.ts
        assert messages[0]["event_id"] != mentions[0]["event_id"]
        await scene.slack.settled()
        assert [(one.acked, one.attempt) for one in scene.slack.record.deliveries] == [(True, 0)] * 2


async def test_the_app_hears_only_of_channels_it_is_in_and_of_what_it_asked_for(scene: Scene) -> None:
    async with connected(scene) as app:
        messages, mentions = keep(app, "message"), keep(app, "app_mention")
        scene.slack.platform.subscriptions -= {"message.channels", "channel_left"}
        scene.lena.message(scene.channel, "just talking")
        scene.slack.kick(scene.channel)
        scene.lena.mention(scene.channel, "are you there?")
        scene.lena.dm("hello")
        await scene.slack.record.until(lambda: messages)
        await scene.slack.settled()
        assert [body["event"]["text"] for body in messages] == ["hello"]
        assert mentions == []


async def test_an_event_without_an_acknowledgement_comes_three_times_more() -> None:
    attempts: list[tuple[str, str]] = []
    async with staged(scale=0.002) as scene, connected(scene) as app:

        async def fail(req: Any, body: Json) -> None:
            attempts.append((req.headers["x-slack-retry-num"][0], body["event_id"]))
            raise RuntimeError("no acknowledgement")

        app.use(fail)
        scene.lena.dm("hello")
        await scene.slack.record.until(lambda: len(scene.slack.record.deliveries) == 4 and len(attempts) == 4)
        assert [number for number, _ in attempts] == ["0", "1", "2", "3"]
        assert len({event for _, event in attempts}) == 1
        assert [one.failure for one in scene.slack.record.deliveries] == ["timeout"] * 4


@pytest.mark.parametrize(("seconds", "in_time"), [(2.5, True), (3.0, False)])
async def test_an_acknowledgement_counts_within_three_seconds(seconds: float, in_time: bool) -> None:
    begun, gate = asyncio.Event(), asyncio.Event()
    async with staged(scale=1000) as scene, connected(scene) as app:

        async def wait(next: Any) -> None:
            begun.set()
            await gate.wait()
            await next()

        app.use(wait)
        keep(app, "message")
        scene.lena.dm("hello")
        await begun.wait()
        scene.slack.clock.advance(seconds)
        await asyncio.sleep(0.02)
        gate.set()
        await scene.slack.record.until(lambda: scene.slack.record.deliveries)
        assert scene.slack.record.deliveries[0].acked is in_time


async def test_an_event_that_no_listener_matches_is_not_acknowledged(scene: Scene) -> None:
    async with connected(scene):
        scene.lena.dm("hello")
        await asyncio.sleep(0.05)
        scene.slack.clock.advance(3)
        await scene.slack.record.until(lambda: scene.slack.record.deliveries)
        assert not scene.slack.record.deliveries[0].acked


async def test_a_recorded_event_can_be_delivered_again_with_its_retry_number(scene: Scene) -> None:
    event = {"type": "app_mention", "user": scene.lena.id, "text": "hi", "ts": "1700000000.000100", "channel": "C1"}
    body = {"type": "event_callback", "team_id": scene.team.id, "event_id": "Ev0EXAMPLE1", "event": event}
    numbers: list[str] = []
    async with connected(scene) as app:

        async def listener(req: Any) -> None:
            numbers.append(req.headers["x-slack-retry-num"][0])

        app.event("app_mention")(listener)
        await scene.slack.deliver(body)
        await scene.slack.redeliver(body, times=2)
    assert numbers == ["0", "1", "2"]


async def test_the_message_of_a_recorded_event_exists_and_can_be_answered(scene: Scene) -> None:
    team = scene.slack.workspace("Recorded", id="T000EXAMPLE", bot="U0BOT")
    channel = scene.slack.channel(team, "study", id="C0STUDY")
    event = {"type": "app_mention", "user": "U0LEARNER", "text": "<@U0BOT> hi", "ts": "1700000000.000100"}
    body = {"type": "event_callback", "team_id": team.id, "event_id": "Ev1", "event": event | {"channel": channel.id}}
    await scene.slack.deliver(body)
    client = AsyncWebClient(team.installed().token, base_url=scene.slack.base_url)
    await client.chat_postMessage(channel=channel.id, text="hello", thread_ts="1700000000.000100")
    assert [one.text for one in scene.slack.transcript(channel)] == ["@U0BOT hi", "hello"]
    assert team.installed().bot.bot_id == "B0BOT"


async def test_each_event_goes_to_one_of_several_sockets(scene: Scene) -> None:
    async with AsyncExitStack() as stack:
        apps = [await stack.enter_async_context(connected(scene)) for _ in range(2)]
        kept = [keep(app, "message") for app in apps]
        for number in range(20):
            scene.lena.dm(f"message {number}")
        await scene.slack.record.until(lambda: len(scene.slack.record.deliveries) == 20)
        await asyncio.sleep(0.05)
        texts = Counter(body["event"]["text"] for bodies in kept for body in bodies)
        assert texts == Counter(f"message {number}" for number in range(20))
        assert all(kept)


async def test_an_eleventh_socket_is_sent_away(scene: Scene) -> None:
    async with aiohttp.ClientSession() as session, AsyncExitStack() as stack:
        app_client = AsyncWebClient(base_url=scene.slack.base_url)
        for number in range(11):
            url = (await app_client.apps_connections_open(app_token=scene.slack.app.token))["url"]
            socket = await stack.enter_async_context(session.ws_connect(url))
            first = await socket.receive_json()
            assert first["type"] == ("hello" if number < 10 else "disconnect")
        assert first["reason"] == "too_many_websockets"


async def test_only_an_app_token_opens_a_socket_and_its_url_works_once(scene: Scene) -> None:
    with pytest.raises(SlackApiError, match="not_allowed_token_type"):
        await scene.client.apps_connections_open(app_token=str(scene.client.token))
    url = (await scene.client.apps_connections_open(app_token=scene.slack.app.token))["url"]
    async with aiohttp.ClientSession() as session:
        async with session.ws_connect(url):
            pass
        with pytest.raises(aiohttp.WSServerHandshakeError):
            await session.ws_connect(url)


@pytest.mark.parametrize("warned", [True, False])
async def test_the_sdk_comes_back_after_a_disconnect_with_and_without_warning(scene: Scene, warned: bool) -> None:
    async with connected(scene) as app:
        kept = keep(app, "message")
        old = scene.slack.sockets.live[0]
        if warned:
            await scene.slack.sockets.disconnect()
        else:
            scene.slack.sockets.drop()
        await scene.slack.record.until(lambda: scene.slack.sockets.live not in ([], [old]))
        scene.lena.dm("still there?")
        await scene.slack.record.until(lambda: kept)


async def test_events_that_were_held_arrive_in_another_order(scene: Scene) -> None:
    async with connected(scene) as app:
        kept = keep(app, "message")
        async with scene.slack.outbox.held(lambda parcels: parcels[::-1]):
            for text in ("first", "second", "third"):
                scene.lena.dm(text)
        await scene.slack.record.until(lambda: len(kept) == 3)
        assert [body["event"]["text"] for body in kept] == ["third", "second", "first"]


async def test_typed_words_arrive_with_entities_and_links_in_angles(scene: Scene) -> None:
    question = scene.lena.mention(scene.channel, "is a < b && c > d? See https://example.com/?a=1&b=2, <@U0OTHER>.")
    told = f"<@{scene.team.installed().bot.id}> is a &lt; b &amp;&amp; c &gt; d? "
    assert question.text == told + "See <https://example.com/?a=1&amp;b=2>, <@U0OTHER>."


async def test_edits_and_deletions_are_told(scene: Scene) -> None:
    async with connected(scene) as app:
        kept = keep(app, "message")
        question = scene.lena.message(scene.channel, "what is a subnat?")
        scene.lena.edit(question, "what is a subnet?")
        scene.lena.delete(question)
        await scene.slack.record.until(lambda: len(kept) == 3)
        _, edited, gone = sorted((body["event"] for body in kept), key=lambda event: str(event["event_ts"]))
        assert (edited["subtype"], edited["message"]["text"]) == ("message_changed", "what is a subnet?")
        assert edited["previous_message"]["text"] == "what is a subnat?"
        assert (gone["subtype"], gone["deleted_ts"]) == ("message_deleted", question.ts)


async def test_the_apps_own_messages_come_back_as_events_with_its_bot_id(scene: Scene) -> None:
    async with connected(scene):
        await scene.post("hello")
        await scene.slack.record.until(lambda: scene.slack.record.deliveries)
        assert scene.slack.record.deliveries[0].acked, "bolt acknowledges and drops what the app itself wrote"


async def test_the_home_tab_and_reactions_are_told(scene: Scene) -> None:
    async with connected(scene) as app:
        homes, reactions = keep(app, "app_home_opened"), keep(app, "reaction_added")
        scene.lena.open_home("messages")
        scene.lena.react(scene.lena.message(scene.channel, "look"), "eyes")
        await scene.slack.record.until(lambda: homes and reactions)
        assert homes[0]["event"]["tab"] == "messages"
        assert reactions[0]["event"]["reaction"] == "eyes"


# --- HTTP mode


async def test_signed_requests_reach_the_request_url_and_are_acknowledged(scene: Scene) -> None:
    async with serving(scene) as app:
        kept = keep(app, "message")
        scene.lena.dm("hello")
        await scene.slack.record.until(lambda: scene.slack.record.deliveries)
        assert scene.slack.record.deliveries[0].acked
        assert kept[0]["event"]["text"] == "hello"


async def test_the_request_url_answers_the_challenge_and_refuses_forged_and_old_requests(scene: Scene) -> None:
    async with serving(scene) as app:
        keep(app, "message")
        door = scene.slack.http_mode(scene.slack.outbox.transport.url)  # type: ignore[attr-defined]
        secret, body = scene.slack.app.signing_secret, {"type": "event_callback", "event": {"type": "message"}}
        assert "3eZbrw1aBm2rZgRNFdxV2595E9CY" in await door.verify()
        assert (await door.forge(body, "another secret", time.time()))["status"] == 401
        assert (await door.forge(body, secret, time.time() - 301))["status"] == 401


async def delivered(scene: Scene, count: int) -> None:
    """Wait for that many deliveries."""
    await scene.slack.record.until(lambda: len(scene.slack.record.deliveries) == count)


async def test_http_retries_carry_their_number_and_reason() -> None:
    headers: list[tuple[str | None, str | None]] = []

    @web.middleware
    async def fail(request: web.Request, handler: Handler) -> web.StreamResponse:
        headers.append((request.headers.get("X-Slack-Retry-Num"), request.headers.get("X-Slack-Retry-Reason")))
        return web.Response(status=503)

    async with staged() as scene, serving(scene, fail):
        scene.lena.dm("hello")
        await scene.slack.record.until(lambda: len(scene.slack.record.deliveries) == 2)
        for number, pause in ((3, 60), (4, 300)):
            scene.slack.clock.advance(pause - 5)
            await scene.slack.record.quiet(0.05)
            assert len(scene.slack.record.deliveries) == number - 1
            scene.slack.clock.advance(5)
            await delivered(scene, number)
    assert headers == [(None, None), ("1", "http_error"), ("2", "http_error"), ("3", "http_error")]


async def test_an_answer_that_refuses_retries_gets_none(scene: Scene) -> None:
    @web.middleware
    async def fail(request: web.Request, handler: Handler) -> web.StreamResponse:
        return web.Response(status=503, headers={"X-Slack-No-Retry": "1"})

    async with serving(scene, fail):
        scene.lena.dm("hello")
        await scene.slack.record.until(lambda: scene.slack.record.deliveries)
        scene.slack.clock.advance(400)
        await scene.slack.record.quiet(0.1)
        assert len(scene.slack.record.deliveries) == 1


async def test_a_request_url_where_nobody_listens_is_a_failed_connection(scene: Scene) -> None:
    scene.slack.http_mode("http://127.0.0.1:9/slack/events")
    scene.lena.dm("hello")
    await scene.slack.record.until(lambda: scene.slack.record.deliveries)
    assert scene.slack.record.deliveries[0].failure == "connection_failed"


async def test_commands_and_buttons_work_over_http_too(scene: Scene) -> None:
    async with serving(scene) as app:

        async def listener(ack: AsyncAck) -> None:
            await ack("at once")

        app.command("/coach")(listener)
        app.action("go")(listener)
        assert (await scene.lena.command("/coach help")).payload == {"text": "at once"}
        await scene.post(blocks=[actions(button("Go", action_id="go"))])
        (message,) = scene.slack.written(scene.channel)
        assert (await scene.lena.press(message, "Go")).acked


# --- commands, buttons, modals


async def test_a_command_is_answered_in_its_acknowledgement_and_over_its_response_url(scene: Scene) -> None:
    async with connected(scene) as app:

        async def listener(ack: AsyncAck, respond: AsyncRespond, command: Json) -> None:
            await ack("at once")
            await respond(f"later: {command['text']}")
            await respond("for everybody", response_type="in_channel")

        app.command("/coach")(listener)
        delivery = await scene.lena.command("/coach ask what is a subnet?", scene.channel)
        assert (delivery.acked, delivery.payload) == (True, {"text": "at once"})
        await scene.slack.record.until(lambda: len(scene.slack.record.called("response_url")) == 2)
        # bolt sends the acknowledgement while the listener goes on, so that the first of them may come second
        assert sorted(shown(scene)) == ["at once", "for everybody", "later: ask what is a subnet?"]
        assert [one.text for one in scene.slack.transcript(scene.channel)] == ["for everybody"]


async def test_a_command_that_is_not_acknowledged_in_three_seconds_fails_before_its_users_eyes() -> None:
    async with staged(scale=0.01) as scene, connected(scene):
        delivery = await scene.lena.command("/coach help", scene.channel)
        assert (delivery.acked, delivery.failure) == (False, "timeout")
        (shown,) = scene.slack.transcript(scene.channel, viewer=scene.lena)
        assert "operation_timeout" in shown.text


async def test_a_response_url_works_five_times(scene: Scene) -> None:
    url = await response_url(scene)
    statuses = [(await AsyncWebhookClient(url).send(text="x")).status_code for _ in range(6)]
    assert statuses == [200] * 5 + [404]
    assert scene.slack.record.calls[-1].error == "used_url"


async def test_a_response_url_works_for_thirty_minutes(scene: Scene) -> None:
    url = await response_url(scene)
    scene.slack.clock.advance(1790)
    assert (await AsyncWebhookClient(url).send(text="x")).status_code == 200
    scene.slack.clock.advance(10)
    assert (await AsyncWebhookClient(url).send(text="x")).body == '{"ok": false, "error": "expired_url"}'


async def response_url(scene: Scene) -> str:
    """The one of a command that was just sent."""
    urls: list[str] = []
    async with connected(scene) as app:

        async def listener(ack: AsyncAck, command: Json) -> None:
            urls.append(command["response_url"])
            await ack()

        app.command("/coach")(listener)
        await scene.lena.command("/coach help", scene.channel)
    return urls[0]


@pytest.mark.parametrize("kind", ["ephemeral", "in_channel"])
async def test_a_pressed_button_can_replace_its_message(scene: Scene, kind: str) -> None:
    pressed: list[Json] = []
    async with connected(scene) as app:

        async def command(respond: AsyncRespond, ack: AsyncAck) -> None:
            await ack()
            await respond("choose", response_type=kind, blocks=[actions(button("Yes", action_id="yes", value="7"))])

        async def press(body: Json, respond: AsyncRespond, ack: AsyncAck) -> None:
            pressed.append(body)
            await ack()
            await respond("chosen", replace_original=True)

        app.command("/coach")(command)
        app.action("yes")(press)
        await scene.lena.command("/coach quiz", scene.channel)
        await scene.slack.record.until(lambda: scene.slack.record.called("response_url"))
        place = scene.channel.whispers if kind == "ephemeral" else scene.channel.messages
        await scene.slack.record.until(lambda: place)
        assert (await scene.lena.press(next(iter(place.values())), "Yes")).acked
        await scene.slack.record.until(lambda: len(scene.slack.record.called("response_url")) == 2)
        await scene.slack.record.until(lambda: shown(scene) == ["chosen"])
    assert (pressed[0]["actions"][0]["value"], pressed[0]["container"]["is_ephemeral"]) == ("7", kind == "ephemeral")
    assert ("message" in pressed[0]) == (kind == "in_channel")


def shown(scene: Scene) -> list[str]:
    """What Lena sees in the channel."""
    return [one.text for one in scene.slack.transcript(scene.channel, viewer=scene.lena)]


async def test_thumbs_and_options_carry_their_value(scene: Scene) -> None:
    values: list[Any] = []
    async with connected(scene) as app:

        async def listener(action: Json, ack: AsyncAck) -> None:
            await ack()
            values.append(action.get("value") or action["selected_option"]["value"])

        app.action("rate0")(listener)
        app.action("pick")(listener)
        await scene.post(blocks=[feedback(1), choice("radio_buttons", option("Subnet", "s"), option("Region", "r"))])
        (message,) = scene.slack.written(scene.channel)
        await scene.lena.press(message, "Bad")
        await scene.lena.choose(message, "pick", "r")
        await scene.slack.record.until(lambda: len(values) == 2)
    assert values == ["down", "r"]
    with pytest.raises(LookupError, match=r"Buttons: \['Good', 'Bad'\]"):
        await scene.lena.press(message, "Ugly")


async def test_a_modal_opens_with_a_trigger_takes_words_and_closes(scene: Scene) -> None:
    comments: list[str] = []
    async with connected(scene) as app:

        async def shortcut(ack: AsyncAck, body: Json, client: AsyncWebClient) -> None:
            await ack()
            await client.views_open(trigger_id=body["trigger_id"], view=question_form(private_metadata="m"))

        async def submission(ack: AsyncAck, view: Json) -> None:
            words = view["state"]["values"]["comment"]["words"]["value"]
            comments.append(words)
            await (ack() if words else ack(response_action="errors", errors={"comment": "Say something."}))

        app.shortcut("ask_about")(shortcut)
        app.view("comment")(submission)
        await scene.lena.shortcut("ask_about", scene.lena.message(scene.channel, "look at this"))
        await scene.slack.record.until(lambda: scene.lena.view)
        assert (await scene.lena.submit_view({"words": ""})).payload["errors"] == {"comment": "Say something."}
        assert scene.lena.view is not None
        with pytest.raises(ValueError, match="3000"):
            await scene.lena.submit_view({"words": "x" * 3001})
        await scene.lena.submit_view({"words": "thanks"})
        assert scene.lena.view is None
    assert comments == ["", "thanks"]


async def triggers(scene: Scene, app: AsyncApp, count: int = 1) -> list[str]:
    """Triggers of global shortcuts that were just used."""
    found: list[str] = []

    async def listener(ack: AsyncAck, body: Json) -> None:
        await ack()
        found.append(body["trigger_id"])

    app.shortcut("go")(listener)
    for _ in range(count):
        await scene.lena.shortcut("go")
    await scene.slack.record.until(lambda: len(found) == count)
    return found


async def test_a_trigger_opens_one_modal_and_only_within_three_seconds() -> None:
    async with staged(scale=1000) as scene, connected(scene) as app:
        first, second = await triggers(scene, app, 2)
        scene.slack.clock.advance(2.5)
        assert await scene.refused("views.open", trigger_id=first, view=modal()) == ""
        assert await scene.refused("views.open", trigger_id=first, view=modal()) == "exchanged_trigger_id"
        scene.slack.clock.advance(0.5)
        assert await scene.refused("views.open", trigger_id=second, view=modal()) == "expired_trigger_id"
        assert await scene.refused("views.open", trigger_id="1.2.3", view=modal()) == "invalid_trigger_id"


@pytest.mark.parametrize(
    "view",
    [
        modal(title={"type": "plain_text", "text": "x" * 25}),
        modal(submit={"type": "plain_text", "text": "x" * 25}),
        modal(close={"type": "plain_text", "text": "x" * 25}),
        modal(private_metadata="x" * 3001),
        modal(callback_id="x" * 256),
        modal(*[section("x")] * 101),
        modal(markdown("x")),
        question_form() | {"submit": None},
        {"type": "modal", "blocks": []},
        {"type": "home", "blocks": []},
    ],
    ids=lambda view: str(view)[:60],
)
async def test_a_view_beyond_a_limit_is_invalid_and_keeps_its_trigger(scene: Scene, view: Json) -> None:
    async with connected(scene) as app:
        (trigger,) = await triggers(scene, app)
        assert await scene.refused("views.open", trigger_id=trigger, view=view) == "invalid_arguments"
        largest = modal(*[section("x")] * 100, private_metadata="x" * 3000, callback_id="x" * 255)
        largest |= {name: {"type": "plain_text", "text": "x" * 24} for name in ("title", "submit", "close")}
        assert await scene.refused("views.open", trigger_id=trigger, view=largest) == ""


async def test_a_stack_holds_three_views(scene: Scene) -> None:
    async with connected(scene) as app:
        (trigger,) = await triggers(scene, app)
        pushes: asyncio.Queue[str] = asyncio.Queue()

        async def push(ack: AsyncAck, body: Json) -> None:
            await ack()
            pushes.put_nowait(await scene.refused("views.push", trigger_id=body["trigger_id"], view=more()))

        def more() -> Json:
            return modal(actions(button("More", action_id="more")))

        app.action("more")(push)
        await scene.client.views_open(trigger_id=trigger, view=more())
        for answer in ("", "", "push_limit_reached"):
            assert scene.lena.view is not None
            await scene.lena.press(scene.lena.view, "More")
            assert await asyncio.wait_for(pushes.get(), 5) == answer


async def test_a_view_is_updated_by_id_unless_its_hash_is_old(scene: Scene) -> None:
    async with connected(scene) as app:
        (trigger,) = await triggers(scene, app)
        opened = (await scene.client.views_open(trigger_id=trigger, view=modal()))["view"]
        place = {"view_id": opened["id"], "hash": opened["hash"]}
        assert await scene.refused("views.update", **place, view=modal(section("new"))) == ""
        assert await scene.refused("views.update", **place, view=modal()) == "hash_conflict"
        assert await scene.refused("views.update", view_id="V0NONE", view=modal()) == "not_found"
        assert scene.lena.view is not None
        assert scene.lena.view.body["blocks"] == [section("new") | {"block_id": "b0"}]


async def test_the_home_tab_shows_what_was_published_and_its_buttons_work(scene: Scene) -> None:
    async with connected(scene) as app:
        pressed = asyncio.Event()

        async def listener(ack: AsyncAck) -> None:
            await ack()
            pressed.set()

        app.action("settings")(listener)
        home = {"type": "home", "blocks": [actions(button("Settings", action_id="settings"))]}
        await scene.client.views_publish(user_id=scene.lena.id, view=home)
        assert scene.lena.home is not None
        await scene.lena.press(scene.lena.home, "Settings")
        await asyncio.wait_for(pressed.wait(), 5)


# --- what bolt's own arguments call


async def test_set_status_and_say_stream_of_bolt_work_in_a_channel(scene: Scene) -> None:
    async with connected(scene) as app:

        async def listener(set_status: Any, say_stream: Any) -> None:
            await set_status("is thinking…", loading_messages=["Reading…"])
            stream = await say_stream()
            await stream.append(markdown_text="An answer.")
            await stream.stop()

        keep(app, "message")
        app.event("app_mention")(listener)
        question = scene.lena.mention(scene.channel, "what is a subnet?")
        await scene.slack.record.until(lambda: scene.slack.record.called("chat.stopStream"))
        await scene.slack.record.until(lambda: len(scene.slack.transcript(scene.channel, question)) == 2)
        assert [one.text for one in scene.slack.record.statuses] == ["is thinking…", ""]
        assert scene.slack.transcript(scene.channel, question)[1].text == "An answer."


# --- faults


async def test_a_lost_answer_makes_the_default_retry_post_twice(scene: Scene) -> None:
    scene.slack.faults.on_call(1, lose_answer)
    await scene.post("once?")
    assert [one.text for one in scene.slack.written(scene.channel)] == ["once?", "once?"]


async def test_a_lost_call_has_no_effect(scene: Scene) -> None:
    scene.client.retry_handlers.clear()
    scene.slack.faults.on_call(1, lose_call)
    with pytest.raises(aiohttp.ClientError):
        await scene.post()
    assert scene.slack.written(scene.channel) == []


async def test_a_fault_happens_to_the_nth_call_alone(scene: Scene) -> None:
    scene.slack.faults.on_call(2, refuse("fatal_error"), method="chat.postMessage")
    arguments = {"channel": scene.channel.id, "text": "x"}
    await scene.client.auth_test()
    assert [await scene.refused("chat.postMessage", **arguments) for _ in range(3)] == ["", "fatal_error", ""]


@pytest.mark.parametrize(("fault", "code"), [(status(500), 500), (throttle(7), 429)])
async def test_a_failed_call_has_a_status_and_no_effect(scene: Scene, fault: Any, code: int) -> None:
    scene.slack.faults.on_call(1, fault)
    with pytest.raises(SlackApiError):
        await scene.post()
    assert scene.slack.record.calls[-1].status == code
    assert scene.slack.written(scene.channel) == []


async def test_a_hook_runs_before_or_after_the_effect_of_a_call(scene: Scene) -> None:
    seen_by_hook: list[int] = []

    def look(call: Call) -> None:
        seen_by_hook.append(len(scene.slack.written(scene.channel)))

    scene.slack.faults.on_call(1, before(look))
    scene.slack.faults.on_call(2, after(look))
    await scene.post()
    await scene.post()
    assert seen_by_hook == [0, 2]


async def test_a_held_call_is_overtaken_by_a_later_one(scene: Scene) -> None:
    place, gate = scene.at(await scene.post()), asyncio.Event()
    scene.slack.faults.on_call(1, hold(gate))
    first = asyncio.create_task(scene.client.chat_update(**place, text="first"))
    await scene.slack.record.until(lambda: scene.slack.record.called("chat.update"))
    await scene.client.chat_update(**place, text="second")
    gate.set()
    await first
    assert scene.channel.message(place["ts"]).text == "first"


async def test_a_delayed_call_is_served_after_platform_seconds(scene: Scene) -> None:
    scene.slack.faults.on_call(1, delay(scene.slack.clock, 60))
    posting = asyncio.create_task(scene.post())
    await scene.slack.record.until(lambda: scene.slack.record.calls)
    await asyncio.sleep(0.02)
    assert scene.slack.written(scene.channel) == []
    scene.slack.clock.advance(60)
    await posting
    assert len(scene.slack.written(scene.channel)) == 1


SPEAKER = """
import asyncio, os
from slack_sdk.web.async_client import AsyncWebClient

async def speak():
    client = AsyncWebClient(os.environ["SLACK_BOT_TOKEN"], base_url=os.environ["SLACK_API_URL"])
    while True:
        await client.chat_postMessage(channel=os.environ["CHANNEL"], text="hello")

asyncio.run(speak())
"""


@pytest.mark.parametrize(("moment", "posted"), [(instead, 2), (after, 3)])
async def test_a_process_finds_the_server_and_can_be_killed_at_its_nth_call(
    scene: Scene, moment: Callable[[Callable[[Call], object]], Fault], posted: int
) -> None:
    environment = {**os.environ, **scene.slack.environment(scene.team), "CHANNEL": scene.channel.id}
    process = await asyncio.create_subprocess_exec(sys.executable, "-c", SPEAKER, env=environment)
    deaths: list[int] = []

    async def kill(call: Call) -> None:
        process.kill()
        deaths.append(await process.wait())

    scene.slack.faults.on_call(3, moment(kill), method="chat.postMessage")
    await scene.slack.record.until(lambda: deaths)
    assert len(scene.slack.written(scene.channel)) == posted


# --- what is seen, and who is notified


async def test_mentions_notify_in_text_in_sections_and_in_markdown_blocks_unless_escaped(scene: Scene) -> None:
    await scene.post("<!channel>")
    await scene.post("x", blocks=[section("<@U0ADMIN> <!here>")])
    await scene.post("x", blocks=[markdown("a `<!everyone>` b")])
    await scene.post("&lt;!channel&gt; @channel")
    await scene.post("@here", link_names=True)
    assert [ping.whom for ping in scene.slack.pings()] == ["!channel", "!here", "U0ADMIN", "!everyone", "!here"]


async def test_an_edit_that_adds_a_mention_is_recorded_as_such(scene: Scene) -> None:
    place = scene.at(await scene.post("<!here>"))
    await scene.client.chat_update(**place, text="<!here> <!channel>")
    assert [(ping.whom, ping.by) for ping in scene.slack.pings()] == [("!here", "post"), ("!channel", "edit")]


@given(st.text())
def test_escaped_text_is_seen_as_it_was_and_notifies_nobody(text: str) -> None:
    escaped = text.replace("&", "&amp;").replace("<", "&lt;").replace(">", "&gt;")
    message = Message("C1", "1.000001", "U1", escaped)
    assert seen(message, "coach", 0.0).text == text
    assert pings(message) == set()


def test_links_are_seen_by_their_labels_and_keep_their_targets() -> None:
    guide = "<https://docs.example/a_(b)?x=1&amp;y=2|Limits &amp; quotas>"
    target = Link("Limits & quotas", "https://docs.example/a_(b)?x=1&y=2")
    mrkdwn = seen(Message("C1", "1.1", "U1", f"See {guide}."), "coach", 0.0)
    assert (mrkdwn.text, mrkdwn.links) == ("See Limits & quotas.", (target,))
    source = "See [Limits &amp; quotas](<https://docs.example/a_(b)?x=1&amp;y=2>)."
    written = seen(Message("C1", "1.1", "U1", "x", blocks=[markdown(source)]), "coach", 0.0)
    assert (written.text, written.links) == ("See Limits & quotas.", (target,))


# --- installation


@pytest.mark.filterwarnings("ignore:BasicAuth is deprecated:DeprecationWarning")  # slack_sdk 3.48, aiohttp 3.14
async def test_a_code_is_exchanged_once_for_the_token_of_its_workspace() -> None:
    async with slack_server() as slack:
        team = slack.workspace("Newcomers", installed=False)
        slack.member(team, "Omar")
        client = AsyncWebClient(base_url=slack.base_url)
        secrets = {"client_id": slack.app.client_id, "client_secret": slack.app.client_secret}
        code = slack.allow(team)
        installed = await client.oauth_v2_access(**secrets, code=code)
        assert (await client.auth_test(token=installed["access_token"]))["team_id"] == team.id
        with pytest.raises(SlackApiError, match="invalid_code"):
            await client.oauth_v2_access(**secrets, code=code)
        with pytest.raises(SlackApiError, match="bad_client_secret"):
            await client.oauth_v2_access(client_id="x", client_secret="y", code=code)


async def test_the_authorization_page_sends_the_browser_back_with_a_code() -> None:
    async with slack_server() as slack, aiohttp.ClientSession() as browser:
        team = slack.workspace("Newcomers", installed=False)
        page = slack.environment()["SLACK_AUTHORIZE_URL"]
        query = {"client_id": slack.app.client_id, "state": "s", "redirect_uri": "http://127.0.0.1/back"}
        async with browser.get(page, params=query, allow_redirects=False) as response:
            assert response.status == 302
            assert response.headers["Location"].endswith("&state=s")
        assert list(slack.world.codes.values()) == [team.id]


async def test_the_loss_of_a_token_and_of_the_app_are_told_and_nothing_after(scene: Scene) -> None:
    told: list[str] = []
    async with connected(scene) as app:

        async def listener(body: Json, next: Any) -> None:
            told.append(body["event"]["type"])
            await next()

        app.use(listener)
        keep(app, "tokens_revoked")
        scene.slack.revoke(scene.team)
        await scene.slack.record.until(lambda: told)
        scene.slack.uninstall(scene.team)
        scene.lena.dm("anybody?")
        await scene.slack.record.quiet(0.1)
    assert told == ["tokens_revoked", "app_uninstalled"]
