"""Every piece of evidence that a starter note names exists in the publishers' documents."""

from __future__ import annotations

import re
from functools import cache
from pathlib import Path

import pytest
from bs4 import BeautifulSoup

from tests.unit.test_starter_notes import NOTES, label, read


def folded(text: str) -> str:
    text = re.sub(r"<a [^>]*>|</a>|\{#[^}]*\}|[#`*\\\"']", "", text)
    return " ".join(text.split()).casefold()


@cache
def headings(document: Path) -> frozenset[str]:
    text = document.read_text(encoding="utf-8", errors="replace")
    if document.suffix == ".html":
        tags = BeautifulSoup(text, "lxml").find_all(["title", "h1", "h2", "h3", "h4", "h5", "h6"])
        return frozenset(folded(tag.get_text().rstrip("¶")) for tag in tags)
    found = re.findall(r"^#{1,6}\s+(.+?)\s*#*$", text, re.MULTILINE)
    found += re.findall(r"^(?:page_)?title:\s*(.+)$", text, re.MULTILINE)
    found += re.findall(r"^(.+)\n[=-]{3,}$", text, re.MULTILINE)
    return frozenset(folded(heading) for heading in found)


@pytest.mark.parametrize("path", NOTES, ids=label)
def test_evidence_resolves(path: Path, shared: Path) -> None:
    for fact in read(path)[0]["facts"]:
        document, _, heading = fact["evidence"].partition("#")
        found = shared / document if (shared / document).exists() else shared / "corpora" / document
        assert found.is_file(), f"no document {document}"
        assert folded(heading) in headings(found), f"{document} has no heading {heading!r}"
