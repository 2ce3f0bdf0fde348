-- Masks that stay the same in a conversation: a short keyed hash of a value and its number, never the value.

alter table conversations add column mask_key bytea not null default uuid_send(gen_random_uuid());

create table masks (
    tenant text not null,
    conversation text not null,
    type text not null,
    digest bytea not null,
    number integer not null,
    primary key (tenant, conversation, type, digest),
    unique (tenant, conversation, type, number),
    foreign key (tenant, conversation) references conversations (tenant, id) on delete cascade
);

alter table masks enable row level security;
alter table masks force row level security;
create policy tenant on masks using (tenant = current_setting('certcoach.tenant', true))
with check (tenant = current_setting('certcoach.tenant', true));
