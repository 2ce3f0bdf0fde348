"""The bodies of the HTTP API, as pydantic models, so that the OpenAPI description is exact."""

from __future__ import annotations

import re
from collections.abc import Sequence
from dataclasses import asdict
from datetime import datetime
from typing import Annotated, Any

from pydantic import BaseModel, BeforeValidator, ConfigDict, Field, StrictBool

from bot.coach import COMMENT
from bot.conversations import Exchange
from rag.types import Answer, AnswerKind, Reason, Tenant

MAX_QUESTION = 20_000
"""Characters (code points) of a question."""

NAME = "^[A-Za-z0-9_-]{8,64}$"
"""What a conversation may be called."""

LONE_SURROGATE = re.compile("[\ud800-\udfff]")


def _whole(value: object) -> object:
    """JSON may spell half a character ("\\ud800"), which no encoder can write again: U+FFFD stands in for it."""
    return LONE_SURROGATE.sub("\ufffd", value) if isinstance(value, str) else value


def _not_a_matter_of_form(schema: dict[str, Any]) -> None:
    """What is too long is answered with 413 and not with 422, so it does not count as malformed."""
    schema.pop("maxLength")


Text = Annotated[str, BeforeValidator(_whole)]


class Body(BaseModel):
    """What all bodies share: they are built from our own values, by attribute."""

    model_config = ConfigDict(from_attributes=True, frozen=True)


TenantSlug = Annotated[
    Text, Field(description="The slug of a certification, as `GET /v1/tenants` lists them.", examples=["aws-saa"])
]
ConversationName = Annotated[str, Field(pattern=NAME, examples=["Zx3k9QbW-monday"])]


class AskBody(Body):
    """A question to one tenant, alone or as the next turn of a conversation."""

    tenant: TenantSlug
    question: Text = Field(
        min_length=1,
        max_length=MAX_QUESTION,
        pattern=r"\S",
        json_schema_extra=_not_a_matter_of_form,
        description=f"The question in your own words, at most {MAX_QUESTION:,} characters, not only white space.",
        examples=["When do I choose a partition placement group?"],
    )
    conversation: ConversationName | None = Field(
        None,
        description="The `conversation` of an earlier answer, to continue it, or a new name of your own; without it a "
        "new one begins.",
    )


class FeedbackBody(Body):
    """A verdict on an answer; it takes the place of an earlier one of the same person."""

    tenant: TenantSlug
    answer: Text = Field(description="The `id` of an answer that was given in a conversation.", examples=["8f14e45f"])
    helpful: StrictBool
    comment: Text = Field("", max_length=COMMENT, description="What was missing or wrong, if you like.")


class CitationBody(Body):
    """A number in the answer's text and the page it stands for."""

    number: int = Field(description="The n of `[n]` in the answer.")
    source: int = Field(description="Index into `sources`, counting from 0.")
    url: str
    title: str
    heading: str


class SourceBody(Body):
    """A passage that the answer was made from, with its neighbours in the document."""

    chunk_id: int
    document: str
    url: str
    title: str
    citation: str = Field(description="The name of the collection, such as a user guide.")
    heading: str = Field(description='The path of headings, "Title > Section".')
    text: str = Field(description="Markdown.")
    before: str = Field(description='The passage before it, "" at the start of the document.')
    after: str = Field(description='The passage after it, "" at the end of the document.')
    dated: str | None = Field(description="The day (ISO 8601) its content was last confirmed, where known.")


class UsageBody(Body):
    """What the model call cost: tokens, and US dollars where the price is known."""

    model: str
    input: int
    output: int
    usd: float | None


class NoticeBody(Body):
    """Something to know beside the answer, such as a key in the question that should be rotated."""

    kind: str
    text: str
    private: bool


class AnswerBody(Body):
    """An answer, a "the documents do not cover this" or a refusal: `kind` tells which."""

    id: str
    kind: AnswerKind
    reason: Reason = Field(description='Why it is not an answer; "none" if it is one.')
    answer: str = Field(description="CommonMark; `[n]` refers to `citations`.")
    asked: str = Field(description="The question as it was used, personal data removed.")
    citations: list[CitationBody]
    sources: list[SourceBody] = Field(description="The passages that the answer was made from, in order.")
    confidence: float | None = Field(description="Probability that the documents cover the question, or null.")
    usage: UsageBody | None
    notices: list[NoticeBody]
    conversation: str = Field(description="Send it with the next question to continue.")


class DeltaBody(Body):
    """The data of a `delta` event."""

    text: str


class RestartBody(Body):
    """The data of a `restart` event: the deltas so far are withdrawn."""

    reason: str


class ExchangeBody(Body):
    """One question and its answer, as they are kept: without personal data."""

    id: str
    at: datetime
    asked: str
    kind: AnswerKind
    reason: Reason
    answer: str = Field(description="CommonMark.")
    helpful: bool | None = Field(description="Your verdict, if you gave one.")
    comment: str | None


class ConversationBody(Body):
    """Everything that is kept of a conversation, oldest first."""

    conversation: str
    tenant: str
    exchanges: list[ExchangeBody]


class TenantBody(Body):
    """A certification that can be asked about."""

    slug: str
    title: str
    exam: str
    topics: list[str]
    documents: int = Field(description="How many documents are known.")


class HealthBody(Body):
    """The process runs."""

    status: str = "ok"


class ReadyBody(Body):
    """Everything that answering needs is there; `checks` has "ok" for each, `documents` a count for each tenant."""

    ok: bool
    checks: dict[str, str]
    documents: dict[str, int]


def answer_body(answer: Answer, conversation: str) -> AnswerBody:
    """The answer as the API shows it."""
    return AnswerBody(
        id=answer.id,
        kind=answer.kind,
        reason=answer.reason,
        answer=answer.text,
        asked=answer.asked,
        citations=[CitationBody.model_validate(citation) for citation in answer.citations],
        sources=[SourceBody.model_validate(passage) for passage in answer.passages],
        confidence=answer.confidence,
        usage=UsageBody.model_validate(answer.usage) if answer.usage else None,
        notices=[NoticeBody.model_validate(notice) for notice in answer.notices],
        conversation=conversation,
    )


def conversation_body(tenant: str, conversation: str, exchanges: Sequence[Exchange]) -> ConversationBody:
    """The conversation as the API exports it."""
    return ConversationBody(
        conversation=conversation, tenant=tenant, exchanges=[_exchange_body(exchange) for exchange in exchanges]
    )


def _exchange_body(exchange: Exchange) -> ExchangeBody:
    values = asdict(exchange)
    return ExchangeBody(answer=values.pop("text"), **values)


def tenant_body(tenant: Tenant, documents: int) -> TenantBody:
    """The tenant as the API lists it."""
    return TenantBody(
        slug=tenant.slug, title=tenant.title, exam=tenant.exam, topics=list(tenant.topics), documents=documents
    )
