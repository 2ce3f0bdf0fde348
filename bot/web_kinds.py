"""The kinds of problems that the API reports, each with what a person can do about it."""

from __future__ import annotations

from dataclasses import dataclass


@dataclass(frozen=True, slots=True)
class Kind:
    """A kind of problem. `slug` is its anchor on the reference page, which is where its `type` leads."""

    slug: str
    status: int
    title: str
    detail: str


REFUSED = Kind("refused", 400, "The request cannot be served", "The detail says why.")
NO_KEY = Kind(
    "no-key",
    401,
    "A key is needed",
    "Send `Authorization: Bearer KEY` with a key of this server; whoever runs it gives them out.",
)
UNKNOWN_TENANT = Kind(
    "unknown-tenant", 404, "Unknown tenant", "Nobody studies that here; `known` lists the tenants there are."
)
UNKNOWN_ANSWER = Kind(
    "unknown-answer", 404, "Unknown answer", "The answer is not kept here, or not any more, so it cannot be rated."
)
UNKNOWN_CONVERSATION = Kind(
    "unknown-conversation", 404, "Unknown conversation", "You have no conversation of that name here, or not any more."
)
SLOW_REQUEST = Kind("slow-request", 408, "The request came too slowly", "Send all of it at once, then try again.")
TOO_LARGE = Kind(
    "too-large", 413, "The request is too large", "Shorten the question to the length that the detail names."
)
WRONG_HOST = Kind(
    "wrong-host",
    421,
    "Not this server's name",
    "This server serves its own machine: open it as http://127.0.0.1 or http://localhost with its port. "
    "To serve others, set CERTCOACH_HOST and CERTCOACH_API_KEYS.",
)
INVALID = Kind(
    "invalid-request", 422, "The request is not valid", "A field is missing or wrong; `errors` names each of them."
)
TOO_FAST = Kind("too-fast", 429, "A little too fast", "Wait for the seconds that Retry-After names, then ask again.")
FAILED = Kind(
    "failed", 500, "Something went wrong", "It is our mistake, not yours. The log has more under the reference."
)
NOT_READY = Kind(
    "not-ready", 503, "Not ready", "Something that answering needs is not there. Try again soon; /readyz names it."
)
TOO_SLOW = Kind(
    "too-slow", 504, "It took too long", "The question had no answer in time. Try again, or ask for less at once."
)

KINDS = (
    REFUSED,
    NO_KEY,
    UNKNOWN_TENANT,
    UNKNOWN_ANSWER,
    UNKNOWN_CONVERSATION,
    SLOW_REQUEST,
    TOO_LARGE,
    WRONG_HOST,
    INVALID,
    TOO_FAST,
    FAILED,
    NOT_READY,
    TOO_SLOW,
)
