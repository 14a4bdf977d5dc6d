"""What matplotlib removed or changed from 2.1 to 3.11, beyond plain renames (`renamed`)."""

from __future__ import annotations

import ast
import re

from lakebook.enhancement.repairs.modules import Modules
from lakebook.enhancement.repairs.rule import RepairRule, Scene, expression
from lakebook.enhancement.script import Edit, dotted, keyword, method
from lakebook.syntax import parse_python

_SWITCHES = {"off": False, "on": True}


class _Style(ast.NodeTransformer):
    """Matplotlib renamed seaborn's styles."""

    def visit_Call(self, node: ast.Call) -> ast.AST:
        self.generic_visit(node)
        if dotted(node.func).endswith(("style.use", "style.context")):
            node.args = [self._new(arg) for arg in node.args]
        return node

    def _new(self, node: ast.expr) -> ast.expr:
        if isinstance(node, ast.List | ast.Tuple):
            node.elts = [self._new(item) for item in node.elts]
        name = node.value if isinstance(node, ast.Constant) and isinstance(node.value, str) else ""
        old = re.match(r"seaborn(?!-v0_8)", name)
        return ast.Constant(f"seaborn-v0_8{name.removeprefix('seaborn')}") if old else node


class _UnknownStyle(ast.NodeTransformer):
    """A style that is not installed is left out."""

    def visit_Expr(self, node: ast.Expr) -> ast.AST:
        call = node.value
        return ast.Pass() if isinstance(call, ast.Call) and dotted(call.func).endswith("style.use") else node


def _without_unknown_style(statement: ast.stmt) -> ast.AST | None:
    made = _UnknownStyle().visit(statement)
    return None if isinstance(made, ast.Pass) else made


class _Projection(ast.NodeTransformer):
    """`gca(projection="3d")` made axes; `Axes3D(figure)` no longer adds itself to its figure."""

    def __init__(self, modules: Modules) -> None:
        self.modules = modules

    def visit_Call(self, node: ast.Call) -> ast.AST:
        self.generic_visit(node)
        if method(node) == "gca" and any(k.arg in {"projection", "polar"} for k in node.keywords):
            if isinstance(node.func, ast.Attribute):
                is_module = self.modules.full(node.func.value) == "matplotlib.pyplot"
                node.func.attr = "subplot" if is_module else "add_subplot"
        elif self.modules.full(node.func).endswith("mplot3d.Axes3D") and len(node.args) == 1:
            kept = [k for k in node.keywords if k.arg in {"elev", "azim"}]
            made = expression(f"{ast.unparse(node.args[0])}.add_subplot(projection='3d')")
            if isinstance(made, ast.Call):
                made.keywords += kept
            return made
        return node


class _Switches(ast.NodeTransformer):
    """`"off"` once meant no; as a text it means yes now. `axis("off")` is still right."""

    def visit_Call(self, node: ast.Call) -> ast.AST:
        self.generic_visit(node)
        if method(node) in {"tick_params", "set_tick_params", "grid"}:
            for item in node.keywords:
                item.value = self._plain(item.value)
            if method(node) == "grid":
                node.args = [self._plain(arg) for arg in node.args]
        return node

    def _plain(self, node: ast.expr) -> ast.expr:
        value = node.value if isinstance(node, ast.Constant) else None
        return ast.Constant(_SWITCHES[value]) if isinstance(value, str) and value in _SWITCHES else node


class _Settings(ast.NodeTransformer):
    """Settings that no longer exist; `axes.color_cycle` became a cycle of properties."""

    def __init__(self, name: str) -> None:
        self.name = name

    def visit_Assign(self, node: ast.Assign) -> ast.AST:
        key = node.targets[0].slice if isinstance(node.targets[0], ast.Subscript) else None
        if not isinstance(key, ast.Constant) or key.value != self.name:
            return node
        if self.name == "axes.color_cycle":
            key.value = "axes.prop_cycle"
            node.value = ast.Call(expression("plt.cycler"), [], [ast.keyword("color", node.value)])
            return node
        return ast.Pass()

    def visit_Call(self, node: ast.Call) -> ast.AST:
        self.generic_visit(node)
        for at, arg in enumerate(node.args):
            if isinstance(arg, ast.Dict) and method(node) == "update":
                pairs = [
                    (k, v)
                    for k, v in zip(arg.keys, arg.values, strict=True)
                    if not (isinstance(k, ast.Constant) and k.value == self.name)
                ]
                node.args[at] = ast.Dict([k for k, _ in pairs], [v for _, v in pairs])
        if method(node) == "rc" and node.args and isinstance(node.args[0], ast.Constant):
            group = node.args[0].value
            node.keywords = [k for k in node.keywords if f"{group!s}.{k.arg}" != self.name]
        return node


def _settings(scene: Scene) -> Edit:
    found = re.search(r"'([\w.]+)' is not a valid (?:value for )?rc", scene.fault.message) or re.search(
        r'Unrecognized key "([\w.]+)"', scene.fault.message
    )
    if not found:
        return lambda statement: statement
    edit = _Settings(found[1])

    def without(statement: ast.stmt) -> ast.AST | None:
        made: ast.AST = edit.visit(statement)
        return None if isinstance(made, ast.Pass) else made

    return without


class _ColorCycle(ast.NodeTransformer):
    def visit_Call(self, node: ast.Call) -> ast.AST:
        self.generic_visit(node)
        if method(node) == "set_color_cycle" and isinstance(node.func, ast.Attribute) and len(node.args) == 1:
            node.func.attr = "set_prop_cycle"
            node.keywords = [ast.keyword("color", node.args.pop())]
        return node


class _TickLabels(ast.NodeTransformer):
    """`set_xticklabels(rotation=90)` without labels sets the ticks' look only."""

    def visit_Call(self, node: ast.Call) -> ast.AST:
        self.generic_visit(node)
        found = re.fullmatch(r"set_([xy])ticklabels", method(node))
        if (
            not found
            or node.args
            or keyword(node, "labels") is not None
            or not isinstance(node.func, ast.Attribute)
        ):
            return node
        names = {
            "rotation": "labelrotation",
            "fontsize": "labelsize",
            "size": "labelsize",
            "color": "labelcolor",
        }
        node.keywords = [ast.keyword(names[k.arg], k.value) for k in node.keywords if k.arg in names]
        node.func.attr = "tick_params"
        node.args = [ast.Constant(found[1])]
        return node


class _PlotDate(ast.NodeTransformer):
    """`plot_date` drew points."""

    def visit_Call(self, node: ast.Call) -> ast.AST:
        self.generic_visit(node)
        if method(node) != "plot_date" or not isinstance(node.func, ast.Attribute):
            return node
        node.func.attr = "plot"
        styled = {k.arg for k in node.keywords} & {"fmt", "marker", "linestyle", "ls"}
        formats = [k.value for k in node.keywords if k.arg == "fmt"]
        node.keywords = [k for k in node.keywords if k.arg not in {"fmt", "xdate", "ydate", "tz"}]
        if formats or (len(node.args) == 2 and not styled):
            node.args.append(formats[0] if formats else ast.Constant("o"))
        return node


class _SeriesPlot(ast.NodeTransformer):
    """`s.plot("bar")` named its kind by position."""

    def visit_Call(self, node: ast.Call) -> ast.AST:
        self.generic_visit(node)
        if method(node) == "plot" and len(node.args) == 1 and isinstance(node.args[0], ast.Constant):
            node.keywords = [ast.keyword("kind", node.args.pop()), *node.keywords]
        return node


class _Colorbar(ast.NodeTransformer):
    """A color bar of a free mappable has to be told whose place to take."""

    def visit_Call(self, node: ast.Call) -> ast.AST:
        self.generic_visit(node)
        if (
            method(node) == "colorbar"
            and not {k.arg for k in node.keywords} & {"ax", "cax"}
            and len(node.args) < 2
        ):
            node.keywords.append(ast.keyword("ax", expression("plt.gca()")))
        return node


class _Generators(ast.NodeTransformer):
    """`map` and `filter` gave lists in Python 2, and matplotlib wants lists."""

    def visit_Call(self, node: ast.Call) -> ast.AST:
        self.generic_visit(node)
        if isinstance(node.func, ast.Name):
            return node  # list, sum, sorted: they take what comes
        node.args = [_listed(arg) for arg in node.args]
        for item in node.keywords:
            item.value = _listed(item.value)
        return node


def _listed(node: ast.expr) -> ast.expr:
    lazy = isinstance(node, ast.Call) and dotted(node.func) in {"map", "filter", "zip"}
    return ast.Call(ast.Name("list", ast.Load()), [node], []) if lazy else node


class _SubplotCode(ast.NodeTransformer):
    """`subplot("211")` took its number as text."""

    def visit_Call(self, node: ast.Call) -> ast.AST:
        self.generic_visit(node)
        code = node.args[0] if len(node.args) == 1 else None
        text = code.value if isinstance(code, ast.Constant) and isinstance(code.value, str) else ""
        if method(node) in {"subplot", "add_subplot"} and re.fullmatch(r"\d{3}", text):
            node.args = [ast.Constant(int(text))]
        return node


class _EmptyColor(ast.NodeTransformer):
    """`scatter(c="")` drew hollow points."""

    def visit_Call(self, node: ast.Call) -> ast.AST:
        self.generic_visit(node)
        for item in node.keywords:
            if item.arg in {"c", "color"} and isinstance(item.value, ast.Constant) and item.value.value == "":
                item.arg, item.value = "facecolors", ast.Constant("none")
        return node


class _Colors(ast.NodeTransformer):
    """`color="rgb"` named a color for each bar."""

    def visit_Call(self, node: ast.Call) -> ast.AST:
        self.generic_visit(node)
        for item in node.keywords:
            letters = item.value.value if isinstance(item.value, ast.Constant) else None
            if (
                item.arg in {"color", "colors"}
                and isinstance(letters, str)
                and re.fullmatch(r"[bgrcmykw]{2,}", letters)
            ):
                item.value = ast.Call(ast.Name("list", ast.Load()), [item.value], [])
        return node


class _Artists(ast.NodeTransformer):
    """Lists of artists are read-only; an artist removes itself."""

    def visit_Assign(self, node: ast.Assign) -> ast.AST:
        target = node.targets[0]
        emptied = isinstance(node.value, ast.List) and not node.value.elts
        if (
            emptied
            and isinstance(target, ast.Attribute)
            and target.attr in {"lines", "patches", "collections", "texts"}
        ):
            return parse_python(f"for artist in list({ast.unparse(target)}):\n    artist.remove()").body[0]
        return node

    def visit_Expr(self, node: ast.Expr) -> ast.AST:
        call = node.value
        if isinstance(call, ast.Call) and isinstance(call.func, ast.Attribute) and len(call.args) == 1:
            of_artists = dotted(call.func.value).endswith(("lines", "patches", "collections", "texts"))
            if call.func.attr == "remove" and of_artists:
                return ast.Expr(expression(f"{ast.unparse(call.args[0])}.remove()"))
        return node


class _WindowTitle(ast.NodeTransformer):
    def visit_Expr(self, node: ast.Expr) -> ast.AST:
        call = node.value
        return ast.Pass() if isinstance(call, ast.Call) and method(call) == "set_window_title" else node


def _without_window_title(statement: ast.stmt) -> ast.AST | None:
    made: ast.AST = _WindowTitle().visit(statement)
    return None if isinstance(made, ast.Pass) else made


RULES = (
    RepairRule("seaborn_style", "matplotlib renamed seaborn's styles", _Style().visit, only=r"style"),
    RepairRule(
        "unknown_style",
        "the style is not installed",
        _without_unknown_style,
        r"not a valid package style",
    ),
    RepairRule(
        "projected_axes",
        "axes of a projection are made as a subplot",
        plan=lambda scene: _Projection(Modules.of(scene.script)).visit,
        only=r"gca|Axes3D",
    ),
    RepairRule(
        "tick_switches", 'the text "off" no longer means no', _Switches().visit, only=r"tick_params|grid"
    ),
    RepairRule(
        "removed_setting",
        "the setting no longer exists",
        fault=r"KeyError: .*(not a valid (value for )?rc|Unrecognized key)",
        plan=_settings,
    ),
    RepairRule(
        "color_cycle",
        "colors are a cycle of properties",
        _ColorCycle().visit,
        r"no attribute 'set_color_cycle'",
    ),
    RepairRule(
        "tick_labels",
        "tick labels cannot be set without labels",
        _TickLabels().visit,
        r"set_(x|y)?ticklabels\(\) missing 1 required positional argument: 'labels'",
    ),
    RepairRule("plot_date", "plot_date was removed", _PlotDate().visit, r"no attribute 'plot_date'"),
    RepairRule(
        "series_plot_kind",
        "plot takes its kind by keyword only",
        _SeriesPlot().visit,
        r"`Series\.plot\(\)` should not be called with positional",
        reach="fault",
    ),
    RepairRule(
        "colorbar_place",
        "a color bar has to be told whose place to take",
        _Colorbar().visit,
        r"Unable to determine Axes to steal space",
        reach="fault",
    ),
    RepairRule(
        "generators",
        "matplotlib takes no generators",
        _Generators().visit,
        r"does not support generators|'(map|filter|zip)'|not (a |an )?'?(map|filter|zip)",
        reach="fault",
    ),
    RepairRule(
        "subplot_code",
        "a subplot's number is no text",
        _SubplotCode().visit,
        r"subplot must be a three-digit integer|from_bounds\(\) missing",
    ),
    RepairRule(
        "hollow_points",
        "an empty text is no color",
        _EmptyColor().visit,
        r"must be a color.*not ''",
        reach="fault",
    ),
    RepairRule(
        "color_letters",
        "letters in one text are no longer a color each",
        _Colors().visit,
        r"must be a valid color|not a valid (value for )?color|is not a color",
        reach="fault",
    ),
    RepairRule(
        "artist_lists",
        "lists of artists are read-only",
        _Artists().visit,
        r"'ArtistList' object has no attribute|of 'Axes' object has no setter",
        reach="fault first",
    ),
    RepairRule(
        "window_title",
        "there is no window to name",
        _without_window_title,
        r"no attribute 'set_window_title'",
    ),
)
