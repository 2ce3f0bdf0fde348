"""Labelled messages and documents for the guardrails, read from JSONL."""

from __future__ import annotations

import json
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from rag.errors import ConfigError
from rag.types import Turn

ANYWHERE = "aws-saa"
"""The tenant of a line that names none."""
LABELS = {"refuse_offtopic": "off_topic", "refuse_policy": "exam_integrity"}
"""Verdicts by the label that means the same; all other labels are verdicts themselves."""


@dataclass(frozen=True, slots=True)
class Marked:
    """What must be redacted, or may be (`optional`): code points of the text, end excluded."""

    start: int
    end: int
    type: str
    optional: bool


@dataclass(frozen=True, slots=True)
class PiiCase:
    """A message with what is personal or secret in it. A `clean` one must stay as it is, and so must `keep`."""

    id: str
    part: str
    tenant: str
    text: str
    clean: bool
    spans: tuple[Marked, ...]
    keep: tuple[str, ...]


@dataclass(frozen=True, slots=True)
class TopicCase:
    """A message with its verdict, and further verdicts that are fine."""

    id: str
    part: str
    tenant: str
    text: str
    label: str
    accept: frozenset[str]
    history: tuple[Turn, ...]


@dataclass(frozen=True, slots=True)
class PoisonCase:
    """A document with something planted in it: whether that must be gone from the text, and must be flagged."""

    id: str
    part: str
    format: str
    content: str
    markers: tuple[str, ...]
    removed: bool
    flagged: bool


Case = PiiCase | TopicCase | PoisonCase


def load_cases(paths: Sequence[Path]) -> list[Case]:
    """All cases of the files. Raises ConfigError naming a line that is none."""
    return [case for path in paths for case in _read(path)]


def _read(path: Path) -> list[Case]:
    try:
        lines = path.read_text(encoding="utf-8").splitlines()
    except OSError as error:
        raise ConfigError(f"{path} cannot be read: {error.strerror}. Name a file of labelled messages.") from None
    cases: list[Case] = []
    for number, line in enumerate(lines, start=1):
        if line.strip():
            cases.append(_case(path, number, line))
    return cases


def _case(path: Path, number: int, line: str) -> Case:
    try:
        row: dict[str, Any] = json.loads(line)
        if "content" in row:
            return _poison(row)
        return _pii(row) if "spans" in row else _topic(row)
    except (ValueError, KeyError, TypeError, AttributeError):
        form = "a message with spans or a label, or a document with content"
        raise ConfigError(f"{path.name}, line {number}: expected {form}. Correct the line.") from None


def _pii(row: Mapping[str, Any]) -> PiiCase:
    spans = tuple(Marked(span["start"], span["end"], span["type"], bool(span.get("optional"))) for span in row["spans"])
    clean = row.get("kind") == "clean" or not spans
    keep = tuple(row.get("keep") or ())
    return PiiCase(row["id"], row.get("part", ""), row.get("tenant") or ANYWHERE, row["text"], clean, spans, keep)


def _topic(row: Mapping[str, Any]) -> TopicCase:
    accept = frozenset(LABELS.get(label, label) for label in (row["label"], *row.get("accept", ())))
    label = LABELS.get(row["label"], row["label"])
    history = _turns(row.get("history") or ())
    return TopicCase(row["id"], row.get("part", ""), row["tenant"], row["text"], label, accept, history)


def _poison(row: Mapping[str, Any]) -> PoisonCase:
    expected = row["expect"]
    return PoisonCase(
        row["id"],
        row.get("part", ""),
        row.get("format", "md"),
        row["content"],
        tuple(row.get("payload_markers", ())),
        bool(expected["payload_removed_at_ingest"]),
        bool(expected["flagged"]),
    )


def _turns(history: Sequence[Sequence[str]]) -> tuple[Turn, ...]:
    """Exchanges from single lines of a conversation: what the bot says answers what was said before it."""
    turns: list[Turn] = []
    asked = ""
    for who, said in history:
        if who == "user":
            asked = said
        else:
            turns.append(Turn(asked, said))
            asked = ""
    return (*turns, Turn(asked, "")) if asked else tuple(turns)
