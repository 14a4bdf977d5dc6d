"""Rules on arithmetic: divisions, rounding, equality of computed numbers, functions outside their domain."""

from __future__ import annotations

import re
from collections.abc import Iterator
from typing import Any

from sqlglot import exp
from sqlglot.optimizer.scope import Scope

from lakebook.operators.record import Finding
from lakebook.sources.card import Column
from lakebook.validation.invocation import Invocation
from lakebook.validation.knowledge import Knowledge
from lakebook.validation.lineage import values
from lakebook.validation.registry import rule
from lakebook.validation.statement import (
    Resolver,
    is_constant,
    literal,
    owned,
    sources,
    text,
    where,
)

_RATIO_WORDS = re.compile(r"rate|ratio|pct|percent|share|mean|avg|average|fraction|proportion|per_", re.I)
_WHOLE = ("INT", "INTEGER", "BIGINT", "SMALLINT", "TINYINT", "HUGEINT", "UINTEGER", "UBIGINT")


@rule(
    "A6",
    operator="Query",
    detects="a division whose denominator is zero in some rows (the result is infinite or NULL there)",
    evidence="count of zeros over the query's own joins and conditions",
    action="advise",
    reference="catalogue A6",
)
def zero_denominator(invocation: Invocation, knowledge: Knowledge) -> Iterator[Finding]:
    """Advise on zero denominators, with their number."""
    for measured in invocation.measured:
        for denominator, zeros in measured.zeros.items():
            if zeros:
                yield Finding(
                    "A6",
                    "advise",
                    f"{denominator} is zero in some rows, and dividing by it gives infinity, not an error.",
                    observed=f"zero in {zeros:,} of {measured.rows:,} rows",
                    hint=f"Write NULLIF({denominator}, 0), and say how many rows are left out.",
                )


@rule(
    "A21",
    operator="Query",
    stage="after",
    detects="infinite or not-a-number values in the result",
    evidence="the result (all rows)",
    action="advise",
    reference="catalogue A6, O11",
)
def not_finite(invocation: Invocation, knowledge: Knowledge) -> Iterator[Finding]:
    """Advise when a result holds inf or NaN."""
    if invocation.outcome is None:
        return
    for column, times in invocation.outcome.not_finite.items():
        yield Finding(
            "A21",
            "advise",
            f"{column} is infinite or not a number in the result.",
            observed=f"{times:,} of {invocation.outcome.rows:,} rows",
            hint="A denominator was zero: NULLIF(…, 0).",
        )


@rule(
    "A7",
    operator="Query",
    detects="a ratio computed with //, which cuts off everything after the point",
    evidence="the statement, and the types of both sides",
    action="advise",
    reference="catalogue A7",
)
def integer_division(invocation: Invocation, knowledge: Knowledge) -> Iterator[Finding]:
    """Advise on // where a ratio is meant; `year // 10` sorts into steps and is left alone."""
    statement = invocation.parsed
    if statement is None:
        return
    for scope in statement.selects():
        for node in owned(scope, exp.IntDiv):
            holder = node.find_ancestor(exp.Alias, exp.Select)
            named = isinstance(holder, exp.Alias) and _RATIO_WORDS.search(holder.alias) is not None
            totals = bool(node.this.find(exp.AggFunc)) and bool(node.expression.find(exp.AggFunc))
            averaged = node.find_ancestor(exp.Avg, exp.Select)
            hundredfold = node.parent is not None and _is_hundredfold(node)
            if totals or named or hundredfold or isinstance(averaged, exp.Avg):
                yield Finding(
                    "A7",
                    "advise",
                    f"{text(node)} is cut to a whole number.",
                    observed="// divides whole numbers; / gives the fraction in this engine.",
                    hint=f"{text(node.this)} / {text(node.expression)}",
                )


def _is_hundredfold(node: Any) -> bool:
    above = node.parent
    while isinstance(above, exp.Paren):
        above = above.parent
    return isinstance(above, exp.Mul) and 100.0 in (literal(above.this), literal(above.expression))


@rule(
    "A16",
    operator="Query",
    detects="values rounded to whole numbers before they are added up or averaged",
    evidence="the statement, and the type of the column (decided from all rows)",
    action="advise",
    reference="catalogue A16",
)
def rounded_too_early(invocation: Invocation, knowledge: Knowledge) -> Iterator[Finding]:
    """Advise when a sum or mean is taken of rounded values."""
    statement = invocation.parsed
    if statement is None:
        return
    resolver = Resolver(knowledge)
    for scope in statement.selects():
        for node in owned(scope, exp.Sum, exp.Avg, exp.Median, exp.Stddev, exp.StddevSamp, exp.Variance):
            rounding = _rounding(node.this, scope, resolver)
            if rounding is not None:
                yield Finding(
                    "A16",
                    "advise",
                    f"{text(node)} is taken of values that {text(rounding)} has rounded first.",
                    observed="Each value is off by up to a half before it enters.",
                    hint="Aggregate first, round the result.",
                )


def _rounding(node: Any, scope: Scope, resolver: Resolver) -> Any:
    """Return the rounding to whole numbers of a fractional column that an expression is, else None."""
    while isinstance(node, exp.Paren):
        node = node.this
    if isinstance(node, exp.Column):
        holders, _ = resolver.holders(scope, node)
        source = sources(scope).get(holders[0]) if holders else None
        if not isinstance(source, Scope) or not isinstance(source.expression, exp.Select):
            return None
        for item in source.expression.expressions:
            if isinstance(item, exp.Alias) and item.alias.lower() == node.name.lower():
                return _rounding(item.this, source, resolver)
        return None
    whole = isinstance(node, exp.Round) and (literal(node.args.get("decimals")) or 0) in (0.0, 0)
    cast = isinstance(node, exp.Cast) and node.to.sql("duckdb").upper() in _WHOLE
    if not (whole or cast):
        return None
    columns = [_column(column, scope, resolver) for column in values(node.this)]
    fractional = any(column is not None and column.type == "number" for column in columns)
    return node if fractional or node.find(exp.Avg, exp.Div) else None


def _column(column: Any, scope: Scope, resolver: Resolver) -> Column | None:
    origin = resolver.origin(scope, column)
    return resolver.knowledge.column(origin.table, origin.column) if origin else None


@rule(
    "A17",
    operator="Query",
    detects="a test for equality of a computed fraction, which rounding decides",
    evidence="the statement, and the types of the columns (decided from all rows)",
    action="advise",
    reference="catalogue A17",
)
def float_equality(invocation: Invocation, knowledge: Knowledge) -> Iterator[Finding]:
    """Advise when a quotient or a product of fractions is compared by =."""
    statement = invocation.parsed
    if statement is None:
        return
    resolver = Resolver(knowledge)
    for scope in statement.selects():
        for node in owned(scope, exp.EQ, exp.NEQ):
            side = next(
                (one for one in (node.this, node.expression) if _is_inexact(one, scope, resolver)), None
            )
            other = node.expression if side is node.this else node.this
            if side is None or literal(other) == 0:
                continue
            yield Finding(
                "A17",
                "advise",
                f"{text(node)} compares a computed fraction for equality.",
                observed="0.1 + 0.2 = 0.3 is false for floating-point numbers.",
                hint=f"ABS({text(side)} - {text(other)}) < 1e-9, or ROUND both sides.",
            )


def _is_inexact(node: Any, scope: Scope, resolver: Resolver) -> bool:
    while isinstance(node, exp.Paren):
        node = node.this
    if isinstance(node, (exp.Avg, exp.Stddev, exp.Sqrt)) or (
        isinstance(node, exp.Div) and node.find(exp.Column)
    ):
        return True
    if not isinstance(node, (exp.Add, exp.Sub, exp.Mul, exp.Sum)):
        return False
    columns = [_column(column, scope, resolver) for column in values(node)]
    fractions = any(
        isinstance(value := literal(part), float) and not value.is_integer()
        for part in node.find_all(exp.Literal)
    )
    return any(column is not None and column.type == "number" for column in columns) or (
        fractions and bool(columns)
    )


@rule(
    "A18",
    operator="Query",
    detects="whole numbers cast to a fraction type that cannot hold them exactly",
    evidence="the column's range (complete)",
    action="advise",
    reference="catalogue A18",
)
def lost_digits(invocation: Invocation, knowledge: Knowledge) -> Iterator[Finding]:
    """Advise when a cast loses the last digits of large numbers."""
    statement = invocation.parsed
    if statement is None:
        return
    resolver = Resolver(knowledge)
    for scope in statement.selects():
        for node in owned(scope, exp.Cast):
            kind = node.to.sql("duckdb").upper()
            most = {"REAL": 2**24, "FLOAT": 2**24, "DOUBLE": 2**53}.get(kind)
            column = _column(node.this, scope, resolver)
            if most is None or column is None or column.type != "integer":
                continue
            largest = max(_size(column.min), _size(column.max))
            if largest > most:
                yield Finding(
                    "A18",
                    "advise",
                    f"{text(node)} loses the last digits of large values.",
                    observed=f"{column.name} reaches {largest:,}; {kind} is exact up to {most:,}",
                    hint="Keep BIGINT, or cast to DECIMAL or HUGEINT.",
                )


def _size(value: str | None) -> int:
    try:
        return abs(int(value or "0"))
    except ValueError:
        return 0


@rule(
    "A20",
    operator="Query",
    detects="a logarithm or root of values outside its domain",
    evidence="the column's range (complete)",
    action="advise",
    reference="catalogue A20",
)
def outside_domain(invocation: Invocation, knowledge: Knowledge) -> Iterator[Finding]:
    """Advise when zero or negative values reach LN, LOG or SQRT and nothing keeps them out."""
    statement = invocation.parsed
    if statement is None:
        return
    resolver = Resolver(knowledge)
    for scope in statement.selects():
        tested = {column.name.lower() for one in where(scope) for column in one.find_all(exp.Column)}
        for node in owned(scope, exp.Ln, exp.Log, exp.Sqrt):
            inner = node.expression if isinstance(node, exp.Log) and is_constant(node.this) else node.this
            column = _column(inner, scope, resolver)
            guard = node.find_ancestor(exp.Case, exp.If, exp.Select)
            if column is None or column.min is None or column.name.lower() in tested:
                continue
            if isinstance(guard, (exp.Case, exp.If)) or not _is_outside(column.min, node):
                continue
            yield Finding(
                "A20",
                "advise",
                f"{text(node)} is not defined for all values of {column.name}.",
                observed=f"{column.name} goes down to {column.min}",
                hint=f"WHERE {text(inner)} > 0, and say how many rows that leaves out.",
            )


def _is_outside(smallest: str, node: Any) -> bool:
    try:
        value = float(smallest)
    except ValueError:
        return False
    return value < 0 or (value == 0 and not isinstance(node, exp.Sqrt))
