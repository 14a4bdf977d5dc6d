-- Rows of a kept table that hold the heaviest terms: candidates, since a term may stand inside a longer word.
-- $file: the table; $columns: those that are searched; $terms and $weights: lower-case text and its worth;
-- $most: how many rows are looked through; $limit: how many candidates at most.
-- Returns the row's number, then the row.
WITH searched AS (
    SELECT
        file_row_number + 1 AS "lakebook: row",
        lower(concat_ws(' ', unpack(COLUMNS($columns)::VARCHAR))) AS "lakebook: text",
        loaded.* EXCLUDE (file_row_number)
    FROM read_parquet($file, file_row_number = true) AS loaded
    WHERE file_row_number < $most
),

weighed AS (
    SELECT
        list_sum(list_transform(
            $terms,
            lambda term, i: CASE WHEN contains("lakebook: text", term) THEN $weights[i] ELSE 0 END
        )) AS "lakebook: weight",
        *
    FROM searched
)

SELECT * EXCLUDE ("lakebook: weight", "lakebook: text")
FROM weighed
WHERE "lakebook: weight" > 0
ORDER BY "lakebook: weight" DESC, "lakebook: row"
LIMIT $limit
