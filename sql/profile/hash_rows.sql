-- One 64-bit number a row of a loaded table, equal where all columns are equal; in the order of rows.
SELECT hash(loaded) AS hash
FROM read_parquet($file) AS loaded;
