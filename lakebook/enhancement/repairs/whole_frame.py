"""Code that takes a whole table, or places in it: columns chosen by type, places of rows marked as doubtful.

A whole-frame call meets text columns that the old table did not have; the new one is given its numbers only.
Columns taken by their place (`iloc[:, 2:5]`) are other columns now, and rows by their place are other rows.
"""

from __future__ import annotations

import ast
from collections.abc import Collection
from dataclasses import replace

from lakebook.analyst.table import Table
from lakebook.enhancement.adapted import Adapted
from lakebook.enhancement.enhanced import Repair
from lakebook.enhancement.repairs.columns import table_names
from lakebook.enhancement.repairs.rule import Fault, TableFix
from lakebook.enhancement.script import method

_TAKES_NUMBERS = frozenset(
    {
        "heatmap", "clustermap", "fit", "fit_transform", "transform", "zscore", "scale", "normalize",
        "linkage", "imshow", "matshow", "corrcoef", "boxplot", "violinplot", "mutual_info_regression",
    }
)  # fmt: skip
_REDUCES = frozenset(
    {"max", "min", "mean", "std", "median", "sum", "skew", "kurt", "quantile", "abs", "pct_change"}
)


def numbers_only(adapted: Adapted, fault: Fault, table: Table) -> Adapted | None:
    """Give only the number columns of the table to calls that cannot take text."""
    names = _frames(adapted)
    script, repairs = adapted.script.edited(
        _NumbersOnly(names).visit, "numbers_only", changes_meaning=True, lines=fault.lines
    )
    if not repairs:
        return None
    texts = [column.name for column in table.columns if column.dtype not in {"number", "integer", "boolean"}]
    evidence = f"the new table has other columns too: {', '.join(texts[:6])}"
    return adapted.repaired(script, [replace(one, evidence=evidence) for one in repairs])


def numbers_by_place(adapted: Adapted, fault: Fault, table: Table) -> Adapted | None:
    """Of columns taken by their place, keep those of numbers where text cannot be reckoned with."""
    names = _frames(adapted)
    script, repairs = adapted.script.edited(
        _ByPlace(names).visit, "numbers_by_place", changes_meaning=True, lines=fault.lines
    )
    evidence = "columns are taken by their place, and other columns stand there now, some of them text"
    return adapted.repaired(script, [replace(one, evidence=evidence) for one in repairs]) if repairs else None


def doubtful_places(adapted: Adapted, fault: Fault, table: Table) -> Adapted | None:
    """Mark what the code takes by its place in the table, without changing it."""
    text = str(adapted.script)
    if not any(part in text for part in (".iloc", ".drop(", ".columns[")):
        return None
    names = table_names(adapted)
    repairs = []
    for statement in adapted.script.statements:
        for node in ast.walk(statement.node):
            what = _by_place(node, names) if isinstance(node, ast.Subscript) else ""
            if not what and isinstance(node, ast.Call) and method(node) == "drop":
                what = _dropped_rows(node, names)
            if what:
                line = ast.unparse(node)
                why = f"{what} are taken by their place, and the new data have others there"
                repairs.append(Repair("doubtful_place", line, line, changes_meaning=True, evidence=why))
    fresh = [one for one in dict.fromkeys(repairs) if one not in adapted.repairs]
    return adapted.repaired(adapted.script, fresh) if fresh else None


def _frames(adapted: Adapted) -> frozenset[str]:
    """Return the names that may hold a frame made from the table: everything bound, but no import."""
    return adapted.script.names_bound() - {"plt", "sns", "np", "pd"}


class _NumbersOnly(ast.NodeTransformer):
    def __init__(self, frames: Collection[str]) -> None:
        self.frames = frames

    def visit_Call(self, node: ast.Call) -> ast.AST:
        self.generic_visit(node)
        if method(node) in _TAKES_NUMBERS:
            node.args = [self._numbers(item) for item in node.args[:1]] + node.args[1:]
            for option in node.keywords:
                if option.arg in {"data", "X"} and not any(k.arg in {"x", "y"} for k in node.keywords):
                    option.value = self._numbers(option.value)
        return node

    def visit_BinOp(self, node: ast.BinOp) -> ast.AST:
        self.generic_visit(node)
        reduced = [
            n.func.value.id
            for n in ast.walk(node)
            if isinstance(n, ast.Call)
            and method(n) in _REDUCES
            and isinstance(n.func, ast.Attribute)
            and isinstance(n.func.value, ast.Name)
        ]
        selected: ast.AST = _Selected(frozenset(reduced) & frozenset(self.frames)).visit(node)
        return selected

    def _numbers(self, node: ast.expr) -> ast.expr:
        return _selected(node) if isinstance(node, ast.Name) and node.id in self.frames else node


class _Selected(ast.NodeTransformer):
    """Writes every use of some frames as that of their number columns."""

    def __init__(self, frames: Collection[str]) -> None:
        self.frames = frames

    def visit_Subscript(self, node: ast.Subscript) -> ast.AST:
        return node  # one column of a frame is no whole frame

    def visit_Call(self, node: ast.Call) -> ast.AST:
        return node if method(node) == "select_dtypes" else self.generic_visit(node)

    def visit_Name(self, node: ast.Name) -> ast.AST:
        return _selected(node) if node.id in self.frames else node


class _ByPlace(ast.NodeTransformer):
    def __init__(self, frames: Collection[str]) -> None:
        self.frames = frames

    def visit_Subscript(self, node: ast.Subscript) -> ast.AST:
        if (
            isinstance(node.value, ast.Attribute)
            and node.value.attr == "iloc"
            and isinstance(node.ctx, ast.Load)
            and isinstance(node.slice, ast.Tuple)
            and len(node.slice.elts) == 2
            and isinstance(node.slice.elts[1], ast.Slice)
        ):
            return _selected(node)
        return self.generic_visit(node)


def _selected(node: ast.expr) -> ast.expr:
    select = ast.Attribute(node, "select_dtypes", ast.Load())
    return ast.Call(select, [ast.Constant("number")], [])


def _by_place(node: ast.Subscript, frames: Collection[str]) -> str:
    """Return what an `iloc` of the table itself takes by place: rows, columns, "" for all or the first."""
    on = node.value
    if not isinstance(on, ast.Attribute) or on.attr not in {"iloc", "columns"}:
        return ""
    if not isinstance(on.value, ast.Name) or on.value.id not in frames:
        return ""
    if on.attr == "columns":
        return "columns" if _is_place(node.slice) else ""
    rows, *columns = node.slice.elts if isinstance(node.slice, ast.Tuple) else [node.slice]
    if columns and _is_place(columns[0]):
        return "columns"
    return "rows" if _is_place(rows) else ""


def _is_place(node: ast.expr) -> bool:
    """Return True for a fixed place inside; the whole, the first and the last are the same in any table."""
    if isinstance(node, ast.Slice):
        limits = [limit for limit in (node.lower, node.upper) if limit is not None]
        return any(_is_place(limit) for limit in limits)
    if isinstance(node, ast.List | ast.Tuple):
        return any(isinstance(item, ast.Constant) and isinstance(item.value, int) for item in node.elts)
    return isinstance(node, ast.Constant) and isinstance(node.value, int) and node.value > 0


def _dropped_rows(node: ast.Call, frames: Collection[str]) -> str:
    on = node.func.value if isinstance(node.func, ast.Attribute) else None
    if not isinstance(on, ast.Name) or on.id not in frames or not node.args:
        return ""
    first = node.args[0]
    items = first.elts if isinstance(first, ast.List | ast.Tuple) else [first]
    whole = [
        isinstance(i, ast.Constant) and isinstance(i.value, int) and not isinstance(i.value, bool)
        for i in items
    ]
    return "rows" if items and all(whole) and len(node.args) == 1 and not node.keywords else ""


_TEXT_MET = (
    r"[Cc]ould not convert|unsupported operand|does not support operation|[Cc]annot perform"
    r"|not supported between|must be real number|Image data of dtype|dtype=.object"
    r"|ufunc .* not supported|can only concatenate str"
)
FIXES = (
    TableFix("doubtful_place", "rows or columns are taken by their place", doubtful_places),
    TableFix("numbers_by_place", "columns by place hold text now", numbers_by_place, _TEXT_MET),
    TableFix("numbers_only", "a whole table is reckoned with, text and all", numbers_only, _TEXT_MET),
)
