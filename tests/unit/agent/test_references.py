"""Answers by reference: what one stands for, how it is written, and what a typed number is bound to."""

from __future__ import annotations

import pytest

from lakebook.agent.answering import NotGrounded, compose, declined
from lakebook.agent.protocol import Draft
from lakebook.agent.references import bind, fill, show
from lakebook.agent.results import UnknownReference
from lakebook.operators.record import ExecutionRecord
from lakebook.sandbox.base import Json
from lakebook.validation.contract import Contract


def grid(name: str, columns: list[Json], rows: list[Json], output: str = "", **more: Json) -> ExecutionRecord:
    result: Json = {"columns": columns, "rows": rows, "row_count": len(rows), "more": False} | more
    return ExecutionRecord(name, "Query", "", {}, output=output, result=result)


RECORDS = (
    grid("r001", ["region", "avg(price)"], [["North", 1.2345], ["South", 12345.678]]),
    grid("r002", ["n"], [[18249]], output="counted"),
    ExecutionRecord(
        "r003",
        "Compute",
        "",
        {},
        result={"facts": {"mean": 0.04567}, "tables": {"top": {"columns": ["a"], "rows": [[1], [2]]}}},
    ),
    ExecutionRecord("r004", "Query", "", {}, verdict="reject"),
    grid("r005", ["a"], [[1]] * 3, row_count=900),
    grid("r007", ['count(DISTINCT "Order ID")'], [[5009]]),
    grid("r006", ["region", "total.net"], [["West", 3]]),
)


@pytest.mark.parametrize(
    ("text", "filled"),
    [
        ("{r001.avg(price)[0]}", "1.235"),
        ("{r001.rows[1].region}", "South"),
        ("{r001['region'][1]}", "South"),
        ("{r001.rows[0][1]}", "1.235"),
        ("{r001.rows[0]['region']}", "North"),
        ("{r001.region}", "North, South"),
        ("{r001.price[1]}", "12,345.68"),
        ("{r001.avg(price)[-1]:.1f}", "12,345.7"),
        ("{r007.count(DISTINCT order_id)}", "5009"),
        ("{r007.count}", "5009"),
        ("{r007.order_count}", "5009"),
        ("{r007.Order_ID[0]}", "5009"),
        ("{r001.row_count} regions", "2 regions"),
        ("{r002}", "18,249"),
        ("{r002.value}", "18,249"),
        ("{R002.N}", "18,249"),
        ("{{r002.n}}", "18,249"),
        ("${r002.n}", "18,249"),
        ("{ r002.n }", "18,249"),
        ("{counted.n}", "18,249"),
        ("{n}", "18,249"),
        ("{r003.mean}", "0.04567"),
        ("{r003.top.a[1]}", "2"),
        ("{r006.total.net}", "3"),
        ("{result.region}", "West"),
        ("nothing", "nothing"),
    ],
)
def test_references_are_filled(text: str, filled: str) -> None:
    assert fill(text, RECORDS).text == filled


@pytest.mark.parametrize(
    ("text", "said"),
    [
        ("{r009.x}", "refers to no result"),
        ("{r001.value}", "no single value"),
        ("{r001.price}x{r001.colour}", "no column 'colour'"),
        ("{r001.region[2]}", "2 rows"),
        ("{r003.median}", "has nothing called 'median'"),
        ("{r004.a}", "was rejected"),
        ("{r007.rating}", "no column 'rating'"),
        ("{r005.a}", "more rows than its record shows"),
        ("{nobody}", "refers to no result"),
    ],
)
def test_what_stands_for_nothing_is_told(text: str, said: str) -> None:
    with pytest.raises(UnknownReference) as fault:
        fill(text, RECORDS)
    assert said in fault.value.message
    assert fault.value.hint


@pytest.mark.parametrize(
    ("value", "decimals", "shown"),
    [
        (2016, None, "2016"),
        (1234567, None, "1,234,567"),
        (0.125, 2, "0.13"),
        (-0.125, 2, "-0.13"),
        (2.675, 2, "2.68"),
        (1e27, 0, "1,000,000,000,000,000,000,000,000,000"),
        (0.0, None, "0"),
        (1.0, None, "1"),
        (float("nan"), 2, "nan"),
        (True, None, "true"),
        (None, None, "null"),
        ([1, "a"], None, "1, a"),
        (list(range(12)), None, "0, 1, 2, 3, 4, 5, 6, 7, 8, 9 and 2 more"),
    ],
)
def test_values_are_written_for_readers(value: Json, decimals: int | None, shown: str) -> None:
    assert show(value, decimals) == shown


def test_typed_numbers_are_bound_to_results_and_others_stay() -> None:
    text = bind("Of 18,249 rows the mean was 1.23 in 2016, not 77.", RECORDS, "mean in 2016?")
    filled = fill(text, RECORDS)
    assert filled.text == "Of 18,249 rows the mean was 1.23 in 2016, not 77."
    assert [(one.record, one.value) for one in filled.references] == [("r002", 18249), ("r001", 1.2345)]


def composed(text: str, kind: str | None = None, value: str = "", **more: object) -> Json:
    contract = Contract(type=kind, **more)  # type: ignore[arg-type]
    return compose(Draft(text, value), RECORDS, contract, "").value


def test_the_value_is_the_one_that_fits_the_contract() -> None:
    assert composed("{r006.region} has {r002}.", "number") == 18249
    assert composed("{r006.region} has {r002}.", "text") == "West"
    assert composed("{r001.region}", "list") == ["North", "South"]
    assert composed("{r001.region[1]} and {r001.region[0]}", "list") == ["South", "North"]
    assert composed("{r001}", "table") == {
        "columns": ["region", "avg(price)"],
        "rows": [["North", 1.2345], ["South", 12345.678]],
    }
    assert composed("Yes, {r002} is more.", "boolean") is True
    assert composed("{r003.mean}", "number", decimals=2) == 0.05
    assert composed("{r001.price[0]} of {r002}", "number", value="{r002}") == 18249
    assert composed("It is {r002}.") == 18249
    assert composed("{r006.region} has {r002}.") == "West has 18,249."


@pytest.mark.parametrize(
    ("text", "kind", "said"),
    [
        ("It is about average.", None, "rests on no result"),
        ("It is 77.", "number", "rests on no result"),
        ("{r001.price[0]} or {r002}", "number", "holds 2"),
    ],
)
def test_an_answer_without_ground_is_not_submitted(text: str, kind: str | None, said: str) -> None:
    with pytest.raises(NotGrounded) as fault:
        composed(text, kind)
    assert said in fault.value.message


def test_a_number_that_a_model_cannot_have_seen_is_not_bound() -> None:
    with pytest.raises(NotGrounded):
        compose(Draft("It is 18,249."), RECORDS, Contract(), "", may_type_numbers=False)


def test_declining_has_a_reason() -> None:
    assert declined(Draft("Decline: no column holds weights")) == "no column holds weights"
    assert declined(Draft("Decline: the reason")) == "no reason was given"
    assert declined(Draft("The sales declined to {r002}.")) == ""
