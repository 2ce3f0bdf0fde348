"""The bodies that the platform sends to an app, as pure functions of what happened."""

from __future__ import annotations

from collections.abc import Mapping

from tests.wire.slack_json import Json
from tests.wire.slack_world import App, Channel, Message, Person, View, Workspace


def envelope(app: App, team: Workspace, event: Mapping[str, object], id: str, at: float) -> Json:
    """The outer body of an event."""
    bot = team.installed().bot
    authorization = {"enterprise_id": None, "team_id": team.id, "user_id": bot.id, "is_bot": True}
    return {
        "token": "verification",
        "team_id": team.id,
        "api_app_id": app.id,
        "event": dict(event),
        "type": "event_callback",
        "event_id": id,
        "event_time": int(at),
        "authorizations": [authorization | {"is_enterprise_install": False}],
        "is_ext_shared_channel": False,
        "event_context": f"4-{id}",
    }


def posted(channel: Channel, message: Message) -> Json:
    """A new message."""
    return message.shape() | _where(channel, message.ts) | {"team": channel.team}


def mentioned(channel: Channel, message: Message) -> Json:
    """The twin of a new message that mentions the app: it has no `channel_type`."""
    event = posted(channel, message) | {"type": "app_mention"}
    return {name: value for name, value in event.items() if name != "channel_type"}


def changed(channel: Channel, message: Message, previous: Json, at: str) -> Json:
    """A message that was edited."""
    event = {"type": "message", "subtype": "message_changed", "hidden": True, "ts": at}
    return event | {"message": message.shape(), "previous_message": previous} | _where(channel, at)


def deleted(channel: Channel, previous: Json, at: str) -> Json:
    """A message that is gone."""
    event = {"type": "message", "subtype": "message_deleted", "hidden": True, "ts": at}
    return event | {"deleted_ts": previous["ts"], "previous_message": previous} | _where(channel, at)


def _where(channel: Channel, at: str) -> Json:
    return {"channel": channel.id, "channel_type": channel.kind, "event_ts": at}


def home_opened(person: Person, dm: Channel, tab: str, at: str, view: View | None) -> Json:
    """A person opens the app's Home or Messages tab."""
    event = {"type": "app_home_opened", "user": person.id, "channel": dm.id, "tab": tab, "event_ts": at}
    return event | ({"view": view_shape(view)} if view else {})


def reacted(person: Person, message: Message, name: str, at: str) -> Json:
    """An emoji under a message."""
    item = {"type": "message", "channel": message.channel, "ts": message.ts}
    event = {"type": "reaction_added", "user": person.id, "reaction": name, "item": item}
    return event | {"item_user": message.user, "event_ts": at}


def command(app: App, team: Workspace, channel: Channel, person: Person, line: str) -> Json:
    """A slash command: "/coach ask what is a subnet?". The trigger and the response URL are added by the sender."""
    name, _, text = line.partition(" ")
    return {
        "token": "verification",
        "team_id": team.id,
        "team_domain": team.name.lower().replace(" ", "-"),
        "channel_id": channel.id,
        "channel_name": "directmessage" if channel.kind == "im" else channel.name,
        "user_id": person.id,
        "user_name": person.name,
        "command": name,
        "text": text.strip(),
        "api_app_id": app.id,
        "is_enterprise_install": "false",
    }


def interaction(app: App, team: Workspace, person: Person, kind: str, **more: object) -> Json:
    """The common part of a button, a shortcut and a modal."""
    return {
        "type": kind,
        "token": "verification",
        "api_app_id": app.id,
        "team": {"id": team.id, "domain": team.name.lower().replace(" ", "-")},
        "user": {"id": person.id, "username": person.name, "name": person.name, "team_id": team.id},
        "enterprise": None,
        "is_enterprise_install": False,
        **more,
    }


def in_message(channel: Channel, message: Message) -> Json:
    """Where a button under a message stands; an ephemeral message is not shown to the app again."""
    container: Json = {"type": "message", "message_ts": message.ts, "channel_id": channel.id}
    container |= {"is_ephemeral": bool(message.only_for)}
    container |= {"thread_ts": message.thread_ts} if message.thread_ts else {}
    place: Json = {"container": container, "channel": {"id": channel.id, "name": channel.name}}
    return place if message.only_for else place | {"message": message.shape()}


def in_view(view: View) -> Json:
    """Where a button in a view stands."""
    return {"container": {"type": "view", "view_id": view.id}, "view": view_shape(view)}


def view_shape(view: View) -> Json:
    """A view as methods and interactions show it."""
    return {
        **view.body,
        "id": view.id,
        "team_id": view.team,
        "hash": view.hash,
        "state": {"values": view.state},
        "root_view_id": view.root,
        "previous_view_id": view.previous,
    }
