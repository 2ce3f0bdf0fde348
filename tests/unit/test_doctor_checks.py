"""The doctor tells what is fine from what is not, and names the remedy."""

from __future__ import annotations

import socket
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

import pytest

from bot.doctor import (
    LOW_DISK,
    Holdings,
    check_chat,
    check_disk,
    check_documents,
    check_lexical,
    check_port,
    check_python,
)
from rag.embedded import only_server, open_home
from rag.errors import ProviderError, Rejected, Unavailable
from rag.types import Finish, Usage
from tests.fakes import ScriptedChat

WHOLE = Holdings(documents=16, searchable=16, stretch=1.05)


@contextmanager
def taken() -> Iterator[int]:
    with socket.create_server(("127.0.0.1", 0)) as listener:
        yield listener.getsockname()[1]


@pytest.mark.parametrize(("version", "ok"), [((3, 10), False), ((3, 11), True), ((3, 14), True)])
def test_an_old_python_is_found_and_a_newer_one_asked_for(version: tuple[int, ...], ok: bool) -> None:
    finding = check_python(version)
    assert finding.ok is ok and (ok or "make PYTHON=" in finding.detail)


@pytest.mark.parametrize(("free", "ok"), [(LOW_DISK - 1, False), (LOW_DISK, True)])
def test_a_full_disk_is_found_and_another_folder_offered(free: int, ok: bool) -> None:
    finding = check_disk(free)
    assert finding.ok is ok and (ok or "CERTCOACH_HOME" in finding.detail)


async def test_a_free_port_is_free(tmp_path: Path) -> None:
    with taken() as port:
        pass
    assert (await check_port("127.0.0.1", port, tmp_path)).ok


async def test_a_port_that_another_program_uses_is_found_and_the_next_one_offered(tmp_path: Path) -> None:
    with taken() as port:
        finding = await check_port("127.0.0.1", port, open_home(tmp_path))
    assert not finding.ok and "another program" in finding.detail and f"PORT={port + 1}" in finding.detail


async def test_a_port_that_certcoach_itself_uses_is_fine(tmp_path: Path) -> None:
    home = open_home(tmp_path)
    with taken() as port:
        async with only_server(home):
            finding = await check_port("127.0.0.1", port, home)
    assert finding.ok and "CertCoach runs" in finding.detail


@pytest.mark.parametrize("host", ["192.0.2.1", "no-such-host.invalid"])
async def test_a_host_that_is_not_this_machine_is_found_and_its_setting_named(host: str) -> None:
    finding = await check_port(host, 0, None)
    assert not finding.ok and "CERTCOACH_HOST" in finding.detail


def test_documents_are_counted_by_tenant() -> None:
    finding = check_documents({"a": WHOLE, "b": WHOLE})
    assert finding.ok and finding.detail == "a 16, b 16"


def test_a_tenant_without_documents_is_named_with_the_command_to_run() -> None:
    finding = check_documents({"a": WHOLE, "b": Holdings(0, 0, None)})
    assert not finding.ok and "None for b" in finding.detail and "certcoach ingest" in finding.detail


def test_documents_that_the_current_search_cannot_find_are_found() -> None:
    finding = check_documents({"a": Holdings(16, 3, 1.0), "b": WHOLE})
    assert not finding.ok and "Of a some" in finding.detail and "certcoach ingest" in finding.detail


@pytest.mark.parametrize(("stretch", "ok"), [(0.79, False), (0.81, True), (1.19, True), (1.21, False), (None, True)])
def test_lexical_weights_that_drifted_by_more_than_a_fifth_are_found(stretch: float | None, ok: bool) -> None:
    finding = check_lexical({"a": Holdings(1, 1, stretch)})
    assert finding.ok is ok and (ok or "certcoach ingest" in finding.detail)


async def test_a_chat_model_is_not_asked_unless_that_is_wanted() -> None:
    model = ScriptedChat(["ready"])
    finding = await check_chat(model, live=False)
    assert finding.ok and "not tried" in finding.detail and "--live" in finding.detail and not model.calls


@pytest.mark.parametrize("stop", ["done", "length"])
async def test_a_chat_model_that_says_anything_works(stop: str) -> None:
    model = ScriptedChat(["rea", Finish(stop, Usage("m", 12, 3))], name="m:x")  # type: ignore[arg-type]
    finding = await check_chat(model, live=True)
    assert finding.ok and finding.name == "chat m:x" and "15 tokens" in finding.detail
    (call,) = model.calls
    assert call.max_tokens <= 16, "the call is a cheap one"


@pytest.mark.parametrize("error", [Unavailable("overloaded, try later"), Rejected("Set ANTHROPIC_API_KEY")])
async def test_a_chat_model_that_fails_is_found_in_the_providers_words(error: ProviderError) -> None:
    finding = await check_chat(ScriptedChat([error]), live=True)
    assert not finding.ok and finding.detail == str(error)
