-- Rows of a loaded table that hold most of the terms, with their number and how many terms each holds.
SELECT * FROM (
    SELECT
        loaded.* EXCLUDE (file_row_number),
        file_row_number + 1 AS row_number_in_table,
        len(list_filter($terms, lambda term: contains(lower(CAST(loaded AS VARCHAR)), term))) AS terms_found
    FROM read_parquet($file, file_row_number = true) AS loaded
)
WHERE terms_found > 0
ORDER BY terms_found DESC, row_number_in_table
LIMIT $limit;
