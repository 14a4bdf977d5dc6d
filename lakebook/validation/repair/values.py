"""Mending values: a text that stands in the data in another spelling, and casts that a cleaning cures."""

from __future__ import annotations

import ast

from sqlglot import exp

from lakebook.operators.record import Finding
from lakebook.validation.knowledge import Knowledge
from lakebook.validation.nearest import same_but_for_writing
from lakebook.validation.numeric_text import cleaner, marks
from lakebook.validation.repair.failure import Failure, Proposal
from lakebook.validation.statement import Resolver, owned, parse, quoted, text

# Marks that only dress a number. A percent sign or a unit is part of what it says.
_DRESS = frozenset({"thousands separators", "currency signs"})


def values_spelt_otherwise(failure: Failure, knowledge: Knowledge) -> Proposal | None:
    """Write values as the data do, where rule F2 found one spelling for each."""
    told = [finding for finding in failure.rejections if finding.rule == "F2"]
    if not told:
        return None
    held = {value for finding in told for value in _values(finding)}
    statement = failure.parsed()
    changes: dict[str, str] = {}
    for node in statement.tree.find_all(exp.Literal) if statement.tree is not None else ():
        if not node.is_string or node.this in held:
            continue
        same = same_but_for_writing(node.this, held)
        if len(same) == 1:
            changes[node.this] = same[0]
            node.set("this", same[0])
    if not changes:
        return None
    said = ", ".join(f"{old!r} is written {new!r}" for old, new in changes.items())
    return Proposal("value", text(statement.tree), said)


def _values(finding: Finding) -> list[str]:
    """Return the cell values that a finding tells, without their quotes."""
    found = []
    for written in finding.values:
        try:
            value = ast.literal_eval(written)
        except (ValueError, SyntaxError):
            continue
        found += [value] if isinstance(value, str) else []
    return found


def casts_of_dressed_numbers(failure: Failure, knowledge: Knowledge) -> Proposal | None:
    """Take thousands separators and currency signs out before a cast, where B7 says that they break it."""
    told = [finding for finding in failure.rejections if finding.rule == "B7"]
    found = sorted({mark for finding in told for mark in marks(_values(finding))})
    if not found or not set(found) <= _DRESS:
        return None
    statement = failure.parsed()
    resolver = Resolver(knowledge)
    changed: dict[str, None] = {}
    for scope in statement.selects():
        for node in list(owned(scope, exp.Cast)):
            if isinstance(node, exp.TryCast) or node.to.this not in exp.DataType.NUMERIC_TYPES:
                continue
            origin = resolver.origin(scope, node.this)
            column = knowledge.column(origin.table, origin.column) if origin else None
            if column is not None and column.type == "text":
                cleaned = parse(f"select {cleaner(text(node.this), found)}").tree.expressions[0]
                node.replace(exp.Cast(this=cleaned, to=node.to.copy()))
                changed |= {quoted(column.name): None}
    if not changed:
        return None
    said = f"{' and '.join(found)} of {', '.join(changed)} are taken out before it is read as a number"
    return Proposal("cast", text(statement.tree), said)


def dates_in_their_format(failure: Failure, knowledge: Knowledge) -> Proposal | None:
    """Read a text as a date by the format that parses each of its values, where it is cast without one."""
    if not failure.error.startswith(("Conversion Error", "Binder Error")) and not any(
        finding.rule == "B7" for finding in failure.rejections
    ):
        return None
    statement = failure.parsed()
    resolver = Resolver(knowledge)
    changed: dict[str, str] = {}
    for scope in statement.selects():
        for node in list(owned(scope, exp.Cast)):
            origin = resolver.origin(scope, node.this) if isinstance(node.this, exp.Column) else None
            column = knowledge.column(origin.table, origin.column) if origin else None
            dated = node.to.this in exp.DataType.TEMPORAL_TYPES
            if column is None or not dated or column.type != "text" or not column.date_format:
                continue
            read = exp.Anonymous(
                this="strptime", expressions=[node.this.copy(), exp.Literal.string(column.date_format)]
            )
            node.set("this", read)
            changed[quoted(column.name)] = column.date_format
    if not changed:
        return None
    said = ", ".join(f"{name} is read as {form}" for name, form in changed.items())
    return Proposal("date format", text(statement.tree), said)
