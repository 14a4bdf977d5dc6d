-- The sum of one measure for each value of a text column.
-- $table: the table; $by: a list with the text column; $measure: a list with the column of numbers.
select columns($by)::varchar as value, sum(columns($measure)::double) as total
from query_table($table)
group by value
