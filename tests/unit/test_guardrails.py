"""What is taken out of a question before anything else sees it, and what is turned away."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from guardrails.clean import clean
from guardrails.guarded import Guarded
from guardrails.limits import LONGEST, Limits
from guardrails.redact import Redaction, redact
from guardrails.rules import PERSONAL, SECRETS, luhn
from rag.types import Answer, Delta, Events, Question

FAKES = {
    "AWS_ACCESS_KEY": "AKIA" + "FAKE" * 4,
    "AWS_SECRET_KEY": "aws_secret_access_key = " + "NotReal/" * 5,
    "GCP_API_KEY": "AIza" + "NotReal" * 5,
    "GCP_OAUTH_TOKEN": "ya29." + "NotReal" * 4,
    "TFC_TOKEN": "FakeFakeFake12.atlasv1." + "NotReal" * 8,
    "VAULT_TOKEN": "hvs." + "NotReal" * 4,
    "GITHUB_TOKEN": "ghp_" + "NotReal" * 5,
    "SLACK_WEBHOOK": "https://hooks.slack.com/services/T0FAKE/B0FAKE/NotReal",
    "SLACK_TOKEN": "xoxb-" + "1234567890-NotReal",
    "DISCORD_WEBHOOK": "https://discord.com/api/webhooks/123456789/NotRealNotReal",
    "DISCORD_TOKEN": "M" + "F" * 23 + ".GFAKEX." + "N" * 30,
    "JWT": "eyJ" + "NotReal" * 3 + ".eyJ" + "NotReal" * 3 + ".NotReal",
    "API_KEY": "sk-" + "proj-" + "NotReal" * 6,
    "PRIVATE_KEY": "-----BEGIN RSA PRIVATE KEY-----\nNotReal\n",
    "PASSWORD": "postgres://anna:NotReal@db.example.com/x",
    "EMAIL": "anna.b+study@mail.example.org",
    "CREDIT_CARD": "4111 1111 1111 1111",
}


@pytest.mark.parametrize("kind", FAKES)
def test_each_kind_is_masked_and_nothing_of_it_is_left(kind: str) -> None:
    redacted = redact(f"help: {FAKES[kind]} what now?")
    assert [span.type for span in redacted.spans] == [kind]
    assert f"[{kind}_1]" in redacted.text and "NotReal" not in redacted.text


@pytest.mark.parametrize(
    "text",
    [
        "arn:aws:iam::123456789012:role/Admin in 10.0.0.0/16, i-0abcd1234ef567890, sha256 9f86d081884c7d65",
        "AKIAIOSFODNN7EXAMPLE is the example of the documentation",
        "terraform-aws-modules/vpc/aws v5.1.2 at 2026-11-30, skip-final-snapshot sk-1, order 4111111111111112",
        "user@localhost, git@, @here, 12:30, 1,000,000 requests",
    ],
)
def test_technical_text_comes_through_unchanged(text: str) -> None:
    assert redact(text).text == text


def test_the_same_value_has_the_same_mask_and_others_have_others() -> None:
    assert redact("a@x.org b@x.org a@x.org").text == "[EMAIL_1] [EMAIL_2] [EMAIL_1]"


async def test_a_secret_brings_a_private_warning_that_does_not_repeat_it() -> None:
    question = await Redaction().screen(Question("t", f"is {FAKES['GITHUB_TOKEN']} ok?"))
    (notice,) = question.notices
    assert notice.private and "rotate" in notice.text and "NotReal" not in notice.text


async def test_an_address_brings_no_warning() -> None:
    assert (await Redaction().screen(Question("t", "mail a@x.org"))).notices == ()


@pytest.mark.parametrize(
    ("number", "valid"), [("4111111111111111", True), ("4111111111111112", False), ("0" * 16, False)]
)
def test_luhn(number: str, valid: bool) -> None:
    assert luhn(number) is valid


@given(st.text(max_size=300))
def test_redacting_again_changes_nothing(text: str) -> None:
    once = redact(text).text
    assert redact(once).text == once


@pytest.mark.parametrize("rule", [*SECRETS, *PERSONAL], ids=lambda rule: rule.type)
@pytest.mark.parametrize("bait", ["a", "1", "A1-", "eyJ", "a.", "@", "-----BEGIN PRIVATE KEY-----", "sk-", "://a:"])
def test_no_rule_is_slow_on_a_megabyte_of_bait(rule: object, bait: str) -> None:
    text = bait * (200_000 // len(bait))
    assert sum(1 for _ in rule.pattern.finditer(text)) >= 0  # type: ignore[attr-defined]


@given(st.text(max_size=200))
def test_cleaned_text_can_be_stored_and_is_stable(text: str) -> None:
    cleaned = clean(text)
    assert "\x00" not in cleaned
    cleaned.encode("utf-8")
    assert clean(cleaned) == cleaned


def test_hidden_characters_go_and_emoji_stay_whole() -> None:
    assert clean("ig\u200bno\u202ere \ud800\U000e0041") == "ignore"
    assert clean("👩\u200d💻 works") == "👩\u200d💻 works"


class Echo:
    """An answerer that says what it was asked."""

    async def answer(self, question: Question) -> Events:
        yield Delta(question.text)
        yield Answer("1", "answer", "none", question.text, question.text, notices=question.notices)


async def asked(text: str) -> list[object]:
    guarded = Guarded(Echo(), [Redaction(), Limits(lambda: "1")])
    return [event async for event in guarded.answer(Question("t", text))]


async def test_what_passes_the_screens_is_answered_redacted() -> None:
    *_, answer = await asked(f"my key is {FAKES['AWS_ACCESS_KEY']}, rotate how?")
    assert isinstance(answer, Answer) and answer.asked == "my key is [AWS_ACCESS_KEY_1], rotate how?"
    assert answer.notices[0].kind == "secret"


@pytest.mark.parametrize(
    ("text", "reason"), [("", "empty"), (" \u200b\n", "empty"), ("?!", "empty"), ("x" * (LONGEST + 1), "too_long")]
)
async def test_what_is_no_question_is_turned_away_with_its_reason(text: str, reason: str) -> None:
    (answer,) = await asked(text)
    assert isinstance(answer, Answer) and (answer.kind, answer.reason) == ("refusal", reason)
