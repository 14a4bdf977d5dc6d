"""A SQL statement taken apart: its scopes, where each column comes from, its conditions and joins.

sqlglot parses; this module answers the questions that rules ask. It gives no judgement, and where the SQL
is of a form that it does not understand it answers None, so that a rule stays silent (RADAR §3.2: a check
is skipped unless the structure is supported).
"""

from __future__ import annotations

from collections.abc import Callable, Iterator
from dataclasses import dataclass, field
from typing import Any, TypeVar, cast
from weakref import WeakKeyDictionary

import sqlglot
from sqlglot import exp
from sqlglot.errors import SqlglotError
from sqlglot.optimizer.scope import Scope, traverse_scope

from lakebook.validation.knowledge import Knowledge, KnownTable

T = TypeVar("T")

# The nodes of each scope, walked once for all rules; a statement's tree is never changed, only copies of it.
_NODES: WeakKeyDictionary[Scope, dict[tuple[type, ...], tuple[Any, ...]]] = WeakKeyDictionary()
_SOURCES: WeakKeyDictionary[Scope, dict[str, Any]] = WeakKeyDictionary()

# Sources of an unknown shape: what they give is not known before they run.
_OPAQUE = (exp.Unnest, exp.Lateral, exp.Pivot, exp.Values)


_OTHER_NAMES: dict[str, Any] = {"mean": exp.Avg, "fsum": exp.Sum, "kahan_sum": exp.Sum, "sumkahan": exp.Sum}


@dataclass(frozen=True, slots=True)
class Origin:
    """A column of a physical table, under the names that the table has."""

    table: str
    column: str


@dataclass(frozen=True, slots=True)
class Statement:
    """One statement as written, and its tree (None if it could not be parsed; `problem` says why)."""

    sql: str
    tree: Any = None
    problem: str = ""
    scopes: tuple[Scope, ...] = field(default=(), repr=False)

    def selects(self) -> Iterator[Scope]:
        """Yield the scopes that are plain SELECTs, innermost first."""
        for scope in self.scopes:
            if isinstance(scope.expression, exp.Select):
                yield scope


def parse(sql: str) -> Statement:
    """Take a statement apart."""
    try:
        trees = [tree for tree in sqlglot.parse(sql, dialect="duckdb") if tree is not None]
        if len(trees) != 1:
            return Statement(sql, problem=f"{len(trees)} statements where one is expected")
        tree = _with_known_names(trees[0])
        if any(pivot.arg_key != "pivots" for pivot in tree.find_all(exp.Pivot)):
            return Statement(sql, problem="PIVOT and UNPIVOT as a query of their own give names unknown here")
        return Statement(sql, tree, scopes=tuple(traverse_scope(tree)))
    except (SqlglotError, RecursionError) as error:
        return Statement(sql, problem=str(error).splitlines()[0])


def _with_known_names(tree: Any) -> Any:
    """Put DuckDB's other names of aggregates under the one that rules look for."""
    for node in list(tree.find_all(exp.Anonymous)):
        kind = _OTHER_NAMES.get(str(node.this).lower())
        if kind is not None and len(node.expressions) == 1:
            node.replace(kind(this=node.expressions[0]))
    return tree


def text(node: Any) -> str:
    """Return the node as DuckDB SQL."""
    return str(node.sql(dialect="duckdb"))


def quoted(name: str) -> str:
    """Return a name as SQL, in quotes if it needs them."""
    return text(exp.to_identifier(name))


def owned(scope: Scope, *kinds: type) -> Iterator[Any]:
    """Yield the nodes of these kinds that belong to the scope itself, not to a query inside it."""
    nodes = _NODES.setdefault(scope, {})
    found = nodes.get(kinds)
    if found is None:
        every = nodes.get(())
        if every is None:
            every = nodes[()] = tuple(scope.walk())
        found = nodes[kinds] = tuple(node for node in every if isinstance(node, kinds))
    yield from found


def joins(scope: Scope) -> list[Any]:
    """Return the joins of a SELECT, in order."""
    return list(scope.expression.args.get("joins") or [])


def conjuncts(condition: Any) -> list[Any]:
    """Split a condition at its top-level ANDs."""
    node = condition.this if isinstance(condition, (exp.Where, exp.Having, exp.Paren)) else condition
    if isinstance(node, exp.And):
        return conjuncts(node.left) + conjuncts(node.right)
    return conjuncts(node) if isinstance(node, exp.Paren) else [node] if node is not None else []


def where(scope: Scope) -> list[Any]:
    """Return the conjuncts of the WHERE clause."""
    condition = scope.expression.args.get("where")
    return conjuncts(condition) if condition is not None else []


def links(scope: Scope) -> list[Any]:
    """Return every condition that may pair sources: conjuncts of ON and of WHERE."""
    found = where(scope)
    for join in joins(scope):
        if join.args.get("on") is not None:
            found += conjuncts(join.args["on"])
    return found


def grouping_keys(scope: Scope) -> Iterator[Any]:
    """Yield what a SELECT groups by: aliases and positions followed; ALL means all that is no aggregate."""
    group, projections = scope.expression.args.get("group"), scope.expression.expressions
    if group is None:
        return
    if group.args.get("all"):
        yield from (_bare(item) for item in projections if item.find(exp.AggFunc) is None)
    for key in group.expressions:
        if isinstance(key, exp.Literal) and not key.is_string:
            position = int(key.this) - 1
            if 0 <= position < len(projections):
                yield _bare(projections[position])
            continue
        named = [item for item in projections if isinstance(key, exp.Column) and item.alias == key.name]
        yield _bare(named[0]) if named and not key.table else key


def _bare(item: Any) -> Any:
    return item.this if isinstance(item, exp.Alias) else item


def is_constant(node: Any) -> bool:
    """Say whether the node is a literal, or one that is cast, negated, or put in one letter case."""
    if isinstance(node, (exp.Cast, exp.Neg, exp.Paren, exp.Upper, exp.Lower)):
        return is_constant(node.this)
    return isinstance(node, (exp.Literal, exp.Boolean))


def literal(node: Any) -> str | float | bool | None:
    """Return the Python value of a constant; a cast string stays a string."""
    if isinstance(node, (exp.Cast, exp.Paren)):
        return literal(node.this)
    if isinstance(node, exp.Neg):
        value = literal(node.this)
        return -value if isinstance(value, (int, float)) else None
    if isinstance(node, (exp.Upper, exp.Lower)):
        value = literal(node.this)
        if not isinstance(value, str):
            return None
        return value.upper() if isinstance(node, exp.Upper) else value.lower()
    if isinstance(node, exp.Boolean):
        return bool(node.this)
    if isinstance(node, exp.Literal):
        return str(node.this) if node.is_string else float(node.this)
    return None


def physical(source: Any) -> bool:
    """Say whether a source of a scope names a table, and is no table function or derived shape."""
    return (
        isinstance(source, exp.Table)
        and isinstance(source.this, exp.Identifier)
        and not source.args.get("pivots")
    )


class Resolver:
    """Answers where names come from, with the tables that are known; `knowledge` remembers the answers."""

    def __init__(self, knowledge: Knowledge) -> None:
        self._knowledge = knowledge

    @property
    def knowledge(self) -> Knowledge:
        """The tables that names are resolved against."""
        return self._knowledge

    def remembered(self, scope: Scope, what: str, find: Callable[[], T]) -> T:
        """Return what was found for a scope before, or find it."""
        memory = self._memory(scope)
        if what not in memory:
            memory[what] = find()
        return cast(T, memory[what])

    def table(self, source: Any) -> KnownTable | None:
        """Return the known table that a source names, or None."""
        if not physical(source) or (source.args.get("db") and source.db.lower() != "main"):
            return None
        return self._knowledge.table(source.name)

    def names(self, source: Any, depth: int = 0) -> tuple[str, ...] | None:
        """Return the column names that a source offers, None if they are not known."""
        if isinstance(source, Scope):
            return self._outputs(source, depth) if depth < 20 else None
        table = self.table(source)
        if table is None:
            return None
        alias = source.args.get("alias")
        if alias is not None and alias.args.get("columns"):
            return None
        return tuple(column.name for column in table.columns)

    def _outputs(self, scope: Scope, depth: int) -> tuple[str, ...] | None:
        """Return the names of a query's result, None if a projection is of unknown shape."""
        memory = self._memory(scope)
        if "outputs" not in memory:
            memory["outputs"] = self._output_names(scope, depth)
        found: tuple[str, ...] | None = memory["outputs"]
        return found

    def _output_names(self, scope: Scope, depth: int) -> tuple[str, ...] | None:
        if given := _given_names(scope):
            return given
        if isinstance(scope.expression, exp.SetOperation):
            parts = list(getattr(scope, "union_scopes", None) or ())  # a recursive CTE has none
            return self._outputs(parts[0], depth + 1) if parts else None
        if not isinstance(scope.expression, exp.Select):
            return None
        found: list[str] = []
        for projection in scope.expression.expressions:
            names = self._projected(projection, scope, depth)
            if names is None:
                return None
            found += names
        return tuple(found) if found else None

    def projected(self, projection: Any, scope: Scope) -> list[str] | None:
        """Return the names that a projection gives the result, None if they are not known."""
        return self._projected(projection, scope, 0)

    def _projected(self, projection: Any, scope: Scope, depth: int) -> list[str] | None:
        star = projection.this if isinstance(projection, exp.Column) else projection
        if isinstance(star, exp.Star):
            if any(star.args.get(part) for part in ("except_", "except", "replace", "rename")):
                return None
            owner = projection.table if isinstance(projection, exp.Column) else ""
            found: list[str] = []
            for alias, source in scope.sources.items():
                if owner and alias.lower() != owner.lower():
                    continue
                names = self.names(source, depth + 1)
                if names is None:
                    return None
                found += names
            return found
        if isinstance(projection, exp.Columns) or projection.find(exp.Columns):
            return None
        return [projection.alias_or_name or text(projection)]

    def holders(self, scope: Scope, column: Any) -> tuple[list[str], bool]:
        """Return the aliases whose source has this column, and whether all sources are of known shape."""
        owner = column.table.lower()
        memory = self._memory(scope)
        key = ("holders", owner, column.name.lower())
        if key not in memory:
            memory[key] = self._holders(scope, owner, column.name.lower())
        found, all_known = memory[key]
        return list(found), all_known

    def _memory(self, scope: Scope) -> dict[Any, Any]:
        return self._knowledge.resolved.setdefault(scope, {})

    def _holders(self, scope: Scope, owner: str, name: str) -> tuple[tuple[str, ...], bool]:
        found, all_known = [], True
        for alias, source in (sources(scope) if owner else visible(scope)).items():
            if owner and alias.lower() != owner:
                continue
            names = self.names(source)
            if names is None:
                all_known = False
            elif any(name == one.lower() for one in names):
                found.append(alias)
        return tuple(found), all_known

    def origin(self, scope: Scope, column: Any, depth: int = 0) -> Origin | None:
        """Return the table column that a reference stands for, through queries that only pass it on."""
        if not isinstance(column, exp.Column) or column.args.get("db") or depth > 20:
            return None
        memory = self._memory(scope)
        key = ("origin", column.table.lower(), column.name.lower())
        if key not in memory:
            memory[key] = self._origin(scope, column, depth)
        found: Origin | None = memory[key]
        return found

    def _origin(self, scope: Scope, column: Any, depth: int) -> Origin | None:
        found, all_known = self.holders(scope, column)
        if not found or (not column.table and not all_known):
            return None
        source = sources(scope)[found[0]]
        table = self.table(source)
        if table is not None:
            known = table.column(column.name)
            return Origin(table.name, known.name) if known else None
        if not isinstance(source, Scope) or not isinstance(source.expression, exp.Select):
            return None
        if _given_names(source):
            return None  # names that the query itself does not have
        for projection in source.expression.expressions:
            inner = projection.this if isinstance(projection, exp.Alias) else projection
            if projection.alias_or_name.lower() == column.name.lower():
                return self.origin(source, inner, depth + 1)
        if any(isinstance(projection, exp.Star) for projection in source.expression.expressions):
            return self.origin(source, exp.column(column.name), depth + 1)
        return None


def _given_names(scope: Scope) -> tuple[str, ...]:
    """Return the names that a CTE or alias gives to a query's columns, `t(a, b)`; () if it gives none."""
    holder = scope.expression.parent
    while isinstance(holder, exp.SetOperation):
        holder = holder.parent  # the names of a UNION are given to it as a whole
    alias = holder.args.get("alias") if holder is not None else None
    columns = alias.args.get("columns") if isinstance(alias, exp.TableAlias) else None
    return tuple(column.name for column in columns or ())


def visible(scope: Scope) -> dict[str, Any]:
    """Return alias -> source for the sources whose columns can be named (SEMI and ANTI joins hide theirs)."""
    hidden = {
        join.alias_or_name
        for join in joins(scope)
        if join.kind in ("SEMI", "ANTI") or join.side in ("SEMI", "ANTI")
    }
    return {alias: source for alias, source in sources(scope).items() if alias not in hidden}


def sources(scope: Scope) -> dict[str, Any]:
    """Return alias -> source of FROM and each JOIN, in that order; a CTE that is not used is no source."""
    found = _SOURCES.get(scope)
    if found is None:
        found = _SOURCES[scope] = _sources(scope)
    return dict(found)


def _sources(scope: Scope) -> dict[str, Any]:
    expression = scope.expression
    start = expression.args.get("from_")
    items = [start.this] if start is not None else []
    items += [join.this for join in joins(scope)]
    items += expression.args.get("laterals") or []
    named = [item.alias_or_name for item in items]
    return {alias: scope.sources[alias] for alias in named if alias in scope.sources}


def opaque(source: Any) -> bool:
    """Say whether a source is beyond what is understood here (UNNEST, LATERAL, PIVOT, a function)."""
    if isinstance(source, Scope):
        return source.is_udtf or isinstance(source.expression, _OPAQUE)
    return not physical(source)
