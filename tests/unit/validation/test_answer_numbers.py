"""Numbers of an answer against what was recorded: fabricated ones are rejected, right ones never."""

from __future__ import annotations

from dataclasses import replace

import pytest

from lakebook.operators.record import DataInput, ExecutionRecord
from lakebook.validation.contract import Contract
from lakebook.validation.invocation import Invocation
from lakebook.validation.knowledge import Knowledge, KnownTable
from lakebook.validation.question import Question, read_question
from lakebook.validation.registry import check
from lakebook.validation.stated_numbers import stated_numbers
from tests.unit.validation.conftest import column

SALES = ExecutionRecord(
    "r001", "Query", "", {"sql": "select region, sum(s) from sales_2016 where year >= 2015 and price > 100"},
    inputs=(DataInput("data/sales_2016.csv", "", (), 9_812, 9_850),),
    result={
        "columns": ["region", "sales", "share", "change", "day"],
        "rows": [
            ["North", 1234567.891, 0.4375, -0.0321, "2016-03-05"],
            ["South", 41.7, 0.5625, 0.25, "2017-11-30"],
            ["Area 51", 7, 0.0049, 12.0, None],
        ],
        "row_count": 3,
    },
)  # fmt: skip
FAILED = ExecutionRecord("r002", "Compute", "", {"code": "x"}, error="NameError", result={"n": 999})
QUESTION = read_question("Which 5 regions sold most since 2014?")
KNOWN = Knowledge()
KNOWN.learn_table(KnownTable("sales_2016", (column("price", nulls=61),), 9_812, "data/sales_2016.csv"))
KNOWN.learn_table(KnownTable("pm10_daily", (column("pm2_5"),), 10, "pm10_daily.csv"))


def findings(text: str, value: object = None, **fields: object) -> list[tuple[str, str]]:
    invocation = Invocation(
        "Answer", text=text, value=value, references=("r001",), records=(SALES, FAILED), question=QUESTION
    )  # type: ignore[arg-type]
    invocation = replace(invocation, **fields)  # type: ignore[arg-type]
    return [(finding.rule, finding.action) for finding in check(invocation, KNOWN, "before")]


RIGHT = (
    "North sold 1,234,567.89.",
    "North sold 1,234,568, South 42.",
    "North sold $1.23 million, or 1.2M, or about 1,200,000.",
    "North sold 1 234 567,89 €.",
    "North sold more than 1.2 million, nearly 1,235k.",
    "North: 1.234.567,89",
    "North has 43.75% of all sales, South 56.3 percent.",
    "North has a share of 0.44; it fell by 3.2% (-3.21 %).",
    "Area 51 grew 12-fold, by 12.0.",
    "Area 51 has 0.5%.",
    "The top 5 regions since 2014: all 3 of them.",
    "1. North\n2. South\n3) Area 51",
    "On 5 March 2016, at 12:30, and on 2018-01-02; May 2019 was quiet.",
    "In 2016 it was higher than in 2017; only 2015 and later count, with prices above 100.",
    "Rounded to 2 decimals, with 95% confidence (p < 0.05), the 3rd region leads.",
    "PM10 and PM2.5 are in pm10_daily, column pm2_5; see sales_2016.csv and r001.",
    "No number at all.",
    "Of 9,850 rows 9,812 were loaded; 61 have no price.",
    "Sales of 1.234567891e6 and 1.23 × 10^6.",
    "It is 7 (Area 51), v2.1 of the file, the 1990s, a 12-month window, per 1,000 people.",
)
WRONG = (
    "Of 9,850 rows 9,712 were loaded.",
    "62 have no price.",
    "North sold 1,234,566.",
    "North sold 1.3 million.",
    "South sold 41.",
    "North has 44.7% of sales.",
    "Sales grew by 18%.",
    "999 customers bought.",
    "In 2011 it was higher.",
    "About 2,000,000 were sold.",
    "It costs .37.",
    "The average is 17.4 per day, over 88 shops.",
    "A 3.9% rise since 2014.",
)


@pytest.mark.parametrize("text", RIGHT)
def test_o9_passes_numbers_that_were_recorded(text: str) -> None:
    assert findings(text) == []


@pytest.mark.parametrize("text", WRONG)
def test_o9_rejects_numbers_that_nobody_computed(text: str) -> None:
    assert set(findings(text)) == {("O9", "reject")}


@pytest.mark.parametrize(
    ("value", "contract"),
    [
        (1234567.89, Contract(decimals=2)),
        (1234567.891, Contract()),
        (42, Contract()),
        (43.75, Contract(unit="%")),
        (44, Contract(unit="%", decimals=0)),
        ([0.44, 0.56], Contract(decimals=2)),
        ("North", Contract()),
        (["North", "South", "Area 51"], Contract(type="list", length=3)),
        ([["North", 0.4375], ["South", 0.5625]], Contract(type="table")),
        (3, Contract(type="integer")),
        (True, Contract(type="boolean")),
    ],
)
def test_a_value_that_was_recorded_passes(value: object, contract: Contract) -> None:
    assert findings("", value, contract=contract) == []


@pytest.mark.parametrize(
    ("value", "contract"),
    [
        (1234567.9, Contract(decimals=2)),
        (0.43, Contract(decimals=2)),
        (19.25, Contract()),
        ([["North", 0.4375], ["South", 0.61]], Contract()),
        (43.75, Contract()),
    ],
)
def test_a_value_that_nobody_computed_is_rejected(value: object, contract: Contract) -> None:
    assert ("O9", "reject") in findings("", value, contract=contract)


def test_a_part_of_the_results_is_no_ground_for_rejection() -> None:
    assert findings("Sales grew by 18%.", partial=frozenset({"r001"})) == [("O9", "advise")]
    assert findings("Sales grew by 18%.", partial=frozenset({"r002"})) == [("O9", "reject")]


def test_rows_that_a_record_does_not_show_count() -> None:
    assert findings("It is 88.", results={"r001": {"rows": [[88]]}}) == []
    assert findings("It is 88.") == [("O9", "reject")]


def test_the_finding_names_the_closest_value_and_lists_it() -> None:
    invocation = Invocation("Answer", text="It is 42.9.", references=(), records=(SALES,))
    (finding,) = check(invocation, Knowledge(), "before")
    assert finding.observed == "1 records hold results; the closest is '41.7' in r001"
    assert finding.values == ("'41.7'",)


def test_the_question_is_no_source_of_what_it_does_not_say() -> None:
    assert findings("It is 14.", question=Question("How many?")) == [("O9", "reject")]


def test_references_rest_on_sound_records() -> None:
    assert findings("", 7, references=("r002",)) == [("O10", "reject")]
    assert findings("", 7, references=("r009",)) == [("O10", "reject")]
    assert findings("", 7, references=()) == []


@pytest.mark.parametrize(
    ("text", "readings"),
    [
        ("12,345", [(12345.0, 1.0), (12.345, 0.001)]),
        ("1,234.50", [(1234.5, 0.01)]),
        ("1.234,5", [(1234.5, 0.1)]),
        ("3,5", [(3.5, 0.1)]),
        ("about 1,200", [(1200.0, 100.0), (1.2, 0.001)]),
        ("1'234'567", [(1234567.0, 1.0)]),
        ("9" * 400, [(float("inf"), 1.0)]),
    ],
)
def test_a_numeral_is_read_in_every_way_that_it_can_mean(text: str, readings: list[object]) -> None:
    (stated,) = stated_numbers(text)
    assert list(stated.readings) == readings
