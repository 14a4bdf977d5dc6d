"""Rules on filter values: whether the data hold them, and how they are written there."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from functools import lru_cache
from typing import Any

from sqlglot import exp
from sqlglot.optimizer.scope import Scope

from lakebook.operators.record import Finding
from lakebook.sources.card import Column
from lakebook.validation.cells import Cells
from lakebook.validation.conditions import Match, equality, is_negated, matches
from lakebook.validation.invocation import Invocation
from lakebook.validation.knowledge import Enumeration, Knowledge, KnownTable
from lakebook.validation.nearest import nearest, same_but_for_writing
from lakebook.validation.patterns import spelling, spelt_like
from lakebook.validation.predicates import Predicate, over_one_column, texts_of
from lakebook.validation.registry import rule
from lakebook.validation.statement import (
    Origin,
    Resolver,
    grouping_keys,
    literal,
    owned,
    quoted,
    text,
)

_MANY = 8


def _missing(match: Match, knowledge: Knowledge) -> tuple[bool | None, tuple[str, ...]]:
    """Say whether the constant is absent (None: not known), and which real values are near."""
    table, column = match.origin.table, match.origin.column
    seen = knowledge.enumeration(table, column)
    values = tuple(value.value for value in seen.values) if seen else ()
    counted = knowledge.presence(table, match.key)
    if counted is not None:
        return counted.rows == 0, counted.near
    if seen is None or not isinstance(match.constant, str):
        return None, ()
    if match.constant in values:
        return False, ()
    near = same_but_for_writing(match.constant, values) or nearest(match.constant, values)
    return (True if seen.complete else None), near


def _observed(match: Match, knowledge: Knowledge, table: KnownTable, cell: Cells) -> str:
    column = table.column(match.origin.column)
    head = f"{table.name}.{match.origin.column}: none of {table.rows:,} rows has {match.written}"
    seen = knowledge.enumeration(table.name, match.origin.column)
    if seen and seen.complete and len(seen.values) <= _MANY:
        return f"{head}; its values are {cell.several(value.value for value in seen.values)}"
    if column is not None and column.min is not None:
        many = f"{column.distinct:,} distinct values" if column.distinct_exact else "values"
        return f"{head}; it has {many} from {cell(column.min)} to {cell(column.max)}"
    return head


def _absent(
    invocation: Invocation, knowledge: Knowledge
) -> Iterator[tuple[Match, KnownTable, bool | None, tuple[str, ...]]]:
    statement = invocation.parsed
    if statement is None:
        return
    for match in matches(statement, Resolver(knowledge)):
        table = knowledge.table(match.origin.table)
        if table is not None:
            missing, near = _missing(match, knowledge)
            yield match, table, missing, near


def _is_needless(match: Match, near: tuple[str, ...], knowledge: Knowledge) -> bool:
    """Say whether a list with an absent value selects what is meant all the same.

    That is so if it has the spelling that is there, or if it has other values that are there and none like
    the absent one is.
    """
    others = [written for written in match.listed if written != match.written]
    if set(map(_written, near)) & set(others):
        return True
    seen = knowledge.enumeration(match.origin.table, match.origin.column)
    written = {_written(value.value) for value in seen.values} if seen else set()
    counts = [knowledge.presence(match.origin.table, match.key_of(other)) for other in others]
    some = any(count is not None and count.rows > 0 for count in counts) or bool(written & set(others))
    return some and not near and isinstance(match.constant, str)


def _written(value: str) -> str:
    return text(exp.Literal.string(value))


# Functions of a column whose values can be listed as well as the column's own.
_PLAIN_FUNCTIONS = (
    exp.Lower, exp.Upper, exp.Trim, exp.Year, exp.Month, exp.Quarter, exp.Day, exp.Extract, exp.TimeToStr,
    exp.TimestampTrunc, exp.DateTrunc, exp.Left, exp.Right, exp.Substring, exp.Cast,
)  # fmt: skip


@dataclass(frozen=True, slots=True)
class _Computed:
    """A constant that a function of a column is compared with."""

    predicate: Predicate
    operand: str
    constant: Any
    table: KnownTable
    decides_less: bool


def _computed(invocation: Invocation, knowledge: Knowledge) -> Iterator[_Computed]:
    statement, resolver = invocation.parsed, Resolver(knowledge)
    for scope in statement.selects() if statement is not None else ():
        for node in owned(scope, exp.EQ, exp.In):
            operand, constants = equality(node)
            if not isinstance(operand, _PLAIN_FUNCTIONS) or is_negated(node):
                continue
            if node.find_ancestor(exp.Or, exp.Not) is not None:
                continue
            in_pivot = node.find_ancestor(exp.Case, exp.If, exp.Filter) is not None
            if in_pivot and not isinstance(operand, exp.Year):
                continue  # a pivot lists all months or categories, there or not
            found = over_one_column(operand, scope, resolver)
            table = knowledge.table(found[0].table) if found else None
            if found is None or table is None:
                continue
            for constant in constants:
                test = exp.EQ(this=found[1].copy(), expression=constant.copy())
                yield _Computed(
                    Predicate(found[0], text(test), listed=False), text(operand), constant, table, in_pivot
                )


def _ask_computed(invocation: Invocation, knowledge: Knowledge) -> Iterator[Predicate]:
    return (one.predicate for one in _computed(invocation, knowledge))


def _computed_absent(invocation: Invocation, knowledge: Knowledge) -> Iterator[Finding]:
    """Speak on lower(column), year(column) and the like as on columns."""
    found = [(one, one.predicate.counted(knowledge)) for one in _computed(invocation, knowledge)]
    present = {one.operand for one, counted in found if counted is not None and counted.rows}
    for one, counted in found:
        if counted is None or counted.rows:
            continue
        origin, cell = one.predicate.origin, Cells()
        column, whole = one.table.column(origin.column), one.table.coverage.complete
        near = nearest(str(literal(one.constant)), texts_of(knowledge, origin)) if column else ()
        bounds = f"from {cell(column.min)} to {cell(column.max)}" if column and column.min else ""
        yield Finding(
            "F1",
            "advise" if one.decides_less or one.operand in present or not whole else "reject",
            f"{one.operand} is {text(one.constant)} in no row.",
            observed=f"{one.table.name}.{origin.column}: none of {one.table.rows:,} rows; it goes {bounds}",
            hint=f"Nearest: {cell.several(near)}."
            if near
            else "Correct the value, or say that there is none.",
            values=cell.shown(),
        )


@rule(
    "F1",
    operator="Query",
    detects="a filter value that the column does not hold",
    evidence="a complete enumeration, or a count over all rows; rejected rows make it partial",
    action="reject",
    reference="RADAR §3.2; catalogue F1",
    asks=_ask_computed,
)
def value_absent(invocation: Invocation, knowledge: Knowledge) -> Iterator[Finding]:
    """Reject a value that no row has; advise if the table was not loaded whole, or if it changes nothing."""
    for match, table, missing, near in _absent(invocation, knowledge):
        cell = Cells()
        if missing is None:
            message = f"Whether {match.origin.column} holds {match.written} was not observed."
            yield Finding("F1", "not_checked", message, hint="Probe the column's distinct values.")
        elif missing and not same_but_for_writing(str(match.constant), near):
            certain = table.coverage.complete and not match.negated
            note = "" if table.coverage.complete else f" (partial: {table.coverage.note})"
            yield Finding(
                "F1",
                "reject" if certain and not _is_needless(match, near, knowledge) else "advise",
                f"{match.origin.column} has no value {match.written}"
                + (", so this excludes nothing." if match.negated else "."),
                observed=_observed(match, knowledge, table, cell) + note,
                hint=f"Nearest: {cell.several(near)}." if near else "No value is near it.",
                values=cell.shown(),
            )
    yield from _computed_absent(invocation, knowledge)


@rule(
    "F2",
    operator="Query",
    detects="a filter value that matches only after folding letter case, blanks or Unicode forms",
    evidence="as F1",
    action="reject",
    reference="catalogue F2",
)
def value_written_otherwise(invocation: Invocation, knowledge: Knowledge) -> Iterator[Finding]:
    """Reject a value that stands in the data in another spelling, and say which."""
    for match, table, missing, near in _absent(invocation, knowledge):
        same = same_but_for_writing(str(match.constant), near)
        if missing and same and not _is_needless(match, same, knowledge):
            cell = Cells()
            yield Finding(
                "F2",
                "reject" if table.coverage.complete else "advise",
                f"{match.origin.column} has no value {match.written}; "
                f"it is written {' or '.join(map(cell, same))}.",
                observed=_observed(match, knowledge, table, cell),
                hint=f"Write {cell(same[0])}.",
                values=cell.shown(),
            )


def _other_spellings(match: Match) -> Predicate:
    """Return the rows that hold the constant in another spelling than the one written."""
    return _spelt_otherwise(match.origin, str(match.constant))


@lru_cache(maxsize=1024)
def _spelt_otherwise(origin: Origin, constant: str) -> Predicate:
    column = exp.column(origin.column, quoted=True)
    unequal = exp.NEQ(this=column, expression=exp.Literal.string(constant))
    return Predicate(origin, text(exp.and_(spelt_like(column, constant), unequal)))


def _spelt(invocation: Invocation, knowledge: Knowledge) -> Iterator[Match]:
    """Yield the comparisons of text columns whose constants may stand there in several spellings."""
    statement = invocation.parsed
    for match in matches(statement, Resolver(knowledge)) if statement is not None else ():
        column = knowledge.column(match.origin.table, match.origin.column)
        if column is None or column.type != "text" or column.role == "identifier":
            continue
        if isinstance(match.constant, str) and any(sign.isalpha() for sign in spelling(match.constant)):
            yield match


def _ask_spellings(invocation: Invocation, knowledge: Knowledge) -> Iterator[Predicate]:
    return map(_other_spellings, _spelt(invocation, knowledge))


@rule(
    "F3",
    operator="Query",
    detects="a category that is written in several ways, of which one is filtered for or all are grouped",
    evidence="the values that are equal but for letter case, blanks, accents and punctuation (all rows)",
    action="advise",
    reference="catalogue F3",
    asks=_ask_spellings,
)
def several_spellings(invocation: Invocation, knowledge: Knowledge) -> Iterator[Finding]:
    """Advise with the other spellings and their rows, unless the statement names or folds them."""
    named: dict[Any, set[str]] = {}
    for match in _spelt(invocation, knowledge):
        named.setdefault(match.origin, set()).add(str(match.constant))
    for match in _spelt(invocation, knowledge):
        counted = _other_spellings(match).counted(knowledge)
        missing, _ = _missing(match, knowledge)
        if counted is None or missing or missing is None:
            continue
        others = [value for value in counted.values if value.value not in named[match.origin]]
        if others:
            cell = Cells()
            listed = ", ".join(f"{cell(value.value)} in {value.rows:,} rows" for value in others)
            yield Finding(
                "F3",
                "advise",
                f"{match.origin.column} writes {match.written} in other ways too, "
                + ("which this keeps." if match.negated else "which this leaves out."),
                observed=f"{match.origin.table}.{match.origin.column} also has {listed}",
                hint=f"List all spellings, or compare lower(trim({quoted(match.origin.column)})).",
                values=cell.shown(),
            )
    yield from _grouped_spellings(invocation, knowledge)


def _grouped_spellings(invocation: Invocation, knowledge: Knowledge) -> Iterator[Finding]:
    statement, resolver = invocation.parsed, Resolver(knowledge)
    for scope in statement.selects() if statement is not None else ():
        for key in _keys(scope):
            origin = resolver.origin(scope, key)
            column = knowledge.column(origin.table, origin.column) if origin else None
            if origin is None or column is None or column.type != "text" or column.role == "identifier":
                continue
            same = knowledge.of_values(origin.table, origin.column, "clusters", _clusters)
            if same:
                cell = Cells()
                yield Finding(
                    "F3",
                    "advise",
                    f"{origin.column} writes one category in several ways; each counts for itself here.",
                    observed=f"{origin.table}.{origin.column} has "
                    + "; ".join(" and ".join(map(cell, cluster)) for cluster in same[:_MANY]),
                    hint=f"Group by upper(trim({quoted(origin.column)})), or map the spellings to one.",
                    values=cell.shown(),
                )


def _keys(scope: Scope) -> Iterator[Any]:
    """Yield the expressions whose values are kept apart: grouping keys, and what is counted as different."""
    yield from grouping_keys(scope)
    for node in owned(scope, exp.Count):
        if isinstance(node.this, exp.Distinct) and len(node.this.expressions) == 1:
            yield node.this.expressions[0]


def _clusters(values: tuple[str, ...]) -> tuple[tuple[str, ...], ...]:
    """Return the values that differ in letter case and blanks only."""
    found: dict[str, list[str]] = {}
    for value in values:
        if any(sign.isalpha() for sign in value):
            found.setdefault(" ".join(value.casefold().split()), []).append(value)
    return tuple(tuple(same) for same in found.values() if len(same) > 1)


_FEWEST_LISTED = 3
_FEWEST_FIRST = 10


@rule(
    "F17",
    operator="Query",
    detects="a list of constants that repeats a listing which was cut off: the values past the cut are lost",
    evidence="an earlier listing of the column that is known to be partial",
    action="reject",
    reference="RADAR §3.2 (a partial preview is no enumeration); catalogue F17",
)
def cut_listing(invocation: Invocation, knowledge: Knowledge) -> Iterator[Finding]:
    """Reject IN over exactly the values of a partial listing."""
    statement, resolver = invocation.parsed, Resolver(knowledge)
    for scope in statement.selects() if statement is not None else ():
        for node in owned(scope, exp.In):
            origin = resolver.origin(scope, node.this)
            seen = knowledge.enumeration(origin.table, origin.column) if origin else None
            if origin is None or seen is None or seen.complete or len(seen.values) < _FEWEST_LISTED:
                continue
            constants = {item.name for item in node.expressions if isinstance(item, exp.Literal)}
            column = knowledge.column(origin.table, origin.column)
            if _is_cut(constants, seen) and _has_more(column, len(constants)):
                yield Finding(
                    "F17",
                    "reject",
                    f"The list given for {origin.column} is a listing that was cut off.",
                    observed=f"It repeats the first {len(constants):,} values listed of "
                    f"{origin.table}.{origin.column}, which has more.",
                    hint="Leave the condition out, or select the values by what they have in common.",
                )


def _is_cut(constants: set[str], seen: Enumeration) -> bool:
    """Say whether constants are all values of a listing, or its first ones with a cut through equal counts.

    The first ones before a smaller count may be meant: the ten most frequent.
    """
    listed = seen.values
    if constants != {value.value for value in listed[: len(constants)]}:
        return False
    if len(constants) >= len(listed):
        return True
    return len(constants) >= _FEWEST_FIRST and listed[len(constants) - 1].rows == listed[len(constants)].rows


def _has_more(column: Column | None, listed: int) -> bool:
    return column is None or column.distinct > listed or not column.distinct_exact
