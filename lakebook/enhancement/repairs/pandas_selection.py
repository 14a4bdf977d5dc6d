"""Selecting by label and position: what pandas no longer takes in brackets, and read-only values.

What belongs here: what raises, and needs more than another name (`renamed`).
"""

from __future__ import annotations

import ast
import re

from lakebook.enhancement.repairs.rule import RepairRule, Scene, expression
from lakebook.enhancement.script import Edit, dotted, keyword, method

_LOCATORS = frozenset({"iloc", "loc", "shape", "columns", "values"})


class _Ix(ast.NodeTransformer):
    """`ix` took labels, or positions where labels are no integers, as columns mostly are."""

    def visit_Subscript(self, node: ast.Subscript) -> ast.AST:
        self.generic_visit(node)
        on = node.value
        if not isinstance(on, ast.Attribute) or on.attr != "ix":
            return node
        frame, key = ast.unparse(on.value), node.slice
        if isinstance(key, ast.Tuple) and len(key.elts) == 2 and _counts(key.elts[1]):
            rows, columns = key.elts
            columns_ = ast.unparse(ast.Subscript(expression(f"{frame}.columns"), columns, ast.Load()))
            if _is_all(rows):
                on.attr = "iloc"
                return node
            made = expression(f"{frame}.loc[{ast.unparse(rows)}, {columns_}]")
            if isinstance(made, ast.Subscript):
                made.ctx = node.ctx
            return made
        on.attr = "loc"
        return node


def _counts(node: ast.expr) -> bool:
    """Return True for an integer, a slice of integers or a list of them."""
    if isinstance(node, ast.Slice):
        bounds = [b for b in (node.lower, node.upper) if b is not None]
        return bool(bounds) and all(_counts(bound) for bound in bounds)
    if isinstance(node, ast.List):
        return bool(node.elts) and all(_counts(item) for item in node.elts)
    if isinstance(node, ast.UnaryOp):
        return _counts(node.operand)
    return isinstance(node, ast.Constant) and type(node.value) is int


def _is_all(node: ast.expr) -> bool:
    return isinstance(node, ast.Slice) and node.lower is None and node.upper is None


class _GroupColumns(ast.NodeTransformer):
    """`groupby("a")["b", "c"]` selected two columns; it takes a list now."""

    def visit_Subscript(self, node: ast.Subscript) -> ast.AST:
        self.generic_visit(node)
        on = node.value
        names = node.slice.elts if isinstance(node.slice, ast.Tuple) else []
        plain = len(names) > 1 and all(isinstance(name, ast.Constant | ast.Name) for name in names)
        if isinstance(on, ast.Call | ast.Name) and plain:
            node.slice = ast.List(names, ast.Load())
        return node


class _Position(ast.NodeTransformer):
    """`s[0]` took the first value of a series whose labels are no integers."""

    def __init__(self, position: int) -> None:
        self.position = position

    def visit_Subscript(self, node: ast.Subscript) -> ast.AST:
        self.generic_visit(node)
        if not isinstance(node.ctx, ast.Load) or (
            isinstance(node.value, ast.Attribute)
            and node.value.attr in {"iloc", "loc", "shape", "columns", "values"}
        ):
            return node
        literal = _counts(node.slice) and not isinstance(node.slice, ast.Slice | ast.List)
        counted = isinstance(node.slice, ast.Name | ast.BinOp)
        if (literal and ast.unparse(node.slice) == str(self.position)) or counted:
            node.value = ast.Attribute(node.value, "iloc", ast.Load())
        return node


def _position(scene: Scene) -> Edit:
    found = re.fullmatch(r"-?\d+", scene.fault.message.strip())
    of_series = not scene.fault.inside or scene.fault.inside[0] == "Series.__getitem__"
    return _Position(int(found[0])).visit if found and of_series else lambda statement: statement


class _Positions(ast.NodeTransformer):
    """`s[[0, 1]]` took values by position."""

    def visit_Subscript(self, node: ast.Subscript) -> ast.AST:
        self.generic_visit(node)
        located = isinstance(node.value, ast.Attribute) and node.value.attr in _LOCATORS
        if isinstance(node.slice, ast.List) and _counts(node.slice) and not located:
            node.value = ast.Attribute(node.value, "iloc", ast.Load())
        return node


class _Writable(ast.NodeTransformer):
    """Values taken out of a frame are read-only now."""

    def visit_Attribute(self, node: ast.Attribute) -> ast.AST:
        self.generic_visit(node)
        if node.attr == "values" and isinstance(node.ctx, ast.Load):
            return expression(f"{ast.unparse(node.value)}.to_numpy(copy=True)")
        return node


class _TwoAxes(ast.NodeTransformer):
    """`s[:, None]` is a matter of arrays."""

    def visit_Subscript(self, node: ast.Subscript) -> ast.AST:
        self.generic_visit(node)
        key = node.slice
        new = [k for k in key.elts if _is_new_axis(k)] if isinstance(key, ast.Tuple) else []
        is_array = isinstance(node.value, ast.Call) and method(node.value) == "asarray"
        if new and not is_array:
            node.value = expression(f"np.asarray({ast.unparse(node.value)})")
        return node


def _is_new_axis(node: ast.expr) -> bool:
    return (isinstance(node, ast.Constant) and node.value is None) or dotted(node).endswith("newaxis")


class _DropMissing(ast.NodeTransformer):
    """A column that is not there needs no dropping."""

    def visit_Call(self, node: ast.Call) -> ast.AST:
        self.generic_visit(node)
        if method(node) != "drop" or not isinstance(node.func, ast.Attribute) or keyword(node, "errors"):
            return node
        if len(node.args) > 1:
            node.keywords = [ast.keyword("axis", node.args.pop(1)), *node.keywords]
        node.keywords.append(ast.keyword("errors", ast.Constant("ignore")))
        return node


RULES = (
    RepairRule("ix_to_loc", "ix was removed", _Ix().visit, r"AttributeError: .*has no attribute 'ix'"),
    RepairRule(
        "group_columns",
        "columns of groups are selected by a list",
        _GroupColumns().visit,
        r"Cannot subset columns with a tuple|KeyError: .*\('",
        reach="fault",
    ),
    RepairRule(
        "series_position",
        "a number in brackets is a label now, no position",
        fault=r"^KeyError: -?\d+$",
        plan=_position,
        reach="fault",
    ),
    RepairRule(
        "series_positions",
        "numbers in brackets are labels now, no positions",
        _Positions().visit,
        r"KeyError: .*None of \[Index\(\[[-\d, ]+\], dtype='int64'\)\] are in the \[index\]",
        reach="fault",
    ),
    RepairRule(
        "drop_missing",
        "the column to drop is not in this table",
        _DropMissing().visit,
        r"KeyError.*not found in axis",
        reach="fault first",
    ),
    RepairRule(
        "writable_values",
        "values of a frame are read-only",
        _Writable().visit,
        r"read-only",
        reach="fault first",
    ),
    RepairRule(
        "array_axes",
        "a column takes no second axis",
        _TwoAxes().visit,
        r"Multi-dimensional indexing",
        reach="fault first",
    ),
)
