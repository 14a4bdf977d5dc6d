-- In how many cells of a text column several values are listed: one part of the cell is the whole of another.
-- $table: the table; $columns: a list with the one column; $between: the expression that parts stand between.
-- Returns the cells that hold something, and those of them that look like lists.
WITH cells AS (
    SELECT content FROM (SELECT COLUMNS($columns) AS content FROM query_table($table)) AS every
    WHERE content IS NOT NULL
),

wholes AS (SELECT DISTINCT content FROM cells WHERE NOT regexp_matches(content, $between)),

lists AS (
    SELECT DISTINCT content
    FROM (
        SELECT content, unnest(regexp_split_to_array(content, $between)) AS part
        FROM (SELECT DISTINCT content FROM cells WHERE regexp_matches(content, $between)) AS long
    ) AS parts
    WHERE part IN (SELECT content FROM wholes)
)

SELECT
    count(*) AS cells,
    count(*) FILTER (WHERE content IN (SELECT content FROM lists)) AS lists
FROM cells
