"""`value_counts` and the names that it gives to its results, which changed in pandas 2.

What belongs here: both forms, that which raises nothing and that which does.
"""

from __future__ import annotations

import ast

from lakebook.enhancement.repairs.frames import assigned, series_name
from lakebook.enhancement.repairs.rule import RepairRule, Scene
from lakebook.enhancement.script import Edit, Script, method


class _ValueCounts(ast.NodeTransformer):
    """`value_counts().reset_index()` gave columns `index` and the counted column's own name.

    With `frames`, `value_counts().to_frame()` is given its old name too.
    """

    def __init__(self, script: Script, *, to_frames: bool) -> None:
        self.script = script
        self.to_frames = to_frames

    def visit_Call(self, node: ast.Call) -> ast.AST:
        self.generic_visit(node)
        function = node.func
        if not isinstance(function, ast.Attribute):
            return node
        if (
            function.attr == "reset_index"
            and not ({k.arg for k in node.keywords} - {"name"})
            and not node.args
        ):
            return self._reset(node, function)
        if function.attr == "to_frame" and self.to_frames and not node.args and not node.keywords:
            name = self._counted(function.value)
            if name is not None and not _is_renamed(function.value):
                plain = ast.Call(
                    ast.Attribute(function.value, "rename_axis", ast.Load()), [ast.Constant(None)], []
                )
                return ast.Call(ast.Attribute(plain, "to_frame", ast.Load()), [name], [])
        return node

    def _reset(self, node: ast.Call, function: ast.Attribute) -> ast.Call:
        base = function.value
        if isinstance(base, ast.Call) and method(base) == "to_frame" and isinstance(base.func, ast.Attribute):
            base = base.func.value
        name = self._counted(base)
        if name is None or _is_renamed(base):
            return node
        axis = ast.Call(ast.Attribute(base, "rename_axis", ast.Load()), [ast.Constant("index")], [])
        named = node.keywords or [ast.keyword("name", name)]
        return ast.Call(ast.Attribute(axis, "reset_index", ast.Load()), [], named)

    def _counted(self, node: ast.expr) -> ast.expr | None:
        """Return the name of the column that was counted, None if this counts none."""
        seen: set[str] = set()  # `df = df.reset_index()` leads back to itself
        while True:
            if (
                isinstance(node, ast.Call)
                and method(node) == "value_counts"
                and isinstance(node.func, ast.Attribute)
            ):
                return series_name(node.func.value)
            if isinstance(node, ast.Call) and isinstance(node.func, ast.Attribute):
                node = node.func.value
            elif isinstance(node, ast.Subscript):
                node = node.value
            elif isinstance(node, ast.Name):
                values = list(assigned(self.script, node.id))
                if len(values) != 1 or node.id in seen:
                    return None
                seen.add(node.id)
                node = values[0]
            else:
                return None


def _is_renamed(node: ast.expr) -> bool:
    made = (n for n in ast.walk(node) if isinstance(n, ast.Call))
    return any(method(call) in {"rename_axis", "rename", "reset_index", "to_frame"} for call in made)


def _index_columns(scene: Scene) -> Edit:
    """Restore the old names where the script goes on to use a column called `index`."""
    used = any(_is_index_column(node) for node in scene.script.nodes())
    return _ValueCounts(scene.script, to_frames=False).visit if used else lambda statement: statement


def _is_index_column(node: ast.AST) -> bool:
    if isinstance(node, ast.Subscript):
        keys = node.slice.elts if isinstance(node.slice, ast.List) else [node.slice]
        return any(_text(key) == "index" for key in keys)
    if isinstance(node, ast.Dict):
        return any(key is not None and _text(key) == "index" for key in node.keys)
    if isinstance(node, ast.Call):
        drawn = {"x", "y", "names", "labels", "values", "path", "by", "locations", "color", "hue"}
        named = any(k.arg in drawn and _text(k.value) == "index" for k in node.keywords)
        return named or (
            method(node) in {"sort_values", "set_index"} and any(_text(a) == "index" for a in node.args)
        )
    return False


def _text(node: ast.expr) -> str:
    return node.value if isinstance(node, ast.Constant) and isinstance(node.value, str) else ""


RULES = (
    RepairRule(
        "value_counts_index",
        "value_counts().reset_index() names its columns otherwise",
        plan=lambda scene: _index_columns(scene),
        only=r"value_counts|reset_index",
    ),
    RepairRule(
        "value_counts_names",
        "value_counts names its columns otherwise",
        fault=r"KeyError|Could not interpret value|not the name of a column|ValueError: Value of '\w+'"
        r"|object has no attribute",
        plan=lambda scene: _ValueCounts(scene.script, to_frames=True).visit,
    ),
)
