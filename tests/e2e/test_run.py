"""`certcoach run` as a newcomer and an operator meet it: it starts, answers, ends in good order, and comes back."""

from __future__ import annotations

import asyncio
import json
import signal
import socket
from pathlib import Path
from typing import Any

import httpx
import pytest

from tests.e2e.processes import COMMAND, ROOT, certcoach, environment, running, start

QUESTIONS = {
    "aws-saa": ("Does a NAT gateway let the internet open connections to my instances?", "nat-gateways.md"),
    "gcp-ace": ("How do I let a Cloud Run service read a storage bucket?", "cloud-run.md"),
    "terraform-assoc": ("What does terraform init do?", "ingest/starter/terraform-assoc"),
}


async def ask(url: str, tenant: str, question: str) -> dict[str, Any]:
    async with httpx.AsyncClient(trust_env=False, timeout=30) as client:
        response = await client.post(f"{url}/v1/ask", json={"tenant": tenant, "question": question})
    assert response.status_code == 200, response.text
    answer: dict[str, Any] = response.json()
    return answer


async def test_a_question_per_tenant_is_answered_from_the_right_note(filled: Path) -> None:
    async with running(filled) as server:
        for tenant, (question, document) in QUESTIONS.items():
            answer = await ask(server.url, tenant, question)
            assert answer["kind"] == "answer", answer
            sources = answer["sources"]
            cited = {sources[c["source"]]["document"] for c in answer["citations"]}
            assert any(document in key for key in cited), cited


@pytest.mark.parametrize("number", [signal.SIGINT, signal.SIGTERM])
async def test_a_signal_ends_it_cleanly_and_stops_the_database(filled: Path, number: int) -> None:
    ended = await (await start(filled)).stop(number)
    assert ended.code == 0 and "Traceback" not in ended.err
    assert not (filled / "postgres" / "postmaster.pid").exists()


async def test_after_kill_9_it_starts_again_with_everything(filled: Path) -> None:
    killed = await (await start(filled)).stop(signal.SIGKILL)
    assert killed.code == -signal.SIGKILL
    async with running(filled) as server:
        assert (await ask(server.url, "aws-saa", QUESTIONS["aws-saa"][0]))["kind"] == "answer"


async def test_a_second_start_embeds_nothing(filled: Path) -> None:
    async with running(filled):
        pass
    report = json.loads((await certcoach(filled, "ingest", "--json")).out)
    assert set(report["totals"]) >= {"unchanged"} and report["totals"]["unchanged"] == len(report["documents"])


async def test_a_second_run_on_the_same_home_is_refused_and_commands_share_the_database(filled: Path) -> None:
    async with running(filled) as server:
        second = await certcoach(filled, "run")
        assert second.code == 3 and "already runs" in second.err and str(server.process.pid) in second.err
        asked = await certcoach(filled, "ask", "aws-saa", QUESTIONS["aws-saa"][0], "--json")
        assert asked.code == 0 and json.loads(asked.out)["kind"] == "answer"
        assert (await ask(server.url, "aws-saa", QUESTIONS["aws-saa"][0]))["kind"] == "answer"


async def test_a_busy_port_is_named_with_the_setting(filled: Path) -> None:
    with socket.create_server(("127.0.0.1", 0)) as taken:
        port = taken.getsockname()[1]
        ended = await certcoach(filled, "run", PORT=str(port))
    assert ended.code == 3 and f"Port {port} is taken" in ended.err and "PORT=" in ended.err


async def test_a_home_that_cannot_be_used_is_named_with_the_setting(tmp_path: Path) -> None:
    (tmp_path / "file").touch()
    ended = await certcoach(tmp_path / "file" / "home", "run")
    assert ended.code == 3 and "CERTCOACH_HOME" in ended.err and "Traceback" not in ended.err


async def test_a_signal_during_the_first_ingest_ends_it_and_the_next_start_completes_it(tmp_path: Path) -> None:
    home = tmp_path / "home"
    process = await asyncio.create_subprocess_exec(
        *COMMAND, "run", cwd=ROOT, env=environment(home), stdout=asyncio.subprocess.PIPE, stderr=asyncio.subprocess.PIPE
    )
    while not (home / "postgres" / "postmaster.pid").exists():  # noqa: ASYNC110 - a file brings no event
        await asyncio.sleep(0.05)
    await asyncio.sleep(1.5)
    process.terminate()
    _, err = await process.communicate()
    assert process.returncode == 0 and b"Traceback" not in err
    async with running(home) as server:
        assert (await ask(server.url, "aws-saa", QUESTIONS["aws-saa"][0]))["kind"] == "answer"


async def test_the_three_kinds_of_answer_exit_with_0(filled: Path) -> None:
    for question, kind in (
        (QUESTIONS["aws-saa"][0], "answer"),
        ("How do I price a dedicated Snowmobile truck in AWS GovCloud?", "unknown"),
        ("?", "refusal"),
    ):
        ended = await certcoach(filled, "ask", "aws-saa", question, "--json")
        assert ended.code == 0 and json.loads(ended.out)["kind"] == kind


@pytest.mark.parametrize(
    ("arguments", "code", "words"),
    [
        (("ask", "no-such", "x"), 2, "aws-saa, gcp-ace, terraform-assoc"),
        (("ask", "aws-saa"), 2, "QUESTION"),
        (("show", "no-such.md"), 2, "No document"),
        (("ingest", "--tenant", "no-such"), 2, "Known tenants"),
        (("frobnicate",), 2, "No such command"),
    ],
)
async def test_wrong_usage_exits_with_2_and_says_what_is_known(
    filled: Path, arguments: tuple[str, ...], code: int, words: str
) -> None:
    ended = await certcoach(filled, *arguments)
    assert ended.code == code and words in ended.err and "Traceback" not in ended.err


@pytest.mark.parametrize(
    ("settings", "code", "words"),
    [
        ({"CERTCOACH_SOURCES": "/no/such.yaml"}, 3, "such.yaml"),
        ({"CERTCOACH_FROBNICATE": "1"}, 3, "CERTCOACH_FROBNICATE is not a setting"),
        ({"CERTCOACH_MODE": "sideways"}, 3, "CERTCOACH_MODE"),
        ({"CERTCOACH_EMBEDDER": "local:other"}, 3, "local:minilm"),
        ({"CERTCOACH_CHUNKER": "paragraphs"}, 3, "headings-SIZE"),
        ({"CERTCOACH_CHAT": "nobody:model"}, 3, "anthropic:MODEL"),
        ({"DATABASE_URL": "postgresql://nobody@127.0.0.1:9/nothing"}, 4, "DATABASE_URL"),
    ],
)
async def test_a_wrong_setting_exits_with_its_status_and_its_name(
    filled: Path, settings: dict[str, str], code: int, words: str
) -> None:
    ended = await certcoach(filled, "ask", "aws-saa", "What is S3?", **settings)
    assert ended.code == code and words in ended.err and "Traceback" not in ended.err, ended.err


@pytest.mark.parametrize("text", ["a\x00b what is S3?", "x" * 100_000, "\ud800 what is S3 versioning?"])
async def test_odd_questions_on_standard_input_get_an_answer(filled: Path, text: str) -> None:
    process = await asyncio.create_subprocess_exec(
        *COMMAND,
        *("ask", "aws-saa", "-", "--json"),
        cwd=ROOT,
        env=environment(filled),
        stdin=asyncio.subprocess.PIPE,
        stdout=asyncio.subprocess.PIPE,
    )
    out, _ = await process.communicate(text.encode("utf-8", "surrogatepass"))
    assert process.returncode == 0
    assert json.loads(out)["kind"] in ("answer", "unknown", "refusal")


async def test_chat_answers_opens_a_passage_and_changes_the_tenant(filled: Path) -> None:
    lines = ["What is a NAT gateway?", "/show 1", "/show 99", "/tenant terraform-assoc", "What does terraform init do?"]
    ended = await certcoach(filled, "chat", "aws-saa", stdin="\n".join([*lines, "/tenant x", "/quit", ""]))
    assert ended.code == 0
    assert "NAT" in ended.out and "[1]" in ended.out and "There is no citation 99" in ended.out
    assert "terraform init" in ended.out and "Known: aws-saa" in ended.out


async def test_show_prints_the_stored_document_and_its_chunks(filled: Path) -> None:
    ended = await certcoach(filled, "show", "nat-gateways.md")
    assert ended.code == 0 and "NAT" in ended.out and "── 0 ·" in ended.out
    (document,) = json.loads((await certcoach(filled, "show", "nat-gateways.md", "--json")).out)
    assert document["url"].startswith("https://docs.aws.amazon.com/") and document["chunks"]


async def test_a_database_of_a_superuser_is_refused(filled: Path, server: str) -> None:
    superuser = server.replace("//certcoach@", "//postgres@")
    ended = await certcoach(filled, "ask", "aws-saa", "What is S3?", DATABASE_URL=superuser)
    assert ended.code == 4 and "row-level security" in ended.err
