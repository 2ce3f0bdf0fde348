"""What the web asks of the application."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Protocol

from bot.coach import Readiness
from bot.conversations import Exchange
from rag.types import Events, Tenant


class Coach(Protocol):
    """The application's service, as far as the web knows it; `bot.coach.Coach` says what each method means."""

    @property
    def tenants(self) -> tuple[Tenant, ...]: ...

    def ask(self, tenant: str, text: str, conversation: str | None = None, person: str = "local") -> Events: ...

    async def rate(self, tenant: str, answer: str, helpful: bool, comment: str = "", person: str = "local") -> bool: ...

    async def export(self, tenant: str, conversation: str, person: str = "local") -> Sequence[Exchange]: ...

    async def forget(self, tenant: str, conversation: str, person: str = "local") -> bool: ...

    async def ready(self) -> Readiness: ...
