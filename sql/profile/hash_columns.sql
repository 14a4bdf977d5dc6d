-- One 64-bit number a row of a loaded table, equal where the given columns are equal; in the order of rows.
SELECT hash(*COLUMNS(lambda name: list_contains($columns, name))) AS hash
FROM read_parquet($file);
