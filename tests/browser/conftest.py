"""What the tests of the page share: one browser, one server a module, and a coach a test."""

from __future__ import annotations

from collections.abc import AsyncIterator
from contextlib import asynccontextmanager

import pytest
from playwright.async_api import Browser, BrowserContext, Page, ViewportSize, expect

from tests.browser.chromium import PHONE, WIDE, chromium
from tests.fakes_web import ScriptedCoach, Stage, staged


@pytest.fixture(scope="module")
async def stage() -> AsyncIterator[Stage]:
    async with staged() as stage:
        yield stage


@pytest.fixture(scope="package")
async def browser() -> AsyncIterator[Browser]:
    async with chromium() as browser:
        yield browser


@pytest.fixture
def coach(stage: Stage) -> ScriptedCoach:
    stage.coach = ScriptedCoach()
    return stage.coach


@asynccontextmanager
async def context_of(browser: Browser, viewport: ViewportSize) -> AsyncIterator[BrowserContext]:
    context = await browser.new_context(viewport=viewport, reduced_motion="reduce")
    context.set_default_timeout(15_000)
    yield context
    await context.close()


@pytest.fixture
async def context(browser: Browser) -> AsyncIterator[BrowserContext]:
    async with context_of(browser, WIDE) as context:
        yield context


@pytest.fixture
async def page(context: BrowserContext, stage: Stage, coach: ScriptedCoach) -> Page:
    page = await context.new_page()
    await page.goto(stage.url)
    await expect(page.locator("#question")).to_be_focused()
    return page


@pytest.fixture
async def phone(browser: Browser, stage: Stage, coach: ScriptedCoach) -> AsyncIterator[Page]:
    async with context_of(browser, PHONE) as context:
        page = await context.new_page()
        await page.goto(stage.url)
        yield page
