-- The most frequent keys of `one` that `other` lacks; both hold (key, n) and are added by the caller.
select one.key, one.n
from one
anti join other on one.key = other.key
where one.key is not null
order by one.n desc, one.key
limit 4
