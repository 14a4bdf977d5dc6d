-- Rows whose key finds no partner as it is written, and would find one after both sides are folded.
-- $left, $right: the tables; $left_columns, $right_columns: lists with one text column each.
with wanted as (
    select value, count(*) as n
    from (select columns($left_columns)::varchar as value from query_table($left))
    where value is not null
    group by value
),
known as (select distinct columns($right_columns)::varchar as value from query_table($right)),
lost as (select * from wanted anti join known using (value)),
folded as (
    select
        lower(value) as letters,
        trim(value) as blanks,
        lower(trim(value)) as plain,
        strip_accents(value) as accents,
        ltrim(trim(value), '0') as zeros,
        regexp_replace(lower(strip_accents(trim(value))), '[^\p{L}\p{N}]+', '', 'g') as marks
    from known
)
select
    coalesce(sum(n) filter (lower(value) in (select letters from folded)), 0) as "letter case",
    coalesce(sum(n) filter (trim(value) in (select blanks from folded)), 0) as "blanks",
    coalesce(sum(n) filter (lower(trim(value)) in (select plain from folded)), 0) as "letter case and blanks",
    coalesce(sum(n) filter (strip_accents(value) in (select accents from folded)), 0) as "accents",
    coalesce(sum(n) filter (ltrim(trim(value), '0') in (select zeros from folded)), 0) as "leading zeros",
    coalesce(
        sum(n) filter (
            regexp_replace(lower(strip_accents(trim(value))), '[^\p{L}\p{N}]+', '', 'g') in (select marks from folded)
        ),
        0
    ) as "case, accents, blanks and marks"
from lost
