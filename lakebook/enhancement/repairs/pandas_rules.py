"""Fixes for what pandas removed or changed from 1 to 3."""

from __future__ import annotations

import ast

from lakebook.enhancement.repairs.rule import RepairRule, expression
from lakebook.enhancement.script import dotted, keyword, method

_REDUCERS = frozenset(
    {"corr", "cov", "mean", "median", "std", "var", "sum", "skew", "kurt", "quantile", "sem"}
)
_RENAMED = {
    "iteritems": "items",
    "applymap": "map",
    "as_matrix": "to_numpy",
    "get_values": "to_numpy",
}
_NUMPY = {"NaN": "nan", "NAN": "nan", "Inf": "inf", "float_": "float64", "unicode_": "str_"}
_NUMPY_BUILTIN = frozenset({"float", "int", "bool", "object", "str"})
_FREQUENCIES = {
    "M": "ME", "Q": "QE", "A": "YE", "Y": "YE", "BM": "BME", "BQ": "BQE", "BA": "BYE", "BY": "BYE",
    "H": "h", "T": "min", "S": "s", "L": "ms", "U": "us", "N": "ns", "SM": "SME", "CBM": "CBME",
}  # fmt: skip
_FREQUENCY_CALLS = frozenset({"resample", "Grouper", "date_range", "asfreq", "bdate_range", "TimeGrouper"})
_INPLACE = frozenset(
    {
        "fillna",
        "replace",
        "dropna",
        "drop_duplicates",
        "sort_values",
        "clip",
        "rename",
        "where",
        "mask",
        "interpolate",
    }
)
_IS_STRING = "pd.api.types.is_string_dtype"


class _NumericOnly(ast.NodeTransformer):
    def visit_Call(self, node: ast.Call) -> ast.AST:
        self.generic_visit(node)
        if method(node) not in _REDUCERS or not isinstance(node.func, ast.Attribute):
            return node
        if (node.args and method(node) != "quantile") or keyword(node, "numeric_only") is not None:
            return node
        on = node.func.value
        on_column = isinstance(on, ast.Subscript) and isinstance(on.slice, ast.Constant)
        if on_column or dotted(on) in {"np", "numpy"}:
            return node
        node.keywords.append(ast.keyword("numeric_only", ast.Constant(True)))
        return node


class _Append(ast.NodeTransformer):
    def visit_Expr(self, node: ast.Expr) -> ast.AST:
        return node  # a statement `names.append(x)` is a list's

    def visit_Call(self, node: ast.Call) -> ast.AST:
        self.generic_visit(node)
        if method(node) != "append" or not isinstance(node.func, ast.Attribute) or len(node.args) != 1:
            return node
        other = node.args[0]
        parts = other.elts if isinstance(other, ast.List) else [other]
        kept = [k for k in node.keywords if k.arg in {"ignore_index", "sort"}]
        return ast.Call(expression("pd.concat"), [ast.List([node.func.value, *parts], ast.Load())], kept)


class _ValueCounts(ast.NodeTransformer):
    """`value_counts().reset_index()` gave columns `index` and the counted column's own name."""

    def visit_Call(self, node: ast.Call) -> ast.AST:
        self.generic_visit(node)
        if (
            method(node) != "reset_index"
            or node.args
            or node.keywords
            or not isinstance(node.func, ast.Attribute)
        ):
            return node
        counts = node.func.value
        if not isinstance(counts, ast.Call) or method(counts) != "value_counts":
            return node
        counted = counts.func.value if isinstance(counts.func, ast.Attribute) else counts
        if isinstance(counted, ast.Subscript) and isinstance(counted.slice, ast.Constant):
            name = counted.slice.value
        elif isinstance(counted, ast.Attribute):
            name = counted.attr
        else:
            return node
        axis = ast.Call(ast.Attribute(counts, "rename_axis", ast.Load()), [ast.Constant("index")], [])
        return ast.Call(
            ast.Attribute(axis, "reset_index", ast.Load()), [], [ast.keyword("name", ast.Constant(name))]
        )


class _DateFormat(ast.NodeTransformer):
    def visit_Call(self, node: ast.Call) -> ast.AST:
        self.generic_visit(node)
        if method(node) != "to_datetime" or keyword(node, "errors") is not None:
            return node
        kept = [k for k in node.keywords if k.arg not in {"format", "infer_datetime_format"}]
        node.keywords = [*kept, ast.keyword("format", ast.Constant("mixed"))]
        return node


class _DropMissing(ast.NodeTransformer):
    def visit_Call(self, node: ast.Call) -> ast.AST:
        self.generic_visit(node)
        if method(node) != "drop" or not isinstance(node.func, ast.Attribute) or keyword(node, "errors"):
            return node
        if len(node.args) > 1:  # drop(labels, axis) is by keyword only now
            node.keywords = [ast.keyword("axis", node.args.pop(1)), *node.keywords]
        node.keywords.append(ast.keyword("errors", ast.Constant("ignore")))
        return node


class _DropPositional(ast.NodeTransformer):
    def visit_Call(self, node: ast.Call) -> ast.AST:
        self.generic_visit(node)
        if method(node) == "drop" and isinstance(node.func, ast.Attribute) and len(node.args) == 2:
            node.keywords = [ast.keyword("axis", node.args.pop(1)), *node.keywords]
        return node


class _ChainedInplace(ast.NodeTransformer):
    """`df["a"].fillna(0, inplace=True)` changes a copy only, since pandas 3."""

    def visit_Expr(self, node: ast.Expr) -> ast.AST:
        call = node.value
        if (
            not isinstance(call, ast.Call)
            or method(call) not in _INPLACE
            or not isinstance(call.func, ast.Attribute)
        ):
            return node
        column = call.func.value
        flag = keyword(call, "inplace")
        if not (isinstance(flag, ast.Constant) and flag.value is True) or not _is_column(column):
            return node
        call.keywords = [k for k in call.keywords if k.arg != "inplace"]
        target = ast.parse(f"{ast.unparse(column)} = 0").body[0]
        return ast.Assign(target.targets, call) if isinstance(target, ast.Assign) else node


def _is_column(node: ast.expr) -> bool:
    if isinstance(node, ast.Subscript):
        return isinstance(node.value, ast.Name)
    return isinstance(node, ast.Attribute) and isinstance(node.value, ast.Name)


class _Frequency(ast.NodeTransformer):
    def visit_Call(self, node: ast.Call) -> ast.AST:
        self.generic_visit(node)
        if method(node) in _FREQUENCY_CALLS:
            node.args = [self._new(arg) for arg in node.args]
            for item in node.keywords:
                if item.arg in {"freq", "rule"}:
                    item.value = self._new(item.value)
        return node

    def _new(self, node: ast.expr) -> ast.expr:
        if not isinstance(node, ast.Constant) or not isinstance(node.value, str):
            return node
        count = node.value.rstrip("ABCDEFGHIJKLMNOPQRSTUVWXYZ-")
        alias, dash, anchor = node.value[len(count) :].partition("-")
        return ast.Constant(f"{count}{_FREQUENCIES.get(alias, alias)}{dash}{anchor}")


class _Objects(ast.NodeTransformer):
    """Text columns have the dtype `str` in pandas 3, not `object`."""

    def visit_Call(self, node: ast.Call) -> ast.AST:
        self.generic_visit(node)
        if method(node) == "select_dtypes":
            node.args = [self._wider(arg) for arg in node.args]
            for item in node.keywords:
                item.value = self._wider(item.value)
        return node

    def visit_Compare(self, node: ast.Compare) -> ast.AST:
        self.generic_visit(node)
        if (
            len(node.ops) != 1
            or not isinstance(node.ops[0], ast.Eq | ast.NotEq)
            or not _is_object(node.comparators[0])
        ):
            return node
        left = ast.unparse(node.left)
        if left.endswith(".dtypes"):
            test = f"{left}.map({_IS_STRING})"
            return expression(f"~{test}" if isinstance(node.ops[0], ast.NotEq) else test)
        test = f"{_IS_STRING}({left})"
        return expression(f"not {test}" if isinstance(node.ops[0], ast.NotEq) else test)

    def _wider(self, node: ast.expr) -> ast.expr:
        items = node.elts if isinstance(node, ast.List | ast.Tuple) else [node]
        if not any(_is_object(item) for item in items) or any(
            isinstance(item, ast.Constant) and item.value in {"str", "string"} for item in items
        ):
            return node
        return ast.List([*items, ast.Constant("str")], ast.Load())


def _is_object(node: ast.expr) -> bool:
    if isinstance(node, ast.Constant):
        return node.value in {"object", "O"}
    return dotted(node) in {"object", "np.object", "np.object_"}


class _Removed(ast.NodeTransformer):
    """Methods and names that were renamed or replaced one for one."""

    def visit_Attribute(self, node: ast.Attribute) -> ast.AST:
        self.generic_visit(node)
        if dotted(node.value) in {"np", "numpy"}:
            if node.attr in _NUMPY_BUILTIN:
                return ast.Name(node.attr, ast.Load())
            node.attr = _NUMPY.get(node.attr, node.attr)
            return node
        if (
            node.attr in {"week", "weekofyear"}
            and isinstance(node.value, ast.Attribute)
            and node.value.attr == "dt"
        ):
            return expression(f"{ast.unparse(node.value)}.isocalendar().week")
        if node.attr == "ix":
            node.attr = "loc"
        node.attr = _RENAMED.get(node.attr, node.attr)
        return node

    def visit_Call(self, node: ast.Call) -> ast.AST:
        self.generic_visit(node)
        name = method(node)
        if dotted(node.func) in {"pd.value_counts", "pandas.value_counts"} and node.args:
            return expression(f"pd.Series({ast.unparse(node.args[0])}).value_counts()")
        if name == "mad" and isinstance(node.func, ast.Attribute) and not node.args:
            on = ast.unparse(node.func.value)
            return expression(f"({on} - {on}.mean()).abs().mean()")
        if (
            name in {"clip_upper", "clip_lower"}
            and isinstance(node.func, ast.Attribute)
            and len(node.args) == 1
        ):
            bound = name.removeprefix("clip_")
            return expression(f"{ast.unparse(node.func.value)}.clip({bound}={ast.unparse(node.args[0])})")
        fill = keyword(node, "method")
        if name == "fillna" and isinstance(fill, ast.Constant) and isinstance(node.func, ast.Attribute):
            way = "ffill" if fill.value in {"ffill", "pad"} else "bfill"
            rest = [k for k in node.keywords if k.arg != "method"]
            return ast.Call(ast.Attribute(node.func.value, way, ast.Load()), [], rest)
        return node


RULES = (
    RepairRule(
        "chained_inplace", "an in-place change of a column reaches a copy only", _ChainedInplace().visit
    ),
    RepairRule("object_dtype", "text columns are no longer of dtype object", _Objects().visit),
    RepairRule(
        "numeric_only",
        "reductions no longer leave out text columns by themselves",
        _NumericOnly().visit,
        r"[Cc]ould not convert|agg function failed|[Cc]annot perform|does not support|not supported"
        r"|unsupported operand",
    ),
    RepairRule(
        "append_to_concat",
        "DataFrame.append was removed",
        _Append().visit,
        r"AttributeError: '(DataFrame|Series)' object has no attribute 'append'",
    ),
    RepairRule(
        "value_counts_names",
        "value_counts().reset_index() names its columns otherwise",
        _ValueCounts().visit,
        r"KeyError|Could not interpret value|not the name of a column|ValueError: Value of '[xy]'",
    ),
    RepairRule(
        "mixed_dates",
        "dates in several formats need format='mixed'",
        _DateFormat().visit,
        r"time data|doesn't match format|unconverted data|infer_datetime_format|Unknown datetime string",
    ),
    RepairRule(
        "drop_missing",
        "the column to drop is not in this table",
        _DropMissing().visit,
        r"KeyError.*not found in axis",
    ),
    RepairRule(
        "drop_axis",
        "axis is a keyword now",
        _DropPositional().visit,
        r"TypeError: .*drop\(\) takes .* positional",
    ),
    RepairRule(
        "frequency_alias",
        "one-letter frequencies were renamed",
        _Frequency().visit,
        r"[Ii]nvalid frequency|is no longer supported for offsets",
    ),
    RepairRule(
        "removed_name",
        "the method or name was removed and has a successor",
        _Removed().visit,
        r"AttributeError|unexpected keyword argument 'method'",
    ),
)
