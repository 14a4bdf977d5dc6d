"""Tables made by SQL, and names of columns made by functions."""

from __future__ import annotations

import pytest

from lakebook.notebooks.columns import UsedColumns, columns_of
from lakebook.notebooks.lineage.queries import QUERIED_TABLE
from lakebook.notebooks.schema import Schema

SCHEMA = Schema((("city", "text"), ("pay", "number"), ("age", "number"), ("year", "number")))
LOAD = "import duckdb\nimport pandas as pd\nstaff = pd.read_csv('staff.csv')\n"


def used(code: str) -> UsedColumns:
    return columns_of(LOAD + code, SCHEMA)


@pytest.mark.parametrize(
    ("query", "shown", "filters"),
    [
        ("select city, avg(pay) as mean from staff group by city", ("city", "pay"), ()),
        ("SELECT City AS city, pay / age AS mean FROM staff", ("age", "city", "pay"), ()),
        ("select city, sum(pay) mean from staff where year > 2000 group by 1", ("city", "pay"), ("year",)),
        ("select city, count(*) mean from staff group by city having max(age) > 3", ("city",), ("age",)),
        (
            "with t as (select city, age * 2 as two from staff) select city, two as mean from t",
            ("age", "city"),
            (),
        ),
        (
            "select s.city, s.mean from (select city, max(pay) mean from staff group by 1) s",
            ("city", "pay"),
            (),
        ),
        ("select a.city, b.age as mean from staff a join staff b on a.city = b.city", ("age", "city"), ()),
        (
            "select city, pay as mean from staff union all select city, age from staff",
            ("age", "city", "pay"),
            (),
        ),
        ("select *, pay as mean from staff", ("city", "pay"), ()),
        ("select city, row_number() over (order by pay) as mean from staff", ("city", "pay"), ()),
    ],
)
def test_columns_of_a_query_lead_back_to_those_of_its_tables(
    query: str, shown: tuple[str, ...], filters: tuple[str, ...]
) -> None:
    found = used(f"made = duckdb.sql('''{query}''').df()\nmade.plot.bar(x='city', y='mean')")
    assert (found.shown, found.filters, found.unsure) == (shown, filters, "")


@pytest.mark.parametrize(
    "made",
    [
        "duckdb.query(q).to_df()",
        "duckdb.connect().execute(q).fetchdf()",
        "pd.read_sql(q, engine)",
        "pd.read_sql_query(sql=q, con=engine)",
        "sqldf(q, globals())",
    ],
)
def test_queries_are_seen_however_they_are_asked(made: str) -> None:
    code = (
        f"from pandasql import sqldf\nq = 'select city, max(age) m from staff group by city'\nmade = {made}"
    )
    assert used(f"{code}\nmade.plot.bar(x='city', y='m')").shown == ("age", "city")


def test_a_table_that_is_handed_to_an_engine_keeps_its_derived_columns() -> None:
    code = """
staff['rate'] = staff.pay / staff.age
con = duckdb.connect()
con.register('workers', staff)
made = con.execute('select city, avg(rate) as r from workers group by city').fetchdf()
made.plot.bar(x='city', y='r')
"""
    assert used(code).shown == ("age", "city", "pay")


def test_a_query_of_a_database_loads_a_table_whose_columns_are_called_as_in_the_query() -> None:
    code = """
q = 'select p.city, w.amount as pay, w.amount / 12 as monthly from work w join place p'
made = pd.read_sql(q, engine)
made.plot.scatter(x='pay', y='{}')
"""
    assert used(code.format("city")).shown == ("city", "pay")
    assert columns_of(LOAD + code.format("monthly")).shown == ("monthly", "pay")


def test_a_query_that_cannot_be_parsed_gives_a_table_in_doubt() -> None:
    found = used("made = duckdb.sql('select city frm staff whre').df()\nmade.hist()")
    assert found.unsure == QUERIED_TABLE


def test_the_query_of_a_frame_is_no_sql() -> None:
    found = used("staff.query('age > 3').plot.scatter(x='pay', y='year')")
    assert (found.shown, found.filters) == (("pay", "year"), ("age",))


@pytest.mark.parametrize(
    "rename",
    [
        "rename(lambda name: name.upper(), axis='columns')",
        "rename(lambda name: name.upper(), axis=1)",
        "rename(columns=str.upper)",
        "rename(columns=lambda name: name.upper())",
    ],
)
def test_names_that_a_function_makes_lead_back(rename: str) -> None:
    found = used(f"made = staff.{rename}\nmade.plot.scatter(x='PAY', y='AGE')")
    assert (found.shown, found.unsure) == (("age", "pay"), "")


def test_names_that_cannot_be_told_are_in_doubt() -> None:
    found = used("made = staff.rename(columns=clean_name)\nmade.hist()")
    assert found.unsure


def test_a_function_that_renames_rows_leaves_the_columns() -> None:
    found = used("made = staff.rename(lambda row: row + 1)\nmade.plot.scatter(x='pay', y='age')")
    assert (found.shown, found.unsure) == (("age", "pay"), "")
