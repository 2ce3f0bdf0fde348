"""The routes of interactions, where a token in the path stands for the bot's own."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass

from tests.wire.discord_interactions import Interactions
from tests.wire.discord_payloads import (
    message_json,
)
from tests.wire.discord_posting import Posting
from tests.wire.discord_record import Call
from tests.wire.discord_refusals import (
    TOKEN_EXPIRED,
    Refused,
)
from tests.wire.discord_routes import Handler, Result
from tests.wire.discord_world import Message, World


@dataclass(frozen=True, slots=True)
class InteractionRoutes:
    """What is done with an interaction's token, which stands for the bot's own."""

    world: World
    posting: Posting
    interactions: Interactions

    def table(self) -> Mapping[str, Handler]:
        """Handlers by route."""
        message = "/webhooks/{application}/{token}/messages/{message}"
        return {
            "POST /interactions/{interaction}/{token}/callback": self._respond,
            "POST /webhooks/{application}/{token}": self._follow_up,
            f"GET {message}": lambda call: message_json(self._find(call), self.world),
            f"PATCH {message}": self._edit,
            f"DELETE {message}": self._delete,
        }

    def _respond(self, call: Call) -> Result:
        body = self.interactions.respond(call.id("interaction"), call.path["token"], call.body)
        return body if call.query.get("with_response") in ("1", "true") else None

    def _find(self, call: Call) -> Message:
        if call.id("application") != self.world.application.id:
            raise Refused(TOKEN_EXPIRED)
        return self.interactions.find(call.path["token"], call.path["message"])

    def _follow_up(self, call: Call) -> Result:
        return message_json(self.interactions.follow_up(call.path["token"], call.body), self.world)

    def _edit(self, call: Call) -> Result:
        message = self._find(call)
        self.posting.edit(message, call.body)
        return message_json(message, self.world)

    def _delete(self, call: Call) -> Result:
        self.posting.delete(self._find(call))
        return None
