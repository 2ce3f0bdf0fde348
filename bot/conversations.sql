-- turns --
select asked as question, text as answer
from (
    select a.asked, a.text, a.position
    from answers as a
    join conversations as c on c.tenant = a.tenant and c.id = a.conversation
    where a.tenant = %(tenant)s and a.conversation = %(conversation)s and c.person = %(person)s and a.kind = 'answer'
    order by a.position desc
    limit %(n)s
) as last
order by position

-- open --
insert into conversations (tenant, id, person)
values (%(tenant)s, %(conversation)s, %(person)s)
on conflict (tenant, id) do update set last_at = now() where conversations.person = excluded.person
returning id

-- add --
insert into answers (tenant, id, conversation, asked, kind, reason, text, confidence, milliseconds)
values (
    %(tenant)s, %(id)s, %(conversation)s, %(asked)s, %(kind)s, %(reason)s, %(text)s, %(confidence)s, %(milliseconds)s
)

-- export --
select a.id, a.at, a.asked, a.kind, a.reason, a.text, f.helpful, f.comment
from answers as a
join conversations as c on c.tenant = a.tenant and c.id = a.conversation
left join feedback as f on f.tenant = a.tenant and f.answer = a.id and f.person = c.person
where a.tenant = %(tenant)s and a.conversation = %(conversation)s and c.person = %(person)s
order by a.position

-- delete --
delete from conversations where tenant = %(tenant)s and id = %(conversation)s and person = %(person)s

-- expire --
delete from conversations where tenant = %(tenant)s and last_at < %(before)s

-- rate --
insert into feedback (tenant, answer, person, helpful, comment)
select a.tenant, a.id, %(person)s, %(helpful)s, %(comment)s
from answers as a
where a.tenant = %(tenant)s and a.id = %(answer)s
on conflict (tenant, answer, person) do update set helpful = excluded.helpful, comment = excluded.comment, at = now()
