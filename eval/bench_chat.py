"""Measures what the product adds to a language model's stream: until the first sentence is shown, and to the end."""

from __future__ import annotations

import asyncio
import os
import sys
from collections.abc import AsyncGenerator, AsyncIterator, Callable, Coroutine, Iterator, Mapping, Sequence
from contextlib import aclosing, asynccontextmanager, contextmanager
from dataclasses import dataclass
from random import Random
from time import perf_counter
from typing import TypeVar

from rich.console import Console

from bot.coach import Coach
from bot.progress import ingest_all
from bot.wiring import App, open_app
from eval.bench import Spread, spread
from eval.corpus import PROJECT, find, folders, load_genuine
from eval.dataset import load_gold
from eval.ground import NOTES, WHOLE, Ground, evaluation_catalogue, tell
from eval.pace import CITED
from eval.runner import askable
from rag.errors import CertCoachError
from rag.grounded import MAX_TOKENS
from rag.prompts import compose
from rag.settings import Settings
from rag.types import Answer, ChatModel, Delta, Finish, Message, Question, Restart

MODEL = "openai:paced"
CONVERSATIONS: Mapping[int, int] = {1: 8, 8: 16, 32: 64}
"""Conversations in all, by how many go on at once; they start together."""
FOLLOW_UP = "Why is that?"
"""The second question of each conversation."""
ALONE = {
    "chat": MODEL,
    "chat_fallback": None,
    "anthropic_api_key": None,
    "rate": 0,
    "daily_tokens": 0,
    "daily_tokens_person": 0,
}
"""Settings of the measurement: one chat model, and no limit on questions or tokens."""
Item = TypeVar("Item")
Outcome = TypeVar("Outcome")


@dataclass(frozen=True, slots=True)
class Timed:
    """Seconds from a question, or a request, to its first whole sentence and to its end."""

    first: float
    end: float


@dataclass(frozen=True, slots=True)
class Pair:
    """An answer, and the raw stream of the prompt that it was written from."""

    product: Timed
    raw: Timed


@dataclass(frozen=True, slots=True)
class Load:
    """So many conversations at once: questions asked, and the answers that the model wrote to the end."""

    at_once: int
    asked: int
    pairs: tuple[Pair, ...]

    def spread(self, of: Callable[[Pair], float]) -> Spread:
        """How a duration, or a difference of two, is spread over the answers."""
        return spread([of(pair) for pair in self.pairs])


@dataclass(frozen=True, slots=True)
class ChatBench:
    """What was measured; the memory of this process in bytes, before the first conversation and after the last."""

    corpus: str
    loads: tuple[Load, ...]
    idle: int
    after: int


@dataclass(frozen=True, slots=True)
class Said:
    """A question that was put to the coach, its answer, and when that came; `restarted` when a draft was withdrawn."""

    question: Question
    answer: Answer
    timed: Timed
    restarted: bool

    @property
    def is_written(self) -> bool:
        """Whether the model's own text was shown to its end."""
        return self.answer.kind == "answer" and not self.restarted and not self.answer.notices


async def run_chat_bench(settings: Settings, console: Console) -> ChatBench:
    """Hold conversations with the wired product, whose model is a local server that keeps its pace."""
    async with paced_server() as url:
        with provider_at(url):
            async with open_writing(settings, console) as ground:
                return await measure(ground, console)


async def measure(ground: Ground, console: Console) -> ChatBench:
    """All loads, one after the other, each with questions that are new to the process."""
    texts = shuffled(ground)
    await converse(ground.app.coach, *texts[-1], "warm-up")
    await stream(ground.app.models.chat[0], [Message("user", "warm up")])
    idle, loads = proportional_memory(), []
    for at_once, conversations in CONVERSATIONS.items():
        console.print(f"measuring: {at_once} at once", highlight=False)
        chosen, texts = texts[:conversations], texts[conversations:] + texts[:conversations]
        loads.append(await hold(ground.app, at_once, chosen))
    corpus = "the evaluation corpus" if ground.present else "the starter notes"
    return ChatBench(corpus, tuple(loads), idle, proportional_memory())


async def hold(app: App, at_once: int, texts: Sequence[tuple[str, str]]) -> Load:
    """Hold a conversation about each text, so many at a time; then read the raw streams of their prompts alike."""

    async def talk(place: int) -> Sequence[Said]:
        return await converse(app.coach, *texts[place], f"{at_once}-{place}")

    said = [each for talked in await side_by_side(talk, range(len(texts)), at_once) for each in talked]
    written = [each for each in said if each.is_written]

    async def read(each: Said) -> Timed:
        messages = compose(app.settings.prompt, each.question, each.answer.passages, each.answer.id[:8])
        return await stream(app.models.chat[0], messages)

    raw = await side_by_side(read, written, at_once)
    return Load(at_once, len(said), tuple(Pair(each.timed, one) for each, one in zip(written, raw, strict=True)))


async def converse(coach: Coach, tenant: str, text: str, name: str) -> Sequence[Said]:
    """A conversation of its own, by a person of its own: a question and a follow-up. It is forgotten afterwards."""
    said = [await ask(coach, Question(tenant, each), name) for each in (text, FOLLOW_UP)]
    await coach.forget(tenant, name, name)
    return said


async def ask(coach: Coach, question: Question, name: str) -> Said:
    """Ask, and note when the first text was shown and when the answer was there."""
    start, first, restarted = perf_counter(), 0.0, False
    async with aclosing(coach.ask(question.tenant, question.text, name, name)) as events:
        async for event in events:
            match event:
                case Delta():
                    first = first or perf_counter() - start
                case Restart():
                    restarted = True
                case Answer():
                    return Said(question, event, Timed(first, perf_counter() - start), restarted)
    raise AssertionError("an answer comes last")


async def stream(model: ChatModel, messages: Sequence[Message]) -> Timed:
    """Read the model's stream and nothing else, by the provider's own library."""
    start, first, text = perf_counter(), 0.0, ""
    async with aclosing(model.stream(messages, max_tokens=MAX_TOKENS)) as events:
        async for event in events:
            text += "" if isinstance(event, Finish) else event
            first = first or (perf_counter() - start if CITED in text else 0.0)
    return Timed(first, perf_counter() - start)


async def side_by_side(
    work: Callable[[Item], Coroutine[None, None, Outcome]], items: Sequence[Item], at_once: int
) -> list[Outcome]:
    """The outcomes in the order of the items, of which so many are at work at any time."""
    gate = asyncio.Semaphore(at_once)

    async def one(item: Item) -> Outcome:
        async with gate:
            return await work(item)

    async with asyncio.TaskGroup() as group:
        tasks = [group.create_task(one(item)) for item in items]
    return [task.result() for task in tasks]


@asynccontextmanager
async def open_writing(settings: Settings, console: Console) -> AsyncIterator[Ground]:
    """The product with the paced model, over the genuine documents where they are, else over the notes alone."""
    documents = load_genuine()
    found = find(documents, folders(settings))
    tell(len(documents) - len(found), console)
    prefix = WHOLE if found else NOTES
    catalogue = evaluation_catalogue(documents, found, prefix)
    async with open_app(settings.model_copy(update=ALONE), catalogue) as app:
        await ingest_all(app, console)
        yield Ground(app, app.embedder, prefix, frozenset(found), ())


def shuffled(ground: Ground) -> list[tuple[str, str]]:
    """Tenants and texts of the gold questions in all phrasings, in an order that is the same at each run."""
    gold = askable(load_gold(), ground).answerable
    texts = [(ground.prefix + each.tenant, text) for each in gold for text in each.phrasings.values()]
    Random(0).shuffle(texts)
    return texts


@asynccontextmanager
async def paced_server() -> AsyncGenerator[str, None]:
    """The stand-in for a model's server, in a process of its own; its base URL."""
    command = (sys.executable, "-m", "eval.pace")
    process = await asyncio.create_subprocess_exec(*command, cwd=PROJECT, stdout=asyncio.subprocess.PIPE)
    assert process.stdout is not None
    try:
        said, _, url = (await process.stdout.readline()).decode().strip().partition(" ")
        if said != "ready":
            raise CertCoachError("The paced server did not start. Run `python -m eval.pace` to see why.")
        yield url
    finally:
        if process.returncode is None:
            process.terminate()
        await process.wait()


@contextmanager
def provider_at(url: str) -> Iterator[None]:
    """Point OpenAI's library at this address, in this process and for this while."""
    own = {"OPENAI_BASE_URL": url, "OPENAI_API_KEY": "paced", "NO_PROXY": "127.0.0.1"}
    before = {name: os.environ.get(name) for name in own}
    os.environ.update(own)
    try:
        yield
    finally:
        for name, value in before.items():
            os.environ.pop(name) if value is None else os.environ.update({name: value})


def proportional_memory() -> int:
    """This process's proportional set size in bytes; its resident size where there is none."""
    import psutil  # eval.bench_server says how to install it

    info = psutil.Process().memory_full_info()
    return int(getattr(info, "pss", info.rss))
