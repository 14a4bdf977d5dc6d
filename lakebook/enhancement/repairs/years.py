"""Years and dates in old code that lie outside the new data, shifted to the data's own years.

The rule: the latest year that the code selects by is taken for the last full year of the old data, and
becomes the last full year of the new data; every other year moves by as many years, in the labels too. It
applies only if some selection would be empty, and if all that is selected lies in the new data after it.
"""

from __future__ import annotations

import ast
import copy
import re
from collections.abc import Callable, Iterator, Mapping
from dataclasses import dataclass, replace
from datetime import date
from functools import partial

from lakebook.analyst.table import Table, TableColumn
from lakebook.correspondence.names import words
from lakebook.enhancement.adapted import Adapted
from lakebook.enhancement.enhanced import Repair
from lakebook.enhancement.repairs.queries import in_query
from lakebook.enhancement.repairs.rule import Fault, TableFix
from lakebook.enhancement.repairs.view import Place, View, places
from lakebook.enhancement.script import Script, Statement, method

_YEARS = range(1800, 2200)
_YEAR = re.compile(r"(?<!\d)(?:1[89]|2[01])\d\d(?!\d)")
_DATE = re.compile(r"(?:(\d{4})(?:[-/](\d{1,2})(?:[-/](\d{1,2}))?)?|(\d{1,2})/(\d{1,2})/(\d{4}))(?: .*|T.*)?")
_MADE = frozenset({"Timestamp", "to_datetime", "datetime", "date", "datetime64", "strptime"})
_LABELS = frozenset(
    {
        "title", "suptitle", "set_title", "xlabel", "ylabel", "set_xlabel", "set_ylabel", "text",
        "annotate", "legend", "update_layout", "set", "figtext",
    }
)  # fmt: skip
_LABEL_OPTIONS = frozenset({"label", "title", "name", "labels", "xlabel", "ylabel"})
Test = type[ast.cmpop]


@dataclass(frozen=True, slots=True)
class Span:
    """The time that a column covers: first and last day, and its years if they are all known."""

    column: str
    first: date
    last: date
    years: frozenset[int] = frozenset()

    @property
    def last_full_year(self) -> int:
        """The last year that has a December, else the only one there is."""
        last = self.last.year
        return last if self.last.month == 12 or last == self.first.year else last - 1

    def is_empty(self, year: int, month: int, day: int, test: Test) -> bool:
        """Return True if a comparison with this day (0: the whole year, or month) finds nothing."""
        low = date(year, month or 1, min(day or 1, 28))
        high = date(year, month or 12, min(day or 28, 28))
        if test in (ast.Gt, ast.GtE):
            return low > self.last or (test is ast.Gt and not month and year >= self.last.year)
        if test in (ast.Lt, ast.LtE):
            return high < self.first or (test is ast.Lt and not month and year <= self.first.year)
        if test in (ast.NotEq, ast.NotIn):
            return False
        return high < self.first or low > self.last or bool(self.years and year not in self.years)


Act = Callable[[ast.Constant, Span, Test], ast.expr]


def shift_years(adapted: Adapted, fault: Fault, table: Table) -> Adapted | None:
    """Move years and dates that select nothing to the years of the data (the rule stands above)."""
    view = View.of(adapted, table)
    spans = _spans(view)
    if not spans or not _YEAR.search(str(adapted.script)):
        return None
    seen: list[tuple[int, bool, Span]] = []

    def look(node: ast.Constant, span: Span, test: Test) -> ast.expr:
        if found := _read(node.value):
            seen.append((found[0], span.is_empty(*found, test), span))
        return node

    for _ in _visited(adapted.script, view, spans, look):
        pass
    if not any(empty for _, empty, _ in seen):
        return None
    latest = max(year for year, _, _ in seen)
    by = _span_of_table(spans).last_full_year - latest
    inside = all(span.first.year <= year + by <= span.last.year for year, _, span in seen)
    if not by or not inside:
        return None
    moved = {year: year + by for year, _, _ in seen}
    return _moved(adapted, view, spans, moved, by)


def outside_years(adapted: Adapted, table: Table) -> Iterator[str]:
    """Say which years or dates the code selects by lie outside the data, and what the data cover."""
    view = View.of(adapted, table)
    spans = _spans(view)
    if not spans or not _YEAR.search(str(adapted.script)):
        return
    said: list[str] = []

    def look(node: ast.Constant, span: Span, test: Test) -> ast.expr:
        found = _read(node.value)
        if found and span.is_empty(*found, test):
            said.append(
                f"the code selects by {ast.unparse(node)}, and `{span.column}` runs from "
                f"{span.first.isoformat()} to {span.last.isoformat()}"
            )
        return node

    for _ in _visited(adapted.script, view, spans, look):
        pass
    yield from said


def _moved(
    adapted: Adapted, view: View, spans: Mapping[str, Span], moved: Mapping[int, int], by: int
) -> Adapted | None:
    span = _span_of_table(spans)
    evidence = (
        f"{span.column} runs from {span.first.isoformat()} to {span.last.isoformat()}: "
        f"{max(moved)} became {moved[max(moved)]}, the last full year, and the others moved by {by:+d}"
    )

    def move(node: ast.Constant, span: Span, test: Test) -> ast.expr:
        return _later(node, by)

    kept: list[Statement] = []
    repairs: list[Repair] = []
    for before, node in zip(
        adapted.script.statements, _visited(adapted.script, view, spans, move), strict=True
    ):
        labels = _Labels(moved)
        edited = labels.visit(node)
        script, made = Script((before,)).edited(
            partial(_instead, edited), "year_shifted", changes_meaning=True
        )
        kept += script.statements
        repairs += [replace(one, evidence=evidence) for one in made]
    return adapted.repaired(Script(tuple(kept)), repairs) if repairs else None


def _instead(edited: ast.AST, before: ast.stmt) -> ast.AST:
    return edited


def _visited(script: Script, view: View, spans: Mapping[str, Span], act: Act) -> Iterator[ast.stmt]:
    """Give a copy of every statement, with `act` applied to each year or date that selects."""
    derived: dict[str, Span] = {}
    for statement, place in zip(script.statements, places(script, view), strict=True):
        for name, span in _derived(statement.node, place, spans):
            derived[name] = span
        copied = copy.deepcopy(statement.node)
        made = _Selections(place, {**spans, **derived}, act).visit(copied)
        yield made if isinstance(made, ast.stmt) else copied


class _Selections(ast.NodeTransformer):
    """Finds years and dates that rows are selected by."""

    def __init__(self, place: Place, spans: Mapping[str, Span], act: Act) -> None:
        self.place, self.spans, self.act = place, spans, act

    def visit_Compare(self, node: ast.Compare) -> ast.AST:
        self.generic_visit(node)
        if len(node.ops) != 1:
            return node
        test, other = type(node.ops[0]), node.comparators[0]
        if span := self._span(node.left):
            node.comparators = [self._new(other, span, test)]
        elif span := self._span(other):
            turned: dict[Test, Test] = {ast.Gt: ast.Lt, ast.GtE: ast.LtE, ast.Lt: ast.Gt, ast.LtE: ast.GtE}
            node.left = self._new(node.left, span, turned.get(test, test))
        return node

    def visit_Call(self, node: ast.Call) -> ast.AST:
        self.generic_visit(node)
        made = method(node)
        on = node.func.value if isinstance(node.func, ast.Attribute) else None
        if made == "query" and node.args and isinstance(node.args[0], ast.Constant):
            node.args[0] = in_query(node.args[0], self.visit)
        elif on is not None and made in {"isin", "eq"} and node.args and (span := self._span(on)):
            node.args[0] = self._new(node.args[0], span, ast.Eq)
        elif on is not None and made == "between" and len(node.args) >= 2 and (span := self._span(on)):
            node.args[:2] = [self._new(node.args[0], span, ast.GtE), self._new(node.args[1], span, ast.LtE)]
        elif on is not None and made in {"get_group", "xs"} and node.args:
            span = self.spans.get(self._index(on))
            node.args[0] = self._new(node.args[0], span, ast.Eq) if span else node.args[0]
        return node

    def visit_Subscript(self, node: ast.Subscript) -> ast.AST:
        self.generic_visit(node)
        span = self.spans.get(self._index(node.value))
        if span is None:
            return node
        if isinstance(node.slice, ast.Slice):
            for side, test in (("lower", ast.GtE), ("upper", ast.LtE)):
                if (limit := getattr(node.slice, side)) is not None:
                    setattr(node.slice, side, self._new(limit, span, test))
        else:
            node.slice = self._new(node.slice, span, ast.Eq)
        return node

    def _index(self, node: ast.expr) -> str:
        return self.place.view.index_of(node, self.place.indexed)

    def _span(self, node: ast.expr) -> Span | None:
        return _span_of(node, self.place, self.spans)

    def _new(self, node: ast.expr, span: Span, test: Test) -> ast.expr:
        if isinstance(node, ast.List | ast.Tuple | ast.Set):
            node.elts = [self._new(item, span, ast.Eq) for item in node.elts]
        elif isinstance(node, ast.Call) and method(node) in _MADE and node.args:
            first = node.args[0]
            if isinstance(first, ast.Constant) and _read(first.value):
                node.args[0] = self.act(first, span, test)
        elif isinstance(node, ast.Constant) and _read(node.value):
            return self.act(node, span, test)
        return node


class _Labels(ast.NodeTransformer):
    """Writes the new year where a title, an axis label or a legend names the old one."""

    def __init__(self, moved: Mapping[int, int]) -> None:
        self.moved = moved

    def visit_Call(self, node: ast.Call) -> ast.AST:
        if method(node) in _LABELS:
            node.args = [self._new(item) for item in node.args]
        for option in node.keywords:
            if option.arg in _LABEL_OPTIONS or (method(node) in _LABELS and option.arg):
                option.value = self._new(option.value)
        self.generic_visit(node)
        return node

    def _new(self, node: ast.expr) -> ast.expr:
        for text in ast.walk(node):
            if isinstance(text, ast.Constant) and isinstance(text.value, str):
                text.value = re.sub(
                    r"(?<!\d)\d{4}(?!\d)", lambda m: str(self.moved.get(int(m[0]), m[0])), text.value
                )
        return node


def _spans(view: View) -> dict[str, Span]:
    """Return what time each date column, and each column of years, covers."""
    found = {}
    for name, column in view.columns.items():
        if column.dtype == "datetime" and column.min and column.max:
            found[name] = Span(
                column.name, date.fromisoformat(column.min[:10]), date.fromisoformat(column.max[:10])
            )
        elif column.dtype == "integer" and _is_year(name, column):
            low, high = int(float(column.min or 0)), int(float(column.max or 0))
            levels = (
                frozenset(int(level) for level, _ in column.levels) if column.levels_complete else frozenset()
            )
            found[name] = Span(column.name, date(low, 1, 1), date(high, 12, 31), levels)
    return found


def _is_year(name: str, column: TableColumn) -> bool:
    try:
        bounds = [int(float(text or "nan")) for text in (column.min, column.max)]
    except ValueError:
        return False
    return all(bound in _YEARS for bound in bounds) and "year" in {*words(name), *words(column.name)}


def _span_of_table(spans: Mapping[str, Span]) -> Span:
    """Return the span that tells the last full year: of a date column if there is one."""
    return min(
        spans.values(), key=lambda span: (bool(span.years), span.last.month == 12 and bool(span.years))
    )


def _span_of(node: ast.expr, place: Place, spans: Mapping[str, Span]) -> Span | None:
    """Return the span of what an expression holds: dates, or the years of dates."""
    if isinstance(node, ast.Attribute) and node.attr in spans and isinstance(node.value, ast.Name):
        return spans[node.attr]
    if isinstance(node, ast.Attribute) and node.attr in {"year", "date", "dt", "index"}:
        return _span_of(node.value, place, spans)
    if isinstance(node, ast.Call) and method(node) in {"DatetimeIndex", "to_datetime"} and node.args:
        return _span_of(node.args[0], place, spans)
    if isinstance(node, ast.Call) and isinstance(node.func, ast.Attribute) and node.func.attr == "astype":
        return _span_of(node.func.value, place, spans)
    if isinstance(node, ast.Subscript) and isinstance(node.slice, ast.Constant) and node.slice.value in spans:
        return spans[str(node.slice.value)]
    if isinstance(node, ast.Name) and node.id in place.indexed:
        return spans.get(place.indexed[node.id])
    return spans.get(place.view.column_of(node, place.bound))


def _derived(statement: ast.stmt, place: Place, spans: Mapping[str, Span]) -> Iterator[tuple[str, Span]]:
    """Give the columns that a statement fills with the years of dates."""
    for node in ast.walk(statement):
        if not isinstance(node, ast.Assign) or not isinstance(node.targets[0], ast.Subscript):
            continue
        target = node.targets[0].slice
        parts = [n for n in ast.walk(node.value) if isinstance(n, ast.Attribute) and n.attr == "year"]
        held = next((span for part in parts if (span := _span_of(part.value, place, spans))), None)
        if (
            held is None
            and parts
            and isinstance(node.value, ast.Call)
            and method(node.value) in {"apply", "map"}
        ):
            func = node.value.func
            held = _span_of(func.value, place, spans) if isinstance(func, ast.Attribute) else None
        if held is not None and isinstance(target, ast.Constant) and isinstance(target.value, str):
            yield target.value, held


def _read(value: object) -> tuple[int, int, int] | None:
    """Return year, month and day of a literal (0 where it names none), None if it is no year or date."""
    if isinstance(value, int) and not isinstance(value, bool):
        return (value, 0, 0) if value in _YEARS else None
    found = _DATE.fullmatch(value.strip()) if isinstance(value, str) else None
    if found is None:
        return None
    year, month, day = found[1] or found[6], found[2] or found[4] or 0, found[3] or found[5] or 0
    parts = (int(year), int(month), int(day))
    return parts if parts[0] in _YEARS and parts[1] <= 12 and parts[2] <= 31 else None


def _later(node: ast.Constant, by: int) -> ast.Constant:
    """Return a literal so many years later."""
    if isinstance(node.value, int):
        return ast.Constant(node.value + by)
    text = str(node.value)
    moved = re.sub(r"(?<!\d)(\d{4})(?!\d)", lambda m: str(int(m[1]) + by), text, count=1)
    return ast.Constant(re.sub(r"-02-29", "-02-28", moved))


FIXES = (TableFix("year_shifted", "the code selects by years that the new data do not cover", shift_years),)
