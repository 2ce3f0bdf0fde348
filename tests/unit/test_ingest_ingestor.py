"""A run takes in what is new, leaves what is not, and accounts for every document."""

from __future__ import annotations

import asyncio
from pathlib import Path

import pytest

from ingest.chunk_headings import HeadingChunker
from ingest.fetch import Fetched
from ingest.ingestor import Ingestor, Outcome, Report
from rag.errors import DatabaseError, FetchFailed, ProviderError
from rag.types import Blueprint, Fetch, Role, Source, Tenant, Vector, Version
from tests.fakes_ingest import CountingEmbedder, MemoryStore, Ticking

TEXT = "A bucket keeps every version of an object until a lifecycle rule removes the old ones. " * 4
PAGE = "https://docs.example.com/a"


class Shelf:
    """A fetcher whose pages are a dictionary; files come from disk."""

    def __init__(self) -> None:
        self.pages: dict[str, Fetched | Exception] = {}
        self.asked: list[tuple[str, Version | None]] = []

    def put(self, url: str, text: str, *, etag: str | None = None, final_url: str | None = None) -> None:
        self.pages[url] = Fetched(url, text.encode(), final_url or url, 200, "text/markdown", etag=etag)

    async def fetch(self, url: str, previous: Version | None = None) -> Fetched:
        self.asked.append((url, previous))
        found = self.pages[url]
        if isinstance(found, Exception):
            raise found
        return found

    async def read(self, path: Path) -> Fetched:
        return Fetched(str(path), await asyncio.to_thread(path.read_bytes))


class Bench:
    """An ingestor with all that stands around it."""

    def __init__(self, root: Path) -> None:
        self.root = root
        self.store = MemoryStore()
        self.shelf = Shelf()
        self.embedder = CountingEmbedder()
        self.sources: list[Source] = []

    def page(self, url: str = PAGE, cite: str | None = None) -> None:
        self.sources.append(Source("demo", url, "page", "Docs", str(self.root), cite))

    def files(self, pattern: str, cite: str | None = None) -> None:
        self.sources.append(Source("demo", str(self.root / pattern), "file", "Notes", str(self.root), cite))

    def note(self, name: str, text: str = TEXT) -> None:
        path = self.root / name
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_text(text, encoding="utf-8")

    async def run(self, *, force: bool = False, dry_run: bool = False, only: str | None = None) -> dict[str, Outcome]:
        blueprint = Blueprint("1", "2026-01-01", True, ())
        tenant = Tenant("demo", "Demo", "D", "UTC", ("x",), blueprint, tuple(self.sources))
        ingestor = Ingestor(self.store, self.shelf, HeadingChunker(), self.embedder, Ticking())
        run = ingestor.run(tenant, force=force, dry_run=dry_run, only=only)
        return {outcome.key: outcome async for outcome in run}

    def document(self, key: str) -> str:
        return self.store.documents["demo", key].markdown


@pytest.fixture
def bench(tmp_path: Path) -> Bench:
    return Bench(tmp_path)


def results(outcomes: dict[str, Outcome]) -> dict[str, str]:
    return {key: outcome.outcome for key, outcome in outcomes.items()}


async def test_a_second_run_finds_everything_unchanged_and_embeds_nothing(bench: Bench) -> None:
    bench.note("notes/a.md")
    bench.files("notes/*.md")
    bench.shelf.put(PAGE, TEXT, etag='"1"')
    bench.page()
    assert results(await bench.run()) == {"notes/a.md": "new", PAGE: "new"}
    assert results(await bench.run()) == {"notes/a.md": "unchanged", PAGE: "unchanged"}
    assert len(bench.embedder.calls) == 2
    asked = bench.shelf.asked[-1][1]
    assert asked is not None
    assert asked.etag == '"1"'
    assert bench.store.settled == ["demo", "demo"]


async def test_http_304_is_unchanged(bench: Bench) -> None:
    bench.shelf.put(PAGE, TEXT)
    bench.page()
    await bench.run()
    bench.shelf.pages[PAGE] = Fetched(PAGE, b"", PAGE, 304)
    assert results(await bench.run()) == {PAGE: "unchanged"}
    assert bench.store.fetches[-1].status == 304
    assert bench.store.fetches[-1].sha256


async def test_a_changed_document_replaces_its_earlier_version(bench: Bench) -> None:
    bench.note("a.md", TEXT + "old words")
    bench.files("a.md")
    await bench.run()
    bench.note("a.md", TEXT + "other words")
    assert results(await bench.run()) == {"a.md": "changed"}
    assert "old words" not in bench.document("a.md")


async def test_all_chunks_of_a_document_and_their_sentences_are_embedded_in_one_call(bench: Bench) -> None:
    bench.note("a.md", f"# T\n\n{TEXT * 3}\n\n## S\n\n{TEXT * 3}")
    bench.files("a.md")
    outcome = (await bench.run())["a.md"]
    (texts,) = bench.embedder.calls
    chunks = bench.store.chunks["demo", "a.md"]
    assert outcome.chunks == len(chunks) > 1
    assert texts[: len(chunks)] == tuple(chunk.text for chunk in chunks)
    assert all(any(text in chunk.text for chunk in chunks) for text in texts)


async def test_a_rejected_page_keeps_its_earlier_version_and_says_so(bench: Bench) -> None:
    bench.shelf.put(PAGE, TEXT)
    bench.page()
    stored = (await bench.run())[PAGE].chunks
    bench.shelf.pages[PAGE] = FetchFailed("there was no answer")
    outcome = (await bench.run())[PAGE]
    assert (outcome.outcome, outcome.chunks) == ("rejected", stored)
    assert outcome.reason == "there was no answer; the earlier version stays"
    assert bench.document(PAGE)
    assert bench.store.fetches[-1].reason == outcome.reason


async def test_one_documents_failure_does_not_stop_the_run(bench: Bench) -> None:
    bench.shelf.pages[PAGE] = ZeroDivisionError("a fault of ours")
    bench.page()
    bench.note("a.md")
    bench.files("a.md")
    outcomes = await bench.run()
    assert results(outcomes) == {PAGE: "rejected", "a.md": "new"}
    assert "ZeroDivisionError" in (outcomes[PAGE].reason or "")


async def test_a_lost_database_stops_the_run(bench: Bench) -> None:
    class Lost(MemoryStore):
        async def record(self, fetch: Fetch) -> None:
            raise DatabaseError("gone")

    bench.store = Lost()
    bench.shelf.pages[PAGE] = FetchFailed("no answer")
    bench.page()
    with pytest.raises(DatabaseError):
        await bench.run()


async def test_an_embedder_that_fails_rejects_the_document(bench: Bench) -> None:
    class Failing(CountingEmbedder):
        async def embed(self, texts: object, role: Role) -> list[Vector]:
            raise ProviderError("the embedder is away")

    bench.embedder = Failing()
    bench.note("a.md")
    bench.files("a.md")
    assert (await bench.run())["a.md"].reason == "the embedder is away"


async def test_a_document_that_rests_on_a_lost_file_is_withdrawn(bench: Bench) -> None:
    bench.note("notes/a.md")
    bench.note("notes/b.md")
    bench.files("notes/*.md")
    await bench.run()
    (bench.root / "notes/b.md").unlink()
    assert results(await bench.run()) == {"notes/a.md": "unchanged", "notes/b.md": "withdrawn"}
    assert ("demo", "notes/b.md") not in bench.store.documents
    assert bench.store.fetches[-1].outcome == "withdrawn"


async def test_a_folder_that_is_away_withdraws_nothing(bench: Bench) -> None:
    bench.note("notes/a.md")
    bench.files("notes/*.md")
    await bench.run()
    (bench.root / "notes").rename(bench.root / "elsewhere")
    outcomes = await bench.run()
    assert results(outcomes) == {"notes/*.md": "rejected"}
    assert "folder does not exist" in (outcomes["notes/*.md"].reason or "")
    assert ("demo", "notes/a.md") in bench.store.documents


async def test_a_page_that_is_no_longer_listed_is_not_taken_for_a_lost_file(bench: Bench) -> None:
    bench.shelf.put(PAGE, TEXT)
    bench.page()
    await bench.run()
    bench.sources.clear()
    bench.note("a.md")
    bench.files("*.md")
    await bench.run()
    assert ("demo", PAGE) in bench.store.documents


async def test_a_source_without_files_is_named(bench: Bench) -> None:
    bench.files("none.md")
    outcome = (await bench.run())["none.md"]
    assert (outcome.outcome, outcome.reason) == ("rejected", "no file matches; check the path in sources.yaml")


async def test_a_folder_means_the_documents_below_it(bench: Bench) -> None:
    for name in ("n/a.md", "n/deep/b.html", "n/c.mdx", "n/.git/d.md", "n/e.png"):
        bench.note(name, f"<p>{TEXT}</p>")
    bench.files("n")
    assert set(await bench.run()) == {"n/a.md", "n/deep/b.html", "n/c.mdx"}
    (bench.root / "n/deep/b.html").unlink()
    assert results(await bench.run())["n/deep/b.html"] == "withdrawn"


async def test_a_pattern_reaches_into_folders_and_two_sources_take_a_file_once(bench: Bench) -> None:
    bench.note("n/a.md")
    bench.note("n/deep/b.md")
    bench.files("n/**/*.md")
    bench.files("n/a.md")
    assert results(await bench.run()) == {"n/a.md": "new", "n/deep/b.md": "new"}
    assert len(bench.embedder.calls) == 2


async def test_a_dry_run_embeds_and_stores_nothing(bench: Bench) -> None:
    bench.note("a.md")
    bench.files("a.md")
    outcome = (await bench.run(dry_run=True))["a.md"]
    assert (outcome.outcome, outcome.chunks > 0) == ("new", True)
    assert not bench.store.documents
    assert not bench.store.fetches
    assert not bench.embedder.calls
    assert not bench.store.settled


async def test_force_takes_in_unchanged_documents(bench: Bench) -> None:
    bench.shelf.put(PAGE, TEXT)
    bench.page()
    await bench.run()
    assert results(await bench.run(force=True)) == {PAGE: "changed"}
    assert bench.shelf.asked[-1] == (PAGE, None)


async def test_only_limits_the_run_to_keys_that_begin_so(bench: Bench) -> None:
    bench.note("notes/a.md")
    bench.note("notes/b.md")
    bench.files("notes/*.md")
    assert set(await bench.run(only="notes/b")) == {"notes/b.md"}


async def test_a_note_is_cited_at_the_address_it_names(bench: Bench) -> None:
    bench.note("a.md", f"---\nurl: https://docs.example.com/n\ntitle: T\nchecked: 2023-01-02\n---\n# H\n\n{TEXT}")
    bench.note("b.md", f"# H1 title\n\n{TEXT}")
    bench.files("*.md")
    bench.files("c.md", cite="https://docs.example.com/c")
    bench.note("c.md")
    bench.sources.reverse()
    await bench.run()
    a, b, c = (bench.store.documents["demo", key] for key in ("a.md", "b.md", "c.md"))
    assert (a.url, a.title, a.dated, a.markdown[:3]) == ("https://docs.example.com/n", "T", "2023-01-02", "# H")
    assert (b.url, b.title) == ("", "H1 title")
    assert (c.url, c.title) == ("https://docs.example.com/c", "c")


async def test_a_page_is_cited_where_it_was_found_or_where_its_source_says(bench: Bench) -> None:
    bench.shelf.put(PAGE, f"---\nurl: https://evil.example/\n---\n{TEXT}", final_url=PAGE + "/moved")
    bench.page()
    await bench.run()
    assert bench.store.documents["demo", PAGE].url == PAGE + "/moved"
    bench.sources.clear()
    bench.page(cite="https://docs.example.com/shown")
    await bench.run(force=True)
    assert bench.store.documents["demo", PAGE].url == "https://docs.example.com/shown"


async def test_an_unreadable_file_and_a_short_one_are_rejected(bench: Bench) -> None:
    bench.note("a.md", "too short")
    (bench.root / "b.md").write_bytes(b"PK\x03\x04 zip")
    bench.files("*.md")
    outcomes = await bench.run()
    assert results(outcomes) == {"a.md": "rejected", "b.md": "rejected"}
    assert "9 characters" in (outcomes["a.md"].reason or "")


def test_a_report_counts_every_outcome_and_becomes_json() -> None:
    report = Report((Outcome("a", "u", "new", None, 3), Outcome("b", "", "rejected", "why", 0)))
    assert report.as_json() == {
        "documents": [
            {"key": "a", "url": "u", "outcome": "new", "reason": None, "chunks": 3},
            {"key": "b", "url": "", "outcome": "rejected", "reason": "why", "chunks": 0},
        ],
        "totals": {
            "new": 1, "changed": 0, "unchanged": 0, "rejected": 1, "withdrawn": 0, "documents": 2, "chunks": 3,
        },
    }  # fmt: skip
