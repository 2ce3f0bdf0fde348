"""How long the server waits for whom."""

from __future__ import annotations

from dataclasses import dataclass


@dataclass(frozen=True, slots=True)
class Patience:
    """Times in seconds."""

    body: float = 15
    """Until all of a request has arrived."""
    opening: float = 5
    """Until a stream begins, though there is nothing to be shown yet: before, an error can still be a status."""
    silence: float = 15
    """Until a silent stream shows that it is alive (HTML standard, 9.2.7: "every 15 seconds or so")."""
    answer: float = 60
    """Until a question has its answer."""
