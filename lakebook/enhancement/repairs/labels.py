"""Hard-coded labels of categories, which may stand over other values in the new data.

`plt.pie(df["type"].value_counts(), labels=["Movie", "Show"])` names wedges by their old order of size. Where
the column's values are text, they name themselves; where they are codes, nobody can tell, and it is marked.
"""

from __future__ import annotations

import ast
from collections.abc import Mapping
from dataclasses import dataclass, field, replace

from lakebook.analyst.table import Table
from lakebook.enhancement.adapted import Adapted
from lakebook.enhancement.enhanced import Repair
from lakebook.enhancement.repairs.rule import Fault, TableFix
from lakebook.enhancement.repairs.spelled import level_meant
from lakebook.enhancement.repairs.view import Place, View, places
from lakebook.enhancement.script import Script, Statement, keyword, method


def own_labels(adapted: Adapted, fault: Fault, table: Table) -> Adapted | None:
    """Let counted values name themselves where a list of labels stands over them."""
    if "pie" not in str(adapted.script):
        return None
    view = View.of(adapted, table)
    counted: dict[str, str] = {}
    kept: list[Statement] = []
    repairs: list[Repair] = []
    for statement, place in zip(adapted.script.statements, places(adapted.script, view), strict=True):
        for node in ast.walk(statement.node):
            if isinstance(node, ast.Assign) and isinstance(node.targets[0], ast.Name):
                counted[node.targets[0].id] = _counted(node.value, place, counted)
        edit = _Labels(place, dict(counted))
        script, made = Script((statement,)).edited(edit.visit, "own_labels", changes_meaning=True)
        kept += script.statements
        repairs += [replace(one, evidence="; ".join(edit.notes)) for one in made]
        repairs += [
            Repair("doubtful_labels", line, line, changes_meaning=True, evidence=why)
            for line, why in edit.doubts
        ]
    return adapted.repaired(Script(tuple(kept)), repairs) if repairs else None


def _counted(node: ast.expr, place: Place, counted: Mapping[str, str]) -> str:
    """Return the column whose counts an expression holds, most frequent first, "" otherwise."""
    if isinstance(node, ast.Name):
        return counted.get(node.id, "")
    if isinstance(node, ast.Attribute) and node.attr == "values":
        return _counted(node.value, place, counted)
    if isinstance(node, ast.Call) and method(node) == "value_counts" and isinstance(node.func, ast.Attribute):
        return place.view.column_of(node.func.value, place.bound)
    return ""


@dataclass
class _Labels(ast.NodeTransformer):
    place: Place
    counted: Mapping[str, str]
    notes: list[str] = field(default_factory=list)
    doubts: list[tuple[str, str]] = field(default_factory=list)

    def visit_Call(self, node: ast.Call) -> ast.AST:
        self.generic_visit(node)
        if method(node) != "pie":
            return node
        labels = next((k for k in node.keywords if k.arg == "labels"), None)
        sizes = keyword(node, "x") or (node.args[0] if node.args else None)
        if sizes is None and isinstance(node.func, ast.Attribute):  # counts.plot.pie(labels=…)
            on = node.func.value
            sizes = on.value if isinstance(on, ast.Attribute) and on.attr == "plot" else on
        if labels is None or sizes is None or not isinstance(labels.value, ast.List | ast.Tuple):
            return node
        name = _counted(sizes, self.place, self.counted)
        column = self.place.view.columns.get(name)
        texts = [item.value for item in labels.value.elts if isinstance(item, ast.Constant)]
        if column is None or not any(isinstance(text, str) and text.strip() for text in texts):
            return node
        levels = [level for level, _ in column.levels]
        if column.dtype != "text":
            why = f"the labels go by the size of {column.name}'s counts, and its codes may rank otherwise now"
            self.doubts.append((ast.unparse(node), why))
            return node
        if [level_meant(str(text), column) for text in texts] == levels:
            return node  # they name the values, in the order of their counts
        base = sizes.value if isinstance(sizes, ast.Attribute) and sizes.attr == "values" else sizes
        labels.value = ast.Attribute(base, "index", ast.Load())
        shown = ", ".join(levels[:3])
        self.notes.append(f"the values of {column.name} by count are {shown}; they are used as labels")
        return node


FIXES = (TableFix("own_labels", "labels are fixed, the values may rank otherwise", own_labels),)
