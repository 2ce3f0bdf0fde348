"""The figures of the benchmark with a language model, on durations made by hand."""

from __future__ import annotations

import asyncio
import os

import pytest

from eval.bench_chat import ChatBench, Load, Pair, Said, Timed, provider_at, side_by_side
from eval.bench_chat_page import MIB, as_table
from eval.pace import Pace
from rag.types import Answer, AnswerKind, Notice, Question

LOAD = Load(8, 4, tuple(Pair(Timed(0.5 + n / 100, 1.6 + n / 100), Timed(0.4, 1.5)) for n in (1, 2, 3)))


def said(kind: AnswerKind = "answer", *, restarted: bool = False, notices: tuple[Notice, ...] = ()) -> Said:
    answer = Answer("id", kind, "none", "Words [1].", "why?", notices=notices)
    return Said(Question("t", "why?"), answer, Timed(0.1, 0.2), restarted)


def test_what_is_added_is_the_difference_to_the_raw_stream_answer_by_answer() -> None:
    added = LOAD.spread(lambda pair: pair.product.end - pair.raw.end)
    assert (added.n, round(added.p50)) == (3, 120)


def test_the_table_has_a_column_a_load_and_says_pace_memory_and_command() -> None:
    table = as_table(ChatBench("the starter notes", (LOAD,), 200 * MIB, 210 * MIB), Pace())
    assert "| answers, of questions asked | 3 of 4 |" in table
    assert "| added before the first sentence | 120 / 129 ms |" in table
    assert "200 MiB before" in table and "1500 ms" in table and "certcoach eval bench-chat" in table


@pytest.mark.parametrize(
    ("each", "written"),
    [
        (said(), True),
        (said("unknown"), False),
        (said(restarted=True), False),
        (said(notices=(Notice("provider", "quotes"),)), False),
    ],
)
def test_only_answers_that_the_model_wrote_to_the_end_are_measured(each: Said, written: bool) -> None:
    assert each.is_written is written


async def test_no_more_than_so_many_are_at_work_and_outcomes_keep_their_order() -> None:
    busy, most = 0, 0

    async def work(item: int) -> int:
        nonlocal busy, most
        busy += 1
        most = max(most, busy)
        await asyncio.sleep(0)
        busy -= 1
        return -item

    assert await side_by_side(work, range(9), 3) == [-item for item in range(9)]
    assert most == 3


def test_the_providers_address_is_set_for_a_while_only(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("OPENAI_API_KEY", "own")
    monkeypatch.delenv("OPENAI_BASE_URL", raising=False)
    with provider_at("http://127.0.0.1:1/v1"):
        assert os.environ["OPENAI_BASE_URL"] == "http://127.0.0.1:1/v1"
    assert "OPENAI_BASE_URL" not in os.environ and os.environ["OPENAI_API_KEY"] == "own"
