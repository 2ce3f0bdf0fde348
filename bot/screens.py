"""Puts the guardrails of a catalogue together: what looks at words that come in, and at answers that go out."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass

from bot.taught import Taught
from guardrails.entrance import Entrance
from guardrails.examples import Examples, load_examples
from guardrails.guarded import Guarded
from guardrails.limits import Limits
from guardrails.maskbook import MaskBook
from guardrails.modes import Modes, Switched
from guardrails.output import Screened
from guardrails.pii import Recognizers
from guardrails.redact import Redaction
from guardrails.terms import load_terms
from guardrails.topic import Topic
from guardrails.vocabulary import vocabulary
from guardrails.wordings import Wordings
from ingest.sources import Catalogue
from rag.types import Answerer, Embedder, Tenant


@dataclass(frozen=True, slots=True)
class Guards:
    """The guardrails of a catalogue's tenants."""

    tenants: Mapping[str, Tenant]
    recognizers: Mapping[str, Recognizers]
    modes: Modes
    examples: Examples
    judge: Taught
    new_id: Callable[[], str]

    def around(self, inner: Answerer) -> Answerer:
        """The onion: the screens in the order in which they look, the answerer, and the last look at its answer."""
        redaction = Switched("pii", Redaction(self.recognizers), self.modes, least=Redaction(secrets_only=True))
        topic = Switched("topic", Topic(self.judge, self.tenants, Wordings(), self.new_id), self.modes)
        screened = Screened(inner, self.new_id, self.recognizers, self.modes)
        return Guarded(screened, [redaction, Limits(self.new_id), topic])

    def entrance(self, masks: MaskBook | None = None) -> Entrance:
        """Where words come in."""
        return Entrance(self.recognizers, self.modes, masks)


def build_guards(
    catalogue: Catalogue, asking: Embedder, remembering: Embedder, modes: Modes, new_id: Callable[[], str]
) -> Guards:
    """The guardrails. `asking` embeds messages; `remembering` embeds the examples, once and for good if it can."""
    tenants = catalogue.tenants
    examples = Examples(remembering, asking, load_examples())
    return Guards(
        tenants=tenants,
        recognizers={slug: Recognizers(_own_words(tenant)) for slug, tenant in tenants.items()},
        modes=modes,
        examples=examples,
        judge=Taught(load_terms(tenants.values()), examples),
        new_id=new_id,
    )


def _own_words(tenant: Tenant) -> frozenset[str]:
    return vocabulary(
        [tenant.title, tenant.exam, *tenant.topics, *(domain.name for domain in tenant.blueprint.domains)]
    )
