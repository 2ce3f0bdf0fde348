"""The rate limits of a local Discord: per route, global, on order, and the ban that too many bad calls bring."""

from __future__ import annotations

from collections import deque
from dataclasses import dataclass, field
from typing import Literal

from tests.wire.discord_clock import Clock
from tests.wire.discord_record import Call

Scope = Literal["user", "global", "shared"]
EXEMPT = ("/interactions/", "/webhooks/")
MAJOR = ("channel", "guild", "application", "token")


class TooMany(Exception):
    """A 429. `retry_after` in platform seconds."""

    def __init__(self, retry_after: float, scope: Scope) -> None:
        super().__init__(retry_after, scope)
        self.retry_after = retry_after
        self.scope: Scope = scope


class Banned(Exception):
    """Cloudflare answers instead of Discord."""


@dataclass(slots=True)
class Window:
    """At most `count` calls in `seconds`, counted from the first of them."""

    count: int
    seconds: float
    opened: float = float("-inf")
    used: int = 0

    def take(self, now: float) -> bool:
        """Use up one call; False when none is left."""
        if now >= self.opened + self.seconds:
            self.opened, self.used = now, 0
        self.used += 1
        return self.used <= self.count

    def left(self, now: float) -> float:
        """Seconds until it opens again."""
        return max(0.0, self.opened + self.seconds - now)


@dataclass(slots=True)
class Order:
    """A refusal on order, for a number of calls of a route."""

    route: str
    answer: TooMany
    times: int


@dataclass(slots=True)
class Traffic:
    """Counts calls. Nothing is limited until a test says so.

    `invalid_most` calls refused with 401, 403 or 429 in ten minutes bring the ban; `banned` switches it by hand.
    """

    clock: Clock
    invalid_most: int = 10_000
    banned: bool = False
    _everything: Window | None = None
    _limits: dict[str, tuple[int, float]] = field(default_factory=dict)
    _windows: dict[str, Window] = field(default_factory=dict)
    _orders: list[Order] = field(default_factory=list)
    _invalid: deque[float] = field(default_factory=deque)

    def limit(self, route: str, count: int, seconds: float) -> None:
        """Allow a route, per channel or guild, so many calls in so many platform seconds, and say so in headers."""
        # PLATFORMS.md: "Limits: 50 requests/s global …; per-route by headers, never hard-coded"
        self._limits[route] = (count, seconds)

    def limit_everything(self, count: int = 50, seconds: float = 1.0) -> None:
        """The global limit."""
        # PLATFORMS.md: "Limits: 50 requests/s global (interaction endpoints exempt)"
        self._everything = Window(count, seconds)

    def refuse(self, route: str, retry_after: float, *, scope: Scope = "user", times: int = 1) -> None:
        """Answer the next calls of a route with 429."""
        self._orders.append(Order(route, TooMany(retry_after, scope), times))

    def admit(self, call: Call) -> dict[str, str]:
        """The headers of the answer; TooMany or Banned when there is to be no other."""
        if self.banned:
            raise Banned
        self._serve_orders(call)
        now = self.clock.now()
        path = call.route.partition(" ")[2]
        everything = None if path.startswith(EXEMPT) else self._everything
        if everything and not everything.take(now):
            raise TooMany(everything.left(now), "global")
        return self._admit_route(call, now)

    def _serve_orders(self, call: Call) -> None:
        for order in self._orders:
            if order.times and order.route == call.route:
                order.times -= 1
                raise order.answer

    def _admit_route(self, call: Call, now: float) -> dict[str, str]:
        if call.route not in self._limits:
            return {}
        key = " ".join([call.route, *(call.path[name] for name in MAJOR if name in call.path)])
        window = self._windows.setdefault(key, Window(*self._limits[call.route]))
        if not window.take(now):
            raise TooMany(window.left(now), "user")
        wait = self.clock.real(window.left(now))
        return {
            "X-RateLimit-Bucket": f"{abs(hash(call.route)):x}",
            "X-RateLimit-Limit": str(window.count),
            "X-RateLimit-Remaining": str(window.count - window.used),
            "X-RateLimit-Reset-After": f"{wait:.3f}",
        }

    def note(self, status: int, scope: Scope | None = None) -> None:
        """Count an answer towards the ban."""
        # PLATFORMS.md: "10,000 invalid (401/403/429) per 10 min → IP ban; scope: shared 429s do not count"
        if status not in (401, 403, 429) or scope == "shared":
            return
        now = self.clock.now()
        self._invalid.append(now)
        while self._invalid[0] < now - 600:
            self._invalid.popleft()
        self.banned = self.banned or len(self._invalid) >= self.invalid_most
