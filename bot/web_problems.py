"""Everything the API can answer instead of a result, as problem documents (RFC 9457) in words that name the remedy."""

from __future__ import annotations

import logging
import traceback
from collections.abc import Mapping, Sequence
from http import HTTPStatus
from typing import Any
from uuid import uuid4

from fastapi import Request, Response
from fastapi.exceptions import RequestValidationError
from pydantic import BaseModel, Field
from starlette.exceptions import HTTPException
from starlette.routing import Match

from bot.web_kinds import FAILED, INVALID, NOT_READY, REFUSED, TOO_LARGE, UNKNOWN_TENANT, Kind
from rag.errors import DatabaseError, ProviderError, UnknownTenant, UserError

logger = logging.getLogger(__name__)

MEDIA_TYPE = "application/problem+json"


class FieldError(BaseModel):
    """What is wrong with one field."""

    field: str
    message: str


class Problem(BaseModel):
    """A problem document; members beyond the first four are present where they apply."""

    type: str = Field(description="Leads to an explanation of this kind of problem.", examples=["/docs#unknown-tenant"])
    title: str
    status: int
    detail: str
    known: list[str] | None = Field(None, description="With an unknown tenant: the slugs there are.")
    errors: list[FieldError] | None = Field(None, description="With an invalid request: each field that is wrong.")
    checks: dict[str, str] | None = Field(None, description='When not ready: each check, "ok" or what to do.')
    reference: str | None = Field(None, description="Under this name the log tells what happened.")

    @classmethod
    def of(cls, kind: Kind, detail: str | None = None, **members: Any) -> Problem:
        """A problem of that kind; `detail` says what happened this time."""
        return cls(
            type=f"/docs#{kind.slug}", title=kind.title, status=kind.status, detail=detail or kind.detail, **members
        )

    def json_text(self) -> str:
        """The document as JSON, without the members that do not apply."""
        return self.model_dump_json(exclude_none=True)


class ProblemResponse(Response):
    """A problem as an HTTP response."""

    media_type = MEDIA_TYPE

    def __init__(self, problem: Problem, headers: Mapping[str, str] | None = None) -> None:
        super().__init__(problem.json_text(), status_code=problem.status, headers=dict(headers or {}))


class ProblemError(HTTPException):
    """Ends a request, wherever it is, with that problem."""

    def __init__(self, problem: Problem, headers: Mapping[str, str] | None = None) -> None:
        super().__init__(problem.status, problem.detail, dict(headers or {}))
        self.problem = problem


def problem_of(error: Exception) -> Problem:
    """What a client is told of an error; what it is not told goes to the log under the problem's reference."""
    if isinstance(error, ProblemError):
        return error.problem
    if isinstance(error, UnknownTenant):
        return Problem.of(UNKNOWN_TENANT, str(error), known=list(error.known))
    if isinstance(error, UserError):
        return Problem.of(REFUSED, str(error))
    reference = uuid4().hex[:12]
    # Messages of foreign errors may quote the question, so the log gets the places and no message.
    places = [f"{frame.filename}:{frame.lineno} {frame.name}" for frame in traceback.extract_tb(error.__traceback__)]
    fields = {"reference": reference, "error": type(error).__name__, "places": places}
    logger.error("A request could not be answered.", extra=fields)
    kind = NOT_READY if isinstance(error, DatabaseError | ProviderError) else FAILED
    return Problem.of(kind, reference=reference)


async def on_http_error(request: Request, error: Exception) -> Response:
    """No such route, no such method, a body that cannot be read."""
    assert isinstance(error, HTTPException)
    if isinstance(error, ProblemError):
        return ProblemResponse(error.problem, error.headers)
    title = HTTPStatus(error.status_code).phrase
    detail = _REMEDIES.get(error.status_code, error.detail)
    problem = Problem(type="about:blank", title=title, status=error.status_code, detail=detail)
    return ProblemResponse(problem, _allow(request, error.headers or {}))


def _allow(request: Request, headers: Mapping[str, str]) -> Mapping[str, str]:
    """The Allow header with all methods of the address; the framework lists those of the first route that fits."""
    if "Allow" not in headers:
        return headers
    fitting = [route for route in request.app.state.router.routes if route.matches(request.scope)[0] is Match.PARTIAL]
    methods = {method for route in fitting for method in route.methods}
    return {"Allow": ", ".join(sorted(methods)) or headers["Allow"]}


async def on_invalid(request: Request, error: Exception) -> Response:
    """A body that does not fit its model."""
    assert isinstance(error, RequestValidationError)
    errors = [_field_error(entry) for entry in error.errors()]
    kind = TOO_LARGE if ("question", "string_too_long") in _what(error) else INVALID
    detail = " ".join(f"{entry.field}: {entry.message}" for entry in errors)
    return ProblemResponse(Problem.of(kind, detail, errors=errors))


def _what(error: RequestValidationError) -> set[tuple[str, str]]:
    return {(_path(entry["loc"]), entry["type"]) for entry in error.errors()}


_REMEDIES = {
    400: "The body cannot be read. Send a JSON object in UTF-8.",
    404: "There is nothing at this address. /docs lists what there is.",
    405: "This address does not take that method. /docs lists the methods.",
}


def _field_error(entry: Mapping[str, Any]) -> FieldError:
    path = _path(entry["loc"])
    match entry["type"]:
        case "json_invalid":
            message = f"Not valid JSON at character {entry['loc'][-1]}: {entry['ctx']['error']}."
            return FieldError(field="body", message=message)
        case "missing" if path == "body":
            message = "Missing. Send a JSON object as application/json."
        case "missing":
            message = "Missing."
        case "model_attributes_type" | "model_type" | "dict_type":
            message = "Send a JSON object as application/json."
        case "string_pattern_mismatch" | "string_too_short" if path == "question":
            message = "Empty. Write a question."
        case "string_too_long":
            message = f"Too long: at most {entry['ctx']['max_length']:,} characters."
        case _:
            message = f"{entry['msg']}."
    return FieldError(field=path, message=message)


def _path(location: Sequence[object]) -> str:
    """("body", "question") → "question"; the body itself → "body"."""
    return ".".join(str(part) for part in location[1:]) or "body"
