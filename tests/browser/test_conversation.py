"""The page's memory in a real Chromium: conversations that can be resumed, rated and deleted, and the key."""

from __future__ import annotations

import re
from collections.abc import AsyncIterator

import pytest
from playwright.async_api import BrowserContext, Page, Route, expect

from bot.conversations import Talk
from bot.web_door import Access
from bot.web_keys import parse_keys
from rag.types import Answer
from tests.browser.chromium import ask, needs_chromium
from tests.fakes_web import ScriptedCoach, Stage, staged

pytestmark = needs_chromium

KEY = "open-sesame-0123456789"


async def answered(page: Page, question: str, count: int = 1) -> None:
    await ask(page, question)
    await expect(page.locator(".entry .sources")).to_have_count(count)


# --- memory ---


async def test_a_reload_brings_the_conversation_back_and_continues_it(page: Page, coach: ScriptedCoach) -> None:
    await answered(page, "First?")
    await answered(page, "Second?", 2)
    await page.reload()
    await expect(page.locator(".entry h2")).to_have_text(["First?", "Second?"])
    await expect(page.locator(".entry .prose").first).to_contain_text("Each partition has its own set of racks")
    await expect(page.locator(".prose button.cite")).to_have_count(0)
    await expect(page.locator("#welcome")).to_be_hidden()
    await ask(page, "Third?")
    await expect(page.locator(".entry .sources")).to_have_count(1)
    assert len({talk.id for talk, _ in coach.asked}) == 1


async def test_another_tab_has_a_conversation_of_its_own(
    page: Page, context: BrowserContext, stage: Stage, coach: ScriptedCoach
) -> None:
    await answered(page, "Here?")
    other = await context.new_page()
    await other.goto(stage.url)
    await answered(other, "There?")
    assert len({talk.id for talk, _ in coach.asked}) == 2


async def test_each_certification_has_a_conversation_of_its_own(page: Page, coach: ScriptedCoach) -> None:
    await answered(page, "One?")
    await page.get_by_label("Certification").select_option("gcp-ace")
    await answered(page, "Two?", 2)
    first, second = (talk for talk, _ in coach.asked)
    assert (first.tenant, second.tenant) == ("aws-saa", "gcp-ace")
    assert first.id != second.id
    await expect(page.locator(".kicker:visible")).to_have_count(2)


async def test_a_new_conversation_deletes_the_old_one_on_the_server(page: Page, coach: ScriptedCoach) -> None:
    await answered(page, "First?")
    assert coach.kept
    await page.get_by_role("button", name="New conversation").click()
    await expect(page.locator(".entry")).to_have_count(0)
    assert not coach.kept
    await page.reload()
    await expect(page.locator("#welcome")).to_be_visible()


async def test_a_conversation_that_cannot_be_deleted_is_not_called_deleted(page: Page, coach: ScriptedCoach) -> None:
    async def cut(route: Route) -> None:
        await route.abort()

    await answered(page, "First?")
    await page.route("**/v1/conversations/**", cut)
    await page.get_by_role("button", name="New conversation").click()
    await expect(page.locator("#trouble")).to_contain_text("could not be deleted")
    await expect(page.locator(".entry")).to_have_count(1)
    await page.unroute("**/v1/conversations/**")
    await page.get_by_role("button", name="New conversation").click()
    await expect(page.locator(".entry")).to_have_count(0)
    await expect(page.locator("#trouble")).to_be_hidden()


async def test_a_conversation_that_has_expired_is_forgotten(page: Page, coach: ScriptedCoach) -> None:
    await answered(page, "First?")
    coach.kept.clear()
    await page.reload()
    await expect(page.get_by_role("heading", name="What are you unsure about?")).to_be_visible()
    await answered(page, "Second?")
    assert len({talk.id for talk, _ in coach.asked}) == 2


# --- thumbs ---


async def test_a_thumb_and_a_comment_reach_the_server(page: Page, coach: ScriptedCoach) -> None:
    await answered(page, "Why?")
    (talk,) = coach.kept
    thumb = page.get_by_role("button", name="Not helpful")
    await thumb.click()
    await expect(thumb).to_have_attribute("aria-pressed", "true")
    await page.get_by_label("What was wrong or missing? (optional)").fill("It lacks an example.")
    await page.get_by_role("button", name="Send").click()
    await expect(page.locator(".said")).to_have_text("Thank you.")
    await expect(thumb).to_be_focused()
    assert (coach.kept[talk][0].helpful, coach.kept[talk][0].comment) == (False, "It lacks an example.")


async def test_the_other_thumb_takes_the_first_ones_place(page: Page, coach: ScriptedCoach) -> None:
    await answered(page, "Why?")
    await page.get_by_role("button", name="Not helpful").click()
    await expect(page.get_by_label("What was wrong or missing? (optional)")).to_be_visible()
    await page.get_by_role("button", name="Helpful", exact=True).click()
    await expect(page.get_by_label("What helped? (optional)")).to_be_visible()
    await expect(page.get_by_role("button", name="Not helpful")).to_have_attribute("aria-pressed", "false")
    assert [each.helpful for kept in coach.kept.values() for each in kept] == [True]
    await page.reload()
    await expect(page.get_by_role("button", name="Helpful", exact=True)).to_have_attribute("aria-pressed", "true")


async def test_a_verdict_that_cannot_be_kept_is_not_shown_as_kept(page: Page, coach: ScriptedCoach) -> None:
    await answered(page, "Why?")
    coach.kept.clear()
    await page.get_by_role("button", name="Helpful", exact=True).click()
    await expect(page.locator(".said")).to_contain_text("cannot be rated")
    await expect(page.get_by_role("button", name="Helpful", exact=True)).to_have_attribute("aria-pressed", "false")


# --- limits and keys ---


async def test_too_many_questions_say_when_to_come_back(page: Page, coach: ScriptedCoach) -> None:
    coach.events = (Answer("a", "refusal", "too_fast", "The next one can come in 12 s.", "Why?"),)
    await ask(page, "Why?")
    await expect(page.locator(".verdict")).to_have_text("A little too fast")
    await expect(page.locator(".told")).to_contain_text("The next one can come in 12 s.")
    coach.events = ()
    await page.get_by_role("button", name="Try again").click()
    await expect(page.locator(".entry .sources")).to_be_visible()


@pytest.fixture(scope="module")
async def guarded() -> AsyncIterator[Stage]:
    """The stage of a server with keys."""
    keys = parse_keys(f"gcp-ace:{KEY},*:another-key-0123456789", ("aws-saa", "gcp-ace"))
    async with staged(Access(keys)) as stage:
        yield stage


@pytest.fixture
async def locked(context: BrowserContext, guarded: Stage) -> Page:
    guarded.coach = ScriptedCoach()
    page = await context.new_page()
    await page.goto(guarded.url)
    await expect(page.get_by_role("dialog", name="A key, please")).to_be_visible()
    return page


async def enter(page: Page, key: str) -> None:
    await page.get_by_label("Key", exact=True).fill(key)
    await page.get_by_role("button", name="Open").click()


async def test_a_key_opens_the_page_and_stays_in_the_tab(locked: Page, guarded: Stage) -> None:
    await expect(locked.get_by_label("Key", exact=True)).to_be_focused()
    await enter(locked, f" {KEY} ")
    await expect(locked.get_by_label("Certification").get_by_role("option")).to_have_count(1)
    await answered(locked, "Why?")
    (talk, _), *_ = guarded.coach.asked
    assert talk.person.startswith("key:")
    await locked.reload()
    await expect(locked.locator(".entry h2")).to_have_text("Why?")
    assert KEY not in await locked.evaluate("JSON.stringify(localStorage)")
    assert KEY in await locked.evaluate("JSON.stringify(sessionStorage)")


async def test_a_wrong_key_is_said_to_be_wrong_and_another_one_can_be_entered(locked: Page) -> None:
    await expect(locked.get_by_role("alert")).to_be_hidden()
    await enter(locked, "not-the-key")
    await expect(locked.get_by_role("alert")).to_have_text("That key does not open this server.")
    await enter(locked, KEY)
    await expect(locked.locator("#question")).to_be_focused()


async def test_without_a_key_the_page_says_what_to_do(locked: Page) -> None:
    await locked.get_by_role("button", name="Not now").click()
    await expect(locked.get_by_role("heading", name="A key is needed")).to_be_visible()
    await locked.get_by_role("button", name="Enter a key").click()
    await enter(locked, KEY)
    await expect(locked.get_by_role("heading", name="What are you unsure about?")).to_be_visible()


async def test_a_key_that_is_withdrawn_is_asked_for_anew_and_the_question_goes_on(locked: Page, guarded: Stage) -> None:
    await enter(locked, KEY)
    await expect(locked.locator("#question")).to_be_focused()
    await locked.evaluate("sessionStorage.setItem('certcoach.key', 'withdrawn')")
    await ask(locked, "Why?")
    await expect(locked.get_by_role("alert")).to_be_visible()
    await enter(locked, KEY)
    await expect(locked.locator(".entry .sources")).to_be_visible()


async def test_the_conversation_of_a_key_is_kept_under_its_name(locked: Page, guarded: Stage) -> None:
    await enter(locked, KEY)
    await answered(locked, "Why?")
    (talk,) = guarded.coach.kept
    assert talk == Talk("gcp-ace", talk.id, talk.person)
    assert re.fullmatch("key:[0-9a-f]{12}", talk.person)
