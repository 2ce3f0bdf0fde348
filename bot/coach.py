"""The application service: a text asked of a tenant becomes an answer, whoever asks and wherever."""

from __future__ import annotations

from collections.abc import Mapping
from contextlib import aclosing
from dataclasses import dataclass

from ingest.sources import Catalogue
from rag import db
from rag.errors import DatabaseError
from rag.library import Library
from rag.types import Answerer, Events, Question, Tenant


@dataclass(frozen=True, slots=True)
class Readiness:
    """Whether questions can be answered. Each check is "ok" or says what is wrong and what to do."""

    checks: Mapping[str, str]
    documents: Mapping[str, int]

    @property
    def ok(self) -> bool:
        return all(outcome == "ok" for outcome in self.checks.values())


class Coach:
    """Answers for the tenants of one catalogue."""

    def __init__(self, catalogue: Catalogue, answerer: Answerer, library: Library, pool: db.Pool) -> None:
        self._catalogue = catalogue
        self._answerer = answerer
        self._library = library
        self._pool = pool

    @property
    def tenants(self) -> tuple[Tenant, ...]:
        return tuple(self._catalogue.tenants.values())

    async def ask(self, tenant: str, text: str, conversation: str | None = None) -> Events:
        """The answer's events; UnknownTenant for a tenant that nobody studies here.

        Each question stands alone: `conversation` is a name for the caller's own use.
        """
        question = Question(self._catalogue.tenant(tenant).slug, text)
        async with aclosing(self._answerer.answer(question)) as events:
            async for event in events:
                yield event

    async def ready(self) -> Readiness:
        """Look at what an answer needs: the database, and documents for each tenant."""
        try:
            documents = {tenant.slug: await self._library.count(tenant.slug) for tenant in self.tenants}
        except DatabaseError as error:
            return Readiness({"database": str(error)}, {})
        checks = {"database": "ok", "corpus": "ok"}
        if empty := [slug for slug, count in documents.items() if not count]:
            checks["corpus"] = f"No documents for {', '.join(empty)}. Run `certcoach ingest`."
        return Readiness(checks, documents)
