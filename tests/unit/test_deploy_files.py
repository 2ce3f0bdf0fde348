"""The files that put CertCoach on servers hold what they promise, as far as that shows without a Docker daemon."""

from __future__ import annotations

import json
import re
import subprocess
import sys
import tomllib
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from http.server import BaseHTTPRequestHandler, HTTPServer
from threading import Thread
from typing import Any

import pytest
import yaml

from rag.settings import setting_names
from tests.e2e.processes import ROOT

DOCKERFILE = (ROOT / "Dockerfile").read_text(encoding="utf-8")
COMPOSE: dict[str, Any] = yaml.safe_load((ROOT / "compose.yaml").read_text(encoding="utf-8"))
WORKFLOW_TEXT = (ROOT / ".github/workflows/ci.yml").read_text(encoding="utf-8")
WORKFLOW: dict[str, Any] = yaml.safe_load(WORKFLOW_TEXT)
SECRET = re.compile(r"KEY|PASSWORD|TOKEN|SECRET")


@dataclass(frozen=True, slots=True)
class Instruction:
    """A line of the Dockerfile: its word, and the rest."""

    word: str
    rest: str


def stages() -> list[list[Instruction]]:
    """The instructions of each stage, from its FROM on."""
    lines = [line for line in DOCKERFILE.splitlines() if not line.lstrip().startswith("#")]
    found: list[list[Instruction]] = []
    for line in "\n".join(lines).replace("\\\n", " ").splitlines():
        word, _, rest = line.strip().partition(" ")
        if word == "FROM":
            found.append([])
        if word and found:
            found[-1].append(Instruction(word, " ".join(rest.split())))
    return found


BUILD, FINAL = stages()


def rests(stage: list[Instruction], word: str) -> list[str]:
    return [instruction.rest for instruction in stage if instruction.word == word]


def environment() -> dict[str, str]:
    return dict(pair.partition("=")[::2] for rest in rests(FINAL, "ENV") for pair in rest.split())


def test_the_image_installs_what_the_lock_file_holds_by_hash_and_nothing_else() -> None:
    installs = [rest for rest in rests(BUILD, "RUN") if " install " in rest]
    assert len(installs) == 2
    assert "--require-hashes --no-deps -r requirements.lock" in installs[0]
    assert installs[1].endswith("install --no-compile --no-deps .")


def test_the_image_has_no_build_tools() -> None:
    runs = " ".join(rests(FINAL, "RUN"))
    assert "pip uninstall --yes" in runs and "setuptools pip" in runs
    assert "apt-get" not in runs and "pip install" not in runs
    assert "--without-pip" in rests(BUILD, "RUN")[0]


def test_the_image_runs_as_a_numbered_user_who_owns_only_its_data() -> None:
    (user,) = rests(FINAL, "USER")
    assert re.fullmatch(r"[1-9]\d+:[1-9]\d+", user)
    assert FINAL.index(Instruction("USER", user)) < next(i for i, each in enumerate(FINAL) if each.word == "ENTRYPOINT")
    assert rests(FINAL, "VOLUME") == [environment()["CERTCOACH_HOME"]] == ["/data"]
    assert not any("--chown" in rest for rest in rests(FINAL, "COPY"))


def test_the_image_listens_to_its_network_and_logs_json() -> None:
    chosen = environment()
    assert chosen["CERTCOACH_HOST"] == "0.0.0.0" and chosen["CERTCOACH_LOG"] == "json"
    assert rests(FINAL, "EXPOSE") == [chosen["PORT"]]
    assert json.loads(rests(FINAL, "ENTRYPOINT")[0]) == ["certcoach"] and rests(FINAL, "CMD") == ['["run"]']


def test_no_secret_is_built_into_the_image() -> None:
    names = [*environment(), *rests(BUILD, "ARG"), *rests(FINAL, "ARG")]
    assert not [name for name in names if SECRET.search(name)]
    assert ":" not in environment()["DATABASE_URL"].removeprefix("postgresql://").partition("@")[0]


def test_everything_that_is_copied_exists_and_reaches_the_builder() -> None:
    allowed = set(re.findall(r"^!(\S+)$", (ROOT / ".dockerignore").read_text(encoding="utf-8"), re.MULTILINE))
    copies = [rest.split()[:-1] for stage in (BUILD, FINAL) for rest in rests(stage, "COPY") if "--from" not in rest]
    for source in (source for sources in copies for source in sources):
        assert (ROOT / source).exists() and source.split("/")[0] in allowed, source


def test_nothing_else_reaches_the_builder() -> None:
    lines = (ROOT / ".dockerignore").read_text(encoding="utf-8").splitlines()
    assert next(line for line in lines if not line.startswith("#")) == "*"


def test_every_package_is_in_the_image() -> None:
    project = tomllib.loads((ROOT / "pyproject.toml").read_text(encoding="utf-8"))
    packages = {package.split(".")[0] for package in project["tool"]["setuptools"]["packages"]}
    assert packages <= {rest.split()[0] for rest in rests(BUILD, "COPY")}


@pytest.mark.parametrize("name", ["Dockerfile", "compose.yaml", ".github/workflows/ci.yml"])
def test_every_setting_that_is_named_exists(name: str) -> None:
    named = re.findall(r"\b(CERTCOACH_[A-Z_]+|OTEL_[A-Z_]+)\b", (ROOT / name).read_text(encoding="utf-8"))
    assert set(named) <= set(setting_names())


@contextmanager
def answering(status: int) -> Iterator[int]:
    """A server that answers /healthz with this status; yields its port."""

    class Handler(BaseHTTPRequestHandler):
        def do_GET(self) -> None:
            self.send_response(status if self.path == "/healthz" else 404)
            self.end_headers()

        def log_message(self, format: str, *args: object) -> None:
            pass

    with HTTPServer(("127.0.0.1", 0), Handler) as server:
        Thread(target=server.serve_forever, daemon=True).start()
        yield server.server_address[1]
        server.shutdown()


@pytest.mark.parametrize(("status", "healthy"), [(200, True), (503, False)])
def test_the_health_check_asks_the_server_whatever_proxy_is_set(status: int, healthy: bool) -> None:
    (check,) = rests(FINAL, "HEALTHCHECK")
    _, *arguments = json.loads(check.partition(" CMD ")[2])
    with answering(status) as port:
        environment = {"PORT": str(port), "http_proxy": "http://127.0.0.1:9"}
        assert (subprocess.run([sys.executable, *arguments], env=environment, check=False).returncode == 0) is healthy


def test_compose_starts_the_product_when_its_database_answers_over_tcp() -> None:
    product, database = COMPOSE["services"]["certcoach"], COMPOSE["services"]["db"]
    assert product["depends_on"] == {"db": {"condition": "service_healthy"}}
    assert "--host=127.0.0.1" in database["healthcheck"]["test"]
    assert database["image"].startswith("pgvector/pgvector:")


def test_compose_publishes_the_product_to_this_machine_and_the_database_to_nobody() -> None:
    assert COMPOSE["services"]["certcoach"]["ports"] == ["127.0.0.1:${PORT:-8080}:8080"]
    assert "ports" not in COMPOSE["services"]["db"]


def test_compose_has_no_secret_and_refuses_to_start_without_the_needed_ones() -> None:
    for service in COMPOSE["services"].values():
        for name, value in service["environment"].items():
            assert value is None or not SECRET.search(name) or re.match(r"\$\{[A-Z_]+:\?", value), name
    assert "${DATABASE_PASSWORD:?" in COMPOSE["services"]["certcoach"]["environment"]["DATABASE_URL"]


def test_compose_keeps_all_data_in_named_volumes() -> None:
    mounts = {mount for service in COMPOSE["services"].values() for mount in service["volumes"]}
    assert mounts == {"home:/data", "database:/var/lib/postgresql/data"}
    assert set(COMPOSE["volumes"]) == {"home", "database"}


def test_the_workflow_runs_the_gate_with_read_rights_and_a_cache_by_the_lock_file() -> None:
    steps = WORKFLOW["jobs"]["gate"]["steps"]
    assert ".ci/run" in [step.get("run") for step in steps]
    (python,) = [step["with"] for step in steps if "setup-python" in step.get("uses", "")]
    assert python["cache"] == "pip" and python["cache-dependency-path"] == "requirements-dev.lock"
    assert WORKFLOW["permissions"] == {"contents": "read"}


def test_the_workflow_covers_the_oldest_python_that_is_promised() -> None:
    project = tomllib.loads((ROOT / "pyproject.toml").read_text(encoding="utf-8"))["project"]
    oldest = project["requires-python"].removeprefix(">=")
    assert oldest in WORKFLOW["jobs"]["gate"]["strategy"]["matrix"]["python"]
    assert f"ARG PYTHON={oldest}-" in DOCKERFILE


def test_no_secret_of_the_repository_is_used_by_the_workflow() -> None:
    assert "secrets." not in WORKFLOW_TEXT
