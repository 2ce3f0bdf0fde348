"""The gold questions: what is asked, and which words of which document answer it."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass
from pathlib import Path
from typing import Literal, TypeVar

from pydantic import Field, TypeAdapter, ValidationError
from pydantic.dataclasses import dataclass as checked

from eval.corpus import PROJECT
from rag.errors import ConfigError

FOLDER = PROJECT / "eval" / "gold"
Half = Literal["notes", "documents"]
Phrasing = Literal["question", "mid", "paraphrase"]
Row = TypeVar("Row")


@checked(frozen=True, slots=True)
class Gold:
    """A question that the corpus answers.

    `substring` stands verbatim in `document`, and perhaps in those of `also`: a passage of any of them that holds it
    counts. Each phrasing is asked; `mid` is "" where a set has no third one.
    """

    id: str
    tenant: str
    document: str
    substring: str
    question: str
    paraphrase: str
    type: Literal["identifier", "conceptual", "comparison", "multi-passage", ""] = ""
    also: tuple[str, ...] = ()
    mid: str = ""

    @property
    def half(self) -> Half:
        """The starter notes, or the genuine documents."""
        return "notes" if self.document.startswith("ingest/starter/") else "documents"

    @property
    def documents(self) -> frozenset[str]:
        return frozenset((self.document, *self.also))

    @property
    def phrasings(self) -> dict[Phrasing, str]:
        """The texts to ask, by phrasing."""
        texts: dict[Phrasing, str] = {"question": self.question, "mid": self.mid, "paraphrase": self.paraphrase}
        return {phrasing: text for phrasing, text in texts.items() if text}


@checked(frozen=True, slots=True)
class Unanswerable:
    """A question that the tenant's corpus does not answer."""

    id: str
    tenant: str
    question: str
    paraphrase: str
    why: Literal["not_covered", "other_tenant", "off_topic"]

    @property
    def phrasings(self) -> dict[Phrasing, str]:
        """The texts to ask, by phrasing."""
        return {"question": self.question, "paraphrase": self.paraphrase}


@dataclass(frozen=True, slots=True)
class GoldSet:
    """Questions of both kinds."""

    answerable: tuple[Gold, ...]
    unanswerable: tuple[Unanswerable, ...] = ()

    def of(self, tenant: str | None) -> GoldSet:
        """Those of one tenant; all for None."""
        if tenant is None:
            return self
        return GoldSet(
            tuple(gold for gold in self.answerable if gold.tenant == tenant),
            tuple(question for question in self.unanswerable if question.tenant == tenant),
        )


@checked(frozen=True, slots=True)
class _Imported:
    """A question of a foreign set, whose documents are named below their tenant's `md` folder."""

    id: str
    tenant: str
    doc: str
    substring: str
    question: str
    paraphrase: str
    mid: str = ""
    also: tuple[str, ...] = Field(default=())


def load_gold(folder: Path = FOLDER) -> GoldSet:
    """All gold questions of a folder. Raises ConfigError naming the file and line that does not fit."""
    answerable: list[Gold] = []
    unanswerable: list[Unanswerable] = []
    for path in sorted(folder.glob("*.jsonl")):
        if path.name.endswith(".unanswerable.jsonl"):
            unanswerable += _read(path, TypeAdapter(Unanswerable))
        else:
            answerable += _read(path, TypeAdapter(Gold))
    if not answerable:
        raise ConfigError(f"There are no gold questions in {folder}. Restore the folder as released.")
    return GoldSet(tuple(answerable), tuple(unanswerable))


def load_questions(path: Path) -> GoldSet:
    """A set of one's own: lines of id, tenant, doc, substring, question, paraphrase, mid, also.

    Raises ConfigError naming the line that does not fit.
    """
    if not path.is_file():
        raise ConfigError(f"There is no file {path}. Name a JSONL file of questions.")
    return GoldSet(tuple(_imported(question) for question in _read(path, TypeAdapter(_Imported))))


def _imported(question: _Imported) -> Gold:
    def place(doc: str) -> str:
        return doc if "/" in doc else f"{question.tenant}/md/{doc}"

    return Gold(
        id=question.id,
        tenant=question.tenant,
        document=place(question.doc),
        substring=question.substring,
        question=question.question,
        paraphrase=question.paraphrase,
        mid=question.mid,
        also=tuple(place(doc) for doc in question.also),
    )


def _read(path: Path, adapter: TypeAdapter[Row]) -> Iterable[Row]:
    for number, line in enumerate(path.read_text(encoding="utf-8").splitlines(), start=1):
        if not line.strip():
            continue
        try:
            yield adapter.validate_json(line)
        except ValidationError as error:
            first = error.errors(include_url=False, include_input=False)[0]
            field_name = ".".join(str(part) for part in first["loc"]) or "the line"
            raise ConfigError(f"{path.name}:{number}: {field_name}: {first['msg']}. Correct it.") from None
