-- add --
insert into declined (tenant, id, asked, kind, reason, rule, nearest)
values (%(tenant)s, %(id)s, %(asked)s, %(kind)s, %(reason)s, %(rule)s, %(nearest)s)
on conflict (tenant, id) do nothing

-- recent --
select id, at, asked, kind, reason, rule, nearest, judged
from declined
where tenant = %(tenant)s
order by at desc, id
limit %(n)s

-- one --
select id, at, asked, kind, reason, rule, nearest, judged
from declined
where tenant = %(tenant)s and id = %(id)s

-- judge --
update declined set judged = %(judged)s where tenant = %(tenant)s and asked = %(asked)s

-- unlearn --
delete from examples where tenant = %(tenant)s and text = %(asked)s

-- learn --
insert into examples (tenant, id, text, label, by) values (%(tenant)s, %(id)s, %(asked)s, %(label)s, %(by)s)

-- taught --
select text from examples where tenant = %(tenant)s and id = %(id)s

-- examples --
select text, label from examples where tenant = %(tenant)s order by at, id

-- uncovered --
select asked, at, coalesce(nearest[1], '') as nearest
from declined
where
    tenant = %(tenant)s
    and reason = 'not_covered'
    and judged is distinct from 'wrong'
    and at >= now() - make_interval(days => %(days)s)
order by at desc, id

-- forget --
with gone as (
    delete from declined as d
    using answers as a, conversations as c
    where
        d.tenant = %(tenant)s
        and a.tenant = d.tenant and a.id = d.id
        and c.tenant = a.tenant and c.id = a.conversation
        and c.id = %(conversation)s and c.person = %(person)s
    returning d.id
)
delete from examples where tenant = %(tenant)s and id in (select id from gone)

-- expire --
delete from declined where tenant = %(tenant)s and at < %(before)s
