"""What scipy, statsmodels and scikit-learn changed in shape, beyond plain renames (`renamed`)."""

from __future__ import annotations

import ast

from lakebook.enhancement.repairs.modules import Modules
from lakebook.enhancement.repairs.rule import RepairRule, expression
from lakebook.enhancement.script import Script, dotted, keyword, method


class _Mode(ast.NodeTransformer):
    """`stats.mode(x)[0][0]`: the result has no second axis unless asked for."""

    def __init__(self, modules: Modules) -> None:
        self.modules = modules

    def visit_Call(self, node: ast.Call) -> ast.AST:
        self.generic_visit(node)
        if self.modules.full(node.func) == "scipy.stats.mode" and keyword(node, "keepdims") is None:
            node.keywords.append(ast.keyword("keepdims", ast.Constant(True)))
        return node


class _Arima(ast.NodeTransformer):
    """`ARIMA` moved, and its `fit` prints nothing."""

    def __init__(self, script: Script) -> None:
        self.names = {"ARIMA", "ARMA"}
        self.script = script

    def visit_ImportFrom(self, node: ast.ImportFrom) -> ast.AST:
        if node.module == "statsmodels.tsa.arima_model" and all(a.name == "ARIMA" for a in node.names):
            node.module = "statsmodels.tsa.arima.model"
        return node

    def visit_Call(self, node: ast.Call) -> ast.AST:
        self.generic_visit(node)
        if method(node) == "fit":
            node.keywords = [
                k for k in node.keywords if k.arg not in {"disp", "trend", "transparams", "solver"}
            ]
        return node


class _Functions(ast.NodeTransformer):
    """Functions whose successor gives another shape."""

    def __init__(self, modules: Modules) -> None:
        self.modules = modules

    def visit_Call(self, node: ast.Call) -> ast.AST:
        self.generic_visit(node)
        full = self.modules.full(node.func)
        first = ast.unparse(node.args[0]) if node.args else ""
        if full == "scipy.stats.itemfreq" and first:
            return expression(f"np.column_stack(np.unique({first}, return_counts=True))")
        if full == "scipy.stats.binom_test":
            made = ast.Call(expression("stats.binomtest"), node.args, node.keywords)
            return ast.Attribute(made, "pvalue", ast.Load())
        if full == "scipy.stats.median_absolute_deviation":
            scale = ast.keyword("scale", ast.Constant("normal"))
            return ast.Call(expression("stats.median_abs_deviation"), node.args, [*node.keywords, scale])
        return node


class _Imputer(ast.NodeTransformer):
    """`SimpleImputer` works on columns only, and calls missing values by their value."""

    def visit_Call(self, node: ast.Call) -> ast.AST:
        self.generic_visit(node)
        if dotted(node.func).rpartition(".")[2] in {"Imputer", "SimpleImputer"}:
            node.keywords = [k for k in node.keywords if k.arg not in {"axis", "verbose"}]
            for item in node.keywords:
                if (
                    item.arg == "missing_values"
                    and isinstance(item.value, ast.Constant)
                    and item.value.value == "NaN"
                ):
                    item.value = expression("np.nan")
        return node


class _RootMeanSquare(ast.NodeTransformer):
    """`mean_squared_error(squared=False)` is a function of its own."""

    def visit_Call(self, node: ast.Call) -> ast.AST:
        self.generic_visit(node)
        squared = keyword(node, "squared")
        if method(node) == "mean_squared_error" and isinstance(squared, ast.Constant):
            node.keywords = [k for k in node.keywords if k.arg != "squared"]
            return node if squared.value else ast.Call(expression("np.sqrt"), [node], [])
        return node


RULES = (
    RepairRule(
        "kept_axis",
        "scipy's mode keeps no axis unless asked to",
        fault=r"IndexError: invalid index to scalar|TypeError: .*(not subscriptable|has no len)",
        plan=lambda scene: _Mode(Modules.of(scene.script)).visit,
        reach="fault first",
    ),
    RepairRule(
        "arima_moved",
        "ARIMA moved to another module",
        fault=r"arima_model|fit\(\) got an unexpected keyword argument '(disp|trend|transparams|solver)'",
        plan=lambda scene: _Arima(scene.script).visit,
    ),
    RepairRule(
        "changed_statistic",
        "a function of scipy has a successor of another shape",
        fault=r"has no attribute '(itemfreq|binom_test|median_absolute_deviation)'",
        plan=lambda scene: _Functions(Modules.of(scene.script)).visit,
    ),
    RepairRule(
        "imputer",
        "the imputer works on columns only",
        _Imputer().visit,
        r"Imputer\.__init__\(\) got an unexpected keyword|missing_values",
    ),
    RepairRule(
        "root_mean_square",
        "the root of the mean square is a function of its own",
        _RootMeanSquare().visit,
        r"unexpected keyword argument 'squared'",
    ),
)
