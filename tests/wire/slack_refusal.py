"""How the platform says no, in one type that every method raises."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any


class Refusal(Exception):
    """The answer `{"ok": false, "error": …}`, with the status and the headers it is sent with."""

    def __init__(self, error: str, status: int = 200, retry_after: int | None = None, **details: object) -> None:
        super().__init__(error)
        self.error = error
        self.status = status
        self.headers = {} if retry_after is None else {"Retry-After": str(retry_after)}
        self.details = details

    def body(self) -> dict[str, Any]:
        """The JSON of the answer."""
        return {"ok": False, "error": self.error, **self.details}


def invalid(error: str, problems: Sequence[str]) -> Refusal:
    """A refusal that says what is wrong where, as the platform words it."""
    messages = [f"[ERROR] {problem}" for problem in problems]
    return Refusal(error, errors=list(problems), response_metadata={"messages": messages})
