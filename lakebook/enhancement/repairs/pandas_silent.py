"""What pandas 2 and 3 do otherwise without a word: the code runs, and another figure is drawn.

These are applied before the first run. Each restores what the code did when it was written, and is tested on
what is drawn. Text and counts have rooms of their own (`pandas_text`, `pandas_counts`).
"""

from __future__ import annotations

import ast
import re

from lakebook.enhancement.repairs.frames import column_of, frames, is_one_key
from lakebook.enhancement.repairs.rule import RepairRule, expression
from lakebook.enhancement.script import Script, dotted, keyword, method
from lakebook.syntax import parse_python

_INPLACE = frozenset({"fillna", "ffill", "bfill", "replace", "clip", "where", "mask", "interpolate"})


_NO_COLUMNS = frozenset({"loc", "iloc", "columns", "index", "values", "T", "at", "iat"})
_CATEGORIES = frozenset({"cut", "qcut", "Categorical", "CategoricalIndex"})


_NANOSECONDS = frozenset({"10 ** 9", "1000000000", "1000000000.0", "1e9", "1e+09"})


_OF_TIME = re.compile(r"date|time|index|\.dt\b|month|year", re.IGNORECASE)


class _ChainedInplace(ast.NodeTransformer):
    """`df["a"].fillna(0, inplace=True)` changes a copy only, since pandas 3."""

    def __init__(self, script: Script) -> None:
        self.script = script

    def visit_Expr(self, node: ast.Expr) -> ast.AST:
        call = node.value
        if not isinstance(call, ast.Call) or not isinstance(call.func, ast.Attribute):
            return node
        column, flag = call.func.value, keyword(call, "inplace")
        on = column_of(column) if call.func.attr in _INPLACE else None
        if on is None or not isinstance(flag, ast.Constant) or flag.value is not True:
            return node
        if not is_one_key(self.script, on[1]) or dotted(on[0]) == "self":
            return node
        call.keywords = [k for k in call.keywords if k.arg != "inplace"]
        target = parse_python(f"{ast.unparse(column)} = 0").body[0]
        return ast.Assign(target.targets, call) if isinstance(target, ast.Assign) else node


class _ChainedAssignment(ast.NodeTransformer):
    """`df["a"][mask] = 0` changes a copy only, since pandas 3."""

    def __init__(self, script: Script) -> None:
        self.script = script
        self.frames = frames(script)

    def visit_Assign(self, node: ast.Assign) -> ast.AST:
        node.targets = [self._whole(target) for target in node.targets]
        return node

    def visit_AugAssign(self, node: ast.AugAssign) -> ast.AST:
        target = self._whole(node.target)
        if isinstance(target, ast.Name | ast.Attribute | ast.Subscript):
            node.target = target
        return node

    def _whole(self, target: ast.expr) -> ast.expr:
        if not isinstance(target, ast.Subscript):
            return target
        column, by = target.value, "loc"
        if isinstance(column, ast.Attribute) and column.attr in {"loc", "iloc"}:
            by, column = column.attr, column.value
        on = column_of(column)
        if on is None or dotted(on[0]) not in self.frames or not is_one_key(self.script, on[1]):
            return target
        if isinstance(column, ast.Attribute) and column.attr in _NO_COLUMNS:
            return target
        rows, frame, key = target.slice, ast.unparse(on[0]), ast.unparse(on[1])
        if isinstance(rows, ast.Slice) and by == "loc" and (rows.lower or rows.upper):
            by = "iloc"  # a slice of integers counts rows
        if isinstance(rows, ast.Tuple) or _text(rows):
            return target  # `df[mask]["a"] = 0` never reached the frame
        where = f"{frame}.columns.get_loc({key})" if by == "iloc" else key
        made = parse_python(f"{frame}.{by}[{ast.unparse(rows)}, {where}] = 0").body[0]
        return made.targets[0] if isinstance(made, ast.Assign) else target


class _GroupsByOne(ast.NodeTransformer):
    """Groups by a list of one key are named by tuples since pandas 2."""

    def __init__(self, script: Script) -> None:
        self.looped = {
            node.iter.id
            for node in script.nodes()
            if isinstance(node, ast.For | ast.comprehension)
            and isinstance(node.iter, ast.Name)
            and not _takes_tuples(node.target)
        } | {
            node.func.value.id
            for node in script.nodes()
            if isinstance(node, ast.Call)
            and isinstance(node.func, ast.Attribute)
            and node.func.attr == "get_group"
            and isinstance(node.func.value, ast.Name)
            and not (node.args and isinstance(node.args[0], ast.Tuple))
        }

    def visit_For(self, node: ast.For) -> ast.AST:
        self.generic_visit(node)
        if not _takes_tuples(node.target):
            node.iter = _by_one(node.iter)
        return node

    def visit_comprehension(self, node: ast.comprehension) -> ast.AST:
        self.generic_visit(node)
        if not _takes_tuples(node.target):
            node.iter = _by_one(node.iter)
        return node

    def visit_Assign(self, node: ast.Assign) -> ast.AST:
        self.generic_visit(node)
        if any(isinstance(target, ast.Name) and target.id in self.looped for target in node.targets):
            node.value = _by_one(node.value)
        return node

    def visit_Call(self, node: ast.Call) -> ast.AST:
        self.generic_visit(node)
        by_text = bool(node.args) and not isinstance(node.args[0], ast.Tuple)
        if method(node) == "get_group" and isinstance(node.func, ast.Attribute) and by_text:
            node.func.value = _by_one(node.func.value)
        return node


def _takes_tuples(target: ast.expr) -> bool:
    return isinstance(target, ast.Tuple) and bool(target.elts) and isinstance(target.elts[0], ast.Tuple)


def _by_one(node: ast.expr) -> ast.expr:
    call = node.value if isinstance(node, ast.Subscript) else node
    if isinstance(call, ast.Call) and method(call) == "groupby" and call.args:
        key = call.args[0]
        if isinstance(key, ast.List) and len(key.elts) == 1 and not isinstance(key.elts[0], ast.Starred):
            call.args[0] = key.elts[0]
    return node


class _Observed(ast.NodeTransformer):
    """Groups of categories without rows are left out since pandas 3."""

    def __init__(self, script: Script) -> None:
        self.names: set[str] = set()
        self.columns: set[str] = set()
        for node in script.nodes():
            if isinstance(node, ast.Assign) and _is_categorical(node.value):
                for target in node.targets:
                    if isinstance(target, ast.Name):
                        self.names.add(target.id)
                    elif isinstance(target, ast.Attribute):
                        self.columns.add(target.attr)
                    elif isinstance(target, ast.Subscript):
                        self.columns.add(_text(target.slice))
        self.columns.discard("")

    def visit_Call(self, node: ast.Call) -> ast.AST:
        self.generic_visit(node)
        if method(node) not in {"groupby", "pivot_table"} or keyword(node, "observed") is not None:
            return node
        keys = [k.value for k in node.keywords if k.arg in {"by", "index", "columns"}]
        if any(self._is_key(key) for key in [*node.args, *keys]):
            node.keywords.append(ast.keyword("observed", ast.Constant(False)))
        return node

    def _is_key(self, node: ast.expr) -> bool:
        if isinstance(node, ast.List | ast.Tuple):
            return any(self._is_key(item) for item in node.elts)
        if isinstance(node, ast.Name):
            return node.id in self.names
        on = column_of(node)
        return (
            _is_categorical(node)
            or _text(node) in self.columns
            or (on is not None and _text(on[1]) in self.columns)
        )


def _is_categorical(node: ast.expr) -> bool:
    if not isinstance(node, ast.Call):
        return False
    if method(node) == "astype":
        return bool(node.args) and _text(node.args[0]) == "category"
    return method(node) in _CATEGORIES


class _Stack(ast.NodeTransformer):
    """`stack` left out missing values."""

    def visit_Call(self, node: ast.Call) -> ast.AST:
        self.generic_visit(node)
        if (
            method(node) != "stack"
            or not isinstance(node.func, ast.Attribute)
            or keyword(node, "future_stack")
        ):
            return node
        literal = all(isinstance(a, ast.Constant | ast.List | ast.UnaryOp) for a in node.args)
        if not literal or any(isinstance(a, ast.List) and not _are_levels(a) for a in node.args):
            return node
        dropna = keyword(node, "dropna")
        if {k.arg for k in node.keywords} - {"dropna", "level"} or dotted(node.func.value) in {
            "np",
            "numpy",
            "da",
        }:
            return node
        node.keywords = [k for k in node.keywords if k.arg != "dropna"]
        if isinstance(dropna, ast.Constant) and dropna.value is False:
            node.keywords.append(ast.keyword("future_stack", ast.Constant(True)))
            return node
        kept = ast.Attribute(node, "dropna", ast.Load())
        return ast.Call(kept, [], [ast.keyword("how", ast.Constant("all"))])

    def visit_Attribute(self, node: ast.Attribute) -> ast.AST:
        if node.attr == "dropna" and isinstance(node.value, ast.Call) and method(node.value) == "stack":
            return node  # the author drops them already
        return self.generic_visit(node)


def _are_levels(node: ast.List) -> bool:
    return all(isinstance(item, ast.Constant) for item in node.elts)


class _Nanoseconds(ast.NodeTransformer):
    """Dates as integers counted nanoseconds; in pandas 3 they count microseconds."""

    def visit_BinOp(self, node: ast.BinOp) -> ast.AST:
        self.generic_visit(node)
        call = node.left
        if not isinstance(node.op, ast.Div | ast.FloorDiv) or ast.unparse(node.right) not in _NANOSECONDS:
            return node
        if (
            not isinstance(call, ast.Call)
            or not isinstance(call.func, ast.Attribute)
            or method(call) != "astype"
        ):
            return node
        on = call.func.value
        whole = bool(call.args) and ast.unparse(call.args[0]) in {
            "int",
            "'int64'",
            "np.int64",
            "float",
            "'int'",
        }
        if whole and _OF_TIME.search(ast.unparse(on)) and "datetime64[ns]" not in ast.unparse(on):
            call.func.value = expression(f"{ast.unparse(on)}.astype('datetime64[ns]')")
        return node


def _text(node: ast.expr) -> str:
    return node.value if isinstance(node, ast.Constant) and isinstance(node.value, str) else ""


RULES = (
    RepairRule(
        "chained_inplace",
        "an in-place change of a column reaches a copy only",
        plan=lambda scene: _ChainedInplace(scene.script).visit,
        only=r"inplace",
    ),
    RepairRule(
        "chained_assignment",
        "an assignment to a part of a column reaches a copy only",
        plan=lambda scene: _ChainedAssignment(scene.script).visit,
        only=r"\]\s*\S?=",
    ),
    RepairRule(
        "groups_by_one",
        "groups by a list of one key are named by tuples",
        plan=lambda scene: _GroupsByOne(scene.script).visit,
        only=r"groupby|get_group",
    ),
    RepairRule(
        "unobserved_groups",
        "groups of categories without rows are left out by default",
        plan=lambda scene: _Observed(scene.script).visit,
        only=r"groupby|pivot_table",
    ),
    RepairRule("stacked_missing", "stack keeps missing values", _Stack().visit, only=r"\bstack\("),
    RepairRule(
        "nanoseconds", "dates as integers count microseconds", _Nanoseconds().visit, only=r"\.astype\("
    ),
)
