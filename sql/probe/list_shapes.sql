-- Shapes of a column's values: letters written as a, digits as 9, each run once; most frequent first.
-- $table: the table; $columns: a list with the one column; $most: how many shapes at most.
select
    regexp_replace(regexp_replace(value, '\p{L}+', 'a', 'g'), '[0-9]+', '9', 'g') as shape,
    count(*) as rows,
    min(value) as example
from (select columns($columns)::varchar as value from query_table($table))
where value is not null
group by shape
order by rows desc, shape
limit $most
