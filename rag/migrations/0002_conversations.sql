-- Conversations and what they cost. All text in here is redacted before it arrives.

create table conversations (
    tenant text not null,
    id text not null,
    person text not null,
    started_at timestamptz not null default now(),
    last_at timestamptz not null default now(),
    primary key (tenant, id)
);
create index on conversations (tenant, last_at);

create table answers (
    tenant text not null,
    id text not null,
    conversation text not null,
    position bigint generated always as identity,
    at timestamptz not null default now(),
    asked text not null,
    kind text not null,
    reason text not null,
    text text not null,
    confidence real,
    milliseconds integer not null,
    primary key (tenant, id),
    foreign key (tenant, conversation) references conversations (tenant, id) on delete cascade
);
create index on answers (tenant, conversation, position);

create table feedback (
    tenant text not null,
    answer text not null,
    person text not null,
    helpful boolean not null,
    comment text,
    at timestamptz not null default now(),
    primary key (tenant, answer, person),
    foreign key (tenant, answer) references answers (tenant, id) on delete cascade
);

-- What models cost, without any text: it outlives the conversations.
create table spending (
    tenant text not null,
    day date not null,
    person text not null,
    model text not null,
    answers bigint not null default 0,
    input bigint not null default 0,
    output bigint not null default 0,
    usd double precision not null default 0,
    unpriced bigint not null default 0,
    primary key (tenant, day, person, model)
);

-- Sliding counts of requests, for limits that replicas share.
create table rates (
    tenant text not null,
    subject text not null,
    minute timestamptz not null,
    requests integer not null default 0,
    primary key (tenant, subject, minute)
);

do $$
declare
    name text;
begin
    foreach name in array array['conversations', 'answers', 'feedback', 'spending', 'rates'] loop
        execute format('alter table %I enable row level security', name);
        execute format('alter table %I force row level security', name);
        execute format(
            'create policy tenant on %I using (tenant = current_setting(''certcoach.tenant'', true)) '
            'with check (tenant = current_setting(''certcoach.tenant'', true))', name);
    end loop;
end $$;
