from __future__ import annotations

from collections.abc import Callable

import pytest

from lakebook.operators.record import Finding
from lakebook.validation.knowledge import Knowledge, restricted

Checked = Callable[..., tuple[Finding, ...]]


@pytest.mark.parametrize(
    ("sql", "nearest"),
    [
        ("select carier from flights", "carrier"),
        ("select Distances from flights", "distance"),
        ("select f.distanse from flights f", "distance"),
        ("select * from flights where depdelay > 0", "dep_delay"),
        ("select gate_no from flights", "Gate No"),
        ("select origin, count(*) from flights group by origin having max(distanc) > 3", "distance"),
        ("select * from (select carrier from flights) q where q.carriers = 'AA'", "carrier"),
        ("with m as (select tailnum t from flights) select m.tt from m", ""),
        ("select * from flights order by distances", "distance"),
        ("select * from flights f join planes p on f.tailnum = p.tail", "tailnum"),
        (
            "select * from flights where exists (select 1 from planes where planes.tailnum = flights.tail)",
            "tailnum",
        ),
        ("select sum(distanse) as distanse from flights", "distance"),
    ],
)
def test_b1_speaks_on_a_column_that_nothing_defines(found: Checked, sql: str, nearest: str) -> None:
    findings = found(sql, "B1")
    assert [finding.action for finding in findings] == ["reject"]
    assert nearest in findings[0].hint
    assert findings[0].observed


@pytest.mark.parametrize(
    "sql",
    [
        "select carrier, DISTANCE from Flights",
        'select "Gate No" from flights',
        "select f.* from flights f",
        "select distance * 2 as twice from flights where twice > 3 order by twice",
        "select carrier c, count(*) n from flights group by c having n > 1 order by n",
        "with m as (select tailnum t from flights) select t from m",
        "with m(a) as (select tailnum from flights) select a from m",
        "select q.carrier from (select * from flights) q",
        "select tailnum from flights where exists (select 1 from planes p where p.tailnum = flights.tailnum)",
        "select (select max(seats) from planes p where p.tailnum = f.tailnum) from flights f",
        "select * exclude (carrier) from flights",
        "select columns('dist.*') from flights",
        "select x from flights, unnest([1, 2]) as u(x)",
        "select i from generate_series(1, 3) g(i)",
        "select carrier from flights union all select name from airlines order by carrier",
        "from flights select carrier",
        "select day.year from flights",
        "select list_transform([1], lambda x: x + 1) from flights",
        "select carrier from flights qualify row_number() over (partition by origin order by distance) = 1",
        "with recursive r as (select 1 n union all select n + 1 from r where n < 3) select n from r",
        "select tailnum from flights join planes using (tailnum)",
        "select a.carrier from flights a semi join planes b on a.tailnum = b.tailnum",
        "select rowid from flights",
    ],
)
def test_b1_and_b3_are_silent_on_names_that_exist(found: Checked, sql: str) -> None:
    assert found(sql, "B1") == ()
    assert found(sql, "B3") == ()


def test_b1_says_that_text_wants_single_quotes(found: Checked) -> None:
    (finding,) = found('select * from flights where carrier = "zzzz"', "B1")
    assert "single quotes" in finding.hint


def test_b1_names_an_alias_that_is_not_there(found: Checked) -> None:
    (finding,) = found("select x.carrier from flights f", "B1")
    assert "no table or alias 'x'" in finding.message
    assert "f" in finding.observed


def test_b1_waits_where_a_source_is_not_known(found: Checked) -> None:
    assert found("select anything from nowhere", "B1") == ()


@pytest.mark.parametrize(
    ("sql", "hint"),
    [
        ("select 1 from flihts", "flights"),
        ("select 1 from flights join plane on true", "planes"),
        ("select 1 from 'data/planes.csv'", "planes"),
        ("select * from (select 1 from airline) q", "airlines"),
        ("select * from flights where tailnum in (select tailnum from planess)", "planes"),
        ("select 1 from information_schema.tables", ""),
        ("select 1 from other.flights", "flights"),
    ],
)
def test_b3_speaks_on_an_unknown_table(found: Checked, sql: str, hint: str) -> None:
    findings = found(sql, "B3")
    assert findings[0].action == "reject"
    assert hint in findings[0].hint


@pytest.mark.parametrize(
    "sql", ["select 1", "with a as (select 1 x) select x from a", "select 1 from main.flights", "values (1)"]
)
def test_b3_is_silent_without_a_foreign_table(found: Checked, sql: str) -> None:
    assert found(sql, "B3") == ()


def test_b3_holds_a_query_to_its_declared_inputs(knowledge: Knowledge) -> None:
    from lakebook.validation.invocation import Invocation
    from lakebook.validation.registry import check
    from lakebook.validation.statement import parse

    invocation = Invocation("Query", {}, parse("select 1 from planes"))
    assert check(invocation, restricted(knowledge, ["Planes"]), "before") == ()
    outside = check(invocation, restricted(knowledge, ["flights"]), "before")
    assert "not among the inputs" in outside[0].message
    assert "Add 'planes'" in outside[0].hint
    assert [finding.rule for finding in outside] == ["B3"]


@pytest.mark.parametrize(
    "sql",
    [
        "select year from flights f join planes p on f.tailnum = p.tailnum",
        "select f.carrier from flights f join planes p on f.tailnum = p.tailnum where year > 2000",
        "select f.carrier from flights f join planes p on f.tailnum = p.tailnum order by year",
    ],
)
def test_b2_speaks_on_a_name_that_two_inputs_have(found: Checked, sql: str) -> None:
    (finding,) = found(sql, "B2")
    assert finding.action == "reject"
    assert "f.year" in finding.hint
    assert "p.year" in finding.hint


@pytest.mark.parametrize(
    "sql",
    [
        "select f.year from flights f join planes p on f.tailnum = p.tailnum",
        "select tailnum from flights join planes using (tailnum)",
        "select f.year as year from flights f join planes p on f.tailnum = p.tailnum order by year",
        "select seats from flights f join planes p on f.tailnum = p.tailnum",
        "select year from flights where tailnum in (select tailnum from planes)",
        "select year from flights f semi join planes p on f.tailnum = p.tailnum",
    ],
)
def test_b2_is_silent_on_names_that_are_plain(found: Checked, sql: str) -> None:
    assert found(sql, "B2") == ()


def test_b13_speaks_on_two_result_columns_of_one_name(found: Checked) -> None:
    sql = "select f.year, p.year from flights f join planes p on f.tailnum = p.tailnum"
    assert [finding.action for finding in found(sql, "B13")] == ["advise"]
    assert found(sql.replace("p.year", "p.year as built"), "B13") == ()


@pytest.mark.parametrize(
    ("sql", "clause"),
    [
        ("select lower(carrier) as carrier, count(*) from flights group by carrier", "GROUP BY"),
        ("select date_trunc('month', day) as day, sum(distance) from flights group by day", "GROUP BY"),
        ("select round(distance, -2) distance, count(*) from flights f group by distance", "GROUP BY"),
        ("select origin, sum(distance) as distance from flights where distance > 9 group by origin", "WHERE"),
        ("select distance * 1.6 as distance from flights where distance > 100", "WHERE"),
    ],
)
def test_b4_advises_on_an_alias_that_hides_a_column(found: Checked, sql: str, clause: str) -> None:
    (finding,) = found(sql, "B4")
    assert finding.action == "advise"
    assert finding.message.startswith(clause)


@pytest.mark.parametrize(
    "sql",
    [
        "select carrier as carrier, count(*) from flights group by carrier",
        "select lower(carrier) as airline, count(*) from flights group by airline",
        "select lower(carrier) as carrier, count(*) from flights group by lower(carrier)",
        "select lower(carrier) as carrier, count(*) from flights group by 1",
        "select f.carrier, sum(distance) as distance from flights f group by f.carrier order by distance",
        "select carrier, sum(distance) as distance from flights group by carrier having sum(distance) > 9",
        "select coalesce(maker, 'none') as maker, count(*) from planes group by maker",
        "select year::varchar as year, count(*) from planes group by year",
        "select round(distance) as distance from flights where distance > 9",
        "with d as (select day as d from flights) select date_trunc('year', d) as day, 1 from d group by day",
    ],
)
def test_b4_is_silent_where_alias_and_column_cannot_be_confused(found: Checked, sql: str) -> None:
    assert found(sql, "B4") == ()


@pytest.mark.parametrize(
    ("sql", "hint"),
    [
        ("select seats from flights", "planes has 'seats' (join on tailnum, year)"),
        ("select f.maker from flights f", "planes has 'maker'"),
        ("select name from flights", "airlines has 'name' (join on carrier)"),
    ],
)
def test_b1_says_which_other_table_has_the_column(found: Checked, sql: str, hint: str) -> None:
    (finding,) = found(sql, "B1")
    assert hint in finding.hint


def test_b13_sees_names_through_stars(found: Checked) -> None:
    sql = "select f.*, p.* from flights f join planes p on f.tailnum = p.tailnum"
    assert {finding.message.split("'")[1] for finding in found(sql, "B13")} == {"tailnum", "year"}
    assert found("select f.*, p.seats from flights f join planes p on f.tailnum = p.tailnum", "B13") == ()
    assert found("select * from flights join airlines using (carrier)", "B13") == ()


@pytest.mark.parametrize(
    "sql",
    [
        "with recursive d(x) as (select 1 union all select x + 1 from d where x < 5) select x from d",
        "with recursive d(x) as (select 1 union all select x + 1 from d where x < 5) "
        "select count(*) from d left join flights f on f.flight = d.x",
        "with d(a, b) as (select carrier, origin from flights union all select carrier, name from airlines) "
        "select a, b from d",
    ],
)
def test_b1_knows_the_names_that_a_cte_gives(found: Checked, sql: str) -> None:
    assert found(sql, "B1") == ()
