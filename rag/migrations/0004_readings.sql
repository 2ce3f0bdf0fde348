-- The vectors of a chunk's sentences, list items and table rows, one after the other at half precision: an answer looks
-- among them for what answers, and finds them ready.

create table readings (
    tenant text not null,
    space text not null,
    edition text not null,
    chunk_id bigint not null,
    units bytea not null,
    primary key (tenant, space, edition, chunk_id),
    foreign key (tenant, chunk_id) references chunks (tenant, id) on delete cascade
);
create index on readings (tenant, chunk_id);
alter table readings enable row level security;
alter table readings force row level security;
create policy tenant on readings using (tenant = current_setting('certcoach.tenant', true))
    with check (tenant = current_setting('certcoach.tenant', true));
