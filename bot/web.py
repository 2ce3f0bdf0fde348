"""The HTTP face of the coach: the page for people, the API for programs."""

from __future__ import annotations

from collections.abc import AsyncIterator, Mapping
from contextlib import aclosing
from importlib.metadata import version
from secrets import token_urlsafe
from typing import Annotated, Any, cast

from fastapi import APIRouter, Depends, FastAPI, Path, Query, Request, Response
from fastapi.exceptions import RequestValidationError
from fastapi.sse import EventSourceResponse
from starlette.exceptions import HTTPException

from bot.metrics import metrics_response
from bot.web_accept import EVENTS, prefers_events
from bot.web_coach import Coach
from bot.web_door import Access, Door
from bot.web_edge import Edge
from bot.web_exchange import Asked, Exchange, while_connected
from bot.web_keys import Caller
from bot.web_kinds import NO_KEY, NOT_READY, UNKNOWN_ANSWER, UNKNOWN_CONVERSATION
from bot.web_models import (
    AnswerBody,
    AskBody,
    ConversationBody,
    ConversationName,
    FeedbackBody,
    HealthBody,
    ReadyBody,
    TenantBody,
    TenantSlug,
    conversation_body,
    tenant_body,
)
from bot.web_openapi import complete
from bot.web_page import Page, read_page
from bot.web_patience import Patience
from bot.web_problems import Problem, ProblemError, ProblemResponse, on_http_error, on_invalid
from bot.web_reference import reference
from rag.errors import UnknownTenant
from rag.types import Tenant

HIDDEN = "not ok. A key for all tenants reads why."


def create_app(coach: Coach, access: Access | None = None, patience: Patience | None = None) -> FastAPI:
    """The application around that coach, which it neither opens nor closes; without `access`, for its own machine."""
    access, patience = access or Access(), patience or Patience()
    app = FastAPI(
        title="CertCoach",
        version=version("certcoach"),
        description="Answers certification questions from the documents, with citations.",
        docs_url=None,
        redoc_url=None,
        exception_handlers={HTTPException: on_http_error, RequestValidationError: on_invalid},
        # A question has one trace, which the coach begins; a second one of the framework's would split it.
        telemetry={"tracing": False, "metrics": False, "logs": False},
    )
    app.state.router = router
    app.state.coach = coach
    app.state.patience = patience
    app.state.index = read_page()
    app.include_router(router)
    app.add_middleware(Door, access=access)
    app.add_middleware(Edge, patience=patience)
    complete(app.openapi(), keys=bool(access.keys))
    app.state.reference = Page(reference(app.openapi()))
    return app


def _problems(*statuses: int) -> dict[int | str, dict[str, Any]]:
    return {status: {"model": Problem} for status in statuses}


def _coach(request: Request) -> Coach:
    return cast(Coach, request.app.state.coach)


def _caller(request: Request) -> Caller:
    return cast(Caller, request.state.caller)


CoachOf = Annotated[Coach, Depends(_coach)]
CallerOf = Annotated[Caller, Depends(_caller)]
NameOf = Annotated[ConversationName, Path(description="The name of a conversation.")]
SlugOf = Annotated[TenantSlug, Query()]


async def _exchange(body: AskBody, request: Request, coach: CoachOf, caller: CallerOf) -> AsyncIterator[Exchange]:
    """Begins to answer, and ends when the response is sent or its reader has left."""
    tenant = _studied(coach, caller, body.tenant)
    asked = Asked(tenant, body.question, body.conversation or token_urlsafe(16), caller.person)
    async with aclosing(Exchange(coach, asked, request.app.state.patience)) as exchange:
        yield exchange


def _visible(coach: Coach, caller: Caller) -> list[Tenant]:
    return [tenant for tenant in coach.tenants if caller.sees(tenant.slug)]


def _studied(coach: Coach, caller: Caller, slug: str) -> str:
    """The slug, if there is such a tenant for this caller. Raises UnknownTenant."""
    known = [tenant.slug for tenant in _visible(coach, caller)]
    if slug not in known:
        raise UnknownTenant(slug, known)
    return slug


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
async def readyz(coach: CoachOf, caller: CallerOf) -> ReadyBody | ProblemResponse:
    """Checks everything that answering needs; what is missing is named, with its remedy.

    A server with keys tells reasons to keys for all tenants, and counts of documents to keys of their tenant.
    """
    state = await coach.ready()
    checks = _told(state.checks, caller)
    if not state.ok:
        return ProblemResponse(Problem.of(NOT_READY, checks=checks))
    documents = {slug: count for slug, count in state.documents.items() if caller.sees(slug)}
    return ReadyBody(ok=True, checks=checks, documents=documents)


@router.get("/metrics", include_in_schema=False)
async def metrics(coach: CoachOf, caller: CallerOf) -> Response:
    """What operators watch, in Prometheus' text format; on a server with keys for a key of all tenants."""
    if not caller.sees_all:
        raise ProblemError(Problem.of(NO_KEY))
    return Response(**await metrics_response(coach))


@router.get(
    "/v1/tenants",
    summary="Which certifications are there?",
    response_model=list[TenantBody],
    responses=_problems(503),
)
async def tenants(coach: CoachOf, caller: CallerOf) -> list[TenantBody] | ProblemResponse:
    """In the order of the configuration; not ready while their documents cannot be counted."""
    state = await coach.ready()
    visible = _visible(coach, caller)
    if any(tenant.slug not in state.documents for tenant in visible):
        return ProblemResponse(Problem.of(NOT_READY, checks=_told(state.checks, caller)))
    return [tenant_body(tenant, state.documents[tenant.slug]) for tenant in visible]


@router.post(
    "/v1/ask",
    summary="Ask a question",
    response_model=AnswerBody,
    responses={
        **_problems(400, 404, 408, 413, 422, 429, 500, 503, 504),
        200: {
            "description": "An answer, an “unknown” or a refusal; with `Accept: text/event-stream` as a stream.",
            "content": {EVENTS: {"schema": {"type": "string"}}},
        },
    },
)
async def ask(request: Request, exchange: Annotated[Exchange, Depends(_exchange)]) -> AnswerBody | EventSourceResponse:
    """Answers from the documents of one tenant.

    With `Accept: text/event-stream` the events are `delta` {text}, `restart` {reason} (drop the deltas so far), and at
    the end `answer` (the same object as without streaming; its text is authoritative) or `error` (a problem).
    """
    await while_connected(request, exchange.open())
    if prefers_events(request.headers.getlist("accept")):
        return EventSourceResponse(exchange.frames(), headers={"x-accel-buffering": "no"})
    return await while_connected(request, exchange.final())


@router.post(
    "/v1/feedback",
    summary="Rate an answer",
    status_code=204,
    response_model=None,
    responses=_problems(400, 404, 408, 413, 422, 500, 503),
)
async def feedback(body: FeedbackBody, coach: CoachOf, caller: CallerOf) -> None:
    """Keeps whether an answer of yours was helpful, and a comment, without personal data."""
    tenant = _studied(coach, caller, body.tenant)
    if not await coach.rate(tenant, body.answer, body.helpful, body.comment, caller.person):
        raise ProblemError(Problem.of(UNKNOWN_ANSWER))


@router.get("/v1/conversations/{name}", summary="Export a conversation", responses=_problems(400, 404, 422, 500, 503))
async def conversation(name: NameOf, tenant: SlugOf, coach: CoachOf, caller: CallerOf) -> ConversationBody:
    """Everything that is kept of a conversation of yours."""
    slug = _studied(coach, caller, tenant)
    exchanges = await coach.export(slug, name, caller.person)
    if not exchanges:
        raise ProblemError(Problem.of(UNKNOWN_CONVERSATION))
    return conversation_body(slug, name, exchanges)


@router.delete(
    "/v1/conversations/{name}",
    summary="Delete a conversation",
    status_code=204,
    response_model=None,
    responses=_problems(400, 404, 422, 500, 503),
)
async def forget(name: NameOf, tenant: SlugOf, coach: CoachOf, caller: CallerOf) -> None:
    """Removes a conversation of yours with all that was said and rated in it, for good."""
    slug = _studied(coach, caller, tenant)
    if not await coach.forget(slug, name, caller.person):
        raise ProblemError(Problem.of(UNKNOWN_CONVERSATION))


def _told(checks: Mapping[str, str], caller: Caller) -> dict[str, str]:
    """The checks without reasons, which may name machines and tenants, for those who do not see all tenants."""
    return {name: outcome if caller.sees_all or outcome == "ok" else HIDDEN for name, outcome in checks.items()}
