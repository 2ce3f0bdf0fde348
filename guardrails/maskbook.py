"""Numbers for masks that all replicas give alike: kept with the conversation, and deleted with it."""

from __future__ import annotations

import hashlib
import hmac
from collections import Counter
from collections.abc import Iterable, Sequence
from dataclasses import dataclass

from guardrails.masks import canonical, own_numbers
from guardrails.pii import SECRET_TYPES, Span
from rag import db
from rag.queries import load_queries

QUERIES = load_queries("maskbook", package="guardrails")
DIGEST = 2
"""Bytes kept of a value's keyed hash: enough to tell apart the few values of a conversation (two of ten are taken for
the same once in 1,400 conversations), too few to find a value from."""

Key = tuple[str, bytes]


@dataclass(frozen=True, slots=True)
class Place:
    """The conversation in which a text was said, and by whom."""

    tenant: str
    conversation: str
    person: str


class MaskBook:
    """Remembers which value has which number. Of a secret nothing is remembered: it is numbered in its text alone."""

    def __init__(self, pool: db.Pool) -> None:
        self._pool = pool

    async def numbers(self, place: Place, text: str, spans: Sequence[Span], earlier: Iterable[str] = ()) -> list[int]:
        """A number for each span. Where the conversation is somebody else's, they count for this text alone."""
        numbers = own_numbers(text, spans, earlier)
        if not place.conversation or all(span.type in SECRET_TYPES for span in spans):
            return numbers
        scope = {"tenant": place.tenant, "conversation": place.conversation, "person": place.person}
        async with db.tenant(self._pool, place.tenant) as conn:
            opened = await (await conn.execute(QUERIES["open"], scope)).fetchone()  # locks the conversation's row
            if opened is None:
                return numbers
            keys = [_key(opened[0], text, span) for span in spans]
            rows = await (await conn.execute(QUERIES["known"], scope)).fetchall()
            known: dict[Key, int] = {(type_, bytes(digest)): number for type_, digest, number in rows}
            new = _new(known, keys)
            for (type_, digest), number in new.items():
                await conn.execute(QUERIES["add"], {**scope, "type": type_, "digest": digest, "number": number})
        kept = known | new
        return [number if key is None else kept[key] for key, number in zip(keys, numbers, strict=True)]


def _key(secret: bytes, text: str, span: Span) -> Key | None:
    if span.type in SECRET_TYPES:
        return None
    value = canonical(text[span.start : span.end]).encode("utf-8", "surrogatepass")
    return span.type, hmac.digest(bytes(secret), value, hashlib.sha256)[:DIGEST]


def _new(known: dict[Key, int], keys: Iterable[Key | None]) -> dict[Key, int]:
    last = Counter({type_: 0 for type_, _ in known})
    for (type_, _), number in known.items():
        last[type_] = max(last[type_], number)
    new: dict[Key, int] = {}
    for key in keys:
        if key is not None and key not in known and key not in new:
            last[key[0]] += 1
            new[key] = last[key[0]]
    return new
