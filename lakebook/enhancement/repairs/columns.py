"""Columns that old code names and the new data lack: derived, left out of a list, named by what they are.

What belongs here: what can be done without a counterpart. A date's year or month is taken from the date, a
date from its parts, a row number is counted; of a list of columns those that are there are kept. Everything
else has no figure left to show, and `reasons` names the nearest columns.
"""

from __future__ import annotations

import ast
import re
from collections.abc import Collection, Iterator, Sequence
from dataclasses import dataclass, field, replace

from lakebook.analyst.table import Table
from lakebook.correspondence.evidence import OldColumn
from lakebook.correspondence.match import APPLIED, SILENT
from lakebook.correspondence.names import words
from lakebook.enhancement.adapted import Adapted
from lakebook.enhancement.enhanced import Repair
from lakebook.enhancement.repairs.rule import Fault, TableFix
from lakebook.enhancement.repairs.view import View
from lakebook.enhancement.script import method
from lakebook.retrieval.correspondence import correspond
from lakebook.syntax import parse_python

# What pandas, seaborn and plotly say of a column that is not there.
MISSING_COLUMN = (
    r"^KeyError",
    r"'DataFrame(?:GroupBy)?' object has no attribute '(\w+)'",
    r"Could not interpret value `([^`]+)`",
    r"Expected one of .* but received: (\S.*)$",
)
_PARTS = {
    "year": ".dt.year",
    "yr": ".dt.year",
    "month": ".dt.month",
    "quarter": ".dt.quarter",
    "day": ".dt.day",
    "hour": ".dt.hour",
    "weekday": ".dt.day_name()",
    "dayofweek": ".dt.dayofweek",
}
_MONTHS = re.compile(r"\b(jan(uary)?|feb(ruary)?|mar(ch)?|apr(il)?|dec(ember)?)\b", re.IGNORECASE)
_ROW_NUMBERS = frozenset({"id", "index", "no", "number", "sno", "serial"})
_TELLS_APART = frozenset(
    {"nunique", "unique", "value_counts", "drop_duplicates", "duplicated", "merge", "join"}
)
# Their lists say what the figure is made of; without one of them it is another figure.
_KEYS = frozenset({"groupby", "pivot_table", "pivot", "merge", "set_index", "crosstab", "join"})


def missing_names(fault: Fault, view: View) -> tuple[str, ...]:
    """Return the columns that a fault says are missing, those that are not in the view."""
    found: list[str] = []
    for pattern in MISSING_COLUMN[1:]:
        found += re.findall(pattern, str(fault))
    if fault.name == "KeyError":
        found += re.findall(r"'([^']+)'", fault.message) or re.findall(r'"([^"]+)"', fault.message)
    return tuple(name for name in dict.fromkeys(found) if name not in view.columns)


def map_column(adapted: Adapted, fault: Fault, table: Table) -> Adapted | None:
    """Map a column that the code names only at run time, if the table has an unused counterpart."""
    view = View.of(adapted, table)
    wanted = [OldColumn(name) for name in missing_names(fault, view)]
    old = [OldColumn(name) for name in (*adapted.renames.values(), *adapted.renamed)]
    pairs = [
        pair
        for pair in correspond([*old, *wanted], table)
        if pair.old in {column.name for column in wanted}
        and pair.new not in (*adapted.renames, *adapted.renamed.values())
    ]
    if not pairs:
        return None
    more = {pair.new: pair.old for pair in pairs}
    repairs = [Repair("map_column", pair.old, pair.new, evidence=pair.reason) for pair in pairs]
    return replace(adapted, renames={**adapted.renames, **more}, repairs=(*adapted.repairs, *repairs))


def derived(adapted: Adapted, fault: Fault, table: Table) -> Adapted | None:
    """Make a missing column from what the table has instead: a date, parts of a date, the row's number."""
    view = View.of(adapted, table)
    made = [one for name in missing_names(fault, view) if (one := _derivation(name, adapted, view))]
    if not made:
        return None
    lines = [f"{adapted.frame} = {adapted.frame}.assign(**{{{one.name!r}: {one.code}}})" for one in made]
    repairs = [
        Repair("derived_column", "", line, True, one.evidence) for one, line in zip(made, lines, strict=True)
    ]
    return adapted.repaired(adapted.script.preceded_by("\n".join(lines)), repairs)


@dataclass(frozen=True, slots=True)
class _Derivation:
    name: str
    code: str
    evidence: str


def _derivation(name: str, adapted: Adapted, view: View) -> _Derivation | None:
    return _date_part(name, adapted, view) or _date(name, adapted, view) or _row_number(name, adapted)


def _date_part(name: str, adapted: Adapted, view: View) -> _Derivation | None:
    part = next((word for word in reversed(words(name)) if word in _PARTS), "")
    dates = [date for date, column in view.columns.items() if column.dtype == "datetime"]
    of_this = [date for date in dates if set(words(date)) & set(words(name))] or dates
    if not part or len(of_this) != 1:
        return None
    accessor = ".dt.month_name()" if part == "month" and _MONTHS.search(str(adapted.script)) else _PARTS[part]
    source = view.columns[of_this[0]].name
    code = f"{adapted.frame}[{of_this[0]!r}]{accessor}"
    return _Derivation(name, code, f"the table has no {name}, but the date {source}, which holds it")


def _date(name: str, adapted: Adapted, view: View) -> _Derivation | None:
    if not {"date", "time", "datetime", "timestamp"} & set(words(name)):
        return None
    whole = {n: c for n, c in view.columns.items() if c.dtype == "integer"}
    parts = {
        part: next((n for n in whole if words(n)[-1:] == (part,)), "") for part in ("year", "month", "day")
    }
    if not parts["year"] or not parts["month"]:
        return None
    given = {part: f"{adapted.frame}[{n!r}]" if n else "1" for part, n in parts.items()}
    code = f"pd.to_datetime({{{', '.join(f'{part!r}: {value}' for part, value in given.items())}}})"
    used = ", ".join(view.columns[n].name for n in parts.values() if n)
    return _Derivation(name, code, f"the table has no {name}, but its parts ({used})")


def _row_number(name: str, adapted: Adapted) -> _Derivation | None:
    """A number of rows may be counted with any column that is never empty; who they are may not."""
    last = words(name)[-1:]
    if not (last and last[0] in _ROW_NUMBERS) and not name.startswith("Unnamed: 0"):
        return None
    for node in adapted.script.nodes():
        if not isinstance(node, ast.Call):
            continue
        mentioned = {
            n.value for n in ast.walk(node) if isinstance(n, ast.Constant) and isinstance(n.value, str)
        }
        mentioned |= {n.attr for n in ast.walk(node) if isinstance(n, ast.Attribute)}
        if method(node) in _TELLS_APART and name in mentioned:
            return None
    code = f"range(1, len({adapted.frame}) + 1)"
    return _Derivation(
        name, code, f"the table has no {name}; the code only counts with it, so rows are numbered"
    )


def left_out(adapted: Adapted, fault: Fault, table: Table) -> Adapted | None:
    """Leave a missing column out of the literal lists that name it, if another of the list is there."""
    view = View.of(adapted, table)
    names = missing_names(fault, view)
    if not names:
        return None
    edit = _LeaveOut(frozenset(names), view)
    script, repairs = adapted.script.edited(edit.visit, "column_left_out", changes_meaning=True)
    if not repairs:
        return None
    evidence = "; ".join(nearest_columns(name, table) for name in names if name in edit.dropped)
    return adapted.repaired(script, [replace(repair, evidence=evidence) for repair in repairs])


@dataclass
class _LeaveOut(ast.NodeTransformer):
    names: Collection[str]
    view: View
    dropped: set[str] = field(default_factory=set)

    def visit_Call(self, node: ast.Call) -> ast.AST:
        if method(node) in _KEYS:
            if isinstance(node.func, ast.Attribute):
                node.func.value = self.visit(node.func.value)
            return node
        return self.generic_visit(node)

    def visit_List(self, node: ast.List) -> ast.AST:
        self.generic_visit(node)
        node.elts = self._kept(node.elts, node.elts)
        return node

    def visit_Tuple(self, node: ast.Tuple) -> ast.AST:
        self.generic_visit(node)
        if len(node.elts) > 1 and isinstance(node.ctx, ast.Load):
            node.elts = self._kept(node.elts, node.elts)
        return node

    def visit_Dict(self, node: ast.Dict) -> ast.AST:
        self.generic_visit(node)
        keys = [key for key in node.keys if key is not None]
        kept = self._kept(keys, keys) if len(keys) == len(node.keys) else keys
        if len(kept) < len(node.keys):
            pairs = [(k, v) for k, v in zip(node.keys, node.values, strict=True) if k in kept]
            node.keys, node.values = [k for k, _ in pairs], [v for _, v in pairs]
        return node

    def _kept(self, items: list[ast.expr], all_of: Sequence[ast.expr]) -> list[ast.expr]:
        texts = [item.value if isinstance(item, ast.Constant) else None for item in all_of]
        gone = {text for text in texts if isinstance(text, str) and text in self.names}
        if not gone or not any(text in self.view.columns for text in texts if isinstance(text, str)):
            return items
        self.dropped |= gone
        return [item for item, text in zip(items, texts, strict=True) if text not in gone]


def nearest_columns(name: str, table: Table) -> str:
    """Say that a column is missing, and which ones come nearest, with their probabilities."""
    ranked = sorted(
        ((pair.probability, pair.new) for pair in _ranked(name, table)), key=lambda pair: (-pair[0], pair[1])
    )
    near = [f"`{new}` ({probability:.2f})" for probability, new in ranked[:2] if probability >= 0.05]
    return f"column `{name}` is missing" + (f"; nearest: {', '.join(near)}" if near else "")


@dataclass(frozen=True, slots=True)
class _Near:
    new: str
    probability: float


def _ranked(name: str, table: Table) -> Iterator[_Near]:
    for column in table.columns:
        for pair in correspond([OldColumn(name)], replace(table, columns=(column,)), cut=0.0):
            yield _Near(column.name, pair.probability)


def renamed_in_order(adapted: Adapted, fault: Fault, table: Table) -> Adapted | None:
    """Name columns by what they are where the code names them by their place (`df.columns = [...]`).

    Where the number of columns is the same nothing fails, and names may stand over the wrong values: that is
    changed only on strong evidence.
    """
    if ".columns" not in str(adapted.script):
        return None
    edit = _ByName(adapted, table, cut=APPLIED if fault.name else SILENT)
    script, repairs = adapted.script.edited(edit.visit, "columns_by_name", changes_meaning=True)
    if not repairs:
        return None
    return adapted.repaired(script, [replace(one, evidence="; ".join(edit.notes)) for one in repairs])


@dataclass
class _ByName(ast.NodeTransformer):
    adapted: Adapted
    table: Table
    cut: float
    notes: list[str] = field(default_factory=list)

    def visit_Assign(self, node: ast.Assign) -> ast.AST:
        target = node.targets[0]
        listed = node.value.elts if isinstance(node.value, ast.List) else []
        texts = [item.value for item in listed if isinstance(item, ast.Constant)]
        names = [text for text in texts if isinstance(text, str)]
        if (
            not isinstance(target, ast.Attribute)
            or target.attr != "columns"
            or not isinstance(target.value, ast.Name)
            or target.value.id not in table_names(self.adapted)
            or len(names) != len(listed)
        ):
            return node
        known = [self.adapted.renames.get(column.name, column.name) for column in self.table.columns]
        pairs = correspond([OldColumn(name) for name in names], self.table, cut=self.cut)
        by_new = {pair.new: pair.old for pair in pairs}
        here = dict(zip(names, (column.name for column in self.table.columns), strict=False))
        misplaced = [pair for pair in pairs if here.get(pair.old) != pair.new]
        if len(pairs) < 2 or (not misplaced and len(names) == len(self.table.columns)):
            return node  # too little is known, or the places are right
        changed = {
            code: by_new[column.name]
            for code, column in zip(known, self.table.columns, strict=True)
            if column.name in by_new and by_new[column.name] != code
        }
        self.notes.append(
            f"{len(pairs)} of the {len(names)} names have a counterpart, not all in their old places"
        )
        frame = target.value.id
        return parse_python(f"{frame} = {frame}.rename(columns={changed!r})").body[0]


def table_names(adapted: Adapted) -> frozenset[str]:
    """Return the names that are bound to the table itself or to a copy of it, and to nothing else."""
    bound: dict[str, list[bool]] = {}
    for node in adapted.script.nodes():
        if isinstance(node, ast.Assign) and len(node.targets) == 1 and isinstance(node.targets[0], ast.Name):
            bound.setdefault(node.targets[0].id, []).append(_is_table(node.value, adapted.frame))
    return frozenset(name for name, held in bound.items() if all(held))


def _is_table(node: ast.expr, frame: str) -> bool:
    if (
        isinstance(node, ast.Call)
        and method(node) in {"copy", "assign"}
        and isinstance(node.func, ast.Attribute)
    ):
        return _is_table(node.func.value, frame)
    return isinstance(node, ast.Name) and node.id == frame


_ANY = "|".join(MISSING_COLUMN)
FIXES = (
    TableFix("map_column", "a column is named only at run time", map_column, _ANY),
    TableFix("derived_column", "the table has the column in another form", derived, _ANY),
    TableFix("column_left_out", "one column of a list is not in the table", left_out, _ANY),
    TableFix("columns_by_name", "other columns are in the places that are named", renamed_in_order),
    TableFix(
        "columns_by_name",
        "columns are named by their place",
        renamed_in_order,
        r"ValueError: Length mismatch",
    ),
)
