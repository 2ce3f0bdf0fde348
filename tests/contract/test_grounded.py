"""What a learner sees of a language model, whatever it does: checked sentences, or the documents' own words."""

from __future__ import annotations

from collections.abc import AsyncGenerator, Mapping, Sequence
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from rag.errors import ProviderError, Rejected, Unavailable
from rag.extractive import ExtractiveAnswerer
from rag.grounded import GroundedAnswerer
from rag.types import Answer, Delta, Finish, Message, Question, Restart, Turn, Usage
from tests.contract.answers import observe
from tests.contract.test_answers import Found, passage, reader
from tests.fakes import ScriptedChat, Step

TEXT = "Amazon S3 stores objects in buckets. A bucket lives in one Region. CloudFront waits for 30 seconds."
GOOD = "Buckets hold the objects of Amazon S3 [1]. CloudFront waits for 30 seconds [1]."


def finish(stop: str = "done") -> Finish:
    return Finish(stop, Usage("scripted", 100, 10, 0.001))  # type: ignore[arg-type]


class BreaksOff(ScriptedChat):
    """A chat model whose stream just ends."""

    async def stream(
        self, messages: Sequence[Message], *, max_tokens: int, schema: Mapping[str, Any] | None = None
    ) -> AsyncGenerator[str | Finish, None]:
        async for event in super().stream(messages, max_tokens=max_tokens, schema=schema):
            if isinstance(event, str):
                yield event


def pieces(text: str, size: int = 7) -> list[str]:
    return [text[start : start + size] for start in range(0, len(text), size)]


def answerer(*models: ScriptedChat, covered: bool = True) -> GroundedAnswerer:
    reading = reader(Found((passage(0, TEXT), passage(1, "Gateways are regional."))), covered=covered)
    quoting = ExtractiveAnswerer(reading, lambda: "quoted")
    return GroundedAnswerer(reading, models, quoting, "v1", lambda: "written1234")


async def asked(*models: ScriptedChat, covered: bool = True) -> tuple[list[object], Answer]:
    question = Question("t", "How long does CloudFront wait?")
    events: list[object] = [event async for event in answerer(*models, covered=covered).answer(question)]
    observed = await observe(answerer(*models, covered=covered).answer(question))
    assert observed.answer is not None
    return events, observed.answer


def notices(answer: Answer) -> set[str]:
    return {notice.kind for notice in answer.notices}


async def test_a_good_draft_is_streamed_sentence_by_sentence_with_its_citation_and_cost() -> None:
    events, answer = await asked(ScriptedChat([*pieces(GOOD), finish()]))
    assert [event.text for event in events if isinstance(event, Delta)] == [
        "Buckets hold the objects of Amazon S3 [1]. ",
        "CloudFront waits for 30 seconds [1].",
    ]
    assert answer.text == GOOD and answer.kind == "answer"
    assert [citation.number for citation in answer.citations] == [1]
    assert answer.usage == Usage("scripted", 100, 10, 0.001)
    assert len(answer.passages) == 2, "the passages of the prompt are the passages returned"


@pytest.mark.parametrize(
    "bad",
    [
        "CloudFront waits for 99 seconds [1].",
        "Gateways cost money every hour [9].",
        "Gateways cost money every single hour.",
        "Ping @everyone about `rm -rf /everything` now [1].",
    ],
)
async def test_an_unsupported_draft_is_never_shown_and_repaired_once(bad: str) -> None:
    model = ScriptedChat([*pieces(GOOD + " " + bad), finish()], [*pieces(GOOD), finish()])
    events = [event async for event in answerer(model).answer(Question("t", "How long?"))]
    shown = "".join(event.text for event in events if isinstance(event, Delta))
    assert bad not in shown and [event.reason for event in events if isinstance(event, Restart)] == ["repair"]
    assert isinstance(events[-1], Answer) and events[-1].text == GOOD
    assert "withheld" in model.calls[1].messages[-1].text
    assert events[-1].usage == Usage("scripted", 200, 20, 0.002), "both drafts are on the bill"


async def test_a_model_that_stays_unsupported_is_replaced_by_quotes() -> None:
    _, answer = await asked(ScriptedChat([*pieces("CloudFront waits for 99 seconds [1]. "), finish()]))
    assert answer.kind == "answer" and "CloudFront waits for 30 seconds. [1]" in answer.text
    assert notices(answer) == {"provider"}


@pytest.mark.parametrize("error", [Unavailable("overloaded"), Rejected("bad key")])
@given(index=st.integers(0, len(pieces(GOOD))))
async def test_a_fault_at_any_delta_ends_in_quotes_with_a_note(error: ProviderError, index: int) -> None:
    script: list[Step] = [*pieces(GOOD)[:index], error]
    events = [event async for event in answerer(ScriptedChat(script)).answer(Question("t", "How long?"))]
    observed = await observe(answerer(ScriptedChat(script)).answer(Question("t", "How long?")))
    restarts = [event.reason for event in events if isinstance(event, Restart)]
    first = next((place for place, event in enumerate(events) if isinstance(event, Restart)), 0)
    assert restarts == (["provider"] if any(isinstance(event, Delta) for event in events[:first]) else [])
    assert observed.answer is not None and notices(observed.answer) == {"provider"}
    assert observed.answer.kind == "answer" and "overloaded" not in observed.answer.text


@given(index=st.integers(0, len(pieces(GOOD))))
async def test_a_fault_at_any_delta_goes_to_the_fallback_model_first(index: int) -> None:
    first = ScriptedChat([*pieces(GOOD)[:index], Unavailable("away")])
    observed = await observe(answerer(first, ScriptedChat([GOOD, finish()])).answer(Question("t", "How long?")))
    assert observed.answer is not None and observed.answer.text == GOOD and notices(observed.answer) == set()


async def test_a_stream_that_breaks_off_without_an_end_is_a_failure() -> None:
    _, answer = await asked(BreaksOff(pieces(GOOD)))
    assert notices(answer) == {"provider"}


@pytest.mark.parametrize("stop", ["done", "other", "refusal"])
async def test_c15_a_draft_without_text_is_tried_once_more_and_then_quoted(stop: str) -> None:
    model = ScriptedChat([finish(stop)])
    events = [event async for event in answerer(model).answer(Question("t", "How long?"))]
    assert len(model.calls) == 2
    assert isinstance(events[-1], Answer) and notices(events[-1]) == {"provider"}


async def test_c14_a_cut_draft_ends_with_a_whole_sentence_and_says_so() -> None:
    _, answer = await asked(
        ScriptedChat([*pieces("CloudFront waits for 30 seconds [1]. Buckets hold ob"), finish("length")])
    )
    assert answer.text.rstrip() == "CloudFront waits for 30 seconds [1]." and notices(answer) == {"cut"}


async def test_c14_a_draft_cut_in_its_first_sentence_is_tried_with_more_room() -> None:
    model = ScriptedChat(["CloudFront waits for", finish("length")], [GOOD, finish()])
    events = [event async for event in answerer(model).answer(Question("t", "How long?"))]
    assert isinstance(events[-1], Answer) and events[-1].text == GOOD
    assert model.calls[1].max_tokens == 2 * model.calls[0].max_tokens


@pytest.mark.parametrize("size", [1, 4, 100])
async def test_a_model_that_declines_gives_an_unknown_with_what_is_missing(size: int) -> None:
    script: list[Step] = [*pieces("NOT COVERED: The passages say nothing of prices.", size), finish()]
    events, answer = await asked(ScriptedChat(script))
    assert not [event for event in events if isinstance(event, Delta)]
    assert answer.kind == "unknown" and "The passages say nothing of prices." in answer.text


async def test_below_the_gate_no_model_is_asked() -> None:
    model = ScriptedChat([GOOD, finish()])
    _, answer = await asked(model, covered=False)
    assert answer.reason == "not_covered" and model.calls == []


async def test_a_leaked_prompt_is_not_shown() -> None:
    from rag.prompts import SYSTEM

    _, answer = await asked(ScriptedChat([*pieces(SYSTEM["v1"]), finish()]))
    assert "Answer from the passages alone" not in answer.text


async def test_passages_and_question_are_delimited_by_an_unguessable_boundary() -> None:
    model = ScriptedChat([GOOD, finish()])
    await asked(model)
    prompt = model.calls[0].messages[-1].text
    assert prompt.count("<passage written1 number=1>") == 1 and prompt.endswith("</question written1>")
    assert model.calls[0].messages[0].role == "system"


async def test_earlier_turns_go_into_the_prompt() -> None:
    model = ScriptedChat([GOOD, finish()])
    question = Question("t", "And how long?", (Turn("What is S3?", "A store [1]."),))
    assert [event async for event in answerer(model).answer(question)]
    assert [message.text for message in model.calls[0].messages[1:3]] == ["What is S3?", "A store [1]."]
