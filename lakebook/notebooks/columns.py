"""Which columns of the old table a component shows, and what charts it draws, without a model.

The component is interpreted over column `lineage`: a frame is a table of columns, each with the base columns
that it was computed from. Whatever a plot call of the target takes is shown (`charts`). Loops over
known lists run once an element, the notebook's own functions are read at each call, and what is not
understood is None (NotebookRAG §4.2.2, which asks a model instead).
"""

from __future__ import annotations

import ast
from collections.abc import Sequence
from dataclasses import dataclass

from lakebook.notebooks.clean import parse
from lakebook.notebooks.lineage.charts import Shown
from lakebook.notebooks.lineage.interpreter import Interpreter
from lakebook.notebooks.lineage.values import base_frame
from lakebook.notebooks.schema import Schema

_BLIND = "which columns the figure shows is not fully visible in the code"


@dataclass(frozen=True, slots=True)
class UsedColumns:
    """Columns and charts of a component.

    Attributes:
        shown: base columns that the figures show, sorted.
        filters: base columns that only select rows.
        keys: base columns that serve as group-by and index keys.
        charts: chart types in the order in which they are drawn.
        unsure: why the answer may be incomplete, "" if nothing was hidden.
    """

    shown: tuple[str, ...] = ()
    filters: tuple[str, ...] = ()
    keys: tuple[str, ...] = ()
    charts: tuple[str, ...] = ()
    unsure: str = ""


def columns_of(component_code: str, schema: Schema | None = None, *, target_code: str = "") -> UsedColumns:
    """Return the columns and chart types of a component.

    Args:
        component_code: plain Python.
        schema: columns of the table that the component reads; without it, any name that is used as a column
            of a loaded frame is taken for one.
        target_code: the last part of the code; only what it draws counts. By default all of it.
    """
    body = parse(component_code).body
    first_line = _first_target_line(component_code, target_code)
    upstream = [statement for statement in body if statement.lineno < first_line]
    return columns_of_statements(upstream, body[len(upstream) :], schema)


def columns_of_statements(
    upstream: Sequence[ast.stmt], target: Sequence[ast.stmt], schema: Schema | None = None
) -> UsedColumns:
    """Return the columns and chart types of a component that is parsed already."""
    known = schema if schema is not None else Schema(complete=False)
    interpreter = Interpreter(lambda: base_frame(known))
    interpreter.watching = False
    for statement in upstream:
        interpreter.top_level(statement)
    cut_short = interpreter.exhausted
    interpreter.exhausted = False  # the target has steps of its own: what it draws is seen in any case
    interpreter.steps = 0
    interpreter.watching = True
    for statement in target:
        interpreter.top_level(statement)
    return _result(interpreter.shown, known, cut_short=cut_short or interpreter.exhausted)


def _first_target_line(code: str, target: str) -> int:
    target_lines = target.strip("\n").count("\n") + 1 if target.strip() else 0
    lines = code.rstrip("\n").count("\n") + 1
    return lines - target_lines + 1 if target_lines else 1


def _result(shown: Shown, schema: Schema, *, cut_short: bool) -> UsedColumns:
    names = set(schema.names) if schema.complete else None
    columns = {name for name in shown.columns if names is None or name in names}
    filters = {name for name in shown.filters if names is None or name in names}
    keys = {name for name in shown.keys | (shown.grouped & columns) if names is None or name in names}
    charts = [chart for chart in shown.charts if chart != "facet" or len(shown.charts) == 1]
    blind = cut_short or bool(shown.charts and not columns) or shown.blind
    return UsedColumns(
        tuple(sorted(columns)),
        tuple(sorted(filters - columns)),
        tuple(sorted(keys)),
        tuple(charts),
        _BLIND if blind else "",
    )
