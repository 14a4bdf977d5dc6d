"""What operations did, as far as their text tells: statistics, grouping, order, constants, exclusions.

What belongs here: one description for SQL and for Python, so that rules that compare a question with
operations need not know which it was. It only widens: what might have been done counts as done, since rules
speak where something asked for is done nowhere (RADAR §3.2: skipped unless the structure is supported).
"""

from __future__ import annotations

import ast
import re
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass, field

from sqlglot import exp

from lakebook.operators.record import ExecutionRecord
from lakebook.syntax import parse_python
from lakebook.validation.nearest import fold
from lakebook.validation.statement import parse


def _names(text: str) -> frozenset[str]:
    return frozenset(text.split())


# Names of functions and methods by what they compute. A string in code ("mean" for agg) counts like a call.
_COMPUTES: dict[str, frozenset[str]] = {
    "average": _names("mean average nanmean fmean avg describe expanding rolling ewm"),
    "median": _names("""
        median nanmedian describe quantile percentile nanpercentile nanquantile boxplot approx_quantile
    """),
    "sum": _names("sum nansum cumsum fsum dot add total"),
    "count": _names("count size len value_counts shape describe counter nunique info bincount"),
    "distinct": _names("""
        nunique unique drop_duplicates duplicated value_counts set groupby distinct counter factorize
        get_dummies crosstab pivot_table pivot categories
    """),
    "correlation": _names("""
        corr corrcoef pearsonr spearmanr kendalltau corrwith cov linregress ols chi2_contingency fit heatmap
        pointbiserialr regr_slope regr_r2 crosstab f_oneway ttest_ind mutual_info_regression
    """),
    "deviation": _names("""
        std nanstd stdev pstdev describe tstd zscore stddev_samp stddev_pop stddev standardscaler sem sqrt
    """),
    "variance": _names("var nanvar variance pvariance var_samp var_pop f_oneway levene bartlett"),
    "quantile": _names("""
        quantile percentile nanpercentile nanquantile describe qcut iqr boxplot quantile_cont quantiles
    """),
    "mode": _names("mode value_counts most_common counter bincount"),
    "round": _names("round around set_printoptions rint"),
}
_BY_NAME: dict[str, set[str]] = {}
for _kind, _all in _COMPUTES.items():
    for _name in _all:
        _BY_NAME.setdefault(_name, set()).add(_kind)

_GROUPING = _names("""
    groupby pivot_table crosstab resample value_counts pivot counter barplot boxplot unstack rolling partition
    nunique unique cut qcut countplot get_dummies grouper factorize
""")
_DIVIDING = _names("div truediv divide pct_change normalize percentage ratio mean value_counts")
_NEGATING = _names("""
    drop dropna ne not_equal notna notnull isna isnull difference setdiff1d where mask
""")
_CUSTOM = _names("fit curve_fit predict apply map transform pipe reduce query eval")
_NUMBERS = re.compile(r"\d+(?:\.\d+)?")
_SQL: dict[type[exp.Expression], str] = {
    exp.Avg: "average", exp.Median: "median", exp.Sum: "sum", exp.Count: "count", exp.Corr: "correlation",
    exp.CovarSamp: "correlation", exp.CovarPop: "correlation", exp.Stddev: "deviation",
    exp.StddevSamp: "deviation", exp.StddevPop: "deviation", exp.Variance: "variance",
    exp.VariancePop: "variance", exp.PercentileCont: "quantile", exp.PercentileDisc: "quantile",
    exp.Quantile: "quantile", exp.ApproxQuantile: "quantile", exp.Round: "round", exp.Mode: "mode",
    exp.ApproxDistinct: "distinct",
}  # fmt: skip
_LEAVING_OUT = (exp.NEQ, exp.Not, exp.Except, exp.Case, exp.Filter, exp.GT, exp.LT, exp.GTE, exp.LTE)
_OWN_CODE = (ast.FunctionDef, ast.Lambda, ast.For, ast.While, ast.comprehension, ast.ClassDef)


@dataclass
class Operations:
    """What a set of operations may have done.

    Attributes:
        statistics: average, median, sum, count, distinct, correlation, deviation, variance, quantile, mode,
            round. `limits`: how many rows were kept, where that was said; `cuts`: the order before such a
            cut (ascending, descending), with the words of what it was ordered by.
        numbers, texts: constants; texts folded, and numbers inside texts among the numbers.
        names: words of names of columns, tables and functions, in lower case.
        custom: own functions, loops or models, which may compute anything.
    """

    statistics: set[str] = field(default_factory=set)
    cuts: set[tuple[str, frozenset[str]]] = field(default_factory=set)
    limits: set[int] = field(default_factory=set)
    numbers: set[float] = field(default_factory=set)
    texts: set[str] = field(default_factory=set)
    names: set[str] = field(default_factory=set)
    grouped: bool = False
    divides: bool = False
    negates: bool = False
    custom: bool = False
    unread: bool = False


def resting_on(records: Sequence[ExecutionRecord], ids: Iterable[str]) -> tuple[ExecutionRecord, ...]:
    """Return these records with all earlier ones whose results they read, in order."""
    wanted = set(ids)
    by_output = {
        name.strip(): record.id for record in records for name in record.output.split(",") if name.strip()
    }
    for record in reversed(records):
        if record.id in wanted:
            read = {one.source.removeprefix("result ") for one in record.inputs}
            wanted |= {by_output[name] for name in read if name in by_output}
    return tuple(record for record in records if record.id in wanted)


def operations_of(records: Iterable[ExecutionRecord]) -> Operations:
    """Return what Query and Compute records did together; `unread` if one could not be taken apart."""
    found = Operations()
    for record in records:
        if record.error or record.verdict == "reject":
            continue
        for one in record.inputs:
            _add_text(found, one.source, constant=False)
        if record.operator == "Query":
            add_sql(found, str(record.arguments.get("sql", "")))
        elif record.operator == "Compute":
            add_code(found, str(record.arguments.get("code", "")))
    return found


def add_sql(found: Operations, sql: str) -> None:
    """Add what a statement does."""
    statement = parse(sql)
    if statement.tree is None:
        found.unread = True
        return
    for node in statement.tree.walk():
        _add_sql_node(found, node)
    for select in statement.tree.find_all(exp.Select):
        _add_cut(found, select)


def _add_cut(found: Operations, select: exp.Expression) -> None:
    """Add how many rows a SELECT keeps, and the first thing that it is ordered by."""
    limit, order = select.args.get("limit"), select.args.get("order")
    if limit is None:
        return
    kept = limit.expression
    if isinstance(kept, exp.Literal) and not kept.is_string:
        found.limits.add(int(float(kept.this)))
    if order is not None and order.expressions:
        first = order.expressions[0]
        named = frozenset(_words(" ".join(node.name for node in first.find_all(exp.Identifier))))
        found.cuts.add(("descending" if first.args.get("desc") else "ascending", named))


def _add_sql_node(found: Operations, node: exp.Expression) -> None:
    kind = _SQL.get(type(node))
    if kind:
        found.statistics.add(kind)
    if isinstance(node, exp.Literal):
        _add_text(found, str(node.this)) if node.is_string else found.numbers.add(float(node.this))
    elif isinstance(node, (exp.Identifier, exp.Table)):
        _add_name(found, node.name)
    elif isinstance(node, exp.Anonymous):
        found.statistics |= _BY_NAME.get(str(node.this).lower(), set())
    elif isinstance(node, exp.Distinct):
        found.statistics.add("distinct")
        found.grouped = found.grouped or isinstance(node.parent, exp.Select)
    elif isinstance(node, (exp.Group, exp.Window)):
        found.grouped = True
        found.statistics.add("distinct")
    if isinstance(node, (exp.PercentileCont, exp.Quantile, exp.PercentileDisc, exp.ApproxQuantile)):
        found.statistics.add("median")
    if isinstance(node, (exp.Div, exp.IntDiv, exp.Avg)):
        found.divides = True  # the mean of a condition is a share
    if isinstance(node, _LEAVING_OUT) or (isinstance(node, exp.Join) and (node.kind == "ANTI" or node.side)):
        found.negates = True


def add_code(found: Operations, code: str) -> None:
    """Add what Python code does."""
    try:
        tree = parse_python(code)
    except (SyntaxError, ValueError, RecursionError):
        found.unread = True
        return
    for node in ast.walk(tree):
        _add_python_node(found, node)


def _add_python_node(found: Operations, node: ast.AST) -> None:
    if isinstance(node, ast.Constant):
        _add_python_constant(found, node)
    elif isinstance(node, (ast.Attribute, ast.Name)):
        name = node.attr if isinstance(node, ast.Attribute) else node.id
        _add_called(found, name.lower())
        _add_name(found, name)
    elif isinstance(node, ast.arg):
        _add_name(found, node.arg)
    elif isinstance(node, ast.keyword):
        _add_keyword(found, node)
    elif isinstance(node, (ast.Div, ast.FloorDiv)):
        found.divides = True
    elif isinstance(node, ast.Add):
        found.statistics.add("sum")
    elif isinstance(node, (ast.NotEq, ast.Not, ast.NotIn, ast.Invert, ast.Gt, ast.Lt, ast.GtE, ast.LtE)):
        found.negates = True
    elif isinstance(node, _OWN_CODE):
        found.custom = True
    elif isinstance(node, ast.Slice):
        _add_slice(found, node)


def _add_slice(found: Operations, node: ast.Slice) -> None:
    """Add how many first rows a slice keeps."""
    kept = node.upper.value if isinstance(node.upper, ast.Constant) else None
    if node.lower is None and isinstance(kept, int):
        found.limits.add(kept)


def _add_python_constant(found: Operations, node: ast.Constant) -> None:
    if isinstance(node.value, str):
        _add_text(found, node.value)
        _add_called(found, node.value.lower())
    elif isinstance(node.value, (int, float)) and not isinstance(node.value, bool):
        found.numbers.add(float(node.value))


def _add_called(found: Operations, name: str) -> None:
    found.statistics |= _BY_NAME.get(name, set())
    found.grouped = found.grouped or name in _GROUPING
    found.divides = found.divides or name in _DIVIDING
    found.negates = found.negates or name in _NEGATING
    if name in (
        "fit",
        "curve_fit",
        "predict",
        "apply",
        "map",
        "transform",
        "pipe",
        "reduce",
        "query",
        "eval",
    ):
        found.custom = True


def _add_keyword(found: Operations, node: ast.keyword) -> None:
    if node.arg in ("by", "hue", "groupby"):
        found.grouped = True


def _add_text(found: Operations, text: str, *, constant: bool = True) -> None:
    """Add a constant, with the numbers inside it ("2016-01-01" names 2016), or a name of a source."""
    if constant:
        found.texts.add(fold(text))
        found.names |= set(_words(text))
    found.numbers |= {float(number) for number in _NUMBERS.findall(text)}


def _add_name(found: Operations, name: str) -> None:
    found.names |= set(_words(name))
    found.numbers |= {float(number) for number in _NUMBERS.findall(name)}


def _words(text: str) -> Iterator[str]:
    spaced = re.sub(r"(?<=[a-z0-9])(?=[A-Z])", " ", text[:400])
    yield from re.findall(r"[^\W\d_]+", spaced.lower())
