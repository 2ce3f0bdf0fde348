"""What is said to somebody whose message is not searched for: short, friendly, with what to do instead."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from types import MappingProxyType
from typing import Literal

from rag.types import Reason, Tenant

Label = Literal["answer", "smalltalk", "wrong_tenant", "off_topic", "exam_integrity", "injection"]

REASONS: Mapping[Label, Reason] = MappingProxyType(
    {
        "answer": "none",
        "smalltalk": "smalltalk",
        "wrong_tenant": "other_tenant",
        "off_topic": "off_topic",
        "exam_integrity": "exam_integrity",
        "injection": "injection",
    }
)
"""The reason of an answer by the label of a message."""

STANDARD: Mapping[str, str] = MappingProxyType(
    {
        "smalltalk": "Hi! Ask me anything about {title}: {topics}, …",
        "thanks": "You're welcome! I'm here for more about {title}.",
        "wrong_tenant": "That sounds like {other}. Its channel is the place to ask; here it is {title}.",
        "off_topic": "That's outside of what I know: {title}. I can help with {topics}, …",
        "abuse": "Let's keep it friendly. I can help with {title}.",
        "exam_integrity": "I don't help with real exam items or during an exam: it would cost you the certificate,"
        " and the others theirs. A practice question instead? Name a topic, such as {topics}.",
        "injection": "I only answer questions about {title}. What would you like to know?",
    }
)
"""The words by label. {title} is the tenant's title, {topics} are three of its topics, {other} is another's title."""
TOPICS = 3


@dataclass(frozen=True, slots=True)
class Wordings:
    """The words for each label, and for tenants that have their own."""

    own: Mapping[str, Mapping[str, str]] = field(default_factory=dict)

    def say(self, key: str, tenant: Tenant, other: Tenant | None = None) -> str:
        """The words for a label in a tenant's channel."""
        template = self.own.get(tenant.slug, {}).get(key, STANDARD[key])
        topics = ", ".join(tenant.topics[:TOPICS])
        return template.format(
            title=tenant.title, topics=topics, other=other.title if other else "another channel's subject"
        )
