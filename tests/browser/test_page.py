"""The page in a real Chromium, around a coach whose answers are written down here."""

from __future__ import annotations

import asyncio
import re

import pytest
from playwright.async_api import BrowserContext, Page, Route, expect

from rag.types import Answer, AnswerKind, Delta, Notice, Reason, Restart
from tests.browser.chromium import PHONE, ask, needs_chromium
from tests.fakes_web import TEXT, ScriptedCoach, Stage, answer

pytestmark = needs_chromium


# --- answers ---


async def test_an_answer_streams_and_is_replaced_by_its_final_text(page: Page, coach: ScriptedCoach) -> None:
    coach.events, coach.early = (Delta("Choose a "), Delta("**part"), answer("Why?")), 2
    await ask(page, "Why?")
    await expect(page.locator(".entry .prose")).to_have_text("Choose a **part")
    await expect(page.locator(".entry")).to_have_attribute("aria-busy", "true")
    coach.go_on.set()
    await expect(page.locator(".entry .prose strong")).to_have_text("partition")
    await expect(page.locator(".entry")).to_have_attribute("aria-busy", "false")
    await expect(page.locator(".entry h2")).to_have_text("Why?")


async def test_a_restart_withdraws_what_was_shown(page: Page, coach: ScriptedCoach) -> None:
    coach.events, coach.early = (Delta("All wrong."), Restart("repair"), Delta("Right."), answer("Why?")), 2
    await ask(page, "Why?")
    await expect(page.locator(".entry .status")).to_contain_text("Starting over")
    await expect(page.get_by_text("All wrong.")).to_have_count(0)
    coach.go_on.set()
    await expect(page.locator(".entry .sources")).to_be_visible()


async def test_citations_open_the_right_passage_with_the_used_sentence_marked(page: Page) -> None:
    await ask(page, "Why?")
    await page.locator(".prose button.cite").first.click()
    panel = page.get_by_role("dialog")
    await expect(panel.get_by_role("heading")).to_have_text("Source 1: Placement groups")
    await expect(panel.locator(".path")).to_have_text("Strategies › Partition")
    assert "".join(await panel.locator("mark").all_text_contents()) == "Each partition has its own set of racks."
    official = panel.get_by_role("link")
    await expect(official).to_have_attribute("href", "https://docs.example/groups")
    await expect(official).to_have_attribute("rel", re.compile("noopener"))
    await expect(official).to_contain_text("docs.example")
    await expect(panel.locator("time")).to_have_text("30 May 2024")
    await panel.get_by_text("The text before it").click()
    await expect(panel.get_by_text("What came before.")).to_be_visible()
    await page.locator(".prose button.cite").last.click()
    await expect(panel.get_by_role("heading")).to_have_text("Source 2: Rules and limits")
    assert "".join(await panel.locator("mark").all_text_contents()) == "partitionseven partitions"


async def test_each_source_is_listed_once_and_opens_its_passage(page: Page) -> None:
    await ask(page, "Why?")
    sources = page.locator(".sources li")
    await expect(sources).to_have_count(2)
    await sources.nth(1).click()
    await expect(page.get_by_role("dialog").get_by_role("heading")).to_have_text("Source 2: Rules and limits")


async def test_confidence_is_told_in_words(page: Page) -> None:
    await ask(page, "Why?")
    await expect(page.locator(".confidence")).to_have_text("Well covered by the documents")


@pytest.mark.parametrize(
    ("kind", "reason", "label"),
    [
        ("unknown", "not_covered", "Not in the documents"),
        ("refusal", "exam_integrity", "Not for the real exam"),
        ("refusal", "off_topic", "Outside this certification"),
    ],
)
async def test_what_is_not_an_answer_says_so_in_words(
    page: Page, coach: ScriptedCoach, kind: AnswerKind, reason: Reason, label: str
) -> None:
    coach.events = (Answer("a", kind, reason, "Sorry, no.", "Why?"),)
    await ask(page, "Why?")
    await expect(page.locator(".verdict")).to_have_text(label)
    await expect(page.locator(".sources")).to_have_count(0)


async def test_notices_and_the_redacted_question_are_shown(page: Page, coach: ScriptedCoach) -> None:
    notices = (Notice("secret", "This looks like a key: rotate it."),)
    coach.events = (Answer("a", "answer", "none", "Yes.", "Mail [EMAIL_1]?", notices=notices),)
    await ask(page, "Mail ann@example.org?")
    await expect(page.locator(".notice b")).to_have_text("A secret in your question")
    await expect(page.locator(".notice")).to_contain_text("This looks like a key: rotate it.")
    await expect(page.locator(".entry h2")).to_have_text("Mail [EMAIL_1]?")
    await expect(page.get_by_text("ann@example.org")).to_have_count(0)


async def test_text_from_outside_never_becomes_markup(page: Page, coach: ScriptedCoach) -> None:
    text = '<img src=x onerror="document.title=1"> [a](javascript:alert(1)) [b](data:text/html,x) ![c](https://e.org/x)'
    coach.events = (answer("Why?", text=text),)
    await ask(page, '<b id="injected">Why?</b>')
    await expect(page.locator(".entry .prose")).to_contain_text("<img src=x onerror=")
    assert await page.locator("#injected, .entry img, .entry .prose a").count() == 0


async def test_an_answer_can_be_copied_with_its_sources(page: Page, context: BrowserContext) -> None:
    await context.grant_permissions(["clipboard-read", "clipboard-write"])
    await ask(page, "Why?")
    await page.get_by_role("button", name="Copy").click()
    await expect(page.get_by_role("button", name="Copied")).to_be_visible()
    copied = await page.evaluate("navigator.clipboard.readText()")
    assert copied.startswith("Choose a **partition** group.")
    assert "[2] Rules and limits https://docs.example/limits" in copied


async def test_the_finished_answer_is_announced_politely(page: Page) -> None:
    await ask(page, "Why?")
    await expect(page.locator("[aria-live=polite]")).to_contain_text("Each partition has its own set of racks")
    await expect(page.locator("[aria-live=polite]")).to_contain_text("2 sources.")


async def test_history_stays_above_the_box_and_continues_the_conversation(page: Page, coach: ScriptedCoach) -> None:
    await ask(page, "First?")
    await expect(page.locator(".entry .sources")).to_have_count(1)
    await ask(page, "Second?")
    await expect(page.locator(".entry .sources")).to_have_count(2)
    await expect(page.locator(".entry h2")).to_have_text(["First?", "Second?"])
    first, second = (talk.id for talk, _ in coach.asked)
    assert first == second
    await page.get_by_role("button", name="New conversation").click()
    await expect(page.locator(".entry")).to_have_count(0)
    await ask(page, "Third?")
    await expect(page.locator(".entry .sources")).to_have_count(1)
    assert coach.asked[2][0].id != first


# --- choosing, asking, stopping ---


async def test_an_example_made_of_a_topic_asks_itself(page: Page, coach: ScriptedCoach) -> None:
    await page.get_by_role("button", name="What should I know about placement groups?").click()
    await expect(page.locator(".entry .sources")).to_be_visible()
    assert (coach.asked[0][0].tenant, coach.asked[0][1]) == ("aws-saa", "What should I know about placement groups?")


async def test_the_tenant_is_remembered_and_an_address_can_name_it(
    context: BrowserContext, stage: Stage, coach: ScriptedCoach
) -> None:
    page = await context.new_page()
    await page.goto(f"{stage.url}/?tenant=gcp-ace")
    await expect(page.get_by_label("Certification")).to_have_value("gcp-ace")
    await page.goto(stage.url)
    await expect(page.get_by_label("Certification")).to_have_value("gcp-ace")
    await page.get_by_label("Certification").select_option("aws-saa")
    await expect(page).to_have_url(f"{stage.url}/?tenant=aws-saa")
    await page.goto(f"{stage.url}/?tenant=unheard-of")
    await expect(page.get_by_label("Certification")).to_have_value("aws-saa")


async def test_shift_enter_starts_a_line_and_enter_asks(page: Page, coach: ScriptedCoach) -> None:
    await page.keyboard.type("One")
    await page.keyboard.press("Shift+Enter")
    await page.keyboard.type("Two")
    await page.keyboard.press("Enter")
    await expect(page.locator(".entry .sources")).to_be_visible()
    assert coach.asked[0][1] == "One\nTwo"


async def test_an_empty_question_is_not_asked(page: Page, coach: ScriptedCoach) -> None:
    await ask(page, "  ")
    await page.get_by_role("button", name="Ask").click()
    await expect(page.locator(".entry")).to_have_count(0)
    assert coach.asked == []


async def test_a_running_answer_can_be_stopped_and_asked_again(page: Page, coach: ScriptedCoach) -> None:
    coach.early = 1
    await ask(page, "Why?")
    await expect(page.locator(".entry .prose")).to_contain_text("Choose a partition")
    await page.get_by_role("button", name="Stop").click()
    await expect(page.locator(".entry .status")).to_have_text("Stopped.")
    await asyncio.wait_for(coach.closed.wait(), 10)
    coach.go_on.set()
    await page.get_by_role("button", name="Ask again").click()
    await expect(page.locator(".entry .sources")).to_be_visible()


async def test_everything_works_with_the_keyboard_alone(page: Page) -> None:
    await page.keyboard.type("Why?")
    await page.keyboard.press("Enter")
    await expect(page.locator(".entry .sources")).to_be_visible()
    first = page.locator(".prose button.cite").first
    for _ in range(20):
        await page.keyboard.press("Shift+Tab")
        if await first.evaluate("node => node === document.activeElement"):
            break
    await expect(first).to_be_focused()
    assert await first.evaluate("node => getComputedStyle(node).outlineStyle") == "solid"
    await page.keyboard.press("Enter")
    await expect(page.get_by_role("dialog")).to_be_visible()
    await expect(page.locator("#passage-title")).to_be_focused()
    await page.keyboard.press("Escape")
    await expect(page.get_by_role("dialog")).to_have_count(0)
    await expect(first).to_be_focused()


# --- when something is wrong ---


async def test_an_error_shows_its_reference_and_can_be_tried_again(page: Page, coach: ScriptedCoach) -> None:
    coach.failures = 1
    await ask(page, "Why?")
    await expect(page.locator(".verdict")).to_have_text("Something went wrong")
    await expect(page.locator(".reference")).to_have_text(re.compile("Reference: [0-9a-f]{12}"))
    await page.get_by_role("button", name="Try again").click()
    await expect(page.locator(".entry .sources")).to_be_visible()
    await expect(page.locator(".entry")).to_have_count(1)


async def test_an_answer_that_breaks_off_is_not_shown_as_one(page: Page, coach: ScriptedCoach) -> None:
    async def cut(route: Route) -> None:
        body = 'event: delta\ndata: {"text": "Half of"}\n\n'
        await route.fulfill(status=200, content_type="text/event-stream", body=body)

    await page.route("**/v1/ask", cut)
    await ask(page, "Why?")
    await expect(page.locator(".verdict")).to_have_text("The answer broke off")
    await expect(page.get_by_text("Half of")).to_have_count(0)


async def test_a_server_that_is_not_ready_yet_can_be_tried_again(
    context: BrowserContext, stage: Stage, coach: ScriptedCoach
) -> None:
    coach.unready = 1
    page = await context.new_page()
    await page.goto(stage.url)
    await page.get_by_role("button", name="Try again").click()
    await expect(page.get_by_role("heading", name="What are you unsure about?")).to_be_visible()


async def test_offline_is_told_and_the_question_is_kept(page: Page, context: BrowserContext) -> None:
    await context.set_offline(True)
    await expect(page.locator("#offline")).to_be_visible()
    await ask(page, "Why?")
    await expect(page.locator(".verdict")).to_have_text("You are offline")
    await context.set_offline(False)
    await expect(page.locator("#offline")).to_be_hidden()
    await page.get_by_role("button", name="Try again").click()
    await expect(page.locator(".entry .sources")).to_be_visible()


# --- the browser's view ---


async def test_a_phone_never_scrolls_sideways(phone: Page) -> None:
    async def overflow() -> int:
        return int(await phone.evaluate("document.documentElement.scrollWidth - innerWidth"))

    await expect(phone.locator(".examples li").first).to_be_visible()
    assert await overflow() <= 0
    await ask(phone, "Why-" + "w" * 300)
    await expect(phone.locator(".entry .sources")).to_be_visible()
    assert await overflow() <= 0
    await phone.locator(".prose button.cite").last.click()
    await expect(phone.get_by_role("dialog")).to_be_visible()
    assert await overflow() <= 0
    await phone.get_by_role("button", name="Close").click()
    await expect(phone.locator(".prose button.cite").last).to_be_focused()


async def test_the_passage_fits_the_window_when_it_becomes_narrow(page: Page) -> None:
    await ask(page, "Why?")
    await page.locator(".prose button.cite").first.click()
    await page.set_viewport_size(PHONE)
    await expect(page.get_by_role("dialog")).to_be_visible()
    assert await page.evaluate("document.querySelector('dialog').matches(':modal')")
    box = await page.get_by_role("dialog").bounding_box()
    assert box is not None
    assert box["width"] == 360


async def test_no_request_leaves_the_origin_and_the_console_stays_silent(
    context: BrowserContext, stage: Stage, coach: ScriptedCoach
) -> None:
    page = await context.new_page()
    requests: list[str] = []
    complaints: list[str] = []
    page.on("request", lambda request: requests.append(request.url))
    page.on("console", lambda message: complaints.append(message.text))
    page.on("pageerror", lambda error: complaints.append(str(error)))
    await page.goto(stage.url)
    await ask(page, "Why?")
    await page.locator(".prose button.cite").first.click()
    await page.keyboard.press("Escape")
    await page.get_by_label("Certification").select_option("gcp-ace")
    await page.get_by_role("button", name="New conversation").click()
    await page.goto(f"{stage.url}/docs")
    assert requests
    assert all(url.startswith((stage.url, "data:")) for url in requests)
    assert complaints == []


@pytest.mark.parametrize(
    ("markdown", "html"),
    [
        ("One\ntwo  \nthree", "<p>One two<br>three</p>"),
        (
            "a *b* **c *d*** _e_ snake_case_name 2*3*4",
            "<p>a <em>b</em> <strong>c <em>d</em></strong> <em>e</em> snake_case_name 2<em>3</em>4</p>",
        ),
        ("`a*b*` ``c`d`` \\*e\\* &lt;f&gt;", "<p><code>a*b*</code> <code>c`d</code> *e* &lt;f&gt;</p>"),
        ("# A\n## B #", "<h3>A</h3><h4>B</h4>"),
        (
            "- a\n- b\n  - c\n\n1. d\n2. e",
            "<ul><li>a</li><li>b<ul><li>c</li></ul></li></ul><ol><li>d</li><li>e</li></ol>",
        ),
        ("3. c\n4. d", '<ol start="3"><li>c</li><li>d</li></ol>'),
        ("* a\n\n* b\n\n  more", "<ul><li>a</li><li><p>b</p><p>more</p></li></ul>"),
        ("> a\n> b\n\nc", "<blockquote><p>a b</p></blockquote><p>c</p>"),
        ("***", "<hr>"),
        ('[a [b]](https://e.org/x_(y) "t")', '<p><a href="https://e.org/x_(y)">a [b]</a></p>'),
        ("See https://e.org/a_b_c. And", '<p>See <a href="https://e.org/a_b_c">https://e.org/a_b_c</a>. And</p>'),
        ("[1] and [2](https://e.org/)", '<p>[1] and <a href="https://e.org/">2</a></p>'),
        ("an open **bold and `code", "<p>an open **bold and `code</p>"),
    ],
)
async def test_markdown_is_rendered_as_commonmark_means_it(page: Page, markdown: str, html: str) -> None:
    render = "text => { const box = document.createElement('div'); box.append(markdown(text)); return box.innerHTML; }"
    rendered = await page.evaluate(render, markdown)
    assert rendered.replace(' target="_blank" rel="noopener noreferrer"', "") == html


async def test_an_unfinished_fence_or_table_is_shown_as_it_grows(page: Page) -> None:
    render = (
        "text => { const box = document.createElement('div'); box.append(markdown(text)); return box.textContent; }"
    )
    for end in range(len(TEXT) + 1):
        await page.evaluate(render, TEXT[:end])
    assert "describe-placement-groups" in await page.evaluate(render, TEXT)
