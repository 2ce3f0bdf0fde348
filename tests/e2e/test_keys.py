"""The product does not let other machines in without a key, and does not show the keys it has."""

from __future__ import annotations

from pathlib import Path

import pytest

from tests.e2e.processes import certcoach


@pytest.mark.parametrize("host", ["0.0.0.0", "::"])
async def test_without_keys_it_does_not_start_for_other_machines(tmp_path: Path, host: str) -> None:
    ended = await certcoach(tmp_path / "home", "run", CERTCOACH_HOST=host)
    assert ended.code == 3
    assert "CERTCOACH_API_KEYS" in ended.err and "token_urlsafe" in ended.err


async def test_a_malformed_key_stops_the_start_and_is_not_shown(tmp_path: Path) -> None:
    ended = await certcoach(tmp_path / "home", "run", CERTCOACH_API_KEYS="azure:open-sesame")
    assert ended.code == 3
    assert "entry 1" in ended.err and "open-sesame" not in ended.err + ended.out
