"""Reads the Accept header (RFC 9110, 12.5.1), because the same answer comes whole or as a stream."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass

JSON = "application/json"
EVENTS = "text/event-stream"


@dataclass(frozen=True, slots=True)
class Range:
    """A media range with its quality, 0 to 1."""

    media: str
    quality: float

    def specificity(self, media: str) -> int:
        """How closely the range names that media type: 3 by name, 2 by main type, 1 by `*/*`, 0 not at all."""
        main = media.partition("/")[0]
        return {media: 3, f"{main}/*": 2, "*/*": 1}.get(self.media, 0)


def prefers_events(headers: Iterable[str]) -> bool:
    """Whether a client would rather have the stream of events than JSON; in doubt it gets JSON."""
    ranges = [_range(part) for header in headers for part in header.split(",") if part.strip()]
    return _rank(ranges, EVENTS) > max(_rank(ranges, JSON), (0.0, 3))


def _rank(ranges: list[Range], media: str) -> tuple[float, int]:
    """The quality that the most specific range gives to a media type, then how specific that range is."""
    specificity, quality = max(((found.specificity(media), found.quality) for found in ranges), default=(0, 0.0))
    return (quality, specificity) if specificity else (0.0, 0)


def _range(part: str) -> Range:
    media, *parameters = (piece.strip().lower() for piece in part.split(";"))
    weights = [value for name, _, value in (parameter.partition("=") for parameter in parameters) if name == "q"]
    return Range(media, _quality(weights[0]) if weights else 1.0)


def _quality(text: str) -> float:
    try:
        value = float(text)
    except ValueError:
        return 0.0
    return value if 0 <= value <= 1 else 0.0
