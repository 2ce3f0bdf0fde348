-- The corpus: documents, their chunks, and one narrow table for each leg of the search.
-- The tenant leads every key; row-level security binds the product's own role, the owner, too.

create table documents (
    tenant text not null,
    id bigint generated always as identity,
    key text not null,
    url text not null,
    title text not null,
    citation text not null,
    licence text,
    dated date,
    sha256 text not null,
    fetched_at timestamptz not null,
    markdown text not null,
    etag text,
    last_modified text,
    version integer not null default 1,
    primary key (tenant, id),
    unique (tenant, key)
);

create sequence chunk_ids;

create table chunks (
    tenant text not null,
    id bigint not null,
    edition text not null,
    document_id bigint not null,
    ordinal integer not null,
    heading text not null,
    text text not null,
    words integer not null,
    terms integer[] not null,
    fts tsvector generated always as (to_tsvector('english', text)) stored,
    primary key (tenant, id),
    unique (tenant, document_id, edition, ordinal),
    foreign key (tenant, document_id) references documents (tenant, id) on delete cascade
);

create table vectors (
    tenant text not null,
    space text not null,
    edition text not null,
    chunk_id bigint not null,
    v halfvec not null,
    primary key (tenant, space, edition, chunk_id),
    foreign key (tenant, chunk_id) references chunks (tenant, id) on delete cascade
);
alter table vectors alter column v set storage plain;

-- Saturated term frequencies without idf: true BM25 is the inner product with the question's idf weights.
-- PLAIN storage fails on long chunks ("row is too big"); EXTERNAL spares the decompression.
create table lexical (
    tenant text not null,
    edition text not null,
    chunk_id bigint not null,
    v sparsevec(1000000000) not null,
    primary key (tenant, edition, chunk_id),
    foreign key (tenant, chunk_id) references chunks (tenant, id) on delete cascade
) with (toast_tuple_target = 8160);
alter table lexical alter column v set storage external;

create index on vectors (tenant, chunk_id);
create index on lexical (tenant, chunk_id);

-- `length` is the average length in words that the edition's weights were saturated with.
create table editions (
    tenant text not null,
    edition text not null,
    chunks bigint not null default 0,
    words bigint not null default 0,
    length real not null,
    primary key (tenant, edition)
);

create table frequencies (
    tenant text not null,
    edition text not null,
    term integer not null,
    chunks bigint not null,
    primary key (tenant, edition, term)
);

create table fetches (
    tenant text not null,
    id bigint generated always as identity,
    key text not null,
    url text not null,
    final_url text,
    at timestamptz not null,
    status integer,
    content_type text,
    bytes bigint,
    sha256 text,
    outcome text not null,
    reason text,
    primary key (tenant, id)
);
create index on fetches (tenant, key, id desc);

-- Vectors by content hash: holds no text and belongs to no tenant, so row-level security does not apply.
create table embeddings (
    space text not null,
    sha256 bytea not null,
    v halfvec not null,
    primary key (space, sha256)
);

do $$
declare
    name text;
begin
    foreach name in array array['documents', 'chunks', 'vectors', 'lexical', 'editions', 'frequencies', 'fetches'] loop
        execute format('alter table %I enable row level security', name);
        execute format('alter table %I force row level security', name);
        execute format(
            'create policy tenant on %I using (tenant = current_setting(''certcoach.tenant'', true)) '
            'with check (tenant = current_setting(''certcoach.tenant'', true))', name);
    end loop;
end $$;
