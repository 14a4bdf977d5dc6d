-- How two keys compare. `one` and `other` hold their values with rows each: (key, n); the caller adds them.
select
    (select sum(n) from one) as one_rows,
    (select sum(n) from one where key is null) as one_nulls,
    (select count(*) from one where key is not null) as one_values,
    (select max(n) from one where key is not null) as one_most,
    sum(one.n) filter (where one.key is not null and other.key is null) as one_lost,
    count(*) filter (where one.key is not null and other.key is null) as one_lost_values,
    (select sum(n) from other) as other_rows,
    (select sum(n) from other where key is null) as other_nulls,
    (select count(*) from other where key is not null) as other_values,
    (select max(n) from other where key is not null) as other_most,
    sum(other.n) filter (where other.key is not null and one.key is null) as other_lost,
    count(*) filter (where other.key is not null and one.key is null) as other_lost_values,
    sum(one.n::hugeint * other.n) as joined
from one
full join other on one.key = other.key
