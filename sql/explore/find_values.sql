-- Values of text columns that are written as one of the phrases, letter case and punctuation aside.
-- $table: the table; $columns: text columns; $phrases: lower-case words joined by a blank; $most: at most so many.
WITH cells AS (
    UNPIVOT (SELECT COLUMNS($columns) FROM query_table($table))
    ON COLUMNS(*) INTO NAME field VALUE content
)

SELECT DISTINCT field, content
FROM cells
WHERE list_contains($phrases, trim(lower(regexp_replace(content, '[^\p{L}\p{N}]+', ' ', 'g'))))
ORDER BY field, content
LIMIT $most
