"""What a question meets before it is answered: cleaned, redacted, limited; the first screen that answers ends it."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from guardrails.clean import clean
from guardrails.guarded import Guarded
from guardrails.limits import LONGEST, Limits
from guardrails.modes import Modes, Switched
from guardrails.redact import Redaction
from rag.types import Answer, Delta, Events, Question

KEY = "AKIA" + "FAKE" * 4


@given(st.text(max_size=200))
def test_cleaned_text_can_be_stored_and_is_stable(text: str) -> None:
    cleaned = clean(text)
    assert "\x00" not in cleaned
    cleaned.encode("utf-8")
    assert clean(cleaned) == cleaned


def test_hidden_characters_go_and_emoji_stay_whole() -> None:
    assert clean("ig\u200bno\u202ere \ud800\U000e0041") == "ignore"
    assert clean("👩\u200d💻 works") == "👩\u200d💻 works"


def test_of_marks_piled_on_a_character_a_few_stay() -> None:
    assert len(clean("a" + "\u0316\u0300" * 50_000)) < 20


class Echo:
    """An answerer that says what it was asked."""

    async def answer(self, question: Question) -> Events:
        yield Delta(question.text)
        yield Answer("1", "answer", "none", question.text, question.text, notices=question.notices)


class Refusing:
    """A screen that turns everything away."""

    async def screen(self, question: Question) -> Answer:
        return Answer("1", "refusal", "off_topic", "No.", question.text)


async def asked(text: str, modes: Modes | None = None) -> list[object]:
    modes = modes or Modes()
    pii = Switched("pii", Redaction(), modes, least=Redaction(secrets_only=True))
    topic = Switched("topic", Refusing(), modes if modes.own else Modes("off"))
    return [event async for event in Guarded(Echo(), [pii, Limits(lambda: "1"), topic]).answer(Question("t", text))]


async def test_what_passes_the_screens_is_answered_redacted() -> None:
    *_, answer = await asked(f"my key is {KEY}, rotate how?")
    assert isinstance(answer, Answer) and answer.asked == "my key is [AWS_ACCESS_KEY_1], rotate how?"
    assert answer.notices[0].kind == "secret" and answer.notices[0].private


@pytest.mark.parametrize(
    ("text", "reason"), [("", "empty"), (" \u200b\n", "empty"), ("?!", "empty"), ("x" * (LONGEST + 1), "too_long")]
)
async def test_what_is_no_question_is_turned_away_with_its_reason(text: str, reason: str) -> None:
    (answer,) = await asked(text)
    assert isinstance(answer, Answer) and (answer.kind, answer.reason) == ("refusal", reason)
    assert len(answer.asked) <= LONGEST


@pytest.mark.parametrize(
    ("mode", "kind", "text"),
    [
        ("enforce", "refusal", "No."),
        ("observe", "answer", "mail a@example.org, key [AWS_ACCESS_KEY_1]"),
        ("off", "answer", f"mail a@example.org, key {KEY}"),
    ],
)
async def test_a_mode_decides_what_becomes_of_a_verdict(mode: str, kind: str, text: str) -> None:
    modes = Modes(own={"t": {"pii": mode, "topic": mode}})  # type: ignore[dict-item]
    *_, answer = await asked(f"mail a@example.org, key {KEY}", modes)
    assert isinstance(answer, Answer) and (answer.kind, answer.text) == (kind, text)


async def test_an_observed_verdict_is_logged_without_anybodys_words(caplog: pytest.LogCaptureFixture) -> None:
    caplog.set_level("INFO")
    await asked("mail a@example.org", Modes(own={"t": {"pii": "observe", "topic": "observe"}}))
    said = [record for record in caplog.records if record.name == "guardrails.modes"]
    assert {(record.screen, record.verdict) for record in said} == {  # type: ignore[attr-defined]
        ("pii", "rewritten"),
        ("topic", "off_topic"),
    }
    assert "example.org" not in caplog.text and not any("example" in str(vars(record)) for record in said)
