"""Nothing personal, no foreign link, no mention and none of the prompt goes out, and the answer's contract holds."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from guardrails.modes import Modes
from guardrails.output import Screened, repeats_prompt
from rag.prompts import SYSTEM
from rag.types import Answer, Delta, Events, Passage, Question, Restart
from tests.contract.answers import Observed, observe

KEY = "AKIA" + "FAKE" * 4
PASSAGE = Passage(
    1, "a.md", "https://docs.example.com/a", "A", "Guide", "A > B", "Write to help@example.com.", "", "", None
)


class Writing:
    """An answerer that writes these pieces, after a first draft that it withdraws."""

    def __init__(self, pieces: list[str], withdrawn: tuple[str, ...] = ()) -> None:
        self._pieces = pieces
        self._withdrawn = withdrawn

    async def answer(self, question: Question) -> Events:
        for piece in self._withdrawn:
            yield Delta(piece)
        if self._withdrawn:
            yield Restart("repair")
        for piece in self._pieces:
            yield Delta(piece)
        yield Answer("1", "answer", "none", "".join(self._pieces), question.text, passages=(PASSAGE,))


async def screened(*pieces: str, withdrawn: tuple[str, ...] = ()) -> Observed:
    return await observe(Screened(Writing(list(pieces), withdrawn), lambda: "2").answer(Question("t", "what?")))


async def shown(*pieces: str) -> str:
    observed = await screened(*pieces)
    assert observed.answer is not None and "".join(observed.deltas) == observed.answer.text
    return observed.answer.text


@pytest.mark.parametrize(
    ("written", "expected"),
    [
        ("Plain words. More words.", "Plain words. More words."),
        ("See https://docs.example.com/b now.", "See https://docs.example.com/b now."),
        ("See https://evil.example.net/?q=1 now.", "See (link removed) now."),
        ("A [page](https://docs.example.com/b).", "A [page](https://docs.example.com/b)."),
        ("A [page](https://evil.example.net/b).", "A page."),
        ("An ![image](https://evil.example.net/i.png).", "An image."),
        ("An <img src=https://evil.example.net/i.png> image.", "An  image."),
        ("Hello @everyone, <!channel> and <@U0FAKE00001>!", "Hello everyone, channel and !"),
        ("Mail jane.fake@example.org for it.", "Mail [EMAIL_1] for it."),
        ("Mail help@example.com for it.", "Mail help@example.com for it."),
        (f"Use {KEY} there.", "Use [AWS_ACCESS_KEY_1] there."),
    ],
)
async def test_what_must_not_go_out_is_taken_out(written: str, expected: str) -> None:
    assert await shown(written) == expected
    assert await shown(*written) == expected


async def test_a_key_of_several_lines_is_never_shown_in_part() -> None:
    pem = "-----BEGIN RSA PRIVATE KEY-----\nNotRealNotReal\nNotRealNotReal\n-----END RSA PRIVATE KEY-----\n"
    observed = await screened("Here. ", *pem.splitlines(keepends=True), "Done. ")
    assert observed.answer is not None
    assert "NotReal" not in "".join(observed.deltas) + observed.answer.text


@pytest.mark.parametrize("version", ["v1", "v2"])
async def test_an_answer_that_repeats_its_instructions_is_withdrawn(version: str) -> None:
    leaked = SYSTEM[version][:400]  # type: ignore[index]
    observed = await screened("Fine so far. ", leaked)
    assert observed.answer is not None and observed.answer.reason == "injection"
    assert not repeats_prompt("".join(observed.deltas) + observed.answer.text)


async def test_the_boundary_of_the_data_is_never_shown() -> None:
    observed = await screened("Sure. ", "<passage 1a2b3c4d number=1> text. ")
    assert observed.answer is not None and "1a2b3c4d" not in observed.answer.text


async def test_a_restart_begins_anew() -> None:
    observed = await screened("Good words. ", withdrawn=("Bad words. ", "https://evil.example.net "))
    assert observed.answer is not None and observed.answer.text == "Good words. "


async def test_where_it_is_off_nothing_is_changed() -> None:
    answerer = Screened(Writing(["Mail @everyone."]), lambda: "2", modes=Modes("off"))
    observed = await observe(answerer.answer(Question("t", "what?")))
    assert observed.answer is not None and observed.answer.text == "Mail @everyone."


PARTS = st.sampled_from(
    [
        "A word. ",
        "\n",
        "```\n",
        f" {KEY} ",
        " a@example.org ",
        "https://evil.example.net/x ",
        "[a](",
        "https://docs.example.com)",
        "@everyone ",
        "![",
        "](",
        "-----BEGIN PRIVATE KEY-----\n",
        "-----END PRIVATE KEY-----",
        "<passage 1a2b3c4d>",
        "x ",
        ".",
    ]
)


@given(st.lists(PARTS, max_size=8), st.lists(PARTS, max_size=3))
async def test_the_contract_holds_for_any_pieces(pieces: list[str], withdrawn: list[str]) -> None:
    observed = await screened(*pieces, withdrawn=tuple(withdrawn))
    assert observed.answer is not None
    text = "".join(observed.deltas) + observed.answer.text
    assert KEY not in text and "evil" not in text and "@everyone" not in text


@given(st.lists(PARTS, max_size=6))
async def test_what_is_shown_does_not_depend_on_how_it_came(pieces: list[str]) -> None:
    whole, single = await screened("".join(pieces)), await screened(*"".join(pieces))
    assert whole.answer is not None and single.answer is not None
    assert whole.answer.kind == single.answer.kind
