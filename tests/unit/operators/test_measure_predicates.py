"""Predicates that rules ask for are counted over all rows, remembered, and cost no more than they must."""

from __future__ import annotations

import pytest

from lakebook.operators.measure.predicates import VALUES_LISTED, count_predicates
from lakebook.operators.runtime import Runtime
from lakebook.sources.card import ValueCount
from lakebook.validation.knowledge import Enumeration
from lakebook.validation.predicates import Predicate, SumsByValue
from lakebook.validation.statement import Origin

WORD, REGION = Origin("words", "word"), Origin("orders", "region")


def count(runtime: Runtime, *asked: Predicate | SumsByValue, seconds: float = 10.0) -> None:
    count_predicates(runtime.lake, asked, runtime.knowledge, seconds)


def test_rows_are_counted_and_their_values_listed(runtime: Runtime) -> None:
    some, many = Predicate(WORD, "\"word\" LIKE 'word 1_'"), Predicate(WORD, "\"word\" LIKE 'word 1%'")
    only = Predicate(WORD, "\"word\" LIKE 'word 2%'", listed=False)
    none = Predicate(WORD, "\"word\" = 'x'")
    count(runtime, some, many, only, none)
    seen = some.counted(runtime.knowledge)
    assert seen is not None
    assert (seen.rows, len(seen.values), seen.values_complete) == (10, 10, True)
    seen = many.counted(runtime.knowledge)
    assert seen is not None
    assert (seen.rows, len(seen.values), seen.values_complete) == (1111, VALUES_LISTED, False)
    seen = only.counted(runtime.knowledge)
    assert seen is not None
    assert (seen.rows, seen.values, seen.values_complete) == (1111, (), False)
    seen = none.counted(runtime.knowledge)
    assert seen is not None
    assert (seen.rows, seen.values_complete) == (0, True)


def test_a_predicate_that_fails_does_not_hide_the_others(runtime: Runtime) -> None:
    broken, whole = Predicate(WORD, '"no such" = 1'), Predicate(WORD, "\"word\" = 'word 7'")
    count(runtime, broken, whole)
    assert broken.counted(runtime.knowledge) is None
    seen = whole.counted(runtime.knowledge)
    assert seen is not None
    assert seen.rows == 1


def test_listed_values_are_enough_and_null_counts(runtime: Runtime) -> None:
    runtime.knowledge.learn_values(
        "orders", "region", Enumeration((ValueCount("north", 30), ValueCount("", 6)), complete=True)
    )
    north, empty = Predicate(REGION, "\"region\" = 'north'"), Predicate(REGION, '"region" IS NULL')
    both = Predicate(REGION, '"region" = \'north\' AND "id" < 4')
    count(runtime, north, empty, both)
    rows = [one.counted(runtime.knowledge) for one in (north, empty, both)]
    nulls = runtime.knowledge.column("orders", "region")
    assert nulls is not None
    # the first two by the values alone (30, not the 36 of the file), the third over the rows
    assert [one.rows if one else None for one in rows] == [30, nulls.nulls, 3]


def test_sums_by_value(runtime: Runtime) -> None:
    asked = SumsByValue("customers", "city", "credit")
    count(runtime, asked)
    assert asked.counted(runtime.knowledge) == {"Oslo": 0.0, "Rome": 100.0, "Lima": 500.0}


@pytest.mark.parametrize("seconds", [0.0, -1.0])
def test_without_time_nothing_is_counted(runtime: Runtime, seconds: float) -> None:
    asked = SumsByValue("customers", "city", "credit")
    count(runtime, asked, seconds=seconds)
    assert asked.counted(runtime.knowledge) is None
