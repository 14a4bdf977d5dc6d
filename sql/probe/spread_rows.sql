-- Rows spread evenly over a table, in its order.
-- $table: the table; $rows: how many it has; $most: how many are taken.
select columns(* exclude ("row of the table"))
from (select *, row_number() over () - 1 as "row of the table" from query_table($table))
where $rows <= $most
    or ("row of the table" * $most) // $rows > (("row of the table" - 1) * $most) // $rows
    or "row of the table" = 0
order by "row of the table"
limit $most
