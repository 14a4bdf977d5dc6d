"""What the joins, aggregates and divisions of each SELECT work on, counted behind its own conditions."""

from __future__ import annotations

from dataclasses import replace
from typing import Any

from sqlglot import exp
from sqlglot.optimizer.scope import Scope

from lakebook.errors import LakebookError
from lakebook.operators.lake import Lake
from lakebook.operators.measure.budget import Budget
from lakebook.operators.measure.skeleton import ROW, skeleton
from lakebook.validation.demands import Demands, demands
from lakebook.validation.grain import group_columns
from lakebook.validation.invocation import Measured, Repeats
from lakebook.validation.knowledge import Knowledge
from lakebook.validation.pairs import repeats_of_keys
from lakebook.validation.statement import Resolver, Statement, sources, text

_REFUSED = "it would read more rows than checking this query may"


def measure_scopes(
    lake: Lake, statement: Statement, knowledge: Knowledge, budget: Budget
) -> tuple[Measured, ...]:
    """Count what rules want to know of each SELECT, as far as the budget goes, or recall it."""
    known: tuple[Measured, ...] | None = knowledge.counted.get(statement.sql)
    if known is not None:
        return known
    resolver = Resolver(knowledge)
    counted = tuple(
        _Counting(lake, statement, statement.scopes[position], wanted, resolver, budget).measured(position)
        for position, wanted in sorted(demands(statement, resolver).items())
    )
    knowledge.counted[statement.sql] = counted
    return counted


class _Counting:
    """The counts of one SELECT."""

    def __init__(
        self,
        lake: Lake,
        statement: Statement,
        scope: Scope,
        wanted: Demands,
        resolver: Resolver,
        budget: Budget,
    ) -> None:
        self.lake = lake
        self.statement = statement
        self.scope = scope
        self.wanted = wanted
        self.resolver = resolver
        self.budget = budget

    def measured(self, position: int) -> Measured:
        """Run one query for all counts over rows, and one for those over groups."""
        wanted = self.wanted
        aliases = [alias for alias in sources(self.scope) if alias in wanted.aliases]
        known = repeats_of_keys(self.scope, self.resolver) if aliases else None
        if known is not None and wanted == Demands(aliases=wanted.aliases):
            return Measured(position, known[0].standing, tuple(one for one in known if one.alias in aliases))
        heavy = len(aliases) + len(wanted.distinct) + len(wanted.odd)
        if not self.budget.allows(self._rows_read() * (1 + heavy / 2)):
            return self._estimated(position, aliases)
        try:
            if wanted.union:
                return self._over_union(position)
            found = self._over_rows(position, aliases)
            return self._over_groups(found) if wanted.odd or wanted.sizes else found
        except LakebookError as error:
            return Measured(position, problem=error.message.rstrip("."))

    def _estimated(self, position: int, aliases: list[str]) -> Measured:
        """Say what the keys of the whole tables tell of repeats, where the query's own rows are too many."""
        known = repeats_of_keys(self.scope, self.resolver, whole=True) if aliases else None
        if known is None:
            return Measured(position, problem=_REFUSED)
        repeats = tuple(one for one in known if one.alias in aliases)
        return Measured(position, known[0].standing, repeats, of="the whole tables, without the conditions")

    def _over_rows(self, position: int, aliases: list[str]) -> Measured:
        wanted = self.wanted
        counts: list[Any] = [exp.func("count", exp.Star())]
        for alias in aliases:
            row = exp.column(ROW, table=alias, quoted=True)
            counts += [exp.func("count", row), _count_distinct([row.copy()])]
        counts += [exp.func("count", column.copy()) for column in wanted.present.values()]
        counts += [
            exp.func("count_if", exp.EQ(this=exp.paren(node.copy()), expression=exp.Literal.number(0)))
            for node in wanted.zeros.values()
        ]
        counts += [
            _count_distinct([column.copy() for column in columns]) for columns in wanted.distinct.values()
        ]
        query = skeleton(self.scope, self.statement, counts, number=aliases)
        numbers = map(int, self.lake.fetch(text(query), seconds=self.budget.seconds).rows[0])
        rows = next(numbers)
        repeats = tuple(Repeats(alias, next(numbers), next(numbers)) for alias in aliases)
        present = {name: next(numbers) for name in wanted.present}
        zeros = {name: next(numbers) for name in wanted.zeros}
        distinct = {name: next(numbers) for name in wanted.distinct}
        return Measured(position, rows, repeats, present, zeros, distinct=distinct)

    def _over_groups(self, found: Measured) -> Measured:
        """Count the groups, their rows, and those of which an aggregate's value is chance."""
        keys = group_columns(self.scope)
        if keys is None:
            return found
        odd = list(self.wanted.odd)
        inner = [exp.alias_(exp.func("count", exp.Star()), ROW, quoted=True)]
        inner += [
            exp.alias_(self.wanted.odd[name].copy(), f"{ROW} {index}", quoted=True)
            for index, name in enumerate(odd)
        ]
        grouped = skeleton(self.scope, self.statement, inner)
        if keys:
            grouped.set("group", exp.Group(expressions=[key.copy() for key in keys]))
        rows = exp.column(ROW, quoted=True)
        counts = [exp.func("count", exp.Star()), exp.func("min", rows), exp.func("max", rows.copy())]
        counts += [
            exp.func("count_if", exp.column(f"{ROW} {index}", quoted=True)) for index in range(len(odd))
        ]
        query = exp.select(*counts).from_(grouped.subquery("groups"))
        numbers = [
            int(number or 0) for number in self.lake.fetch(text(query), seconds=self.budget.seconds).rows[0]
        ]
        sizes = (numbers[0], numbers[1], numbers[2])
        return replace(found, groups=sizes, odd=dict(zip(odd, numbers[3:], strict=True)))

    def _over_union(self, position: int) -> Measured:
        """Count the rows of a UNION with and without the equal ones."""
        whole = self.scope.expression.copy()
        for part in ("order", "limit", "offset"):
            whole.set(part, None)
        every = whole.copy()
        for node in [every, *every.find_all(exp.Union)]:
            node.set("distinct", False)
        query = exp.select(*(_rows_of(one) for one in (every, whole)))
        inherited = self.statement.tree.args.get("with_")
        if inherited is not None and whole.args.get("with_") is None:
            query.set("with_", inherited.copy())
        rows, different = map(int, self.lake.fetch(text(query), seconds=self.budget.seconds).rows[0])
        return Measured(position, rows, distinct={"union": different})

    def _rows_read(self) -> int:
        """Return the rows of the tables that the SELECT reads, inner queries included."""
        rows, waiting = 0, _below(self.scope)
        while waiting:
            source = waiting.pop()
            if isinstance(source, Scope):
                waiting += _below(source)
            elif (table := self.resolver.table(source)) is not None:
                rows += table.rows
        return rows


def _rows_of(query: Any) -> Any:
    return exp.select(exp.func("count", exp.Star())).from_(query.subquery("counted")).subquery()


def _count_distinct(columns: list[Any]) -> Any:
    value = columns[0] if len(columns) == 1 else exp.func("row", *columns)
    return exp.Count(this=exp.Distinct(expressions=[value]))


def _below(scope: Scope) -> list[Any]:
    """Return the sources of a SELECT, or the queries that a UNION is made of."""
    if isinstance(scope.expression, exp.SetOperation):
        return list(getattr(scope, "union_scopes", None) or ())
    return list(sources(scope).values())
