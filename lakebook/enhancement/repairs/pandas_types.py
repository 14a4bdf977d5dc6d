"""Types and conversions of pandas that are stricter or spelled otherwise.

What belongs here: what raises, and needs more than another name (`renamed`).
"""

from __future__ import annotations

import ast

from lakebook.enhancement.repairs.rule import RepairRule, expression
from lakebook.enhancement.script import dotted, keyword, method

_TESTS = {
    "np.number": "is_numeric_dtype",
    "np.datetime64": "is_datetime64_any_dtype",
    **dict.fromkeys(("object", "np.object_", "str"), "is_string_dtype"),
    **dict.fromkeys(("np.integer", "np.int64", "int"), "is_integer_dtype"),
    **dict.fromkeys(("np.floating", "np.float64", "float"), "is_float_dtype"),
    **dict.fromkeys(("np.bool_", "bool"), "is_bool_dtype"),
}


class _Categories(ast.NodeTransformer):
    """`astype("category", categories=…)` takes a type now."""

    def visit_Call(self, node: ast.Call) -> ast.AST:
        self.generic_visit(node)
        options = [k for k in node.keywords if k.arg in {"categories", "ordered"}]
        if method(node) == "astype" and options:
            node.args = [ast.Call(expression("pd.CategoricalDtype"), [], options)]
            node.keywords = [k for k in node.keywords if k not in options and k.arg != "dtype"]
        return node


class _Ignored(ast.NodeTransformer):
    """`to_numeric(x, errors="ignore")` gave `x` back where it holds more than numbers."""

    def visit_Call(self, node: ast.Call) -> ast.AST:
        self.generic_visit(node)
        how = keyword(node, "errors")
        if not isinstance(how, ast.Constant) or how.value != "ignore" or not node.args:
            return node
        if method(node) in {"to_numeric", "to_datetime"} and len(node.args) == 1:
            x, call = ast.unparse(node.args[0]), ast.unparse(node.func)
            read = f"{call}({x}, errors='coerce')"
            return expression(f"{read} if {read}.isna().sum() == {x}.isna().sum() else {x}")
        if method(node) == "apply":
            call = ast.unparse(node.args[0])
            if call.endswith(("to_numeric", "to_datetime")):
                read = f"{call}(c, errors='coerce')"
                node.args = [expression(f"lambda c: {read} if {read}.isna().sum() == c.isna().sum() else c")]
                node.keywords = [k for k in node.keywords if k.arg != "errors"]
        return node


class _Dummies(ast.NodeTransformer):
    """`get_dummies` gave numbers; it gives booleans now."""

    def visit_Call(self, node: ast.Call) -> ast.AST:
        self.generic_visit(node)
        if (
            method(node) == "get_dummies"
            and keyword(node, "dtype") is None
            and dotted(node.func).startswith("p")
        ):
            node.keywords.append(ast.keyword("dtype", ast.Constant("uint8")))
        return node


class _Words(ast.NodeTransformer):
    """`astype(str)` made the text "nan" of a missing value; it stays missing now."""

    def visit_Call(self, node: ast.Call) -> ast.AST:
        self.generic_visit(node)
        text = bool(node.args) and ast.unparse(node.args[0]) in {"str", "'str'"}
        if method(node) == "astype" and text and isinstance(node.func, ast.Attribute):
            return expression(f"{ast.unparse(node.func.value)}.map(str)")
        return node


class _Subtype(ast.NodeTransformer):
    """`np.issubdtype` does not know the types of pandas."""

    def visit_Call(self, node: ast.Call) -> ast.AST:
        self.generic_visit(node)
        if dotted(node.func) in {"np.issubdtype", "numpy.issubdtype"} and len(node.args) == 2:
            test = _TESTS.get(ast.unparse(node.args[1]))
            if test:
                return expression(f"pd.api.types.{test}({ast.unparse(node.args[0])})")
        return node


RULES = (
    RepairRule(
        "category_type",
        "categories are given as a type",
        _Categories().visit,
        r"astype\(\) got an unexpected keyword argument '(categories|ordered)'",
    ),
    RepairRule(
        "ignored_errors",
        "errors are no longer ignored",
        _Ignored().visit,
        r"invalid error value specified|errors must be one of",
    ),
    RepairRule(
        "numeric_dummies",
        "dummies are booleans now",
        _Dummies().visit,
        r"numpy boolean (subtract|negative)|Pandas data cast to numpy dtype of object"
        r"|no numeric data to plot",
    ),
    RepairRule(
        "missing_as_text",
        "a missing value stays missing as text",
        _Words().visit,
        r"expected str instance, float found|expected string or bytes-like object"
        r"|'float' object (has no attribute|is not)"
        r"|'<' not supported between instances of '(float|str)' and '(float|str)'",
        reach="fault first",
    ),
    RepairRule(
        "subtype_test",
        "numpy does not know the type of a text column",
        _Subtype().visit,
        r"Cannot interpret .*as a data type",
    ),
)
