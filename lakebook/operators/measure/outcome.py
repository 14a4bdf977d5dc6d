"""What a result looks like: empty, all null, not finite, cut through a tie; and what emptied it."""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence
from dataclasses import replace
from typing import Any

from sqlglot import exp
from sqlglot.optimizer.scope import Scope

from lakebook.errors import LakebookError
from lakebook.operators.lake import Lake, Rows
from lakebook.operators.measure.skeleton import ROW, skeleton
from lakebook.validation.grain import group_columns, is_aggregated, place, single, unique_sets
from lakebook.validation.invocation import Narrowing, Outcome
from lakebook.validation.knowledge import Knowledge
from lakebook.validation.statement import Resolver, Statement, links, sources, text, visible, where

_SAMPLES = 3
_WHOLE = ("TINYINT", "SMALLINT", "INTEGER", "BIGINT", "HUGEINT", "BIGNUM")
_NUMBERS = frozenset([*_WHOLE, *(f"U{name}" for name in _WHOLE), "FLOAT", "DOUBLE", "DECIMAL"])


def look_at(lake: Lake, statement: Statement, result: Rows, knowledge: Knowledge, seconds: float) -> Outcome:
    """Describe a result: empty, all null, not finite, cut through a tie."""
    numbers = _numbers(result)
    finite = {name: [value for value in values if math.isfinite(value)] for name, values in numbers.items()}
    outcome = Outcome(
        columns=result.columns,
        rows=len(result.rows),
        only_nulls=bool(result.rows) and all(value is None for row in result.rows for value in row),
        not_finite={name: count for name in numbers if (count := len(numbers[name]) - len(finite[name]))},
        ties_left_out=_ties(lake, statement, result, knowledge, seconds),
        cut=_is_cut(lake, statement, result, seconds),
        ranges={name: (min(values), max(values)) for name, values in finite.items() if values},
    )
    if outcome.rows and not outcome.only_nulls and not (_only_zeros(result) and _expects_rows(statement)):
        return outcome
    before, narrowings = _narrow(lake, statement, seconds)
    keys = _compared_values(lake, statement, knowledge, seconds) if before == 0 else {}
    return replace(outcome, rows_before=before, narrowings=tuple(narrowings), keys=keys)


def _compared_values(
    lake: Lake, statement: Statement, knowledge: Knowledge, seconds: float
) -> dict[str, tuple[str, ...]]:
    """Return some values of either side of each equality of a join, as the inputs have them."""
    scope = next((one for one in statement.scopes if one.expression is statement.tree), None)
    found: dict[str, tuple[str, ...]] = {}
    if scope is None or not isinstance(scope.expression, exp.Select):
        return found
    resolver = Resolver(knowledge)
    for condition in links(scope):
        for side in (condition.this, condition.expression) if isinstance(condition, exp.EQ) else ():
            aliases = {
                alias for column in side.find_all(exp.Column) for alias in resolver.holders(scope, column)[0]
            }
            table = resolver.table(sources(scope)[next(iter(aliases))]) if len(aliases) == 1 else None
            if table is None:
                continue
            source = exp.table_(table.name, quoted=True, alias=next(iter(aliases)))
            query = exp.select(side.copy()).from_(source).distinct().order_by("1").limit(_SAMPLES)
            try:
                rows = lake.fetch(text(query), seconds=seconds).rows
            except LakebookError:
                continue
            found[text(side)] = tuple(str(row[0]) for row in rows)
    return found


def _is_cut(lake: Lake, statement: Statement, result: Rows, seconds: float) -> bool | None:
    """Say whether a LIMIT without ORDER BY left rows out; None if it does not apply."""
    tree = statement.tree
    limit = tree.args.get("limit") if isinstance(tree, exp.Query) else None
    count = text(limit.expression) if limit is not None else ""
    if (
        not count.isdigit()
        or int(count) != len(result.rows)
        or tree.args.get("order")
        or tree.args.get("offset")
    ):
        return None
    query = tree.copy()
    query.set("limit", exp.Limit(expression=exp.Literal.number(1)))
    query.set("offset", exp.Offset(expression=exp.Literal.number(int(count))))
    try:
        return bool(lake.fetch(text(query), seconds=seconds).rows)
    except LakebookError:
        return None


def _only_zeros(result: Rows) -> bool:
    """Say whether the result is one row of zeros and nulls, as aggregates over nothing give."""
    return len(result.rows) == 1 and all(value is None or value == 0 for value in result.rows[0])


def _expects_rows(statement: Statement) -> bool:
    """Say whether nothing in the statement looks for what should not be there, of which none is good news."""
    tree = statement.tree
    absent = [node for node in tree.find_all(exp.Not) if node.find(exp.Exists, exp.In)]
    absent += [node for node in tree.find_all(exp.Is) if isinstance(node.expression, exp.Null)]
    absent += [join for join in tree.find_all(exp.Join) if "ANTI" in (join.kind, join.side)]
    return not absent and not tree.find(exp.Having, exp.Except)


def _numbers(result: Rows) -> dict[str, list[float]]:
    """Return the numbers of each column that holds fractions or whole numbers."""
    found: dict[str, list[float]] = {}
    for position, (name, kind) in enumerate(zip(result.columns, result.types, strict=True)):
        if kind.upper().partition("(")[0] in _NUMBERS and not kind.endswith("]"):
            found[name] = [float(row[position]) for row in result.rows if row[position] is not None]
    return found


def _narrow(lake: Lake, statement: Statement, seconds: float) -> tuple[int | None, list[Narrowing]]:
    """Count rows before WHERE, after each further condition, and for each condition alone."""
    scope = next((one for one in statement.scopes if one.expression is statement.tree), None)
    while scope is not None and isinstance(scope.expression, exp.Select) and not where(scope):
        inner = [source for source in sources(scope).values() if isinstance(source, Scope)]
        if len(inner) != 1 or len(sources(scope)) != 1:
            break
        scope = inner[0]  # the outer query only passes on what an inner one gives
    if scope is None or not isinstance(scope.expression, exp.Select) or not sources(scope):
        return None, []
    conditions = where(scope)
    try:
        before = _count_where(lake, scope, statement, [], seconds)
        steps = []
        for position, condition in enumerate(conditions):
            after = _count_where(lake, scope, statement, conditions[: position + 1], seconds)
            alone = after if position == 0 else _count_where(lake, scope, statement, [condition], seconds)
            steps.append(Narrowing(text(condition), after, alone))
    except LakebookError:
        return None, []
    return before, steps


def _count_where(
    lake: Lake, scope: Scope, statement: Statement, conditions: Sequence[Any], seconds: float
) -> int:
    query = skeleton(scope, statement, [exp.func("count", exp.Star())])
    query.set("where", exp.Where(this=exp.and_(*conditions)) if conditions else None)
    return int(lake.fetch(text(query), seconds=seconds).rows[0][0])


def _ties(lake: Lake, statement: Statement, result: Rows, knowledge: Knowledge, seconds: float) -> int | None:
    """Count rows past LIMIT that have the sort key of the last row shown; None if it does not apply."""
    tree = statement.tree
    if not isinstance(tree, exp.Select) or tree.args.get("offset") or tree.args.get("distinct"):
        return None
    limit, order = tree.args.get("limit"), tree.args.get("order")
    count = text(limit.expression) if limit is not None else ""
    if order is None or not count.isdigit() or int(count) != len(result.rows) or not result.rows:
        return None
    if any(isinstance(item.this, exp.Literal) for item in order.expressions):
        return None  # positions cannot stand where the sort keys are looked at
    if _tells_rows_apart(statement, [item.this for item in order.expressions], knowledge):
        return 0
    try:
        return _equal_to_the_last(lake, tree, len(result.rows), seconds)
    except LakebookError:
        return None


def _tells_rows_apart(statement: Statement, keys: Sequence[Any], knowledge: Knowledge) -> bool:
    """Say whether no two rows can have the same sort key, as far as keys tell."""
    scope = next((one for one in statement.scopes if one.expression is statement.tree), None)
    if scope is None or not sources(scope):
        return False
    resolver = Resolver(knowledge)
    if is_aggregated(scope):
        grouped = group_columns(scope)
        written = {text(key).lower() for key in keys}
        names = {
            item.alias.lower(): text(item.this).lower() for item in statement.tree.expressions if item.alias
        }
        written |= {names[key.name.lower()] for key in keys if key.name.lower() in names}
        return grouped is not None and all(text(key).lower() in written for key in grouped)
    places = {place(scope, resolver, key) for key in keys}
    return any(
        {(alias.lower(), column) for column in key} <= places
        for alias in single(scope, resolver)
        if single(scope, resolver) == set(visible(scope))
        for key in unique_sets(sources(scope)[alias], resolver)
    )


def _equal_to_the_last(lake: Lake, tree: Any, shown: int, seconds: float) -> int:
    """Compare the sort keys of the last row shown and of the next; only on a tie count all that are equal."""
    aliases = {item.alias.lower(): item.this for item in tree.expressions if isinstance(item, exp.Alias)}
    names = [f"{ROW} {index}" for index in range(len(tree.args["order"].expressions))]
    keyed = tree.copy()
    for item in keyed.args["order"].expressions:
        item.set("this", _spelt_out(item.this, aliases))
    keys = [item.this for item in keyed.args["order"].expressions]
    keyed.set(
        "expressions",
        [exp.alias_(key.copy(), name, quoted=True) for key, name in zip(keys, names, strict=True)],
    )
    keyed.set("limit", exp.Limit(expression=exp.Literal.number(shown + 1)))
    rows = lake.fetch(text(keyed), seconds=seconds).rows
    if len(rows) <= shown or rows[shown] != rows[shown - 1]:
        return 0
    last, every = keyed.copy(), keyed.copy()
    last.set("limit", exp.Limit(expression=exp.Literal.number(1)))
    last.set("offset", exp.Offset(expression=exp.Literal.number(shown)))
    for part in ("limit", "order"):
        every.set(part, None)
    same = [
        exp.NullSafeEQ(
            this=exp.column(name, table="every", quoted=True),
            expression=exp.column(name, table="last", quoted=True),
        )
        for name in names
    ]
    query = exp.select(exp.func("count", exp.Star())).from_(every.subquery("every"))
    query = query.join(last.subquery("last"), on=exp.and_(*same))
    equal = int(lake.fetch(text(query), seconds=seconds).rows[0][0])
    return max(0, equal - sum(row == rows[shown] for row in rows[:shown]))


def _spelt_out(node: Any, aliases: Mapping[str, Any]) -> Any:
    """Return a sort key with the aliases of the result replaced by what they stand for."""

    def spell(part: Any) -> Any:
        known = isinstance(part, exp.Column) and not part.table and part.name.lower() in aliases
        return exp.paren(aliases[part.name.lower()].copy()) if known else part

    return node.copy().transform(spell)
