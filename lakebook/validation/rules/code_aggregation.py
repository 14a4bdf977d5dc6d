"""Rules on what pandas code computes from columns: groups, order, missing values, division."""

from __future__ import annotations

import ast
import re
from collections.abc import Iterator

from lakebook.operators.record import Finding
from lakebook.validation.code.facts import Called, Compared, Operated, brief, place
from lakebook.validation.code.interpreter import followed
from lakebook.validation.code.values import Frame, Grouped, Scalar, Series, names
from lakebook.validation.invocation import Invocation
from lakebook.validation.knowledge import Knowledge
from lakebook.validation.registry import rule

_BY_POSITION = frozenset({"shift", "diff", "pct_change", "cumsum", "cumprod", "cummax", "cummin", "rolling"})
# Functions of scipy and statsmodels that give NaN as soon as one value is missing.
_NO_MISSING = frozenset(
    {"pearsonr", "spearmanr", "kendalltau", "linregress", "ttest_ind", "ttest_rel", "ttest_1samp", "zscore",
     "f_oneway", "shapiro", "normaltest", "skew", "kurtosis", "mannwhitneyu", "wilcoxon", "kstest", "levene"}
)  # fmt: skip


@rule(
    "A4",
    operator="Compute",
    detects="a groupby that drops the rows whose key is missing",
    evidence="null counts of the keys (complete)",
    action="advise",
    reference="catalogue A4",
)
def groupby_drops_nulls(invocation: Invocation, knowledge: Knowledge) -> Iterator[Finding]:
    """Advise when a group key has nulls, `dropna=False` is not said, and the parts should make the whole."""
    nulls = {one.name: one.nulls for one in invocation.table.columns} if invocation.table is not None else {}
    facts = followed(invocation, knowledge).of(Called)
    for fact in facts:
        if fact.name != "groupby" or "dropna" in fact.named or not _adds_up(facts, fact):
            continue
        frame = fact.receiver if isinstance(fact.receiver, Frame) else None
        given = [*fact.args[:1], *(value for word, value in fact.named.items() if word == "by")]
        for name in dict.fromkeys(name for value in given for name in names(value) or ()):
            field = frame.find(name) if frame is not None else None
            origin = field.origin if field is not None else None
            missing = field.nulls if field is not None and origin is not None else None
            rows = origin.table.rows if origin is not None else 0
            if field is None and invocation.table is not None:  # the main job prepares its frames elsewhere
                missing, rows = nulls.get(name), invocation.table.rows
            if missing:
                yield Finding(
                    "A4",
                    "advise",
                    f"groupby({name!r}) leaves out the rows without a {name}.",
                    observed=f"{missing:,} of {rows:,} rows have none",
                    hint="Say dropna=False to keep them, or dropna=True to show that it is meant.",
                )


def _adds_up(facts: list[Called], grouping: Called) -> bool:
    """Say whether groups are counted or added up; a mean of each group is none the worse for lost rows."""
    used = [
        fact
        for fact in facts
        if isinstance(fact.receiver, Grouped)
        and fact.receiver.made_by is grouping.node
        and fact.name != "groupby"
    ]
    named = {word for fact in used for word in (fact.name, *_texts(fact.node))}
    return not used or bool(named & {"sum", "count", "size", "value_counts", "apply", "cumsum"})


def _texts(node: ast.Call) -> set[str]:
    return {
        one.value for one in ast.walk(node) if isinstance(one, ast.Constant) and isinstance(one.value, str)
    } - {one.arg for one in node.keywords if one.arg}


@rule(
    "A7py",
    operator="Compute",
    detects="a ratio that is cut to a whole number by //",
    evidence="the code alone",
    action="advise",
    reference="catalogue A7",
)
def floor_division(invocation: Invocation, knowledge: Knowledge) -> Iterator[Finding]:
    """Advise on `//` between computed values or before decimals; bins (`year // 10`) are meant."""
    if invocation.tree is None:
        return
    both = {
        fact.node
        for fact in followed(invocation, knowledge).of(Operated)
        if isinstance(fact.left, (Series, Scalar)) and isinstance(fact.right, (Series, Scalar))
    }
    with_decimals = {cut for node in ast.walk(invocation.tree) for cut in _cut_before_decimals(node)}
    for node in ast.walk(invocation.tree):
        if not (isinstance(node, ast.BinOp) and isinstance(node.op, ast.FloorDiv)):
            continue
        if node in both or node in with_decimals or (_is_measure(node.left) and _is_measure(node.right)):
            yield Finding(
                "A7py",
                "advise",
                f"{brief(node)} drops what is behind the point.",
                observed=place(node),
                hint="Use / for a ratio.",
            )


def _is_measure(node: ast.expr) -> bool:
    """Say whether an expression is surely a count or an aggregate."""
    if not isinstance(node, ast.Call):
        return isinstance(node, ast.Subscript) and ast.unparse(node).endswith(".shape[0]")
    name = node.func.attr if isinstance(node.func, ast.Attribute) else getattr(node.func, "id", "")
    return name in ("len", "sum", "mean", "count", "nunique", "median", "max", "min")


def _cut_before_decimals(node: ast.AST) -> Iterator[ast.BinOp]:
    """Yield the floor divisions whose result is then made a percentage or given decimals."""
    inner: ast.AST | None = None
    if isinstance(node, ast.BinOp) and isinstance(node.op, ast.Mult):
        by_hundred = isinstance(node.right, ast.Constant) and node.right.value in (100, 100.0)
        inner = node.left if by_hundred else None
    elif isinstance(node, ast.Call) and getattr(node.func, "id", "") == "round" and len(node.args) == 2:
        digits = node.args[1]
        inner = node.args[0] if isinstance(digits, ast.Constant) and digits.value not in (0, None) else None
    elif isinstance(node, ast.FormattedValue) and node.format_spec is not None:
        decimals = re.search(r"\.[1-9]\d*[f%]", ast.unparse(node.format_spec))
        inner = node.value if decimals else None
    if isinstance(inner, ast.BinOp):
        yield from (
            one for one in ast.walk(inner) if isinstance(one, ast.BinOp) and isinstance(one.op, ast.FloorDiv)
        )


@rule(
    "A13py",
    operator="Compute",
    detects="a statistic over a column with missing values, which makes it NaN",
    evidence="null counts of the column (complete)",
    action="advise",
    reference="catalogue A13",
)
def missing_in_statistic(invocation: Invocation, knowledge: Knowledge) -> Iterator[Finding]:
    """Advise when a function of scipy gets a column with missing values."""
    for fact in followed(invocation, knowledge).of(Called):
        if fact.name.rpartition(".")[2] not in _NO_MISSING or "nan_policy" in fact.named:
            continue
        if isinstance(fact.receiver, (Frame, Series, Grouped)):
            continue
        for given in fact.args:
            if isinstance(given, Series) and given.field.nulls and given.field.origin and given.name:
                yield Finding(
                    "A13py",
                    "advise",
                    f"{brief(fact.node)} is NaN: {given.name} has missing values.",
                    observed=f"{given.field.nulls:,} of {given.field.origin.table.rows:,} rows have none; "
                    f"{place(fact.node)}",
                    hint=f"Drop them first, for all columns at once: df.dropna(subset=[{given.name!r}]).",
                )


@rule(
    "A14py",
    operator="Compute",
    detects="a difference or running total over rows that stand in no order in time, or mix several series",
    evidence="how often each point in time stands in the table (complete)",
    action="advise",
    reference="catalogue A14",
)
def order_matters(invocation: Invocation, knowledge: Knowledge) -> Iterator[Finding]:
    """Advise when rows of several series follow each other and nothing groups them."""
    for fact in followed(invocation, knowledge).of(Called):
        owner = fact.receiver
        if fact.name not in _BY_POSITION or not isinstance(owner, Series) or owner.rows.narrowed:
            continue
        if (
            owner.field.origin is None
            or not owner.rows.tables
            or len(owner.rows.tables) != 1
            or owner.rows.keys
        ):
            continue
        table = owner.field.origin.table
        times = [column for column in table.columns if column.role == "time" and column.distinct > 1]
        mixed = [
            one for one in times if one.distinct_exact and one.nulls == 0 and one.distinct * 2 <= table.rows
        ]
        if times and len(mixed) == len(times):
            yield Finding(
                "A14py",
                "advise",
                f"{brief(fact.node)} runs from one series into the next.",
                observed=f"{mixed[0].name} has {mixed[0].distinct:,} values in {table.rows:,} rows; "
                f"{place(fact.node)}",
                hint="Group by what tells the series apart, and sort by time within each.",
            )


@rule(
    "A17py",
    operator="Compute",
    detects="a computed number compared with == to a fraction",
    evidence="the code alone",
    action="advise",
    reference="catalogue A17",
)
def float_equality(invocation: Invocation, knowledge: Knowledge) -> Iterator[Finding]:
    """Advise on equality of computed numbers with a fraction that has no exact binary form."""
    for fact in followed(invocation, knowledge).of(Compared):
        condition = fact.condition
        value = condition.literals[0] if condition.literals else None
        computed = condition.field.origin is None and condition.field.kind == "number"
        if (
            condition.operator == "=="
            and isinstance(value, float)
            and not (value * 8).is_integer()
            and computed
        ):
            yield Finding(
                "A17py",
                "advise",
                f"{brief(condition.node)} may miss equal values: computed numbers differ in the last digits.",
                observed=place(condition.node),
                hint="Use numpy.isclose.",
            )
