-- Whether columns identify a row: rows, different combinations of their values and the rows of the most frequent one.
-- $table: the table; $columns: the columns.
with key as (select columns($columns) from query_table($table)),
grouped as (select columns(*), count(*) as "rows of one" from key group by all)
select
    (select count(*) from key) as rows,
    (select count(*) from grouped) as combinations,
    (select coalesce(max("rows of one"), 0) from grouped) as most_rows_of_one
