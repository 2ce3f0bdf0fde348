"""What is no document is told apart, in words."""

from __future__ import annotations

import pytest

from ingest.fetch import Fetched
from ingest.parse_html import parse_html
from ingest.validate import check_content, check_status, real_format
from rag.errors import FetchFailed, Unreadable

LONG = "<p>" + "The most specific route wins over every other route of the table. " * 12 + "</p>"


def check(page: str) -> None:
    body = page.encode()
    check_content(parse_html(body, url="https://h.example/a"), body)


@pytest.mark.parametrize(
    ("url", "content_type", "body", "form"),
    [
        ("https://h.example/a", "text/html", b"<!DOCTYPE html><p>x", "html"),
        ("https://h.example/a.md", "text/html", b"# Title", "markdown"),
        ("https://h.example/a.md", "text/markdown", b"\xef\xbb\xbf<!-- c --> <!doctype HTML>", "html"),
        ("https://h.example/a.md", "text/markdown", b"<p align=center>Logo</p>\n\n# Title", "markdown"),
        ("https://h.example/a.txt?x=.html", "text/plain", b"a < b", "markdown"),
        ("https://h.example/a", "text/html", b"<div>part</div>", "html"),
        ("/notes/a.html", None, b"<div>part</div>", "html"),
        ("https://h.example/a", "application/octet-stream", b"# Title", "markdown"),
        ("https://h.example/a", "text/html", "<html>é".encode("utf-16"), "html"),
    ],
)
def test_the_bytes_decide_and_then_the_name(url: str, content_type: str | None, body: bytes, form: str) -> None:
    assert real_format(Fetched(url, body, content_type=content_type)) == form


@pytest.mark.parametrize(
    ("url", "content_type", "body", "words"),
    [
        ("https://h.example/a", "text/html", b" \n", "empty"),
        ("https://h.example/a", "text/html", b"%PDF-1.7 ...", "is a PDF"),
        ("https://h.example/a.pdf", "application/pdf", b"<html><h1>Error</h1>", "not a PDF"),
        ("https://h.example/a.md", "text/markdown", b"PK\x03\x04....", "ZIP"),
        ("https://h.example/a.md", "text/markdown", bytes(range(32)) * 40, "binary"),
        ("https://h.example/a", "text/html", b"\x89PNG\r\n", "image"),
    ],
)
def test_what_is_no_text_is_named(url: str, content_type: str, body: bytes, words: str) -> None:
    with pytest.raises(Unreadable, match=words):
        real_format(Fetched(url, body, content_type=content_type))


@pytest.mark.parametrize("status", [None, 200, 203, 304])
def test_good_answers_pass(status: int | None) -> None:
    check_status(Fetched("u", status=status))


@pytest.mark.parametrize(
    ("status", "words"), [(404, "does not exist"), (403, "not open"), (301, "HTTP 301"), (204, "HTTP 204")]
)
def test_other_answers_are_unreadable(status: int, words: str) -> None:
    with pytest.raises(Unreadable, match=words):
        check_status(Fetched("u", status=status))


@pytest.mark.parametrize("status", [429, 500, 503])
def test_answers_that_may_be_better_next_time_are_failures(status: int) -> None:
    with pytest.raises(FetchFailed, match=f"HTTP {status}"):
        check_status(Fetched("u", status=status))


@pytest.mark.parametrize(
    ("page", "words"),
    [
        (f"<title>Page not found | Docs</title>{LONG}", "not-found"),
        (f"<h1>404 - Not found</h1>{LONG}", "not-found"),
        (f"<h1>Sorry, this page doesn't exist</h1>{LONG}", "not-found"),
        ("<h1>Hm</h1><p>We could not find the page you asked for.</p>" + "<p>Try the search. </p>" * 12, "not-found"),
        (f"<h1>Docs</h1><form><input type=password></form><p>{'Welcome. ' * 30}</p>", "login"),
        (f"<title>Sign in - Docs</title><p>{'Welcome. ' * 30}</p>", "login"),
        (f"<h1>Before you continue</h1><p>{'We value data. ' * 30}</p>", "consent"),
        ("<title>Redirecting</title><script>window.location.replace('x')</script>", "redirects"),
        ("<div id=root></div><script src=app.js></script>", "scripts"),
        ("<h1>Docs</h1><p>Short.</p>", "no content: 11 characters"),
    ],
)
def test_pages_that_only_look_like_an_answer_are_rejected(page: str, words: str) -> None:
    with pytest.raises(Unreadable, match=words):
        check(page)


@pytest.mark.parametrize(
    "page",
    [
        f"<h1>Troubleshoot HTTP 404 errors</h1>{LONG}",
        f"<h1>Log in with the CLI</h1>{LONG * 2}",
        f"<h1>Cookie settings of sticky sessions</h1>{LONG * 2}",
        f"<h1>Routes</h1>{LONG}<p>A page that was not found answers 404.</p><script>location.href = 'x'</script>",
    ],
)
def test_documents_about_such_things_pass(page: str) -> None:
    check(page)
