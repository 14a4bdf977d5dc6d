"""Rules on types: text compared with numbers, and numbers that sort as text. Casts are judged in `casts`."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from typing import Any

from sqlglot import exp
from sqlglot.optimizer.scope import Scope

from lakebook.operators.record import Finding
from lakebook.sources.card import Column
from lakebook.validation.cells import Cells
from lakebook.validation.conditions import equality
from lakebook.validation.invocation import Invocation
from lakebook.validation.knowledge import Knowledge
from lakebook.validation.numeric_text import LOOKS_NUMERIC, cleaner, disorder, looks_numeric, marks, number
from lakebook.validation.periods import is_date
from lakebook.validation.predicates import Predicate, takes_all_rows, texts_of
from lakebook.validation.registry import rule
from lakebook.validation.statement import Origin, Resolver, is_constant, literal, owned, quoted, text

_NUMBERS = ("integer", "number")
COMPARISONS = (exp.EQ, exp.NEQ, exp.GT, exp.GTE, exp.LT, exp.LTE, exp.In, exp.Between)


def selects(invocation: Invocation) -> Iterator[Scope]:
    """Yield the SELECTs of a statement that could be taken apart."""
    if invocation.parsed is not None:
        yield from invocation.parsed.selects()


def compared(node: Any) -> tuple[Any, list[Any]]:
    """Return the column and the constants of a comparison, (None, []) if it is of another form."""
    if isinstance(node, exp.Between):
        bounds = [node.args["low"], node.args["high"]]
        return (node.this, bounds) if all(map(is_constant, bounds)) else (None, [])
    return equality(node)  # < and > have the same shape as =


def _comparisons(
    invocation: Invocation, knowledge: Knowledge
) -> Iterator[tuple[Any, Origin, Column, list[Any]]]:
    resolver = Resolver(knowledge)
    for scope in selects(invocation):
        for node in owned(scope, *COMPARISONS):
            operand, constants = compared(node)
            origin = resolver.origin(scope, operand) if isinstance(operand, exp.Column) else None
            column = knowledge.column(origin.table, origin.column) if origin else None
            if origin is not None and column is not None:
                yield node, origin, column, constants


def _is_number(node: Any) -> bool:
    value = literal(node)
    return isinstance(value, float) and not isinstance(node, exp.Cast)


def _is_text(node: Any) -> bool:
    return isinstance(literal(node), str) and isinstance(node, exp.Literal)


def _numeric_rows(origin: Origin) -> Predicate:
    value = exp.TryCast(this=exp.column(origin.column, quoted=True), to=exp.DataType.build("double"))
    return Predicate(origin, text(exp.Is(this=value, expression=exp.Not(this=exp.Null()))), listed=False)


def _ask_numeric(invocation: Invocation, knowledge: Knowledge) -> Iterator[Predicate]:
    for _, origin, column, constants in _comparisons(invocation, knowledge):
        if column.type == "text" and any(map(_is_number, constants)):
            yield _numeric_rows(origin)


@rule(
    "B5",
    operator="Query",
    detects="a text column compared with a number, or a column of numbers or dates compared with other text",
    evidence="the column's type and, for text, in how many rows it reads as a number",
    action="reject",
    reference="catalogue B5",
    asks=_ask_numeric,
)
def typescompared(invocation: Invocation, knowledge: Knowledge) -> Iterator[Finding]:
    """Reject a comparison that can hold in no row; advise on one that the engine casts."""
    for node, origin, column, constants in _comparisons(invocation, knowledge):
        if column.type == "text" and any(map(_is_number, constants)):
            yield _text_as_number(node, origin, column, knowledge)
        elif column.type in _NUMBERS:
            for constant in filter(_is_text, constants):
                yield _number_as_text(node, origin, column, str(literal(constant)))
        elif column.type in ("date", "datetime"):
            for constant in filter(_is_text, constants):
                if not is_date(str(literal(constant))):
                    yield Finding(
                        "B5",
                        "reject",
                        f"{origin.column} is a {column.type}, and {text(constant)} does not read as one.",
                        observed=f"{text(node)} would fail when run",
                        hint="Write dates as 'YYYY-MM-DD'; for a year, year(column) = 2020.",
                    )


def _text_as_number(node: Any, origin: Origin, column: Column, knowledge: Knowledge) -> Finding:
    table = knowledge.table(origin.table)
    counted = _numeric_rows(origin).counted(knowledge)
    never = counted is not None and not counted.rows and table is not None and table.coverage.complete
    cell = Cells()
    shown = cell.several(texts_of(knowledge, origin), 3)
    numeric = f"; {counted.rows:,} of {table.rows:,} rows read as a number" if counted and table else ""
    return Finding(
        "B5",
        "reject" if never else "advise",
        f"{text(node)} compares text with a number"
        + (", and no value of the column is one." if never else "."),
        observed=f"{origin.table}.{origin.column} is text{': ' + shown if shown else ''}{numeric}",
        hint=f"Compare with text in single quotes, or with try_cast({quoted(origin.column)} AS DOUBLE).",
        values=cell.shown(),
    )


def _number_as_text(node: Any, origin: Origin, column: Column, constant: str) -> Finding:
    try:
        value: float | None = float(constant)
    except ValueError:
        value = None
    never = value is None
    rounded = value is not None and column.type == "integer" and not value.is_integer()
    return Finding(
        "B5",
        "reject" if never else "advise",
        f"{text(node)} compares numbers with text"
        + (
            " that is no number."
            if never
            else ", which the engine rounds to a whole number."
            if rounded
            else "."
        ),
        observed=f"{origin.table}.{origin.column} is {column.type}",
        hint=f"Write {constant} without quotes." if value is not None else "For a missing value: IS NULL.",
    )


@dataclass(frozen=True, slots=True)
class _Sorted:
    """A place where a text column is put in order: MIN, MAX, ORDER BY or a comparison of order."""

    node: Any
    scope: Scope
    origin: Origin
    column: Column
    decides: bool  # what is first decides the result: MIN, MAX, or ORDER BY with LIMIT


def _sorted(invocation: Invocation, knowledge: Knowledge) -> Iterator[_Sorted]:
    """Yield the places where a text column of which the known values look like numbers is put in order."""
    resolver = Resolver(knowledge)
    for scope in selects(invocation):
        for node in owned(
            scope, exp.Min, exp.Max, exp.Ordered, exp.GT, exp.GTE, exp.LT, exp.LTE, exp.Between
        ):
            if isinstance(node, (exp.Min, exp.Max, exp.Ordered)):
                operand = _sort_key(node.this, scope)
            else:
                operand, constants = compared(node)
                if not constants or not all(
                    _is_text(one) and looks_numeric(str(one.this)) for one in constants
                ):
                    continue
            origin = resolver.origin(scope, operand)
            column = knowledge.column(origin.table, origin.column) if origin else None
            if origin is None or column is None or column.type != "text":
                continue
            known = list(texts_of(knowledge, origin))
            if known and 2 * sum(map(looks_numeric, known)) < len(known):
                continue
            cut = node.parent is scope.expression.args.get("order") and scope.expression.args.get("limit")
            yield _Sorted(
                node,
                scope,
                origin,
                column,
                isinstance(node, (exp.Min, exp.Max)) or (cut is not None and bool(cut)),
            )


def _sort_key(node: Any, scope: Scope) -> Any:
    """Return what a sort key stands for where it is an alias that only renames a column."""
    if isinstance(node, exp.Column) and not node.table:
        for item in scope.expression.expressions:
            if isinstance(item, exp.Alias) and item.alias.lower() == node.name.lower():
                return item.this
    return node


def _looking_numeric(origin: Origin) -> Predicate:
    column = exp.column(origin.column, quoted=True)
    return Predicate(
        origin,
        text(exp.func("regexp_full_match", column, exp.Literal.string(LOOKS_NUMERIC), dialect="duckdb")),
    )


def _ask_order(invocation: Invocation, knowledge: Knowledge) -> Iterator[Predicate]:
    for place in _sorted(invocation, knowledge):
        yield _looking_numeric(place.origin)


_MOSTLY = 0.95


@rule(
    "B6",
    operator="Query",
    detects="MIN, MAX, ORDER BY or < over numbers kept as text, which sort as text ('10' before '9')",
    evidence="the share of rows that look like numbers (all rows), and two values that sort the wrong way",
    action="reject",
    reference="catalogue B6",
    asks=_ask_order,
)
def sorts_as_text(invocation: Invocation, knowledge: Knowledge) -> Iterator[Finding]:
    """Reject MIN, MAX and a cut by such an order where all rows are concerned; else advise."""
    for place in _sorted(invocation, knowledge):
        counted, table = (
            _looking_numeric(place.origin).counted(knowledge),
            knowledge.table(place.origin.table),
        )
        if counted is None or table is None:
            continue
        filled = table.rows - place.column.nulls
        known = list(texts_of(knowledge, place.origin)) or [value.value for value in counted.values]
        wrong = disorder(known) if filled and counted.rows >= _MOSTLY * filled else None
        if wrong is None:
            continue
        whole = table.coverage.complete and takes_all_rows(place.scope)
        cell = Cells()
        yield Finding(
            "B6",
            "reject" if place.decides and whole and _changes(place, known) else "advise",
            f"{_shown(place.node)} puts numbers in the order of text.",
            observed=f"{place.origin.table}.{place.origin.column} is text; {counted.rows:,} of {filled:,} "
            f"values look like numbers, and {cell(wrong[0])} sorts before {cell(wrong[1])}",
            hint="Sort by the number: " + _as_number(place.origin.column, known) + ".",
            values=cell.shown(),
        )


def _shown(node: Any) -> str:
    return f"ORDER BY {text(node)}" if isinstance(node, exp.Ordered) else text(node)


def _as_number(column: str, known: list[str]) -> str:
    plain = all(number(value) is None or value.strip().replace(".", "", 1).isdigit() for value in known)
    return f"try_cast({quoted(column)} AS DOUBLE)" if plain else cleaner(quoted(column), marks(known))


def _changes(place: _Sorted, known: list[str]) -> bool:
    """Say whether MIN or MAX is certain to be another value than that of the numbers."""
    if not isinstance(place.node, (exp.Min, exp.Max)) or place.scope.expression.args.get("group"):
        return isinstance(place.node, exp.Ordered)
    end = place.column.max if isinstance(place.node, exp.Max) else place.column.min
    value = number(end) if end is not None else None
    if value is None:
        return end is not None
    numbers = [found for found in map(number, known) if found is not None]
    return any(found > value if isinstance(place.node, exp.Max) else found < value for found in numbers)
