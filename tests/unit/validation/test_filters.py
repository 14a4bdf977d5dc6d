from __future__ import annotations

from collections.abc import Callable

import pytest

from lakebook.operators.record import Finding
from lakebook.sources.card import ValueCount
from lakebook.validation.knowledge import Enumeration, Knowledge, Presence

Checked = Callable[..., tuple[Finding, ...]]


@pytest.mark.parametrize(
    ("sql", "near"),
    [
        ("select 1 from flights where carrier = 'DL'", ""),
        ("select 1 from flights where origin = 'JFX'", "JFK"),
        ("select 1 from flights where 'XX' = carrier", ""),
        ("select 1 from flights where carrier in ('AA', 'ZZ')", ""),
        ("select sum(case when origin = 'LAG' then 1 end) from flights", "LGA"),
        ("select count(*) filter (where origin = 'EWK') from flights", "EWR"),
        ("with m as (select carrier c from flights) select 1 from m where c = 'QQ'", ""),
        ("select 1 from (select * from flights) q where q.carrier = 'QQ'", ""),
        ("select carrier from flights group by carrier having carrier = 'QQ'", ""),
    ],
)
def test_f1_rejects_a_value_that_a_complete_listing_lacks(found: Checked, sql: str, near: str) -> None:
    (finding,) = found(sql, "F1")
    assert finding.action == "reject"
    assert near in finding.hint
    assert "none of 1,000 rows" in finding.observed


@pytest.mark.parametrize(
    "sql",
    [
        "select 1 from flights where carrier = 'AA'",
        "select 1 from flights where carrier in ('AA', 'UA')",
        "select 1 from flights where carrier not in ('AA')",
        "select 1 from flights where lower(carrier) = 'zz'",
        "select 1 from flights where carrier = tailnum",
        "select 1 from flights where carrier like 'Z%'",
        "select 1 from flights where carrier > 'Z'",
        "select upper(carrier) c from flights where c = 'ZZ'",
        "select 1 from (select upper(carrier) carrier from flights) q where carrier = 'ZZ'",
    ],
)
def test_f1_and_f2_are_silent_on_values_that_are_there_or_computed(found: Checked, sql: str) -> None:
    assert found(sql, "F1") == ()
    assert found(sql, "F2") == ()


def test_f1_only_advises_where_rows_were_rejected(found: Checked, knowledge: Knowledge) -> None:
    sql = "select 1 from partly where city = 'Lima'"
    assert [finding.action for finding in found(sql, "F1")] == ["not_checked"]
    knowledge.learn_presence("partly", "city = 'Lima'", Presence(0))
    (finding,) = found(sql, "F1")
    assert finding.action == "advise"
    assert "3 rows of the file could not be loaded" in finding.observed


def test_f1_says_not_checked_without_evidence_and_uses_a_count_when_there_is_one(
    found: Checked, knowledge: Knowledge
) -> None:
    sql = "select 1 from flights where tailnum = 'N1'"
    assert [finding.action for finding in found(sql, "F1")] == ["not_checked"]
    knowledge.learn_presence("flights", "tailnum = 'N1'", Presence(4))
    assert found(sql, "F1") == ()
    knowledge.learn_presence("flights", "tailnum = 'N1'", Presence(0, ("N11", "N12")))
    (finding,) = found(sql, "F1")
    assert finding.action == "reject"
    assert "'N11'" in finding.hint


def test_an_earlier_probe_serves_a_later_query(found: Checked, knowledge: Knowledge) -> None:
    sql = "select 1 from planes where maker = 'Boing'"
    assert [finding.action for finding in found(sql, "F1")] == ["not_checked"]
    knowledge.learn_values("planes", "maker", Enumeration((ValueCount("Boeing", 9),), complete=True))
    (finding,) = found(sql, "F1")
    assert (finding.action, finding.hint) == ("reject", "Nearest: 'Boeing'.")


def test_a_partial_preview_never_rejects(found: Checked, knowledge: Knowledge) -> None:
    knowledge.learn_values("planes", "maker", Enumeration((ValueCount("Boeing", 9),), complete=False))
    assert [one.action for one in found("select 1 from planes where maker = 'Airbus'", "F1")] == [
        "not_checked"
    ]


@pytest.mark.parametrize("sql", ["carrier <> 'DL'", "carrier not in ('DL')", "not carrier = 'DL'"])
def test_f1_advises_on_an_exclusion_that_excludes_nothing(found: Checked, sql: str) -> None:
    (finding,) = found(f"select 1 from flights where {sql}", "F1")
    assert finding.action == "advise"
    assert "excludes nothing" in finding.message


@pytest.mark.parametrize("written", ["'aa'", "' AA '", "'Aa'", "'ＡＡ'"])
def test_f2_names_the_spelling_that_is_there(found: Checked, written: str) -> None:
    sql = f"select 1 from flights where carrier = {written}"
    (finding,) = found(sql, "F2")
    assert finding.action == "reject"
    assert finding.hint == "Write 'AA'."
    assert found(sql, "F1") == ()


@pytest.mark.parametrize(
    "condition",
    [
        "distance > 5 and distance < 3",
        "distance > 5 and distance <= 5",
        "5 < distance and 3 > distance",
        "carrier = 'AA' and carrier = 'UA'",
        "carrier in ('AA', 'UA') and carrier = 'B6'",
        "distance = 4 and distance between 5 and 9",
        "distance between 9 and 5",
        "distance is null and distance > 3",
        "(distance > 5 and origin = 'JFK') and (distance < 2)",
        "day >= date '2020-02-01' and day < date '2020-01-01'",
        "distance = -1 and distance > 0",
    ],
)
def test_f5_rejects_what_no_row_can_fulfil(found: Checked, condition: str) -> None:
    (finding,) = found(f"select 1 from flights where {condition}", "F5")
    assert finding.action == "reject"


@pytest.mark.parametrize(
    "condition",
    [
        "distance > 3 and distance < 5",
        "distance >= 5 and distance <= 5",
        "distance > 5 or distance < 3",
        "carrier = 'AA' or carrier = 'UA'",
        "carrier in ('AA', 'UA') and carrier = 'UA'",
        "distance between 5 and 9 and distance = 7",
        "distance is not null and distance > 3",
        "not (distance > 5) and distance < 3",
        "day >= date '2020-01-01' and day < date '2020-02-01'",
        "distance > 5 and dep_delay < 3",
        "distance > dep_delay and distance < 3",
        "day > '2020-01-01' and day < 5",
    ],
)
def test_f5_is_silent_on_what_can_be(found: Checked, condition: str) -> None:
    assert found(f"select 1 from flights where {condition}", "F5") == ()


def test_f5_keeps_columns_of_different_tables_apart(found: Checked) -> None:
    sql = "select 1 from flights f join planes p using (tailnum) where f.year > 2010 and p.year < 2000"
    assert found(sql, "F5") == ()


def test_f7_rejects_not_in_over_a_column_with_nulls(found: Checked) -> None:
    (finding,) = found("select 1 from planes where tailnum not in (select tailnum from flights)", "F7")
    assert finding.action == "reject"
    assert "7 rows" in finding.observed
    assert "NOT EXISTS" in finding.hint


def test_f7_rejects_a_null_in_the_list(found: Checked) -> None:
    (finding,) = found("select 1 from flights where carrier not in ('AA', null)", "F7")
    assert finding.action == "reject"


@pytest.mark.parametrize(
    "sql",
    [
        "select 1 from flights where tailnum not in (select tailnum from planes)",
        "select 1 from planes where tailnum not in (select tailnum from flights where tailnum is not null)",
        "select 1 from planes where tailnum not in (select tailnum from flights where tailnum > 'N')",
        "select 1 from planes where tailnum in (select tailnum from flights)",
        "select 1 from flights where carrier <> 'AA'",
        "select 1 from planes where maker <> 'x' or maker is null",
        "select 1 from planes where maker is distinct from 'x'",
    ],
)
def test_f7_is_silent_where_nulls_are_out_of_the_way(found: Checked, sql: str) -> None:
    assert found(sql, "F7") == ()


def test_f7_advises_that_unequal_drops_nulls(found: Checked) -> None:
    (finding,) = found("select 1 from planes where maker <> 'x'", "F7")
    assert finding.action == "advise"
    assert "IS DISTINCT FROM" in finding.hint


@pytest.mark.parametrize(("sql", "hint"), [("carrier = null", "IS NULL"), ("carrier <> null", "IS NOT NULL")])
def test_f8_rejects_a_comparison_with_null(found: Checked, sql: str, hint: str) -> None:
    (finding,) = found(f"select 1 from flights where {sql}", "F8")
    assert finding.action == "reject"
    assert hint in finding.hint


@pytest.mark.parametrize("sql", ["carrier is null", "carrier is not null", "coalesce(carrier, null) = 'AA'"])
def test_f8_is_silent_on_is_null(found: Checked, sql: str) -> None:
    assert found(f"select 1 from flights where {sql}", "F8") == ()


LEFT = "select 1 from flights f left join planes p on f.tailnum = p.tailnum where "


@pytest.mark.parametrize(
    "sql",
    [
        LEFT + "p.seats > 100",
        LEFT + "seats between 1 and 5",
        LEFT + "p.maker = 'x' and f.carrier = 'AA'",
        "select 1 from planes p right join flights f on f.tailnum = p.tailnum where p.seats > 1",
        "select 1 from planes p full join flights f on f.tailnum = p.tailnum where p.seats > 1",
    ],
)
def test_f9_advises_on_a_cancelled_outer_join(found: Checked, sql: str) -> None:
    (finding,) = found(sql, "F9")
    assert finding.action == "advise"
    assert "p is the optional side" in finding.observed


@pytest.mark.parametrize(
    "sql",
    [
        LEFT + "f.distance > 100",
        LEFT + "p.seats > 100 or p.seats is null",
        LEFT + "p.seats is null",
        LEFT + "coalesce(p.seats, 0) < 5",
        "select 1 from flights f left join planes p on f.tailnum = p.tailnum and p.seats > 100",
        "select 1 from flights f join planes p on f.tailnum = p.tailnum where p.seats > 100",
    ],
)
def test_f9_is_silent_where_the_outer_join_stands(found: Checked, sql: str) -> None:
    assert found(sql, "F9") == ()
