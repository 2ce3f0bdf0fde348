"""The lint of the starter notes: each is about one subject of its own, dated, evidenced and linked to its publisher."""

from __future__ import annotations

import re
from collections import Counter
from datetime import date
from pathlib import Path
from typing import Any

import pytest
import yaml

STARTER = Path(__file__).parents[2] / "ingest" / "starter"
HOSTS = {
    "aws-saa": ("docs.aws.amazon.com",),
    "gcp-ace": ("docs.cloud.google.com", "cloud.google.com"),
    "terraform-assoc": ("developer.hashicorp.com",),
}
NOTES = sorted(STARTER.glob("*/*.md"))
EARLIEST = date(2018, 1, 1)


def read(path: Path) -> tuple[dict[str, Any], str]:
    _, front, body = path.read_text(encoding="utf-8").split("---\n", 2)
    return yaml.safe_load(front), body.strip()


def label(path: Path) -> str:
    return path.relative_to(STARTER).as_posix()


@pytest.mark.parametrize("slug", HOSTS)
def test_a_tenant_has_at_least_twelve_notes_on_every_domain(slug: str) -> None:
    notes = [read(path)[0] for path in NOTES if path.parent.name == slug]
    sources = yaml.safe_load((STARTER.parents[1] / "sources.yaml").read_text(encoding="utf-8"))
    domains = {domain["name"] for domain in sources["tenants"][slug]["blueprint"]["domains"]}
    assert len(notes) >= 12
    assert {note["domain"] for note in notes} == domains


def test_subjects_and_addresses_are_unique() -> None:
    fronts = [read(path)[0] for path in NOTES]
    for field in ("title", "url"):
        repeated = [value for value, count in Counter(front[field].lower() for front in fronts).items() if count > 1]
        assert not repeated, f"{field} used twice: {repeated}"


@pytest.mark.parametrize("path", NOTES, ids=label)
def test_a_note_is_in_form(path: Path) -> None:
    front, body = read(path)
    assert set(front) == {"title", "domain", "url", "checked", "facts"}
    assert body.splitlines()[0] == f"# {front['title']}"
    assert re.fullmatch(rf"https://({'|'.join(map(re.escape, HOSTS[path.parent.name]))})/\S+", front["url"])
    assert isinstance(front["checked"], date) and front["checked"] >= EARLIEST
    assert 120 <= len(re.sub(r"^#.*$", "", body, flags=re.MULTILINE).split()) <= 400
    assert not re.search(r"\]\(", body), "links belong into the front matter"


@pytest.mark.parametrize("path", NOTES, ids=label)
def test_every_claim_names_its_evidence(path: Path) -> None:
    facts = read(path)[0]["facts"]
    assert len(facts) >= 4
    for fact in facts:
        assert set(fact) == {"claim", "evidence"}
        assert re.fullmatch(r"[\w./-]+\.(md|mdx|html)#.+", fact["evidence"]), fact["evidence"]
