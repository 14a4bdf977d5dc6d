-- The keys that give a join the most rows, repeated on both sides; `one` and `other` are added by the caller.
select one.key, one.n::hugeint * other.n as joined
from one
join other on one.key = other.key
where one.n > 1 and other.n > 1
order by joined desc, one.key
limit 3
