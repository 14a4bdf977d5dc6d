-- How the keys of two tables meet: different keys of each side and of both, and the rows that they stand in.
-- Keys are compared as text, where 1.0 is 1. $left, $right: the tables; $left_columns, $right_columns: their keys;
-- $left_order, $right_order: positions of the keys among them in the table's own order, so that they are paired.
with left_keys as (
    select list_select(key, $left_order) as key, count(*) as rows
    from (
        select list_value(*columns(*)) as key
        from (
            select case
                when regexp_matches(typeof(columns($left_columns)), '^(DOUBLE|FLOAT|DECIMAL)')
                    then regexp_replace(
                        regexp_replace(columns($left_columns)::varchar, '(\.[0-9]*[1-9])0+$', '\1'), '\.0*$', ''
                    )
                else columns($left_columns)::varchar
            end
            from query_table($left)
        )
    )
    group by all
),
right_keys as (
    select list_select(key, $right_order) as key, count(*) as rows
    from (
        select list_value(*columns(*)) as key
        from (
            select case
                when regexp_matches(typeof(columns($right_columns)), '^(DOUBLE|FLOAT|DECIMAL)')
                    then regexp_replace(
                        regexp_replace(columns($right_columns)::varchar, '(\.[0-9]*[1-9])0+$', '\1'), '\.0*$', ''
                    )
                else columns($right_columns)::varchar
            end
            from query_table($right)
        )
    )
    group by all
),
met as (
    select
        coalesce(l.key, r.key) as key,
        list_count(coalesce(l.key, r.key)) < len(coalesce(l.key, r.key)) as lacking,
        l.rows as left_rows,
        r.rows as right_rows
    from left_keys as l
    full join right_keys as r on l.key = r.key and list_count(l.key) = len(l.key)
)
select
    count(*) filter (where left_rows > 0 and not lacking) as left_keys,
    count(*) filter (where right_rows > 0 and not lacking) as right_keys,
    count(*) filter (where left_rows > 0 and right_rows > 0) as keys_in_both,
    coalesce(sum(left_rows), 0)::bigint as left_rows,
    coalesce(sum(right_rows), 0)::bigint as right_rows,
    coalesce(sum(left_rows) filter (where right_rows > 0), 0)::bigint as left_rows_matched,
    coalesce(sum(right_rows) filter (where left_rows > 0), 0)::bigint as right_rows_matched,
    coalesce(sum(left_rows) filter (where lacking), 0)::bigint as left_rows_without_key,
    coalesce(sum(right_rows) filter (where lacking), 0)::bigint as right_rows_without_key,
    coalesce(sum(left_rows * right_rows), 0)::hugeint::varchar as joined_rows,
    coalesce(max(left_rows) filter (where not lacking), 0) as most_left_rows_of_one_key,
    coalesce(max(right_rows) filter (where not lacking), 0) as most_right_rows_of_one_key,
    list(array_to_string(key, ', ') order by left_rows desc, key)
        filter (where right_rows is null and not lacking)[1:5] as only_left,
    list(array_to_string(key, ', ') order by right_rows desc, key)
        filter (where left_rows is null and not lacking)[1:5] as only_right
from met
