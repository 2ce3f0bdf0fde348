"""The limits of messages, modals and commands, as Discord enforces them, each with its row in PLATFORMS.md."""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence
from typing import Any

from tests.wire.discord_components import check_components, check_field, text_of
from tests.wire.discord_refusals import EMPTY_MESSAGE, Form, Refused
from tests.wire.discord_world import COMPONENTS_V2, Json

CHAT_INPUT = re.compile(r"^[-_'\w]{1,32}$")
STRING, SUBCOMMAND, GROUP = 3, 1, 2


def check_message(body: Json, flags: int, *, empty_is_fine: bool = False) -> None:
    """Refuse a message that breaks a limit. `body` is what the message would be, `flags` the flags it would have."""
    form = Form()
    # PLATFORMS.md: "Message content ≤2000; …"
    form.size("content", body.get("content") or "", 2000)
    _check_embeds(form, body.get("embeds") or [])
    check_components(form, body.get("components") or [], v2=bool(flags & COMPONENTS_V2))
    _check_allowed(form, body.get("allowed_mentions") or {})
    form.size("nonce", str(body.get("nonce") or ""), 25)
    if flags & COMPONENTS_V2:
        _check_v2(form, body)
    form.close()
    parts = (str(body.get("content") or "").strip(), body.get("embeds"), body.get("components"), body.get("files"))
    if not any(parts) and not empty_is_fine:
        raise Refused(EMPTY_MESSAGE)


def _check_v2(form: Form, body: Json) -> None:
    # PLATFORMS.md: "Components V2 …: ≤40 components; content, embeds, poll, stickers disabled; combined text 4000"
    for name in ("content", "embeds", "poll", "sticker_ids"):
        if body.get(name):
            words = f"The '{name}' field cannot be used when using MessageFlags.IS_COMPONENTS_V2"
            form.wrong(name, "MESSAGE_CANNOT_USE_LEGACY_FIELDS_WITH_COMPONENTS_V2", words)
    if sum(map(len, text_of(body.get("components") or []))) > 4000:
        words = "Total displayable text size must be less than 4000"
        form.wrong("components", "COMPONENT_DISPLAYABLE_TEXT_SIZE_EXCEEDED", words)


def _check_embeds(form: Form, embeds: Sequence[Json]) -> None:
    # PLATFORMS.md: "…; ≤10 embeds, description 4096, 25 fields x 1024, 6000 characters over all embeds";
    # titles, names and footers: discord-api-docs, resources/message.mdx, Embed Limits
    form.size("embeds", embeds, 10)
    total = 0
    for index, embed in enumerate(embeds):
        for path, text, most in _texts(embed):
            form.size(f"embeds.{index}.{path}", text, most)
            total += len(text)
        fields = embed.get("fields") or []
        form.size(f"embeds.{index}.fields", fields, 25)
        for at, each in enumerate(fields):
            for name in ("name", "value"):
                if not each.get(name):
                    form.wrong(f"embeds.{index}.fields.{at}.{name}", "BASE_TYPE_REQUIRED", "This field is required")
    if total > 6000:
        form.wrong("embeds", "MAX_EMBED_SIZE_EXCEEDED", "Embed size exceeds maximum size of 6000")


def _texts(embed: Json) -> Iterator[tuple[str, str, int]]:
    yield "title", embed.get("title") or "", 256
    yield "description", embed.get("description") or "", 4096
    yield "footer.text", (embed.get("footer") or {}).get("text") or "", 2048
    yield "author.name", (embed.get("author") or {}).get("name") or "", 256
    for index, each in enumerate(embed.get("fields") or []):
        yield f"fields.{index}.name", each.get("name") or "", 256
        yield f"fields.{index}.value", each.get("value") or "", 1024


def _check_allowed(form: Form, allowed: Json) -> None:
    # PLATFORMS.md: "allowed_mentions defaults …"; a kind may be parsed or listed, not both, and ≤100 ids a list
    for kind in ("users", "roles"):
        form.size(f"allowed_mentions.{kind}", allowed.get(kind) or [], 100)
        if kind in (allowed.get("parse") or []) and allowed.get(kind):
            words = f'parse:["{kind}"] and {kind}: [ids...] are mutually exclusive.'
            form.wrong("allowed_mentions", "MESSAGE_ALLOWED_MENTIONS_PARSE_EXCLUSIVE", words)


def check_modal(data: Json) -> None:
    """Refuse a modal that breaks a limit."""
    form = Form()
    # PLATFORMS.md: "Modals: cannot answer a modal with a modal; title ≤45; 1-5 components; text input ≤4000"
    form.size("data.title", data.get("title"), 45, 1)
    form.size("data.custom_id", data.get("custom_id"), 100, 1)
    form.size("data.components", data.get("components"), 5, 1)
    for index, component in enumerate(data.get("components") or []):
        check_field(form, component, f"data.components.{index}")
    form.close()


def check_choices(choices: Sequence[Json]) -> None:
    """Refuse autocomplete choices that break a limit."""
    form = Form()
    _check_choices(form, choices, "data.choices")
    form.close()


def _check_choices(form: Form, choices: Sequence[Json], path: str) -> None:
    # PLATFORMS.md: "Commands: 100 global chat-input, 25 options, 25 choices, autocomplete ≤25 …"
    form.size(path, choices, 25)
    for index, choice in enumerate(choices):
        form.size(f"{path}.{index}.name", choice.get("name"), 100, 1)
        if isinstance(choice.get("value"), str):
            form.size(f"{path}.{index}.value", choice["value"], 100)


def check_commands(commands: Sequence[Json]) -> None:
    """Refuse application commands that break a limit."""
    form = Form()
    # PLATFORMS.md: "Commands: 100 global chat-input …"; 15 of each context menu: interactions/application-commands.mdx
    for kind, most in ((1, 100), (2, 15), (3, 15)):
        if sum(command.get("type", 1) == kind for command in commands) > most:
            form.wrong("commands", "APPLICATION_COMMANDS_MAX", f"Maximum number of application commands is {most}.")
    for index, command in enumerate(commands):
        _check_command(form, command, str(index))
    names = [(command.get("type", 1), command.get("name")) for command in commands]
    if len(set(names)) < len(names):
        form.wrong("commands", "APPLICATION_COMMANDS_DUPLICATE_NAME", "Application command names must be unique")
    form.close()


def _check_command(form: Form, command: Json, path: str) -> None:
    if command.get("type", 1) != 1:
        form.size(f"{path}.name", command.get("name"), 32, 1)
        return
    _check_named(form, command, path)
    _check_options(form, command.get("options") or [], path)
    if sum(_weights(command)) > 8000:
        form.wrong(path, "APPLICATION_COMMAND_TOO_LARGE", "Command exceeds maximum size (8000)")


def _check_named(form: Form, thing: Json, path: str) -> None:
    name = str(thing.get("name") or "")
    if not CHAT_INPUT.match(name) or name != name.lower():
        form.wrong(f"{path}.name", "APPLICATION_COMMAND_INVALID_NAME", "Command name is invalid")
    form.size(f"{path}.description", thing.get("description"), 100, 1)


def _check_options(form: Form, options: Sequence[Json], path: str) -> None:
    form.size(f"{path}.options", options, 25)
    optional = False
    for index, option in enumerate(options):
        here = f"{path}.options.{index}"
        _check_named(form, option, here)
        _check_choices(form, option.get("choices") or [], f"{here}.choices")
        _check_options(form, option.get("options") or [], here)
        if option.get("type") in (SUBCOMMAND, GROUP):
            continue
        if option.get("required") and optional:
            words = "Required options must be placed before non-required options"
            form.wrong(here, "APPLICATION_COMMAND_OPTIONS_REQUIRED_INVALID", words)
        optional = optional or not option.get("required")


def _weights(thing: Json) -> Iterator[int]:
    yield len(str(thing.get("name") or "")) + len(str(thing.get("description") or ""))
    for choice in thing.get("choices") or []:
        value: Any = choice.get("value")
        yield len(str(choice.get("name") or "")) + (len(value) if isinstance(value, str) else 0)
    for option in thing.get("options") or []:
        yield from _weights(option)
