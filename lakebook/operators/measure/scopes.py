"""What the joins, aggregates and divisions of each SELECT work on, counted behind its own conditions."""

from __future__ import annotations

from typing import Any

from sqlglot import exp
from sqlglot.optimizer.scope import Scope

from lakebook.errors import LakebookError
from lakebook.operators.lake import Lake
from lakebook.operators.measure.skeleton import ROW, skeleton
from lakebook.validation.invocation import Measured, Repeats
from lakebook.validation.knowledge import Knowledge
from lakebook.validation.rules.joins import SENSITIVE
from lakebook.validation.statement import Resolver, Statement, joins, opaque, owned, sources, text


def measure_scopes(
    lake: Lake, statement: Statement, knowledge: Knowledge, seconds: float
) -> tuple[Measured, ...]:
    """Count what aggregates, joins and divisions of each SELECT work on."""
    resolver = Resolver(knowledge)
    found = []
    for position, scope in enumerate(statement.scopes):
        if isinstance(scope.expression, exp.Select) and _measurable(scope):
            wanted = _Wanted(scope, resolver)
            if wanted:
                found.append(wanted.measure(lake, position, statement, seconds))
    return tuple(found)


def _measurable(scope: Scope) -> bool:
    """Say whether the SELECT stands for itself and reads only what is understood."""
    named = sources(scope)
    understood = not any(opaque(source) for source in named.values())
    return bool(named) and understood and not scope.is_correlated_subquery


class _Wanted:
    """The counts that one SELECT asks for."""

    def __init__(self, scope: Scope, resolver: Resolver) -> None:
        self.scope = scope
        sensitive = [
            node
            for node in owned(scope, *SENSITIVE)
            if not isinstance(node.this, exp.Distinct) and not node.find_ancestor(exp.Window)
        ]
        hidden = {
            join.alias_or_name for join in joins(scope) if "SEMI" in _join(join) or "ANTI" in _join(join)
        }
        several = len(sources(scope)) > 1
        self.aliases = (
            [alias for alias in sources(scope) if alias not in hidden] if several and sensitive else []
        )
        self.counted = [
            node.this
            for node in sensitive
            if isinstance(node, exp.Count) and isinstance(node.this, exp.Column)
        ]
        self.denominators = [
            node.expression
            for node in owned(scope, exp.Div)
            if node.expression.find(exp.Column)
            and not node.expression.find(exp.AggFunc, exp.Select, exp.Nullif)
        ]

    def __bool__(self) -> bool:
        return bool(self.aliases or self.counted or self.denominators)

    def measure(self, lake: Lake, position: int, statement: Statement, seconds: float) -> Measured:
        """Run one query for all counts."""
        counts: list[Any] = [exp.func("count", exp.Star())]
        for alias in self.aliases:
            row = exp.column(ROW, table=alias, quoted=True)
            counts += [exp.func("count", row), exp.Count(this=exp.Distinct(expressions=[row.copy()]))]
        counts += [exp.func("count", column.copy()) for column in self.counted]
        counts += [
            exp.func("count_if", exp.EQ(this=exp.paren(node.copy()), expression=exp.Literal.number(0)))
            for node in self.denominators
        ]
        query = skeleton(self.scope, statement, counts, number=self.aliases)
        try:
            values = iter(lake.fetch(text(query), seconds=seconds).rows[0])
        except LakebookError as error:
            return Measured(position, problem=error.message.rstrip("."))
        rows = int(next(values))
        repeats = tuple(Repeats(alias, int(next(values)), int(next(values))) for alias in self.aliases)
        present = {text(column): int(next(values)) for column in self.counted}
        zeros = {text(node): int(next(values)) for node in self.denominators}
        return Measured(position, rows, repeats, present, zeros)


def _join(join: Any) -> str:
    return f"{join.side} {join.kind}"
