"""The documents say what is true: every setting is described, and the README's commands work."""

from __future__ import annotations

import re
import shlex
from pathlib import Path

import pytest

from rag.settings import Settings, setting_names
from tests.e2e.processes import ROOT, certcoach

README = (ROOT / "README.md").read_text(encoding="utf-8")
BLOCKS = re.findall(r"```sh\n(.*?)```", README, re.DOTALL)
COMMANDS = [
    line.split("#")[0].strip()
    for block in BLOCKS
    for line in block.replace("\\\n", " ").splitlines()
    if line.startswith(".venv/bin/certcoach")
]


@pytest.fixture(scope="module")
def home(filled: Path) -> Path:
    return filled


def test_every_setting_is_described_and_every_described_one_exists() -> None:
    described = set(re.findall(r"^\| `([A-Z_]+)` \|", README, re.MULTILINE))
    assert described == set(setting_names())


def test_every_described_default_is_the_real_one() -> None:
    rows = dict(re.findall(r"^\| `([A-Z_]+)` \| `([^`]+)` \|", README, re.MULTILINE))
    real = {str(field.alias): field.default for field in Settings.model_fields.values()}
    for name, shown in rows.items():
        assert shown.lower() == str(real[name]).lower(), name


@pytest.mark.parametrize("command", COMMANDS)
async def test_the_readmes_commands_work(home: Path, command: str) -> None:
    ended = await certcoach(home, *shlex.split(command)[1:])
    assert ended.code == 0, ended.err


def test_the_readmes_make_targets_exist() -> None:
    targets = set(re.findall(r"^([a-z-]+):", (ROOT / "Makefile").read_text(encoding="utf-8"), re.MULTILINE))
    assert set(re.findall(r"\bmake ([a-z-]+)", README)) <= targets


@pytest.mark.parametrize("page", sorted([ROOT / "README.md", ROOT / "CHANGELOG.md", *(ROOT / "docs").glob("*.md")]))
def test_every_link_to_a_file_leads_somewhere(page: Path) -> None:
    for target in re.findall(r"\]\((?!https?:|#|mailto:)([^)#\s]+)", page.read_text(encoding="utf-8")):
        assert (page.parent / target).exists(), f"{page.name} links to {target}"
