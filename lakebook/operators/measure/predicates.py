"""Count the predicates that rules ask for: in how many rows each holds, and with which values of the column.

Where all values of a text column are known with their rows, the predicate is tried on those alone, whatever
the size of the table. What was counted stays in the shared state (RADAR §3.1).
"""

from __future__ import annotations

import time
from collections.abc import Iterable
from typing import Any

from sqlglot import exp

from lakebook.errors import LakebookError
from lakebook.operators.lake import Lake
from lakebook.sandbox.base import Json
from lakebook.sources.card import Column, ValueCount
from lakebook.validation.knowledge import Enumeration, Knowledge, Presence
from lakebook.validation.predicates import Predicate, SumsByValue
from lakebook.validation.statement import text
from sql import read

VALUES_LISTED = 30
_MOST_LOOKED_AT = 200_000  # matching rows whose values are listed; the count covers all rows


def count_predicates(
    lake: Lake, asked: Iterable[Predicate | SumsByValue], knowledge: Knowledge, seconds: float
) -> None:
    """Count what is asked for and remember it; stop when the time is used up.

    A predicate that fails or takes too long stays unknown, and the rule that asked says so.
    """
    end = time.monotonic() + seconds
    for one in asked:
        left = end - time.monotonic()
        if left <= 0:
            return
        try:
            if isinstance(one, SumsByValue):
                knowledge.sums[one.key] = _sum(lake, one, left)
            else:
                knowledge.learn_presence(one.origin.table, one.sql, _count(lake, one, knowledge, left))
        except LakebookError:
            continue


def _sum(lake: Lake, asked: SumsByValue, seconds: float) -> dict[str, float]:
    parameters: dict[str, Json] = {"table": asked.table, "by": [asked.by], "measure": [asked.measure]}
    found = lake.fetch(read("diagnose/sum_by_value"), parameters, seconds=seconds).rows
    return {str(value): float(total) for value, total in found if value is not None and total is not None}


def _count(lake: Lake, predicate: Predicate, knowledge: Knowledge, seconds: float) -> Presence:
    table, column = predicate.origin.table, predicate.origin.column
    known = knowledge.column(table, column)
    listed = knowledge.enumeration(table, column)
    condition = exp.maybe_parse(predicate.sql, dialect="duckdb")
    is_text = known is not None and known.type == "text"
    alone = {one.name for one in condition.find_all(exp.Column)} == {column}
    if is_text and alone and known is not None and listed is not None and listed.complete:
        return _among(lake, listed, known, condition, seconds)
    rows: Any = exp.column(column, quoted=True).as_("value", quoted=True)
    source = exp.to_identifier(table, quoted=True)
    matching = exp.select(rows, exp.Literal.number(1).as_("n")).from_(source).where(condition)
    found = _list(lake, matching.limit(_MOST_LOOKED_AT), {}, seconds)
    if found.rows < _MOST_LOOKED_AT:
        return found
    counting = exp.select(exp.func("count", exp.Star())).from_(source.copy()).where(condition.copy())
    return Presence(int(lake.fetch(text(counting), seconds=seconds).rows[0][0]), values=found.values)


def _among(lake: Lake, listed: Enumeration, known: Column, condition: Any, seconds: float) -> Presence:
    """Try the predicate on the values themselves, and on NULL."""
    column = known.name
    unnested = exp.select(
        exp.func("unnest", exp.Parameter(this=exp.var("values"))).as_(column, quoted=True),
        exp.func("unnest", exp.Parameter(this=exp.var("rows"))).as_("n"),
    )
    rows = exp.column(column, quoted=True).as_("value", quoted=True)
    matching = exp.select(rows, exp.column("n")).from_(unnested.subquery("listed")).where(condition)
    parameters: dict[str, Json] = {
        "values": [*(value.value for value in listed.values), None],
        "rows": [*(value.rows for value in listed.values), known.nulls],
    }
    return _list(lake, matching, parameters, seconds)


def _list(lake: Lake, matching: Any, parameters: dict[str, Json], seconds: float) -> Presence:
    """Return how many rows match, and the values that most of them have."""
    value = exp.column("value", quoted=True)
    rows = exp.func("sum", exp.column("n"))
    every = exp.Window(this=exp.func("sum", rows.copy()))
    each = exp.select(exp.cast(value.copy(), "varchar").as_("value"), rows.as_("rows"), every.as_("all_rows"))
    each = each.from_(matching.subquery("matching")).group_by(value).order_by("rows DESC", "value")
    found = lake.fetch(text(each.limit(VALUES_LISTED + 1)), parameters or None, seconds=seconds).rows
    listed = tuple(
        ValueCount(str(row[0]), int(row[1])) for row in found[:VALUES_LISTED] if row[0] is not None
    )
    return Presence(
        int(found[0][2]) if found else 0, values=listed, values_complete=len(found) <= VALUES_LISTED
    )
