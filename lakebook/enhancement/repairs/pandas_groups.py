"""Groups, aggregates and counts of pandas whose arguments or results have another shape.

What belongs here: what raises, and needs more than another name (`renamed`).
"""

from __future__ import annotations

import ast
import re

from lakebook.enhancement.repairs.rule import RepairRule, Scene, expression
from lakebook.enhancement.script import Edit, dotted, keyword, method


class _GroupsByRows(ast.NodeTransformer):
    """`groupby(keys, axis=1)` grouped columns."""

    def visit_Call(self, node: ast.Call) -> ast.AST:
        self.generic_visit(node)
        on = node.func.value if isinstance(node.func, ast.Attribute) else None
        if isinstance(on, ast.Call) and method(on) == "groupby" and isinstance(on.func, ast.Attribute):
            axis = keyword(on, "axis")
            if isinstance(axis, ast.Constant) and axis.value in (0, "index"):
                on.keywords = [k for k in on.keywords if k.arg != "axis"]
            elif isinstance(axis, ast.Constant) and axis.value in (1, "columns"):
                on.keywords = [k for k in on.keywords if k.arg != "axis"]
                on.func.value = ast.Attribute(on.func.value, "T", ast.Load())
                return ast.Attribute(node, "T", ast.Load())
        return node


class _NamedAggregation(ast.NodeTransformer):
    """`agg({"a": {"n": "mean"}})` and `["a"].agg({"n": "mean"})` named their results."""

    def visit_Call(self, node: ast.Call) -> ast.AST:
        self.generic_visit(node)
        how = node.args[0] if len(node.args) == 1 else None
        if method(node) not in {"agg", "aggregate"} or not isinstance(how, ast.Dict) or node.keywords:
            return node
        if any(isinstance(value, ast.Dict) for value in how.values):
            return self._nested(node, how)
        on = node.func.value if isinstance(node.func, ast.Attribute) else node
        of_frame = isinstance(on, ast.Subscript) and isinstance(on.slice, ast.List)
        if of_frame or not isinstance(on, ast.Subscript | ast.Attribute):
            return node  # the keys are columns
        names = [
            key.value for key in how.keys if isinstance(key, ast.Constant) and isinstance(key.value, str)
        ]
        if len(names) == len(how.keys) and all(name.isidentifier() for name in names):
            node.keywords = [ast.keyword(n, v) for n, v in zip(names, how.values, strict=True)]
            node.args = []
        elif len(names) == len(how.keys):
            unpacked = ast.Dict([ast.Constant(n) for n in names], how.values)
            node.args, node.keywords = [], [ast.keyword(None, unpacked)]
        return node

    def _nested(self, node: ast.Call, how: ast.Dict) -> ast.AST:
        renamed: dict[str, str] = {}
        for place, value in enumerate(how.values):
            if not isinstance(value, ast.Dict):
                continue
            for key, function in zip(value.keys, value.values, strict=True):
                old = (
                    function.value
                    if isinstance(function, ast.Constant)
                    else dotted(function).rpartition(".")[2]
                )
                new = key.value if isinstance(key, ast.Constant) else None
                if (
                    not isinstance(old, str)
                    or not old
                    or not isinstance(new, str)
                    or renamed.get(old, new) != new
                ):
                    return node
                renamed[old] = new
            how.values[place] = ast.List(value.values, ast.Load())
        rename = ast.Attribute(node, "rename", ast.Load())
        keywords = [ast.keyword("columns", expression(repr(renamed))), ast.keyword("level", ast.Constant(1))]
        return ast.Call(rename, [], keywords)


class _GroupKeys(ast.NodeTransformer):
    """`groupby("a").apply(f)` handed `a` to `f` too."""

    def __init__(self, column: str) -> None:
        self.column = column

    def visit_Call(self, node: ast.Call) -> ast.AST:
        self.generic_visit(node)
        on = node.func.value if isinstance(node.func, ast.Attribute) else None
        if method(node) != "apply" or not isinstance(on, ast.Call) or method(on) != "groupby":
            return node
        key = on.args[0] if on.args else None
        frame = on.func.value if isinstance(on.func, ast.Attribute) else None
        one = key.elts[0] if isinstance(key, ast.List) and len(key.elts) == 1 else key
        if isinstance(one, ast.Constant) and one.value == self.column and isinstance(frame, ast.Name):
            on.args[0] = expression(f"{frame.id}[{self.column!r}].copy()")
        return node


def _group_keys(scene: Scene) -> Edit:
    found = re.search(r"'([^']+)'", scene.fault.message)
    return _GroupKeys(found[1]).visit if found else lambda statement: statement


class _Resample(ast.NodeTransformer):
    """`resample("D", how="mean")` is `resample("D").mean()`."""

    def visit_Call(self, node: ast.Call) -> ast.AST:
        self.generic_visit(node)
        if method(node) != "resample" or not isinstance(node.func, ast.Attribute):
            return node
        how = keyword(node, "how") or (node.args[1] if len(node.args) == 2 else None)
        fill = keyword(node, "fill_method")
        if how is None and fill is None:
            return node
        node.keywords = [k for k in node.keywords if k.arg not in {"how", "fill_method"}]
        node.args = node.args[:1]
        made: ast.expr = node
        if isinstance(how, ast.Constant) and isinstance(how.value, str):
            made = ast.Call(ast.Attribute(made, how.value, ast.Load()), [], [])
        elif how is not None:
            made = ast.Call(ast.Attribute(made, "agg", ast.Load()), [how], [])
        elif fill is None:
            made = ast.Call(ast.Attribute(made, "mean", ast.Load()), [], [])
        if isinstance(fill, ast.Constant):
            way = "ffill" if fill.value in {"ffill", "pad"} else "bfill"
            made = ast.Call(ast.Attribute(made, way, ast.Load()), [], [])
        return made


RULES = (
    RepairRule(
        "groups_of_columns",
        "groupby no longer takes an axis",
        _GroupsByRows().visit,
        r"groupby\(\) got an unexpected keyword argument 'axis'",
    ),
    RepairRule(
        "named_aggregation",
        "a nested dictionary no longer names aggregates",
        _NamedAggregation().visit,
        r"SpecificationError|nested renamer",
        reach="fault",
    ),
    RepairRule(
        "group_keys",
        "apply no longer hands the key to the function",
        fault=r"^KeyError: '",
        plan=_group_keys,
    ),
    RepairRule(
        "resample_how",
        "resample no longer takes how",
        _Resample().visit,
        r"resample\(\) (got an unexpected keyword argument '(how|fill_method)'|takes)",
    ),
)
