-- spent --
select
    coalesce(sum(input + output), 0)::bigint as tenant,
    coalesce(sum(input + output) filter (where person = %(person)s), 0)::bigint as person
from spending
where tenant = %(tenant)s and day = %(day)s

-- add --
insert into spending as s (tenant, day, person, model, answers, input, output, usd, unpriced)
values (
    %(tenant)s, %(day)s, %(person)s, %(model)s, 1, %(input)s, %(output)s, coalesce(%(usd)s::float8, 0),
    (%(usd)s::float8 is null)::int
)
on conflict (tenant, day, person, model) do update set
    answers = s.answers + 1, input = s.input + excluded.input, output = s.output + excluded.output,
    usd = s.usd + excluded.usd, unpriced = s.unpriced + excluded.unpriced

-- count --
insert into rates as r (tenant, subject, minute, requests)
values (%(tenant)s, %(subject)s, date_trunc('minute', %(now)s::timestamptz), 1)
on conflict (tenant, subject, minute) do update set requests = r.requests + 1
returning requests

-- sweep --
delete from rates where tenant = %(tenant)s and minute < %(before)s

-- report --
select day, person, model, answers, input, output, usd, unpriced
from spending
where tenant = %(tenant)s and day >= %(since)s
order by day, person, model
