-- versions --
select d.key, d.sha256, d.etag, d.last_modified, count(*) as chunks
from documents as d
join chunks as c on c.tenant = d.tenant and c.document_id = d.id and c.edition = %(edition)s
join vectors as v on v.tenant = c.tenant and v.edition = c.edition and v.chunk_id = c.id and v.space = %(space)s
where d.tenant = %(tenant)s
group by d.key, d.sha256, d.etag, d.last_modified

-- lock --
select pg_advisory_xact_lock(hashtextextended(%(tenant)s || chr(31) || %(key)s, 0))

-- average --
insert into editions (tenant, edition, length)
values (%(tenant)s, %(edition)s, %(nominal)s)
on conflict (tenant, edition) do update set length = editions.length
returning length

-- upsert_document --
insert into documents (
    tenant, key, url, title, citation, licence, dated, sha256, fetched_at, markdown, etag, last_modified
)
values (
    %(tenant)s, %(key)s, %(url)s, %(title)s, %(citation)s, %(licence)s, %(dated)s, %(sha256)s, %(fetched_at)s,
    %(markdown)s, %(etag)s, %(last_modified)s
)
on conflict (tenant, key) do update set
    url = excluded.url, title = excluded.title, citation = excluded.citation, licence = excluded.licence,
    dated = excluded.dated, sha256 = excluded.sha256, fetched_at = excluded.fetched_at, markdown = excluded.markdown,
    etag = excluded.etag, last_modified = excluded.last_modified,
    version = documents.version + (documents.sha256 <> excluded.sha256)::int
returning id

-- outdated_editions --
select distinct c.edition
from chunks as c
join documents as d on d.tenant = c.tenant and d.id = c.document_id
where d.tenant = %(tenant)s and d.key = %(key)s and (d.sha256 <> %(sha256)s or c.edition = %(edition)s)
order by c.edition

-- forget_chunks --
with gone as (
    delete from chunks as c
    using documents as d
    where
        d.tenant = %(tenant)s and d.key = %(key)s and c.tenant = d.tenant and c.document_id = d.id
        and c.edition = %(edition)s
    returning c.terms, c.words
),
counted as (
    select term, -count(*) as change from gone, unnest(gone.terms) as term group by term order by term
),
frequencies_changed as (
    insert into frequencies as f (tenant, edition, term, chunks)
    select %(tenant)s, %(edition)s, term, change from counted order by term
    on conflict (tenant, edition, term) do update set chunks = f.chunks + excluded.chunks
)
update editions as e
set chunks = e.chunks - gone.chunks, words = e.words - gone.words
from (select count(*) as chunks, coalesce(sum(words), 0) as words from gone) as gone
where e.tenant = %(tenant)s and e.edition = %(edition)s

-- insert_chunks --
with added as (
    insert into chunks (tenant, id, edition, document_id, ordinal, heading, text, words, terms)
    select
        %(tenant)s, nextval('chunk_ids'), %(edition)s, %(document)s, ordinal, heading, text, words,
        string_to_array(terms, ',')::int[]
    from unnest(
        %(ordinals)s::int[], %(headings)s::text[], %(texts)s::text[], %(words)s::int[], %(terms)s::text[]
    ) as given (ordinal, heading, text, words, terms)
    returning id, ordinal, terms, words
),
counted as (
    select term, count(*) as change from added, unnest(added.terms) as term group by term order by term
),
frequencies_changed as (
    insert into frequencies as f (tenant, edition, term, chunks)
    select %(tenant)s, %(edition)s, term, change from counted order by term
    on conflict (tenant, edition, term) do update set chunks = f.chunks + excluded.chunks
),
edition_changed as (
    update editions as e
    set chunks = e.chunks + added.chunks, words = e.words + added.words
    from (select count(*) as chunks, coalesce(sum(words), 0) as words from added) as added
    where e.tenant = %(tenant)s and e.edition = %(edition)s
)
select id from added order by ordinal

-- insert_vector --
insert into vectors (tenant, space, edition, chunk_id, v)
values (%(tenant)s, %(space)s, %(edition)s, %(chunk)s, %(vector)s)

-- insert_reading --
insert into readings (tenant, space, edition, chunk_id, units)
values (%(tenant)s, %(space)s, %(edition)s, %(chunk)s, %(units)s)

-- insert_lexical --
insert into lexical (tenant, edition, chunk_id, v)
values (%(tenant)s, %(edition)s, %(chunk)s, %(weights)s)

-- update_lexical --
update lexical set v = %(weights)s
where tenant = %(tenant)s and edition = %(edition)s and chunk_id = %(chunk)s

-- texts --
select id, text from chunks where tenant = %(tenant)s and edition = %(edition)s order by id

-- drift --
select length, case when chunks > 0 then words::real / chunks end as average
from editions
where tenant = %(tenant)s and edition = %(edition)s
for update

-- set_length --
update editions set length = %(length)s where tenant = %(tenant)s and edition = %(edition)s

-- delete_document --
delete from documents where tenant = %(tenant)s and key = %(key)s

-- insert_fetch --
insert into fetches (
    tenant, key, url, final_url, at, status, content_type, bytes, sha256, outcome, reason
)
values (
    %(tenant)s, %(key)s, %(url)s, %(final_url)s, %(at)s, %(status)s, %(content_type)s, %(bytes)s, %(sha256)s,
    %(outcome)s, %(reason)s
)

-- touch --
update documents
set fetched_at = %(at)s, etag = coalesce(%(etag)s, etag), last_modified = coalesce(%(last_modified)s, last_modified)
where tenant = %(tenant)s and key = %(key)s

-- documents --
select count(*) from documents where tenant = %(tenant)s

-- show --
select d.key, d.url, d.title, d.citation, d.dated::text as dated, d.fetched_at, d.version, d.markdown, d.id
from documents as d
where d.tenant = %(tenant)s and (d.key = %(name)s or d.url = %(name)s or d.key like '%%/' || %(name)s)
order by (d.key = %(name)s) desc, (d.url = %(name)s) desc, d.key

-- show_chunks --
select ordinal, heading, text
from chunks
where tenant = %(tenant)s and document_id = %(document)s and edition = %(edition)s
order by ordinal
