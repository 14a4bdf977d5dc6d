"""Columns of text in pandas 2 and 3: their type, what replaces them, and patterns that are text now.

These raise nothing and are applied before the first run.
"""

from __future__ import annotations

import ast
import re

from lakebook.enhancement.repairs.rule import RepairRule, expression
from lakebook.enhancement.script import Script, dotted, keyword, method

_IS_TEXT = "pd.api.types.is_string_dtype"


_PATTERN = re.compile(r"\\[dwsDWSbB.$^*+?()\[\]{}|/-]|\[[^\]]+\]|\.[*+]|\w\||\|\w|^\^.|\(\?|\w\{\d")


class _ObjectDtype(ast.NodeTransformer):
    """Text columns have the dtype `str` in pandas 3, not `object`."""

    def __init__(self, script: Script) -> None:
        attributes = {node.attr for node in script.nodes() if isinstance(node, ast.Attribute)}
        self.looks_at_dtypes = bool(attributes & {"dtype", "dtypes"})

    def visit_Compare(self, node: ast.Compare) -> ast.AST:
        self.generic_visit(node)
        if len(node.ops) != 1 or not self.looks_at_dtypes:
            return node
        operator, left, right = node.ops[0], node.left, node.comparators[0]
        if isinstance(operator, ast.In | ast.NotIn) and _is_dtype(left):
            listed = right.elts if isinstance(right, ast.List | ast.Tuple | ast.Set) else []
            if not any(_is_object(item) for item in listed) or any(
                _text(item) in {"str", "string"} for item in listed
            ):
                return node
            test = f"{_IS_TEXT}({ast.unparse(_plain_dtype(left))})"
            written = ast.unparse(node)
            return expression(
                f"{written} or {test}" if isinstance(operator, ast.In) else f"({written} and not {test})"
            )
        if not isinstance(operator, ast.Eq | ast.NotEq):
            return node
        if _is_object(left):
            left, right = right, left
        if not _is_object(right) or not (_is_dtype(left) or isinstance(left, ast.Name)):
            return node
        unequal = isinstance(operator, ast.NotEq)
        if _is_of_frame(left):
            test = f"{ast.unparse(left)}.map({_IS_TEXT})"
            return expression(f"~{test}" if unequal else test)
        if isinstance(left, ast.Name) and not _could_be_dtype(left):
            return node
        test = f"{_IS_TEXT}({ast.unparse(_plain_dtype(left))})"
        return expression(f"not {test}" if unequal else test)

    def visit_BoolOp(self, node: ast.BoolOp) -> ast.AST:
        return node if _IS_TEXT in ast.unparse(node) else self.generic_visit(node)


def _is_object(node: ast.expr) -> bool:
    if isinstance(node, ast.Constant):
        return node.value in {"object", "O"}
    if isinstance(node, ast.Call) and dotted(node.func) in {"np.dtype", "numpy.dtype"} and node.args:
        return _is_object(node.args[0])
    return dotted(node) in {"object", "np.object", "np.object_", "numpy.object_"}


def _is_dtype(node: ast.expr) -> bool:
    if isinstance(node, ast.Attribute) and node.attr == "name":
        return _is_dtype(node.value)
    if isinstance(node, ast.Call) and dotted(node.func) == "str" and node.args:
        return _is_dtype(node.args[0])
    if isinstance(node, ast.Subscript):
        return isinstance(node.value, ast.Attribute) and node.value.attr == "dtypes"
    return isinstance(node, ast.Attribute) and node.attr in {"dtype", "dtypes"}


def _plain_dtype(node: ast.expr) -> ast.expr:
    """Return `x.dtype` of `x.dtype.name` and `str(x.dtype)`."""
    if isinstance(node, ast.Attribute) and node.attr == "name":
        return node.value
    return node.args[0] if isinstance(node, ast.Call) else node


def _is_of_frame(node: ast.expr) -> bool:
    """Return True for `df.dtypes`, which has a dtype for each column; `df["a"].dtypes` has one."""
    if not isinstance(node, ast.Attribute) or node.attr != "dtypes":
        return False
    on = node.value
    return not isinstance(on, ast.Subscript) or isinstance(on.slice, ast.List)


def _could_be_dtype(node: ast.Name) -> bool:
    return re.search(r"^(d?types?|t|ty|dt|kind)$|_?d?types?$", node.id, re.IGNORECASE) is not None


def _text(node: ast.expr) -> str:
    return node.value if isinstance(node, ast.Constant) and isinstance(node.value, str) else ""


class _ReplacePattern(ast.NodeTransformer):
    """`str.replace` took a pattern; since pandas 2 it takes text unless told otherwise."""

    def visit_Call(self, node: ast.Call) -> ast.AST:
        self.generic_visit(node)
        if not _replaces_text(node) or keyword(node, "regex") is not None:
            return node
        pattern = node.args[0] if node.args else keyword(node, "pat")
        if pattern is not None and _PATTERN.search(_text(pattern)) and len(_text(pattern)) > 1:
            node.keywords.append(ast.keyword("regex", ast.Constant(True)))
        return node


def _replaces_text(node: ast.Call) -> bool:
    function = node.func
    if not isinstance(function, ast.Attribute) or function.attr != "replace" or len(node.args) > 6:
        return False
    return isinstance(function.value, ast.Attribute) and function.value.attr == "str"


class _ReplacedNumbers(ast.NodeTransformer):
    """Text replaced by numbers gave a column of numbers; since pandas 3 it gives objects."""

    def visit_Expr(self, node: ast.Expr) -> ast.AST:
        call = node.value
        if isinstance(call, ast.Call) and _gives_numbers(call) and isinstance(call.func, ast.Attribute):
            flag = keyword(call, "inplace")
            if (
                isinstance(flag, ast.Constant)
                and flag.value is True
                and isinstance(call.func.value, ast.Name)
            ):
                call.keywords = [k for k in call.keywords if k.arg != "inplace"]
                return ast.Assign([ast.Name(call.func.value.id, ast.Store())], _inferred(call))
        return self.generic_visit(node)

    def visit_Call(self, node: ast.Call) -> ast.AST:
        self.generic_visit(node)
        if _gives_numbers(node) and keyword(node, "inplace") is None:
            return _inferred(node)
        return node

    def visit_Attribute(self, node: ast.Attribute) -> ast.AST:
        if node.attr in {"infer_objects", "astype"} and isinstance(node.value, ast.Call):
            node.value.args = [self.visit(arg) for arg in node.value.args]
            node.value.func = self.visit(node.value.func)
            return node
        return self.generic_visit(node)


def _inferred(call: ast.Call) -> ast.Call:
    return ast.Call(ast.Attribute(call, "infer_objects", ast.Load()), [], [])


def _gives_numbers(node: ast.Call) -> bool:
    if method(node) != "replace" or not isinstance(node.func, ast.Attribute) or keyword(node, "regex"):
        return False
    if isinstance(node.func.value, ast.Attribute) and node.func.value.attr == "str":
        return False
    old = node.args[0] if node.args else keyword(node, "to_replace")
    new = node.args[1] if len(node.args) > 1 else keyword(node, "value")
    if isinstance(old, ast.Dict) and new is None:
        return bool(old.values) and _maps_to_numbers(old)
    return old is not None and new is not None and _are(old, str) and _are(new, int | float)


def _maps_to_numbers(node: ast.Dict) -> bool:
    if all(isinstance(value, ast.Dict) for value in node.values):
        return all(_maps_to_numbers(value) for value in node.values if isinstance(value, ast.Dict))
    return all(key is not None and _are(key, str) for key in node.keys) and all(
        _are(value, int | float) for value in node.values
    )


def _are(node: ast.expr, kind: object) -> bool:
    items = node.elts if isinstance(node, ast.List | ast.Tuple) else [node]
    plain = [i.operand if isinstance(i, ast.UnaryOp) else i for i in items]
    return bool(plain) and all(isinstance(i, ast.Constant) and isinstance(i.value, kind) for i in plain)  # type: ignore[arg-type]


RULES = (
    RepairRule(
        "object_dtype",
        "text columns are no longer of dtype object",
        plan=lambda scene: _ObjectDtype(scene.script).visit,
        only=r"\bobject|\bO\b",
    ),
    RepairRule(
        "replaced_pattern",
        "str.replace takes text, not a pattern",
        _ReplacePattern().visit,
        only=r"\.str\.replace|\.str\s",
    ),
    RepairRule(
        "replaced_numbers",
        "text replaced by numbers stays a column of objects",
        _ReplacedNumbers().visit,
        only=r"replace",
    ),
)
