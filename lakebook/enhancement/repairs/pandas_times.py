"""Dates, frequencies and durations: what pandas 2 and 3 read more strictly or spell otherwise.

What does not belong here: dates whose format changed in the new data, which the table tells.
"""

from __future__ import annotations

import ast
import re

from lakebook.enhancement.repairs.rule import RepairRule, Scene, expression
from lakebook.enhancement.script import Edit, dotted, keyword, method

_FREQUENCIES = {
    "M": "ME", "Q": "QE", "A": "YE", "Y": "YE", "BM": "BME", "BQ": "BQE", "BA": "BYE", "BY": "BYE",
    "AS": "YS", "BAS": "BYS", "H": "h", "BH": "bh", "T": "min", "S": "s", "L": "ms", "U": "us", "N": "ns",
    "SM": "SME", "CBM": "CBME",
}  # fmt: skip
_OF_FREQUENCY = frozenset(
    {"resample", "Grouper", "date_range", "asfreq", "bdate_range", "TimeGrouper", "floor", "ceil", "round"}
    | {"shift", "timedelta_range", "Timedelta", "to_timedelta", "to_offset"}
)  # fmt: skip
_CALLS = r"(?P<count>-?\d*)(?P<alias>[A-Z]{1,3})(?P<anchor>-[A-Z]{3})?"
_DAYS = {"Y": 365.2425, "M": 30.436875}


class _Frequency(ast.NodeTransformer):
    """Frequencies in calls that take one, and in names that hold one."""

    def visit_Call(self, node: ast.Call) -> ast.AST:
        self.generic_visit(node)
        if method(node) in _OF_FREQUENCY:
            node.args = [_frequency(arg) for arg in node.args]
            for item in node.keywords:
                if item.arg in {"freq", "rule"}:
                    item.value = _frequency(item.value)
        return node

    def visit_Assign(self, node: ast.Assign) -> ast.AST:
        self.generic_visit(node)
        names = [target.id for target in node.targets if isinstance(target, ast.Name)]
        if names and re.search(r"freq|period|rule|interval|resample", names[0], re.IGNORECASE):
            node.value = _frequency(node.value)
        return node


def _frequency(node: ast.expr) -> ast.expr:
    if not isinstance(node, ast.Constant) or not isinstance(node.value, str):
        return node
    found = re.fullmatch(_CALLS, node.value)
    new = _FREQUENCIES.get(found["alias"]) if found else None
    return ast.Constant(f"{found['count']}{new}{found['anchor'] or ''}") if found and new else node


class _DayFirst(ast.NodeTransformer):
    """Dates of which some can only be day/month: then all are, and none is read as month/day."""

    def visit_Call(self, node: ast.Call) -> ast.AST:
        self.generic_visit(node)
        free = not {k.arg for k in node.keywords} & {"format", "dayfirst", "yearfirst"}
        if method(node) == "to_datetime" and free and len(node.args) == 1:
            node.keywords.append(ast.keyword("dayfirst", ast.Constant(True)))
        return node


def _day_first(scene: Scene) -> Edit:
    """Return the edit if the date that failed has a day in front, as in 13/02/2018."""
    found = re.search(r'time data "(\d{1,2})[/.-](\d{1,2})[/.-]\d{2,4}', scene.fault.message)
    is_day = found is not None and int(found[1]) > 12 >= int(found[2])
    return _DayFirst().visit if is_day else lambda statement: statement


class _Mixed(ast.NodeTransformer):
    """Each date by itself, as it was done."""

    def visit_Call(self, node: ast.Call) -> ast.AST:
        self.generic_visit(node)
        if method(node) != "to_datetime" or keyword(node, "errors") is not None:
            return node
        kept = [k for k in node.keywords if k.arg not in {"format", "infer_datetime_format"}]
        node.keywords = [*kept, ast.keyword("format", ast.Constant("mixed"))]
        return node


class _Parts(ast.NodeTransformer):
    """`dt.week`, `dt.weekday_name` and their likes on an index."""

    def visit_Attribute(self, node: ast.Attribute) -> ast.AST:
        self.generic_visit(node)
        on = ast.unparse(node.value)
        done = isinstance(node.value, ast.Call) and method(node.value) == "isocalendar"
        if node.attr in {"week", "weekofyear"} and isinstance(node.ctx, ast.Load) and not done:
            return expression(f"{on}.isocalendar().week")
        if node.attr == "weekday_name":
            return expression(f"{on}.day_name()")
        return node


class _Units(ast.NodeTransformer):
    """Types and durations in units that pandas no longer takes."""

    def visit_BinOp(self, node: ast.BinOp) -> ast.AST:
        self.generic_visit(node)
        right = node.right
        if isinstance(node.op, ast.Div | ast.FloorDiv) and isinstance(right, ast.Call):
            unit = _unit(right.args[1]) if method(right) == "timedelta64" and len(right.args) == 2 else ""
            count = right.args[0] if right.args else None
            if unit in _DAYS and isinstance(count, ast.Constant) and isinstance(count.value, int):
                node.right = expression(f"pd.Timedelta(days={count.value * _DAYS[unit]!r})")
        return node

    def visit_Call(self, node: ast.Call) -> ast.AST:
        self.generic_visit(node)
        if method(node) != "astype" or not node.args or not isinstance(node.func, ast.Attribute):
            return node
        kind = _unit(node.args[0]).strip("<>")
        on = ast.unparse(node.func.value)
        if kind in {"datetime64", "M8"} or dotted(node.args[0]) in {"np.datetime64", "numpy.datetime64"}:
            node.args[0] = ast.Constant("datetime64[ns]")
        elif found := re.fullmatch(r"timedelta64\[([DhmsMY])\]", kind):
            unit = found[1]
            step = f"days={_DAYS[unit]!r}" if unit in _DAYS else f"1, {unit!r}"
            return expression(f"({on} // pd.Timedelta({step}))")
        elif found := re.fullmatch(r"datetime64\[([DMY])\]", kind):
            if found[1] == "D":
                return expression(f"{on}.dt.normalize()")
            return expression(f"{on}.dt.to_period({found[1]!r}).dt.to_timestamp()")
        return node


def _unit(node: ast.expr) -> str:
    return node.value if isinstance(node, ast.Constant) and isinstance(node.value, str) else ""


RULES = (
    RepairRule(
        "frequency_alias",
        "frequencies have other names now",
        _Frequency().visit,
        r"[Ii]nvalid frequency|is no longer supported for offsets",
    ),
    RepairRule(
        "day_first",
        "some of the dates can only be day/month",
        fault=r'time data "\d{1,2}[/.-]\d{1,2}[/.-]\d{2,4}[^"]*" doesn\'t match format "%m',
        plan=_day_first,
        reach="fault",
    ),
    RepairRule(
        "mixed_dates",
        "dates in several formats need format='mixed'",
        _Mixed().visit,
        r"time data|doesn't match format|unconverted data|Unknown datetime string",
        reach="fault first",
    ),
    RepairRule(
        "date_part",
        "a part of dates is a method now",
        _Parts().visit,
        r"AttributeError: .*has no attribute '(week|weekofyear|weekday_name)'",
    ),
    RepairRule(
        "time_unit",
        "the unit of dates or durations is no longer taken",
        _Units().visit,
        r"unit-less dtype 'datetime64'|Cannot cast \w*Array to dtype|Cannot convert from timedelta64"
        r"|Unit [YM] is not supported|Units 'M', 'Y'",
        reach="fault first",
    ),
)
