"""Rules on ranges and periods: bounds that no value reaches, last days cut off, periods partly covered."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from typing import Any

from sqlglot import exp
from sqlglot.optimizer.scope import Scope

from lakebook.operators.record import Finding
from lakebook.sources.card import Column
from lakebook.sources.roles import words
from lakebook.validation.cells import Cells
from lakebook.validation.conditions import equality, possibilities
from lakebook.validation.invocation import Invocation
from lakebook.validation.knowledge import Knowledge, KnownTable
from lakebook.validation.periods import (
    Range,
    allowance,
    comparable,
    day,
    is_day,
    range_of,
    year_of,
    year_range,
)
from lakebook.validation.predicates import Predicate
from lakebook.validation.registry import rule
from lakebook.validation.rules.types import compared, selects
from lakebook.validation.statement import (
    Origin,
    Resolver,
    grouping_keys,
    joins,
    literal,
    owned,
    quoted,
    text,
    where,
)

_ORDERED = (exp.GT, exp.GTE, exp.LT, exp.LTE, exp.Between)
_MIRRORED: dict[type, type] = {exp.GT: exp.LT, exp.GTE: exp.LTE, exp.LT: exp.GT, exp.LTE: exp.GTE}
_TIMES = ("date", "datetime")
_PERCENT = frozenset({"pct", "percent", "percentage", "prozent"})


@dataclass(frozen=True, slots=True)
class _Bound:
    """A column compared with constants by order: `low` and `high` as written, None where it is open."""

    node: Any
    scope: Scope
    origin: Origin
    column: Column
    table: KnownTable
    low: Any
    high: Any
    strict: bool


def _bounds(invocation: Invocation, knowledge: Knowledge) -> Iterator[_Bound]:
    resolver = Resolver(knowledge)
    for scope in selects(invocation):
        for node in owned(scope, *_ORDERED):
            operand, constants = compared(node)
            origin = resolver.origin(scope, operand) if isinstance(operand, exp.Column) else None
            table = knowledge.table(origin.table) if origin else None
            column = table.column(origin.column) if origin and table else None
            if origin is None or table is None or column is None or not constants:
                continue
            low, high = constants if isinstance(node, exp.Between) else (constants[0], constants[0])
            kind = type(node) if operand is node.this else _MIRRORED.get(type(node), type(node))
            if kind in (exp.GT, exp.GTE):
                high = None
            elif kind in (exp.LT, exp.LTE):
                low = None
            yield _Bound(node, scope, origin, column, table, low, high, kind in (exp.GT, exp.LT))


@rule(
    "F4",
    operator="Query",
    detects="a bound outside the values of the column, so that the condition holds in no row",
    evidence="the smallest and largest value of the column (complete)",
    action="reject",
    reference="catalogue F4",
)
def out_of_range(invocation: Invocation, knowledge: Knowledge) -> Iterator[Finding]:
    """Reject a condition of WHERE that no value fulfils; advise where it decides less, or on percent."""
    for bound in _bounds(invocation, knowledge):
        covered = range_of(bound.column)
        if covered is None or bound.node.find_ancestor(exp.Not, exp.Case, exp.If) is not None:
            continue
        low, high = (
            comparable(literal(one), bound.column) if one is not None else None
            for one in (bound.low, bound.high)
        )
        above = low is not None and (low > covered.high or (bound.strict and low == covered.high))
        below = high is not None and (high < covered.low or (bound.strict and high == covered.low))
        fraction = (
            covered.low >= 0 and covered.high <= 1 and bound.column.type == "number" and covered.high > 0
        )
        percent = fraction and any(value is not None and 1.5 <= value <= 100 for value in (low, high))
        small = _is_percent(bound.column, covered) and any(
            value is not None and 0 < value < 1 for value in (low, high)
        )
        if not (above or below or percent or small):
            continue
        decides = bound.node in [*where(bound.scope), *_inner_conditions(bound.scope)]
        cell = Cells()
        yield Finding(
            "F4",
            "reject" if (above or below) and decides and bound.table.coverage.complete else "advise",
            f"{text(bound.node)} "
            + ("holds in no row." if above or below else "reads as a share, the column as percent.")
            if above or below or small
            else f"{text(bound.node)} holds in every row.",
            observed=f"{bound.origin.table}.{bound.origin.column} goes from {cell(bound.column.min)} "
            f"to {cell(bound.column.max)}",
            hint="These look like fractions: 20 % is 0.2."
            if percent
            else "The column counts in percent: 20 % is 20."
            if small
            else "Correct the bound; if the answer is that there is none, these values show it.",
            values=cell.shown(),
        )


def _is_percent(column: Column, covered: Range) -> bool:
    """Say whether a column counts in percent: its name or unit says so, and its values go beyond 1."""
    named = {"%", column.unit} == {"%"} or bool(_PERCENT & set(words(column.name)))
    return named and column.type in ("integer", "number") and covered.low >= 0 and 1.5 < covered.high <= 200


def _inner_conditions(scope: Scope) -> list[Any]:
    return [
        node
        for join in joins(scope)
        if not join.side and join.args.get("on") is not None
        for node in (
            [join.args["on"]] if not isinstance(join.args["on"], exp.And) else join.args["on"].flatten()
        )
    ]


def _last_days(invocation: Invocation, knowledge: Knowledge) -> Iterator[tuple[Any, Column, Predicate]]:
    """Yield the conditions that end at midnight of a day, with the rows later on that day."""
    resolver = Resolver(knowledge)
    for scope in selects(invocation):
        for node in owned(scope, exp.Between, exp.LTE, exp.GTE, exp.EQ):
            operand, constants = compared(node)
            if not isinstance(operand, exp.Column) or not constants:
                continue
            mirrored = operand is not node.this
            if isinstance(node, exp.GTE) != mirrored and not isinstance(node, (exp.Between, exp.EQ)):
                continue
            origin = resolver.origin(scope, operand)
            column = knowledge.column(origin.table, origin.column) if origin else None
            if origin is None or column is None or column.type != "datetime" or not is_day(constants[-1]):
                continue
            own = exp.column(origin.column, quoted=True)
            midnight = exp.cast(constants[-1].copy(), "timestamp")
            next_day = exp.Add(
                this=midnight.copy(),
                expression=exp.Interval(this=exp.Literal.string("1"), unit=exp.var("DAY")),
            )
            later = exp.and_(
                exp.GT(this=own, expression=midnight), exp.LT(this=own.copy(), expression=next_day)
            )
            yield node, column, Predicate(origin, text(later), listed=False)


def _ask_last_days(invocation: Invocation, knowledge: Knowledge) -> Iterator[Predicate]:
    return (later for _, _, later in _last_days(invocation, knowledge))


@rule(
    "F12",
    operator="Query",
    detects="a date as the last bound of times: it means midnight, so that its day is cut off",
    evidence="rows later on that day (all rows)",
    action="advise",
    reference="catalogue F12",
    asks=_ask_last_days,
)
def last_day_lost(invocation: Invocation, knowledge: Knowledge) -> Iterator[Finding]:
    """Advise when rows of the last day are left out, with their number."""
    for node, column, later in _last_days(invocation, knowledge):
        counted = later.counted(knowledge)
        if counted is None or not (counted.rows or _ends_within(node, column)):
            continue
        name = quoted(later.origin.column)
        ends = text(node.args["high"] if isinstance(node, exp.Between) else _constant(node))
        yield Finding(
            "F12",
            "advise",
            f"{text(node)} ends at midnight: the rest of that day is left out.",
            observed=f"{counted.rows or 'no'} rows of {later.origin.table} are later on that day"
            + ("" if counted.rows else " now, but its other times are not at midnight"),
            hint=f"{name}::date = {ends}, or a bound at the next day: {name} < {ends}::date + 1."
            if isinstance(node, exp.EQ)
            else f"Write {name} < {ends}::date + 1.",
        )


def _ends_within(node: Any, column: Column) -> bool:
    """Say whether a range ends on a day among the data, of which the times are not all midnight."""
    covered = range_of(column)
    if covered is None or isinstance(node, exp.EQ) or (covered.low % 1 == 0 and covered.high % 1 == 0):
        return False
    end = literal(node.args["high"] if isinstance(node, exp.Between) else _constant(node))
    value = comparable(end, column)
    return value is not None and covered.low < value < covered.high


def _constant(node: Any) -> Any:
    return node.this if isinstance(node.expression, exp.Column) else node.expression


@dataclass(frozen=True, slots=True)
class _Asked:
    """A period that a query asks for, of a column of dates."""

    words: str
    table: KnownTable
    column: Column
    period: Range


def _asked(invocation: Invocation, knowledge: Knowledge) -> Iterator[_Asked]:
    resolver = Resolver(knowledge)
    for scope in selects(invocation):
        yield from _between(scope, resolver, knowledge)
        for node in owned(scope, exp.EQ, exp.In):
            yield from _years(node, scope, resolver, knowledge)


def _between(scope: Scope, resolver: Resolver, knowledge: Knowledge) -> Iterator[_Asked]:
    """Yield the periods that WHERE bounds on both sides."""
    columns = {text(column).lower(): column for one in where(scope) for column in one.find_all(exp.Column)}
    for name, possible in possibilities(where(scope), scope).items():
        origin = resolver.origin(scope, columns[name]) if name in columns else None
        table = knowledge.table(origin.table) if origin else None
        column = table.column(origin.column) if origin and table else None
        if table is None or column is None or not possible.lower or not possible.upper:
            continue
        low, high = comparable(possible.lower[0], column), comparable(possible.upper[0], column)
        if (column.type in _TIMES and low is not None and high is not None) or (
            column.role == "time" and column.type == "integer" and low is not None and high is not None
        ):
            yield _Asked(" AND ".join(possible.written), table, column, Range(low, high - possible.upper[1]))


def _years(node: Any, scope: Scope, resolver: Resolver, knowledge: Knowledge) -> Iterator[_Asked]:
    """Yield the years that are asked for by year(column) = … or by a column of years."""
    operand, constants = equality(node)
    found = _dates_behind(operand, scope, resolver, knowledge)
    if found is None or node.find_ancestor(exp.Not, exp.Case, exp.If) is not None:
        return
    for constant in constants:
        value = literal(constant)
        if isinstance(value, float) and value.is_integer() and 1000 <= value <= 2999:
            yield _Asked(text(node), *found, year_range(int(value)))


def _dates_behind(
    operand: Any, scope: Scope, resolver: Resolver, knowledge: Knowledge
) -> tuple[KnownTable, Column] | None:
    """Return the dates whose year an expression is: year(column), or a year beside the table's only date."""
    inner = _year_argument(operand)
    origin = resolver.origin(scope, inner if inner is not None else operand)
    table = knowledge.table(origin.table) if origin else None
    column = table.column(origin.column) if origin and table else None
    if table is None or column is None:
        return None
    if inner is not None:
        return (table, column) if column.type in _TIMES else None
    if column.role != "time" or column.type != "integer":
        return None
    years = range_of(column)
    dates = [one for one in table.columns if one.type in _TIMES]
    covered = range_of(dates[0]) if len(dates) == 1 else None
    if years is None or covered is None:
        return None
    same = (year_of(covered.low), year_of(covered.high)) == (years.low, years.high)
    return (table, dates[0]) if same else None


def _year_argument(node: Any) -> Any:
    """Return the x of year(x), extract(year from x), date_part('year', x), date_trunc('year', x)."""
    if isinstance(node, exp.Year):
        return node.this
    if isinstance(node, exp.Extract):
        return node.expression if node.this.name.lower() == "year" else None
    if isinstance(node, (exp.TimestampTrunc, exp.DateTrunc)):
        unit = node.args.get("unit")
        return node.this if unit is not None and unit.name.lower() == "year" else None
    if isinstance(node, exp.Anonymous) and node.name.lower() == "date_part" and len(node.expressions) == 2:
        return node.expressions[1] if node.expressions[0].name.lower() == "year" else None
    return None


@rule(
    "F13",
    operator="Query",
    detects="a period of which the data cover only a part, or totals by year of which one year is cut",
    evidence="the first and last time of the column (complete)",
    action="advise",
    reference="catalogue F13",
)
def partly_covered(invocation: Invocation, knowledge: Knowledge) -> Iterator[Finding]:
    """Advise when data begin later or end earlier than a closed period that is asked for."""
    for asked in _asked(invocation, knowledge):
        covered = range_of(asked.column)
        if covered is None or covered.high < asked.period.low or covered.low > asked.period.high:
            continue
        slack = 0.0 if asked.column.type == "integer" else allowance(asked.column, asked.period)
        if covered.low - asked.period.low > slack or asked.period.high - covered.high > slack:
            cell = Cells()
            yield Finding(
                "F13",
                "advise",
                f"The period of {asked.words} is only partly covered.",
                observed=f"{asked.table.name}.{asked.column.name} goes from {cell(asked.column.min)} "
                f"to {cell(asked.column.max)}",
                hint="Say which part the answer covers, or ask for a period that is covered whole.",
                values=cell.shown(),
            )
    yield from _cut_years(invocation, knowledge)


def _cut_years(invocation: Invocation, knowledge: Knowledge) -> Iterator[Finding]:
    """Advise when sums or counts by year take in a year that begins late or ends early."""
    resolver = Resolver(knowledge)
    for scope in selects(invocation):
        if not list(owned(scope, exp.Sum, exp.Count)):
            continue
        for key in {id(one): one for one in grouping_keys(scope)}.values():
            found = _dates_behind(key, scope, resolver, knowledge)
            covered = range_of(found[1]) if found else None
            if found is None or covered is None or _bounded(scope, found[1], key):
                continue
            table, column = found
            first, last = year_range(year_of(covered.low)), year_range(year_of(covered.high))
            slack = allowance(column, last)
            cut = [
                f"{year_of(covered.high)} ends on {day(covered.high)}"
                if last.high - covered.high > slack
                else "",
                f"{year_of(covered.low)} begins on {day(covered.low)}"
                if covered.low - first.low > slack
                else "",
            ]
            if any(cut) and year_of(covered.low) != year_of(covered.high):
                told = " and ".join(filter(None, cut))
                yield Finding(
                    "F13",
                    "advise",
                    "Totals by year are compared, but not every year is covered whole.",
                    observed=f"{table.name}.{column.name}: {told}",
                    hint="Leave that year out of comparisons, or compare the same months.",
                    values=tuple(day(one) for one in (covered.low, covered.high) if day(one) in told),
                )


def _bounded(scope: Scope, column: Column, key: Any) -> bool:
    """Say whether WHERE or HAVING choose among the years."""
    names = {column.name.lower(), *(one.name.lower() for one in key.find_all(exp.Column))}
    conditions = [*where(scope), scope.expression.args.get("having")]
    return any(
        one.name.lower() in names
        for condition in conditions
        if condition is not None and condition.find(exp.Is) is None
        for one in condition.find_all(exp.Column)
    )
