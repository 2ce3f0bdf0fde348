-- open --
insert into conversations (tenant, id, person)
values (%(tenant)s, %(conversation)s, %(person)s)
on conflict (tenant, id) do update set last_at = now() where conversations.person = excluded.person
returning mask_key

-- known --
select type, digest, number
from masks
where tenant = %(tenant)s and conversation = %(conversation)s

-- add --
insert into masks (tenant, conversation, type, digest, number)
values (%(tenant)s, %(conversation)s, %(type)s, %(digest)s, %(number)s)
