"""Units in old labels that the new data contradict: an axis in "USD" over a column in euros is a lie.

Only what the data state counts (a unit in the column's name or its values), and only a unit of the same kind
is replaced: a currency by a currency. Nothing is converted, since the numbers are the new data's own.
"""

from __future__ import annotations

import ast
import re
from dataclasses import dataclass, field, replace

from lakebook.analyst.table import Table
from lakebook.enhancement.adapted import Adapted
from lakebook.enhancement.repairs.rule import Fault, TableFix
from lakebook.enhancement.repairs.view import View
from lakebook.enhancement.script import method
from lakebook.notebooks.taxonomy import chart_types

_KINDS = (
    ("$", "€", "£", "¥", "usd", "eur", "gbp", "jpy", "chf", "dollars", "euros", "pounds"),
    ("kg", "g", "mg", "lb", "lbs", "oz"),
    ("km", "m", "cm", "mm", "mi", "miles", "ft"),
    ("celsius", "fahrenheit", "degc", "degf", "°c", "°f"),
    ("mph", "kmh", "km/h"),
)
_KIND = {unit: number for number, units in enumerate(_KINDS) for unit in units}
_SAME = (
    {"$", "usd", "dollars"},
    {"€", "eur", "euros"},
    {"£", "gbp"},
    {"¥", "jpy"},
    {"lb", "lbs"},
    {"mi", "miles"},
)
# A unit stands in brackets, after "in", or is a sign; a word alone may mean anything ("pounds", "m").
_STATED = re.compile(
    r"(?<=[(\[])\s*([^()\[\]\s]{1,12})\s*(?=[)\]])|(?<=\bin )([A-Za-z°€£¥$]{1,12})\b|([$€£¥])"
)
_LABELS = frozenset({"xlabel", "ylabel", "title", "set_xlabel", "set_ylabel", "set_title", "suptitle", "set"})


def own_unit(adapted: Adapted, fault: Fault, table: Table) -> Adapted | None:
    """Write the unit of the new data where a label states another of the same kind."""
    view = View.of(adapted, table)
    named = {
        node.value
        for node in adapted.script.nodes()
        if isinstance(node, ast.Constant) and isinstance(node.value, str)
    } | {node.attr for node in adapted.script.nodes() if isinstance(node, ast.Attribute)}
    units: dict[int, set[tuple[str, str]]] = {}
    for name, column in view.columns.items():
        kind = _KIND.get(column.unit.casefold())
        if kind is not None and name in named:
            units.setdefault(kind, set()).add((column.unit, column.name))
    stated = {
        kind: next(iter(found)) for kind, found in units.items() if len({unit for unit, _ in found}) == 1
    }
    if not stated:
        return None
    edit = _Units(stated)
    script, repairs = adapted.script.edited(edit.visit, "own_unit", changes_meaning=True)
    evidence = "; ".join(dict.fromkeys(edit.notes))
    return adapted.repaired(script, [replace(one, evidence=evidence) for one in repairs]) if repairs else None


@dataclass
class _Units(ast.NodeTransformer):
    stated: dict[int, tuple[str, str]]
    notes: list[str] = field(default_factory=list)

    def visit_Call(self, node: ast.Call) -> ast.AST:
        self.generic_visit(node)
        labels = method(node) in _LABELS
        drawn = method(node) in chart_types() or method(node) == "plot"
        texts = [*(node.args if labels else ())]
        texts += [k.value for k in node.keywords if (labels or drawn) and k.arg in {*_LABELS, "label"}]
        for text in texts:
            if isinstance(text, ast.Constant) and isinstance(text.value, str):
                text.value = _STATED.sub(self._new, text.value)
        return node

    def _new(self, match: re.Match[str]) -> str:
        unit = next(group for group in match.groups() if group)
        kind = _KIND.get(unit.casefold())
        own, column = self.stated.get(kind, ("", "")) if kind is not None else ("", "")
        if not own or _is_same(own, unit):
            return match[0]
        self.notes.append(f"{column} is in {own}, not in {unit}")
        return match[0].replace(unit, own)


def _is_same(one: str, other: str) -> bool:
    pair = {one.casefold(), other.casefold()}
    return len(pair) == 1 or any(pair <= group for group in _SAME)


FIXES = (TableFix("own_unit", "a label states a unit that the data contradict", own_unit),)
