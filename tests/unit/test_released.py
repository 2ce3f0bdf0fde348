"""Nothing unchecked is shown: what a model writes is released sentence by sentence."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from rag.released import Piece, Release, Violation
from rag.types import Passage

TEXTS = (
    "A NAT gateway is zonal. CloudFront waits for 30 seconds, and tries 3 times. Use 1,000 or more.",
    "Gateways are regional. Use `terraform state mv` to rename. The action s3:GetObject reads an object.",
    'Peering is free inside a zone. ```hcl\nresource "aws_vpc" "main" {}\n```',
)


def passages() -> list[Passage]:
    return [
        Passage(n, f"{n}.md", f"https://docs.example-cloud.test/{n}", "T", "G", "T > H", text, "", "", None)
        for n, text in enumerate(TEXTS)
    ]


def released(text: str, size: int = 3, question: str = "how?") -> tuple[str, Violation | None]:
    """What is shown of the text, fed in pieces of this size, and the violation that stopped it."""
    release = Release(passages(), question)
    shown = ""
    pieces = [text[start : start + size] for start in range(0, len(text), size)]
    for step in [lambda piece=piece: release.feed(piece) for piece in pieces] + [release.finish]:
        for event in step():
            if isinstance(event, Violation):
                return shown, event
            assert isinstance(event, Piece)
            shown += event.text
    return shown, None


@pytest.mark.parametrize("size", [1, 3, 1000])
@pytest.mark.parametrize(
    "text",
    [
        "A NAT gateway is zonal [1]. Gateways are regional [2].",
        "A NAT gateway is zonal. [1] Gateways are regional. [2][3]",
        "CloudFront waits for 30 seconds [1], and needs 1000 tries [1].\n\nGateways are regional [2].",
        "Two kinds of gateway:\n\n- zonal NAT gateways [1]\n- regional gateways [2]\n",
        "1. Gateways are regional [2].\n2. A NAT gateway is zonal [1].",
        "| kind | where it lives |\n|---|---|\n| gateways | regional places [2] |\n",
        'Run this to define one [3]:\n\n```hcl\nresource "aws_vpc" "main" {}\n```\n',
        "Use `terraform state mv` [2].",
        "",
    ],
)
def test_supported_text_is_released_whole_whatever_the_pieces(text: str, size: int) -> None:
    shown, violation = released(text, size)
    assert violation is None
    assert shown.strip() == text.strip()


@pytest.mark.parametrize(
    ("text", "rule"),
    [
        ("Gateways cost money every single hour.", "uncited"),
        ("Gateways are regional places [9].", "citation"),
        ("CloudFront waits for 45 seconds before trying [1].", "figure"),
        ("CloudFront waits for 30 seconds before trying [2].", "figure"),
        ("Rename it with `terraform state rename` there [2].", "identifier"),
        ("The action s3:PutObject writes an object [2].", "identifier"),
        ('Define it so [3]:\n\n```hcl\nresource "google_sql" "main" {}\n```\n', "code"),
    ],
)
def test_unsupported_text_is_held_back(text: str, rule: str) -> None:
    for size in (1, 1000):
        shown, violation = released(text, size)
        assert violation is not None and violation.rule == rule
        assert text.split(".")[0] not in shown


def test_c07_only_numbers_of_given_sources_stay() -> None:
    shown, violation = released("Gateways are regional [2, 7]. They cost money per hour [5, 7].")
    assert shown == "Gateways are regional [2]. "
    assert violation == Violation("citation", "[5]")


@pytest.mark.parametrize(
    "opener",
    [
        "Based on the context, ",
        "Based on the provided documents, ",
        "According to the passages, ",
        "According to the documentation: ",
        "As stated in the documentation, ",
        "From the provided context, ",
        "The documentation states that ",
        "Sure! ",
        "Certainly, ",
    ],
)
def test_an_opener_is_removed_and_the_sentence_begins_anew(opener: str) -> None:
    assert released(f"{opener}a NAT gateway is zonal [1].")[0] == "A NAT gateway is zonal [1]."


def test_what_the_learner_named_may_be_named() -> None:
    shown, violation = released("For 77 files a NAT gateway is zonal [1].", question="what about 77 files?")
    assert violation is None and shown


@given(st.lists(st.sampled_from(["Gateways are regional [2]. ", "\n", "- ", "x", "[", "]", "1", "```", "| a |", ". "])))
def test_released_text_does_not_depend_on_how_it_came(parts: list[str]) -> None:
    text = "".join(parts)
    assert released(text, 1) == released(text, 10_000)
