"""Which columns of the old table a component shows, and what charts it draws, without a model.

The component is interpreted over column `lineage`: a frame is a table of columns, each with the base columns
that it was computed from. Whatever a plot call of the target takes is shown (`charts`). Loops over
known lists run once an element, the notebook's own functions are read at each call, and what is not
understood is None (NotebookRAG §4.2.2, which asks a model instead).
"""

from __future__ import annotations

import ast
from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from typing import NamedTuple

from lakebook.notebooks.clean import parse
from lakebook.notebooks.lineage.interpreter import Interpreter
from lakebook.notebooks.lineage.shown import NO_CHART, NO_COLUMN, Shown
from lakebook.notebooks.lineage.values import Frame, base_frame
from lakebook.notebooks.schema import Schema

_CUT_HEADER = 20  # pandas shows that many columns of a table that has more
_CUT_SHORT = "the code runs too long to be followed to its end"


@dataclass(frozen=True, slots=True)
class UsedColumns:
    """Columns and charts of a component.

    Attributes:
        shown: base columns that the figures show, sorted.
        filters: base columns that select the rows that are shown; they may be shown, too.
        keys: base columns that serve as group-by and index keys.
        charts: chart types in the order in which they are drawn.
        unsure: why the answer may be incomplete, "" if nothing was hidden.
    """

    shown: tuple[str, ...] = ()
    filters: tuple[str, ...] = ()
    keys: tuple[str, ...] = ()
    charts: tuple[str, ...] = ()
    unsure: str = ""


class Ran(NamedTuple):
    """What is left to know of a statement that was run.

    Attributes:
        grouped: base columns that it grouped by.
        whole: False if it was left before its end, since it took too many steps.
    """

    grouped: frozenset[str]
    whole: bool


class ColumnPass:
    """One reading of a notebook's statements, in order, for all of its components.

    The statements of a component are run among those that others need: what a slice leaves out changes
    nothing that its target shows, so that nothing has to be run once for each component.
    """

    def __init__(self, schema: Schema | None = None) -> None:
        self._schema = known = schema if schema is not None else Schema(complete=False)
        self._kinds = dict(known.columns)
        self._interpreter = Interpreter(lambda path: base_frame(known))

    def run(self, statement: ast.stmt, shown: Shown | None = None) -> Ran:
        """Run the next statement; what it draws is added to `shown`, if anybody asks.

        Args:
            statement: of the top level.
            shown: what the target shows that it belongs to.
        """
        interpreter = self._interpreter
        interpreter.shown = shown if shown is not None else Shown()
        whole = interpreter.top_level(statement)
        return Ran(frozenset(interpreter.grouped), whole)

    def saw(self, statement: ast.stmt, columns: Sequence[str]) -> None:
        """Learn which columns a loaded table has, from how the last statement of a cell showed it.

        Args:
            statement: `df`, `df.head()` and the like; of others nothing is learned.
            columns: the header of the saved output.
        """
        name = _shown_table(statement)
        frame = self._interpreter.find(name) if name else None
        if isinstance(frame, Frame) and frame.is_loaded:
            frame.show_columns(columns, is_whole=len(columns) != _CUT_HEADER, kinds=self._kinds)

    def used(self, shown: Shown, needed: Iterable[Ran]) -> UsedColumns:
        """Return what a target shows, given how the statements that it needs and its own were run."""
        listed = list(needed)
        grouped = frozenset().union(*(one.grouped for one in listed))
        return _result(shown, grouped, self._schema, cut_short=not all(one.whole for one in listed))


def columns_of(component_code: str, schema: Schema | None = None, *, target_code: str = "") -> UsedColumns:
    """Return the columns and chart types of a component.

    Args:
        component_code: plain Python.
        schema: columns of the table that the component reads; without it, any name that is used as a column
            of a loaded frame is taken for one.
        target_code: the last part of the code; only what it draws counts. By default all of it.
    """
    first_line = _first_target_line(component_code, target_code)
    reading = ColumnPass(schema)
    shown = Shown()
    body = parse(component_code).body
    return reading.used(
        shown,
        [reading.run(one, shown if one.lineno >= first_line else None) for one in body],
    )


def _shown_table(statement: ast.stmt) -> str:
    """Return the name of the table that a statement shows whole rows of, "" if it is no such."""
    node = statement.value if isinstance(statement, ast.Expr) else None
    while isinstance(node, ast.Call):
        function = node.func
        if isinstance(function, ast.Attribute) and function.attr in ("head", "tail", "sample"):
            node = function.value
        else:
            is_display = isinstance(function, ast.Name) and function.id == "display" and len(node.args) == 1
            node = node.args[0] if is_display else None
    return node.id if isinstance(node, ast.Name) else ""


def _first_target_line(code: str, target: str) -> int:
    target_lines = target.strip("\n").count("\n") + 1 if target.strip() else 0
    lines = code.rstrip("\n").count("\n") + 1
    return lines - target_lines + 1 if target_lines else 1


def _result(shown: Shown, grouped: frozenset[str], schema: Schema, *, cut_short: bool) -> UsedColumns:
    """Return what was collected of a target, without names that the table does not have."""
    names = set(schema.names) if schema.complete else None
    found = {*shown.columns, *shown.labels} if shown.charts else set(shown.columns)
    columns = {name for name in found if names is None or name in names}
    # what a loop takes apart by its values, and names beside each part, selects nothing
    selecting = shown.filters - shown.told - (shown.labels if shown.charts else set())
    filters = {name for name in selecting if names is None or name in names}
    keys = {name for name in shown.keys | (grouped & columns) if names is None or name in names}
    charts = [chart for chart in shown.charts if chart != "facet" or len(shown.charts) == 1]
    reasons = list(shown.doubts)
    if cut_short:
        reasons.insert(0, _CUT_SHORT)
    if not columns and not reasons:
        reasons.append(NO_COLUMN if shown.charts else NO_CHART)
    return UsedColumns(
        tuple(sorted(columns)),
        tuple(sorted(filters)),
        tuple(sorted(keys)),
        tuple(charts),
        "; ".join(reasons),
    )
