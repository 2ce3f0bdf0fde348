"""Each limit of the local Discord, met just below and just above."""

from __future__ import annotations

from collections.abc import AsyncIterator, Sequence
from typing import Any

import discord
import pytest

from tests.wire.discord_bot import READING, Scene, opened

Json = dict[str, Any]
V2 = 1 << 15


@pytest.fixture(scope="module")
async def scene() -> AsyncIterator[Scene]:
    async with opened(READING) as scene:
        yield scene


def row(*components: Json) -> Json:
    return {"type": 1, "components": list(components)}


def button(custom_id: str = "b", label: str = "Go", **more: object) -> Json:
    return {"type": 2, "style": 1, "label": label, "custom_id": custom_id, **more}


def options(count: int) -> list[Json]:
    return [{"label": str(number), "value": str(number)} for number in range(count)]


def select(count: int = 2, **more: object) -> Json:
    return {"type": 3, "custom_id": "s", "options": options(count), **more}


def choice(**more: object) -> list[Json]:
    return [{"label": "l", "value": "v", **more}]


def embed(**parts: object) -> Json:
    return {"embeds": [{"title": "t", **parts}]}


def fields(count: int, length: int = 1) -> list[Json]:
    return [{"name": "n", "value": "v" * length} for _ in range(count)]


def components(*rows: Json) -> Json:
    return {"content": "x", "components": list(rows)}


def v2(*parts: Json, **more: object) -> Json:
    return {"flags": V2, "components": list(parts), **more}


def text(length: int = 1) -> Json:
    return {"type": 10, "content": "t" * length}


async def refused_at(scene: Scene, method: str, path: str, body: object) -> list[str]:
    error = await scene.refusal(method, path, body)
    assert (error.status, error.code) == (400, 50035), error
    return error_paths(error)


def error_paths(error: discord.HTTPException) -> list[str]:
    # discord.py keeps the paths in the words only: "Invalid Form Body\nIn content: Must be …"
    lines = error.text.splitlines()[1:]
    return [line.removeprefix("In ").split(": ")[0] for line in lines]


ALLOWED: Sequence[Json] = [
    {"content": "x" * 2000},
    {"embeds": [{"title": "t"}] * 10},
    embed(description="d" * 4096),
    embed(fields=fields(25)),
    embed(fields=fields(1, 1024)),
    {"embeds": [{"description": "d" * 4000}, {"description": "d" * 2000}]},
    components(row(*(button(str(number)) for number in range(5)))),
    components(row(button("c" * 100, "l" * 80))),
    components(row(select(25))),
    components(*(row(button(str(number))) for number in range(5))),
    v2(text(4000)),
    v2(*(text() for _ in range(40))),
    {"content": "x", "nonce": "n" * 25},
]
FORBIDDEN: Sequence[tuple[Json, str]] = [
    ({"content": "x" * 2001}, "content"),
    ({"embeds": [{"title": "t"}] * 11}, "embeds"),
    (embed(title="t" * 257), "embeds.0.title"),
    (embed(description="d" * 4097), "embeds.0.description"),
    (embed(footer={"text": "f" * 2049}), "embeds.0.footer.text"),
    (embed(author={"name": "a" * 257}), "embeds.0.author.name"),
    (embed(fields=fields(26)), "embeds.0.fields"),
    (embed(fields=fields(1, 1025)), "embeds.0.fields.0.value"),
    (embed(fields=[{"name": "", "value": "v"}]), "embeds.0.fields.0.name"),
    ({"embeds": [{"description": "d" * 4000}, {"description": "d" * 2001}]}, "embeds"),
    (components(row(*(button(str(number)) for number in range(6)))), "components.0.components"),
    (components(row()), "components.0.components"),
    (components(row(button(label="l" * 81))), "components.0.components.0.label"),
    (components(row(button("c" * 101))), "components.0.components.0.custom_id"),
    (components(row(button("same"), button("same"))), "components"),
    (components(row({"type": 2, "style": 5, "label": "docs"})), "components.0.components.0.url"),
    (components(row(button(style=5, url="https://x.test"))), "components.0.components.0"),
    (components(row(select(26))), "components.0.components.0.options"),
    (components(row(select(custom_id="s" * 101))), "components.0.components.0.custom_id"),
    (components(row(select(placeholder="p" * 151))), "components.0.components.0.placeholder"),
    (components(row(select(options=choice(label="l" * 101)))), "components.0.components.0.options.0.label"),
    (components(row(select(options=choice(value="v" * 101)))), "components.0.components.0.options.0.value"),
    (components(row(select(options=choice(description="d" * 101)))), "components.0.components.0.options.0.description"),
    (components(row(select(options=choice() * 2))), "components.0.components.0.options"),
    (components(row(select(max_values=26))), "components.0.components.0.max_values"),
    (components(row({"type": 2, "style": 5, "label": "l", "url": "u" * 513})), "components.0.components.0.url"),
    (components(row(select(), button())), "components.0.components"),
    (components(*(row(button(str(number))) for number in range(6))), "components"),
    (components(text()), "components.0.type"),
    (components(row({"type": 21, "custom_id": "r", "options": options(2)})), "components.0.components"),
    (v2(text(), content="x"), "content"),
    (v2(text(), embeds=[{"title": "t"}]), "embeds"),
    (v2(*(text() for _ in range(41))), "components"),
    (v2(text(2000), text(2001)), "components"),
    (v2(text(0)), "components.0.content"),
    ({"content": "x", "allowed_mentions": {"parse": [], "roles": ["1"] * 101}}, "allowed_mentions.roles"),
    ({"content": "x", "allowed_mentions": {"parse": ["users"], "users": ["1"]}}, "allowed_mentions"),
    ({"content": "x", "nonce": "n" * 26}, "nonce"),
]


@pytest.mark.parametrize("body", ALLOWED)
async def test_a_message_at_a_limit_is_taken(scene: Scene, body: Json) -> None:
    await scene.call("POST", f"/channels/{scene.channel.id}/messages", body)


@pytest.mark.parametrize(("body", "path"), FORBIDDEN)
async def test_a_message_over_a_limit_is_refused_at_its_place(scene: Scene, body: Json, path: str) -> None:
    assert path in await refused_at(scene, "POST", f"/channels/{scene.channel.id}/messages", body)


@pytest.mark.parametrize("body", [{"content": ""}, {"content": "  \n"}, {"embeds": []}])
async def test_an_empty_message_is_refused(scene: Scene, body: Json) -> None:
    assert (await scene.refusal("POST", f"/channels/{scene.channel.id}/messages", body)).code == 50006


async def test_an_edit_is_held_to_the_same_limits(scene: Scene) -> None:
    message = await scene.place.send("short")
    path = f"/channels/{scene.channel.id}/messages/{message.id}"
    assert await refused_at(scene, "PATCH", path, {"content": "x" * 2001}) == ["content"]


async def test_components_v2_stay_and_keep_content_out(scene: Scene) -> None:
    sent = await scene.call("POST", f"/channels/{scene.channel.id}/messages", v2(text()))
    assert isinstance(sent, dict)
    path = f"/channels/{scene.channel.id}/messages/{sent['id']}"
    assert await refused_at(scene, "PATCH", path, {"content": "x", "flags": 0}) == ["content"]


@pytest.mark.parametrize("body", [{"name": ""}, {"name": "n" * 101}])
async def test_a_threads_name_has_a_length(scene: Scene, body: Json) -> None:
    assert await refused_at(scene, "POST", f"/channels/{scene.channel.id}/threads", body) == ["name"]


async def test_a_thread_is_archived_after_one_of_four_times(scene: Scene) -> None:
    body = {"name": "talk", "auto_archive_duration": 61}
    assert await refused_at(scene, "POST", f"/channels/{scene.channel.id}/threads", body) == ["auto_archive_duration"]


def label(component: Json, words: str = "Question") -> Json:
    return {"type": 18, "label": words, "component": component}


def line(**more: object) -> Json:
    return {"type": 4, "style": 1, "custom_id": "t", **more}


def modal(*parts: Json, title: str = "Quiz", custom_id: str = "m") -> Json:
    return {"title": title, "custom_id": custom_id, "components": list(parts)}


def radio(count: int, custom_id: str = "r") -> Json:
    return {"type": 21, "custom_id": custom_id, "options": options(count)}


@pytest.mark.parametrize(
    ("data", "path"),
    [
        (modal(label(line()), title="t" * 46), "data.title"),
        (modal(label(line()), custom_id="m" * 101), "data.custom_id"),
        (modal(), "data.components"),
        (modal(text(4001)), "data.components.0.content"),
        (modal(label(line()) | {"description": "d" * 101}), "data.components.0.description"),
        (modal(label(line(custom_id="t" * 101))), "data.components.0.component.custom_id"),
        (modal(label(line(placeholder="p" * 101))), "data.components.0.component.placeholder"),
        (modal(label(radio(2, "r" * 101))), "data.components.0.component.custom_id"),
        (modal(row(line(label="l" * 46))), "data.components.0.components.0.label"),
        (modal(*(label(line()) for _ in range(6))), "data.components"),
        (modal(label(line(), "l" * 46)), "data.components.0.label"),
        (modal(label(line(max_length=4001))), "data.components.0.component.max_length"),
        (modal(label(line(value="v" * 4001))), "data.components.0.component.value"),
        (modal(label(radio(1))), "data.components.0.component.options"),
        (modal(label(radio(11))), "data.components.0.component.options"),
        (modal(label({"type": 22, "custom_id": "c", "options": options(11)})), "data.components.0.component.options"),
        (modal(row(button())), "data.components.0.components.0.type"),
    ],
)
async def test_a_modal_over_a_limit_is_refused_at_its_place(scene: Scene, data: Json, path: str) -> None:
    exchange = scene.server.interactions.begin(2, scene.ada, scene.channel, {"id": "1", "name": "raw", "type": 1})
    route = f"/interactions/{exchange.id}/{exchange.token}/callback"
    assert path in await refused_at(scene, "POST", route, {"type": 9, "data": data})


def command(name: str = "ask", **more: object) -> Json:
    return {"name": name, "description": "d", **more}


def option(name: str = "o", **more: object) -> Json:
    return {"name": name, "description": "d", "type": 3, **more}


@pytest.mark.parametrize(
    ("body", "path"),
    [
        ([command(str(number)) for number in range(101)], "commands"),
        ([command("Ask")], "0.name"),
        ([command("a" * 33)], "0.name"),
        ([{"name": "ask"}], "0.description"),
        ([command(description="d" * 101)], "0.description"),
        ([command(options=[option(str(number)) for number in range(26)])], "0.options"),
        ([command(options=[option(choices=[{"name": "n", "value": "v"}] * 26)])], "0.options.0.choices"),
        ([command(options=[option(choices=[{"name": "n" * 101, "value": "v"}])])], "0.options.0.choices.0.name"),
        ([command(options=[option(choices=[{"name": "n", "value": "v" * 101}])])], "0.options.0.choices.0.value"),
        ([{"type": 3, "name": "n" * 33}], "0.name"),
        ([command(options=[option("a"), option("b", required=True)])], "0.options.1"),
        ([command(options=[option(choices=[{"name": "n" * 90, "value": "v" * 90}] * 25)] * 2)], "0"),
        ([command(), command()], "commands"),
    ],
)
async def test_a_command_over_a_limit_is_refused_at_its_place(scene: Scene, body: list[Json], path: str) -> None:
    route = f"/applications/{scene.server.world.application.id}/commands"
    assert path in await refused_at(scene, "PUT", route, body)


async def test_two_hundred_new_commands_a_day_and_no_more(scene: Scene) -> None:
    route = f"/applications/{scene.server.world.application.id}/guilds/{scene.guild.id}/commands"
    await scene.call("PUT", route, [command(f"a{number}") for number in range(100)])
    await scene.call("PUT", route, [command(f"b{number}") for number in range(100)])
    await scene.call("PUT", route, [command(f"b{number}") for number in range(50)])
    assert (await scene.refusal("PUT", route, [command("c")])).code == 30034
    await scene.call("PUT", route, [])
