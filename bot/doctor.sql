-- holdings --
select
    (select count(*) from documents where tenant = %(tenant)s) as documents,
    (
        select count(distinct c.document_id)
        from chunks as c
        join vectors as v on v.tenant = c.tenant and v.edition = c.edition and v.chunk_id = c.id
        where c.tenant = %(tenant)s and c.edition = %(edition)s and v.space = %(space)s
    ) as searchable,
    (
        select words::float8 / chunks / length
        from editions
        where tenant = %(tenant)s and edition = %(edition)s and chunks > 0
    ) as stretch
