"""SQLite, DuckDB and dBase files: every table, nothing ever written or run."""
