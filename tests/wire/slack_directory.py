"""The methods about who is who: `auth.*`, `users.*`, `bots.*`, `team.*`, and `assistant.threads.*`."""

from __future__ import annotations

from tests.wire.slack_ask import Ask
from tests.wire.slack_json import Json
from tests.wire.slack_limits import PROMPTS
from tests.wire.slack_refusal import Refusal, invalid
from tests.wire.slack_world import Channel


async def auth_test(ask: Ask) -> Json:
    """auth.test"""
    about = {"url": f"{ask.platform.url}/", "team": ask.team.name, "team_id": ask.team.id}
    bot = {"user": ask.bot.name, "user_id": ask.bot.id, "bot_id": ask.bot.bot_id}
    return about | bot | {"is_enterprise_install": False}


async def user_info(ask: Ask) -> Json:
    """users.info"""
    person = ask.team.person(ask.need("user"))
    profile = {"real_name": person.name, "display_name": person.name}
    about = {"id": person.id, "team_id": person.team, "name": person.name, "real_name": person.name, "tz": "Etc/UTC"}
    flags = {"is_admin": person.admin, "is_owner": False, "is_bot": bool(person.bot_id), "deleted": False}
    return {"user": about | flags | {"profile": profile}}


async def bot_info(ask: Ask) -> Json:
    """bots.info"""
    if ask.text("bot") not in ("", ask.bot.bot_id):
        raise Refusal("bot_not_found")
    about = {"id": ask.bot.bot_id, "name": ask.bot.name, "user_id": ask.bot.id}
    return {"bot": about | {"app_id": ask.platform.world.app.id, "deleted": False}}


async def team_info(ask: Ask) -> Json:
    """team.info"""
    return {"team": {"id": ask.team.id, "name": ask.team.name, "domain": ask.team.name.lower().replace(" ", "-")}}


async def set_status(ask: Ask) -> Json:
    """assistant.threads.setStatus: `thread_ts` names the root of a thread."""
    channel, thread = _thread(ask)
    ask.platform.set_status(channel, thread, ask.text("status"))
    return {}


async def set_title(ask: Ask) -> Json:
    """assistant.threads.setTitle"""
    channel, thread = _thread(ask)
    channel.titles[thread] = ask.need("title")
    return {}


async def set_prompts(ask: Ask) -> Json:
    """assistant.threads.setSuggestedPrompts. PLATFORMS.md: "suggested prompts need no `thread_ts`"."""
    channel = ask.writable("channel_id")
    prompts = ask.value("prompts", "invalid_arguments")
    whole = isinstance(prompts, list) and all(one.get("title") and one.get("message") for one in prompts)
    if not whole or not 1 <= len(prompts) <= PROMPTS:
        raise invalid("invalid_arguments", [f"must have 1 to {PROMPTS} prompts [json-pointer:/prompts]"])
    channel.prompts[ask.text("thread_ts")] = prompts
    return {}


def _thread(ask: Ask) -> tuple[Channel, str]:
    channel, thread = ask.writable("channel_id"), ask.need("thread_ts")
    if thread not in channel.messages or channel.messages[thread].root != thread:
        raise Refusal("invalid_thread_ts")
    return channel, thread
