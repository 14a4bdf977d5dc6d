-- What one column holds: rows, nulls, distinct values, smallest and largest, as text.
-- $table: the table; $columns: a list with the one column.
select
    count(*) as rows,
    count(*) - count(value) as nulls,
    count(distinct value) as distinct_values,
    min(value)::varchar as smallest,
    max(value)::varchar as largest
from (select columns($columns) as value from query_table($table))
