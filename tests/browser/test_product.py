"""The whole product in a real Chromium: a question per tenant, its answer, and its passages a click away."""

from __future__ import annotations

from pathlib import Path

from playwright.async_api import expect

from tests.browser.chromium import WIDE, chromium, needs_chromium
from tests.e2e.processes import running

pytestmark = needs_chromium

QUESTIONS = [
    ("aws-saa", "Can something on the internet open a connection through a NAT gateway?", "docs.aws.amazon.com", "NAT"),
    ("gcp-ace", "What identity does a Cloud Run service use to call other APIs?", "docs.cloud.google.com", "Cloud Run"),
    ("terraform-assoc", "What does terraform init do?", "developer.hashicorp.com", "terraform init"),
]


async def test_a_question_per_tenant_is_answered_and_its_citation_opens_the_passage(filled: Path) -> None:
    requests: list[str] = []
    async with running(filled) as server, chromium() as browser:
        for tenant, question, host, words in QUESTIONS:
            page = await browser.new_page(viewport=WIDE)
            page.on("request", lambda request: requests.append(request.url))
            await page.goto(f"{server.url}/?tenant={tenant}")
            await page.locator("#question").fill(question)
            await page.keyboard.press("Enter")
            await expect(page.locator(".entry")).to_have_attribute("aria-busy", "false", timeout=30_000)
            await expect(page.locator(".entry .prose")).to_contain_text(words)
            await page.locator(".prose button.cite").first.click()
            panel = page.get_by_role("dialog")
            marked = "".join(await panel.locator("mark").all_text_contents())
            assert marked and marked.split(".")[0] in await page.locator(".entry .prose").inner_text()
            link = await panel.get_by_role("link").first.get_attribute("href")
            assert link and link.startswith(f"https://{host}/")
            assert all(url.startswith(server.url) for url in requests), "no request leaves the server"
            await page.close()
