"""A plan as one SELECT, built as a tree.

What belongs here: SQL for plans. Each result says how many rows it rests on (`rows`), and how many of them
have a value where rows without one are left out (`with_value`), so that the sentence can tell.
"""

from __future__ import annotations

from typing import Any

from sqlglot import exp

from lakebook.agent.offline.plan import Change, Condition, Constant, Field, Measure, Part, Plan, Share

RESULT, ROWS, WITH_VALUE, WHOLE = "result", "rows", "with_value", "whole"
FIRST, LAST = "first", "last"
ENTRIES = r"\s*[,;|]\s*"


def select(plan: Plan) -> exp.Select:
    """Return the statement that computes a plan."""
    if plan.share:
        statement = _share(plan, plan.share)
    elif plan.change:
        statement = _change(plan, plan.change)
    elif plan.measure.statistic == "value":
        statement = exp.select(_named(_column(plan, plan.measure.field), RESULT))
    else:
        statement = _measured(plan)
    statement = _sources(statement, plan)
    conditions = [_condition(plan, one) for one in plan.conditions]
    return statement.where(*conditions) if conditions else statement


def _measured(plan: Plan) -> exp.Select:
    groups = [_part(plan, part) for part in plan.groups]
    result = _measure(plan, plan.measure)
    statement = exp.select(
        *(_named(node.copy(), name) for node, name in zip(groups, group_names(plan), strict=True)),
        _named(_rounded(result, plan), RESULT),
        *(_named(_rounded(_measure(plan, one), plan), name) for name, one in further(plan).items()),
        _named(exp.Count(this=exp.Star()), ROWS),
    )
    one = plan.measure.field
    if one is not None and plan.measure.statistic not in ("count", "distinct", "correlation"):
        statement = statement.select(_named(exp.Count(this=_column(plan, one)), WITH_VALUE))
    statement = statement.group_by(*groups) if groups else statement
    if plan.ranking is None:
        return (
            statement.order_by(*(exp.Ordered(this=node.copy(), nulls_first=False) for node in groups))
            if groups
            else statement
        )
    order = exp.Ordered(this=result.copy(), desc=plan.ranking.descending, nulls_first=False)
    place = exp.Window(this=exp.Anonymous(this="rank"), order=exp.Order(expressions=[order]))
    cut = exp.LTE(this=place, expression=exp.Literal.number(plan.ranking.most))
    if plan.measure.statistic not in ("count", "distinct"):
        statement = statement.having(exp.Not(this=exp.Is(this=result.copy(), expression=exp.Null())))
    statement.set("qualify", exp.Qualify(this=cut))
    return statement.order_by(order.copy(), *(exp.Ordered(this=node.copy()) for node in groups))


def further(plan: Plan) -> dict[str, Measure]:
    """Return the names of the result's columns for measures past the first."""
    return {f"result_{place}": one for place, one in enumerate(plan.also, 2)}


def _rounded(node: Any, plan: Plan) -> Any:
    if plan.decimals is None or plan.ranking:
        return node
    return exp.Round(this=node.copy(), decimals=exp.Literal.number(plan.decimals))


def group_names(plan: Plan) -> list[str]:
    """Return the names of the result's group columns."""
    names = [part.grain or part.field.name for part in plan.groups]
    taken = {RESULT, ROWS, WITH_VALUE}
    return [f"{name} (group)" if name.lower() in taken or names.count(name) > 1 else name for name in names]


def _share(plan: Plan, share: Share) -> exp.Select:
    inside = exp.and_(*(_condition(plan, one) for one in share.conditions))
    part = exp.Filter(this=_measure(plan, plan.measure), expression=exp.Where(this=inside))
    whole = _measure(plan, plan.measure)
    safe = exp.func("nullif", whole.copy(), exp.Literal.number(0))
    scaled = exp.Mul(this=exp.Literal.number("100.0" if share.percent else "1.0"), expression=part.copy())
    statement = exp.select(
        _named(_rounded(exp.Div(this=scaled, expression=safe), plan), RESULT),
        _named(part, "part"),
        _named(whole, WHOLE),
        _named(exp.Count(this=exp.Star()), ROWS),
    )
    known = [_present(plan, one.part) for one in share.conditions] if share.known_only else []
    return statement.where(*known) if known else statement


def _change(plan: Plan, change: Change) -> exp.Select:
    first, last = (
        exp.Filter(this=_measure(plan, plan.measure), expression=exp.Where(this=_condition(plan, period)))
        for period in (change.first, change.last)
    )
    difference: Any = exp.Sub(this=last.copy(), expression=first.copy())
    if change.percent:
        scaled = exp.Mul(this=exp.Literal.number("100.0"), expression=exp.Paren(this=difference))
        difference = exp.Div(this=scaled, expression=exp.func("nullif", first.copy(), exp.Literal.number(0)))
    rows = exp.Count(this=exp.Star())
    either = exp.or_(_condition(plan, change.first), _condition(plan, change.last))
    return exp.select(
        _named(_rounded(difference, plan), RESULT),
        _named(first, FIRST),
        _named(last, LAST),
        _named(rows, ROWS),
    ).where(either)


def _measure(plan: Plan, measure: Measure) -> Any:
    if measure.field is None:
        return exp.Count(this=exp.Star())
    column = _column(plan, measure.field)
    kinds: dict[str, type[exp.Expression]] = {
        "sum": exp.Sum, "average": exp.Avg, "median": exp.Median, "min": exp.Min, "max": exp.Max,
        "deviation": exp.StddevSamp,
    }  # fmt: skip
    if measure.statistic == "distinct":
        return exp.Count(this=exp.Distinct(expressions=[column]))
    if measure.statistic == "correlation":
        return exp.Corr(this=column, expression=_column(plan, measure.other))
    return kinds[measure.statistic](this=column)


def _condition(plan: Plan, one: Condition) -> Any:
    node = _part(plan, one.part)
    if one.how == "missing":
        empty = exp.Is(this=node, expression=exp.Null())
        return exp.Not(this=empty) if one.negated else empty
    values = [_constant(value) for value in one.values]
    if one.how == "is":
        if len(values) > 1:
            inside: Any = exp.In(this=node, expressions=values)
            return exp.Not(this=inside) if one.negated else inside
        return (exp.NEQ if one.negated else exp.EQ)(this=node, expression=values[0])
    if one.how == "holds":
        entries = exp.func("regexp_split_to_array", node, exp.Literal.string(ENTRIES))
        wanted = exp.Array(expressions=values)
        found: Any = exp.Anonymous(this="list_has_any", expressions=[entries, wanted])
    elif one.how == "between":
        found = exp.Between(this=node, low=values[0], high=values[1])
    else:
        kinds = {"above": exp.GT, "at least": exp.GTE, "below": exp.LT, "at most": exp.LTE}
        found = kinds[one.how](this=node, expression=values[0])
    return exp.Not(this=exp.paren(found)) if one.negated else found


def _present(plan: Plan, part: Part) -> Any:
    return exp.Not(this=exp.Is(this=_part(plan, part), expression=exp.Null()))


def _part(plan: Plan, part: Part) -> Any:
    column = _column(plan, part.field)
    if part.grain == "calendar month":
        return exp.Anonymous(this="strftime", expressions=[column, exp.Literal.string("%Y-%m")])
    return exp.Extract(this=exp.var(part.grain), expression=column) if part.grain else column


def _column(plan: Plan, one: Field | None) -> exp.Column:
    if one is None:
        raise ValueError("a measure of a column names none")
    return exp.column(one.name, table=one.table if plan.subject.link else None, quoted=True)


def _constant(value: Constant) -> Any:
    if isinstance(value, bool):
        return exp.Boolean(this=value)
    if isinstance(value, float):
        return exp.Literal.number(int(value) if value == int(value) else repr(value))
    return exp.Literal.string(value)


def _named(node: Any, name: str) -> exp.Alias:
    return exp.alias_(node, name, quoted=True)


def _sources(statement: exp.Select, plan: Plan) -> exp.Select:
    """Add FROM and, for two tables, the join: rows without a partner stay unless a condition is on it."""
    table = exp.to_identifier(plan.subject.table.name, quoted=True)
    statement = statement.from_(exp.Table(this=table))
    link = plan.subject.link
    if link is None:
        return statement
    left = exp.column(link.key, table=plan.subject.table.name, quoted=True)
    right = exp.column(link.key, table=link.other.name, quoted=True)
    other = exp.Table(this=exp.to_identifier(link.other.name, quoted=True))
    needed = any(one.part.field.table == link.other.name for one in _all_conditions(plan))
    return statement.join(
        other, on=exp.EQ(this=left, expression=right), join_type="inner" if needed else "left"
    )


def _all_conditions(plan: Plan) -> list[Condition]:
    change = [plan.change.first, plan.change.last] if plan.change else []
    return [*plan.conditions, *change]
