-- Views of an open DuckDB file with the queries behind them.
SELECT schema_name, view_name, sql
FROM duckdb_views()
WHERE NOT internal AND NOT temporary
ORDER BY schema_name, view_name;
