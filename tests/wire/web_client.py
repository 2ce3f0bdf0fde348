"""How tests speak to the HTTP API."""

from __future__ import annotations

import json
from typing import Any

import httpx

QUESTION = {"tenant": "aws-saa", "question": "Why partitions?"}
EVENTS = {"accept": "text/event-stream"}


def client_of(url: str, key: str | None = None) -> httpx.AsyncClient:
    """A client of that server, with a key if there is one."""
    headers = {"authorization": f"Bearer {key}"} if key else {}
    return httpx.AsyncClient(base_url=url, headers=headers, timeout=20, trust_env=False, verify=False)


def events_of(text: str) -> list[tuple[str, Any]]:
    """The server-sent events of a body, without its comments."""
    frames = [frame for frame in text.split("\n\n") if frame and not frame.startswith(":")]
    fields = [dict(line.split(": ", 1) for line in frame.split("\n")) for frame in frames]
    return [(event["event"], json.loads(event["data"])) for event in fields]


def problem_in(response: httpx.Response, status: int) -> dict[str, Any]:
    """The problem document that the response is."""
    assert response.status_code == status, response.text
    assert response.headers["content-type"] == "application/problem+json"
    problem: dict[str, Any] = response.json()
    assert problem["status"] == status
    assert {"type", "title", "status", "detail"} <= problem.keys()
    return problem
