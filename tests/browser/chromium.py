"""A real Chromium for tests and screenshots."""

from __future__ import annotations

import shutil
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from pathlib import Path

import pytest
from playwright.async_api import Browser, Page, ViewportSize, async_playwright

CHROMIUM = shutil.which("chromium") or shutil.which("google-chrome") or "/usr/bin/chromium"
WIDE: ViewportSize = {"width": 1360, "height": 900}
PHONE: ViewportSize = {"width": 360, "height": 740}

needs_chromium = pytest.mark.skipif(
    not Path(CHROMIUM).exists(), reason="There is no Chromium. Install it, on Debian with `apt-get install chromium`."
)


@asynccontextmanager
async def chromium() -> AsyncIterator[Browser]:
    """A browser without a window."""
    flags = ["--no-sandbox", "--disable-gpu", "--disable-dev-shm-usage"]
    async with async_playwright() as playwright:
        browser = await playwright.chromium.launch(executable_path=CHROMIUM, args=flags)
        yield browser
        await browser.close()


async def ask(page: Page, question: str) -> None:
    """Type the question and send it."""
    await page.fill("#question", question)
    await page.press("#question", "Enter")
