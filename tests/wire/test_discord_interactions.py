"""Commands, buttons, modals and their tokens in the local Discord, met by the real discord.py."""

from __future__ import annotations

from collections.abc import AsyncIterator

import discord
import pytest

from tests.wire.discord_bot import READING, UNREAD, Bot, Interaction, OnAsk, Scene, opened, running
from tests.wire.discord_interactions import Exchange
from tests.wire.discord_options import Mistyped
from tests.wire.discord_people import Impossible
from tests.wire.discord_permissions import Permission


@pytest.fixture
async def scene() -> AsyncIterator[Scene]:
    async with opened(READING) as scene:
        yield scene


class Panel(discord.ui.View):
    """A button that stays, one that is off, a link and a choice; what is done with them is told on the panel."""

    def __init__(self) -> None:
        super().__init__(timeout=None)
        self.add_item(discord.ui.Button(label="Docs", url="https://docs.example"))

    @discord.ui.button(label="Good", custom_id="good")
    async def good(self, interaction: Interaction, _: discord.ui.Button[Panel]) -> None:
        await interaction.response.edit_message(content="thanks")

    @discord.ui.button(label="Off", custom_id="off", disabled=True)
    async def off(self, interaction: Interaction, _: discord.ui.Button[Panel]) -> None: ...

    @discord.ui.button(label="Why", custom_id="why")
    async def why(self, interaction: Interaction, _: discord.ui.Button[Panel]) -> None:
        await interaction.response.send_modal(Comment())

    @discord.ui.button(label="Later", custom_id="later")
    async def later(self, interaction: Interaction, _: discord.ui.Button[Panel]) -> None:
        await interaction.response.defer()
        await interaction.edit_original_response(content="done")

    @discord.ui.select(
        custom_id="pick", options=[discord.SelectOption(label="A"), discord.SelectOption(label="B")], max_values=2
    )
    async def pick(self, interaction: Interaction, chosen: discord.ui.Select[Panel]) -> None:
        await interaction.response.send_message(f"you chose {', '.join(chosen.values)}", ephemeral=True)


class Comment(discord.ui.Modal, title="Comment"):
    """A text and a choice."""

    words: discord.ui.Label[Comment] = discord.ui.Label(
        text="Words", component=discord.ui.TextInput(custom_id="words", max_length=20)
    )
    level: discord.ui.Label[Comment] = discord.ui.Label(
        text="Level",
        component=discord.ui.RadioGroup(
            custom_id="level",
            options=[discord.RadioGroupOption(label="easy"), discord.RadioGroupOption(label="hard")],
        ),
    )

    async def on_submit(self, interaction: Interaction) -> None:
        words, level = self.words.component, self.level.component
        assert isinstance(words, discord.ui.TextInput) and isinstance(level, discord.ui.RadioGroup)
        await interaction.response.send_message(f"{words.value} ({level.value})", ephemeral=True)


async def asked(scene: Scene, on_ask: OnAsk) -> Exchange:
    """Have Ada ask with /ask, and the bot answer like this; returns when it has answered or failed."""
    finished: list[bool] = []

    async def answer(interaction: Interaction, question: str) -> None:
        try:
            await on_ask(interaction, question)
        finally:
            finished.append(True)
            scene.bot.bell.ring()

    scene.bot.on_ask = answer
    exchange = scene.server.people.slash(scene.ada, scene.channel, "ask", question="what is S3?")
    await scene.bot.bell.until(lambda: finished)
    return exchange


async def failure(scene: Scene) -> discord.HTTPException:
    error = (await scene.bot.bell.until(lambda: scene.bot.errors))[0]
    assert isinstance(error, discord.HTTPException), error
    return error


async def shown(scene: Scene) -> discord.Message:
    return await scene.place.send("how was it?", view=Panel())


async def test_a_command_is_deferred_filled_in_and_followed_up(scene: Scene) -> None:
    seen: list[bool] = []

    async def answer(interaction: Interaction, question: str) -> None:
        await interaction.response.defer(thinking=True)
        seen.extend(each.pending for each in scene.server.people.transcript(scene.channel))
        await interaction.edit_original_response(content="An object store.")
        await interaction.followup.send("only you", ephemeral=True)

    exchange = await asked(scene, answer)
    assert seen == [True] and exchange.acknowledged_after is not None and exchange.acknowledged_after < 3
    assert scene.texts() == ["An object store."]
    assert scene.texts(viewer=scene.ada) == ["An object store.", "only you"]


async def test_the_first_follow_up_fills_in_the_deferral(scene: Scene) -> None:
    async def answer(interaction: Interaction, _: str) -> None:
        await interaction.response.defer(thinking=True, ephemeral=True)
        await interaction.followup.send("filled in")

    exchange = await asked(scene, answer)
    assert exchange.followups == [] and scene.texts(viewer=scene.ada) == ["filled in"] and scene.texts() == []


async def test_a_first_response_after_three_seconds_finds_no_interaction(scene: Scene) -> None:
    async def answer(interaction: Interaction, _: str) -> None:
        scene.server.clock.skip(3.1)
        await interaction.response.defer()

    exchange = await asked(scene, answer)
    assert (await failure(scene)).code == 10062
    assert scene.server.interactions.failed(exchange) and exchange.refused == [10062]


async def test_a_token_dies_after_fifteen_minutes_but_the_message_can_be_edited_by_the_bot(scene: Scene) -> None:
    async def answer(interaction: Interaction, _: str) -> None:
        await interaction.response.send_message("working")
        message = await interaction.original_response()
        scene.server.clock.skip(901)
        await scene.place.get_partial_message(message.id).edit(content="as the bot")
        await interaction.edit_original_response(content="too late")

    await asked(scene, answer)
    error = await failure(scene)
    assert (error.status, error.code) == (401, 50027) and scene.texts() == ["as the bot"]


async def test_an_interaction_is_answered_once(scene: Scene) -> None:
    async def answer(interaction: Interaction, _: str) -> None:
        await interaction.response.send_message("one")

    exchange = await asked(scene, answer)
    route = f"/interactions/{exchange.id}/{exchange.token}/callback"
    assert (await scene.refusal("POST", route, {"type": 4, "data": {"content": "two"}})).code == 40060


async def test_nothing_follows_before_the_first_response(scene: Scene) -> None:
    async def answer(interaction: Interaction, _: str) -> None:
        await interaction.followup.send("too early")

    await asked(scene, answer)
    assert (await failure(scene)).code == 10015


@pytest.mark.parametrize(
    ("body", "path"),
    [
        ({"type": 5, "data": {"flags": 1 << 15}}, "data.flags"),
        ({"type": 6}, "type"),
        ({"type": 7, "data": {"content": "x"}}, "type"),
        ({"type": 8, "data": {"choices": []}}, "type"),
    ],
)
async def test_a_command_takes_only_its_own_kinds_of_response(scene: Scene, body: object, path: str) -> None:
    exchange = scene.server.interactions.begin(2, scene.ada, scene.channel, {"id": "1", "name": "raw", "type": 1})
    error = await scene.refusal("POST", f"/interactions/{exchange.id}/{exchange.token}/callback", body)
    assert error.code == 50035 and f"In {path}:" in error.text


async def test_a_modal_is_not_answered_with_a_modal(scene: Scene) -> None:
    exchange = scene.server.interactions.begin(5, scene.ada, scene.channel, {"custom_id": "m", "components": []})
    body = {"type": 9, "data": {"title": "t", "custom_id": "m", "components": [{"type": 10, "content": "x"}]}}
    error = await scene.refusal("POST", f"/interactions/{exchange.id}/{exchange.token}/callback", body)
    assert error.code == 50035 and "In type:" in error.text


async def test_an_ephemeral_message_is_there_for_its_reader_only(scene: Scene) -> None:
    async def answer(interaction: Interaction, _: str) -> None:
        await interaction.response.send_message("for you", ephemeral=True)

    exchange = await asked(scene, answer)
    (message,) = exchange.messages
    assert scene.texts() == [] and scene.texts(viewer=scene.ada) == ["for you"]
    path = f"/channels/{scene.channel.id}/messages/{message.id}"
    assert (await scene.refusal("GET", path)).code == 10008
    assert "MESSAGE_CREATE" not in scene.bot.events


async def test_a_deleted_response_is_unknown(scene: Scene) -> None:
    async def answer(interaction: Interaction, _: str) -> None:
        await interaction.response.send_message("gone")
        await interaction.delete_original_response()
        await interaction.edit_original_response(content="again")

    await asked(scene, answer)
    assert (await failure(scene)).code == 10008


async def test_responses_ping_users_only_by_default_and_deferred_ones_nobody(scene: Scene) -> None:
    words = f"@everyone <@{scene.server.stage.user('Bob', scene.guild).id}>"

    async def answer(interaction: Interaction, _: str) -> None:
        await interaction.response.send_message(words)

    async def later(interaction: Interaction, _: str) -> None:
        await interaction.response.defer()
        await interaction.edit_original_response(content=words)

    await asked(scene, answer)
    await asked(scene, later)
    assert [ping.target for ping in scene.server.record.pings if ping.loud] == ["user:Bob"]


async def test_a_button_updates_its_message(scene: Scene) -> None:
    message = await shown(scene)
    exchange = scene.server.people.press(scene.ada, scene.channel.messages[message.id], "Good")
    await scene.server.until(lambda: exchange.answer)
    assert scene.texts() == ["thanks"]


async def test_a_button_is_deferred_and_its_message_edited(scene: Scene) -> None:
    message = await shown(scene)
    scene.server.people.press(scene.ada, scene.channel.messages[message.id], "later")
    await scene.server.until(lambda: scene.texts() == ["done"])


async def test_a_persistent_button_works_after_a_restart(scene: Scene) -> None:
    message = await shown(scene)
    await scene.bot.close()
    second = Bot(READING)
    second.add_view(Panel())
    async with running(scene.server, second):
        exchange = scene.server.people.press(scene.ada, scene.channel.messages[message.id], "Good")
        await scene.server.until(lambda: exchange.answer)
    assert scene.texts() == ["thanks"]


async def test_a_button_with_nobody_behind_it_fails_for_the_user(scene: Scene) -> None:
    view = {"type": 1, "components": [{"type": 2, "style": 1, "label": "Stale", "custom_id": "stale"}]}
    await scene.call("POST", f"/channels/{scene.channel.id}/messages", {"content": "old", "components": [view]})
    (message,) = scene.channel.messages.values()
    exchange = scene.server.people.press(scene.ada, message, "Stale")
    scene.server.clock.skip(3.1)
    assert scene.server.interactions.failed(exchange)


async def test_a_choice_is_made_in_a_select(scene: Scene) -> None:
    message = scene.channel.messages[(await shown(scene)).id]
    exchange = scene.server.people.select(scene.ada, message, ["A", "B"])
    await scene.server.until(lambda: exchange.messages)
    assert scene.texts(viewer=scene.ada)[-1] == "you chose A, B"


async def test_a_modal_is_filled_in_and_sent(scene: Scene) -> None:
    message = await shown(scene)
    opened_by = scene.server.people.press(scene.ada, scene.channel.messages[message.id], "Why")
    await scene.server.until(lambda: opened_by.modal)
    exchange = scene.server.people.submit_modal(opened_by, {"words": "clear", "level": "easy"})
    await scene.server.until(lambda: exchange.messages)
    assert scene.texts(viewer=scene.ada)[-1] == "clear (easy)"


async def test_the_program_holds_people_to_what_it_offers(scene: Scene) -> None:
    people, message = scene.server.people, scene.channel.messages[(await shown(scene)).id]
    for button in ("Off", "Docs", "Nothing"):
        with pytest.raises(Impossible):
            people.press(scene.ada, message, button)
    with pytest.raises(Impossible):
        people.select(scene.ada, message, ["C"])
    opened_by = people.press(scene.ada, message, "Why")
    await scene.server.until(lambda: opened_by.modal)
    for values in ({"level": "easy"}, {"words": "w" * 21, "level": "easy"}):
        with pytest.raises(Impossible):
            people.submit_modal(opened_by, values)


async def test_commands_take_their_own_options_only(scene: Scene) -> None:
    people = scene.server.people
    for path, values in (("ask", {}), ("ask", {"q": "x"}), ("ask", {"question": 1})):
        with pytest.raises(Mistyped):
            people.slash(scene.ada, scene.channel, path, **values)
    with pytest.raises(Impossible):
        people.slash(scene.ada, scene.channel, "nothing")


async def test_a_command_is_shown_to_whom_its_default_permissions_name(scene: Scene) -> None:
    people, values = scene.server.people, {"tenant": "aws-saa", "channel": scene.channel}
    with pytest.raises(Impossible):
        people.slash(scene.ada, scene.channel, "coach bind", **values)
    scene.server.stage.join(
        scene.ada, scene.guild, scene.server.stage.role(scene.guild, "Mods", Permission.MANAGE_GUILD)
    )
    exchange = people.slash(scene.ada, scene.channel, "coach bind", **values)
    await scene.server.until(lambda: exchange.messages)
    assert scene.texts() == ["About aws-saa in aws-saa"]


async def test_a_guild_only_command_is_not_in_direct_messages_and_others_are(scene: Scene) -> None:
    dm = scene.server.world.dm(scene.ada)
    with pytest.raises(Impossible):
        scene.server.people.slash(scene.ada, dm, "coach bind", tenant="x", channel=scene.channel)
    exchange = scene.server.people.slash(scene.ada, dm, "ask", question="here?")
    await scene.server.until(lambda: exchange.messages)
    assert scene.texts(dm) == ["About here?"]


async def test_commands_are_not_used_in_archived_threads(scene: Scene) -> None:
    thread = scene.server.threads.start(scene.ada, scene.channel, {"name": "old"})
    scene.server.stage.archive(thread)
    with pytest.raises(Impossible):
        scene.server.people.slash(scene.ada, thread, "ask", question="x")


async def test_a_thread_locked_meanwhile_takes_no_response(scene: Scene) -> None:
    thread = scene.server.threads.start(scene.ada, scene.channel, {"name": "old"})

    async def answer(interaction: Interaction, _: str) -> None:
        scene.server.stage.lock(thread, archive=True)
        await interaction.response.send_message("x")

    scene.bot.on_ask = answer
    scene.server.people.slash(scene.ada, thread, "ask", question="x")
    assert (await failure(scene)).code == 50083


async def test_typed_letters_are_completed_with_at_most_25_choices(scene: Scene) -> None:
    scene.bot.completions = [f"s3-{number}" for number in range(25)]
    found = await scene.server.people.autocomplete(scene.ada, scene.channel, "ask", question="s3")
    assert len(found) == 25
    scene.bot.completions.append("s3-more")
    with pytest.raises(Impossible, match="50035"):
        await scene.server.people.autocomplete(scene.ada, scene.channel, "ask", question="s3")


async def test_a_message_command_reads_its_message_without_the_intent() -> None:
    async with opened(UNREAD) as scene:
        message = scene.server.people.message(scene.ada, scene.channel, "what is this?")
        exchange = scene.server.people.context_menu(scene.ada, message, "Ask about this")
        await scene.server.until(lambda: exchange.messages)
        assert scene.texts() == ["what is this?", "About what is this?"]


async def test_a_repeated_sync_keeps_ids_and_creates_nothing(scene: Scene) -> None:
    before = [command["id"] for command in scene.server.commands.of(None)]
    created = scene.server.commands.creates[None]
    await scene.bot.tree.sync()
    assert [command["id"] for command in scene.server.commands.of(None)] == before
    assert scene.server.commands.creates[None] == created
