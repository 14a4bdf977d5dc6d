-- Foreign keys of a SQLite table, one row a column.
SELECT id, "from", "table", coalesce("to", '') FROM pragma_foreign_key_list(:table) ORDER BY id, seq;
