-- What was declined, for a while, and what moderators have said of it, for good. All text in here is redacted before it
-- arrives.

create table declined (
    tenant text not null,
    id text not null,
    at timestamptz not null default now(),
    asked text not null,
    kind text not null,
    reason text not null,
    rule text,
    nearest text[] not null default '{}',
    judged text check (judged in ('wrong', 'right')),
    primary key (tenant, id)
);
create index on declined (tenant, at);

-- `id` is that of the declined message that an example was made from.
create table examples (
    tenant text not null,
    id text not null,
    text text not null,
    label text not null,
    at timestamptz not null default now(),
    by text not null,
    primary key (tenant, id)
);

do $$
declare
    name text;
begin
    foreach name in array array['declined', 'examples'] loop
        execute format('alter table %I enable row level security', name);
        execute format('alter table %I force row level security', name);
        execute format(
            'create policy tenant on %I using (tenant = current_setting(''certcoach.tenant'', true)) '
            'with check (tenant = current_setting(''certcoach.tenant'', true))', name);
    end loop;
end $$;
