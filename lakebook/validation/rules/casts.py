"""Rules on casts of text: those that fail, those that lose values, and those that lose leading zeros."""

from __future__ import annotations

import re
from collections.abc import Iterator
from dataclasses import dataclass
from typing import Any

from sqlglot import exp
from sqlglot.optimizer.scope import Scope

from lakebook.operators.record import Finding
from lakebook.validation.cells import Cells
from lakebook.validation.invocation import Invocation
from lakebook.validation.knowledge import Knowledge
from lakebook.validation.numeric_text import LEADING_ZERO, cleaner, is_missing, marks
from lakebook.validation.predicates import (
    Predicate,
    over_one_column,
    tested_for_null,
    within,
)
from lakebook.validation.registry import rule
from lakebook.validation.rules.types import COMPARISONS, selects
from lakebook.validation.statement import Origin, Resolver, is_constant, owned, quoted, text


@dataclass(frozen=True, slots=True)
class _Cast:
    """A cast of a text column; `lost` are the rows that have a value before it and none after it."""

    node: Any
    scope: Scope
    origin: Origin
    lost: Predicate
    exact: bool  # these are the rows that it meets
    forgiving: bool  # it gives NULL where another would fail


def _casts(invocation: Invocation, knowledge: Knowledge) -> Iterator[_Cast]:
    """Yield the casts of text columns to numbers and dates, with the rows that they cannot read."""
    resolver = Resolver(knowledge)
    for scope in selects(invocation):
        for node in owned(scope, exp.Cast, exp.StrToTime, exp.Anonymous):
            inner = _cast_from(node)
            found = over_one_column(inner, scope, resolver) if inner is not None else None
            column = knowledge.column(found[0].table, found[0].column) if found else None
            if found is None or column is None or column.type != "text":
                continue
            origin, value = found
            read = _forgiving(node, value)
            unread = exp.and_(
                exp.Not(this=exp.Is(this=value.copy(), expression=exp.Null())),
                exp.Is(this=read, expression=exp.Null()),
            )
            forgives = isinstance(node, (exp.TryCast, exp.Anonymous)) or isinstance(node.parent, exp.Try)
            lost = within(origin, unread, scope, resolver, besides=node)
            yield _Cast(node, scope, origin, lost.predicate, lost.exact, forgives)


def _cast_from(node: Any) -> Any:
    """Return what is cast, None if the node is no cast to a number or date."""
    if isinstance(node, exp.StrToTime):
        return node.this
    if isinstance(node, exp.Anonymous):
        is_reading = node.name.lower() == "try_strptime" and len(node.expressions) == 2
        return node.expressions[0] if is_reading else None
    kinds = (*exp.DataType.NUMERIC_TYPES, *exp.DataType.TEMPORAL_TYPES, exp.DataType.Type.BOOLEAN)
    return node.this if node.to.this in kinds and not is_constant(node) else None


def _forgiving(node: Any, value: Any) -> Any:
    """Return the cast in the form that gives NULL where it cannot read a value."""
    if isinstance(node, exp.StrToTime):
        return exp.Anonymous(this="try_strptime", expressions=[value, node.args["format"].copy()])
    if isinstance(node, exp.Anonymous):
        return exp.Anonymous(this="try_strptime", expressions=[value, node.expressions[1].copy()])
    return exp.TryCast(this=value, to=node.to.copy())


def _ask_lost(invocation: Invocation, knowledge: Knowledge) -> Iterator[Predicate]:
    return (cast.lost for cast in _casts(invocation, knowledge))


@rule(
    "B7",
    operator="Query",
    detects="a cast of text that is no plain number (thousands separators, currency, %, footnotes): it fails",
    evidence="the rows whose text the cast cannot read (all rows that WHERE leaves of the column)",
    action="reject",
    reference="catalogue B7",
    asks=_ask_lost,
)
def cast_fails(invocation: Invocation, knowledge: Knowledge) -> Iterator[Finding]:
    """Reject a cast that fails for certain, with the values; where other conditions matter, say nothing."""
    for cast in _casts(invocation, knowledge):
        counted = cast.lost.counted(knowledge)
        guarded = cast.node.find_ancestor(exp.Case, exp.If, exp.Filter, exp.Join) is not None
        if cast.forgiving or guarded or counted is None or not counted.rows:
            continue
        if not cast.exact or cast.scope.expression.args.get("limit"):
            message = f"Whether {text(cast.node)} reads all rows that reach it was not counted."
            yield Finding("B7", "not_checked", message)
            continue
        found = marks(value.value for value in counted.values)
        cell = Cells()
        yield Finding(
            "B7",
            "reject",
            f"{text(cast.node)} cannot read {counted.rows:,} rows"
            + (f" ({', '.join(found)})." if found else "."),
            observed=f"{cast.origin.table}.{cast.origin.column} holds "
            f"{cell.several(value.value for value in counted.values)}",
            hint=f"Clean it first: {cleaner(quoted(cast.origin.column), found)}; say what is left out.",
            values=cell.shown(),
        )


@rule(
    "B8",
    operator="Query",
    detects="TRY_CAST or a forgiving strptime that turns values into NULL, which aggregates then leave out",
    evidence="the rows that have a value before and none after (all rows that WHERE leaves of the column)",
    action="advise",
    reference="catalogue B8",
    asks=_ask_lost,
)
def cast_loses(invocation: Invocation, knowledge: Knowledge) -> Iterator[Finding]:
    """Advise with the lost values, unless the query looks at them or they are words for none."""
    for cast in _casts(invocation, knowledge):
        counted = cast.lost.counted(knowledge)
        if (
            not cast.forgiving
            or counted is None
            or not counted.rows
            or tested_for_null(cast.scope, cast.node)
        ):
            continue
        if counted.values_complete and all(is_missing(value.value) for value in counted.values):
            continue
        cell = Cells()
        listed = ", ".join(f"{cell(value.value)} in {value.rows:,}" for value in counted.values[:8])
        found = marks(value.value for value in counted.values)
        yield Finding(
            "B8",
            "advise",
            f"{text(cast.node)} makes {counted.rows:,} values NULL.",
            observed=f"{cast.origin.table}.{cast.origin.column} loses {listed}",
            hint=f"Read them too: {cleaner(quoted(cast.origin.column), found)}."
            if found
            else "Say how many rows are left out, or leave them out by a condition.",
            values=cell.shown(),
        )


_NAMES_THINGS = re.compile(
    r"zip|postal|postcode|plz|fips|ssn|isbn|ean|upc|code|(?:^|_|\s)id$|number$|no$", re.I
)


def _with_leading_zeros(origin: Origin) -> Predicate:
    column = exp.column(origin.column, quoted=True)
    return Predicate(
        origin,
        text(exp.func("regexp_full_match", column, exp.Literal.string(LEADING_ZERO), dialect="duckdb")),
    )


def _numbered(invocation: Invocation, knowledge: Knowledge) -> Iterator[_Cast]:
    """Yield the casts to numbers of columns that name things, where they are not part of a comparison."""
    for cast in _casts(invocation, knowledge):
        column = knowledge.column(cast.origin.table, cast.origin.column)
        names = column is not None and (
            column.role in ("identifier", "geography") or _NAMES_THINGS.search(column.name) is not None
        )
        numeric = isinstance(cast.node, exp.Cast) and cast.node.to.this in exp.DataType.NUMERIC_TYPES
        compared = cast.node.find_ancestor(*COMPARISONS, exp.Order) is not None
        if names and numeric and not compared:
            yield cast


def _ask_zeros(invocation: Invocation, knowledge: Knowledge) -> Iterator[Predicate]:
    return (_with_leading_zeros(cast.origin) for cast in _numbered(invocation, knowledge))


@rule(
    "B11",
    operator="Query",
    detects="a code with leading zeros that is turned into a number, which loses them",
    evidence="rows with a leading zero (all rows)",
    action="advise",
    reference="catalogue B11",
    asks=_ask_zeros,
)
def code_as_number(invocation: Invocation, knowledge: Knowledge) -> Iterator[Finding]:
    """Advise when a cast takes the leading zeros of a code away."""
    for cast in _numbered(invocation, knowledge):
        counted = _with_leading_zeros(cast.origin).counted(knowledge)
        if counted is not None and counted.rows:
            cell = Cells()
            yield Finding(
                "B11",
                "advise",
                f"{text(cast.node)} takes leading zeros away from what names things.",
                observed=f"{counted.rows:,} rows of {cast.origin.table}.{cast.origin.column} begin with 0: "
                f"{cell.several((value.value for value in counted.values), 3)}",
                hint="Leave it as text.",
                values=cell.shown(),
            )
