-- Columns of a SQLite table as declared: name, type, and the place in the primary key (0 = not in it).
SELECT name, type, pk FROM pragma_table_xinfo(:table) ORDER BY cid;
