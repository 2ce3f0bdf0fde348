"""The API's keys: who a key stands for, and which tenants that caller may see."""

from __future__ import annotations

import re
from collections.abc import Iterable
from dataclasses import dataclass
from hashlib import sha256
from hmac import compare_digest

from rag.errors import ConfigError

EVERY = "*"
"""In the place of a tenant: all of them."""
REMEDY = "Make one with: python3 -c 'import secrets; print(\"*:\" + secrets.token_urlsafe(32))'"

_SECRET = re.compile(r"[A-Za-z0-9._~+/-]+=*")  # what may follow "Bearer": RFC 6750, 2.1


@dataclass(frozen=True, slots=True)
class Caller:
    """Somebody who asks: the name for their conversations and limits, and the tenants they may see (None: all)."""

    person: str
    tenants: frozenset[str] | None = None

    @property
    def sees_all(self) -> bool:
        return self.tenants is None

    def sees(self, tenant: str) -> bool:
        """Whether the tenant exists for this caller."""
        return self.tenants is None or tenant in self.tenants


LOCAL = Caller("local")
"""Whoever asks a server that has no keys, because it listens to its own machine only."""
STRANGER = Caller("", frozenset())
"""Whoever brings no key to a server that has some."""


@dataclass(frozen=True, slots=True)
class Key:
    """What is kept of a key: the tenant it opens, and its SHA-256."""

    tenant: str
    digest: bytes


@dataclass(frozen=True, slots=True)
class Keys:
    """All keys of a server; a key that is listed for several tenants opens each of them."""

    entries: tuple[Key, ...] = ()

    def __bool__(self) -> bool:
        return bool(self.entries)

    def caller(self, secret: str) -> Caller | None:
        """Whoever holds that key, or None; it takes the same time whichever key it is, if any."""
        digest = sha256(secret.encode()).digest()
        opened = [key.tenant for key in self.entries if compare_digest(key.digest, digest)]
        if not opened:
            return None
        return Caller(f"key:{digest.hex()[:12]}", None if EVERY in opened else frozenset(opened))


KEYLESS = Keys()


def parse_keys(text: str, tenants: Iterable[str]) -> Keys:
    """The keys of `CERTCOACH_API_KEYS`, "tenant:key,tenant:key".

    Raises ConfigError, which counts the entries instead of quoting them: they are secret.
    """
    known = (EVERY, *tenants)
    entries = [entry.strip() for entry in text.split(",") if entry.strip()]
    return Keys(tuple(_key(entry, number, known) for number, entry in enumerate(entries, 1)))


def _key(entry: str, number: int, known: tuple[str, ...]) -> Key:
    tenant, _, secret = entry.partition(":")
    if not _SECRET.fullmatch(secret):
        raise ConfigError(
            f"CERTCOACH_API_KEYS: entry {number} is not tenant:key, with a key of letters, digits and . _ ~ + / - =. "
            + REMEDY
        )
    if tenant not in known:
        raise ConfigError(
            f"CERTCOACH_API_KEYS: entry {number} names no tenant. Tenants: {', '.join(known)} ({EVERY} opens all)."
        )
    return Key(tenant, sha256(secret.encode()).digest())
