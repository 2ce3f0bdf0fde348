"""What a local Discord saw: every call with its time and answer, and every notification it sent out."""

from __future__ import annotations

from dataclasses import dataclass, field

from tests.wire.discord_clock import Bell, Clock
from tests.wire.discord_pings import Ping
from tests.wire.discord_refusals import Form
from tests.wire.discord_world import Json


@dataclass(slots=True)
class Call:
    """One request to the REST API.

    `number` counts from 1, `at` is in platform seconds, `route` is like "POST /channels/{channel}/messages". `status`
    and `code` are of the answer; `lost` says that it never reached the client; 0 is the status of a call under way.
    """

    number: int
    at: float
    route: str
    path: dict[str, str] = field(default_factory=dict)
    query: dict[str, str] = field(default_factory=dict)
    body: Json = field(default_factory=dict)
    status: int = 0
    code: int = 0
    lost: bool = False

    def id(self, name: str) -> int:
        """An id in the path."""
        if not self.path[name].isdigit():
            form = Form()
            form.wrong(name, "NUMBER_TYPE_COERCE", f'Value "{self.path[name]}" is not snowflake.')
            form.close()
        return int(self.path[name])


class Record:
    """All calls and pings so far, and the `crashes` of handlers and hooks."""

    def __init__(self, clock: Clock, bell: Bell) -> None:
        self.calls: list[Call] = []
        self.pings: list[Ping] = []
        self.crashes: list[Exception] = []
        self._clock = clock
        self._bell = bell

    def begin(self, route: str) -> Call:
        """A call that has arrived."""
        call = Call(len(self.calls) + 1, self._clock.now(), route)
        self.calls.append(call)
        return call

    def end(self, call: Call, status: int, code: int = 0) -> None:
        """The call's answer is on its way."""
        call.status, call.code = status, code
        self._bell.ring()

    def of(self, route: str) -> list[Call]:
        """The calls of a route."""
        return [call for call in self.calls if call.route == route]

    def unknown(self) -> list[Call]:
        """The calls that no route answers."""
        return [call for call in self.calls if call.route.endswith(" ?")]
