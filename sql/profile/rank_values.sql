-- The most frequent values of a column with their rows, among those whose hash is given.
SELECT value, count(*) AS rows
FROM (SELECT COLUMNS(lambda name: name = $column) AS value FROM read_parquet($file))
WHERE value IS NOT NULL AND hash(value) IN (SELECT hash FROM likely)
GROUP BY value
ORDER BY rows DESC, value
LIMIT $limit;
