"""The `views.*` methods: modals, which need a trigger, and the Home tab."""

from __future__ import annotations

from typing import Any
from uuid import uuid4

from tests.wire.slack_ask import Ask
from tests.wire.slack_blocks import view_problems
from tests.wire.slack_events import view_shape
from tests.wire.slack_json import Json
from tests.wire.slack_limits import TRIGGER_SECONDS, VIEW_STACK
from tests.wire.slack_platform import Platform
from tests.wire.slack_refusal import Refusal, invalid
from tests.wire.slack_world import Trigger, View


async def open_(ask: Ask) -> Json:
    """views.open"""
    return {"view": view_shape(open_view(ask.platform, _trigger(ask), _body(ask, "modal")))}


async def push(ask: Ask) -> Json:
    """views.push"""
    return {"view": view_shape(push_view(ask.platform, _trigger(ask), _body(ask, "modal")))}


async def update(ask: Ask) -> Json:
    """views.update"""
    id, name, views = ask.text("view_id"), ask.text("external_id"), ask.platform.world.views.values()
    view = next((one for one in views if one.id == id or (name and one.body.get("external_id") == name)), None)
    if view is None or view.team != ask.team.id:
        raise Refusal("not_found")
    if ask.text("hash") and ask.text("hash") != view.hash:
        raise Refusal("hash_conflict")
    replace_view(ask.platform, view, _body(ask, str(view.body["type"])))
    return {"view": view_shape(view)}


async def publish(ask: Ask) -> Json:
    """views.publish"""
    user = ask.team.person(ask.need("user_id"))
    view = ask.team.home.get(user.id)
    if view and ask.text("hash") and ask.text("hash") != view.hash:
        raise Refusal("hash_conflict")
    body = _body(ask, "home")
    if view is None:
        view = ask.team.home[user.id] = _made(ask.platform, ask.team.id, user.id, body)
    replace_view(ask.platform, view, body)
    return {"view": view_shape(view)}


def open_view(platform: Platform, trigger: Trigger, body: Json) -> View:
    """A new modal on an empty stack."""
    return _made(platform, trigger.team, trigger.user, body)


def push_view(platform: Platform, trigger: Trigger, body: Json) -> View:
    """A new modal on top of the one that the trigger came from."""
    top = platform.world.views.get(trigger.view or "")
    if top is None:
        raise Refusal("invalid_trigger_id")
    if len([view for view in platform.world.views.values() if view.root == top.root]) >= VIEW_STACK:
        raise Refusal("push_limit_reached")
    view = _made(platform, trigger.team, trigger.user, body)
    view.root, view.previous = top.root, top.id
    return view


def replace_view(platform: Platform, view: View, body: Json) -> None:
    """A view gets new content."""
    view.body, view.hash = body, uuid4().hex[:8]
    platform.record.changed()


def close_views(platform: Platform, view: View, whole_stack: bool) -> None:
    """A modal disappears, alone or with those around it."""
    for other in list(platform.world.views.values()):
        if other.id == view.id or (whole_stack and other.root == view.root):
            del platform.world.views[other.id]
    platform.record.changed()


def checked_view(body: Any, kind: str) -> Json:
    """A view's body when it is accepted: raises `invalid_arguments`."""
    if problems := view_problems(body):
        raise invalid("invalid_arguments", problems)
    if body["type"] != kind:
        raise invalid("invalid_arguments", [f"must be a {kind} view [json-pointer:/view/type]"])
    named = [block | {"block_id": block.get("block_id") or f"b{index}"} for index, block in enumerate(body["blocks"])]
    checked: Json = {**body, "blocks": named}
    return checked


def _body(ask: Ask, kind: str) -> Json:
    return checked_view(ask.value("view", "invalid_arguments"), kind)


def _trigger(ask: Ask) -> Trigger:
    trigger = ask.platform.world.triggers.get(ask.need("trigger_id"))
    if trigger is None or trigger.team != ask.team.id:
        raise Refusal("invalid_trigger_id")
    if trigger.used:
        raise Refusal("exchanged_trigger_id")
    if ask.platform.clock.now() - trigger.issued > TRIGGER_SECONDS:
        raise Refusal("expired_trigger_id")
    _body(ask, "modal")
    trigger.used = True
    return trigger


def _made(platform: Platform, team: str, user: str, body: Json) -> View:
    id = platform.world.id("V")
    view = View(id, team, user, body, uuid4().hex[:8], root=id)
    if body["type"] == "modal":
        platform.world.views[id] = view
    platform.record.changed()
    return view
