"""The HTTP face of the coach: the page for people, the API for programs."""

from __future__ import annotations

from importlib.metadata import version
from typing import Annotated, Any, cast
from uuid import uuid4

from fastapi import APIRouter, Depends, FastAPI, Request, Response
from fastapi.exceptions import RequestValidationError
from starlette.exceptions import HTTPException

from bot.web_accept import EVENTS, prefers_events
from bot.web_edge import Edge
from bot.web_exchange import Coach, EventStream, Exchange, while_connected
from bot.web_models import AnswerBody, AskBody, HealthBody, ReadyBody, TenantBody, tenant_body
from bot.web_page import INDEX, Page
from bot.web_problems import MEDIA_TYPE, NOT_READY, Problem, ProblemResponse, on_http_error, on_invalid
from bot.web_reference import reference
from rag.errors import UnknownTenant


def create_app(coach: Coach) -> FastAPI:
    """The application around that coach, which it neither opens nor closes."""
    app = FastAPI(
        title="CertCoach",
        version=version("certcoach"),
        description="Answers certification questions from the official documents, with citations.",
        docs_url=None,
        redoc_url=None,
        exception_handlers={HTTPException: on_http_error, RequestValidationError: on_invalid},
        # A question has one trace, which the coach begins; a second one of the framework's would split it.
        telemetry={"tracing": False, "metrics": False, "logs": False},
    )
    app.state.coach = coach
    app.state.index = Page(INDEX.read_text(encoding="utf-8"))
    app.include_router(router)
    app.add_middleware(Edge)
    _name_problems(app.openapi())
    app.state.reference = Page(reference(app.openapi()))
    return app


def _name_problems(spec: dict[str, Any]) -> None:
    """Give the errors their media type: FastAPI describes every response as the route's own."""
    operations = (operation for methods in spec["paths"].values() for operation in methods.values())
    for operation in operations:
        for status, response in operation["responses"].items():
            if int(status) >= 400:
                response["content"] = {MEDIA_TYPE: response["content"].pop("application/json")}


def _problems(*statuses: int) -> dict[int | str, dict[str, Any]]:
    return {status: {"model": Problem} for status in statuses}


def _coach(request: Request) -> Coach:
    return cast(Coach, request.app.state.coach)


CoachOf = Annotated[Coach, Depends(_coach)]

router = APIRouter()


@router.api_route("/", methods=["GET", "HEAD"], include_in_schema=False)
async def index(request: Request) -> Response:
    """The page."""
    return cast(Page, request.app.state.index).response()


@router.api_route("/docs", methods=["GET", "HEAD"], include_in_schema=False)
async def docs(request: Request) -> Response:
    """The reference of this API, without requests to third parties."""
    return cast(Page, request.app.state.reference).response()


@router.get("/healthz", summary="Is the process alive?")
async def healthz() -> HealthBody:
    """Touches neither the database nor a provider."""
    return HealthBody()


@router.get("/readyz", summary="Would a question be answered?", response_model=ReadyBody, responses=_problems(503))
async def readyz(coach: CoachOf) -> ReadyBody | ProblemResponse:
    """Checks everything that answering needs; what is missing is named, with its remedy."""
    state = await coach.ready()
    if not state.ok:
        return ProblemResponse(Problem.of(NOT_READY, checks=dict(state.checks)))
    return ReadyBody(ok=True, checks=dict(state.checks), documents=dict(state.documents))


@router.get(
    "/v1/tenants",
    summary="Which certifications are there?",
    response_model=list[TenantBody],
    responses=_problems(503),
)
async def tenants(coach: CoachOf) -> list[TenantBody] | ProblemResponse:
    """In the order of the configuration; not ready while their documents cannot be counted."""
    state = await coach.ready()
    if any(tenant.slug not in state.documents for tenant in coach.tenants):
        return ProblemResponse(Problem.of(NOT_READY, checks=dict(state.checks)))
    return [tenant_body(tenant, state.documents[tenant.slug]) for tenant in coach.tenants]


@router.post(
    "/v1/ask",
    summary="Ask a question",
    response_model=AnswerBody,
    responses={
        **_problems(400, 404, 413, 422, 500, 503),
        200: {
            "description": "An answer, an “unknown” or a refusal; with `Accept: text/event-stream` as a stream.",
            "content": {EVENTS: {"schema": {"type": "string"}}},
        },
    },
)
async def ask(body: AskBody, request: Request, coach: CoachOf) -> AnswerBody | EventStream:
    """Answers from the documents of one tenant.

    With `Accept: text/event-stream` the events are `delta` {text}, `restart` {reason} (drop the deltas so far), and at
    the end `answer` (the same object as without streaming; its text is authoritative) or `error` (a problem).
    """
    known = [tenant.slug for tenant in coach.tenants]
    if body.tenant not in known:
        raise UnknownTenant(body.tenant, known)
    exchange = Exchange(coach, body.tenant, body.question, body.conversation or uuid4().hex)
    if prefers_events(request.headers.getlist("accept")):
        return EventStream(exchange.frames())
    return await while_connected(request, exchange.final())
