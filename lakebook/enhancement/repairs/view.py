"""The table as old code sees it: its columns by the names in the code, and which of them an expression reads.

What belongs here: reading code against the table, statement by statement, because a column that the code has
made over no longer holds the table's values. What is edited on that ground stands in the modules beside.
"""

from __future__ import annotations

import ast
from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass, replace

from lakebook.analyst.table import Table, TableColumn
from lakebook.enhancement.adapted import Adapted
from lakebook.enhancement.script import Script, keyword, method

# They hand on the values that they are called on.
_SAME_VALUES = frozenset(
    {
        "copy", "dropna", "unique", "astype", "head", "tail", "sort_values", "reset_index", "sample",
        "to_numpy", "tolist", "to_list", "drop_duplicates", "sort_index", "values", "squeeze",
    }
)  # fmt: skip
_WHOLE_FRAME = frozenset({"replace", "map", "applymap", "apply"})
# They keep what labels the rows of a result.
_KEEPS_ROWS = frozenset(
    {
        "mean", "sum", "count", "size", "median", "min", "max", "std", "var", "first", "last", "nunique",
        "agg", "aggregate", "unstack", "sort_values", "sort_index", "head", "tail", "fillna", "round", "copy",
        "nlargest", "nsmallest", "astype", "to_dict",
    }
)  # fmt: skip


@dataclass(frozen=True, slots=True)
class View:
    """The columns of the table under the names that the code uses, in the order of the table."""

    columns: Mapping[str, TableColumn]

    @classmethod
    def of(cls, adapted: Adapted, table: Table) -> View:
        """Return the table as the component sees it; names that other tables have too are left out."""
        named = {adapted.renames.get(column.name, column.name): column for column in table.columns}
        return cls(named)

    def without(self, names: Iterable[str]) -> View:
        """Return the view without columns that no longer hold the table's values."""
        gone = set(names)
        return replace(self, columns={n: c for n, c in self.columns.items() if n not in gone})

    def column_of(self, node: ast.expr, bound: Mapping[str, str] | None = None) -> str:
        """Return the column whose values an expression holds, "" if it holds no column's, or changed ones.

        Args:
            node: `df["region"]`, `df.region`, `df["region"].dropna().unique()` …
            bound: names that hold the values of a column -> the column.
        """
        if isinstance(node, ast.Call):
            if isinstance(node.func, ast.Attribute) and node.func.attr in _SAME_VALUES:
                return self.column_of(node.func.value, bound)
            if method(node) in {"list", "set", "sorted"} and len(node.args) == 1:
                return self.column_of(node.args[0], bound)
            return ""
        if isinstance(node, ast.Subscript):
            name = node.slice.value if isinstance(node.slice, ast.Constant) else None
            if isinstance(node.slice, ast.Tuple) and len(node.slice.elts) == 2:  # .loc[rows, "column"]
                last = node.slice.elts[1]
                name = last.value if isinstance(last, ast.Constant) else None
            return name if isinstance(name, str) and name in self.columns else ""
        if isinstance(node, ast.Attribute):
            if node.attr in self.columns and node.attr not in _SAME_VALUES:
                return node.attr
            return self.column_of(node.value, bound) if node.attr in _SAME_VALUES else ""
        return bound.get(node.id, "") if bound and isinstance(node, ast.Name) else ""

    def index_of(self, node: ast.expr, indexed: Mapping[str, str]) -> str:
        """Return the column whose values label the rows of an expression: what it was grouped or counted by.

        Args:
            node: `df.groupby("region").mean()`, `df["type"].value_counts()`, a name …
            indexed: names of results -> the column that labels their rows.
        """
        if isinstance(node, ast.Name):
            return indexed.get(node.id, "")
        if isinstance(node, ast.Call):
            made = method(node)
            if made in {"groupby", "set_index"} and node.args:
                return self._one_name(node.args[0])
            if made == "value_counts" and isinstance(node.func, ast.Attribute):
                return self.column_of(node.func.value)
            if made == "pivot_table" and (index := keyword(node, "index")) is not None:
                return self._one_name(index)
            if made == "crosstab" and node.args:
                return self.column_of(node.args[0])
            if made not in _KEEPS_ROWS or not isinstance(node.func, ast.Attribute):
                return ""
            return self.index_of(node.func.value, indexed)
        if isinstance(node, ast.Attribute):
            return "" if node.attr == "T" else self.index_of(node.value, indexed)
        return self.index_of(node.value, indexed) if isinstance(node, ast.Subscript) else ""

    def _one_name(self, node: ast.expr) -> str:
        if isinstance(node, ast.List | ast.Tuple) and len(node.elts) == 1:
            node = node.elts[0]
        name = node.value if isinstance(node, ast.Constant) else None
        return name if isinstance(name, str) and name in self.columns else ""


@dataclass(frozen=True, slots=True)
class Place:
    """What is known where a statement stands.

    Attributes:
        view: the columns that still hold the table's values.
        bound: names that hold a column's values, or single ones of them -> the column.
        indexed: names of results -> the column whose values label their rows.
        listed: names of literal lists or values -> the column that they are compared with later on.
    """

    view: View
    bound: Mapping[str, str]
    indexed: Mapping[str, str]
    listed: Mapping[str, str]


def places(script: Script, view: View) -> Iterator[Place]:
    """Give what is known before each statement of a script, in order."""
    listed = _compared_names(script, view)
    functions = _functions(script, view)
    indexed: dict[str, str] = {}
    for statement in script.statements:
        bound = {**functions, **_loop_names(statement.node, view), **_lambda_names(statement.node, view)}
        yield Place(view, bound, dict(indexed), listed)
        for node in ast.walk(statement.node):
            if (
                isinstance(node, ast.Assign)
                and len(node.targets) == 1
                and isinstance(node.targets[0], ast.Name)
            ):
                indexed[node.targets[0].id] = view.index_of(node.value, indexed)
        view = view.without(_made_over(statement.node, view))


def _made_over(statement: ast.stmt, view: View) -> set[str]:
    """Return the columns whose values a statement changes."""
    gone: set[str] = set()
    for node in ast.walk(statement):
        if isinstance(node, ast.Assign | ast.AugAssign):
            targets = node.targets if isinstance(node, ast.Assign) else [node.target]
            for target in targets:
                name = view.column_of(target) if not isinstance(target, ast.Name) else ""
                if name and not (isinstance(node, ast.Assign) and _keeps_values(node.value, name, view)):
                    gone.add(name)
        if not isinstance(node, ast.Call) or not isinstance(node.func, ast.Attribute):
            continue
        if any(k.arg == "inplace" for k in node.keywords) and (name := view.column_of(node.func.value)):
            gone.add(name)
        if node.func.attr == "assign":
            gone |= _assigned(node) & set(view.columns)
        if node.func.attr in _WHOLE_FRAME and isinstance(node.func.value, ast.Name) and node.args:
            made = node.args[0]
            if isinstance(made, ast.Dict) and node.func.attr == "replace":
                keys = {k.value for k in made.keys if isinstance(k, ast.Constant)}
                gone |= {str(key) for key in keys if key in view.columns}
    return gone


def _assigned(call: ast.Call) -> set[str]:
    """Return the columns that `assign(a=…, **{"b c": …})` makes."""
    named = {k.arg for k in call.keywords if k.arg}
    dicts = [k.value for k in call.keywords if k.arg is None and isinstance(k.value, ast.Dict)]
    return named | {str(key.value) for one in dicts for key in one.keys if isinstance(key, ast.Constant)}


def _keeps_values(value: ast.expr, name: str, view: View) -> bool:
    """Return True for `df["date"] = pd.to_datetime(df["date"])` and the like, which change the type only."""
    if isinstance(value, ast.Call) and method(value) in {"to_datetime", "to_numeric"} and value.args:
        return view.column_of(value.args[0]) == name
    return view.column_of(value) == name


def _loop_names(statement: ast.stmt, view: View) -> dict[str, str]:
    """Return the variables of loops over a column's values."""
    return {
        node.target.id: name
        for node in ast.walk(statement)
        if isinstance(node, ast.For | ast.comprehension)
        and isinstance(node.target, ast.Name)
        and (name := view.column_of(node.iter))
    }


def _lambda_names(statement: ast.stmt, view: View) -> dict[str, str]:
    """Return the parameters of lambdas that are mapped over a column."""
    return {
        node.args[0].args.args[0].arg: name
        for node in ast.walk(statement)
        if isinstance(node, ast.Call)
        and isinstance(node.func, ast.Attribute)
        and node.func.attr in {"apply", "map"}
        and node.args
        and isinstance(node.args[0], ast.Lambda)
        and len(node.args[0].args.args) == 1
        and (name := view.column_of(node.func.value))
    }


def _functions(script: Script, view: View) -> dict[str, str]:
    """Return the parameters of functions that are applied to one column only."""
    applied: dict[str, set[str]] = {}
    for node in script.nodes():
        if (
            isinstance(node, ast.Call)
            and isinstance(node.func, ast.Attribute)
            and node.func.attr in {"apply", "map"}
            and node.args
            and isinstance(node.args[0], ast.Name)
        ):
            applied.setdefault(node.args[0].id, set()).add(view.column_of(node.func.value))
    found = {}
    for node in script.nodes():
        if isinstance(node, ast.FunctionDef) and len(node.args.args) == 1:
            columns = applied.get(node.name, set())
            if len(columns) == 1 and (name := next(iter(columns))):
                found[node.args.args[0].arg] = name
    return found


def _compared_names(script: Script, view: View) -> dict[str, str]:
    """Return the names that stand for values of a column: compared with it, or looked up in it."""
    found: dict[str, str] = {}
    for node in script.nodes():
        if isinstance(node, ast.Compare) and len(node.comparators) == 1:
            sides = (node.left, node.comparators[0])
            for column, other in (sides, sides[::-1]):
                if isinstance(other, ast.Name) and (name := view.column_of(column)):
                    found[other.id] = name
        if isinstance(node, ast.Call) and method(node) == "isin" and isinstance(node.func, ast.Attribute):
            name = view.column_of(node.func.value)
            if name and node.args and isinstance(node.args[0], ast.Name):
                found[node.args[0].id] = name
    for node in script.nodes():  # for city in cities: … == city
        if (
            isinstance(node, ast.For)
            and isinstance(node.target, ast.Name)
            and isinstance(node.iter, ast.Name)
        ):
            found.setdefault(node.iter.id, found.get(node.target.id, ""))
    return found


def axis_column(call: ast.Call, option: str, view: View) -> str:
    """Return the text column whose order an option of a plotting call states (`order`, `hue_order` …)."""
    names = {"hue_order": ("hue",), "col_order": ("col",), "row_order": ("row",), "palette": ("hue",)}
    for axis in names.get(option, ("x", "y")):
        value = keyword(call, axis)
        name = value.value if isinstance(value, ast.Constant) else view.column_of(value) if value else ""
        if isinstance(name, str) and name in view.columns and view.columns[name].dtype == "text":
            return name
    return ""
