"""What seaborn removed or changed from 0.9 to 0.13, beyond plain renames (`renamed`)."""

from __future__ import annotations

import ast
import re

from lakebook.enhancement.repairs.frames import assigned
from lakebook.enhancement.repairs.modules import Modules
from lakebook.enhancement.repairs.rule import RepairRule, expression
from lakebook.enhancement.script import Script, keyword, method

# The order in which these functions once took their arguments; now all but `data` are keywords.
_XY = ("x", "y", "hue", "data")
_CATEGORICAL = (
    "countplot", "barplot", "boxplot", "violinplot", "stripplot", "swarmplot", "pointplot", "boxenplot",
    "lvplot",
)  # fmt: skip
_ORDER = {
    **dict.fromkeys(_CATEGORICAL, _XY),
    "factorplot": _XY, "catplot": _XY,
    "scatterplot": ("x", "y", "hue", "style", "size", "data"),
    "lineplot": ("x", "y", "hue", "size", "style", "data"),
    "relplot": ("x", "y", "hue", "size", "style", "data"),
    "regplot": ("x", "y", "data"), "residplot": ("x", "y", "data"), "lmplot": ("x", "y", "data"),
    "jointplot": ("x", "y", "data"), "kdeplot": ("x", "y"),
}  # fmt: skip
# These take one vector today, but along the other axis.
_TURNED = frozenset(_CATEGORICAL)
_HISTOGRAM = frozenset({"color", "label", "ax", "bins"})


class _Keywords(ast.NodeTransformer):
    """`countplot("x", data=df)` and `barplot(df.x, df.y)`: the first argument is `data` now."""

    def __init__(self, script: Script) -> None:
        self.script = script
        self.modules = Modules.of(script)

    def visit_Call(self, node: ast.Call) -> ast.AST:
        self.generic_visit(node)
        module, _, name = self.modules.full(node.func).rpartition(".")
        order = _ORDER.get(name)
        if module != "seaborn" or order is None or not self._is_old(node, name):
            return node
        given = {item.arg for item in node.keywords}
        named = [
            ast.keyword(one, value) for one, value in zip(order, node.args, strict=False) if one not in given
        ]
        if len(named) == len(node.args):
            node.args, node.keywords = [], [*named, *node.keywords]
        return node

    def _is_old(self, node: ast.Call, name: str) -> bool:
        if not node.args or any(isinstance(arg, ast.Starred) for arg in node.args):
            return False
        if len(node.args) > 1 or keyword(node, "data") is not None:
            return True
        if keyword(node, "x") is not None:
            return False
        hue = isinstance(keyword(node, "hue"), ast.Subscript | ast.Attribute)
        return hue or (name in _TURNED and self._is_column(node.args[0]))

    def _is_column(self, node: ast.expr) -> bool:
        if isinstance(node, ast.Subscript):
            one = isinstance(node.slice, ast.Constant) and isinstance(node.slice.value, str)
            return one or (isinstance(node.slice, ast.Name) and not self._is_list(node.slice))
        return (
            isinstance(node, ast.Attribute)
            and isinstance(node.value, ast.Name)
            and node.attr not in {"T", "values"}
        )

    def _is_list(self, node: ast.Name) -> bool:
        return any(not isinstance(value, ast.Constant) for value in assigned(self.script, node.id))


class _Distplot(ast.NodeTransformer):
    """`distplot` drew a density histogram with a density curve, unless told otherwise."""

    def visit_Call(self, node: ast.Call) -> ast.AST:
        self.generic_visit(node)
        if method(node) != "distplot" or not isinstance(node.func, ast.Attribute):
            return node
        module = ast.unparse(node.func.value)
        off = {
            k.arg
            for k in node.keywords
            if isinstance(k.value, ast.Constant) and k.value.value in (False, None)
        }
        kept = [k for k in node.keywords if k.arg in _HISTOGRAM - {"bins"}]
        if "hist" in off:
            return ast.Call(expression(f"{module}.kdeplot"), node.args[:1], kept)
        bins = [k for k in node.keywords if k.arg == "bins"] or [
            ast.keyword("bins", a) for a in node.args[1:2]
        ]
        normed = keyword(node, "norm_hist")
        if "kde" not in off:
            kept.append(ast.keyword("kde", ast.Constant(True)))
        if "kde" not in off or (isinstance(normed, ast.Constant) and normed.value):
            kept.append(ast.keyword("stat", ast.Constant("density")))
        return ast.Call(expression(f"{module}.histplot"), node.args[:1], [*bins, *kept])


class _Factorplot(ast.NodeTransformer):
    """`factorplot` is `catplot`; it drew points unless told otherwise, and counts of a lone column."""

    def __init__(self, modules: Modules) -> None:
        self.modules = modules

    def visit_ImportFrom(self, node: ast.ImportFrom) -> ast.AST:
        for alias in node.names if node.module == "seaborn" else ():
            if alias.name == "factorplot":
                alias.name, alias.asname = "catplot", alias.asname or "factorplot"
        return node

    def visit_Call(self, node: ast.Call) -> ast.AST:
        self.generic_visit(node)
        if self.modules.full(node.func) != "seaborn.factorplot":
            return node
        if isinstance(node.func, ast.Attribute):
            node.func.attr = "catplot"
        if keyword(node, "kind") is None:
            alone = (keyword(node, "x") is None) != (keyword(node, "y") is None)
            node.keywords.append(ast.keyword("kind", ast.Constant("count" if alone else "point")))
        names = {"size": "height", "x_order": "order"}
        for item in node.keywords:
            item.arg = names.get(item.arg or "", item.arg)
        return node


class _Tsplot(ast.NodeTransformer):
    """`tsplot` drew a mean over units; `lineplot` does, over rows of the same time."""

    def visit_Call(self, node: ast.Call) -> ast.AST:
        self.generic_visit(node)
        if method(node) != "tsplot" or not isinstance(node.func, ast.Attribute):
            return node
        names = {"time": "x", "value": "y", "condition": "hue", "data": "data", "color": "color", "ax": "ax"}
        data = node.args[0] if node.args else keyword(node, "data")
        time, value = keyword(node, "time"), keyword(node, "value")
        kept = [ast.keyword(names[k.arg], k.value) for k in node.keywords if k.arg in names]
        if data is not None and isinstance(time, ast.Constant) and isinstance(value, ast.Constant):
            if node.args:
                kept.append(ast.keyword("data", data))
        elif data is not None:
            kept = [k for k in kept if k.arg not in {"data", "x", "hue", "y"}]
            x = time if time is not None else expression(f"range(len({ast.unparse(data)}))")
            kept = [ast.keyword("x", x), ast.keyword("y", data), *kept]
        else:
            return node
        return ast.Call(expression(f"{ast.unparse(node.func.value)}.lineplot"), [], kept)


class _Annotate(ast.NodeTransformer):
    """A grid no longer writes a statistic on its chart."""

    def visit_Expr(self, node: ast.Expr) -> ast.AST | None:
        call = node.value
        if isinstance(call, ast.Call) and method(call) == "annotate" and isinstance(call.func, ast.Attribute):
            on = call.func.value
            return ast.Expr(on) if isinstance(on, ast.Call) else None
        return node

    def visit_Assign(self, node: ast.Assign) -> ast.AST:
        call = node.value
        if isinstance(call, ast.Call) and method(call) == "annotate" and isinstance(call.func, ast.Attribute):
            node.value = call.func.value
        return node


class _PaletteHue(ast.NodeTransformer):
    """A palette colors the levels of `hue`; without one, it once colored those of the category axis."""

    def __init__(self, axis: str) -> None:
        self.axis = axis

    def visit_Call(self, node: ast.Call) -> ast.AST:
        self.generic_visit(node)
        levels = keyword(node, self.axis)
        colored = keyword(node, "palette") is not None and keyword(node, "hue") is None
        if method(node) in _ORDER and colored and levels is not None:
            node.keywords += [ast.keyword("hue", levels), ast.keyword("legend", ast.Constant(False))]
        return node


def palette_rule(warning: str) -> RepairRule | None:
    """Return the rule for seaborn's warning on a palette without a hue, which names the axis."""
    found = re.search(
        r"`palette` without assigning `hue`.*?[Aa]ssign the `(\w)` variable", warning, re.DOTALL
    )
    if not found:
        return None
    return RepairRule("palette_hue", "a palette needs a hue", _PaletteHue(found[1]).visit)


class _Vectors(ast.NodeTransformer):
    """Vectors with repeated labels were drawn row by row; they are aligned by their labels now."""

    def visit_Call(self, node: ast.Call) -> ast.AST:
        self.generic_visit(node)
        if method(node) not in _ORDER or keyword(node, "data") is not None:
            return node
        for item in node.keywords:
            done = isinstance(item.value, ast.Call) and method(item.value) == "reset_index"
            literal = isinstance(item.value, ast.Constant | ast.List)
            if item.arg in {"x", "y", "hue"} and not literal and not done:
                item.value = expression(f"{ast.unparse(item.value)}.reset_index(drop=True)")
        return node


class _ConfidenceIntervals(ast.NodeTransformer):
    """`ci` is `errorbar`."""

    def visit_Call(self, node: ast.Call) -> ast.AST:
        self.generic_visit(node)
        for item in node.keywords:
            if item.arg == "ci" and method(node) in {*_CATEGORICAL, "lineplot", "catplot", "relplot"}:
                item.arg = "errorbar"
                if isinstance(item.value, ast.Constant) and isinstance(item.value.value, int | float):
                    item.value = ast.Tuple([ast.Constant("ci"), item.value], ast.Load())
        return node


RULES = (
    RepairRule(
        "seaborn_keywords",
        "seaborn takes columns by keyword only",
        plan=lambda scene: _Keywords(scene.script).visit,
        only=r"plot",
    ),
    RepairRule(
        "factorplot_to_catplot",
        "factorplot was renamed catplot",
        plan=lambda scene: _Factorplot(Modules.of(scene.script)).visit,
        only=r"factorplot",
    ),
    RepairRule("tsplot_to_lineplot", "tsplot was removed", _Tsplot().visit, r"no attribute 'tsplot'"),
    RepairRule("distplot_to_histplot", "distplot was removed", _Distplot().visit, r"no attribute 'distplot'"),
    RepairRule(
        "grid_annotation",
        "a grid no longer writes a statistic on its chart",
        _Annotate().visit,
        r"'(JointGrid|FacetGrid|PairGrid)' object has no attribute 'annotate'",
        reach="fault first",
    ),
    RepairRule(
        "rows_in_order",
        "vectors with repeated labels cannot be aligned",
        _Vectors().visit,
        r"cannot reindex on an axis with duplicate labels",
        reach="fault",
    ),
    RepairRule(
        "ci_to_errorbar",
        "ci is called errorbar",
        _ConfidenceIntervals().visit,
        r"keyword argument 'ci'|errorbar",
    ),
)
