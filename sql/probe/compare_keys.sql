-- How two keys compare. `one` and `other` hold their values with rows each, (key, n), and are added by the caller;
-- so every value of either side stands once in the full join, and NULL meets nothing.
select
    sum(one.n) as one_rows,
    sum(one.n) filter (where one.key is null) as one_nulls,
    count(one.key) as one_values,
    max(one.n) filter (where one.key is not null) as one_most,
    sum(one.n) filter (where one.key is not null and other.n is null) as one_lost,
    count(one.key) filter (where other.n is null) as one_lost_values,
    sum(other.n) as other_rows,
    sum(other.n) filter (where other.key is null) as other_nulls,
    count(other.key) as other_values,
    max(other.n) filter (where other.key is not null) as other_most,
    sum(other.n) filter (where other.key is not null and one.n is null) as other_lost,
    count(other.key) filter (where one.n is null) as other_lost_values,
    sum(one.n::hugeint * other.n) as joined,
    arg_min(one.key, row(-one.n, one.key), 4) filter (where one.key is not null and other.n is null) as one_examples,
    arg_min(other.key, row(-other.n, other.key), 4) filter (where other.key is not null and one.n is null)
        as other_examples,
    arg_min(row(one.key, one.n::hugeint * other.n), row(-one.n::hugeint * other.n, one.key), 3)
        filter (where one.n > 1 and other.n > 1) as worst
from one
full join other on one.key = other.key
