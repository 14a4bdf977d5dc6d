-- Distinct values of one column as text with their rows, most frequent first.
-- $table: the table; $columns: a list with the one column; $most: how many values at most.
select value, count(*) as rows
from (select columns($columns)::varchar as value from query_table($table))
where value is not null
group by value
order by rows desc, value
limit $most
