-- Tables of an open DuckDB file with what was declared of them.
SELECT
    schema_name,
    table_name,
    coalesce(comment, '') AS comment,
    coalesce((
        SELECT list(declared.constraint_text ORDER BY declared.constraint_index)
        FROM duckdb_constraints() AS declared
        WHERE declared.table_oid = tables.table_oid
            AND declared.database_oid = tables.database_oid
            AND declared.constraint_type IN ('PRIMARY KEY', 'FOREIGN KEY', 'UNIQUE')
    ), []) AS constraints
FROM duckdb_tables() AS tables
WHERE NOT internal AND NOT temporary
ORDER BY schema_name, table_name;
