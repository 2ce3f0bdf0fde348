from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest

from eval.transcript_page import OUTDATED, UNJUDGED, as_jsonl, as_page, ruling
from eval.transcripts import Addresses, Asked, Entry, Verdict, load_questions, load_verdicts, stable
from rag.errors import ConfigError

SITE = "http://127.0.0.1:8931"
ADDRESSES = Addresses(SITE, {"t/md/a.md": "https://docs.example/a", "t/md/a.md.html": "https://docs.example/b"})


def answer(text: str = "A sentence. [1]") -> dict[str, Any]:
    return {
        "id": "changes",
        "conversation": "changes",
        "kind": "answer",
        "reason": "none",
        "answer": text,
        "confidence": 0.81234567,
        "citations": [{"number": 1, "source": 0, "url": f"{SITE}/t/md/a.md", "title": "A", "heading": "A > B"}],
        "sources": [{"chunk_id": 7, "url": f"{SITE}/t/md/a.md", "citation": "Guide", "text": "A sentence."}],
    }


def entry(text: str = "A sentence. [1]") -> Entry:
    return Entry("t", Asked("t01", "What?", True), stable(answer(text), ADDRESSES))


def test_each_tenant_has_twenty_questions_of_which_five_are_not_answerable() -> None:
    for questions in load_questions().values():
        assert len(questions) == 20
        assert sum(not asked.answerable for asked in questions) == 5


def test_ids_that_change_at_each_run_are_left_out() -> None:
    kept = stable(answer(), ADDRESSES)
    assert not {"id", "conversation"} & set(kept) and "chunk_id" not in kept["sources"][0]


def test_the_publishers_address_stands_in_place_of_the_sites() -> None:
    kept = stable(answer(f"[b]({SITE}/t/md/a.md.html#x) and [gone]({SITE}/t/md/other.html)"), ADDRESSES)
    assert kept["citations"][0]["url"] == "https://docs.example/a"
    assert kept["answer"] == "[b](https://docs.example/b#x) and gone"


def test_the_sites_address_is_nowhere_in_what_is_written() -> None:
    entries = [entry(f"See {SITE}/t/md/a.md and {SITE}/elsewhere")]
    assert SITE not in as_jsonl(entries) and SITE not in as_page(entries, {})


def test_each_line_of_the_raw_answers_is_an_object_with_the_question() -> None:
    (line,) = as_jsonl([entry()]).splitlines()
    assert json.loads(line)["id"] == "t01"


def test_a_verdict_counts_for_the_answer_that_was_read() -> None:
    read = entry()
    assert ruling(read, {"t01": Verdict("right", "it is", read.digest)}) == "right"
    assert ruling(entry("Another. [1]"), {"t01": Verdict("right", "it is", read.digest)}) == OUTDATED
    assert ruling(read, {}) == UNJUDGED


def test_the_tally_stands_at_the_top() -> None:
    page = as_page([entry()], {"t01": Verdict("partly", "the half of it")})
    assert "| partly | 1 | 1 |" in page.split("## t\n")[0]
    assert "**partly**: the half of it" in page


def test_the_page_shows_the_answer_and_its_sources_titles() -> None:
    page = as_page([entry()], {})
    assert "> A sentence. [1]" in page and "1. [A > B](https://docs.example/a), Guide" in page


def test_a_verdict_of_another_kind_is_named(tmp_path: Path) -> None:
    (tmp_path / "v.yaml").write_text("t01: {verdict: perfect, why: x}\n")
    with pytest.raises(ConfigError, match=r"v\.yaml: t01\.verdict"):
        load_verdicts(tmp_path / "v.yaml")


def test_without_a_file_there_are_no_verdicts(tmp_path: Path) -> None:
    assert load_verdicts(tmp_path / "none.yaml") == {}
