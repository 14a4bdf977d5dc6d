"""Rules on names: every table, alias and column that a query uses must exist and be meant unambiguously."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator
from typing import Any

from sqlglot import exp
from sqlglot.optimizer.scope import Scope

from lakebook.operators.record import Finding
from lakebook.validation.invocation import Invocation
from lakebook.validation.knowledge import Knowledge
from lakebook.validation.nearest import fold, nearest, same_but_for_writing
from lakebook.validation.registry import rule
from lakebook.validation.statement import Resolver, joins, owned, physical, sources, text

_PSEUDO = frozenset({"rowid"})


def _among(names: tuple[str, ...], most: int = 12) -> str:
    shown = ", ".join(names[:most])
    return f"{shown} … ({len(names)} in all)" if len(names) > most else shown


@rule(
    "B3",
    operator="Query",
    detects="a table that the lake, or the declared inputs, do not hold",
    evidence="the source map (complete)",
    action="reject",
    reference="RADAR §3.2 (schema checks); catalogue B3",
)
def unknown_table(invocation: Invocation, knowledge: Knowledge) -> Iterator[Finding]:
    """Reject unknown tables and offer the nearest names."""
    statement = invocation.parsed
    if statement is None:
        return
    resolver = Resolver(knowledge)
    names = tuple(sorted(table.name for table in knowledge.tables.values()))
    for source in [source for scope in statement.scopes for source in scope.sources.values()]:
        if not physical(source) or resolver.table(source) is not None:
            continue
        written = source.name
        by_path = [
            table.name for table in knowledge.tables.values() if written == table.source.partition("#")[0]
        ]
        near = tuple(by_path) or nearest(written, names)
        if written.lower() in knowledge.undeclared:
            yield Finding(
                "B3",
                "reject",
                f"The table {written!r} is not among the inputs that were declared.",
                observed=f"Declared: {_among(names)}." if names else "No input was declared.",
                hint=f"Add {written!r} to the inputs, or leave it out of the query.",
            )
            continue
        yield Finding(
            "B3",
            "reject",
            f"There is no table {written!r}.",
            observed=f"Tables: {_among(names)}." if names else "The lake has no table.",
            hint=f"Nearest: {', '.join(near)}." if near else "`lakebook sources DIR` lists the tables.",
        )


@rule(
    "B1",
    operator="Query",
    detects="a column that no input has and no alias defines",
    evidence="the schemas of all inputs (complete)",
    action="reject",
    reference="RADAR §3.2 (field binding); catalogue B1",
)
def unknown_column(invocation: Invocation, knowledge: Knowledge) -> Iterator[Finding]:
    """Reject columns that nothing defines and offer the nearest names."""
    statement = invocation.parsed
    if statement is None:
        return
    resolver = Resolver(knowledge)
    for scope in statement.selects():
        for column in owned(scope, exp.Column):
            if isinstance(column.this, exp.Star) or column.args.get("db"):
                continue
            if not _bound(scope, column, resolver):
                yield _unknown(scope, column, resolver, knowledge)


def _bound(scope: Scope, column: Any, resolver: Resolver) -> bool:
    """Say whether something defines the column, here or in a query around this one; True if unsure."""
    if column.name.lower() in _PSEUDO or _defined_by_alias(scope, column):
        return True
    level: Scope | None = scope
    while level is not None:
        if not isinstance(level.expression, exp.Select):
            return True
        found, all_known = resolver.holders(level, column)
        if found or not all_known or _is_struct(level, column, resolver):
            return True
        level = _around(level)
    return False


def _around(scope: Scope) -> Scope | None:
    """Return the query whose columns can be named here too, None if there is none."""
    return scope.parent if scope.is_subquery or scope.is_udtf else None


def _defined_by_alias(scope: Scope, column: Any) -> bool:
    own = column.find_ancestor(exp.Alias)  # `x AS x` does not define the x that it is made of
    aliases = {item.alias.lower() for item in scope.expression.expressions if item.alias and item is not own}
    return not column.table and column.name.lower() in aliases


def _is_struct(scope: Scope, column: Any, resolver: Resolver) -> bool:
    """`a.b` may mean field b of a struct column a."""
    if not column.table:
        return False
    found, all_known = resolver.holders(scope, exp.column(column.table))
    return bool(found) or not all_known


def _unknown(scope: Scope, column: Any, resolver: Resolver, knowledge: Knowledge) -> Finding:
    owner = column.table
    available: dict[str, tuple[str, ...]] = {}
    level: Scope | None = scope
    while level is not None:
        for alias, source in sources(level).items():
            if not owner or alias.lower() == owner.lower():
                available.setdefault(alias, resolver.names(source) or ())
        level = _around(level)
    if owner and not available:
        near = nearest(owner, sources(scope))
        return Finding(
            "B1",
            "reject",
            f"{owner}.{column.name}: no table or alias {owner!r} is in the FROM clause.",
            observed=f"FROM has: {', '.join(sources(scope)) or 'nothing'}.",
            hint=f"Nearest: {', '.join(near)}." if near else "",
        )
    names = tuple(dict.fromkeys(name for group in available.values() for name in group))
    near = nearest(column.name, names)
    hint = f"Nearest: {', '.join(near)}." if near else ""
    if not same_but_for_writing(column.name, near):
        hint = " ".join(filter(None, (_elsewhere(column.name, names, set(available), knowledge), hint)))
    if column.this.args.get("quoted") and not hint:
        hint = f"Text is written in single quotes: '{column.name}'."
    place = owner or ", ".join(available)
    return Finding(
        "B1",
        "reject",
        f"There is no column {column.name!r} in {place or 'the statement'}.",
        observed="; ".join(f"{alias} has {_among(group)}" for alias, group in available.items()),
        hint=hint,
    )


def _elsewhere(name: str, names: tuple[str, ...], inputs: set[str], knowledge: Knowledge) -> str:
    """Say which other tables have the column, and by which columns they could be joined."""
    told = []
    here = {fold(one) for one in names}
    for table in knowledge.tables.values():
        found = next((one.name for one in table.columns if fold(one.name) == fold(name)), None)
        if found is None or table.name in inputs:
            continue
        shared = [one.name for one in table.columns if fold(one.name) in here]
        told.append(
            (
                -len(shared),
                f"{table.name} has {found!r}" + (f" (join on {', '.join(shared[:3])})" if shared else ""),
            )
        )
    return "; ".join(sentence for _, sentence in sorted(told)[:3]) + "." if told else ""


@rule(
    "B2",
    operator="Query",
    detects="an unqualified column that more than one input has",
    evidence="the schemas of all inputs (complete)",
    action="reject",
    reference="catalogue B2",
)
def ambiguous_column(invocation: Invocation, knowledge: Knowledge) -> Iterator[Finding]:
    """Reject references that could mean two columns."""
    statement = invocation.parsed
    if statement is None:
        return
    resolver = Resolver(knowledge)
    for scope in statement.selects():
        shared = {str(name.name).lower() for join in joins(scope) for name in join.args.get("using") or []}
        if any(
            join.method for join in joins(scope)
        ):  # NATURAL, ASOF and POSITIONAL merge names their own way
            continue
        for column in owned(scope, exp.Column):
            name = column.name.lower()
            if column.table or column.args.get("db") or name in shared or isinstance(column.this, exp.Star):
                continue
            if _defined_by_alias(scope, column) and column.find_ancestor(exp.Order, exp.Group, exp.Having):
                continue
            found, _ = resolver.holders(scope, column)
            if len(found) > 1:
                options = ", ".join(f"{alias}.{column.name}" for alias in found)
                yield Finding(
                    "B2",
                    "reject",
                    f"{column.name!r} may mean {options}.",
                    observed=f"{len(found)} inputs have a column of that name.",
                    hint=f"Write one of {options}.",
                )


@rule(
    "B4",
    operator="Query",
    detects="an alias that hides a column: GROUP BY and WHERE mean the column, the reader the alias",
    evidence="the schemas of all inputs",
    action="advise",
    reference="catalogue B4; DuckDB resolves names in WHERE and GROUP BY to columns first",
)
def alias_hides_column(invocation: Invocation, knowledge: Knowledge) -> Iterator[Finding]:
    """Advise when GROUP BY or WHERE name an alias of the SELECT that is also a column of an input."""
    statement = invocation.parsed
    if statement is None:
        return
    resolver = Resolver(knowledge)
    for scope in statement.selects():
        for item in scope.expression.expressions:
            if not isinstance(item, exp.Alias) or _keeps_values(item.this):
                continue
            hidden = exp.column(item.alias)
            if not resolver.holders(scope, hidden)[0]:
                continue
            clause = _used_in(scope, item)
            if clause:
                yield Finding(
                    "B4",
                    "advise",
                    f"{clause} {item.alias} means the column of that name, not {text(item)}.",
                    observed=f"{item.alias} is both a column of the input and an alias of the SELECT.",
                    hint=f"Choose another alias, or write {clause} {text(item.this)}."
                    if clause == "GROUP BY"
                    else f"Choose another alias, or compare {text(item.this)} (an aggregate in HAVING).",
                )


def _merges(scope: Scope) -> bool:
    """Say whether a join makes one column of two of the same name (USING, NATURAL), so that * has it once."""
    return any(join.args.get("using") or join.method for join in joins(scope))


def _keeps_values(node: Any) -> bool:
    """Say whether grouping by an expression and by its column is the same: the column, or its text."""
    if isinstance(node, exp.Cast):
        return _keeps_values(node.this) and node.to.is_type("varchar", "text")
    if isinstance(node, exp.Coalesce):
        return _keeps_values(node.this) and not any(one.find(exp.Column) for one in node.expressions)
    return isinstance(node, exp.Column)


def _used_in(scope: Scope, item: Any) -> str:
    """Return the clause that names an alias where the column is meant, "" if there is none.

    That is GROUP BY, and WHERE where the alias is an aggregate or a calculation, which a reader would expect
    to be compared there.
    """
    group, condition = scope.expression.args.get("group"), scope.expression.args.get("where")
    name = item.alias.lower()
    keys = group.expressions if group is not None else []
    aggregate = item.this.find(exp.AggFunc) is not None
    if not aggregate and any(_is_named(key, name) for key in keys):
        return "GROUP BY"
    calculated = isinstance(item.this.unnest(), (exp.Add, exp.Sub, exp.Mul, exp.Div))
    columns = condition.find_all(exp.Column) if condition is not None and (aggregate or calculated) else ()
    return "WHERE" if any(_is_named(one, name) for one in columns) else ""


def _is_named(node: Any, name: str) -> bool:
    return isinstance(node, exp.Column) and not node.table and node.name.lower() == name


@rule(
    "B13",
    operator="Query",
    detects="two result columns of one name, of which a reader of the result sees one",
    evidence="the parsed statement",
    action="advise",
    reference="catalogue J11 (suffix collision)",
)
def same_name_twice(invocation: Invocation, knowledge: Knowledge) -> Iterator[Finding]:
    """Advise when the outermost SELECT gives two columns the same name."""
    statement = invocation.parsed
    if statement is None or not isinstance(statement.tree, exp.Select):
        return
    scope = next((one for one in statement.scopes if one.expression is statement.tree), None)
    if scope is None:
        return
    resolver = Resolver(knowledge)
    names: list[str] = []
    for item in statement.tree.expressions:
        given = [name.lower() for name in resolver.projected(item, scope) or ()]
        names += dict.fromkeys(given) if isinstance(item, exp.Star) and _merges(scope) else given
    for name, times in Counter(names).items():
        if times > 1:
            yield Finding(
                "B13",
                "advise",
                f"{times} columns of the result are called {name!r}.",
                hint="Give each a name of its own with AS.",
            )
