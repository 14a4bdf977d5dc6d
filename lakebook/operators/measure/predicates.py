"""Count the predicates that rules ask for: in how many rows each holds, and with which values of the column.

Where all values of a text column are known with their rows, the predicate is tried on those alone, whatever
the size of the table; all others over one table are counted in one pass. What was counted stays in the
shared state (RADAR §3.1).
"""

from __future__ import annotations

import time
from collections.abc import Iterable, Sequence
from contextlib import suppress
from typing import Any

from sqlglot import exp

from lakebook.errors import LakebookError
from lakebook.operators.lake import Lake
from lakebook.sandbox.base import Json
from lakebook.sources.card import ValueCount
from lakebook.validation.knowledge import Knowledge, Presence
from lakebook.validation.predicates import Predicate, SumsByValue
from lakebook.validation.statement import text
from sql import read

VALUES_LISTED = 30
_MOST_LOOKED_AT = 200_000  # matching rows whose values are listed; the count covers all rows


def count_predicates(
    lake: Lake, asked: Iterable[Predicate | SumsByValue], knowledge: Knowledge, seconds: float
) -> None:
    """Count what is asked for and remember it; stop when the time is used up.

    What fails or takes too long stays unknown, and the rule that asked says so.
    """
    end = time.monotonic() + seconds
    scanned: dict[str, list[Predicate]] = {}
    for one in asked:
        if isinstance(one, Predicate) and not _is_enumerated(one, knowledge):
            scanned.setdefault(one.origin.table, []).append(one)
            continue
        with suppress(LakebookError):
            left = end - time.monotonic()
            if left <= 0:
                return
            if isinstance(one, SumsByValue):
                knowledge.sums[one.key] = _sum(lake, one, left)
            else:
                knowledge.learn_presence(one.origin.table, one.sql, _among(lake, one, knowledge, left))
    for table, predicates in scanned.items():
        _scan(lake, table, predicates, knowledge, end)


def _is_enumerated(predicate: Predicate, knowledge: Knowledge) -> bool:
    """Say whether a predicate can be tried on the values themselves."""
    origin = predicate.origin
    known = knowledge.column(origin.table, origin.column)
    listed = knowledge.enumeration(origin.table, origin.column)
    if known is None or known.type != "text" or listed is None or not listed.complete:
        return False
    return {one.name for one in _parsed(predicate).find_all(exp.Column)} == {origin.column}


def _parsed(predicate: Predicate) -> Any:
    return exp.maybe_parse(predicate.sql, dialect="duckdb")


def _scan(lake: Lake, table: str, predicates: Sequence[Predicate], knowledge: Knowledge, end: float) -> None:
    """Count all predicates over a table in one pass; then list the values of those that hold somewhere."""
    counts = [exp.func("count_if", _parsed(one)) for one in predicates]
    query = exp.select(*counts).from_(exp.to_identifier(table, quoted=True))
    try:
        counted = lake.fetch(text(query), seconds=max(0.001, end - time.monotonic())).rows[0]
    except LakebookError:
        if len(predicates) > 1:  # one that fails must not hide the others
            for one in predicates:
                _scan(lake, table, [one], knowledge, end)
        return
    for one, rows in zip(predicates, counted, strict=True):
        seen = Presence(int(rows), values_complete=not rows)
        left = end - time.monotonic()
        if rows and one.listed and left > 0:
            with suppress(LakebookError):
                listed = _listed(lake, one, left)
                whole = listed.values_complete and listed.rows == seen.rows
                seen = Presence(int(rows), values=listed.values, values_complete=whole)
        knowledge.learn_presence(table, one.sql, seen)


def _listed(lake: Lake, predicate: Predicate, seconds: float) -> Presence:
    rows: Any = exp.column(predicate.origin.column, quoted=True).as_("value", quoted=True)
    matching = exp.select(rows, exp.Literal.number(1).as_("n"))
    matching = matching.from_(exp.to_identifier(predicate.origin.table, quoted=True)).where(
        _parsed(predicate)
    )
    return _list(lake, matching.limit(_MOST_LOOKED_AT), {}, seconds)


def _sum(lake: Lake, asked: SumsByValue, seconds: float) -> dict[str, float]:
    parameters: dict[str, Json] = {"table": asked.table, "by": [asked.by], "measure": [asked.measure]}
    found = lake.fetch(read("diagnose/sum_by_value"), parameters, seconds=seconds).rows
    return {str(value): float(total) for value, total in found if value is not None and total is not None}


def _among(lake: Lake, predicate: Predicate, knowledge: Knowledge, seconds: float) -> Presence:
    """Try a predicate on the values of its column themselves, and on NULL."""
    table, column = predicate.origin.table, predicate.origin.column
    known, listed = knowledge.column(table, column), knowledge.enumeration(table, column)
    values = listed.values if listed is not None else ()
    unnested = exp.select(
        exp.func("unnest", exp.Parameter(this=exp.var("values"))).as_(column, quoted=True),
        exp.func("unnest", exp.Parameter(this=exp.var("rows"))).as_("n"),
    )
    rows = exp.column(column, quoted=True).as_("value", quoted=True)
    matching = exp.select(rows, exp.column("n")).from_(unnested.subquery("listed")).where(_parsed(predicate))
    parameters: dict[str, Json] = {
        "values": [*(value.value for value in values), None],
        "rows": [*(value.rows for value in values), known.nulls if known is not None else 0],
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
