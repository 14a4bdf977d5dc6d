"""Leftovers of Python 2 that parse in Python 3 and fail at run time.

What does not belong here: what reading has rewritten already (`lakebook.notebooks.reading.python2`).
"""

from __future__ import annotations

import ast
import re

from lakebook.enhancement.repairs.rule import RepairRule, Scene, expression
from lakebook.enhancement.script import Edit, dotted, method

_NAMES = {"xrange": "range", "unicode": "str", "basestring": "str", "long": "int", "unichr": "chr"}
_LAZY = frozenset({"map", "filter", "zip", "range"})
_VIEWS = frozenset({"keys", "values", "items"})


class _Names(ast.NodeTransformer):
    def visit_Name(self, node: ast.Name) -> ast.AST:
        if isinstance(node.ctx, ast.Load) and node.id in _NAMES:
            node.id = _NAMES[node.id]
        return node


class _Reduce(ast.NodeTransformer):
    """`reduce` is in functools, `reload` in importlib."""

    def visit_Name(self, node: ast.Name) -> ast.AST:
        if isinstance(node.ctx, ast.Load) and node.id == "reduce":
            return expression("functools.reduce")
        return node


def _reduce(statement: ast.stmt) -> list[ast.stmt] | ast.AST:
    before = ast.dump(statement)
    made = _Reduce().visit(statement)
    return made if ast.dump(made) == before else [ast.Import([ast.alias("functools")]), made]


class _Lists(ast.NodeTransformer):
    """`d.keys()[0]`, `range(3) + range(3)`, `len(map(f, x))`: what gave lists gives views now."""

    def visit_Subscript(self, node: ast.Subscript) -> ast.AST:
        self.generic_visit(node)
        node.value = _listed(node.value)
        return node

    def visit_BinOp(self, node: ast.BinOp) -> ast.AST:
        self.generic_visit(node)
        node.left, node.right = _listed(node.left), _listed(node.right)
        return node

    def visit_Call(self, node: ast.Call) -> ast.AST:
        self.generic_visit(node)
        if dotted(node.func) not in _LAZY | {"list", "dict", "set", "sorted", "sum", "max", "min", "tuple"}:
            node.args = [_listed(arg) for arg in node.args]
            for item in node.keywords:
                item.value = _listed(item.value)
        return node

    def visit_Assign(self, node: ast.Assign) -> ast.AST:
        self.generic_visit(node)
        node.value = _listed(node.value)
        return node


def _listed(node: ast.expr) -> ast.expr:
    if isinstance(node, ast.Call):
        lazy = isinstance(node.func, ast.Name) and node.func.id in _LAZY
        view = isinstance(node.func, ast.Attribute) and node.func.attr in _VIEWS and not node.args
        if lazy or view:
            return ast.Call(ast.Name("list", ast.Load()), [node], [])
    return node


class _SortKeys(ast.NodeTransformer):
    def visit_Call(self, node: ast.Call) -> ast.AST:
        self.generic_visit(node)
        if method(node) == "has_key" and isinstance(node.func, ast.Attribute) and len(node.args) == 1:
            return ast.Compare(node.args[0], [ast.In()], [node.func.value])
        if method(node) in {"sort", "sorted"}:
            node.keywords = [k for k in node.keywords if k.arg != "cmp"]
        return node


class _IsoFormat(ast.NodeTransformer):
    """Whole quotients counted things; a count is whole."""

    def visit_Call(self, node: ast.Call) -> ast.AST:
        self.generic_visit(node)
        node.args = [_whole(arg) for arg in node.args]
        for item in node.keywords:
            item.value = _whole(item.value)
        return node

    def visit_Slice(self, node: ast.Slice) -> ast.AST:
        self.generic_visit(node)
        node.lower = _whole(node.lower) if node.lower else None
        node.upper = _whole(node.upper) if node.upper else None
        return node

    def visit_Subscript(self, node: ast.Subscript) -> ast.AST:
        self.generic_visit(node)
        if not isinstance(node.slice, ast.Slice):
            node.slice = _whole(node.slice)
        return node


def _whole(node: ast.expr) -> ast.expr:
    if isinstance(node, ast.BinOp) and isinstance(node.op, ast.Div):
        return ast.BinOp(node.left, ast.FloorDiv(), node.right)
    return node


def _name(scene: Scene) -> Edit:
    found = re.search(r"name '(\w+)' is not defined", scene.fault.message)
    if found and found[1] == "reduce":
        return _reduce
    return _Names().visit if found and found[1] in _NAMES else lambda statement: statement


RULES = (
    RepairRule(
        "python_2_name",
        "a name of Python 2",
        fault=r"^NameError: name '(xrange|unicode|basestring|long|unichr|reduce)'",
        plan=_name,
    ),
    RepairRule(
        "python_2_list",
        "what gave a list in Python 2 gives a view",
        _Lists().visit,
        r"'(dict_keys|dict_values|dict_items|map|filter|zip|range)'",
        reach="fault first",
    ),
    RepairRule(
        "python_2_key",
        "a method of Python 2",
        _SortKeys().visit,
        r"no attribute 'has_key'|keyword argument 'cmp'",
    ),
    RepairRule(
        "whole_quotient",
        "a quotient of whole numbers was whole in Python 2",
        _IsoFormat().visit,
        r"'float' object cannot be interpreted as an integer|slice indices must be integers"
        r"|must be integers or slices, not float"
        r"|Number of rows must be a positive integer",
        reach="fault",
    ),
)
