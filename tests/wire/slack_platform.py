"""What happens to messages whoever writes them: they are stored, notify people, and are told to the app as events."""

from __future__ import annotations

from dataclasses import dataclass, field

from tests.wire import slack_events as events
from tests.wire.slack_clock import Clock
from tests.wire.slack_json import Json
from tests.wire.slack_outbox import Outbox, Parcel
from tests.wire.slack_rates import Rates
from tests.wire.slack_reading import pings
from tests.wire.slack_record import Ping, Record, Status
from tests.wire.slack_sockets import Sockets
from tests.wire.slack_world import Channel, Message, Workspace, World

SUBSCRIPTIONS = (
    "app_mention message.channels message.groups message.im app_home_opened reaction_added tokens_revoked "
    "app_uninstalled channel_archive channel_left group_left"
).split()


@dataclass(slots=True)
class Platform:
    """The world with its clock, its record and its way to the app.

    `subscriptions` are the events the app asked for: with both `app_mention` and `message.channels` a mention arrives
    twice, the message first unless `mention_first`.
    """

    clock: Clock
    world: World
    record: Record
    rates: Rates
    outbox: Outbox
    sockets: Sockets
    url: str = ""
    mention_first: bool = False
    subscriptions: set[str] = field(default_factory=lambda: set(SUBSCRIPTIONS))

    def publish(self, team: Workspace, event: Json, subscription: str = "") -> None:
        """Tell the app, when it is installed there and asked for it."""
        if (subscription or event["type"]) in self.subscriptions and team.install and not team.install.problem:
            self.announce(team, event)

    def announce(self, team: Workspace, event: Json) -> None:
        """Tell the app in any case."""
        id = self.world.id("Ev")
        body = events.envelope(self.world.app, team, event, id, self.clock.now())
        self.outbox.send(Parcel("events_api", id, body))

    def post(self, message: Message, parse_names: bool = False) -> Message:
        """A new message appears."""
        team, channel = self._place(message)
        channel.messages[message.ts] = message
        self.set_status(channel, message.root, "")
        self._notify(message, "post", pings(message, parse_names))
        told = [(events.posted(channel, message), channel.event_type())]
        if not message.bot_id and channel.kind != "im" and team.install and f"<@{team.install.bot.id}>" in message.text:
            told.append((events.mentioned(channel, message), "app_mention"))
        for event, subscription in reversed(told) if self.mention_first else told:
            self._tell(team, channel, event, subscription)
        return message

    def remember(self, body: Json) -> None:
        """The message that a recorded event tells of was there already."""
        team, event = self.world.workspaces.get(body["team_id"]), body["event"]
        channel = team.channels.get(event.get("channel")) if team else None
        if channel is not None and "text" in event and event["ts"] not in channel.messages:
            author, thread = event.get("user", ""), event.get("thread_ts")
            channel.messages[event["ts"]] = Message(channel.id, event["ts"], author, event["text"], thread_ts=thread)

    def whisper(self, message: Message) -> Message:
        """A new ephemeral message appears; the app is not told of it."""
        self._place(message)[1].whispers[message.ts] = message
        self.record.changed()
        return message

    def edit(self, message: Message, **new: object) -> None:
        """A message changes."""
        previous = message.shape()
        self.grow(message, **new)
        if not message.only_for:
            team, channel = self._place(message)
            event = events.changed(channel, message, previous, self.clock.stamp())
            self._tell(team, channel, event, channel.event_type())

    def grow(self, message: Message, **new: object) -> None:
        """An open stream changes, of which the app is not told."""
        pinged = pings(message)
        for name, value in new.items():
            setattr(message, name, value)
        self._notify(message, "edit", pings(message) - pinged)
        self.record.changed()

    def delete(self, message: Message) -> None:
        """A message is gone."""
        team, channel = self._place(message)
        if message.only_for:
            channel.whispers.pop(message.ts, None)
            return
        del channel.messages[message.ts]
        event = events.deleted(channel, message.shape(), self.clock.stamp())
        self._tell(team, channel, event, channel.event_type())

    def set_status(self, channel: Channel, thread_ts: str, text: str) -> None:
        """The line under a thread changes; a message in the thread clears it."""
        if text == channel.status.get(thread_ts, ""):
            return
        channel.status[thread_ts] = text
        self.record.statuses.append(Status(self.clock.now(), channel.id, thread_ts, text))
        self.record.changed()

    def _place(self, message: Message) -> tuple[Workspace, Channel]:
        return next(
            (team, team.channels[message.channel])
            for team in self.world.workspaces.values()
            if message.channel in team.channels
        )

    def _tell(self, team: Workspace, channel: Channel, event: Json, subscription: str) -> None:
        self.record.changed()
        if team.install and team.install.bot.id in channel.members:
            self.publish(team, event, subscription)

    def _notify(self, message: Message, by: str, everyone: set[str]) -> None:
        for whom in sorted(everyone):
            self.record.pings.append(Ping(message.channel, message.ts, message.user, whom, by))
