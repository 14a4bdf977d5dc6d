-- Tables and views of a SQLite database with the statements that made them, SQLite's own left out.
SELECT name, type, coalesce(sql, '') AS statement
FROM sqlite_master
WHERE type IN ('table', 'view') AND name NOT LIKE 'sqlite\_%' ESCAPE '\'
ORDER BY name;
