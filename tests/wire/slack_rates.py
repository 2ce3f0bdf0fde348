"""How often a method may be called before the platform answers 429."""

from __future__ import annotations

import math
from collections import deque
from dataclasses import dataclass, field

from tests.wire.slack_clock import Clock
from tests.wire.slack_limits import CHANNEL_SECONDS, TIERS
from tests.wire.slack_refusal import Refusal

MINUTE = 60.0


@dataclass(slots=True)
class Rates:
    """Counts calls per method and workspace, and posts per channel; either can be switched off."""

    clock: Clock
    tiers: bool = True
    channels: bool = True
    _calls: dict[tuple[str, str], deque[float]] = field(default_factory=dict)
    _posts: dict[str, float] = field(default_factory=dict)

    def admit(self, team: str, method: str, tier: int) -> None:
        """Count a call; raises `ratelimited` when its tier is used up for this minute."""
        if not self.tiers:
            return
        now, calls = self.clock.now(), self._calls.setdefault((team, method), deque())
        while calls and now - calls[0] >= MINUTE:
            calls.popleft()
        if len(calls) >= TIERS[tier]:
            raise self._later(MINUTE - (now - calls[0]))
        calls.append(now)

    def post(self, channel: str) -> None:
        """Count a post into a channel; raises `ratelimited` when the last one is too recent."""
        now = self.clock.now()
        since = now - self._posts.get(channel, -math.inf)
        if self.channels and since < CHANNEL_SECONDS:
            raise self._later(CHANNEL_SECONDS - since)
        self._posts[channel] = now

    def _later(self, seconds: float) -> Refusal:
        # The header counts whole real seconds, which the client's clock understands.
        return Refusal("ratelimited", status=429, retry_after=max(1, math.ceil(seconds * self.clock.scale)))
