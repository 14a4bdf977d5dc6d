"""The same query as other hands write it: rewrites that keep the result.

Each takes a tree and returns another tree, or None where it has no place. A pair of right and wrong query is
written in one style, so that both differ only by the error. The oracle holds every style to the result.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import sqlglot
from sqlglot import exp

Style = Callable[[Any], Any]


def _as_it_is(tree: Any) -> Any:
    return tree


def _ordered(tree: Any) -> bool:
    return bool(tree.args.get("order") or tree.args.get("limit"))


def _in_a_cte(tree: Any) -> Any:
    if _ordered(tree) or tree.args.get("with_") or not isinstance(tree, exp.Select):
        return None
    return exp.select("*").from_("answer").with_("answer", as_=tree)


def _in_a_subquery(tree: Any) -> Any:
    if _ordered(tree) or tree.args.get("with_"):
        return None
    return exp.select("*").from_(tree.subquery("answer"))


def _by_comma(tree: Any) -> Any:
    """`FROM a JOIN b ON a.k = b.k` as `FROM a, b WHERE a.k = b.k`."""
    joins = tree.args.get("joins") or []
    plain = all(join.args.get("on") and not (join.side or join.kind or join.method) for join in joins)
    if not isinstance(tree, exp.Select) or not joins or not plain:
        return None
    for join in joins:
        condition = join.args["on"]
        join.set("on", None)
        tree = tree.where(condition, copy=False)
    return tree


def _turned_join(tree: Any) -> Any:
    """`FROM a JOIN b` as `FROM b JOIN a`."""
    joins = tree.args.get("joins") or []
    if len(joins) != 1 or joins[0].side or joins[0].kind or joins[0].method or not joins[0].args.get("on"):
        return None
    start = tree.args["from_"]
    first, second = start.this, joins[0].this
    start.set("this", second.copy())
    joins[0].set("this", first.copy())
    return tree


def _joined_in_a_cte(tree: Any) -> Any:
    """The second table of a join by way of a CTE that only passes its columns on."""
    joins = tree.args.get("joins") or []
    if tree.args.get("with_") or not joins or not isinstance(joins[0].this, exp.Table):
        return None
    table = joins[0].this
    inner = exp.select("*").from_(table.name)
    alias = table.alias_or_name
    joins[0].set("this", exp.to_table("source_rows").as_(alias, table=True))
    return tree.with_("source_rows", as_=inner, copy=False)


def _turned_equalities(tree: Any) -> Any:
    tests = [one for one in tree.find_all(exp.EQ) if isinstance(one.this, exp.Column)]
    if not tests:
        return None
    for test in tests:
        left, right = test.this.copy(), test.expression.copy()
        test.set("this", right)
        test.set("expression", left)
    return tree


def _listed_as_alternatives(tree: Any) -> Any:
    """`x IN (1, 2)` as `(x = 1 OR x = 2)`."""
    lists = [one for one in tree.find_all(exp.In) if one.expressions and not isinstance(one.parent, exp.Not)]
    if not lists:
        return None
    for one in lists:
        tests = [exp.EQ(this=one.this.copy(), expression=value.copy()) for value in one.expressions]
        one.replace(exp.paren(exp.or_(*tests)))
    return tree


def _range_as_comparisons(tree: Any) -> Any:
    found = list(tree.find_all(exp.Between))
    if not found:
        return None
    for one in found:
        low = exp.GTE(this=one.this.copy(), expression=one.args["low"].copy())
        high = exp.LTE(this=one.this.copy(), expression=one.args["high"].copy())
        one.replace(exp.paren(exp.and_(low, high)))
    return tree


def _cases_for_filters(tree: Any) -> Any:
    """`SUM(x) FILTER (WHERE c)` as `SUM(CASE WHEN c THEN x END)`."""
    found = [one for one in tree.find_all(exp.Filter) if isinstance(one.this, exp.Sum)]
    if not found:
        return None
    for one in found:
        value = one.this.this.copy()
        chosen = exp.Case(ifs=[exp.If(this=one.expression.this.copy(), true=value)])
        one.replace(exp.Sum(this=chosen))
    return tree


def _count_of_one(tree: Any) -> Any:
    found = [one for one in tree.find_all(exp.Count) if isinstance(one.this, exp.Star)]
    if not found:
        return None
    for one in found:
        one.set("this", exp.Literal.number(1))
    return tree


STYLES: tuple[Style, ...] = (
    _as_it_is, _in_a_cte, _in_a_subquery, _by_comma, _turned_join, _joined_in_a_cte, _turned_equalities,
    _listed_as_alternatives, _range_as_comparisons, _cases_for_filters, _count_of_one,
)  # fmt: skip
FORMS: tuple[dict[str, Any], ...] = (
    {},
    {"pretty": True},
    {"identify": True},
    {"normalize_functions": "lower"},
)
"""How a tree is written: on one line, over lines, every name quoted, functions in lower case."""


def applying(sql: str) -> list[Style]:
    """Return the styles that have a place in this query; only the plain one if sqlglot cannot read it."""
    try:
        return [style for style in STYLES if style(sqlglot.parse_one(sql, dialect="duckdb")) is not None]
    except sqlglot.errors.SqlglotError:
        return [_as_it_is]


def written(sql: str, style: Style, form: dict[str, Any]) -> str:
    """Return the query in a style; as it is where the style has no place, or where it is no query."""
    if style is _as_it_is and not form:
        return sql
    try:
        changed = style(sqlglot.parse_one(sql, dialect="duckdb"))
        kept = changed if changed is not None else sqlglot.parse_one(sql, dialect="duckdb")
    except sqlglot.errors.SqlglotError:
        return sql
    return str(kept.sql(dialect="duckdb", **form))
