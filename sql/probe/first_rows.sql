-- The first rows of a table, in its order.
-- $table: the table; $most: how many.
select * from query_table($table) limit $most
