-- How many rows of a table repeat an earlier row in every column.
SELECT count(*) - (SELECT count(*) FROM (SELECT DISTINCT * FROM query_table($table)))
FROM query_table($table);
