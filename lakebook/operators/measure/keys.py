"""How the keys of a join compare over all rows of both tables: matches, lost rows, repeats, the join's size.

What is found holds for the tables, so it is remembered and serves every later query of them.
"""

from __future__ import annotations

from typing import Any

from sqlglot import exp

from lakebook.errors import LakebookError
from lakebook.operators.lake import Lake
from lakebook.operators.measure.budget import Budget
from lakebook.sandbox.base import Json
from lakebook.validation.knowledge import Key, KeyMatch, Knowledge, Side
from lakebook.validation.pairs import Pair, comparable, pairs
from lakebook.validation.statement import Resolver, Statement, text
from sql import read


def learn_matches(lake: Lake, statement: Statement, knowledge: Knowledge, budget: Budget) -> None:
    """Learn how many rows of each side of the joins find a partner, and how large the joins are.

    Where the budget does not allow that, learn at least whether the keys meet at all.
    """
    for pair in pairs(statement, Resolver(knowledge)):
        if knowledge.match(pair.left, pair.right) is not None or not comparable(
            pair.left, pair.right, knowledge
        ):
            continue
        if _learn_match(lake, pair, knowledge, budget):
            continue
        if knowledge.meeting(pair.left, pair.right) is None:
            _learn_meeting(lake, pair, knowledge, budget)


def _rows(key: Key, knowledge: Knowledge) -> int:
    table = knowledge.table(key.table)
    return table.rows if table is not None else 0


def _learn_meeting(lake: Lake, pair: Pair, knowledge: Knowledge, budget: Budget) -> None:
    """Learn whether two keys have a value in common; the search ends at the first."""
    large, small = pair.left, pair.right
    if _rows(large, knowledge) < _rows(small, knowledge):
        large, small = small, large
    if not budget.allows(_rows(small, knowledge)):
        return
    link = exp.and_(
        *[
            exp.EQ(this=exp.column(one, "a", quoted=True), expression=exp.column(other, "b", quoted=True))
            for one, other in zip(large.columns, small.columns, strict=True)
        ]
    )
    query = (
        exp.select(exp.Literal.number(1))
        .from_(exp.table_(large.table, quoted=True, alias="a"))
        .join(
            exp.table_(small.table, quoted=True, alias="b"),
            on=link,
            join_type="semi",
        )
        .limit(1)
    )
    try:
        meet = bool(lake.fetch(text(query), seconds=budget.seconds).rows)
    except LakebookError:
        return
    knowledge.learn_meeting(pair.left, pair.right, meet)


def _learn_match(lake: Lake, pair: Pair, knowledge: Knowledge, budget: Budget) -> bool:
    if not budget.allows(_rows(pair.left, knowledge) + _rows(pair.right, knowledge)):
        return False
    try:
        seen = compare(lake, pair.left, pair.right, knowledge, budget)
    except LakebookError:
        return False  # the rule then says that it was not checked
    knowledge.learn_match(pair.left, pair.right, seen)
    return True


def compare(lake: Lake, left: Key, right: Key, knowledge: Knowledge, budget: Budget) -> KeyMatch:
    """Compare two keys over all rows. Raises OperatorError or TimedOut if the engine does."""
    row = _ask(lake, "probe/compare_keys", left, right, budget)[0]
    counts = [int(value or 0) for value in row[:13]]
    sides = []
    for one, other, numbers, lost in (
        (left, right, counts[:6], row[13]),
        (right, left, counts[6:12], row[14]),
    ):
        folded = _folded(lake, one, other, knowledge, budget) if numbers[4] else {}
        rows, nulls, values, most, lost_rows, lost_values = numbers
        examples = tuple(map(_written, lost or ()))
        sides.append(Side(rows, nulls, values, most, lost_rows, lost_values, examples, folded))
    worst = (
        {}
        if any(side.unique for side in sides)
        else {_written(key): int(n) for key, n in map(_both, row[15] or ())}
    )
    return KeyMatch(sides[0], sides[1], counts[12], worst)


def _both(pair: Any) -> tuple[Any, Any]:
    """Return the two parts of a row, which the engine gives as a mapping or as a sequence."""
    first, second = pair.values() if isinstance(pair, dict) else pair
    return first, second


def _ask(lake: Lake, statement: str, one: Key, other: Key, budget: Budget) -> tuple[tuple[Any, ...], ...]:
    """Run a statement on two keys, each value with its rows."""
    query: Any = exp.maybe_parse(read(statement), dialect="duckdb")
    for name, key in (("one", one), ("other", other)):
        columns = [exp.column(column, quoted=True) for column in key.columns]
        value = columns[0]
        if len(columns) > 1:  # a key with a part that is null equals nothing
            whole = exp.and_(
                *[exp.Not(this=exp.Is(this=part.copy(), expression=exp.Null())) for part in columns]
            )
            value = exp.Case(ifs=[exp.If(this=whole, true=exp.func("row", *columns))])
        counted = exp.select(exp.alias_(value, "key"), exp.alias_(exp.func("count", exp.Star()), "n"))
        counted = counted.from_(exp.to_identifier(key.table, quoted=True)).group_by(exp.Literal.number(1))
        query = query.with_(name, as_=counted)
    return lake.fetch(text(query), seconds=budget.seconds).rows


def _written(key: Any) -> str:
    """Return a key as text; a key of several columns comes as a mapping."""
    if isinstance(key, dict):
        return ", ".join(str(value) for value in key.values())
    return ", ".join(map(str, key)) if isinstance(key, (tuple, list)) else str(key)


def _folded(lake: Lake, one: Key, other: Key, knowledge: Knowledge, budget: Budget) -> dict[str, int]:
    """Return way of writing alike -> rows that find a partner by it, for keys of one text column."""
    if len(one.columns) > 1:
        return {}
    for key in (one, other):
        column = knowledge.column(key.table, key.columns[0])
        if column is None or column.type != "text":
            return {}
    parameters: dict[str, Json] = {
        "left": one.table,
        "left_columns": list(one.columns),
        "right": other.table,
        "right_columns": list(other.columns),
    }
    found = lake.fetch(read("diagnose/fold_keys"), parameters, seconds=budget.seconds)
    return {name: int(rows) for name, rows in zip(found.columns, found.rows[0], strict=True) if rows}
