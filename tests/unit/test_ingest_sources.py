"""The catalogue accepts what is right and names the place of what is wrong."""

from __future__ import annotations

from pathlib import Path

import pytest
import yaml

from ingest.sources import load_catalogue
from rag.errors import ConfigError, UnknownTenant

ROOT = Path(__file__).parents[2]

GOOD = """
version: 1
tenants:
  demo-one:
    title: Demo
    exam: D-1
    timezone: Europe/Berlin
    topics: [storage]
    blueprint:
      version: "1"
      date: 2026-01-31
      official: true
      domains: [{name: A, weight: 60}, {name: B, weight: 40}]
    quiz: {at: "09:00", weekdays: [mon, fri], count: 2, window: 3h, open: 8h}
    channels: [{platform: slack, workspace: T1, channel: C1, mode: auto}]
    sources:
      - {url: "https://docs.example.com/a", citation: Docs, refresh: 90m}
      - {file: notes/*.md, citation: Notes, cite_url: "https://docs.example.com/n", licence: MIT, corpus: false}
"""


def written(folder: Path, text: str) -> Path:
    path = folder / "sources.yaml"
    path.write_text(text, encoding="utf-8")
    return path


def test_a_good_file_becomes_tenants_with_absolute_locations_and_seconds(tmp_path: Path) -> None:
    tenant = load_catalogue(written(tmp_path, GOOD)).tenant("demo-one")
    page, notes = tenant.sources
    assert (page.kind, page.location, page.refresh, page.corpus) == ("page", "https://docs.example.com/a", 5400, True)
    assert (notes.kind, notes.location, notes.root) == ("file", str(tmp_path / "notes/*.md"), str(tmp_path))
    assert (notes.url, notes.licence, notes.corpus) == ("https://docs.example.com/n", "MIT", False)
    assert tenant.blueprint.date == "2026-01-31"
    assert [domain.weight for domain in tenant.blueprint.domains] == [60, 40]


def test_the_projects_own_file_holds_the_three_tenants_in_order() -> None:
    catalogue = load_catalogue(ROOT / "sources.yaml")
    assert list(catalogue.tenants) == ["aws-saa", "gcp-ace", "terraform-assoc"]
    for tenant in catalogue.tenants.values():
        assert 8 <= len(tenant.topics) <= 12
        assert tenant.sources


def test_an_unknown_tenant_is_answered_with_the_known_ones(tmp_path: Path) -> None:
    with pytest.raises(UnknownTenant, match="demo-one"):
        load_catalogue(written(tmp_path, GOOD)).tenant("other")


FIRST = "sources.yaml: tenants.demo-one"


@pytest.mark.parametrize(
    ("old", "new", "message"),
    [
        ("https://docs.example.com/a", "ftp://x", f"{FIRST}.sources[0].url: expected an address … found 'ftp://x'"),
        ("https://docs.example.com/a", "https://u:p@h/", f"{FIRST}.sources[0].url: expected an address"),
        ("refresh: 90m", "refresh: 90", f"{FIRST}.sources[0].refresh: expected a duration such as … found 90"),
        ("refresh: 90m", "refesh: 90m", f"{FIRST}.sources[0].refesh: is not a key here"),
        ("refresh: 90m", "file: x.md", f"{FIRST}.sources[0]: expected either url"),
        ("refresh: 90m", "kind: sitemap", f"{FIRST}.sources[0]: kind sitemap is not supported yet"),
        ("refresh: 90m", "kind: file", f"{FIRST}.sources[0]: expected kind page with url"),
        ("refresh: 90m", "include: [x]", f"{FIRST}.sources[0]: include and exclude are not supported yet"),
        ("file: notes/*.md", 'url: "https://docs.example.com/a"', "sources[1] repeats sources[0]"),
        ("Europe/Berlin", "Europe/Brelin", f"{FIRST}.timezone: expected the name of a time zone … 'Europe/Brelin'"),
        ('"09:00"', "21:00", f"{FIRST}.quiz.at: expected a time of day in quotes … found 1260"),
        ("mode: auto", "mode: loud", f"{FIRST}.channels[0].mode: expected 'mention', 'auto' or 'off', found 'loud'"),
        ("weight: 40", "weight: 20", f"{FIRST}.blueprint: expected weights … sum of 80"),
        ('version: "1"', "version: 004", f"{FIRST}.blueprint.version: … string … found 4"),
        ("    exam: D-1\n", "", f"{FIRST}.exam: is missing"),
        ("demo-one", "Demo_One", "sources.yaml: tenants.Demo_One: expected text"),
        ("version: 1", "version: 2", "sources.yaml: version: expected 1, found 2"),
        ("    exam: D-1", "    exam: D-1\n    exam: D-2", "sources.yaml: line 7, column 5: … 'exam' twice"),
        ("topics: [storage]", "topics: [storage", "sources.yaml: line … , column … : not valid YAML"),
    ],
)
def test_a_mistake_is_named_with_its_place_and_what_was_expected(
    tmp_path: Path, old: str, new: str, message: str
) -> None:
    assert old in GOOD
    with pytest.raises(ConfigError) as caught:
        load_catalogue(written(tmp_path, GOOD.replace(old, new, 1)))
    for part in message.split(" … "):
        assert part in str(caught.value)


@pytest.mark.parametrize(
    "text", ["", "[]", "just words", "version: 1", "version: 1\ntenants: {}", "\x00", "{a: {b: !!x 1}}"]
)
def test_a_file_of_another_form_is_a_configuration_error(tmp_path: Path, text: str) -> None:
    with pytest.raises(ConfigError, match=r"^sources\.yaml: "):
        load_catalogue(written(tmp_path, text))


def test_a_missing_file_names_the_setting_that_points_to_it(tmp_path: Path) -> None:
    with pytest.raises(ConfigError, match=r"does not exist.*CERTCOACH_SOURCES"):
        load_catalogue(tmp_path / "none.yaml")


def test_merge_keys_and_anchors_still_work(tmp_path: Path) -> None:
    data = yaml.safe_load(GOOD)
    data["tenants"]["demo-two"] = data["tenants"]["demo-one"]
    catalogue = load_catalogue(written(tmp_path, yaml.safe_dump(data)))
    assert catalogue.tenant("demo-two").title == "Demo"
