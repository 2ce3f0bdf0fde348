"""The composition root: builds the application from the settings, and opens and closes what it needs."""

from __future__ import annotations

from collections.abc import AsyncIterator
from contextlib import AsyncExitStack, asynccontextmanager
from dataclasses import dataclass
from datetime import UTC, datetime
from pathlib import Path
from uuid import uuid4

from bot.budget import Budget, Limits
from bot.coach import Answerers, Coach, Memory
from bot.conversations import Conversations
from bot.declined import Declined
from bot.screens import Guards, build_guards
from guardrails.maskbook import MaskBook
from guardrails.modes import Modes
from ingest.chunk_headings import HeadingChunker
from ingest.fetch import Fetches, Offline, open_fetcher
from ingest.ingestor import Ingestor
from ingest.sources import Catalogue
from rag import db
from rag.corpus import Corpus
from rag.embedded import embedded_postgres, open_home
from rag.errors import ConfigError
from rag.extractive import ExtractiveAnswerer
from rag.grounded import GroundedAnswerer
from rag.library import Library
from rag.providers import load_chat_models, load_embedder
from rag.reading import Reader
from rag.remember import Remembering, Stored
from rag.retrieve import Recipe, Retriever
from rag.settings import Settings
from rag.types import Answerer, ChatModel, Chunker, Embedder

CHUNKERS = {"headings": HeadingChunker}
QUOTING = 4_000
"""Characters of passages that quotes are taken from."""
WRITING = 12_000
"""Characters of passages that a chat model is given."""


@dataclass(frozen=True, slots=True)
class Models:
    """The models in use: one embedder, and the chat models in the order in which they are tried."""

    embedder: Embedder
    chat: tuple[ChatModel, ...] = ()


@dataclass(frozen=True, slots=True)
class App:
    """The open application."""

    settings: Settings
    catalogue: Catalogue
    pool: db.Pool
    models: Models
    guards: Guards
    library: Library
    ingestor: Ingestor
    retriever: Retriever
    declined: Declined
    coach: Coach

    @property
    def embedder(self) -> Embedder:
        return self.models.embedder


@asynccontextmanager
async def open_app(settings: Settings, catalogue: Catalogue) -> AsyncIterator[App]:
    """Everything that a command needs, closed again at the end."""
    async with AsyncExitStack() as stack:
        home = open_home(settings.home)
        url = await stack.enter_async_context(open_database(settings, home))
        pool = await stack.enter_async_context(db.open_pool(url))
        models = Models(load_embedder(settings.embedder, home), load_chat_models(settings))
        for model in models.chat:
            stack.push_async_callback(model.aclose)
        fetcher = await stack.enter_async_context(open_fetcher(settings.fetch_allow))
        app = build_app(settings, catalogue, pool, models, Offline(fetcher) if settings.offline else fetcher)
        for slug in catalogue.tenants:
            await app.declined.learn(slug)
        yield app


@asynccontextmanager
async def open_database(settings: Settings, home: Path) -> AsyncIterator[str]:
    """The address of the database: DATABASE_URL, or the embedded server's."""
    if settings.database_url is not None:
        yield settings.database_url.get_secret_value()
        return
    async with embedded_postgres(home) as url:
        yield url


def build_app(settings: Settings, catalogue: Catalogue, pool: db.Pool, models: Models, fetcher: Fetches) -> App:
    """Join the parts around an open pool and loaded models."""
    remembering = Remembering(models.embedder)
    chunker = build_chunker(settings.chunker)
    library = Library(pool, space=models.embedder.name, edition=chunker.name)
    limits = Limits(settings.daily_tokens, settings.daily_tokens_person, settings.rate)
    stored = Stored(models.embedder, pool)
    guards = build_guards(catalogue, remembering, stored, modes(settings, catalogue), new_id)
    declined, entrance = Declined(pool, guards.judge), guards.entrance(MaskBook(pool))
    memory = Memory(pool, library, Conversations(pool), declined, Budget(pool, limits), entrance)
    quoting = build_answerer(settings, pool, Models(remembering), guards)
    writing = build_answerer(settings, pool, Models(remembering, models.chat), guards) if models.chat else None
    return App(
        settings=settings,
        catalogue=catalogue,
        pool=pool,
        models=Models(remembering, models.chat),
        guards=guards,
        library=library,
        ingestor=Ingestor(library, fetcher, chunker, stored, lambda: datetime.now(UTC)),
        retriever=build_retriever(settings, pool, remembering),
        declined=declined,
        coach=Coach(catalogue, Answerers(writing, quoting), memory, new_id),
    )


def modes(settings: Settings, catalogue: Catalogue) -> Modes:
    """How each screen is switched: by CERTCOACH_GUARD, and by a tenant's own word in sources.yaml."""
    return Modes(settings.guard, {slug: dict(tenant.guard) for slug, tenant in catalogue.tenants.items()})


def build_retriever(settings: Settings, pool: db.Pool, embedder: Embedder, *, budget: int = QUOTING) -> Retriever:
    """The search that the settings describe."""
    corpus = Corpus(pool, space=embedder.name, edition=settings.chunker)
    recipe = Recipe(
        mode=settings.mode,
        lexical=settings.lexical,
        fusion=settings.fusion,
        budget=settings.budget_chars or budget,
    )
    return Retriever(corpus, embedder, recipe)


def build_answerer(settings: Settings, pool: db.Pool, models: Models, guards: Guards) -> Answerer:
    """The way of answering, and the guardrails around it."""
    retriever = build_retriever(settings, pool, models.embedder, budget=WRITING if models.chat else QUOTING)
    reader = Reader(retriever, models.embedder, settings.gate)
    quoting = ExtractiveAnswerer(reader, new_id)
    writing = GroundedAnswerer(reader, models.chat, quoting, settings.prompt, new_id)
    inner: Answerer = writing if models.chat else quoting
    return guards.around(inner)


def build_chunker(name: str) -> Chunker:
    """The chunker of this name, such as "headings-1200". Raises ConfigError for one that is unknown."""
    kind, _, size = name.partition("-")
    if kind not in CHUNKERS or not size.isdigit() or not 200 <= int(size) <= 20_000:
        raise ConfigError(f"CERTCOACH_CHUNKER {name!r} is unknown. Use headings-SIZE with 200 to 20000 characters.")
    return CHUNKERS[kind](int(size))


def new_id() -> str:
    """An id for an answer."""
    return uuid4().hex
