-- The first values of a column in their own order.
SELECT value
FROM (SELECT COLUMNS(lambda name: name = $column) AS value FROM read_parquet($file))
WHERE value IS NOT NULL
ORDER BY value
LIMIT $limit;
