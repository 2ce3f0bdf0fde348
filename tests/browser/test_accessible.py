"""The page for everybody: no state of it has a violation that axe-core knows."""

from __future__ import annotations

from collections.abc import AsyncIterator
from importlib.resources import files

import pytest
from playwright.async_api import Browser, Page, expect

from bot.web_door import Access
from bot.web_keys import parse_keys
from rag.types import Answer, Delta, Notice
from tests.browser.chromium import PHONE, WIDE, ask, needs_chromium
from tests.fakes_web import ScriptedCoach, Stage, answer, staged

pytestmark = needs_chromium

LOOKS = [("light", WIDE), ("dark", WIDE), ("light", PHONE)]


@pytest.fixture(params=LOOKS, ids=["light", "dark", "phone"])
async def page(
    request: pytest.FixtureRequest, browser: Browser, stage: Stage, coach: ScriptedCoach
) -> AsyncIterator[Page]:
    scheme, viewport = request.param
    context = await browser.new_context(viewport=viewport, color_scheme=scheme, reduced_motion="reduce")
    page = await context.new_page()
    await page.goto(stage.url)
    await expect(page.locator(".examples li").first).to_be_visible()
    yield page
    await context.close()


AXE = files("axe_playwright_python") / "axe.min.js"
FOUND = """axe.run({resultTypes: ["violations"]}).then(({violations}) => violations.flatMap(
    ({id, help, nodes}) => nodes.map(({html}) => `${id}: ${help}: ${html}`)))"""


async def violations(page: Page) -> list[str]:
    """What axe-core finds wrong, a line for each element."""
    await page.evaluate(AXE.read_text(encoding="utf-8"))
    found: list[str] = await page.evaluate(FOUND)
    return found


async def assert_clean(page: Page) -> None:
    assert await violations(page) == []


async def test_a_violation_would_be_found(page: Page) -> None:
    await page.evaluate("document.querySelector('.lead').style.opacity = 0.3")
    await page.evaluate("document.body.append(document.createElement('textarea'))")
    found = " ".join(await violations(page))
    assert "color-contrast" in found
    assert "label" in found


async def test_the_first_sight(page: Page) -> None:
    await assert_clean(page)


async def test_while_reading(page: Page, coach: ScriptedCoach) -> None:
    coach.early = 0
    await ask(page, "Why?")
    await expect(page.locator(".status.busy")).to_be_visible()
    await assert_clean(page)
    coach.go_on.set()


async def test_while_an_answer_streams(page: Page, coach: ScriptedCoach) -> None:
    coach.events, coach.early = (Delta("Each partition has its own racks [1]."), answer("Why?")), 1
    await ask(page, "Why?")
    await expect(page.locator(".entry .prose")).to_be_visible()
    await assert_clean(page)
    coach.go_on.set()


async def test_an_answer_its_passage_and_a_comment(page: Page) -> None:
    await ask(page, "Why?")
    await expect(page.locator(".entry .sources")).to_be_visible()
    await assert_clean(page)
    await page.get_by_role("button", name="Not helpful").click()
    await expect(page.locator(".comment")).to_be_visible()
    await assert_clean(page)
    for cite in (page.locator(".prose button.cite").first, page.locator(".prose button.cite").last):
        await cite.click()
        await expect(page.get_by_role("dialog")).to_be_visible()
        await assert_clean(page)
        await page.keyboard.press("Escape")


async def test_an_unknown_and_a_refusal_with_notices(page: Page, coach: ScriptedCoach) -> None:
    notices = (Notice("secret", "Rotate it."), Notice("budget", "Used up until midnight."), Notice("new", "Something."))
    coach.events = (Answer("a", "unknown", "not_covered", "The documents don't cover this.", "Why?", notices=notices),)
    await ask(page, "Why?")
    await expect(page.locator(".notice")).to_have_count(3)
    coach.events = (Answer("b", "refusal", "exam_integrity", "I don't help in an exam.", "Why?"),)
    await ask(page, "Why?")
    await expect(page.locator(".verdict")).to_have_count(2)
    await assert_clean(page)


async def test_an_error_a_stopped_answer_and_being_offline(page: Page, coach: ScriptedCoach) -> None:
    coach.failures = 1
    await ask(page, "Why?")
    await expect(page.locator(".verdict")).to_be_visible()
    coach.early = 1
    await ask(page, "And why?")
    await expect(page.locator(".entry .prose")).to_be_visible()
    await page.get_by_role("button", name="Stop").click()
    await expect(page.locator(".entry .status")).to_have_text("Stopped.")
    await page.context.set_offline(True)
    await expect(page.locator("#offline")).to_be_visible()
    await assert_clean(page)


async def test_a_conversation_that_was_brought_back(page: Page) -> None:
    await ask(page, "Why?")
    await expect(page.locator(".entry .sources")).to_be_visible()
    await page.reload()
    await expect(page.locator(".entry .prose")).to_be_visible()
    await assert_clean(page)


async def test_a_page_that_cannot_open(page: Page, coach: ScriptedCoach) -> None:
    coach.unready = 1
    await page.reload()
    await expect(page.get_by_role("button", name="Try again")).to_be_visible()
    await assert_clean(page)


async def test_the_question_for_a_key(page: Page) -> None:
    async with staged(Access(parse_keys("*:open-sesame", ()))) as guarded:
        await page.goto(guarded.url)
        await page.get_by_label("Key", exact=True).fill("not-the-key")
        await page.get_by_role("button", name="Open").click()
        await expect(page.get_by_role("alert")).to_be_visible()
        await assert_clean(page)


async def test_the_reference_of_the_api(page: Page, stage: Stage) -> None:
    await page.goto(f"{stage.url}/docs")
    await assert_clean(page)
