"""Asks the product questions that were written before its first run, and writes down what it said."""

from __future__ import annotations

import hashlib
import json
import re
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Any, Literal

import yaml
from pydantic import TypeAdapter, ValidationError
from pydantic.dataclasses import dataclass as checked
from rich.console import Console

from bot.coach import Coach
from bot.console import ask
from bot.web_models import answer_body
from eval.corpus import PROJECT, Genuine, load_genuine, own_folder, provide
from eval.ground import evaluation_catalogue, open_tenants
from eval.site import HOST, serve_folder
from ingest.ingestor import Report
from ingest.sources import Catalogue
from rag.errors import ConfigError
from rag.settings import Settings
from rag.types import Source

QUESTIONS = PROJECT / "eval" / "transcripts.yaml"
VERDICTS = PROJECT / "docs" / "transcripts-verdicts.yaml"
PREFIX = "eval-site-"
"""Of the tenants whose genuine documents come from a site, not from files."""
PORT = 8931
"""Always the same, so that a second run finds the documents unchanged."""
Ruling = Literal["right", "partly", "wrong", "rightly declined", "wrongly declined"]
RULINGS: tuple[Ruling, ...] = ("right", "partly", "wrong", "rightly declined", "wrongly declined")


@checked(frozen=True, slots=True)
class Asked:
    """A question of the transcript; `answerable` is what its author thought, from the documents, before the run."""

    id: str
    question: str
    answerable: bool


@checked(frozen=True, slots=True)
class Verdict:
    """What a reader thought who saw question, sources and answer. `of` is the `digest` of the answer that was read."""

    verdict: Ruling
    why: str
    of: str | None = None


@dataclass(frozen=True, slots=True)
class Entry:
    """A question with its answer, as the API gives it, less what changes at each run."""

    tenant: str
    asked: Asked
    answer: dict[str, Any]

    @property
    def digest(self) -> str:
        """Of the answer's kind and text: a verdict holds for this answer only."""
        text = f"{self.answer['kind']}\n{self.answer['answer']}"
        return hashlib.sha256(text.encode()).hexdigest()[:12]


async def make_transcripts(settings: Settings, console: Console) -> list[Entry]:
    """Ask all questions of the product, over starter notes as files and genuine documents as a site.

    Raises ConfigError without the genuine documents.
    """
    documents = load_genuine()
    provision = await provide(documents, own_folder(settings), settings)
    if provision.missing:
        raise ConfigError(
            f"{len(provision.missing)} genuine documents are not here, and transcripts need all of them."
            " Run `certcoach eval corpus` where there is a network, or set CERTCOACH_EVAL_CORPUS to a copy."
        )
    questions = load_questions()
    with serve_folder(own_folder(settings), PORT) as address:
        allowed = settings.model_copy(update={"fetch_allow": (f"{HOST}:{PORT}",), "offline": False})
        addresses = Addresses(address, {document.path: document.published for document in documents})
        async with open_tenants(allowed, site_catalogue(documents, address), console) as (app, report):
            _refuse_rejected(report)
            return [
                Entry(tenant, asked, await _answer(app.coach, tenant, asked, addresses))
                for tenant, group in questions.items()
                for asked in group
            ]


def _refuse_rejected(report: Report) -> None:
    if rejected := [outcome for outcome in report.outcomes if outcome.outcome == "rejected"]:
        first = rejected[0]
        raise ConfigError(f"{len(rejected)} documents were rejected, first {first.url}: {first.reason}. Mend that.")


def site_catalogue(documents: Sequence[Genuine], address: str) -> Catalogue:
    """The project's tenants under other names, with a page for each document."""
    tenants = {}
    for slug, tenant in evaluation_catalogue(documents, {}, PREFIX).tenants.items():
        pages = [as_page(document, address, slug) for document in documents if PREFIX + document.tenant == slug]
        tenants[slug] = replace(tenant, sources=(*tenant.sources, *pages))
    return Catalogue(tenants)


def as_page(document: Genuine, address: str, tenant: str) -> Source:
    """The document as a page of the site."""
    return Source(tenant, f"{address}/{document.path}", "page", document.citation, licence=document.licence)


@dataclass(frozen=True, slots=True)
class Addresses:
    """The site's address, and what is published where by path."""

    site: str
    published: Mapping[str, str]

    def restore(self, text: str) -> str:
        """The text with the publishers' addresses in place of the site's; links to what is not listed become words."""
        if self.site not in text:
            return text
        for path in sorted(self.published, key=len, reverse=True):
            text = text.replace(f"{self.site}/{path}", self.published[path])
        return re.sub(rf"\[([^\[\]]*)\]\({re.escape(self.site)}[^()]*\)", r"\1", text).replace(self.site, "")


def stable(answer: dict[str, Any], addresses: Addresses) -> dict[str, Any]:
    """The answer object without ids, its confidence to four places, its addresses restored."""
    body = json.loads(addresses.restore(json.dumps(answer, ensure_ascii=False)))
    kept = {name: value for name, value in body.items() if name not in ("id", "conversation")}
    kept["sources"] = [
        {name: value for name, value in source.items() if name != "chunk_id"} for source in body["sources"]
    ]
    kept["confidence"] = None if body["confidence"] is None else round(body["confidence"], 4)
    return kept


def load_questions(path: Path = QUESTIONS) -> dict[str, list[Asked]]:
    """The questions by tenant. Raises ConfigError naming the entry that does not fit."""
    return TypeAdapter(dict[str, list[Asked]]).validate_python(_load(path)["questions"])


def load_verdicts(path: Path = VERDICTS) -> dict[str, Verdict]:
    """The verdicts by question; none if there is no file. Raises ConfigError naming the entry that does not fit."""
    if not path.is_file():
        return {}
    try:
        return TypeAdapter(dict[str, Verdict]).validate_python(_load(path) or {})
    except ValidationError as error:
        first = error.errors(include_url=False)[0]
        place = ".".join(str(part) for part in first["loc"])
        raise ConfigError(f"{path.name}: {place}: {first['msg']}. Verdicts: {', '.join(RULINGS)}.") from None


def _load(path: Path) -> Any:
    return yaml.safe_load(path.read_text(encoding="utf-8"))


async def _answer(coach: Coach, tenant: str, asked: Asked, addresses: Addresses) -> dict[str, Any]:
    answer = await ask(coach, PREFIX + tenant, asked.question)
    return stable(answer_body(answer, "").model_dump(mode="json"), addresses)
