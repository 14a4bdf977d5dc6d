"""What plotly removed or changed from 3 to 7, and cufflinks, beyond plain renames (`renamed`).

A figure is shown by itself; nothing is written to disk or sent to a service.
"""

from __future__ import annotations

import ast
import re
from collections.abc import Iterator

from lakebook.enhancement.repairs.modules import Modules
from lakebook.enhancement.repairs.rule import RepairRule, Scene
from lakebook.enhancement.script import Edit, Script, dotted, keyword, method

_MOVED = {"titlefont": "font", "titleside": "side", "titleposition": "position", "titleoffset": "offset"}
_CUFFLINKS = {"scatter": "line", "histogram": "hist"}


class _TitleParts(ast.NodeTransformer):
    """`title="a", titlefont={…}` is `title={"text": "a", "font": {…}}`."""

    def visit_Call(self, node: ast.Call) -> ast.AST:
        self.generic_visit(node)
        for item in node.keywords:
            for old, new in _MOVED.items():
                if item.arg and re.search(rf"(^|_){old}(_|$)", item.arg) and item.arg != old:
                    item.arg = re.sub(rf"(^|_){old}(_|$)", rf"\1title_{new}\2", item.arg)
        given = {item.arg: item for item in node.keywords if item.arg in _MOVED}
        if given:
            kept = [k for k in node.keywords if k.arg not in _MOVED and k.arg != "title"]
            title = _title(keyword(node, "title"), {_MOVED[a]: i.value for a, i in given.items() if a})
            node.keywords = [ast.keyword("title", title), *kept]
        return node

    def visit_Dict(self, node: ast.Dict) -> ast.AST:
        self.generic_visit(node)
        names = [key.value if isinstance(key, ast.Constant) else None for key in node.keys]
        moved = {
            _MOVED[n]: v
            for n, v in zip(names, node.values, strict=True)
            if isinstance(n, str) and n in _MOVED
        }
        if moved:
            pairs = list(zip(names, node.keys, node.values, strict=True))
            old = next((value for name, _, value in pairs if name == "title"), None)
            kept = [(key, value) for name, key, value in pairs if name != "title" and name not in _MOVED]
            node.keys = [ast.Constant("title"), *(key for key, _ in kept)]
            node.values = [_title(old, moved), *(value for _, value in kept)]
        return node


def _title(old: ast.expr | None, parts: dict[str, ast.expr]) -> ast.expr:
    if isinstance(old, ast.Call) and dotted(old.func) == "dict":
        old.keywords += [ast.keyword(name, value) for name, value in parts.items()]
        return old
    text = [ast.keyword("text", old)] if old is not None else []
    named = [ast.keyword(name, value) for name, value in parts.items()]
    return ast.Call(ast.Name("dict", ast.Load()), [], [*text, *named])


class _Mapbox(ast.NodeTransformer):
    """`mapbox` is `map`; its styles need no key."""

    def visit_Call(self, node: ast.Call) -> ast.AST:
        self.generic_visit(node)
        for item in node.keywords:
            if item.arg and re.match(r"mapbox(_|$)", item.arg):
                item.arg = item.arg.replace("mapbox", "map", 1)
        node.keywords = [k for k in node.keywords if k.arg not in {"map_accesstoken", "mapbox_style"}]
        if method(node) == "dict":
            node.keywords = [k for k in node.keywords if k.arg != "accesstoken"]
        return node


class _ProjectionName(ast.NodeTransformer):
    """Names of projections are lower case."""

    def visit_Call(self, node: ast.Call) -> ast.AST:
        self.generic_visit(node)
        for item in node.keywords:
            if item.arg in {"type", "projection_type", "projection"}:
                item.value = _lower(item.value)
        return node

    def visit_Dict(self, node: ast.Dict) -> ast.AST:
        self.generic_visit(node)
        node.values = [
            _lower(v) if isinstance(k, ast.Constant) and k.value == "type" else v
            for k, v in zip(node.keys, node.values, strict=True)
        ]
        return node


def _lower(node: ast.expr) -> ast.expr:
    text = node.value if isinstance(node, ast.Constant) else None
    return ast.Constant(text.lower()) if isinstance(text, str) and text != text.lower() else node


class _Shown(ast.NodeTransformer):
    """Plotly's `plot` writes a page and opens a browser; `iplot` shows the figure here."""

    def __init__(self, script: Script) -> None:
        self.modules = Modules.of(script)

    def visit_ImportFrom(self, node: ast.ImportFrom) -> ast.AST:
        names = {alias.name for alias in node.names}
        if node.module == "plotly.offline" and "plot" in names and "iplot" not in names:
            node.names.append(ast.alias("iplot"))
        return node

    def visit_Call(self, node: ast.Call) -> ast.AST:
        self.generic_visit(node)
        full = self.modules.full(node.func)
        if full in {"plotly.offline.plot", "plotly.plotly.plot"}:
            node.keywords = [k for k in node.keywords if k.arg in {"validate", "show_link"}]
            if isinstance(node.func, ast.Attribute):
                node.func.attr = "iplot"
            elif isinstance(node.func, ast.Name):
                node.func.id = "iplot"
        elif full in {"plotly.offline.iplot", "plotly.plotly.iplot"}:
            node.keywords = [
                k for k in node.keywords if k.arg not in {"fileopt", "sharing", "world_readable"}
            ]
        return node


class _Renderers(ast.NodeTransformer):
    """A renderer of the author's own machine shows nothing here."""

    def visit_Assign(self, node: ast.Assign) -> ast.AST:
        return ast.Pass() if dotted(node.targets[0]).endswith("renderers.default") else node

    def visit_Call(self, node: ast.Call) -> ast.AST:
        self.generic_visit(node)
        if method(node) == "show":
            first = node.args[0] if node.args else None
            named = isinstance(first, ast.Constant) and isinstance(first.value, str)
            node.args = [] if named else node.args
            node.keywords = [k for k in node.keywords if k.arg != "renderer"]
        return node


def _renderer(scene: Scene) -> Edit:
    """Return the edit if the script has to do with plotly at all."""
    known = " ".join(Modules.of(scene.script).names.values())
    imported = any(
        isinstance(n, ast.Import | ast.ImportFrom) and "plotly" in ast.unparse(n)
        for n in scene.script.nodes()
    )
    edit = _Renderers()

    def without(statement: ast.stmt) -> ast.AST | None:
        made: ast.AST = edit.visit(statement)
        return None if isinstance(made, ast.Pass) and not isinstance(statement, ast.Pass) else made

    return without if imported and "plotly" in known else lambda statement: statement


class _Cufflinks(ast.NodeTransformer):
    """`df.iplot(kind="bar")` of cufflinks is pandas' own plot with plotly behind it."""

    def visit_Import(self, node: ast.Import) -> ast.AST | None:
        node.names = [alias for alias in node.names if alias.name != "cufflinks"]
        return node if node.names else None

    def visit_Expr(self, node: ast.Expr) -> ast.AST | None:
        call = node.value
        if isinstance(call, ast.Call) and dotted(call.func).startswith(("cf.", "cufflinks.")):
            return ast.Pass()
        if isinstance(call, ast.Call) and isinstance(call.func, ast.Attribute) and not call.args:
            of_module = dotted(call.func.value) in {"py", "pyo", "offline", "plotly.offline"}
            if call.func.attr == "iplot" and not of_module:
                return ast.Expr(self._plot(call, call.func.value))
        return node

    def _plot(self, call: ast.Call, frame: ast.expr) -> ast.expr:
        kind = keyword(call, "kind")
        wanted = str(kind.value) if isinstance(kind, ast.Constant) else "line"
        names = {"x": "x", "y": "y", "title": "title", "labels": "names", "values": "values", "bins": "nbins"}
        options = list(_options(call, names))
        if wanted == "scatter" and "markers" in ast.unparse(keyword(call, "mode") or ast.Constant("")):
            wanted = "scatter"
        else:
            wanted = _CUFFLINKS.get(wanted, wanted)
        mode = keyword(call, "barmode")
        options += [ast.keyword("barmode", mode)] if mode is not None else []
        head = [ast.keyword("backend", ast.Constant("plotly")), ast.keyword("kind", ast.Constant(wanted))]
        drawn = ast.Call(ast.Attribute(frame, "plot", ast.Load()), [], [*head, *options])
        axes = {"xTitle": "xaxis_title", "yTitle": "yaxis_title"}
        titles = [ast.keyword(axes[k.arg], k.value) for k in call.keywords if k.arg in axes]
        made: ast.expr = drawn
        if titles:
            made = ast.Call(ast.Attribute(made, "update_layout", ast.Load()), [], titles)
        return ast.Call(ast.Attribute(made, "show", ast.Load()), [], [])


def _options(call: ast.Call, names: dict[str, str]) -> Iterator[ast.keyword]:
    for item in call.keywords:
        if item.arg in names:
            yield ast.keyword(names[item.arg], item.value)


def _cufflinks(statement: ast.stmt) -> ast.AST | None:
    made: ast.AST | None = _Cufflinks().visit(statement)
    return None if isinstance(made, ast.Pass) and not isinstance(statement, ast.Pass) else made


def _if_cufflinks(scene: Scene) -> Edit:
    used = any(
        isinstance(node, ast.Import) and any(alias.name == "cufflinks" for alias in node.names)
        for node in scene.script.nodes()
    )
    lost = "object has no attribute 'iplot'" in scene.fault.message
    return _cufflinks if used or lost else lambda statement: statement


RULES = (
    RepairRule(
        "plotly_shown",
        "a figure is shown here, not on a page",
        plan=lambda s: _Shown(s.script).visit,
        only=r"plot",
    ),
    RepairRule(
        "plotly_renderer", "a renderer of the author's machine", plan=_renderer, only=r"show|renderers"
    ),
    RepairRule(
        "cufflinks_plot", "cufflinks is no longer kept", plan=_if_cufflinks, only=r"iplot|cufflinks|\bcf\."
    ),
    RepairRule(
        "cufflinks_frame",
        "cufflinks is no longer kept",
        fault=r"object has no attribute 'iplot'",
        plan=_if_cufflinks,
        only=r"iplot",
    ),
    RepairRule(
        "title_parts",
        "the font and side of a title are parts of it",
        _TitleParts().visit,
        r"Invalid property specified for object of type plotly[^;]*'title(font|side|position|offset)'",
    ),
    RepairRule(
        "mapbox_to_map",
        "mapbox is called map",
        _Mapbox().visit,
        r"Invalid property specified for object of type plotly[^;]*'mapbox'"
        r"|unexpected keyword argument 'mapbox",
    ),
    RepairRule(
        "projection_name",
        "names of projections are lower case",
        _ProjectionName().visit,
        r"'type' property of layout\.geo\.projection",
    ),
)
