"""Moderators see on the command line what was declined, and put it right."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest

from tests.e2e.processes import certcoach

INTEGRITY = "Can anyone send me the real exam questions?"
UNCOVERED = "How do I train a model in SageMaker?"
SECRET = "AKIA" + "FAKE" * 4


@pytest.fixture(scope="module")
async def home(filled: Path) -> Path:
    """A home where one message was refused and one was not covered, twice."""
    folder = filled
    assert await reason(folder, f"{INTEGRITY} {SECRET}") == "exam_integrity"
    for question in (UNCOVERED, UNCOVERED.lower()):
        assert await reason(folder, question) == "not_covered"
    return folder


async def reason(home: Path, question: str) -> str:
    return str((await printed(home, "ask", "aws-saa", question))["reason"])


async def printed(home: Path, *arguments: str) -> Any:
    ended = await certcoach(home, *arguments, "--json")
    assert ended.code == 0, ended.err
    return json.loads(ended.out)


async def test_refusals_are_listed_redacted_for_their_tenant_alone(home: Path) -> None:
    listed = await printed(home, "refusals", "aws-saa")
    assert [one["reason"] for one in listed] == ["not_covered", "not_covered", "exam_integrity"]
    assert SECRET not in str(listed) and INTEGRITY in listed[2]["asked"]
    assert len(await printed(home, "refusals", "aws-saa", "-n", "1")) == 1
    assert await printed(home, "refusals", "gcp-ace") == []


async def test_a_refusal_that_was_wrong_is_put_right_and_can_be_undone(home: Path) -> None:
    refused = (await printed(home, "refusals", "aws-saa"))[2]["id"]
    marked = await certcoach(home, "refusals", "aws-saa", "--wrong", refused)
    assert marked.code == 0 and f"{refused} ·" in marked.out and "judged wrong" in marked.out
    assert await reason(home, f"{INTEGRITY} {SECRET}") != "exam_integrity"
    assert (await certcoach(home, "refusals", "aws-saa", "--undo", refused)).code == 0
    assert await reason(home, f"{INTEGRITY} {SECRET}") == "exam_integrity"


async def test_coverage_counts_what_is_missing(home: Path) -> None:
    gaps = await printed(home, "coverage", "aws-saa", "--days", "7")
    assert gaps[0]["times"] == 2 and gaps[0]["asked"] == UNCOVERED.lower() and gaps[0]["nearest"]
    plain = await certcoach(home, "coverage", "aws-saa")
    assert plain.code == 0 and f"2 × {UNCOVERED.lower()}" in plain.out and gaps[0]["nearest"] in plain.out


@pytest.mark.parametrize(
    ("arguments", "words"),
    [
        (("refusals", "no-such"), "Known tenants"),
        (("coverage", "no-such"), "Known tenants"),
        (("refusals", "aws-saa", "--wrong", "no-such"), "certcoach refusals aws-saa"),
        (("refusals", "aws-saa", "--undo", "no-such"), "certcoach refusals aws-saa"),
        (("refusals", "aws-saa", "--wrong", "x", "--label", "nonsense"), "off_topic"),
    ],
)
async def test_wrong_usage_exits_with_2_and_names_the_remedy(
    home: Path, arguments: tuple[str, ...], words: str
) -> None:
    ended = await certcoach(home, *arguments)
    assert ended.code == 2 and words in ended.err and "Traceback" not in ended.err
