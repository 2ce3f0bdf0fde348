"""What exists on the platform: workspaces with their people, channels, messages, views and the app's installations."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass, field
from typing import Literal

from tests.wire.slack_json import Json
from tests.wire.slack_limits import STREAM_SECONDS
from tests.wire.slack_refusal import Refusal

Kind = Literal["channel", "group", "im"]
Mode = Literal["", "text", "chunks"]

SCOPES = frozenset(
    "app_mentions:read assistant:write channels:history channels:join channels:read chat:write commands groups:history "
    "groups:read im:history im:read im:write reactions:write team:read users:read".split()
)
PREFIX = {"channel": "C", "group": "G", "im": "D"}


@dataclass(frozen=True, slots=True)
class App:
    """The one app that is installed in the workspaces, with its secrets."""

    id: str = "A0000001"
    client_id: str = "1111.2222"
    client_secret: str = "client-secret-of-the-tests"
    signing_secret: str = "signing-secret-of-the-tests"
    token: str = "xapp-1-A0000001-tests"


@dataclass(frozen=True, slots=True)
class Person:
    """A member of a workspace; a bot user has a `bot_id`."""

    id: str
    team: str
    name: str
    admin: bool = False
    bot_id: str = ""


@dataclass(slots=True)
class Stream:
    """The state of a streamed message; `mode` is fixed by the first content, `stopped_by` by whoever ended it."""

    began: float
    mode: Mode = ""
    stopped_by: Literal["", "app", "reader"] = ""

    def open(self, now: float) -> bool:
        """Whether it still takes text."""
        return not self.stopped_by and now - self.began < STREAM_SECONDS


@dataclass(slots=True)
class Message:
    """A message as it stands; `only_for` names the one person who sees an ephemeral message."""

    channel: str
    ts: str
    user: str
    text: str = ""
    markdown: str = ""
    blocks: list[Json] = field(default_factory=list)
    attachments: list[Json] = field(default_factory=list)
    thread_ts: str | None = None
    bot_id: str = ""
    metadata: Json | None = None
    edited: str = ""
    only_for: str = ""
    broadcast: bool = False
    stream: Stream | None = None
    reactions: dict[str, list[str]] = field(default_factory=dict)
    tasks: dict[str, Json] = field(default_factory=dict)

    @property
    def root(self) -> str:
        """The `thread_ts` of its thread, which is its own `ts` when it starts one."""
        return self.thread_ts or self.ts

    def shape(self) -> Json:
        """The message as methods and events show it, without its metadata."""
        shown: Json = {"type": "message", "user": self.user, "ts": self.ts, "text": self.text or self.markdown}
        shown |= {"bot_id": self.bot_id} if self.bot_id else {}
        shown |= {name: getattr(self, name) for name in ("blocks", "attachments", "thread_ts") if getattr(self, name)}
        if self.edited:
            shown["edited"] = {"user": self.user, "ts": self.edited}
        if self.reactions:
            shown["reactions"] = [
                {"name": name, "users": list(users), "count": len(users)} for name, users in self.reactions.items()
            ]
        if self.stream:
            shown["streaming_state"] = "completed" if self.stream.stopped_by else "in_progress"
        return shown


@dataclass(slots=True)
class Channel:
    """A public or private channel, or a conversation with the app; messages by ts in the order they were posted."""

    id: str
    team: str
    name: str
    kind: Kind = "channel"
    members: set[str] = field(default_factory=set)
    archived: bool = False
    messages: dict[str, Message] = field(default_factory=dict)
    whispers: dict[str, Message] = field(default_factory=dict)
    status: dict[str, str] = field(default_factory=dict)
    titles: dict[str, str] = field(default_factory=dict)
    prompts: dict[str, list[Json]] = field(default_factory=dict)

    def thread(self, root: str) -> list[Message]:
        """The messages of a thread, its root first; the root may be gone."""
        return [message for message in self.messages.values() if message.root == root]

    def message(self, ts: str) -> Message:
        """Raises `message_not_found`."""
        found = self.messages.get(ts)
        if found is None:
            raise Refusal("message_not_found")
        return found

    def event_type(self) -> str:
        """The name under which an app subscribes to the messages here."""
        return {"channel": "message.channels", "group": "message.groups", "im": "message.im"}[self.kind]


@dataclass(slots=True)
class Install:
    """The app in one workspace. `problem` is what every call with its token is answered with, when there is one."""

    token: str
    team: str
    bot: Person
    scopes: set[str]
    problem: Literal["", "token_revoked", "account_inactive"] = ""


@dataclass(slots=True)
class View:
    """An open modal, or a person's Home tab."""

    id: str
    team: str
    user: str
    body: Json
    hash: str
    root: str
    previous: str | None = None
    state: Json = field(default_factory=dict)


@dataclass(slots=True)
class Trigger:
    """Permission to open one modal."""

    team: str
    user: str
    issued: float
    view: str | None = None
    used: bool = False


@dataclass(slots=True)
class ResponseUrl:
    """Permission to answer in a place; `original` is the message that a button stands under."""

    channel: str
    team: str
    user: str
    issued: float
    original: str | None = None
    thread_ts: str | None = None
    uses: int = 0


@dataclass(slots=True)
class Workspace:
    """One team: its people, its channels and, once installed, the app."""

    id: str
    name: str
    people: dict[str, Person] = field(default_factory=dict)
    channels: dict[str, Channel] = field(default_factory=dict)
    home: dict[str, View] = field(default_factory=dict)
    install: Install | None = None

    def installed(self) -> Install:
        """The app in this workspace; raises LookupError when it is not installed."""
        if self.install is None:
            raise LookupError(f"The app is not installed in {self.name}.")
        return self.install

    def channel(self, id: str) -> Channel:
        """A channel that the app may know of: raises `channel_not_found` for a foreign private one."""
        found = self.channels.get(id)
        hidden = found is not None and found.kind != "channel" and self.installed().bot.id not in found.members
        if found is None or hidden:
            raise Refusal("channel_not_found")
        return found

    def writable(self, id: str) -> Channel:
        """A channel that the app may write to: raises `channel_not_found`, `is_archived` or `not_in_channel`."""
        found = self.channel(id)
        if found.archived:
            raise Refusal("is_archived")
        if self.installed().bot.id not in found.members:
            raise Refusal("not_in_channel")
        return found

    def person(self, id: str) -> Person:
        """Raises `user_not_found`."""
        found = self.people.get(id)
        if found is None:
            raise Refusal("user_not_found")
        return found


@dataclass(slots=True)
class World:
    """Everything, over all workspaces."""

    app: App = field(default_factory=App)
    workspaces: dict[str, Workspace] = field(default_factory=dict)
    views: dict[str, View] = field(default_factory=dict)
    triggers: dict[str, Trigger] = field(default_factory=dict)
    response_urls: dict[str, ResponseUrl] = field(default_factory=dict)
    codes: dict[str, str] = field(default_factory=dict)
    _count: int = 0

    def id(self, prefix: str) -> str:
        """A new id, such as C00000012."""
        self._count += 1
        return f"{prefix}{self._count:08d}"

    def workspace(self, name: str, id: str = "") -> Workspace:
        """A new workspace, without the app."""
        made = Workspace(id or self.id("T"), name)
        self.workspaces[made.id] = made
        return made

    def person(self, team: Workspace, name: str, id: str = "", admin: bool = False) -> Person:
        """A new member."""
        made = Person(id or self.id("U"), team.id, name, admin)
        team.people[made.id] = made
        return made

    def channel(self, team: Workspace, name: str, kind: Kind = "channel", id: str = "") -> Channel:
        """A new channel, with everybody who is in the workspace, the app's bot included."""
        made = Channel(id or self.id(PREFIX[kind]), team.id, name, kind, set(team.people))
        team.channels[made.id] = made
        return made

    def dm(self, team: Workspace, user: str) -> Channel:
        """The conversation of a person with the app."""
        pair = {team.person(user).id, team.installed().bot.id}
        found = next((one for one in team.channels.values() if one.kind == "im" and one.members == pair), None)
        if found is None:
            found = self.channel(team, "", "im")
            found.members = pair
        return found

    def install(self, team: Workspace, scopes: frozenset[str] = SCOPES, bot: str = "") -> Install:
        """Install the app, or install it again with a new token."""
        id = bot or self.id("U")
        new = Person(id, team.id, "certcoach", bot_id=f"B{id[1:]}")
        user = team.install.bot if team.install else new
        team.people[user.id] = user
        team.install = Install(f"xoxb-{self.id('')}-{team.id}", team.id, user, set(scopes))
        return team.install

    def holder(self, token: str) -> Install | None:
        """Whose token it is, among the current ones."""
        return next((one for one in self.installs() if one.token == token), None)

    def installs(self) -> Iterator[Install]:
        """The app's installations."""
        yield from (team.install for team in self.workspaces.values() if team.install)

    def trigger(self, owner: Trigger) -> str:
        """A new trigger id."""
        id = self.id("trigger.")
        self.triggers[id] = owner
        return id
