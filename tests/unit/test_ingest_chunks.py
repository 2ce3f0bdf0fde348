"""Chunks hold whole things, lose nothing and keep within their bounds."""

from __future__ import annotations

import re

from hypothesis import given, settings
from hypothesis import strategies as st

from ingest.chunk_headings import HeadingChunker
from rag.types import Chunk

SENTENCE = "The bucket keeps every version of an object until a rule removes it. "


def chunks(markdown: str, size: int = 300, title: str = "Guide") -> list[Chunk]:
    return list(HeadingChunker(size).split(title, markdown))


def squeezed(text: str) -> str:
    return re.sub(r"\s", "", text)


def test_the_name_carries_the_size() -> None:
    assert HeadingChunker().name == "headings-1200"


def test_small_sections_share_a_chunk_with_their_headings() -> None:
    (only,) = chunks("# Guide\n\nIntro.\n\n## A\n\nOne.\n\n## B\n\nTwo.")
    assert only.heading == "Guide"
    assert "## A\n\nOne." in only.text


def test_a_section_break_is_preferred_to_filling_up() -> None:
    body = SENTENCE * 3
    first, second = chunks(f"# Guide\n\n## A\n\n{body}\n\n## B\n\n{body}")
    assert (first.heading, second.heading) == ("Guide > A", "Guide > B")
    assert second.text.startswith("## B")


def test_the_heading_path_has_every_level_and_plain_words() -> None:
    markdown = f"# Guide\n\n## The `init` [step](https://h.example)\n\n### Sub *one*\n\n{SENTENCE * 5}"
    assert {chunk.heading for chunk in chunks(markdown)} == {"Guide > The init step > Sub one"}


def test_a_heading_goes_with_what_follows_it() -> None:
    for chunk in chunks(f"# Guide\n\n## A\n\n### B\n\n{SENTENCE * 9}"):
        assert not re.fullmatch(r"(#+ \w+\s*)+", chunk.text)


def test_a_line_that_leads_in_goes_with_its_list() -> None:
    items = "".join(f"- item {n} of the list\n" for n in range(10))
    found = chunks(f"## A\n\n{SENTENCE * 3}\n\nDo the following:\n\n{items}")
    assert next(chunk for chunk in found if "item 0" in chunk.text).text.startswith("Do the following:")


def test_an_overlong_paragraph_is_cut_at_the_ends_of_sentences() -> None:
    found = chunks(SENTENCE * 20)
    assert len(found) > 3
    assert all(chunk.text.endswith("it.") and chunk.text.startswith("The") for chunk in found)


def test_an_overlong_table_repeats_its_header() -> None:
    rows = "".join(f"| name-{n} | {n} GiB |\n" for n in range(60))
    found = chunks(f"| Name | Size |\n| --- | --- |\n{rows}")
    assert len(found) > 2
    assert all(chunk.text.startswith("| Name | Size |\n| --- | --- |\n") for chunk in found)
    assert [line for chunk in found for line in chunk.text.split("\n")[2:]] == rows.strip().split("\n")


def test_an_overlong_fence_is_closed_and_opened_again_with_its_language() -> None:
    lines = "".join(f"  line_{n} = {n}\n" for n in range(60))
    found = chunks(f"```hcl\n{lines}```\n")
    assert len(found) > 2
    assert all(chunk.text.startswith("```hcl\n") and chunk.text.endswith("\n```") for chunk in found)


def test_a_fence_in_a_list_item_keeps_its_indentation_when_it_is_cut() -> None:
    lines = "".join(f"  line_{n} = {n}\n" for n in range(60))
    for chunk in chunks(f"- ```sh\n{lines}  ```\n")[1:]:
        assert chunk.text.startswith("  ```sh\n")


def test_an_overlong_list_is_cut_between_its_items() -> None:
    items = "".join(f"- item {n} has a few words of its own\n" for n in range(40))
    assert all(chunk.text.startswith("- item") for chunk in chunks(items))


def test_a_megabyte_without_a_space_is_cut_after_twice_the_size() -> None:
    found = chunks("x" * 1_000_000, size=1200)
    assert {len(chunk.text) for chunk in found[:-1]} == {2400}
    assert sum(len(chunk.text) for chunk in found) == 1_000_000


def test_empty_text_has_no_chunks() -> None:
    assert chunks(" \n\n ") == []


WORDS = st.lists(
    st.sampled_from(["bucket", "rule.", "e.g.", "a", "policy:", "x" * 90, "`code`"]), min_size=1, max_size=60
)
PROSE = WORDS.map(" ".join)
HEADING = st.tuples(st.integers(1, 4), st.sampled_from(["Alpha", "Beta", "Gamma"])).map(
    lambda h: "#" * h[0] + " " + h[1]
)
LIST = st.lists(PROSE, min_size=1, max_size=8).map(lambda items: "\n".join(f"- {item}" for item in items))
FENCE = st.lists(WORDS.map(" ".join), max_size=20).map(lambda lines: "\n".join(["```tf", *lines, "```"]))
TABLE = st.lists(st.sampled_from(["one", "two words", "y" * 70]), max_size=30).map(
    lambda cells: "\n".join(["| A | B |", "| --- | --- |", *(f"| {cell} | b |" for cell in cells)])
)
PLAIN = st.lists(st.one_of(HEADING, PROSE, LIST), max_size=12).map("\n\n".join)
FRAMED = st.lists(st.one_of(HEADING, PROSE, LIST, FENCE, TABLE), max_size=12).map("\n\n".join)


def is_within(part: str, whole: str) -> bool:
    rest = iter(whole)
    return all(character in rest for character in part)


@settings(max_examples=60, deadline=None)
@given(PLAIN)
def test_without_frames_the_chunks_joined_are_the_text(markdown: str) -> None:
    assert squeezed("".join(chunk.text for chunk in chunks(markdown))) == squeezed(markdown)


@settings(max_examples=60, deadline=None)
@given(FRAMED)
def test_with_tables_and_fences_no_text_is_lost_and_fences_stay_even(markdown: str) -> None:
    found = chunks(markdown)
    assert is_within(squeezed(markdown), squeezed("".join(chunk.text for chunk in found)))
    for chunk in found:
        assert sum(line.startswith("```") for line in chunk.text.split("\n")) % 2 == 0


@settings(max_examples=100, deadline=None)
@given(
    st.one_of(FRAMED, st.text(max_size=2000), st.text(alphabet="#-*>`~|: \n1.ab", max_size=2000)), st.integers(40, 400)
)
def test_any_text_is_split_within_bounds_in_order_and_always_alike(markdown: str, size: int) -> None:
    found = chunks(markdown, size)
    assert found == chunks(markdown, size)
    assert [chunk.ordinal for chunk in found] == list(range(len(found)))
    assert all(0 < len(chunk.text) <= 2 * size and chunk.text.strip() for chunk in found)
