"""Fixes for what seaborn, matplotlib and plotly removed or changed."""

from __future__ import annotations

import ast
import re

from lakebook.enhancement.repairs.rule import RepairRule, expression
from lakebook.enhancement.script import dotted, keyword, method

# The order in which these functions once took their arguments; now all but `data` are keywords.
_XY = ("x", "y", "hue", "data")
_ORDER = {
    "countplot": _XY, "barplot": _XY, "boxplot": _XY, "violinplot": _XY, "stripplot": _XY, "swarmplot": _XY,
    "pointplot": _XY, "boxenplot": _XY, "factorplot": _XY, "catplot": _XY,
    "scatterplot": ("x", "y", "hue", "style", "size", "data"),
    "lineplot": ("x", "y", "hue", "size", "style", "data"),
    "regplot": ("x", "y", "data"), "residplot": ("x", "y", "data"), "lmplot": ("x", "y", "data"),
    "jointplot": ("x", "y", "data"), "kdeplot": ("x", "y"),
}  # fmt: skip
_GRIDS = frozenset(
    {"FacetGrid", "PairGrid", "factorplot", "catplot", "pairplot", "lmplot", "jointplot", "relplot"}
)
_KEYWORDS = {"normed": "density", "b": "visible", "shade": "fill"}


class _Positional(ast.NodeTransformer):
    """`countplot("x", data=df)` and `barplot(df.x, df.y)`: the first argument is `data` now."""

    def visit_Call(self, node: ast.Call) -> ast.AST:
        self.generic_visit(node)
        order = _ORDER.get(method(node))
        if order is None or not dotted(node.func).startswith(("sns.", "seaborn.")) or not self._is_old(node):
            return node
        given = {item.arg for item in node.keywords}
        named = [
            ast.keyword(name, value)
            for name, value in zip(order, node.args, strict=False)
            if name not in given
        ]
        if len(named) == len(node.args):
            node.args, node.keywords = [], [*named, *node.keywords]
        return node

    def _is_old(self, node: ast.Call) -> bool:
        if not node.args or any(isinstance(arg, ast.Starred) for arg in node.args):
            return False
        if len(node.args) > 1 or keyword(node, "data") is not None:
            return not (
                len(node.args) == 1 and isinstance(node.args[0], ast.Name) and keyword(node, "x") is not None
            )
        first = node.args[0]
        column = isinstance(first, ast.Subscript) and isinstance(first.slice, ast.Constant)
        attribute = isinstance(first, ast.Attribute) and isinstance(first.value, ast.Name)
        return (column or attribute) and method(node) != "kdeplot"


class _Distplot(ast.NodeTransformer):
    """`distplot` drew a density histogram with a density curve, unless told otherwise."""

    def visit_Call(self, node: ast.Call) -> ast.AST:
        self.generic_visit(node)
        if dotted(node.func) not in {"sns.distplot", "seaborn.distplot"}:
            return node
        module = dotted(node.func).split(".")[0]
        off = {k.arg for k in node.keywords if isinstance(k.value, ast.Constant) and k.value.value is False}
        kept = [k for k in node.keywords if k.arg in {"color", "label", "ax"}]
        if "hist" in off:
            return ast.Call(expression(f"{module}.kdeplot"), node.args[:1], kept)
        bins = [k for k in node.keywords if k.arg == "bins"]
        bins += [ast.keyword("bins", arg) for arg in node.args[1:2]]
        curve = "kde" not in off
        normed = keyword(node, "norm_hist")
        density = curve or (isinstance(normed, ast.Constant) and normed.value is True)
        if curve:
            kept.append(ast.keyword("kde", ast.Constant(True)))
        if density:
            kept.append(ast.keyword("stat", ast.Constant("density")))
        return ast.Call(expression(f"{module}.histplot"), node.args[:1], [*bins, *kept])


class _Factorplot(ast.NodeTransformer):
    def visit_Call(self, node: ast.Call) -> ast.AST:
        self.generic_visit(node)
        if method(node) != "factorplot" or not isinstance(node.func, ast.Attribute):
            return node
        node.func.attr = "catplot"
        if keyword(node, "kind") is None:
            node.keywords.append(ast.keyword("kind", ast.Constant("point")))
        return _with_height(node)


class _Height(ast.NodeTransformer):
    def visit_Call(self, node: ast.Call) -> ast.AST:
        self.generic_visit(node)
        return _with_height(node) if method(node) in _GRIDS else node


def _with_height(node: ast.Call) -> ast.Call:
    for item in node.keywords:
        if item.arg == "size" and method(node) != "relplot":
            item.arg = "height"
    return node


class _Style(ast.NodeTransformer):
    """Matplotlib renamed seaborn's styles; a style that is not installed is left out."""

    def visit_Expr(self, node: ast.Expr) -> ast.AST | None:
        call = node.value
        if not isinstance(call, ast.Call) or dotted(call.func) not in {
            "plt.style.use",
            "matplotlib.style.use",
        }:
            return node
        style = call.args[0] if call.args else None
        if isinstance(style, ast.Constant) and str(style.value).startswith("seaborn"):
            name = str(style.value).removeprefix("seaborn-v0_8").removeprefix("seaborn")
            call.args = [ast.Constant(f"seaborn-v0_8{name}")]
            return node
        return None


class _Keywords(ast.NodeTransformer):
    """Keywords that were renamed, and `ci`, which became `errorbar`."""

    def visit_Call(self, node: ast.Call) -> ast.AST:
        self.generic_visit(node)
        for item in node.keywords:
            if item.arg in _KEYWORDS and (item.arg != "b" or method(node) == "grid"):
                item.arg = _KEYWORDS[item.arg]
            elif item.arg == "ci" and method(node) in {
                "barplot",
                "lineplot",
                "pointplot",
                "catplot",
                "factorplot",
            }:
                item.arg = "errorbar"
                if isinstance(item.value, ast.Constant) and isinstance(item.value.value, int | float):
                    item.value = ast.Tuple([ast.Constant("ci"), item.value], ast.Load())
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


class _Plotly(ast.NodeTransformer):
    """`plotly.plotly` moved out of plotly; a figure is shown by itself."""

    def visit_Import(self, node: ast.Import) -> ast.AST:
        for alias in node.names:
            if alias.name == "plotly.plotly":
                alias.name, alias.asname = "plotly.offline", alias.asname or "py"
        return node

    def visit_ImportFrom(self, node: ast.ImportFrom) -> ast.AST:
        if node.module == "plotly.plotly":
            node.module = "plotly.offline"
        return node


RULES = (
    RepairRule("distplot_to_histplot", "distplot is deprecated", _Distplot().visit),
    RepairRule("seaborn_keywords", "seaborn takes columns by keyword only", _Positional().visit),
    RepairRule(
        "factorplot_to_catplot",
        "factorplot was renamed catplot",
        _Factorplot().visit,
        r"no attribute 'factorplot'",
    ),
    RepairRule(
        "size_to_height",
        "the size of a facet is called height",
        _Height().visit,
        r"keyword argument '?size|'size'",
    ),
    RepairRule(
        "seaborn_style",
        "matplotlib renamed seaborn's styles",
        _Style().visit,
        r"not a valid package style|style",
    ),
    RepairRule(
        "renamed_keyword",
        "the keyword has another name now",
        _Keywords().visit,
        r"unexpected keyword argument|got an unexpected|Rectangle.set\(\)|no property|keyword",
    ),
    RepairRule("plotly_offline", "plotly.plotly was removed", _Plotly().visit, r"plotly|chart_studio"),
)
