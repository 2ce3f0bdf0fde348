"""Pages are fetched over real connections, within limits of size, time, place and patience."""

from __future__ import annotations

import gzip
import zlib
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from pathlib import Path

import httpx
import pytest
import yaml

from ingest.addresses import AddressGuard, GuardedTransport
from ingest.chunk_headings import HeadingChunker
from ingest.fetch import Fetcher, Limits, open_fetcher
from ingest.ingestor import Ingestor, Outcome
from rag.errors import FetchFailed, Unreadable
from rag.types import Blueprint, Source, Tenant, Version
from tests.fakes_ingest import CountingEmbedder, MemoryStore, Ticking
from tests.sites import Page, Site, serve

QUICK = Limits(size=100_000, seconds=20, waits=(0.0, 0.0), longest_wait=0.0)
HTML = {"Content-Type": "text/html; charset=iso-8859-1"}


class Names:
    """A resolver that answers each question with the next of its addresses."""

    def __init__(self, *addresses: str) -> None:
        self.addresses = list(addresses)
        self.asked: list[str] = []

    async def __call__(self, host: str, port: int) -> list[str]:
        self.asked.append(host)
        return [self.addresses.pop(0)]


@asynccontextmanager
async def fetcher(allow: tuple[str, ...], names: Names) -> AsyncIterator[Fetcher]:
    async with httpx.AsyncClient(transport=GuardedTransport(AddressGuard(allow, names))) as client:
        yield Fetcher(client, QUICK)


async def test_a_page_comes_with_what_the_server_said_of_it() -> None:
    headers = {**HTML, "ETag": '"7"', "Last-Modified": "Mon, 01 Jan 2024 00:00:00 GMT"}
    with serve({"/a": Page(b"na\xefve", 200, headers)}) as site:
        async with open_fetcher([site.host]) as fetching:
            fetched = await fetching.fetch(site.url("/a"))
    assert (fetched.body, fetched.status, fetched.content_type, fetched.charset) == (
        b"na\xefve",
        200,
        "text/html",
        "iso-8859-1",
    )
    assert (fetched.etag, fetched.last_modified) == ('"7"', "Mon, 01 Jan 2024 00:00:00 GMT")
    assert fetched.final_url == site.url("/a")
    sent = site.requests[0].headers
    assert sent["user-agent"].startswith("CertCoach/")
    assert sent["user-agent"].endswith("(+study bot)")
    assert sent["host"] == site.host


async def test_a_known_version_is_asked_for_conditionally() -> None:
    with serve({"/a": Page(b"x", 200, {"ETag": '"7"'})}) as site:
        async with open_fetcher([site.host]) as fetching:
            fetched = await fetching.fetch(site.url("/a"), Version("k", "s", 1, '"7"', "yesterday"))
    assert (fetched.status, fetched.body) == (304, b"")
    assert site.requests[0].headers["if-modified-since"] == "yesterday"


async def test_redirects_are_followed_five_times_and_no_more() -> None:
    hops = {f"/{n}": Page(b"", 302, {"Location": f"/{n + 1}"}) for n in range(9)}
    with serve({**hops, "/9": Page(b"end")}) as site:
        async with open_fetcher([site.host]) as fetching:
            fetched = await fetching.fetch(site.url("/4"))
            assert (fetched.final_url, fetched.body) == (site.url("/9"), b"end")
            with pytest.raises(Unreadable, match="redirects more than 5 times"):
                await fetching.fetch(site.url("/3"))


@pytest.mark.parametrize("target", ["http://127.0.0.2:{port}/b", "http://localhost:{port}/b", "http://[::1]:{port}/b"])
async def test_a_redirect_to_a_private_address_is_refused(target: str) -> None:
    with serve({"/b": Page(b"secret")}) as site:
        site.pages["/a"] = Page(b"", 302, {"Location": target.format(port=site.port)})
        async with open_fetcher([site.host]) as fetching:
            with pytest.raises(Unreadable, match=r"not a public address.*CERTCOACH_FETCH_ALLOW"):
                await fetching.fetch(site.url("/a"))
    assert [request.path for request in site.requests] == ["/a"]


@pytest.mark.parametrize("target", ["file:///etc/passwd", "ftp://h.example/x", "http://", "http://[bad/"])
async def test_a_redirect_to_what_is_no_web_page_is_unreadable_or_fails(target: str) -> None:
    with serve({"/a": Page(b"", 302, {"Location": target})}) as site:
        async with open_fetcher([site.host], QUICK) as fetching:
            with pytest.raises((Unreadable, FetchFailed)):
                await fetching.fetch(site.url("/a"))


async def test_without_permission_this_machine_is_not_fetched() -> None:
    with serve({"/a": Page(b"secret")}) as site:
        async with open_fetcher() as fetching:
            with pytest.raises(Unreadable, match="CERTCOACH_FETCH_ALLOW"):
                await fetching.fetch(site.url("/a"))
    assert not site.requests


async def test_the_connection_goes_to_the_address_that_was_checked() -> None:
    with serve({"/a": Page(b"x")}) as site:
        names = Names("127.0.0.1", "169.254.169.254")
        async with fetcher((f"h.example:{site.port}",), names) as fetching:
            fetched = await fetching.fetch(f"http://h.example:{site.port}/a")
    assert fetched.body == b"x"
    assert names.asked == ["h.example"]
    assert site.requests[0].headers["host"] == f"h.example:{site.port}"


async def test_a_name_that_resolves_privately_the_second_time_gains_nothing() -> None:
    with serve({"/a": Page(b"", 302, {"Location": "http://rebind.example/b"})}) as site:
        names = Names("127.0.0.1", "10.0.0.1")
        async with fetcher((f"h.example:{site.port}",), names) as fetching:
            with pytest.raises(Unreadable, match=r"rebind\.example is at 10\.0\.0\.1"):
                await fetching.fetch(f"http://h.example:{site.port}/a")


async def test_busy_and_failing_servers_are_asked_three_times() -> None:
    with serve({"/a": [Page(b"", 503), Page(b"", 429), Page(b"fine")], "/b": Page(b"", 500)}) as site:
        async with open_fetcher([site.host], QUICK) as fetching:
            assert (await fetching.fetch(site.url("/a"))).body == b"fine"
            assert (await fetching.fetch(site.url("/b"))).status == 500
    assert [request.path for request in site.requests] == ["/a"] * 3 + ["/b"] * 3


async def test_retry_after_is_honoured_up_to_a_limit() -> None:
    waited: list[float] = []

    async def pause(seconds: float) -> None:
        waited.append(seconds)

    pages = [Page(b"", 429, {"Retry-After": "9"}), Page(b"", 503, {"Retry-After": "9999"}), Page(b"fine")]
    with serve({"/a": pages}) as site:
        async with httpx.AsyncClient(transport=GuardedTransport(AddressGuard([site.host]))) as client:
            await Fetcher(client, Limits(), pause).fetch(site.url("/a"))
    assert waited == [9, 15]


async def test_no_server_is_a_failure_in_words() -> None:
    with serve({}) as site:
        gone = site.url("/a")
    async with open_fetcher([site.host], QUICK) as fetching:
        with pytest.raises(FetchFailed, match="there was no answer"):
            await fetching.fetch(gone)


async def test_a_page_over_the_limit_is_refused() -> None:
    with serve({"/a": Page(b"x" * 100_001), "/b": Page(b"x" * 100_000)}) as site:
        async with open_fetcher([site.host], QUICK) as fetching:
            assert len((await fetching.fetch(site.url("/b"))).body) == 100_000
            with pytest.raises(Unreadable, match="too large"):
                await fetching.fetch(site.url("/a"))


async def test_size_counts_after_decompression() -> None:
    bomb = gzip.compress(b"x" * 50_000_000)
    with serve({"/a": Page(bomb, 200, {"Content-Encoding": "gzip"})}) as site:
        async with open_fetcher([site.host], QUICK) as fetching:
            with pytest.raises(Unreadable, match="too large"):
                await fetching.fetch(site.url("/a"))


@pytest.mark.parametrize(
    ("body", "encoding"),
    [
        (gzip.compress(b"one") + gzip.compress(b"two"), "gzip"),
        (zlib.compress(b"onetwo"), "deflate"),
        (gzip.compress(b"onetwo"), "x-gzip"),
        (b"onetwo", "identity"),
    ],
)
async def test_compressed_pages_are_read(body: bytes, encoding: str) -> None:
    with serve({"/a": Page(body, 200, {"Content-Encoding": encoding})}) as site:
        async with open_fetcher([site.host], QUICK) as fetching:
            assert (await fetching.fetch(site.url("/a"))).body == b"onetwo"


@pytest.mark.parametrize("body", [gzip.compress(b"onetwo" * 50)[:-12], b"no gzip at all"])
async def test_damaged_compression_is_a_failure(body: bytes) -> None:
    with serve({"/a": Page(body, 200, {"Content-Encoding": "gzip"})}) as site:
        async with open_fetcher([site.host], QUICK) as fetching:
            with pytest.raises(FetchFailed, match="damaged"):
                await fetching.fetch(site.url("/a"))


async def test_a_body_that_breaks_off_is_a_failure() -> None:
    with serve({"/a": Page(b"half", 200, {"Content-Length": "8", "Connection": "close"})}) as site:
        async with open_fetcher([site.host], QUICK) as fetching:
            with pytest.raises(FetchFailed, match="there was no answer"):
                await fetching.fetch(site.url("/a"))


async def test_an_encoding_that_was_not_asked_for_is_refused() -> None:
    with serve({"/a": Page(b"x", 200, {"Content-Encoding": "br"})}) as site:
        async with open_fetcher([site.host], QUICK) as fetching:
            with pytest.raises(Unreadable, match="compressed as br"):
                await fetching.fetch(site.url("/a"))


async def test_a_server_that_never_ends_is_given_up() -> None:
    with serve({"/a": Page(b"half", 200, {"Content-Length": "8"})}) as site:
        async with open_fetcher([site.host], Limits(seconds=0.3, waits=())) as fetching:
            with pytest.raises(FetchFailed, match=r"took longer than 0\.3 seconds|there was no answer"):
                await fetching.fetch(site.url("/a"))


async def test_files_have_the_same_limit(tmp_path: Path) -> None:
    (tmp_path / "big.md").write_bytes(b"x" * 100_001)
    async with open_fetcher((), QUICK) as fetching:
        with pytest.raises(Unreadable, match="too large"):
            await fetching.read(tmp_path / "big.md")
        with pytest.raises(FetchFailed, match="cannot be read"):
            await fetching.read(tmp_path / "none.md")


# The genuine documents, as a site would serve them.

TYPES = {".html": "text/html", ".md": "text/markdown", ".mdx": "text/markdown"}


def corpus_site(folder: Path) -> dict[str, Page | list[Page]]:
    files = sorted(path for path in folder.rglob("*") if path.suffix in TYPES and path.parent != folder)
    files = [path for path in files if path.name != "LICENSES.md"]
    return {
        "/" + path.relative_to(folder).as_posix(): Page(path.read_bytes(), 200, {"Content-Type": TYPES[path.suffix]})
        for path in files
    }


async def take_in(site: Site, store: MemoryStore, embedder: CountingEmbedder) -> dict[str, Outcome]:
    sources = tuple(Source("demo", site.url(path), "page", "Docs") for path in site.pages)
    tenant = Tenant("demo", "Demo", "D", "UTC", ("x",), Blueprint("1", "2026-01-01", True, ()), sources)
    async with open_fetcher([site.host]) as fetching:
        ingestor = Ingestor(store, fetching, HeadingChunker(), embedder, Ticking())
        return {outcome.key.removeprefix(site.url("")): outcome async for outcome in ingestor.run(tenant)}


async def test_every_genuine_document_is_accounted_for_and_a_second_run_embeds_nothing(shared: Path) -> None:
    store, embedder = MemoryStore(), CountingEmbedder()
    with serve(corpus_site(shared / "corpora")) as site:
        first = await take_in(site, store, embedder)
        second = await take_in(site, store, CountingEmbedder())
    expected = yaml.safe_load((shared / "corpora/messy-html/expected.yaml").read_text(encoding="utf-8"))["cases"]
    rejected = {f"/messy-html/{case['file']}" for case in expected if case["outcome"] == "rejected"}
    assert set(first) == set(site.pages)
    assert {key for key, outcome in first.items() if outcome.outcome == "rejected"} == rejected
    assert {outcome.outcome for key, outcome in second.items() if key not in rejected} == {"unchanged"}
    for case in expected:
        if case["outcome"] == "stored":
            text = store.documents["demo", site.url(f"/messy-html/{case['file']}")].markdown
            assert all(words in text for words in case.get("text_contains", []))
            assert not any(words in text for words in case.get("text_lacks", []))
            assert first[f"/messy-html/{case['file']}"].chunks > 1
