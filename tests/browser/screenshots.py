"""Takes the documents' pictures of the page, with a written-down answer from the starter notes.

`python -m tests.browser.screenshots` writes them into docs/images.
"""

from __future__ import annotations

import asyncio
from pathlib import Path

from playwright.async_api import Browser, Page, ViewportSize, expect

from bot.coach import Readiness
from ingest.chunk_headings import HeadingChunker
from ingest.parse_markdown import parse_markdown
from ingest.sources import load_catalogue
from rag.types import Answer, Citation, Passage
from tests.browser.chromium import PHONE, ask, chromium
from tests.fakes_web import ScriptedCoach, staged

ROOT = Path(__file__).parents[2]
IMAGES = ROOT / "docs/images"
NOTES = ROOT / "ingest/starter/aws-saa"
WINDOW: ViewportSize = {"width": 1280, "height": 880}
QUESTION = "Where do I keep logs that are read for a month and then only kept for an audit?"
TEXT = """\
Keep them in **S3 Standard** while they are read often, [1] and let an S3 Lifecycle rule move them down afterwards: \
choose S3 Lifecycle when the useful life of data is known. [3]

| Then move them to | if the audit | and mind that |
|---|---|---|
| S3 Standard-IA | needs them at once [1] | its retrieval fee can cancel out the cheaper storage [2] |
| S3 Glacier Flexible Retrieval | may wait minutes to hours [1] | an object has to be restored before it is read [2] |
| S3 Glacier Deep Archive | can wait hours [1] | it has the lowest storage cost [1] |

- A rule can never move an object back to S3 Standard. [3]
- Every transition request costs money, so combine many small objects before archiving. [4]
"""


def passages(note: str) -> list[Passage]:
    """The passages of a starter note."""
    parsed = parse_markdown((NOTES / note).read_bytes())
    chunks = list(HeadingChunker().split(parsed.title, parsed.markdown))
    texts = ["", *(chunk.text for chunk in chunks), ""]
    return [
        Passage(
            chunk_id=position,
            document=note,
            url=parsed.url or "",
            title=parsed.title,
            citation="CertCoach starter notes",
            heading=chunk.heading,
            text=chunk.text,
            before=texts[position],
            after=texts[position + 2],
            dated=parsed.dated,
        )
        for position, chunk in enumerate(chunks)
    ]


def answer(asked: str) -> Answer:
    """The answer in the pictures."""
    found = (*passages("s3-storage-classes.md"), *passages("s3-lifecycle.md"))
    cited = [Citation(n, n - 1, each.url, each.title, each.heading) for n, each in enumerate(found, 1)]
    return Answer("a", "answer", "none", TEXT, asked, tuple(cited), found, confidence=0.93)


def coach() -> ScriptedCoach:
    """A coach with the tenants of sources.yaml."""
    tenants = tuple(load_catalogue(ROOT / "sources.yaml").tenants.values())
    documents = {tenant.slug: len(list((NOTES.parent / tenant.slug).glob("*.md"))) for tenant in tenants}
    return ScriptedCoach(answer=answer, tenants=tenants, readiness=Readiness({"database": "ok"}, documents))


async def answered(browser: Browser, url: str, scheme: str, viewport: ViewportSize, scale: float = 1) -> Page:
    """The page with its answer, as it looks once everything has come."""
    page = await browser.new_page(
        viewport=viewport,
        color_scheme="dark" if scheme == "dark" else "light",
        reduced_motion="reduce",
        device_scale_factor=scale,
        has_touch=viewport == PHONE,
        is_mobile=viewport == PHONE,
    )
    await page.goto(f"{url}/?tenant=aws-saa")
    await expect(page.locator(".examples li").first).to_be_visible()
    await ask(page, QUESTION)
    await expect(page.locator(".entry .sources")).to_be_visible()
    return page


async def take(folder: Path) -> None:
    """Write page-light.png, page-dark.png and page-phone.png into the folder."""
    async with staged() as stage, chromium() as browser:
        stage.coach = coach()
        light = await answered(browser, stage.url, "light", WINDOW)
        await light.locator(".prose button.cite").nth(3).click()
        await light.evaluate("window.scrollTo(0, 0)")
        await light.screenshot(path=folder / "page-light.png")
        dark = await answered(browser, stage.url, "dark", WINDOW)
        await dark.evaluate("window.scrollTo(0, 0)")
        await dark.screenshot(path=folder / "page-dark.png")
        phone = await answered(browser, stage.url, "light", PHONE, scale=2)
        await phone.screenshot(path=folder / "page-phone.png")


if __name__ == "__main__":
    IMAGES.mkdir(parents=True, exist_ok=True)
    asyncio.run(take(IMAGES))
