"""The genuine documents that evaluation runs on: where each comes from, and which of them are at hand."""

from __future__ import annotations

import asyncio
import hashlib
from collections.abc import Iterable, Sequence
from dataclasses import dataclass, field
from pathlib import Path

import httpx
import yaml
from pydantic import TypeAdapter, ValidationError

from rag.errors import ConfigError
from rag.settings import Settings

PROJECT = Path(__file__).resolve().parents[1]
LIST = PROJECT / "eval" / "corpus.yaml"
BESIDE = PROJECT.parent / "shared" / "corpora"
"""Where a copy of the documents may lie beside the checkout."""
PUBLISHER = "https://raw.githubusercontent.com"
CONCURRENCY = 6
TIMEOUT = 20.0
"""Seconds for one file."""


@dataclass(frozen=True, slots=True)
class Genuine:
    """A published document: `path` below a corpus folder, `file` in the publisher's repository at that commit."""

    tenant: str
    path: str
    title: str
    citation: str
    published: str
    licence: str
    repository: str
    commit: str
    file: str
    sha256: str


@dataclass(slots=True)
class Provision:
    """What `provide` achieved: paths by outcome; `problem` says once why the rest could not be had."""

    present: list[str] = field(default_factory=list)
    missing: dict[str, str] = field(default_factory=dict)
    problem: str | None = None


def load_genuine(path: Path = LIST) -> tuple[Genuine, ...]:
    """The documents of the list. Raises ConfigError naming the entry that does not fit."""
    entries = yaml.load(path.read_text(encoding="utf-8"), yaml.CSafeLoader)["documents"]
    try:
        return tuple(TypeAdapter(list[Genuine]).validate_python(entries))
    except ValidationError as error:
        first = error.errors(include_url=False)[0]
        place = ".".join(str(part) for part in first["loc"])
        raise ConfigError(f"{path.name}: documents.{place}: {first['msg']}. Restore the file as released.") from None


def own_folder(settings: Settings) -> Path:
    """The folder that `provide` fills unless another is named."""
    return settings.home.expanduser().resolve() / "eval-corpus"


def folders(settings: Settings) -> tuple[Path, ...]:
    """Where the documents are looked for, in this order.

    Raises ConfigError when CERTCOACH_EVAL_CORPUS names a folder that is not there.
    """
    if settings.eval_corpus is None:
        return (own_folder(settings), BESIDE)
    named = settings.eval_corpus.expanduser().resolve()
    if not named.is_dir():
        raise ConfigError(f"CERTCOACH_EVAL_CORPUS {named} is not a folder. Correct it, or unset it.")
    return (named, own_folder(settings))


def find(documents: Iterable[Genuine], places: Sequence[Path]) -> dict[str, Path]:
    """The folder each document is in, by its path; a file whose digest differs is not the document."""
    found: dict[str, Path] = {}
    for document in documents:
        for folder in places:
            if _is_there(document, folder):
                found[document.path] = folder
                break
    return found


async def provide(
    documents: Sequence[Genuine], target: Path, settings: Settings, publisher: str = PUBLISHER
) -> Provision:
    """Put the documents into the folder: copied from where they lie on this machine, else fetched and verified."""
    provision = Provision()
    found = find(documents, [target, *folders(settings)])
    for document in documents:
        if document.path in found:
            await asyncio.to_thread(_copy, document, found[document.path], target)
            provision.present.append(document.path)
    lacking = [document for document in documents if document.path not in found]
    if lacking and settings.offline:
        provision.problem = "CERTCOACH_OFFLINE is set, so nothing was fetched."
        provision.missing = {document.path: "not fetched" for document in lacking}
    elif lacking:
        await _fetch_all(lacking, target, publisher, provision)
    return provision


async def _fetch_all(documents: Sequence[Genuine], target: Path, publisher: str, provision: Provision) -> None:
    gate = asyncio.Semaphore(CONCURRENCY)
    async with httpx.AsyncClient(timeout=TIMEOUT, follow_redirects=True) as client, asyncio.TaskGroup() as group:

        async def take(document: Genuine) -> None:
            async with gate:
                reason = "not fetched" if provision.problem else await _fetch(client, document, target, publisher)
                if reason is None:
                    provision.present.append(document.path)
                    return
                provision.missing[document.path] = reason
                if reason.startswith("no connection"):
                    host = httpx.URL(publisher).host
                    provision.problem = f"{host} cannot be reached from here. Set CERTCOACH_EVAL_CORPUS to a copy."

        for document in documents:
            group.create_task(take(document))


async def _fetch(client: httpx.AsyncClient, document: Genuine, target: Path, publisher: str) -> str | None:
    """Fetch one file; what went wrong, or None."""
    try:
        response = await client.get(f"{publisher}/{document.repository}/{document.commit}/{document.file}")
    except httpx.TransportError as error:
        return f"no connection ({type(error).__name__})"
    if response.status_code != 200:
        return f"status {response.status_code}"
    if hashlib.sha256(response.content).hexdigest() != document.sha256:
        return "not the listed bytes (sha256 differs)"
    await asyncio.to_thread(_write, target / document.path, response.content)
    return None


def _is_there(document: Genuine, folder: Path) -> bool:
    path = folder / document.path
    return path.is_file() and hashlib.sha256(path.read_bytes()).hexdigest() == document.sha256


def _copy(document: Genuine, folder: Path, target: Path) -> None:
    if folder != target:
        _write(target / document.path, (folder / document.path).read_bytes())


def _write(path: Path, content: bytes) -> None:
    path.parent.mkdir(parents=True, exist_ok=True)
    path.write_bytes(content)
