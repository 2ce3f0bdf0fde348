"""What the tests of the local Slack share: a workspace with one person and the real SDK, and blocks to send."""

from __future__ import annotations

from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from dataclasses import dataclass
from typing import Any

from aiohttp import web
from slack_bolt.adapter.socket_mode.async_handler import AsyncSocketModeHandler
from slack_bolt.async_app import AsyncApp
from slack_sdk.errors import SlackApiError
from slack_sdk.web.async_client import AsyncWebClient

from tests.wire.slack_json import Json
from tests.wire.slack_member import Member
from tests.wire.slack_server import SlackServer, slack_server
from tests.wire.slack_world import Channel, Workspace


@dataclass(frozen=True, slots=True)
class Scene:
    """A workspace with one person, one channel and the app's client."""

    slack: SlackServer
    team: Workspace
    lena: Member
    channel: Channel
    client: AsyncWebClient

    async def refused(self, method: str, **arguments: object) -> str:
        """The name of the refusal, "" when the call is served."""
        try:
            await self.client.api_call(method, json=arguments)
        except SlackApiError as error:
            return str(error.response["error"])
        return ""

    def at(self, ts: str) -> Json:
        """The arguments that name a message of the channel."""
        return {"channel": self.channel.id, "ts": ts}

    async def post(self, text: str = "hello", **more: Any) -> str:
        """Post as the app; returns the ts."""
        answer = await self.client.chat_postMessage(channel=self.channel.id, text=text, **more)
        return str(answer["ts"])

    async def stream(self, text: str = "") -> Json:
        """Start a stream under a new question of Lena's; returns where it is."""
        question = self.lena.message(self.channel, "a question")
        recipient: Json = {"recipient_user_id": self.lena.id, "recipient_team_id": self.team.id}
        content: Json = {"markdown_text": text} if text else {}
        answer = await self.client.chat_startStream(
            channel=self.channel.id, thread_ts=question.ts, **recipient, **content
        )
        return self.at(str(answer["ts"]))


@asynccontextmanager
async def staged(scale: float = 1.0) -> AsyncIterator[Scene]:
    async with slack_server(scale) as slack:
        team = slack.workspace("Study Circle")
        slack.rates.channels = False
        client = AsyncWebClient(team.installed().token, base_url=slack.base_url)
        yield Scene(slack, team, slack.member(team, "Lena"), slack.channel(team, "aws"), client)


@asynccontextmanager
async def connected(scene: Scene) -> AsyncIterator[AsyncApp]:
    """A bolt app on one more socket."""
    app = AsyncApp(client=scene.client)
    handler = AsyncSocketModeHandler(app, scene.slack.app.token, ping_interval=0.1)
    before_it = len(scene.slack.sockets.live)
    await handler.connect_async()  # type: ignore[no-untyped-call]
    await scene.slack.record.until(lambda: len(scene.slack.sockets.live) > before_it)
    try:
        yield app
    finally:
        await handler.close_async()  # type: ignore[no-untyped-call]


@asynccontextmanager
async def serving(scene: Scene, *middleware: Any) -> AsyncIterator[AsyncApp]:
    """A bolt app behind a request URL."""
    app = AsyncApp(client=scene.client, signing_secret=scene.slack.app.signing_secret)
    site = app.web_app()
    site.middlewares.extend(middleware)
    runner = web.AppRunner(site, shutdown_timeout=0.1)
    await runner.setup()
    await web.TCPSite(runner, "127.0.0.1", 0).start()
    scene.slack.http_mode(f"http://127.0.0.1:{runner.addresses[0][1]}/slack/events")
    try:
        yield app
    finally:
        await runner.cleanup()


def keep(app: AsyncApp, kind: str) -> list[Json]:
    """Acknowledge events of a kind and keep their bodies."""
    kept: list[Json] = []

    async def listener(body: Json) -> None:
        kept.append(body)

    app.event(kind)(listener)
    return kept


def section(text: str) -> Json:
    return {"type": "section", "text": {"type": "mrkdwn", "text": text}}


def button(text: str = "Yes", **more: object) -> Json:
    return {"type": "button", "text": {"type": "plain_text", "text": text}, **more}


def actions(*elements: Json) -> Json:
    return {"type": "actions", "elements": list(elements)}


def option(text: str = "A", value: str = "a") -> Json:
    return {"text": {"type": "plain_text", "text": text}, "value": value}


def choice(kind: str, *options: Json) -> Json:
    return actions({"type": kind, "action_id": "pick", "options": list(options)})


def groups(count: int, size: int = 1) -> Json:
    """A select with its options in groups."""
    group = {"label": {"type": "plain_text", "text": "G"}, "options": [option()] * size}
    return actions({"type": "static_select", "action_id": "pick", "option_groups": [group] * count})


def image(alt: str = "a", url: str = "https://example.com/a.png", title: str = "t") -> Json:
    return {"type": "image", "alt_text": alt, "image_url": url, "title": {"type": "plain_text", "text": title}}


def field(label: str = "Comment", hint: str = "h") -> Json:
    """An input for words."""
    element = {"type": "plain_text_input", "action_id": "words"}
    texts = {name: {"type": "plain_text", "text": text} for name, text in (("label", label), ("hint", hint))}
    return {"type": "input", "element": element, **texts}


def header(text: str) -> Json:
    return {"type": "header", "text": {"type": "plain_text", "text": text}}


def fields(count: int, text: str = "x") -> Json:
    return {"type": "section", "fields": [{"type": "mrkdwn", "text": text}] * count}


def context(count: int) -> Json:
    return {"type": "context", "elements": [{"type": "mrkdwn", "text": "x"}] * count}


def feedback(count: int) -> Json:
    thumbs = {"positive_button": option("Good", "up"), "negative_button": option("Bad", "down")}
    element = {"type": "feedback_buttons", **thumbs}
    return {"type": "context_actions", "elements": [element | {"action_id": f"rate{n}"} for n in range(count)]}


def buttons(count: int) -> Json:
    return actions(*(button(action_id=str(n)) for n in range(count)))


def markdown(text: str) -> Json:
    return {"type": "markdown", "text": text}


def modal(*blocks: Json, **more: object) -> Json:
    title = {"type": "plain_text", "text": "A modal"}
    return {"type": "modal", "title": title, "blocks": list(blocks) or [section("Hello")], **more}


def question_form(**more: object) -> Json:
    element = {"type": "plain_text_input", "action_id": "words"}
    label = {"type": "plain_text", "text": "Comment"}
    asks = {"type": "input", "block_id": "comment", "label": label, "element": element}
    return modal(asks, submit={"type": "plain_text", "text": "Send"}, callback_id="comment", **more)
