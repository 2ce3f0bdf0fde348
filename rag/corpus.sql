-- dense --
select chunk_id, -(v <#> %(vector)s) as cosine, row_number() over (order by v <#> %(vector)s, chunk_id) as dense_rank
from vectors
where tenant = %(tenant)s and space = %(space)s and edition = %(edition)s
order by v <#> %(vector)s, chunk_id
limit %(n)s

-- sparse --
with question as materialized (
    select
        ('{' || string_agg(term || ':' || idf, ',' order by term) || '}/1000000000')::sparsevec as idfs,
        2.2 * sum(idf) as best
    from (
        select t.term, ln(1 + (e.chunks - coalesce(f.chunks, 0) + 0.5) / (coalesce(f.chunks, 0) + 0.5)) as idf
        from unnest(%(terms)s::int[]) as t (term)
        join editions as e on e.tenant = %(tenant)s and e.edition = %(edition)s
        left join frequencies as f on f.tenant = e.tenant and f.edition = e.edition and f.term = t.term
    ) as weighed
),
scored as (
    select l.chunk_id, -(l.v <#> q.idfs) as bm25, q.best
    from question as q, lexical as l
    where l.tenant = %(tenant)s and l.edition = %(edition)s and q.best > 0
)
select
    chunk_id, bm25, least(bm25 / best, 1) as coverage,
    row_number() over (order by bm25 desc, chunk_id) as sparse_rank
from scored
where bm25 > 0
order by bm25 desc, chunk_id
limit %(n)s

-- hybrid --
with question as materialized (
    select
        ('{' || string_agg(term || ':' || idf, ',' order by term) || '}/1000000000')::sparsevec as idfs,
        2.2 * sum(idf) as best
    from (
        select t.term, ln(1 + (e.chunks - coalesce(f.chunks, 0) + 0.5) / (coalesce(f.chunks, 0) + 0.5)) as idf
        from unnest(%(terms)s::int[]) as t (term)
        join editions as e on e.tenant = %(tenant)s and e.edition = %(edition)s
        left join frequencies as f on f.tenant = e.tenant and f.edition = e.edition and f.term = t.term
    ) as weighed
),
scored as materialized (
    select v.chunk_id, -(v.v <#> %(vector)s) as cosine, coalesce(-(l.v <#> q.idfs), 0) as bm25, q.best
    from question as q, vectors as v
    join lexical as l on l.tenant = v.tenant and l.edition = v.edition and l.chunk_id = v.chunk_id
    where v.tenant = %(tenant)s and v.space = %(space)s and v.edition = %(edition)s
),
dense as (
    select chunk_id, row_number() over (order by cosine desc, chunk_id) as dense_rank
    from (select chunk_id, cosine from scored order by cosine desc, chunk_id limit %(n)s) as best
),
sparse as (
    select chunk_id, row_number() over (order by bm25 desc, chunk_id) as sparse_rank
    from (
        select chunk_id, bm25 from scored where bm25 > 0 order by bm25 desc, chunk_id limit %(n)s
    ) as best
)
select
    chunk_id, s.cosine, s.bm25, coalesce(least(s.bm25 / s.best, 1), 0) as coverage,
    dense.dense_rank, sparse.sparse_rank
from dense full join sparse using (chunk_id) join scored as s using (chunk_id)

-- sparse_and --
select
    id as chunk_id, score as bm25, 1 as coverage, row_number() over (order by score desc, id) as sparse_rank
from (
    select id, ts_rank_cd(fts, q) as score
    from chunks, plainto_tsquery('english', %(text)s) as q
    where tenant = %(tenant)s and edition = %(edition)s and fts @@ q
    order by score desc, id
    limit %(n)s
) as best

-- hybrid_and --
with dense as (
    select chunk_id, row_number() over (order by distance, chunk_id) as dense_rank
    from (
        select chunk_id, v <#> %(vector)s as distance
        from vectors
        where tenant = %(tenant)s and space = %(space)s and edition = %(edition)s
        order by distance, chunk_id
        limit %(n)s
    ) as best
),
sparse as (
    select id as chunk_id, score, row_number() over (order by score desc, id) as sparse_rank
    from (
        select id, ts_rank_cd(fts, q) as score
        from chunks, plainto_tsquery('english', %(text)s) as q
        where tenant = %(tenant)s and edition = %(edition)s and fts @@ q
        order by score desc, id
        limit %(n)s
    ) as best
)
select
    chunk_id, -(v.v <#> %(vector)s) as cosine, coalesce(sparse.score, 0) as bm25,
    case when sparse.score is null then 0 else 1 end as coverage, dense.dense_rank, sparse.sparse_rank
from dense
full join sparse using (chunk_id)
join vectors as v using (chunk_id)
where v.tenant = %(tenant)s and v.space = %(space)s and v.edition = %(edition)s

-- passages --
select
    c.id as chunk_id, d.key as document, d.url, d.title, d.citation, c.heading, c.text,
    coalesce(before.text, '') as before, coalesce(after.text, '') as after, d.dated::text as dated,
    coalesce(r.units, '') as units
from unnest(%(ids)s::bigint[]) with ordinality as wanted (id, position)
join chunks as c on c.tenant = %(tenant)s and c.id = wanted.id
join documents as d on d.tenant = c.tenant and d.id = c.document_id
left join readings as r
    on r.tenant = c.tenant and r.space = %(space)s and r.edition = c.edition and r.chunk_id = c.id
left join chunks as before
    on before.tenant = c.tenant and before.document_id = c.document_id and before.edition = c.edition
    and before.ordinal = c.ordinal - 1
left join chunks as after
    on after.tenant = c.tenant and after.document_id = c.document_id and after.edition = c.edition
    and after.ordinal = c.ordinal + 1
order by wanted.position
