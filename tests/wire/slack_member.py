"""A person at a keyboard: everything that people do on the platform and that an app hears of."""

from __future__ import annotations

import re
from collections.abc import Callable

from tests.wire import slack_events as events
from tests.wire import slack_responses as responses
from tests.wire.slack_blocks import words
from tests.wire.slack_json import Json
from tests.wire.slack_limits import INPUT
from tests.wire.slack_outbox import Parcel
from tests.wire.slack_platform import Platform
from tests.wire.slack_reading import elements, labels
from tests.wire.slack_record import Delivery, Kind
from tests.wire.slack_refusal import Refusal
from tests.wire.slack_views import checked_view, close_views, push_view, replace_view
from tests.wire.slack_world import Channel, Message, Person, ResponseUrl, Trigger, View, Workspace

Taken = Callable[[Json], None]
SLACKBOT = "USLACKBOT"
TOKEN = re.compile(r"&lt;(@U\w+|#C\w+|!(?:here|channel|everyone))&gt;")
URL = re.compile(r"https?://\S+?(?=[.,;:!?)]*(?:\s|$))")


class Member:
    """One person in one workspace. What they write is told to the app in the background; the rest awaits its answer."""

    def __init__(self, platform: Platform, team: Workspace, person: Person) -> None:
        self.platform = platform
        self.team = team
        self.person = person

    @property
    def id(self) -> str:
        """The user id."""
        return self.person.id

    @property
    def view(self) -> View | None:
        """The modal in front of them."""
        return next((view for view in reversed(self.platform.world.views.values()) if view.user == self.id), None)

    @property
    def home(self) -> View | None:
        """Their Home tab, once it was published."""
        return self.team.home.get(self.id)

    @property
    def conversation(self) -> Channel:
        """Their conversation with the app."""
        return self.platform.world.dm(self.team, self.id)

    def message(self, channel: Channel, text: str, thread: Message | None = None) -> Message:
        """Write into a channel, or into the thread of a message; the text is what is typed, see `typed`."""
        stamp = self.platform.clock.stamp()
        root = thread.root if thread else None
        return self.platform.post(Message(channel.id, stamp, self.id, typed(text), thread_ts=root))

    def mention(self, channel: Channel, text: str, thread: Message | None = None) -> Message:
        """Write to the app by name."""
        return self.message(channel, f"<@{self.team.installed().bot.id}> {text}", thread)

    def dm(self, text: str, thread: Message | None = None) -> Message:
        """Write to the app in private."""
        return self.message(self.conversation, text, thread)

    def edit(self, message: Message, text: str) -> None:
        """Change one's own message."""
        self.platform.edit(message, text=typed(text), edited=self.platform.clock.stamp())

    def delete(self, message: Message) -> None:
        """Delete a message."""
        self.platform.delete(message)

    def react(self, message: Message, name: str) -> None:
        """Put an emoji under a message."""
        message.reactions.setdefault(name, []).append(self.id)
        self.platform.publish(self.team, events.reacted(self.person, message, name, self.platform.clock.stamp()))

    def open_home(self, tab: str = "home") -> None:
        """Open the app's Home tab, or its "messages" tab."""
        stamp = self.platform.clock.stamp()
        self.platform.publish(self.team, events.home_opened(self.person, self.conversation, tab, stamp, self.home))

    def stop(self, message: Message) -> None:
        """Press Stop under a message that is being streamed."""
        assert message.stream is not None
        message.stream.stopped_by = "reader"
        self.platform.record.changed()

    async def command(self, line: str, channel: Channel | None = None) -> Delivery:
        """Send a slash command, such as "/coach ask what is a subnet?", from a channel or from the conversation."""
        place = channel or self.conversation
        url, permission = responses.issue(self.platform, place, self.id)
        body = events.command(self.platform.world.app, self.team, place, self.person, line)
        body |= {"response_url": url, "trigger_id": self._trigger()}
        delivery = await self._send("slash_commands", body, lambda answer: self._answered(permission, answer))
        if not delivery.acked:
            self._told(place, f"{body['command']} failed with the error “operation_timeout”")
        return delivery

    async def shortcut(self, callback_id: str, message: Message | None = None) -> Delivery:
        """Use a shortcut: the one on a message when a message is given, else a global one."""
        about: Json = {"callback_id": callback_id, "trigger_id": self._trigger()}
        if message is None:
            return await self._interact("shortcut", about)
        channel = self.team.channels[message.channel]
        about |= {"channel": {"id": channel.id, "name": channel.name}, "message_ts": message.ts}
        about |= {"message": message.shape(), "response_url": responses.issue(self.platform, channel, self.id)[0]}
        return await self._interact("message_action", about)

    async def press(self, where: Message | View, button: str) -> Delivery:
        """Press a button, found by its label, its `action_id` or its value, under a message or in a view."""
        action = _pressed(where.blocks if isinstance(where, Message) else where.body["blocks"], button)
        return await self._act(where, action | {"type": action.get("type", "button")})

    async def choose(self, where: Message | View, action_id: str, value: str) -> Delivery:
        """Choose an option of a select or of radio buttons."""
        return await self._act(where, _chosen(_element(where, action_id), value) | {"action_id": action_id})

    async def submit_view(self, values: Json, view: View | None = None) -> Delivery:
        """Fill in the modal in front and submit it: `values` maps an `action_id` to a text or an option's value."""
        form = view or self.view
        assert form is not None, "no modal is open"
        for block in form.body["blocks"]:
            element = block.get("element") or {}
            if element.get("action_id") in values:
                entry = _chosen(element, values[element["action_id"]])
                form.state.setdefault(block["block_id"], {})[element["action_id"]] = entry
        about = {"trigger_id": self._trigger(form), "view": events.view_shape(form), "response_urls": []}
        return await self._interact("view_submission", about, lambda answer: self._submitted(form, answer))

    async def close_view(self, view: View | None = None) -> Delivery | None:
        """Close the modal in front; the app is told when it asked for that."""
        form = view or self.view
        assert form is not None, "no modal is open"
        close_views(self.platform, form, whole_stack=False)
        if not form.body.get("notify_on_close"):
            return None
        return await self._interact("view_closed", {"view": events.view_shape(form), "is_cleared": False})

    def _answered(self, permission: ResponseUrl, answer: Json) -> None:
        try:
            if answer:
                responses.respond(self.platform, permission, answer)
        except Refusal as refusal:
            self._told(self.team.channels[permission.channel], f"failed with the error “{refusal.error}”")

    def _submitted(self, form: View, answer: Json) -> None:
        action = answer.get("response_action", "")
        if action == "update":
            replace_view(self.platform, form, checked_view(answer["view"], "modal"))
        elif action == "push":
            trigger = self.platform.world.triggers[self._trigger(form)]
            push_view(self.platform, trigger, checked_view(answer["view"], "modal"))
        elif action != "errors":
            close_views(self.platform, form, whole_stack=action == "clear")

    async def _act(self, where: Message | View, action: Json) -> Delivery:
        about: Json = {"actions": [action | {"action_ts": self.platform.clock.stamp()}]}
        if isinstance(where, View):
            about |= events.in_view(where) | {"trigger_id": self._trigger(where)}
            return await self._interact("block_actions", about)
        channel = self.team.channels[where.channel]
        url, _ = responses.issue(self.platform, channel, self.id, where)
        about |= events.in_message(channel, where) | {"response_url": url, "trigger_id": self._trigger()}
        return await self._interact("block_actions", about)

    async def _interact(self, kind: str, about: Json, taken: Taken = lambda answer: None) -> Delivery:
        body = events.interaction(self.platform.world.app, self.team, self.person, kind, **about)
        return await self._send("interactive", body, taken)

    async def _send(self, kind: Kind, body: Json, taken: Taken) -> Delivery:
        return await self.platform.outbox.attempt(Parcel(kind, self.platform.world.id("Ix"), body, taken))

    def _trigger(self, view: View | None = None) -> str:
        now = self.platform.clock.now()
        return self.platform.world.trigger(Trigger(self.team.id, self.id, now, view.id if view else None))

    def _told(self, channel: Channel, text: str) -> None:
        stamp = self.platform.clock.stamp()
        self.platform.whisper(Message(channel.id, stamp, SLACKBOT, text, only_for=self.id))


def typed(text: str) -> str:
    """What the platform makes of typed words: entities for `&`, `<` and `>`, links in angles, mentions as they are."""
    escaped = text.replace("&", "&amp;").replace("<", "&lt;").replace(">", "&gt;")
    return URL.sub(r"<\g<0>>", TOKEN.sub(r"<\1>", escaped))


def _element(where: Message | View, action_id: str) -> Json:
    blocks = where.blocks if isinstance(where, Message) else where.body["blocks"]
    return next(element for element in elements(blocks) if element.get("action_id") == action_id)


def _pressed(blocks: list[Json], button: str) -> Json:
    for block in blocks:
        for element in elements(block):
            for action in _choices(element):
                if button in (words(action.get("text")), action.get("action_id"), action.get("value")):
                    return action | {"block_id": block.get("block_id", "")}
    known = [label for element in elements(blocks) for label in labels(element)]
    raise LookupError(f"There is no button {button!r}. Buttons: {known}.")


def _choices(element: Json) -> list[Json]:
    if element.get("type") != "feedback_buttons":
        return [element]
    both = (element["positive_button"], element["negative_button"])
    about = {"type": "feedback_buttons", "action_id": element.get("action_id", "")}
    return [about | {"text": one["text"], "value": one.get("value", "")} for one in both]


def _chosen(element: Json, value: object) -> Json:
    options = [option for option in element.get("options", ()) if option.get("value") == value]
    if options:
        return {"type": element["type"], "selected_option": options[0]}
    if element.get("options"):
        known = [words(option.get("text")) for option in element["options"]]
        raise LookupError(f"There is no option {value!r}. Options: {known}.")
    # PLATFORMS.md: "plain-text input up to 3000 (SDK note)"
    most = element.get("max_length", INPUT)
    if len(str(value)) > most:
        raise ValueError(f"The field takes {most} characters, not {len(str(value))}.")
    return {"type": element["type"], "value": value}
