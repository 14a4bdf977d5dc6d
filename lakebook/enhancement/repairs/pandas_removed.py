"""Methods and functions that pandas removed from 0.20 to 3.0 and whose successor has another shape.

What belongs here: what raises, and needs more than another name (`renamed`).
"""

from __future__ import annotations

import ast

from lakebook.enhancement.repairs.frames import assigned, is_series
from lakebook.enhancement.repairs.modules import Modules
from lakebook.enhancement.repairs.rule import RepairRule, expression
from lakebook.enhancement.script import Script, dotted, keyword, method

_MOVING = {
    **{f"rolling_{n}": ("rolling", n) for n in ("mean", "std", "var", "sum", "min", "max", "median")},
    "rolling_corr": ("rolling", "corr"), "rolling_cov": ("rolling", "cov"),
    **{f"expanding_{n}": ("expanding", n) for n in ("mean", "std", "var", "sum", "min", "max", "median")},
    "ewma": ("ewm", "mean"), "ewmstd": ("ewm", "std"), "ewmvar": ("ewm", "var"),
}  # fmt: skip

# The method -> what stands for it, and the number of its arguments.
_WRITTEN = {
    "mad": ("({on} - {on}.mean()).abs().mean()", 0),
    "irow": ("{on}.iloc[{}]", 1),
    "iget": ("{on}.iloc[{}]", 1),
    "iget_value": ("{on}.iloc[{}]", 1),
    "icol": ("{on}.iloc[:, {}]", 1),
    "get_value": ("{on}.loc[{}, {}]", 2),
    "convert_objects": ("{on}.apply(pd.to_numeric, errors='coerce')", 0),
    "swapaxes": ("{on}.T", 2),
    "get_dtype_counts": ("{on}.dtypes.value_counts()", 0),
}
_AS_KEYWORD = {
    "clip_upper": ("clip", "upper"),
    "clip_lower": ("clip", "lower"),
    "sortlevel": ("sort_index", "level"),
}
_ROW = (ast.Dict, ast.DictComp)


class _Append(ast.NodeTransformer):
    """`a.append(b)` made a new frame. A statement `names.append(x)` is a list's."""

    def __init__(self, script: Script) -> None:
        self.script = script

    def visit_Expr(self, node: ast.Expr) -> ast.AST:
        return node

    def visit_Call(self, node: ast.Call) -> ast.AST:
        self.generic_visit(node)
        if method(node) != "append" or not isinstance(node.func, ast.Attribute) or len(node.args) != 1:
            return node
        other = node.args[0]
        parts = other.elts if isinstance(other, ast.List) else [other]
        rows = [part for part in parts if self._is_row(part)]
        if rows and len(rows) == len(parts):
            parts = [ast.Call(expression("pd.DataFrame"), [ast.List(rows, ast.Load())], [])]
        kept = [k for k in node.keywords if k.arg in {"ignore_index", "sort", "verify_integrity"}]
        return ast.Call(expression("pd.concat"), [ast.List([node.func.value, *parts], ast.Load())], kept)

    def _is_row(self, node: ast.expr) -> bool:
        if isinstance(node, ast.Name):
            values = [one for one in assigned(self.script, node.id) if not isinstance(one, ast.Name)]
            return any(self._is_row(value) for value in values)
        return isinstance(node, _ROW) or (
            isinstance(node, ast.Call) and dotted(node.func) in {"dict", "pd.Series"}
        )


class _Sort(ast.NodeTransformer):
    """`sort`, `order` and `sort_index(by=…)` became `sort_values`; a column's own `sort` was in place."""

    def visit_Expr(self, node: ast.Expr) -> ast.AST:
        call = node.value
        if isinstance(call, ast.Call) and method(call) == "sort" and isinstance(call.func, ast.Attribute):
            call.func.attr = "sort_values"
            self._named(call)
            call.keywords.append(ast.keyword("inplace", ast.Constant(True)))
            return node
        return self.generic_visit(node)

    def visit_Call(self, node: ast.Call) -> ast.AST:
        self.generic_visit(node)
        if isinstance(node.func, ast.Attribute) and (
            node.func.attr in {"sort", "order"}
            or (node.func.attr == "sort_index" and keyword(node, "by") is not None)
        ):
            node.func.attr = "sort_values"
            self._named(node)
        return node

    def _named(self, node: ast.Call) -> None:
        for item in node.keywords:
            item.arg = "by" if item.arg in {"columns", "column"} else item.arg
        node.keywords = [k for k in node.keywords if k.arg != "inplace" or not _is_false(k.value)]


def _is_false(node: ast.expr) -> bool:
    return isinstance(node, ast.Constant) and node.value is False


class _FillMethod(ast.NodeTransformer):
    """`fillna(method="ffill")` is `ffill()`."""

    def visit_Call(self, node: ast.Call) -> ast.AST:
        self.generic_visit(node)
        how = keyword(node, "method")
        if method(node) not in {"fillna", "replace"} or not isinstance(node.func, ast.Attribute):
            return node
        if how is None and len(node.args) == 1 and isinstance(node.args[0], ast.Constant):
            how = node.args[0] if node.args[0].value in {"ffill", "pad", "bfill", "backfill"} else None
        if not isinstance(how, ast.Constant) or how.value not in {"ffill", "pad", "bfill", "backfill"}:
            return node
        way = "ffill" if how.value in {"ffill", "pad"} else "bfill"
        rest = [k for k in node.keywords if k.arg not in {"method", "value"}]
        return ast.Call(ast.Attribute(node.func.value, way, ast.Load()), [], rest)


class _Moving(ast.NodeTransformer):
    """`pd.rolling_mean(s, 12)` is `s.rolling(12).mean()`."""

    def __init__(self, modules: Modules) -> None:
        self.modules = modules

    def visit_Call(self, node: ast.Call) -> ast.AST:
        self.generic_visit(node)
        module, _, name = self.modules.full(node.func).rpartition(".")
        if module not in {"pandas", "pandas.stats.moments"} or name not in _MOVING:
            return node
        window, reduction = _MOVING[name]
        pair = name in {"rolling_corr", "rolling_cov"}
        series = node.args[0] if node.args else keyword(node, "arg")
        rest = node.args[1:]
        if series is None or (pair and not rest):
            return node
        other = [rest.pop(0)] if pair else []
        kept = [k for k in node.keywords if k.arg not in {"arg", "freq", "how"}]
        moving = ast.Call(ast.Attribute(series, window, ast.Load()), rest, kept)
        return ast.Call(ast.Attribute(moving, reduction, ast.Load()), other, [])


class _Functions(ast.NodeTransformer):
    """Functions of pandas that became methods, or want a column now."""

    def __init__(self, modules: Modules) -> None:
        self.modules = modules

    def visit_Call(self, node: ast.Call) -> ast.AST:
        self.generic_visit(node)
        full = self.modules.full(node.func)
        if not node.args:
            return node
        first = ast.unparse(node.args[0])
        if full == "pandas.value_counts":
            made = expression(f"pd.Series({first}).value_counts()")
            if isinstance(made, ast.Call):
                made.keywords = node.keywords
            return made
        if full == "pandas.unique" and not is_series(node.args[0]):
            return expression(f"pd.Series({first}).unique()")
        if full == "pandas.TimeGrouper":
            return ast.Call(expression("pd.Grouper"), [], [ast.keyword("freq", node.args[0]), *node.keywords])
        if full == "numpy.asscalar":
            return expression(f"np.asarray({first}).item()")
        if full == "numpy.msort":
            return expression(f"np.sort({first}, axis=0)")
        return node


class _Methods(ast.NodeTransformer):
    """Methods whose successor has another shape."""

    def visit_Call(self, node: ast.Call) -> ast.AST:
        self.generic_visit(node)
        if not isinstance(node.func, ast.Attribute):
            return node
        name, arguments = node.func.attr, [ast.unparse(arg) for arg in node.args]
        form, count = _WRITTEN.get(name, ("", 0))
        if form and len(arguments) == count:
            return expression(form.format(*arguments, on=ast.unparse(node.func.value)))
        if name in _AS_KEYWORD and arguments:
            node.func.attr, argument = _AS_KEYWORD[name]
            node.keywords = [ast.keyword(argument, node.args.pop(0)), *node.keywords]
        elif name == "tshift":
            node.func.attr = "shift"
            node.keywords.append(ast.keyword("freq", ast.Constant("infer")))
        elif name == "reindex_axis":
            node.func.attr = "reindex"
        elif name == "draggable":
            node.func.attr = "set_draggable"
            node.args = node.args or [ast.Constant(True)]
        return node


class _MapperAxis(ast.NodeTransformer):
    """`rename_axis` with a mapping renamed labels."""

    def visit_Call(self, node: ast.Call) -> ast.AST:
        self.generic_visit(node)
        first = node.args[0] if node.args else None
        if isinstance(node.func, ast.Attribute) and isinstance(first, ast.Dict | ast.Lambda):
            node.func.attr = "rename" if node.func.attr == "rename_axis" else node.func.attr
        return node


def _gone(names: str) -> str:
    return rf"AttributeError: .*has no attribute '({names})'"


class _AxisBeside(ast.NodeTransformer):
    """With `index` or `columns` given, `drop` and `rename` ignored an axis."""

    def visit_Call(self, node: ast.Call) -> ast.AST:
        self.generic_visit(node)
        named = {one.arg for one in node.keywords}
        if method(node) in {"drop", "rename"} and "axis" in named and named & {"index", "columns"}:
            node.keywords = [one for one in node.keywords if one.arg != "axis"]
        return node


RULES = (
    RepairRule(
        "append_to_concat",
        "append of frames was removed",
        fault=r"AttributeError: '(DataFrame|Series|\w*Index)' object has no attribute 'append'",
        plan=lambda scene: _Append(scene.script).visit,
    ),
    RepairRule(
        "sort_to_sort_values",
        "sort and order were removed",
        _Sort().visit,
        rf"{_gone('sort|order')}|unexpected keyword argument 'by'",
        reach="fault",
    ),
    RepairRule(
        "fill_method",
        "fillna no longer takes a method",
        _FillMethod().visit,
        r"unexpected keyword argument 'method'|ffill|backfill",
    ),
    RepairRule(
        "moving_window",
        "functions over moving windows became methods",
        fault=_gone(r"rolling_\w+|expanding_\w+|ewm\w+") + "|No module named 'pandas.stats'",
        plan=lambda scene: _Moving(Modules.of(scene.script)).visit,
    ),
    RepairRule(
        "function_to_method",
        "a function was removed or wants a column now",
        fault=_gone("value_counts|TimeGrouper|asscalar|msort") + "|unique requires a Series",
        plan=lambda scene: _Functions(Modules.of(scene.script)).visit,
    ),
    RepairRule(
        "removed_method",
        "a method was removed and has a successor of another shape",
        _Methods().visit,
        _gone(
            "mad|clip_upper|clip_lower|irow|icol|iget|iget_value|get_value|convert_objects|sortlevel|tshift"
            "|reindex_axis|swapaxes|get_dtype_counts|draggable"
        ),
        reach="fault",
    ),
    RepairRule(
        "renamed_labels",
        "rename_axis no longer renames labels",
        _MapperAxis().visit,
        r"Use `\.rename` to alter labels",
    ),
    RepairRule(
        "axis_beside_columns",
        "an axis beside index or columns was ignored, and is refused now",
        _AxisBeside().visit,
        r"Cannot specify both 'axis' and",
    ),
)
