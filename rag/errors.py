"""Everything that can go wrong, as one tree.

CertCoachError
├─ ConfigError        at start: names the variable, or the path in sources.yaml, and what to do
├─ DatabaseError      the database cannot be used: says why and what to do
├─ UserError          shown to the person as it is
│  └─ UnknownTenant
├─ ProviderError      a model or an embedder failed
│  ├─ Unavailable     another try, or another model, may succeed
│  └─ Rejected        the same request will fail again
└─ IngestError        one document could not be taken in; the run goes on
   ├─ FetchFailed     worth another try later
   └─ Unreadable      not worth another try until the document changes
"""

from __future__ import annotations

from collections.abc import Iterable


class CertCoachError(Exception):
    """Something went wrong that a person can read about."""

    exit_code = 1


class ConfigError(CertCoachError):
    """The configuration is wrong; the message names the place and the remedy."""

    exit_code = 3


class DatabaseError(CertCoachError):
    """The database cannot be used; the message says why and what to do."""

    exit_code = 4


class UserError(CertCoachError):
    """The request cannot be served; the message is shown as it is."""

    exit_code = 2


class UnknownTenant(UserError):
    """Nobody studies that here."""

    def __init__(self, slug: str, known: Iterable[str]) -> None:
        self.known = tuple(sorted(known))
        shown = slug if len(slug) <= 60 else slug[:60] + "…"
        super().__init__(f"There is no tenant {shown!r}. Known tenants: {', '.join(self.known) or 'none'}.")


class ProviderError(CertCoachError):
    """A model or an embedder failed."""

    exit_code = 5


class Unavailable(ProviderError):
    """The provider cannot serve now: overloaded, timed out, connection lost, rate limited."""


class Rejected(ProviderError):
    """The provider refuses this request or this key; another try would fail alike."""


class IngestError(CertCoachError):
    """A document could not be taken in."""


class FetchFailed(IngestError):
    """The document could not be fetched; another try may succeed."""


class Unreadable(IngestError):
    """The document was fetched but holds nothing that can be studied."""
