-- Values of a text column that are close to a given text, closest first.
-- $table: the table; $columns: a list with the one column; $text: what was looked for; $most: how many.
select value
from (select distinct columns($columns)::varchar as value from query_table($table))
where value is not null
    and (
        lower(trim(value)) = lower(trim($text))
        or jaro_winkler_similarity(lower(value), lower($text)) >= 0.8
        or (length($text) >= 3 and contains(lower(value), lower($text)))
    )
order by lower(trim(value)) = lower(trim($text)) desc, jaro_winkler_similarity(lower(value), lower($text)) desc, value
limit $most
