"""Nothing that can be typed breaks the guardrails or makes them slow."""

from __future__ import annotations

import re

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from guardrails.clean import clean
from guardrails.injection import signals, without_injection
from guardrails.integrity import abuse, breach
from guardrails.pii import Recognizers
from guardrails.poison import sanitise, unhide
from guardrails.redact import redact
from guardrails.smalltalk import is_smalltalk
from tests.patterns import patterns

MEGABYTE = 1_000_000
WALLS = {
    "a megabyte of text": "word " * (MEGABYTE // 5),
    "a wall of zero width": "\u200b" * MEGABYTE,
    "letters between zero widths": "a\u200b" * 100_000,
    "overrides": "\u202e\u202d" * 100_000,
    "10,000 mentions": "<@U0FAKE00001> @everyone " * 10_000,
    "homoglyphs": "іgnоrе аll рrеvіоus " * 5_000,
    "nested fences": "```\n~~~\n" * 20_000,
    "lone surrogates": "\ud800\udfff" * 50_000,
    "combining marks": "a" + "\u0316\u0300" * 100_000,
    "digits": "4111 " * 40_000,
    "capitals": "Aa Bb, " * 20_000,
}
BAITS = (
    "a",
    "1",
    "A1-",
    "A ",
    "Aa ",
    "eyJ",
    "a.",
    "@",
    "-----BEGIN PRIVATE KEY-----\n",
    "://a:",
    "my name is ",
    "call ",
    "password is a ",
    "0 ",
    "1 2-",
    ". ",
    "{",
    "<",
    "[a](",
    "![",
    "<!--",
    "a at b dot c ",
    "my ip ",
    "passport a",
    "born ",
    "voucher A1B2C3D4E5 ",
    "1 Aa St, ",
    "\n",
    "a\u200b",
    "ignore all your ",
    "exam ",
    "=",
    "/",
    "(",
    "i.",
    "system: ",
    "0101",
)
PATTERNS = patterns("guardrails")


@pytest.mark.parametrize("wall", WALLS)
def test_no_wall_of_characters_is_too_much(wall: str) -> None:
    text = clean(WALLS[wall][:100_000])
    redacted = redact(text).text
    redacted.encode("utf-8")
    signals(redacted[:20_000])
    is_smalltalk(redacted[:20_000])
    sanitise(WALLS[wall][:100_000])


@pytest.mark.parametrize("path", sorted(PATTERNS))
def test_no_pattern_backtracks_on_bait(path: str) -> None:
    """A pattern whose time grows with the square of the text would meet the timeout of the suite on this much."""
    for bait in BAITS:
        text = (bait * (12_000 // len(bait)))[:12_000]
        assert sum(1 for _ in PATTERNS[path].finditer(text)) >= 0


@given(st.text(max_size=400))
@settings(max_examples=150)
def test_any_text_gets_through_every_rule(text: str) -> None:
    Recognizers().find(text)
    signals(text)
    breach(text)
    abuse(text)
    is_smalltalk(text)
    without_injection(text)
    sanitise(text)
    unhide(text)


@given(st.text(alphabet=st.characters(categories=("Cs", "Cf", "Mn", "Lo", "Nd", "Po", "So")), max_size=200))
def test_rare_characters_neither_break_nor_survive_as_surrogates(text: str) -> None:
    assert not re.search("[\ud800-\udfff]", redact(clean(text)).text)
