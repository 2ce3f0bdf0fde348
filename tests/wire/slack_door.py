"""HTTP mode: signed requests to the app's request URL."""

from __future__ import annotations

import asyncio
import json
import time
from dataclasses import dataclass
from urllib.parse import urlencode

import aiohttp
from slack_sdk.signature import SignatureVerifier

from tests.wire.slack_clock import Clock
from tests.wire.slack_json import Json
from tests.wire.slack_outbox import Parcel, Receipt, acknowledged

FORM = "application/x-www-form-urlencoded"


@dataclass(frozen=True, slots=True)
class Letter:
    """A request as it is sent: `sent_at` in real seconds since the epoch."""

    body: str
    type: str
    secret: str
    sent_at: float

    def headers(self) -> dict[str, str]:
        """The headers, the signature included."""
        stamp = str(int(self.sent_at))
        signature = SignatureVerifier(self.secret).generate_signature(timestamp=stamp, body=self.body)
        assert signature is not None
        return {"Content-Type": self.type, "X-Slack-Request-Timestamp": stamp, "X-Slack-Signature": signature}


class Door:
    """The app's request URL, for events, commands and interactions alike."""

    def __init__(self, clock: Clock, url: str, secret: str, session: aiohttp.ClientSession) -> None:
        self.clock = clock
        self.url = url
        self.secret = secret
        self.session = session

    async def offer(self, parcel: Parcel, attempt: int, reason: str) -> Receipt:
        """Post it, and take a 2xx within three seconds for an acknowledgement."""
        more = {"X-Slack-Retry-Num": str(attempt), "X-Slack-Retry-Reason": reason} if attempt else {}
        sending = asyncio.ensure_future(self._sent(letter(parcel, self.secret), more))
        try:
            answer = await acknowledged(self.clock, sending)
        except aiohttp.ClientError:
            return Receipt("connection_failed")
        finally:
            sending.cancel()
        receipt = Receipt("http_timeout") if answer is None else _receipt(answer)
        if not receipt.failure:
            parcel.taken(receipt.payload)
        return receipt

    async def verify(self) -> str:
        """Send the challenge that a request URL must return; returns the body of the answer."""
        challenge = {"type": "url_verification", "token": "verification", "challenge": "3eZbrw1aBm2rZgRNFdxV2595E9CY"}
        return str((await self.forge(challenge, self.secret, time.time()))["body"])

    async def forge(self, payload: Json, secret: str, sent_at: float) -> Json:
        """Send an event as somebody else might, or a recorded one later; returns status, headers and body."""
        return await self._sent(Letter(json.dumps(payload), "application/json", secret, sent_at), {})

    async def _sent(self, letter: Letter, more: dict[str, str]) -> Json:
        async with self.session.post(self.url, data=letter.body.encode(), headers=letter.headers() | more) as response:
            headers = {name.lower(): value for name, value in response.headers.items()}
            return {"status": response.status, "headers": headers, "body": await response.text()}


def letter(parcel: Parcel, secret: str) -> Letter:
    """The parcel as a request, signed now."""
    if parcel.kind == "events_api":
        return Letter(json.dumps(parcel.payload), "application/json", secret, time.time())
    form = parcel.payload if parcel.kind == "slash_commands" else {"payload": json.dumps(parcel.payload)}
    return Letter(urlencode(form), FORM, secret, time.time())


def _receipt(answer: Json) -> Receipt:
    if not 200 <= answer["status"] < 300:
        # PLATFORMS.md: "`X-Slack-No-Retry: 1` on the response stops it, but not for a timeout already counted"
        return Receipt("http_error", refused_retry=answer["headers"].get("x-slack-no-retry") == "1")
    body = str(answer["body"])
    if not body:
        return Receipt()
    return Receipt(payload=json.loads(body) if body.startswith("{") else {"text": body})
