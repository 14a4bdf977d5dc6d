"""Reductions that once left out text columns by themselves, and say `numeric_only` now.

What belongs here: `df.corr()`, `groupby(…).mean()` and their indirect forms. Paper: NotebookRAG §4.2.4.
"""

from __future__ import annotations

import ast

from lakebook.enhancement.repairs.frames import is_series
from lakebook.enhancement.repairs.rule import RepairRule, expression
from lakebook.enhancement.script import dotted, keyword, method

_REDUCERS = frozenset(
    {"corr", "cov", "mean", "median", "std", "var", "sum", "prod", "skew", "kurt", "kurtosis", "quantile"}
    | {"sem", "min", "max", "corrwith", "idxmax", "idxmin"}
)  # fmt: skip
_FIRST_IS_OTHER = frozenset({"quantile", "corrwith"})
_TEXT_IS_METHOD = frozenset({"corr"})
_NUMPY = frozenset({"mean", "median", "std", "var", "sum", "prod"})
_FAULT = (
    r"[Cc]ould not convert|agg function failed|[Cc]annot perform reduction|does not support operation"
    r"|unsupported operand|can only concatenate str|must be str, not|Cannot aggregate non-numeric"
    r"|no kernel matching input types|'[<>]=?' not supported between instances|is not supported for"
    r"|dtype '?str|No numeric types|No matching signature|not supported for dtype"
)


class _NumericOnly(ast.NodeTransformer):
    def visit_Call(self, node: ast.Call) -> ast.AST:
        self.generic_visit(node)
        name = method(node)
        if name in {"pivot_table"}:
            return _pivot(node)
        if dotted(node.func) in {f"{np}.{one}" for np in ("np", "numpy") for one in _NUMPY}:
            return _numpy(node)
        if not isinstance(node.func, ast.Attribute) or keyword(node, "numeric_only") is not None:
            return node
        on = node.func.value
        if name in {"agg", "aggregate"} and _is_whole(on) and len(node.args) == 1 and not node.keywords:
            return _aggregated(node, on)
        if name not in _REDUCERS or is_series(on) or isinstance(on, ast.List | ast.Constant):
            return node
        if dotted(on).split(".")[0] in {"np", "numpy", "stats", "scipy", "math", "random"}:
            return node
        if not _takes(node, name):
            return node
        node.keywords.append(ast.keyword("numeric_only", ast.Constant(True)))
        return node


class _NumericGroups(_NumericOnly):
    """The same for groups of all columns anywhere before the line that failed."""

    def visit_Call(self, node: ast.Call) -> ast.AST:
        function = node.func
        of_groups = isinstance(function, ast.Attribute) and isinstance(function.value, ast.Call)
        if of_groups and isinstance(function, ast.Attribute) and method(function.value) == "groupby":  # type: ignore[arg-type]
            return super().visit_Call(node)
        self.generic_visit(node)
        return node


def _takes(node: ast.Call, name: str) -> bool:
    """Return True if the positional arguments are those of a frame's reduction."""
    if not node.args or name in _FIRST_IS_OTHER:
        return True
    first = node.args[0]
    if not isinstance(first, ast.Constant) or len(node.args) > 1:
        return False
    return isinstance(first.value, str) if name in _TEXT_IS_METHOD else first.value in (0, 1)


def _is_whole(on: ast.expr) -> bool:
    """Return True if an aggregation is of all columns: of a frame, or of groups without a selection."""
    return not is_series(on) and not isinstance(on, ast.Subscript)


def _aggregated(node: ast.Call, on: ast.expr) -> ast.AST:
    """`agg("mean")` takes `numeric_only`; several functions need the numeric columns to be selected."""
    how = node.args[0]
    if not isinstance(how, ast.List):
        one = isinstance(how, ast.Constant) or dotted(how).startswith(("np.", "numpy."))
        if one and isinstance(node.func, ast.Attribute):
            name = how.value if isinstance(how, ast.Constant) else dotted(how).rpartition(".")[2]
            if name in _REDUCERS:
                numeric = [ast.keyword("numeric_only", ast.Constant(True))]
                return ast.Call(ast.Attribute(on, str(name), ast.Load()), [], numeric)
        return node
    if isinstance(on, ast.Call) and method(on) == "groupby" and isinstance(on.func, ast.Attribute):
        keys = on.args[0] if on.args else keyword(on, "by")
        if isinstance(on.func.value, ast.Name) and isinstance(node.func, ast.Attribute) and keys is not None:
            frame = on.func.value.id
            node.func.value = ast.Subscript(on, _numeric_columns(frame, [keys]), ast.Load())
    elif isinstance(on, ast.Name) and isinstance(node.func, ast.Attribute):
        node.func.value = expression(f"{on.id}.select_dtypes('number')")
    return node


def _numeric_columns(frame: str, keys: list[ast.expr]) -> ast.expr:
    """Return the list of a frame's numeric columns that are no keys."""
    named: list[str] = []
    for key in keys:
        items = key.elts if isinstance(key, ast.List | ast.Tuple) else [key]
        named += [ast.unparse(item) for item in items if isinstance(item, ast.Constant)]
    numeric = f"{frame}.select_dtypes('number').columns"
    return expression(
        f"[c for c in {numeric} if c not in [{', '.join(named)}]]" if named else f"list({numeric})"
    )


def _pivot(node: ast.Call) -> ast.Call:
    """A pivot table without values took the numeric columns."""
    first = node.args[0] if node.args else None
    is_method = isinstance(node.func, ast.Attribute) and dotted(node.func.value) not in {"pd", "pandas"}
    frame = (
        node.func.value
        if is_method and isinstance(node.func, ast.Attribute)
        else first or keyword(node, "data")
    )
    given = len(node.args) > (0 if is_method else 1) or keyword(node, "values") is not None
    if given or not isinstance(frame, ast.Name):
        return node
    keys = [value for name in ("index", "columns") if (value := keyword(node, name)) is not None]
    node.keywords.append(ast.keyword("values", _numeric_columns(frame.id, keys)))
    return node


def _numpy(node: ast.Call) -> ast.Call:
    """`np.mean(df)` called the frame's own reduction."""
    on = node.args[0] if len(node.args) == 1 else None
    if not isinstance(on, ast.Name | ast.Call) or is_series(on) or {k.arg for k in node.keywords} - {"axis"}:
        return node
    numeric = ast.keyword("numeric_only", ast.Constant(True))
    return ast.Call(ast.Attribute(on, method(node), ast.Load()), [], [*node.keywords, numeric])


class _ColumnNamed(ast.NodeTransformer):
    """`groupby("a").mean("b")` took any text for `numeric_only=True`."""

    def visit_Call(self, node: ast.Call) -> ast.AST:
        self.generic_visit(node)
        named = len(node.args) == 1 and isinstance(node.args[0], ast.Constant | ast.List)
        if method(node) in _REDUCERS - {"corr"} and isinstance(node.func, ast.Attribute) and named:
            first = node.args[0]
            if isinstance(first, ast.List) or (
                isinstance(first, ast.Constant) and isinstance(first.value, str)
            ):
                node.args = []
                node.keywords.append(ast.keyword("numeric_only", ast.Constant(True)))
        return node


class _Interpolate(ast.NodeTransformer):
    """`df.interpolate()` left text columns as they were."""

    def visit_Expr(self, node: ast.Expr) -> ast.AST:
        call = node.value
        if not isinstance(call, ast.Call) or not isinstance(call.func, ast.Attribute):
            return self.generic_visit(node)
        on, flag = call.func.value, keyword(call, "inplace")
        if (
            method(call) == "interpolate"
            and isinstance(on, ast.Name)
            and isinstance(flag, ast.Constant)
            and flag.value
        ):
            call.keywords = [k for k in call.keywords if k.arg != "inplace"]
            return ast.Assign([ast.Name(on.id, ast.Store())], self.visit_Call(call))
        return self.generic_visit(node)

    def visit_Call(self, node: ast.Call) -> ast.expr:
        self.generic_visit(node)
        if method(node) != "interpolate" or not isinstance(node.func, ast.Attribute):
            return node
        on = node.func.value
        if not isinstance(on, ast.Name) or keyword(node, "inplace") is not None:
            return node
        node.func.value = expression(f"{on.id}.select_dtypes('number')")
        return ast.Call(ast.Attribute(on, "assign", ast.Load()), [], [ast.keyword(None, node)])


RULES = (
    RepairRule(
        "column_as_flag",
        "a reduction takes no column; any text once meant numeric_only=True",
        _ColumnNamed().visit,
        r"numeric_only accepts only Boolean|No axis named",
        reach="fault first",
    ),
    RepairRule(
        "numeric_only",
        "reductions no longer leave out text columns by themselves",
        _NumericOnly().visit,
        _FAULT,
        reach="fault",
    ),
    RepairRule(
        "numeric_groups",
        "sums of groups join text now, which no chart can draw",
        _NumericGroups().visit,
        r"could not convert string to float|Image data of dtype|cannot be converted to float"
        r"|unsupported operand",
    ),
    RepairRule(
        "numeric_interpolation",
        "interpolate no longer leaves text columns as they are",
        _Interpolate().visit,
        r"[Cc]annot interpolate with",
        reach="fault",
    ),
)
