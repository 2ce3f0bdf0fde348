"""Secrets and personal data are found wherever they stand, and what is technical stays as it is."""

from __future__ import annotations

import itertools
import json
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from guardrails.checks import iban, luhn
from guardrails.folded import fold
from guardrails.masks import escape_masks
from guardrails.pii import Recognizers
from guardrails.redact import Redaction, redact
from guardrails.vocabulary import vocabulary
from rag.types import Question, Turn

SECRETS = {
    "AWS_ACCESS_KEY": "AKIA" + "FAKE" * 4,
    "AWS_SECRET_KEY": "aws_secret_access_key = " + "NotReal/" * 4 + "NotReal7",
    "GCP_API_KEY": "AIza" + "NotReal" * 5,
    "GCP_OAUTH_TOKEN": "ya29." + "NotReal" * 4,
    "GCP_SA_KEY": '{"type": "service_account", "private_key": "NotReal"}',
    "TFC_TOKEN": "FakeFakeFake12.atlasv1." + "NotReal" * 8,
    "VAULT_TOKEN": "hvs." + "NotReal" * 4,
    "GITHUB_TOKEN": "ghp_" + "NotReal" * 5,
    "SLACK_WEBHOOK": "https://hooks.slack.com/services/T0FAKE0/B0FAKE0/NotReal",
    "SLACK_TOKEN": "xoxb-" + "1234567890-NotReal",
    "DISCORD_WEBHOOK": "https://discord.com/api/webhooks/123456789/NotRealNotReal",
    "DISCORD_TOKEN": "M" + "F" * 23 + ".GFAKEX." + "N" * 30,
    "JWT": "eyJ" + "NotReal" * 3 + ".eyJ" + "NotReal" * 3 + ".NotReal",
    "API_KEY": "sk-" + "proj-" + "NotReal" * 6,
    "PRIVATE_KEY": "-----BEGIN RSA PRIVATE KEY-----\nNotRealNotReal\n-----END RSA PRIVATE KEY-----",
    "PASSWORD": "postgres://anna:NotReal@db.example.com/x",
}
PERSONAL = {
    "EMAIL": "anna.b+study@mail.example.org",
    "PHONE": "+49 30 23125 000",
    "CREDIT_CARD": "4111 1111 1111 1111",
    "IBAN": "GB82 WEST 1234 5698 7654 32",
    "PERSON": "my name is Wilma Beispielova",
    "DATE_OF_BIRTH": "born on 3 May 1990",
    "NATIONAL_ID": "ssn 900-00-0001",
    "PASSPORT": "passport number X0000000",
    "CANDIDATE_ID": "candidate id AWS00000001",
    "VOUCHER_CODE": "voucher FAKE-0000-TEST-1",
    "ADDRESS": "ship it to 1 Nowhere Street, Faketown, NY 00000",
    "IP_ADDRESS": "my home ip is 198.51.100.23",
}
TECHNICAL = [
    "arn:aws:iam::123456789012:role/Admin in 10.0.0.0/16, i-0abcd1234ef567890, sha256 9f86d081884c7d65",
    "AKIAIOSFODNN7EXAMPLE is the example of the documentation",
    "terraform-aws-modules/vpc/aws v5.1.2 at 2026-11-30, skip-final-snapshot sk-1, order 4111111111111112",
    "user@localhost, git@, @here, 12:30, 1,000,000 requests",
    "password = var.db_password, PGPASSWORD=$PGPASSWORD and --password=[PASSWORD]",
    "I'm Solutions Architect by title, is Deep Archive cheaper than Glacier?",
    "source = git@github.com:example/vpc.git, 123456789012-compute@developer.gserviceaccount.com",
]


@pytest.mark.parametrize("kind", SECRETS)
def test_each_secret_is_masked_and_nothing_of_it_is_left(kind: str) -> None:
    redacted = redact(f"help: {SECRETS[kind]} what now?")
    assert [span.type for span in redacted.spans] == [kind]
    assert f"[{kind}_1]" in redacted.text and "NotReal" not in redacted.text


@pytest.mark.parametrize("kind", SECRETS)
def test_secrets_are_found_in_code_too(kind: str) -> None:
    assert kind in {span.type for span in redact(f"```\n{SECRETS[kind]}\n```").spans}


@pytest.mark.parametrize("kind", PERSONAL)
def test_personal_data_is_masked(kind: str) -> None:
    assert [span.type for span in redact(f"hello, {PERSONAL[kind]}, thanks").spans] == [kind]


@pytest.mark.parametrize("text", TECHNICAL)
def test_technical_text_comes_through_unchanged(text: str) -> None:
    assert redact(text).text == text


def test_c16_product_names_pass_and_personal_data_is_masked(shared: Path) -> None:
    case = json.loads((shared / "cases/chat/files/c16-technical-terms.json").read_text(encoding="utf-8"))
    assert [redact(text).text for text in case["keep"]] == case["keep"]
    mail, call = (redact(text).text for text in case["mask"])
    assert mail == "My mail is [EMAIL_1], why is my exam locked?"
    assert call == "Call me at [PHONE_1] about voucher [CREDIT_CARD_1]"


def test_the_same_value_has_the_same_mask_however_it_is_written() -> None:
    assert redact("a@x.org b@x.org A@x.org").text == "[EMAIL_1] [EMAIL_2] [EMAIL_1]"


async def test_numbers_go_on_from_the_masks_of_the_conversation() -> None:
    question = Question("t", "now b@x.org", (Turn("my mail is [EMAIL_2]", "ok"),))
    assert (await Redaction().screen(question)).text == "now [EMAIL_3]"


def test_a_typed_mask_is_none_and_no_character_moves() -> None:
    typed = "[EMAIL_1] and [AWS_ACCESS_KEY_12] and [a](b) and [1]"
    assert escape_masks(typed) == "(EMAIL_1) and (AWS_ACCESS_KEY_12) and [a](b) and [1]"
    assert len(escape_masks(typed)) == len(typed)


@pytest.mark.parametrize("hidden", ["lena\u200b.h@example\u200b.org", "ｌｅｎａ@example.org", "lena@exam\u00adple.org"])
def test_spans_count_the_code_points_of_what_was_written(hidden: str) -> None:
    (span,) = Recognizers().find(f"x {hidden} y")
    assert (span.start, span.end) == (2, 2 + len(hidden))


@given(st.text(max_size=120))
def test_every_folded_character_knows_where_it_came_from(text: str) -> None:
    folded = fold(text)
    for at in range(len(folded.text)):
        start, end = folded.original(at, at + 1)
        assert 0 <= start < end <= len(text)


@given(st.text(max_size=300))
def test_redacting_again_changes_nothing(text: str) -> None:
    once = redact(text).text
    assert redact(once).text == once


@given(st.lists(st.sampled_from([*SECRETS.values(), *PERSONAL.values(), *TECHNICAL, ", ", "\n"]), max_size=5))
def test_spans_never_overlap_and_stay_in_order(parts: list[str]) -> None:
    text = " ".join(parts)
    ends = [(span.start, span.end) for span in Recognizers().find(text)]
    assert all(0 <= start < end <= len(text) for start, end in ends)
    assert all(first[1] <= second[0] for first, second in itertools.pairwise(ends))


def test_a_tenants_own_words_are_no_name() -> None:
    text = "I am Quarkwerk Flux certified"
    assert redact(text).spans
    assert not redact(text, Recognizers(vocabulary(["Quarkwerk Flux"]))).spans


def test_the_vocabulary_holds_titles_and_what_texts_repeat() -> None:
    words = vocabulary(["Cloud SQL"], ["See Ground Station. The Ground Station and Lone Wolf."])
    assert {"cloud", "sql", "ground", "station"} <= words and "lone" not in words


async def test_a_secret_brings_a_private_warning_that_does_not_repeat_it() -> None:
    question = await Redaction().screen(Question("t", f"is {SECRETS['GITHUB_TOKEN']} ok?"))
    (notice,) = question.notices
    assert notice.private and "rotate" in notice.text and "NotReal" not in notice.text


async def test_an_address_brings_no_warning() -> None:
    assert (await Redaction().screen(Question("t", "mail a@x.org"))).notices == ()


@pytest.mark.parametrize(
    ("number", "valid"), [("4111111111111111", True), ("4111111111111112", False), ("0" * 16, False)]
)
def test_luhn(number: str, valid: bool) -> None:
    assert luhn(number) is valid


@pytest.mark.parametrize(
    ("number", "valid"),
    [("NL91ABNA0417164300", True), ("NL91ABNA0417164301", False), ("XX91ABNA0417164300", False), ("NL91", False)],
)
def test_iban(number: str, valid: bool) -> None:
    assert iban(number) is valid
