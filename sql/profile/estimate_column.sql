-- About how many distinct values a column of a very long table has, never more than it has values.
SELECT least(approx_count_distinct(value), count(value)) AS distinct_values
FROM (SELECT COLUMNS(lambda name: name = $column) AS value FROM read_parquet($file));
