"""Rules on the keys of joins: their types and spelling, NULLs among them, and rows that find no partner."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

from sqlglot import exp
from sqlglot.optimizer.scope import Scope

from lakebook.operators.record import Finding
from lakebook.sources.card import Column
from lakebook.validation.cells import Cells
from lakebook.validation.grain import shared_names
from lakebook.validation.invocation import Invocation
from lakebook.validation.knowledge import Key, KeyMatch, Knowledge, Side
from lakebook.validation.lineage import passes_rows_on
from lakebook.validation.pairs import Pair, comparable, pairs
from lakebook.validation.registry import rule
from lakebook.validation.statement import Resolver, joins, links, owned, sources, where

_KIND = {"integer": "number", "number": "number", "date": "time", "datetime": "time"}
_CAST = {"number": "DOUBLE", "text": "VARCHAR", "time": "DATE", "boolean": "BOOLEAN"}
_SHARE = 0.005  # of a side's rows; below it, what is lost stands in the observations only

_FOLDS = {
    "letter case": "lower({})",
    "blanks": "trim({})",
    "letter case and blanks": "lower(trim({}))",
    "accents": "strip_accents({})",
    "leading zeros": "ltrim(trim({}), '0')",
    "case, accents, blanks and marks": (
        "regexp_replace(lower(strip_accents({})), '[^\\p{{L}}\\p{{N}}]+', '', 'g')"
    ),
}


@rule(
    "J6",
    operator="Query",
    detects="join keys of different types",
    evidence="column types, decided from all rows",
    action="reject",
    reference="catalogue J6",
)
def key_types(invocation: Invocation, knowledge: Knowledge) -> Iterator[Finding]:
    """Reject an equality between columns of different kinds."""
    statement = invocation.parsed
    if statement is None:
        return
    resolver = Resolver(knowledge)
    for scope in statement.selects():
        for left, right in _compared(scope, resolver):
            kinds = []
            for origin in (left, right):
                column = knowledge.column(origin.table, origin.column)
                kinds.append(_KIND.get(column.type, column.type) if column else "")
            if kinds[0] != kinds[1] and set(kinds) <= _CAST.keys():
                yield Finding(
                    "J6",
                    "reject",
                    f"{left.table}.{left.column} and {right.table}.{right.column} cannot be equal: "
                    f"one is {kinds[0]}, the other {kinds[1]}.",
                    observed="Types were decided from all rows.",
                    hint=f"Cast one side, e.g. TRY_CAST(… AS {_CAST[kinds[0]]}), and count what is lost.",
                )


def _compared(scope: Scope, resolver: Resolver) -> Iterator[tuple[Any, Any]]:
    """Yield the table columns that conditions compare for equality, in pairs."""
    for condition in links(scope):
        if isinstance(condition, exp.EQ):
            left = resolver.origin(scope, condition.this)
            right = resolver.origin(scope, condition.expression)
            if left and right and left != right:
                yield left, right
    named = sources(scope)
    order = list(named)
    for join in joins(scope):
        alias = join.alias_or_name
        before = order[: order.index(alias)] if alias in order else []
        for name in shared_names(join, before, named, resolver):
            for other in before:
                left = resolver.origin(scope, exp.column(name, table=other))
                right = resolver.origin(scope, exp.column(name, table=alias))
                if left and right:
                    yield left, right


def _checked(invocation: Invocation, knowledge: Knowledge) -> Iterator[tuple[Pair, KeyMatch]]:
    """Yield the joined keys that were compared."""
    statement = invocation.parsed
    if statement is None:
        return
    for pair in pairs(statement, Resolver(knowledge)):
        match = knowledge.match(pair.left, pair.right)
        if match is not None:
            yield pair, match


def _complete(pair: Pair, knowledge: Knowledge) -> bool:
    tables = (knowledge.table(key.table) for key in (pair.left, pair.right))
    return all(table is not None and table.coverage.complete for table in tables)


@rule(
    "J7",
    operator="Query",
    detects="join keys that are written differently on the two sides: letter case, blanks, zeros, accents",
    evidence="both keys over all rows, as written and folded",
    action="reject",
    reference="catalogue J7",
)
def keys_written_differently(invocation: Invocation, knowledge: Knowledge) -> Iterator[Finding]:
    """Reject a join that matches nothing as written and something when folded; advise if it matches more."""
    for pair, match in _checked(invocation, knowledge):
        for key, side, other in ((pair.left, match.left, pair.right), (pair.right, match.right, pair.left)):
            best = _best_fold(side)
            if not best or (pair.kind in ("semi", "anti") and match.joined):
                continue
            gained = side.folded[best]
            if match.joined and gained <= _SHARE * side.rows:
                continue
            certain = not match.joined and _complete(pair, knowledge) and pair.kind in ("inner", "semi")
            cell = Cells()
            rows = side.rows - side.nulls
            fold = _FOLDS[best]
            yield Finding(
                "J7",
                "reject" if certain else "advise",
                f"{key} and {other} write the same keys differently ({best}).",
                observed=f"{rows - side.lost:,} of {rows:,} rows of {key.table} find a partner as written, "
                f"{rows - side.lost + gained:,} with {best} set aside; without one as written: "
                f"{cell.several(side.examples)}",
                hint=f"Fold both sides: {fold.format(key.columns[0])} = {fold.format(other.columns[0])}.",
                values=cell.shown(),
            )
            break  # the other side says the same


def _best_fold(side: Side) -> str:
    """Return the mildest way of folding that brings the most rows together, "" if none does."""
    return max(side.folded, key=lambda name: side.folded[name], default="")


@rule(
    "J5",
    operator="Query",
    detects="a join that pairs no row, or an inner join that drops rows whose key the other side lacks",
    evidence="both keys over all rows, with the keys that find no partner; rejected rows make it partial",
    action="reject",
    reference="RADAR §3.3 (join keys); catalogue J5",
)
def rows_without_partner(invocation: Invocation, knowledge: Knowledge) -> Iterator[Finding]:
    """Reject a join in which no row can pair; advise when a side loses rows, with number and examples."""
    statement = invocation.parsed
    if statement is None:
        return
    for pair in pairs(statement, Resolver(knowledge)):
        match = knowledge.match(pair.left, pair.right)
        if match is not None and not match.joined:
            yield from _never_meet(pair, match, knowledge)
        elif match is not None and pair.kind == "inner" and not _compares_further(pair):
            yield from _drops_rows(pair, match)
        elif match is None and pair.kind == "inner" and comparable(pair.left, pair.right, knowledge):
            message = f"How many rows of {pair.left} and {pair.right} find a partner was not measured."
            yield Finding("J5", "not_checked", message)


def _never_meet(pair: Pair, match: KeyMatch, knowledge: Knowledge) -> Iterator[Finding]:
    empty = not (match.left.rows and match.right.rows)
    if match.left.folded or match.right.folded or pair.kind == "anti" or empty or _seeks_unmatched(pair):
        return
    cell = Cells()
    certain = pair.kind in ("inner", "semi") and _complete(pair, knowledge)
    yield Finding(
        "J5",
        "reject" if certain else "advise",
        f"{pair.left} and {pair.right} have no value in common: the join pairs no row.",
        observed=f"{pair.left} holds {cell.several(match.left.examples)}; "
        f"{pair.right} holds {cell.several(match.right.examples)}",
        hint="Join on the columns that hold the same things.",
        values=cell.shown(),
    )


def _drops_rows(pair: Pair, match: KeyMatch) -> Iterator[Finding]:
    for key, other, side in _losers(pair, match):
        if side.folded or _narrowed(pair, _other(pair, key)) or not _gives_rows(pair, key):
            continue  # another rule says so; or the rows would be left out anyway
        cell = Cells()
        yield Finding(
            "J5",
            "advise",
            f"The join drops rows of {key.table}: their {'+'.join(key.columns)} is not in {other.table}.",
            observed=f"{side.lost:,} of {side.rows:,} rows ({side.lost / side.rows:.1%}), "
            f"{side.lost_values:,} keys, e.g. {cell.several(side.examples)}",
            hint=f"LEFT JOIN keeps them; or say that {side.lost:,} rows are left out.",
            values=cell.shown(),
        )


def _seeks_unmatched(pair: Pair) -> bool:
    """Say whether a condition asks for rows without a partner (… IS NULL)."""
    return any(isinstance(node.expression, exp.Null) for node in owned(pair.scope, exp.Is))


def _losers(pair: Pair, match: KeyMatch) -> Iterator[tuple[Key, Key, Side]]:
    """Yield the sides whose lost rows matter: the one that looks up, or both where none is a look-up."""
    left, right = match.left, match.right
    if not match.joined:
        return
    sides = [(pair.left, pair.right, left, right), (pair.right, pair.left, right, left)]
    for key, other, side, partner in sides:
        looked_up = side.unique and not partner.unique
        one_to_one = side.unique and partner.unique
        if looked_up or (one_to_one and not partner.lost):
            continue  # values of a list that nothing refers to; or a part taken out of a whole
        if side.lost > _SHARE * side.rows:
            yield key, other, side


def _other(pair: Pair, key: Key) -> str:
    return pair.second if key is pair.left else pair.first


def _compares_further(pair: Pair) -> bool:
    """Say whether the inputs are also compared by more or less, as events near one another: not all match."""
    wanted = {pair.first.lower(), pair.second.lower()}
    return any(
        not isinstance(condition, exp.EQ)
        and {column.table.lower() for column in condition.find_all(exp.Column)} >= wanted
        for condition in links(pair.scope)
    )


def _gives_rows(pair: Pair, key: Key) -> bool:
    """Say whether the input gives the rows of its table, and not groups of them or a part."""
    source = sources(pair.scope)[pair.first if key is pair.left else pair.second]
    return not isinstance(source, Scope) or passes_rows_on(source)


def _narrowed(pair: Pair, alias: str) -> bool:
    """Say whether WHERE restricts the input, so that a row without a partner there would not pass anyway."""
    return any(
        column.table.lower() == alias.lower()
        for condition in where(pair.scope)
        if not isinstance(condition, exp.EQ) or not isinstance(condition.expression, exp.Column)
        for column in condition.find_all(exp.Column)
    )


@rule(
    "J8",
    operator="Query",
    detects="NULL among join keys: those rows pair with nothing and an inner join drops them",
    evidence="null counts of the key columns (complete)",
    action="advise",
    reference="catalogue J8",
)
def null_keys(invocation: Invocation, knowledge: Knowledge) -> Iterator[Finding]:
    """Advise when an inner join drops rows because their key is NULL."""
    statement = invocation.parsed
    if statement is None:
        return
    for pair in pairs(statement, Resolver(knowledge)):
        if pair.kind != "inner":
            continue
        unique = {key: _known_unique(key, knowledge) for key in (pair.left, pair.right)}
        for alias, key, other in (
            (pair.first, pair.left, pair.right),
            (pair.second, pair.right, pair.left),
        ):
            table = knowledge.table(key.table)
            if table is None or (unique[key] and not unique[other]) or not _gives_rows(pair, key):
                continue
            for column in filter(None, (table.column(name) for name in key.columns)):
                if column.nulls > _SHARE * table.rows and not _kept_out(pair, alias, column):
                    yield Finding(
                        "J8",
                        "advise",
                        f"The join drops the rows of {table.name} whose {column.name} is NULL.",
                        observed=f"{column.nulls:,} of {table.rows:,} rows ({column.nulls / table.rows:.1%})",
                        hint=f"LEFT JOIN keeps them; WHERE {alias}.{column.name} IS NOT NULL says it openly.",
                    )


def _known_unique(key: Key, knowledge: Knowledge) -> bool:
    names = {name.lower() for name in key.columns}
    return any(known <= names for known in knowledge.keys(key.table))


def _kept_out(pair: Pair, alias: str, column: Column) -> bool:
    """Say whether the query tests the column, so that its NULLs are meant, or restricts its partner."""
    other = pair.second if alias == pair.first else pair.first
    tested = any(
        node.name.lower() == column.name.lower() and node.find_ancestor(exp.EQ) is None
        for condition in where(pair.scope)
        for node in condition.find_all(exp.Column)
    )
    return tested or _narrowed(pair, other)


@rule(
    "J12",
    operator="Query",
    detects="a join on a measured quantity, whose equality is chance or rounding",
    evidence="the columns' roles and types (decided from all rows)",
    action="advise",
    reference="catalogue J12",
)
def join_on_measure(invocation: Invocation, knowledge: Knowledge) -> Iterator[Finding]:
    """Advise when rows are paired by equal measures."""
    statement = invocation.parsed
    if statement is None:
        return
    for pair in pairs(statement, Resolver(knowledge)):
        measures = [
            left
            for left, right in zip(pair.left.columns, pair.right.columns, strict=True)
            if _is_measured(pair.left.table, left, knowledge)
            and _is_measured(pair.right.table, right, knowledge)
        ]
        if measures:
            yield Finding(
                "J12",
                "advise",
                f"{pair.left.table} and {pair.right.table} are paired by a measured quantity: {measures[0]}.",
                observed=f"On both sides a fraction with the role measure: {', '.join(measures[:4])}",
                hint="Join on what names the rows; for near values compare within a tolerance.",
            )


def _is_measured(table: str, name: str, knowledge: Knowledge) -> bool:
    column = knowledge.column(table, name)
    return column is not None and column.type == "number" and column.role == "measure"
