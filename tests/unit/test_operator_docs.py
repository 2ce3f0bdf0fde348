"""What operators and clients read is what the program has: its metrics, its routes, its problems, its settings."""

from __future__ import annotations

import re

import pytest
from fastapi.routing import APIRoute
from prometheus_client import REGISTRY

import bot.metrics  # noqa: F401  (registers the metrics)
from bot.web import router
from bot.web_kinds import KINDS
from rag.settings import setting_names
from tests.e2e.processes import ROOT

OPERATIONS = (ROOT / "docs/operations.md").read_text(encoding="utf-8")
API = (ROOT / "docs/api.md").read_text(encoding="utf-8")


def test_every_metric_is_described_and_every_described_one_exists() -> None:
    described = set(re.findall(r"^\| `(certcoach_\w+)` \|", OPERATIONS, re.MULTILINE))
    suffixes = {"counter": "_total", "info": "_info"}
    families = [family for family in REGISTRY.collect() if family.name.startswith("certcoach_")]
    assert described == {family.name + suffixes.get(family.type, "") for family in families}


def test_every_metric_that_a_remedy_names_exists() -> None:
    described = set(re.findall(r"^\| `(certcoach_\w+)` \|", OPERATIONS, re.MULTILINE))
    assert set(re.findall(r"`[^`]*?(certcoach_\w+)", OPERATIONS)) <= described


def test_every_route_is_described_and_every_described_one_exists() -> None:
    described = set(re.findall(r"^\| `([A-Z]+ /\S*)` \|", API, re.MULTILINE))
    routes = [route for route in router.routes if isinstance(route, APIRoute)]
    real = {f"{method} {route.path}" for route in routes for method in route.methods or ()}
    assert described == {route for route in real if route.split()[1] not in ("/", "/docs")}


def test_every_kind_of_problem_is_described_with_its_status() -> None:
    rows = re.findall(r"^\| (\d{3}) \| (`[^|]+`) \|", API, re.MULTILINE)
    described = {(int(status), slug) for status, slugs in rows for slug in re.findall(r"`([^`]+)`", slugs)}
    assert described == {(kind.status, kind.slug) for kind in KINDS}


@pytest.mark.parametrize("page", ["docs/operations.md", "docs/api.md"])
def test_every_setting_that_is_named_exists(page: str) -> None:
    named = set(re.findall(r"\b(CERTCOACH_[A-Z_]+)\b", (ROOT / page).read_text(encoding="utf-8")))
    assert named <= set(setting_names())
