"""What is said of alternatives, spellings and sort orders agrees with the engine."""

from __future__ import annotations

import duckdb
from hypothesis import given, settings
from hypothesis import strategies as st
from sqlglot import exp

from lakebook.validation.conditions import always_holds
from lakebook.validation.numeric_text import disorder, number
from lakebook.validation.patterns import spelling, spelt_like
from lakebook.validation.statement import parse, text

_VALUES = range(-3, 4)
_TESTS = st.builds(
    "x {} {}".format, st.sampled_from(["=", "<>", "<", "<=", ">", ">="]), st.integers(-2, 2)
) | st.builds("x between {} and {}".format, st.integers(-2, 2), st.integers(-2, 2))

ENGINE = duckdb.connect()
ENGINE.execute("create table numbers as select unnest(range(-3, 4)) as x")


def fulfilling(condition: str) -> int:
    row = ENGINE.execute(f"select count(*) from numbers where {condition}").fetchone()
    assert row is not None
    return int(row[0])


@settings(max_examples=100, deadline=None)
@given(st.lists(_TESTS, min_size=2, max_size=4))
def test_alternatives_that_always_hold_have_every_row(tests: list[str]) -> None:
    condition = " or ".join(tests)
    statement = parse(f"select 1 from numbers where {condition}")
    alternatives = statement.tree.find(exp.Or)
    if always_holds(alternatives) is not None:
        assert fulfilling(condition) == len(_VALUES)


@settings(max_examples=100, deadline=None)
@given(
    st.text(alphabet="aAäÉß .-_'1 9\u00a0", max_size=6),
    st.text(alphabet="aAäe .-_1 9", min_size=1, max_size=6),
)
def test_a_spelling_is_the_same_in_sql(value: str, other: str) -> None:
    if not spelling(other):
        return
    row = ENGINE.execute(
        f"select {text(spelt_like(exp.column('v'), other))} from (select $value as v)", {"value": value}
    ).fetchone()
    assert row is not None
    assert bool(row[0]) == (spelling(value) == spelling(other))


@settings(max_examples=100, deadline=None)
@given(st.lists(st.integers(-50, 2000).map(str), max_size=8))
def test_disorder_is_told_exactly_where_text_sorts_otherwise(values: list[str]) -> None:
    as_text = [number(value) for value in sorted(values)]
    assert (disorder(values) is not None) == (as_text != sorted(as_text, key=lambda one: one or 0.0))
