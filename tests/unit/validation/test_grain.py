from __future__ import annotations

import pytest

from lakebook.sources.card import Column
from lakebook.validation.grain import single, unique_sets
from lakebook.validation.knowledge import Key, KeyMatch, Knowledge, KnownTable, Side
from lakebook.validation.lineage import grounds, sensitive, values
from lakebook.validation.pairs import pairs, repeats_of_keys
from lakebook.validation.statement import Resolver, Statement, parse


def table(name: str, rows: int, columns: dict[str, int], *keys: tuple[str, ...]) -> KnownTable:
    made = tuple(Column(one, one, "integer", "category", 0, distinct) for one, distinct in columns.items())
    return KnownTable(name, made, rows, f"{name}.csv", keys=keys)


@pytest.fixture
def knowledge() -> Knowledge:
    known = Knowledge()
    known.learn_table(table("a", 100, {"k": 10, "x": 30, "year": 5}))
    known.learn_table(table("b", 10, {"k": 10, "y": 7}))
    known.learn_table(table("c", 50, {"k": 10, "year": 5, "z": 9}, ("k", "year")))
    return known


def read(sql: str, knowledge: Knowledge) -> tuple[Statement, Resolver]:
    return parse(sql), Resolver(knowledge)


@pytest.mark.parametrize(
    ("sql", "expected"),
    [
        ("select 1 from a", "a"),
        ("select 1 from a join b on a.k = b.k", "a"),
        ("select 1 from a join b using (k)", "a"),
        ("select 1 from a, b where b.k = a.k", "a"),
        ("select 1 from a left join b on a.k = b.k and b.y = 3", "a"),
        ("select 1 from a join c on a.k = c.k", ""),
        ("select 1 from a join c on a.k = c.k and a.year = c.year", "a"),
        ("select 1 from a join c on a.k = c.k where c.year = 3", "a"),
        ("select 1 from a join b on a.k = b.k join c on c.k = b.k and c.year = a.year", "a"),
        ("select 1 from b join (select k, count(*) n from a group by k) g on g.k = b.k", "b g"),
        ("select 1 from a join (select distinct k from c) d on d.k = a.k", "a"),
        ("select 1 from a join (select * from b where y > 2) s on s.k = a.k", "a"),
        ("select 1 from a join (select k as q from b) s on s.q = a.k", "a"),
        ("select 1 from a join (select k from c qualify row_number() over (partition by k) = 1) s using (k)",
         "a"),
        ("select 1 from a cross join (select max(y) from b) m", "a m"),
        ("select 1 from a cross join b", ""),
        ("select 1 from b semi join a on a.k = b.k", "b"),
        ("select 1 from a join (select k from a group by rollup (k)) r on r.k = a.k", ""),
        ("select 1 from a join b on lower(a.k) = lower(b.k)", ""),
    ],
)  # fmt: skip
def test_which_inputs_keep_their_rows_single(knowledge: Knowledge, sql: str, expected: str) -> None:
    statement, resolver = read(sql, knowledge)
    found = single(statement.scopes[-1], resolver)
    if " m" in f" {expected}":
        assert "a" in found  # one row of m meets all of a
    else:
        assert found == frozenset(expected.split())


def test_what_a_comparison_proved_unique_is_a_key(knowledge: Knowledge) -> None:
    side = Side(100, 0, 100, 1, 0, 0)
    statement, resolver = read("select 1 from b join a on a.x = b.y and a.year = b.k", knowledge)
    assert single(statement.scopes[-1], resolver) == {"a"}
    knowledge.learn_match(Key("a", ("x", "year")), Key("b", ("y", "k")), KeyMatch(side, side, 100))
    assert single(statement.scopes[-1], Resolver(knowledge)) == {"a", "b"}


@pytest.mark.parametrize(
    ("sql", "expected"),
    [
        ("select sum(x) from a", ["x"]),
        ("select sum(case when y > 1 then x end) from a, b", ["x"]),
        ("select sum(case when y > 1 then 1 else 0 end) from a, b", []),
        ("select sum(x * y) from a, b", ["x", "y"]),
        ("select sum((y > 1)::int) from a, b", []),
        ("select count_if(y = 1) from a, b", []),
        ("select mean(x) from a", ["x"]),
    ],
)
def test_the_values_of_an_aggregate_are_not_its_conditions(sql: str, expected: list[str]) -> None:
    statement = parse(sql)
    (node,) = sensitive(statement.scopes[-1])
    assert [column.name for column in values(node)] == expected


def test_an_aggregate_is_followed_into_the_join_below(knowledge: Knowledge) -> None:
    sql = "with j as (select b.y as v, a.x from a join b on a.k = b.k) select sum(v) from (select * from j)"
    statement, resolver = read(sql, knowledge)
    (node,) = sensitive(statement.scopes[-1])
    found = list(grounds(statement.scopes[-1], values(node), resolver))
    assert found[-1][1] == frozenset({"b"})
    grouped, resolver = read("select sum(v) from (select max(b.y) v from a join b using (k))", knowledge)
    (node,) = sensitive(grouped.scopes[-1])
    assert len(list(grounds(grouped.scopes[-1], values(node), resolver))) == 1


def test_equalities_of_two_inputs_are_one_key(knowledge: Knowledge) -> None:
    statement, resolver = read("select 1 from a join c using (k) where a.year = c.year", knowledge)
    (pair,) = pairs(statement, resolver)
    assert {pair.left, pair.right} == {Key("a", ("year", "k")), Key("c", ("year", "k"))}
    assert (pair.kind, pair.plain) == ("inner", True)


def test_the_comparison_of_keys_tells_what_would_be_counted(knowledge: Knowledge) -> None:
    left, right = Side(100, 4, 10, 20, 6, 2), Side(10, 0, 10, 1, 1, 1)
    knowledge.learn_match(Key("a", ("k",)), Key("b", ("k",)), KeyMatch(left, right, 90))
    for sql, expected in (
        ("select 1 from a join b on a.k = b.k", (90, 90, 90, 9)),
        ("select 1 from a left join b on a.k = b.k", (100, 100, 90, 9)),
    ):
        statement, resolver = read(sql, knowledge)
        found = repeats_of_keys(statement.scopes[-1], resolver)
        assert found is not None
        assert (found[0].standing, found[0].different, found[1].standing, found[1].different) == expected
    statement, resolver = read("select 1 from a join b on a.k = b.k where a.x > 3", knowledge)
    assert repeats_of_keys(statement.scopes[-1], resolver) is None
    assert repeats_of_keys(statement.scopes[-1], resolver, whole=True) is not None


def test_an_unused_source_has_no_key(knowledge: Knowledge) -> None:
    statement, resolver = read("select 1 from unnest([1, 2]) u(x)", knowledge)
    assert all(
        unique_sets(source, resolver) == frozenset() for source in statement.scopes[-1].sources.values()
    )
