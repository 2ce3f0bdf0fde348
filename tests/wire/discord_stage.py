"""What the owners and moderators of a local Discord do: set up guilds and channels, change them, and turn bots out."""

from __future__ import annotations

from dataclasses import dataclass

from tests.wire.discord_gateway import Gateway
from tests.wire.discord_payloads import guild_json, member_json, role_json, user_json
from tests.wire.discord_permissions import DEFAULT, Permission
from tests.wire.discord_posting import Posting
from tests.wire.discord_sessions import Event, Intent
from tests.wire.discord_threads import Threads
from tests.wire.discord_world import Channel, Guild, Json, Member, Role, User, World

NOTHING = Permission(0)


@dataclass(frozen=True, slots=True)
class Stage:
    """Changes the world and tells the bot."""

    world: World
    gateway: Gateway
    posting: Posting
    threads: Threads

    def user(self, name: str, *guilds: Guild, locale: str = "en-US") -> User:
        """A person, a member of guilds."""
        user = self.world.add_user(name)
        user.locale = locale
        for guild in guilds:
            self.join(user, guild)
        return user

    def guild(self, name: str, *, bot: Permission | None = NOTHING) -> Guild:
        """A guild; the bot joins it with these permissions beyond everyone's, unless None."""
        owner = self.world.add_user(f"{name} owner")
        guild = Guild(self.world.snowflake(), name, owner)
        guild.roles[guild.id] = Role(guild.id, "@everyone", DEFAULT)
        guild.members[owner.id] = Member(owner)
        self.world.guilds[guild.id] = guild
        if bot is not None:
            self.invite(guild, bot)
        return guild

    def invite(self, guild: Guild, permissions: Permission = NOTHING) -> None:
        """Let the bot into a guild, with a role of its own."""
        role = Role(self.world.snowflake(), self.world.bot.name, permissions, managed=True)
        guild.roles[role.id] = role
        guild.members[self.world.bot.id] = Member(self.world.bot, [role])
        self._tell(guild, "GUILD_CREATE", guild_json(guild, self.world))

    def kick(self, guild: Guild) -> None:
        """Turn the bot out of a guild."""
        guild.members.pop(self.world.bot.id, None)
        self._tell(guild, "GUILD_DELETE", {"id": str(guild.id)})

    def role(self, guild: Guild, name: str, permissions: Permission = NOTHING, *, mentionable: bool = False) -> Role:
        """A role in a guild."""
        role = Role(self.world.snowflake(), name, permissions, mentionable)
        guild.roles[role.id] = role
        self._tell_role(guild, "GUILD_ROLE_CREATE", role)
        return role

    def permit(self, guild: Guild, role: Role, permissions: Permission) -> None:
        """Set what a role grants."""
        role.permissions = permissions
        self._tell_role(guild, "GUILD_ROLE_UPDATE", role)

    def join(self, user: User, guild: Guild, *roles: Role) -> Member:
        """Make a user a member, or give a member roles."""
        known = guild.members.get(user.id)
        member = guild.members.setdefault(user.id, Member(user))
        member.roles += [role for role in roles if role not in member.roles]
        body = member_json(member) | {"guild_id": str(guild.id)}
        name = "GUILD_MEMBER_UPDATE" if known else "GUILD_MEMBER_ADD"
        self._tell(guild, name, body, Intent.GUILD_MEMBERS)
        return member

    def leave(self, user: User, guild: Guild) -> None:
        """A member leaves."""
        del guild.members[user.id]
        body = {"guild_id": str(guild.id), "user": user_json(user)}
        self._tell(guild, "GUILD_MEMBER_REMOVE", body, Intent.GUILD_MEMBERS)

    def channel(self, guild: Guild, name: str) -> Channel:
        """A text channel."""
        channel = self.world.add_channel(Channel(self.world.snowflake(), name, guild=guild))
        self.posting.tell_channel("CHANNEL_CREATE", channel)
        return channel

    def overwrite(
        self, channel: Channel, target: Role | User, *, allow: Permission = NOTHING, deny: Permission = NOTHING
    ) -> None:
        """Set a channel's overwrite for a role or a member."""
        channel.overwrites[target.id] = (allow, deny)
        self.posting.tell_channel("CHANNEL_UPDATE", channel)

    def delete(self, channel: Channel) -> None:
        """Delete a channel with its threads, or a thread."""
        self.posting.tell_channel("THREAD_DELETE" if channel.thread else "CHANNEL_DELETE", channel)
        self.world.remove_channel(channel)

    def archive(self, thread: Channel) -> None:
        """Archive a thread, as its moderators or time do."""
        self.threads.apply(thread, {"archived": True})

    def lock(self, thread: Channel, *, archive: bool = False) -> None:
        """Lock a thread, and archive it with that if asked."""
        self.threads.apply(thread, {"locked": True, "archived": archive})

    async def revoke_token(self) -> str:
        """Reset the bot's token: every call is 401 and every session ends with 4004. Returns the new token."""
        self.world.reset_token()
        await self.gateway.close_all(4004, "Authentication failed")
        return self.world.application.token

    def _tell_role(self, guild: Guild, name: str, role: Role) -> None:
        body = role_json(role, list(guild.roles).index(role.id))
        self._tell(guild, name, {"guild_id": str(guild.id), "role": body})

    def _tell(self, guild: Guild, name: str, body: Json, intent: Intent = Intent.GUILDS) -> None:
        if self.world.bot.id in guild.members or name == "GUILD_DELETE":
            self.gateway.dispatch(Event(name, body, guild.id, intent))
