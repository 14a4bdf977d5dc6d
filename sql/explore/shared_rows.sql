-- Rows of a table read from several files whose kind and time stand in more than one of them.
-- $table: the table; $member: its column that tells the files apart; $columns: those of kind and time.
-- Returns these rows, and all rows.
WITH every AS (
    SELECT COLUMNS(lambda name: name = $member)::VARCHAR AS "lakebook: file", COLUMNS($columns)
    FROM query_table($table)
),

counted AS (
    SELECT
        COLUMNS(lambda name: name <> 'lakebook: file'),
        count(*) AS "lakebook: rows",
        count(DISTINCT "lakebook: file") AS "lakebook: files"
    FROM every
    GROUP BY ALL
)

SELECT
    coalesce(sum("lakebook: rows") FILTER (WHERE "lakebook: files" > 1), 0)::BIGINT AS shared,
    coalesce(sum("lakebook: rows"), 0)::BIGINT AS rows
FROM counted
