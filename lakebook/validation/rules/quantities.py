"""Rules on what is no quantity: identifiers that are added up, codes for missing values that are averaged."""

from __future__ import annotations

import re
from collections.abc import Iterator

from sqlglot import exp

from lakebook.operators.record import Finding
from lakebook.sources.card import Column, ValueCount
from lakebook.sources.roles import words
from lakebook.validation.cells import Cells
from lakebook.validation.invocation import Invocation
from lakebook.validation.knowledge import Knowledge, KnownTable
from lakebook.validation.registry import rule
from lakebook.validation.rules.types import selects
from lakebook.validation.statement import Resolver, owned, text, where

_STATISTICS = (exp.Sum, exp.Avg, exp.Median, exp.Stddev, exp.StddevSamp, exp.Variance)
_FEWEST_NUMBERED = 12
_NUMBERED = frozenset({"no", "nr", "num", "number", "code", "ref"})


@rule(
    "B12",
    operator="Query",
    detects="a sum or mean of an identifier, code or calendar year",
    evidence="the column's role (inferred from all rows), or its name where hardly a value repeats",
    action="advise",
    reference="catalogue B12",
)
def aggregate_of_identifier(invocation: Invocation, knowledge: Knowledge) -> Iterator[Finding]:
    """Advise when numbers that name things are added up or averaged."""
    resolver = Resolver(knowledge)
    for scope in selects(invocation):
        for node in owned(scope, *_STATISTICS):
            argument = node.this.expressions[0] if isinstance(node.this, exp.Distinct) else node.this
            origin = resolver.origin(scope, argument)
            table = knowledge.table(origin.table) if origin else None
            column = table.column(origin.column) if origin and table else None
            if not origin or not column or not table:
                continue
            why = _names_things(column, table, summed=isinstance(node, exp.Sum))
            if why:
                yield Finding(
                    "B12",
                    "advise",
                    f"{text(node)} treats {origin.column} as a quantity, but it "
                    f"{'marks a time' if column.role == 'time' else 'names things'}.",
                    observed=f"{origin.table}.{origin.column} {why}",
                    hint=f"COUNT(DISTINCT {text(argument)}) counts them; group by it to compare them.",
                )


def _names_things(column: Column, table: KnownTable, *, summed: bool) -> str:
    """Say why numbers name things, "" if they do not. A mean year can be meant, a mean latitude too."""
    if _numbers_rows(column, table.rows):
        return f"numbers the {table.rows:,} rows"
    is_geography = column.role == "geography" and column.type == "integer"
    if is_geography or column.role == "identifier" or (column.role == "time" and summed):
        return f"has the role {column.role}"
    named = words(column.name)
    hardly_repeats = 2 * column.distinct > table.rows - column.nulls > 2
    if column.type == "integer" and len(named) > 1 and named[-1] in _NUMBERED and hardly_repeats:
        return f"has {column.distinct:,} different numbers in {table.rows:,} rows"
    return ""


def _numbers_rows(column: Column, rows: int) -> bool:
    """Say whether the values number the rows: whole, no two alike, and hardly any left out between them."""
    if column.type != "integer" or rows < _FEWEST_NUMBERED or column.distinct != rows:
        return False
    try:
        return int(column.max or "") - int(column.min or "") < rows * 1.02
    except ValueError:
        return False


# Codes that no count, length or price is by chance; beside values that are all at least zero they stand out.
_NEGATIVE_CODE = re.compile(r"-(?:9{2,}|8{3,})(?:\.0+)?")


def _codes(column: Column) -> tuple[ValueCount, ...]:
    """Return the values that look like codes for missing ones."""
    if column.sentinels or not column.values_complete or column.type not in ("integer", "number"):
        return column.sentinels
    below = [one for one in column.values if one.value.startswith("-")]
    is_code = len(below) == 1 and below[0].rows > 1 and _NEGATIVE_CODE.fullmatch(below[0].value)
    return tuple(below) if is_code else ()


@rule(
    "B9",
    operator="Query",
    detects="an aggregate over a column in which a code stands for missing values (-999, 9999, 1900-01-01)",
    evidence="the column's card (repeated, known as a code, and far from all other values)",
    action="advise",
    reference="catalogue B9",
)
def aggregate_of_sentinels(invocation: Invocation, knowledge: Knowledge) -> Iterator[Finding]:
    """Advise when a likely code for "missing" enters a sum, mean or extreme, and nothing leaves it out."""
    resolver = Resolver(knowledge)
    for scope in selects(invocation):
        limited = {column.name for condition in where(scope) for column in condition.find_all(exp.Column)}
        for node in owned(scope, *_STATISTICS, exp.Min, exp.Max):
            origin = resolver.origin(scope, node.this)
            column = knowledge.column(origin.table, origin.column) if origin else None
            codes = _codes(column) if column is not None else ()
            if not origin or not codes or origin.column in limited or _filtered(node, origin.column):
                continue
            if isinstance(node, (exp.Min, exp.Max)) and not _is_extreme(node, codes, column):
                continue
            cell = Cells()
            seen = ", ".join(f"{cell(one.value)} in {one.rows:,} rows" for one in codes)
            yield Finding(
                "B9",
                "advise",
                f"{text(node)} takes {cell.several(one.value for one in codes)} as a value, but it looks "
                "like a code for a missing one.",
                observed=f"{origin.table}.{origin.column} holds {seen}",
                hint=f"Leave it out by WHERE or NULLIF({text(node.this)}, {cell(codes[0].value)}).",
                values=cell.shown(),
            )


def _filtered(node: exp.Expression, column: str) -> bool:
    """Say whether the aggregate has a FILTER of its own on the column."""
    condition = node.parent.expression if isinstance(node.parent, exp.Filter) else None
    return condition is not None and any(one.name == column for one in condition.find_all(exp.Column))


def _is_extreme(node: exp.Expression, codes: tuple[ValueCount, ...], column: Column | None) -> bool:
    """Say whether a code is at the end that MIN or MAX looks at."""
    end = None if column is None else column.max if isinstance(node, exp.Max) else column.min
    return end is None or any(_same(one.value, end) for one in codes)


def _same(one: str, other: str) -> bool:
    return one.removesuffix(".0") == other.removesuffix(".0")
