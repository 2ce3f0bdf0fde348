"""What a local Discord says no with: the status, code and words of each error that a bot may meet."""

from __future__ import annotations

from collections.abc import Collection, Sized
from dataclasses import dataclass
from typing import Any


@dataclass(frozen=True, slots=True)
class Refusal:
    """An error of the REST API. Source: discord-api-docs, topics/opcodes-and-status-codes.mdx; statuses as seen."""

    status: int
    code: int
    words: str


UNAUTHORIZED = Refusal(401, 0, "401: Unauthorized")
NO_SUCH_ROUTE = Refusal(404, 0, "404: Not Found")
UNKNOWN_CHANNEL = Refusal(404, 10003, "Unknown Channel")
UNKNOWN_GUILD = Refusal(404, 10004, "Unknown Guild")
UNKNOWN_MEMBER = Refusal(404, 10007, "Unknown Member")
UNKNOWN_MESSAGE = Refusal(404, 10008, "Unknown Message")
UNKNOWN_USER = Refusal(404, 10013, "Unknown User")
UNKNOWN_WEBHOOK = Refusal(404, 10015, "Unknown Webhook")
UNKNOWN_INTERACTION = Refusal(404, 10062, "Unknown interaction")
UNKNOWN_COMMAND = Refusal(404, 10063, "Unknown application command")
TOO_MANY_CREATES = Refusal(400, 30034, "Max number of daily application command creates has been reached (200)")
TOO_LARGE = Refusal(413, 40005, "Request entity too large")
ALREADY_ANSWERED = Refusal(400, 40060, "Interaction has already been acknowledged.")
MISSING_ACCESS = Refusal(403, 50001, "Missing Access")
NOT_IN_DM = Refusal(400, 50003, "Cannot execute action on a DM channel")
NOT_YOURS = Refusal(403, 50005, "Cannot edit a message authored by another user")
EMPTY_MESSAGE = Refusal(400, 50006, "Cannot send an empty message")
DMS_CLOSED = Refusal(403, 50007, "Cannot send messages to this user")
MISSING_PERMISSIONS = Refusal(403, 50013, "Missing Permissions")
WRONG_CHANNEL = Refusal(400, 50024, "Cannot execute action on this channel type")
TOKEN_EXPIRED = Refusal(401, 50027, "Invalid Webhook Token")
INVALID_FORM = Refusal(400, 50035, "Invalid Form Body")
ARCHIVED = Refusal(400, 50083, "Thread is archived")
NO_HISTORY = Refusal(400, 160002, "Cannot reply without permission to read message history")
THREAD_EXISTS = Refusal(400, 160004, "A thread has already been created for this message")
LOCKED = Refusal(403, 160005, "Thread is locked")
TOO_MANY_THREADS = Refusal(400, 160006, "Maximum number of active threads reached")


class Refused(Exception):
    """The API refuses a request. `errors` is the tree of a form's errors."""

    def __init__(self, refusal: Refusal, errors: dict[str, Any] | None = None) -> None:
        super().__init__(refusal.words, errors)
        self.refusal = refusal
        self.errors = errors

    def body(self) -> dict[str, Any]:
        """As the API writes it."""
        body: dict[str, Any] = {"message": self.refusal.words, "code": self.refusal.code}
        return body | {"errors": self.errors} if self.errors else body


class Form:
    """Collects what is wrong with a body, by the path of each field ("embeds.0.title"), and refuses it as a whole."""

    def __init__(self) -> None:
        self._errors: dict[str, Any] = {}

    def wrong(self, path: str, code: str, words: str) -> None:
        """Note an error at a path."""
        place = self._errors
        for name in path.split("."):
            place = place.setdefault(name, {})
        place.setdefault("_errors", []).append({"code": code, "message": words})

    def size(self, path: str, value: Sized | None, most: int, least: int = 0) -> None:
        """Note when a text or list is shorter than `least` or longer than `most`; None counts as empty."""
        length = len(value) if value is not None else 0
        if least and not length:
            self.wrong(path, "BASE_TYPE_REQUIRED", "This field is required")
        elif least and not least <= length <= most:
            self.wrong(path, "BASE_TYPE_BAD_LENGTH", f"Must be between {least} and {most} in length.")
        elif length > most:
            self.wrong(path, "BASE_TYPE_MAX_LENGTH", f"Must be {most} or fewer in length.")

    def one_of(self, path: str, value: object, allowed: Collection[object]) -> None:
        """Note when a value is none of the allowed ones."""
        if value not in allowed:
            self.wrong(path, "BASE_TYPE_CHOICES", f"Value must be one of {allowed}.")

    def close(self) -> None:
        """Refuse the body if anything is wrong with it."""
        if self._errors:
            raise Refused(INVALID_FORM, self._errors)
