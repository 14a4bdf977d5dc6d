"""Errors that can be made in any query: changes of its tree, each of a known kind.

Each mutation takes a right query (a sqlglot tree), the lake and a source of chance, and returns the wrong
query, or None where the query has no place for this error. Whether what comes out is truly wrong is not
decided here but by the oracle, which runs both.
"""

from __future__ import annotations

import random
from collections.abc import Callable
from typing import Any

import sqlglot
from sqlglot import exp
from sqlglot.errors import SqlglotError

from rules_suite.lakes import Lake

Mutation = Callable[[Any, Lake, random.Random], Any]
_mutations: dict[str, list[Mutation]] = {}


def mutation(kind: str) -> Callable[[Mutation], Mutation]:
    """Register the decorated function as a mutation of this kind."""

    def register(change: Mutation) -> Mutation:
        _mutations.setdefault(kind, []).append(change)
        return change

    return register


def mutants(sql: str, lake: Lake, draw: random.Random) -> list[tuple[str, str]]:
    """Return (kind, sql) of every mutation that applies."""
    found = []
    try:
        tree = sqlglot.parse_one(sql, dialect="duckdb")
    except SqlglotError:
        return []
    for kind, changes in _mutations.items():
        for change in changes:
            changed = change(tree.copy(), lake, draw)
            if changed is not None:
                found.append((kind, changed.sql(dialect="duckdb")))
    return found


def _pick(draw: random.Random, nodes: Any) -> Any:
    found = list(nodes)
    return draw.choice(found) if found else None


def _columns(lake: Lake) -> set[str]:
    return {column.lower() for table in lake.tables.values() for column in table.columns}


def _real_columns(tree: Any, lake: Lake) -> list[Any]:
    """Return the references to columns of the lake that no alias of the query also names."""
    aliases = {alias.alias.lower() for alias in tree.find_all(exp.Alias, exp.TableAlias) if alias.alias}
    known = _columns(lake)
    return [
        column
        for column in tree.find_all(exp.Column)
        if column.name.lower() in known and column.name.lower() not in aliases
    ]


def _misspelt(name: str, draw: random.Random) -> str:
    parts = name.split("_")
    swapped = name[:1] + name[2:3] + name[1:2] + name[3:]
    return draw.choice(
        [
            "".join(parts) if len(parts) > 1 else f"{name}_value",
            name + "s" if not name.endswith("s") else name[:-1],
            f"{name}_name" if not name.endswith("_name") else parts[0],
            f"total_{name}",
            swapped,
        ]
    )


@mutation("unknown column")
def _unknown_column(tree: Any, lake: Lake, draw: random.Random) -> Any:
    column = _pick(draw, _real_columns(tree, lake))
    if column is None:
        return None
    wrong = _misspelt(column.name, draw)
    if wrong.lower() in _columns(lake):
        return None
    for other in tree.find_all(exp.Column):
        if other.name == column.name and other.table == column.table:
            other.this.replace(exp.to_identifier(wrong))
    return tree


@mutation("unknown column")
def _column_of_another_table(tree: Any, lake: Lake, draw: random.Random) -> Any:
    tables = {table.name.lower() for table in tree.find_all(exp.Table)}
    here = {
        column.lower() for name, table in lake.tables.items() if name.lower() in tables for column in table
    }
    column = _pick(draw, (one for one in _real_columns(tree, lake) if not one.table))
    others = sorted(_columns(lake) - here)
    if column is None or not others:
        return None
    column.this.replace(exp.to_identifier(draw.choice(others)))
    return tree


@mutation("ambiguous column")
def _unqualified_column(tree: Any, lake: Lake, draw: random.Random) -> Any:
    """Leave out the table where both sides of a join have a column of the name."""
    tables = {one.alias_or_name: one.name for one in tree.find_all(exp.Table) if one.name in lake.tables}
    for column in tree.find_all(exp.Column):
        select = column.find_ancestor(exp.Select)
        if select is None or select.args.get("from_") is None:
            continue
        near = [select.args["from_"].this, *(join.this for join in select.args.get("joins") or [])]
        holders = [
            one
            for one in near
            if one.alias_or_name in tables and column.name in lake.tables[tables[one.alias_or_name]].columns
        ]
        if column.table and len(holders) > 1 and not isinstance(column.parent, exp.EQ):
            column.set("table", None)
            return tree
    return None


@mutation("unknown table")
def _unknown_table(tree: Any, lake: Lake, draw: random.Random) -> Any:
    known = {name.lower() for name in lake.tables}
    table = _pick(draw, (one for one in tree.find_all(exp.Table) if one.name.lower() in known))
    wrong = (
        table.name[:-1] if table.name.endswith("s") else table.name + draw.choice(["s", "_2024", "_table"])
    )
    if wrong.lower() in known:
        return None
    table.this.replace(exp.to_identifier(wrong))
    return tree


@mutation("text in double quotes")
def _double_quoted(tree: Any, lake: Lake, draw: random.Random) -> Any:
    value = _pick(draw, _compared_texts(tree, lake))
    if value is None:
        return None
    value.replace(exp.column(exp.to_identifier(value.name, quoted=True)))
    return tree


def _compared_texts(tree: Any, lake: Lake) -> list[Any]:
    """Return text literals that a bare column is compared with by = or IN, and which the column holds."""
    held = _held(lake)
    found = []
    for test in tree.find_all(exp.EQ, exp.In):
        values = test.expressions if isinstance(test, exp.In) else [test.expression]
        if isinstance(test.this, exp.Column):
            found += [
                one for one in values if isinstance(one, exp.Literal) and one.is_string and one.name in held
            ]
    return found


def _held(lake: Lake) -> set[str]:
    return {
        value
        for table in lake.tables.values()
        for column in table
        for value in table[column]
        if isinstance(value, str)
    }


@mutation("value in another case")
def _another_case(tree: Any, lake: Lake, draw: random.Random) -> Any:
    value = _pick(draw, _compared_texts(tree, lake))
    if value is None:
        return None
    forms = [
        value.name.upper(),
        value.name.lower(),
        value.name.title(),
        value.name + " ",
        value.name.swapcase(),
    ]
    wrong = _pick(draw, [form for form in forms if form not in _held(lake)])
    if wrong is None:
        return None
    value.replace(exp.Literal.string(wrong))
    return tree


@mutation("value that is not there")
def _absent_value(tree: Any, lake: Lake, draw: random.Random) -> Any:
    value = _pick(draw, _compared_texts(tree, lake))
    if value is None:
        return None
    name = value.name
    forms = [
        name[:-1],
        name + "s",
        name + " total",
        name.split()[0][:3] + ".",
        "Miscellaneous",
        "Unknown",
        "N/A",
    ]
    wrong = _pick(draw, [form for form in forms if form not in _held(lake)])
    value.replace(exp.Literal.string(wrong))
    return tree


@mutation("date outside the data")
def _other_year(tree: Any, lake: Lake, draw: random.Random) -> Any:
    year = lake.words["y"]
    shift = draw.choice([-12, 7, 15])
    changed = False
    for value in tree.find_all(exp.Literal):
        for old in (year, lake.words["y2"]):
            if value.is_string and value.name.startswith(f"{old}-"):
                value.replace(exp.Literal.string(str(int(old) + shift) + value.name[4:]))
                changed = True
                break
            if not value.is_string and value.name == old:
                value.replace(exp.Literal.number(int(old) + shift))
                changed = True
                break
    return tree if changed else None


@mutation("number outside the data")
def _other_number(tree: Any, lake: Lake, draw: random.Random) -> Any:
    words = lake.words
    bounds = (exp.GT, exp.GTE)
    tests = [
        test
        for test in tree.find_all(*bounds)
        if isinstance(test.this, exp.Column)
        and test.this.name in (words["amount"], words["capacity"])
        and isinstance(test.expression, exp.Literal)
    ]
    test = _pick(draw, tests)
    if test is None:
        return None
    test.expression.replace(exp.Literal.number(5_000_000))
    return tree


@mutation("missing join condition")
def _no_condition(tree: Any, lake: Lake, draw: random.Random) -> Any:
    joins = [
        join
        for join in tree.find_all(exp.Join)
        if join.args.get("on") and not (join.side or join.kind or isinstance(join.this, exp.Lateral))
    ]
    join = _pick(draw, joins)
    if join is None:
        return None
    join.set("on", None)
    return tree


@mutation("condition of one side")
def _one_sided(tree: Any, lake: Lake, draw: random.Random) -> Any:
    joins = [
        join
        for join in tree.find_all(exp.Join)
        if isinstance(join.args.get("on"), exp.EQ) and isinstance(join.args["on"].this, exp.Column)
    ]
    join = _pick(draw, joins)
    if join is None:
        return None
    condition = join.args["on"]
    condition.set("expression", condition.this.copy())
    return tree


@mutation("compared with null by =")
def _equals_null(tree: Any, lake: Lake, draw: random.Random) -> Any:
    test = _pick(draw, (one for one in tree.find_all(exp.Is) if isinstance(one.expression, exp.Null)))
    if test is None:
        return None
    if isinstance(test.parent, exp.Not):
        test.parent.replace(exp.NEQ(this=test.this.copy(), expression=exp.Null()))
    else:
        test.replace(exp.EQ(this=test.this.copy(), expression=exp.Null()))
    return tree


@mutation("count of a nullable column")
def _count_nullable(tree: Any, lake: Lake, draw: random.Random) -> Any:
    for select in tree.find_all(exp.Select):
        start = select.args.get("from_")
        if start is None or select.args.get("joins") or not isinstance(start.this, exp.Table):
            continue
        nullable = {lake.words["many"]: "maybe", lake.words["one"]: "tier"}.get(start.this.name)
        counts = [one for one in select.find_all(exp.Count) if isinstance(one.this, exp.Star)]
        named = {projection.alias_or_name for projection in select.expressions}
        if nullable and len(counts) == 1 and len(named) < 3 and not select.find(exp.Filter):
            counts[0].set("this", exp.column(lake.words[nullable]))
            return tree
    return None


@mutation("no order before the cut")
def _drop_order(tree: Any, lake: Lake, draw: random.Random) -> Any:
    if not tree.args.get("limit") or not tree.args.get("order"):
        return None
    tree.set("order", None)
    return tree


@mutation("ties at the cut")
def _drop_tie_breaker(tree: Any, lake: Lake, draw: random.Random) -> Any:
    order = tree.args.get("order")
    if not tree.args.get("limit") or order is None or len(order.expressions) < 2:
        return None
    order.set("expressions", order.expressions[:1])
    return tree


@mutation("sample under an aggregate")
def _sample(tree: Any, lake: Lake, draw: random.Random) -> Any:
    if not isinstance(tree, exp.Select) or tree.find(exp.Subquery, exp.CTE) or not tree.find(exp.AggFunc):
        return None
    start = tree.args["from_"].this
    if not isinstance(start, exp.Table) or start.name not in (lake.words["many"], lake.words["other"]):
        return None
    inner = exp.select("*").from_(start.name).limit(draw.choice([50, 100]))
    start.replace(inner.subquery(start.alias or "t"))
    return tree


@mutation("sum of an identifier")
def _sum_of_id(tree: Any, lake: Lake, draw: random.Random) -> Any:
    words = lake.words
    found = [
        one
        for one in tree.find_all(exp.Sum, exp.Avg)
        if isinstance(one.this, exp.Column) and one.this.name == words["amount"]
    ]
    if not found:
        return None
    for one in found:
        one.this.this.replace(exp.to_identifier(words["id"]))
    return tree


@mutation("lower end above the upper end")
def _turned_range(tree: Any, lake: Lake, draw: random.Random) -> Any:
    between = tree.find(exp.Between)
    if between is None:
        return None
    low, high = between.args["low"].copy(), between.args["high"].copy()
    between.set("low", high)
    between.set("high", low)
    return tree


@mutation("join without use multiplies rows")
def _needless_join(tree: Any, lake: Lake, draw: random.Random) -> Any:
    words = lake.words
    if not isinstance(tree, exp.Select) or tree.find(exp.Subquery, exp.CTE, exp.SetOperation):
        return None
    start = tree.args["from_"].this
    key = {words["many"]: words["fk"], words["one"]: words["key"]}.get(start.name)
    if key is None or tree.args.get("joins") or not tree.find(exp.Sum, exp.Count, exp.Avg):
        return None
    totals = [one for one in tree.find_all(exp.Sum, exp.Avg) if isinstance(one.this, exp.Column)]
    if start.name == words["one"] and not totals:
        return None  # a count over both sides of 1:n is the count of the n side, and may be meant
    if tree.find(exp.Count) and tree.find(exp.Count).find(exp.Distinct):
        return None
    alias = start.alias or start.name
    for column in tree.find_all(exp.Column):
        if not column.table and column.name in lake.tables[start.name].columns:
            column.set("table", exp.to_identifier(alias))
    on = f"{alias}.{key} = x.{words['fk2']}"
    return tree.join(f"{words['other']} AS x", on=on, dialect="duckdb")
