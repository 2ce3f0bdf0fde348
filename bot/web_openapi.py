"""Completes the OpenAPI description with what the framework cannot know: the door, and the form of problems."""

from __future__ import annotations

from typing import Any

from bot.web_kinds import KINDS, NO_KEY, TOO_FAST, WRONG_HOST
from bot.web_problems import MEDIA_TYPE

BEARER = {"type": "http", "scheme": "bearer", "description": "A key of CERTCOACH_API_KEYS."}
HEADERS = {
    NO_KEY.status: {"WWW-Authenticate": {"required": True, "schema": {"type": "string"}}},
    TOO_FAST.status: {"Retry-After": {"required": True, "schema": {"type": "integer", "minimum": 1}}},
}
Schema = dict[str, Any]


def complete(spec: Schema, *, keys: bool) -> None:
    """Add to `spec` whether keys are needed, and the media types, headers and descriptions of problems."""
    components = spec["components"]
    components["securitySchemes"] = {"key": BEARER}
    for unused in ("HTTPValidationError", "ValidationError"):
        components["schemas"].pop(unused, None)
    for path, methods in spec["paths"].items():
        for operation in methods.values():
            statuses = {int(status) for status in operation["responses"]} - {200, 204}
            if not keys:
                statuses.add(WRONG_HOST.status)
            if path.startswith("/v1/"):
                operation["security"] = [{"key": []}] if keys else [{}, {"key": []}]
                statuses |= {NO_KEY.status} if keys else set()
            operation["responses"].update({str(status): _problem(status) for status in sorted(statuses)})


def _problem(status: int) -> Schema:
    described: Schema = {
        "description": "; or: ".join(kind.title for kind in KINDS if kind.status == status),
        "content": {MEDIA_TYPE: {"schema": {"$ref": "#/components/schemas/Problem"}}},
    }
    headers = HEADERS.get(status)
    return {**described, "headers": headers} if headers else described
