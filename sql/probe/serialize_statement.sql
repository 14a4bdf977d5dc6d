-- The parse tree of a SELECT as the engine reads it, as JSON.
-- $sql: the statement.
select json_serialize_sql($sql)
