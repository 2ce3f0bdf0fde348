"""Interactions of a local Discord: their tokens, the bot's first response, and what follows through the token."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, field
from uuid import uuid4

from tests.wire.discord_clock import Bell, Clock
from tests.wire.discord_gateway import Gateway
from tests.wire.discord_limits import check_choices, check_modal
from tests.wire.discord_payloads import channel_json, member_json, message_json, powers_json, user_json
from tests.wire.discord_posting import SETTABLE, Origin, Posting
from tests.wire.discord_refusals import (
    ALREADY_ANSWERED,
    TOKEN_EXPIRED,
    UNKNOWN_INTERACTION,
    UNKNOWN_MESSAGE,
    UNKNOWN_WEBHOOK,
    Form,
    Refused,
)
from tests.wire.discord_sessions import Event
from tests.wire.discord_world import COMMAND, EPHEMERAL, LOADING, MENU, Channel, Json, Message, User, World

COMMANDED, PRESSED, COMPLETING, SUBMITTED = 2, 3, 4, 5
MESSAGE, DEFER, DEFER_UPDATE, UPDATE, CHOICES, MODAL = 4, 5, 6, 7, 8, 9
ALLOWED = {
    COMMANDED: (MESSAGE, DEFER, MODAL),
    PRESSED: (MESSAGE, DEFER, DEFER_UPDATE, UPDATE, MODAL),
    COMPLETING: (CHOICES,),
    SUBMITTED: (MESSAGE, DEFER),
}
"""Which first responses an interaction takes; a modal that came from a message takes its update as well."""


@dataclass(slots=True, eq=False)
class Exchange:
    """An interaction and all that the bot made of it.

    `answer` is the type of the first response and `acknowledged_after` its delay in platform seconds; `refused` holds
    the codes of refused responses. `original` is the first message, `followups` the later ones; a modal or
    autocomplete answer is in `modal` and `choices`.
    """

    id: int
    kind: int
    user: User
    channel: Channel
    data: Json
    born: float
    message: Message | None = None
    token: str = field(default_factory=lambda: uuid4().hex * 2)
    answer: int | None = None
    acknowledged_after: float | None = None
    original: Message | None = None
    followups: list[Message] = field(default_factory=list)
    modal: Json | None = None
    choices: list[Json] | None = None
    refused: list[int] = field(default_factory=list)

    @property
    def messages(self) -> list[Message]:
        """What the bot wrote through the token and is still there, oldest first."""
        written = [self.original, *self.followups]
        return [each for each in written if each and each.id in each.channel.messages]


@dataclass(slots=True)
class Windows:
    """How long a token lives, in platform seconds."""

    # PLATFORMS.md: "First response within 3 s or the token is void; token good for 15 min"
    first: float = 3.0
    token: float = 900.0


class Interactions:
    """Begins interactions and takes the bot's answers."""

    def __init__(self, world: World, gateway: Gateway, posting: Posting, clock: Clock, bell: Bell) -> None:
        self.all: dict[str, Exchange] = {}
        self.windows = Windows()
        self._world = world
        self._gateway = gateway
        self._posting = posting
        self._clock = clock
        self._bell = bell

    def begin(self, kind: int, user: User, channel: Channel, data: Json, message: Message | None = None) -> Exchange:
        """Tell the bot that a user did something."""
        exchange = Exchange(self._world.snowflake(), kind, user, channel, data, self._clock.now(), message)
        self.all[exchange.token] = exchange
        guild = channel.guild.id if channel.guild else None
        self._gateway.dispatch(Event("INTERACTION_CREATE", self._json(exchange), guild))
        return exchange

    def failed(self, exchange: Exchange) -> bool:
        """Whether the user reads "The application did not respond"."""
        return exchange.answer is None and self._clock.now() > exchange.born + self.windows.first

    def respond(self, interaction: int, token: str, body: Json) -> Json:
        """The first response: POST /interactions/{interaction}/{token}/callback."""
        exchange = self.all.get(token)
        if exchange is None or exchange.id != interaction:
            raise Refused(UNKNOWN_INTERACTION)
        try:
            self._take(exchange, body)
        except Refused as refused:
            exchange.refused.append(refused.refusal.code)
            raise
        self._bell.ring()
        return _callback(exchange, self._world)

    def _take(self, exchange: Exchange, body: Json) -> None:
        if self.failed(exchange):
            raise Refused(UNKNOWN_INTERACTION)
        if exchange.answer is not None:
            raise Refused(ALREADY_ANSWERED)
        kind, data = body.get("type"), (body.get("data") or {}) | {"files": body.get("files") or []}
        form = Form()
        more = (DEFER_UPDATE, UPDATE) if exchange.kind == SUBMITTED and exchange.message else ()
        # PLATFORMS.md: "Modals: cannot answer a modal with a modal …"
        form.one_of("type", kind, (*ALLOWED[exchange.kind], *more))
        form.close()
        takers: dict[object, Callable[[Exchange, Json], None]] = {
            MESSAGE: self._message,
            DEFER: self._defer,
            DEFER_UPDATE: lambda *_: None,
            UPDATE: self._update,
            CHOICES: _choices,
            MODAL: _modal,
        }
        takers[kind](exchange, data)
        exchange.answer, exchange.acknowledged_after = int(str(kind)), self._clock.now() - exchange.born

    def _message(self, exchange: Exchange, data: Json) -> None:
        flags = data.get("flags", 0) & (SETTABLE | EPHEMERAL)
        exchange.original = self._posting.post_through(exchange.channel, data, _origin(exchange, flags))

    def _defer(self, exchange: Exchange, data: Json) -> None:
        # PLATFORMS.md: "… On defer only the EPHEMERAL flag is allowed; Components V2 must be set on the edit"
        form = Form()
        form.one_of("data.flags", data.get("flags") or 0, (0, EPHEMERAL))
        form.close()
        flags = LOADING | (data.get("flags") or 0)
        exchange.original = self._posting.post_through(exchange.channel, {}, _origin(exchange, flags))

    def _update(self, exchange: Exchange, data: Json) -> None:
        assert exchange.message
        self._posting.edit(exchange.message, data)

    def follow_up(self, token: str, body: Json) -> Message:
        """A further message: POST /webhooks/{application}/{token}. The first one after a deferral fills that in."""
        exchange = self._live(token)
        if exchange.answer == DEFER and exchange.original and exchange.original.flags & LOADING:
            self._posting.edit(exchange.original, body | {"flags": (body.get("flags") or 0) & ~EPHEMERAL})
            return exchange.original
        flags = (body.get("flags") or 0) & (SETTABLE | EPHEMERAL)
        message = self._posting.post_through(exchange.channel, body, _origin(exchange, flags, kind=0))
        exchange.followups.append(message)
        self._bell.ring()
        return message

    def find(self, token: str, name: str) -> Message:
        """A message of the token by its id or "@original"."""
        exchange = self._live(token)
        if name == "@original":
            found = exchange.message if exchange.answer in (DEFER_UPDATE, UPDATE) else exchange.original
            if found is None:
                raise Refused(UNKNOWN_WEBHOOK)
        else:
            found = next((each for each in exchange.messages if str(each.id) == name), None)
        if found is None or found.id not in found.channel.messages:
            raise Refused(UNKNOWN_MESSAGE)
        return found

    def _live(self, token: str) -> Exchange:
        exchange = self.all.get(token)
        if exchange is None or exchange.answer is None:
            raise Refused(UNKNOWN_WEBHOOK)
        if self._clock.now() > exchange.born + self.windows.token:
            raise Refused(TOKEN_EXPIRED)
        return exchange

    def _json(self, exchange: Exchange) -> Json:
        channel, user = exchange.channel, exchange.user
        held = powers_json(self._world.permissions(user, channel))
        body: Json = {
            "id": str(exchange.id),
            "application_id": str(self._world.application.id),
            "type": exchange.kind,
            "token": exchange.token,
            "version": 1,
            "data": exchange.data,
            "channel_id": str(channel.id),
            "channel": channel_json(channel, self._world) | {"permissions": held},
            "app_permissions": powers_json(self._world.permissions(self._world.bot, channel)),
            "locale": user.locale,
            "entitlements": [],
            "authorizing_integration_owners": {"0": str(channel.guild.id if channel.guild else 0)},
            "context": 0 if channel.guild else 1,
            "attachment_size_limit": 10 * 2**20,
        }
        if exchange.message:
            body["message"] = message_json(exchange.message, self._world)
        if channel.guild is None:
            return body | {"user": user_json(user)}
        member = member_json(channel.guild.members[user.id]) | {"permissions": held}
        guild = {"id": str(channel.guild.id), "locale": "en-US", "features": []}
        return body | {"guild_id": guild["id"], "guild": guild, "guild_locale": "en-US", "member": member}


def _choices(exchange: Exchange, data: Json) -> None:
    check_choices(data.get("choices") or [])
    exchange.choices = data.get("choices") or []


def _modal(exchange: Exchange, data: Json) -> None:
    check_modal(data)
    exchange.modal = data


def _origin(exchange: Exchange, flags: int, kind: int | None = None) -> Origin:
    """The first message of a command is marked as its reply; others are ordinary."""
    if kind is None and exchange.kind == COMMANDED:
        kind = COMMAND if exchange.data.get("type", 1) == 1 else MENU
    meta: Json = {"id": str(exchange.id), "type": exchange.kind, "user": user_json(exchange.user)}
    meta |= {"authorizing_integration_owners": {}, "name": exchange.data.get("name", "")}
    if exchange.kind == PRESSED and exchange.message:
        meta["interacted_message_id"] = str(exchange.message.id)
    return Origin(kind or 0, flags, exchange.user, meta)


def _callback(exchange: Exchange, world: World) -> Json:
    """What the callback answers when asked with_response."""
    shown = exchange.message if exchange.answer == UPDATE else exchange.original
    interaction: Json = {"id": str(exchange.id), "type": exchange.kind}
    resource: Json = {"type": exchange.answer}
    if shown:
        interaction |= {
            "response_message_id": str(shown.id),
            "response_message_loading": bool(shown.flags & LOADING),
            "response_message_ephemeral": bool(shown.flags & EPHEMERAL),
        }
        resource["message"] = message_json(shown, world)
    return {"interaction": interaction, "resource": resource}
