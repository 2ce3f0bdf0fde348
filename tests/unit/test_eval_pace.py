"""The stand-in for a model's server speaks what OpenAI's library reads, at its pace, and says what may be shown."""

from __future__ import annotations

from contextlib import aclosing

import pytest

from eval.pace import CITED, Pace, answer_tokens, open_pace
from rag.prompts import compose
from rag.providers.openai import load
from rag.released import Piece, Release
from rag.types import Finish, Message, Passage, Question

TEXT = "# Queues\n\nAn Amazon SQS queue hides a received message from other consumers for a while. `x` is short."
PASSAGE = Passage(1, "a.md", "", "Queues", "Notes", "Queues > Hiding", TEXT, "", "", None)
QUICK = Pace(rate=2_000, tokens=60)


def prompt() -> list[Message]:
    return compose("v1", Question("t", "what hides a message?"), [PASSAGE], "boundary")


async def read(url: str, monkeypatch: pytest.MonkeyPatch, messages: list[Message]) -> tuple[str, Finish]:
    monkeypatch.setenv("OPENAI_BASE_URL", url)
    monkeypatch.setenv("OPENAI_API_KEY", "paced")
    model, text, finish = load("paced"), "", None
    async with aclosing(model.stream(messages, max_tokens=100)) as events:
        async for event in events:
            if isinstance(event, Finish):
                finish = event
            else:
                text += event
    await model.aclose()
    assert finish is not None
    return text, finish


async def test_openais_library_reads_the_whole_answer_and_its_usage(monkeypatch: pytest.MonkeyPatch) -> None:
    async with open_pace(QUICK) as url:
        text, finish = await read(url, monkeypatch, prompt())
    assert text == "".join(answer_tokens(prompt()[-1].text, 60))
    assert (finish.stop, finish.usage.output) == ("done", 60)


def test_an_answer_has_its_number_of_tokens_and_repeats_a_cited_sentence_of_the_passage() -> None:
    tokens = list(answer_tokens(prompt()[-1].text, 60))
    assert len(tokens) == 60
    assert "".join(tokens).startswith(
        f"An Amazon SQS queue hides a received message from other consumers for a while{CITED}"
    )


def test_the_output_screen_releases_all_of_an_answer() -> None:
    release, text = Release([PASSAGE], "what hides a message?"), "".join(answer_tokens(prompt()[-1].text, 60))
    shown = [*release.feed(text), *release.finish()]
    assert "".join(piece.text for piece in shown if isinstance(piece, Piece)) == text


def test_a_prompt_without_a_passage_is_answered_too() -> None:
    assert "".join(answer_tokens("hello", 20)).endswith(CITED)


def test_an_answer_takes_as_long_as_its_tokens() -> None:
    assert Pace(rate=40, tokens=60).seconds == 1.5
