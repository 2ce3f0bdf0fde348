"""Sentences end where readers think they do."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from rag.sentences import sentence_starts, split_sentences


@pytest.mark.parametrize(
    "sentences",
    [
        ["Use a class, e.g. Standard.", "It costs money, i.e. more, etc. and so on."],
        ["Version 1.5.7 is out.", "Next comes v2.0."],
        ["See No. 5 in the list.", "The answer is no.", "Try again!"],
        ["Wait ... then go.", "Done."],
        ["Edit main.tf first.", "Then run terraform.exe now."],
        ["He said “stop.”", "She left (at once.)", "Then (see below. There is more) it ended."],
        ["Call `a. B()` now.", "kubectl prints it."],
        ["Read [Part 1. Basics](https://h.example/a.b).", "Go on."],
        ["**Note:** keep it.", "Standard vs. Express queues differ."],
        ["Choose option A.", "J. R. Smith wrote it."],
        ["Is it?", "Yes."],
        ["It is documented.[1]", "So is this."],
        ["第一句。", "第二句！"],
    ],
)
def test_sentences_are_told_from_abbreviations_numbers_and_names(sentences: list[str]) -> None:
    glue = "" if sentences[0].startswith("第") else " "
    assert split_sentences(glue.join(sentences)) == sentences


def test_a_blank_line_ends_a_sentence_and_a_line_end_does_not() -> None:
    assert split_sentences("one\ntwo\n\nthree") == ["one\ntwo", "three"]


def test_the_number_of_a_list_item_is_no_sentence() -> None:
    assert split_sentences("1. Open it. 2. Close it.")[0] == "1. Open it."


@given(st.text(alphabet=st.sampled_from("ab A.!?…()[]`\"'\n 1。“”")))
def test_nothing_but_white_space_is_lost(text: str) -> None:
    assert "".join("".join(split_sentences(text)).split()) == "".join(text.split())
    starts = sentence_starts(text)
    assert starts[0] == 0
    assert starts == sorted(set(starts))
