"""Arbitrary choices of rows: LIMIT without ORDER BY, and samples; what they cut, and where they flow.

Used by the rules on scope and by the runtime, which marks a kept result that holds such a choice.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

from sqlglot import exp
from sqlglot.optimizer.scope import Scope

from lakebook.validation.knowledge import KnownTable
from lakebook.validation.predicates import takes_all_rows
from lakebook.validation.statement import Resolver, Statement, owned, sources, text


@dataclass(frozen=True, slots=True)
class Cut:
    """A choice of rows as written. `certain` if rows are known to be left out."""

    words: str
    certain: bool


def aggregates(scope: Scope) -> bool:
    """Say whether a SELECT computes over several rows (windows do not count)."""
    return any(not isinstance(node.parent, exp.Window) for node in owned(scope, exp.AggFunc))


def cuts_above(scope: Scope, resolver: Resolver) -> list[Cut]:
    """Return the arbitrary choices among the rows that reach a SELECT, through queries that pass rows on."""
    found = []
    own = _sampled(scope.expression)
    if own is not None:
        found.append(own)
    for source in sources(scope).values():
        if isinstance(source, Scope):
            if isinstance(source.expression, exp.Select):
                found += _cut_of(source, resolver)
                found += [] if aggregates(source) else cuts_above(source, resolver)
            continue
        sampled = _sampled(source)
        if sampled is not None:
            found.append(sampled)
        table = resolver.table(source)
        if table is not None and table.cut:
            found.append(Cut(f"{table.name}, which was kept with {table.cut},", certain=True))
    return found


def cut_of_result(statement: Statement, rows: int, resolver: Resolver) -> str:
    """Return which arbitrary choice a result holds that has so many rows, "" if it holds none."""
    scope = next((one for one in statement.scopes if one.expression is statement.tree), None)
    if scope is None or not isinstance(scope.expression, exp.Select):
        return ""
    limit = _unordered_limit(scope.expression)
    if limit is not None and text(limit.expression) == str(rows):
        return f"LIMIT {rows}"
    above = [] if aggregates(scope) else cuts_above(scope, resolver)
    return next((cut.words for cut in above if cut.certain), "")


def _cut_of(scope: Scope, resolver: Resolver) -> list[Cut]:
    limit = _unordered_limit(scope.expression)
    if limit is None:
        return []
    count = text(limit.expression)
    if takes_all_rows(scope) and not aggregates(scope) and not scope.expression.args.get("group"):
        table = _only_table(scope, resolver)
        if table is not None and count.isdigit() and not limit.args.get("limit_options"):
            return [Cut(f"LIMIT {count}", certain=True)] if table.rows > int(count) else []
    return [Cut(f"LIMIT {count}", certain=False)]


def _only_table(scope: Scope, resolver: Resolver) -> KnownTable | None:
    source = next(iter(sources(scope).values()))
    while isinstance(source, Scope):
        source = next(iter(sources(source).values()), None)
    return resolver.table(source)


def _unordered_limit(select: Any) -> Any:
    return select.args.get("limit") if not select.args.get("order") else None


def _sampled(node: Any) -> Cut | None:
    sample = node.args.get("sample")
    if sample is None:
        return None
    return Cut(" ".join(text(sample).split()), certain=True)
