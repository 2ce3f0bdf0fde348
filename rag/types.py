"""The vocabulary of CertCoach: the values that travel between its parts, and the protocols that join them."""

from __future__ import annotations

from collections.abc import AsyncGenerator, Iterable, Mapping, Sequence
from dataclasses import dataclass, field
from datetime import datetime
from typing import Any, Literal, Protocol

import numpy as np
from numpy.typing import NDArray

Vector = NDArray[np.float32]
"""One embedding: shape (dimensions,), unit length."""

Role = Literal["query", "passage"]
Mode = Literal["dense", "sparse", "hybrid"]
Lexical = Literal["bm25", "and"]
Fusion = Literal["coverage", "rrf", "zsum"]
ScreenMode = Literal["off", "observe", "enforce"]
AnswerKind = Literal["answer", "unknown", "refusal"]
Reason = Literal[
    "none",
    "off_topic",
    "other_tenant",
    "exam_integrity",
    "injection",
    "smalltalk",
    "not_covered",
    "too_fast",
    "budget",
    "provider",
    "empty",
    "too_long",
]


@dataclass(frozen=True, slots=True)
class Domain:
    """A domain of an exam guide. `weight` is its percentage, or None where none is published."""

    name: str
    weight: float | None


@dataclass(frozen=True, slots=True)
class Blueprint:
    """The domains that an exam guide names, with the guide's version and the date it was read."""

    version: str
    date: str
    official: bool
    domains: tuple[Domain, ...]


@dataclass(frozen=True, slots=True)
class Source:
    """Where documents come from: a page, or files on this machine.

    `location` is a URL, or an absolute path or glob; `root` is the folder that document keys of files count from.
    `url` is the address to cite for a single file that does not name its own. `refresh` is in seconds.
    """

    tenant: str
    location: str
    kind: Literal["page", "file"]
    citation: str
    root: str = ""
    url: str | None = None
    licence: str | None = None
    refresh: int = 7 * 86_400
    corpus: bool = True


@dataclass(frozen=True, slots=True)
class Tenant:
    """A certification that people study. `guard` holds the mode of each screen that differs from the setting."""

    slug: str
    title: str
    exam: str
    timezone: str
    topics: tuple[str, ...]
    blueprint: Blueprint
    sources: tuple[Source, ...]
    guard: tuple[tuple[str, ScreenMode], ...] = ()


@dataclass(frozen=True, slots=True)
class Document:
    """A document as it is stored: clean Markdown.

    `key` identifies it within its tenant: the URL of a page, the path of a file below its source's root. `url` is what
    citations link to. `sha256` is the hex digest of the bytes it was made from; `dated` the day (ISO) its content was
    last confirmed, where that is known.
    """

    tenant: str
    key: str
    url: str
    title: str
    citation: str
    markdown: str
    sha256: str
    fetched_at: datetime
    licence: str | None = None
    dated: str | None = None


@dataclass(frozen=True, slots=True)
class Version:
    """What is known of the stored version of a document: enough to decide whether a new one differs."""

    key: str
    sha256: str
    chunks: int
    etag: str | None = None
    last_modified: str | None = None


@dataclass(frozen=True, slots=True)
class Fetch:
    """One attempt to take in a document, as the fetch log keeps it. `bytes` counts the body after decompression."""

    tenant: str
    key: str
    url: str
    at: datetime
    outcome: Literal["new", "changed", "unchanged", "rejected", "withdrawn"]
    reason: str | None = None
    final_url: str | None = None
    status: int | None = None
    content_type: str | None = None
    bytes: int | None = None
    sha256: str | None = None
    etag: str | None = None
    last_modified: str | None = None


@dataclass(frozen=True, slots=True)
class Chunk:
    """A run of a document's Markdown. `ordinal` counts from 0; `heading` is the path "Title > Section"."""

    ordinal: int
    heading: str
    text: str


@dataclass(frozen=True, slots=True)
class Embedded:
    """A chunk's vector, and those of its units packed (see `rag.embedding`)."""

    vector: Vector
    units: bytes


@dataclass(frozen=True, slots=True)
class Passage:
    """A chunk as evidence; `before` and `after` are its neighbours in the document, "" at its ends.

    `units` are the packed vectors of its units, b"" where none are stored.
    """

    chunk_id: int
    document: str
    url: str
    title: str
    citation: str
    heading: str
    text: str
    before: str
    after: str
    dated: str | None
    units: bytes = field(default=b"", repr=False, compare=False)


@dataclass(frozen=True, slots=True)
class Turn:
    """One exchange of a conversation, redacted."""

    question: str
    answer: str


@dataclass(frozen=True, slots=True)
class Question:
    """What is asked, of which tenant, after which turns."""

    tenant: str
    text: str
    history: tuple[Turn, ...] = ()
    notices: tuple[Notice, ...] = ()


@dataclass(frozen=True, slots=True)
class Delta:
    """A piece of the answer's text, checked and ready to be shown."""

    text: str


@dataclass(frozen=True, slots=True)
class Restart:
    """Withdraws the deltas so far."""

    reason: str


@dataclass(frozen=True, slots=True)
class Citation:
    """A number in the text; `source` indexes `Answer.passages`."""

    number: int
    source: int
    url: str
    title: str
    heading: str


@dataclass(frozen=True, slots=True)
class Notice:
    """Something the asker should know beside the answer, such as "this looks like an AWS key: rotate it"."""

    kind: str
    text: str
    private: bool = True


@dataclass(frozen=True, slots=True)
class Usage:
    """What a model call cost. Tokens; `usd` None where the price is unknown."""

    model: str
    input: int
    output: int
    usd: float | None = None


@dataclass(frozen=True, slots=True)
class Answer:
    """The last event of an answer; its text is authoritative.

    `asked` is the redacted question. `confidence` in [0, 1] says how sure it is that the documents cover it,
    or None when nothing was searched.
    """

    id: str
    kind: AnswerKind
    reason: Reason
    text: str
    asked: str
    citations: tuple[Citation, ...] = ()
    passages: tuple[Passage, ...] = ()
    confidence: float | None = None
    usage: Usage | None = None
    notices: tuple[Notice, ...] = ()


@dataclass(frozen=True, slots=True)
class Message:
    """One message to a chat model."""

    role: Literal["system", "user", "assistant"]
    text: str


@dataclass(frozen=True, slots=True)
class Finish:
    """How a chat model's stream ended, and what it cost; the last event of a stream that was not cut off.

    `stop`: it was done, it reached `max_tokens`, it declined (or a filter stopped it), or something else.
    """

    stop: Literal["done", "length", "refusal", "other"]
    usage: Usage


Event = Delta | Restart | Answer
Events = AsyncGenerator[Event, None]


@dataclass(frozen=True, slots=True)
class Candidate:
    """A chunk that at least one leg proposed, with what is known of it.

    `cosine` in [-1, 1]; `bm25` >= 0; `coverage` in [0, 1] is the share of the question's information that the chunk
    covers; the ranks count from 1 and are None where the leg did not propose the chunk.
    """

    chunk_id: int
    cosine: float | None = None
    bm25: float | None = None
    coverage: float | None = None
    dense_rank: int | None = None
    sparse_rank: int | None = None


@dataclass(frozen=True, slots=True)
class Scored:
    """A chunk with its fused score."""

    chunk_id: int
    score: float


@dataclass(frozen=True, slots=True)
class Retrieved:
    """What a search found: passages best first, each with its fused score, and all that the legs proposed."""

    passages: tuple[Passage, ...]
    scores: tuple[float, ...]
    candidates: tuple[Candidate, ...] = field(default=(), repr=False)


class Answerer(Protocol):
    """Yields deltas, perhaps a restart, and exactly one Answer, last.

    Since the last Restart the deltas joined are a prefix of `Answer.text`. Iterate inside `contextlib.aclosing`.
    """

    def answer(self, question: Question) -> Events: ...


class ChatModel(Protocol):
    """Writes text. `name` is "provider:model".

    `stream` yields pieces of text and one Finish, last. With a JSON `schema` the text is one JSON value that fits it.
    It raises Unavailable or Rejected, also in mid-stream. Iterate inside `contextlib.aclosing`.
    """

    name: str

    def stream(
        self, messages: Sequence[Message], *, max_tokens: int, schema: Mapping[str, Any] | None = None
    ) -> AsyncGenerator[str | Finish, None]: ...

    async def aclose(self) -> None: ...


class Embedder(Protocol):
    """Turns texts into unit vectors. `name` identifies the space: vectors of two names are not comparable."""

    name: str
    dimensions: int

    async def embed(self, texts: Sequence[str], role: Role) -> list[Vector]: ...


class Chunker(Protocol):
    """Splits Markdown into chunks. `name` identifies the edition."""

    name: str

    def split(self, title: str, markdown: str) -> Iterable[Chunk]: ...


class Screen(Protocol):
    """Looks at a question before it is answered: rewrites it, passes it on, or answers for it."""

    async def screen(self, question: Question) -> Question | Answer: ...
