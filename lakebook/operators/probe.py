"""The Probe operator: observe columns over all rows, and remember it for later checks (RADAR §3.1)."""

from __future__ import annotations

from collections.abc import Sequence

from lakebook.errors import OperatorError
from lakebook.operators import plain
from lakebook.operators.arguments import ProbeKind
from lakebook.operators.record import Observation
from lakebook.operators.state import Ran, SharedState, data_input
from lakebook.sandbox.base import Json
from lakebook.sources.card import Coverage, ValueCount
from lakebook.validation.knowledge import Enumeration, KnownTable
from sql import read

VALUES_LISTED = 1000  # values that a Probe lists before its enumeration counts as partial
SHAPES_LISTED = 20
_STATEMENTS = {"key": "probe/measure_key", "range": "probe/measure_column", "nulls": "probe/measure_column"}


def probe(state: SharedState, known: KnownTable, names: Sequence[str], kind: ProbeKind) -> Ran:
    """Observe columns of one table; the names are those of the table itself."""
    coverage = known.coverage
    if kind == "distinct":
        seen = enumerate_values(state, known, names[0])
        if not seen.complete and coverage.complete:
            coverage = Coverage(False, f"the {len(seen.values):,} most frequent values")
        result: Json = {
            "values": {value.value: value.rows for value in seen.values},
            "complete": seen.complete,
        }
    elif kind == "pattern":
        result, complete = _shapes(state, known, names[0])
        if not complete and coverage.complete:
            coverage = Coverage(False, f"the {SHAPES_LISTED} most frequent shapes")
    else:
        found = state.lake.fetch(read(_STATEMENTS[kind]), {"table": known.name, "columns": list(names)})
        measured = dict(zip(found.columns, map(plain.plain, found.rows[0]), strict=True))
        if kind == "key":
            measured["unique"] = measured["rows"] == measured["combinations"]
        result = dict(measured)
    subject = f"{known.name}.{'+'.join(names)}"
    return Ran(
        inputs=(data_input(known, names),),
        observations=(Observation(kind, subject, result, coverage),),
        result=result,
    )


def enumerate_values(state: SharedState, known: KnownTable, column: str) -> Enumeration:
    """List the values of a column and remember them."""
    parameters: dict[str, Json] = {"table": known.name, "columns": [column], "most": VALUES_LISTED + 1}
    rows = state.lake.fetch(read("probe/list_values"), parameters).rows
    values = tuple(ValueCount(str(value), int(count)) for value, count in rows[:VALUES_LISTED])
    seen = Enumeration(values, len(rows) <= VALUES_LISTED and known.coverage.complete)
    state.knowledge.learn_values(known.name, column, seen)
    return seen


def _shapes(state: SharedState, known: KnownTable, column: str) -> tuple[Json, bool]:
    parameters: dict[str, Json] = {"table": known.name, "columns": [column], "most": SHAPES_LISTED + 1}
    rows = state.lake.fetch(read("probe/list_shapes"), parameters).rows
    shapes: list[Json] = [
        {"shape": str(shape), "rows": int(count), "example": str(example)}
        for shape, count, example in rows[:SHAPES_LISTED]
    ]
    complete = len(rows) <= SHAPES_LISTED
    return {"shapes": shapes, "complete": complete and known.coverage.complete}, complete


def match_keys(
    state: SharedState, left: KnownTable, left_key: Sequence[str], right: KnownTable, right_key: Sequence[str]
) -> Ran:
    """Count how the keys of two tables meet; they are paired in order and compared as text."""
    parameters: dict[str, Json] = {"left": left.name, "right": right.name}
    for side, known, key in (("left", left, left_key), ("right", right, right_key)):
        if len(set(key)) < len(key):
            raise OperatorError("a column stands twice in a key.", where=known.name)
        order = [column.name for column in known.columns if column.name in key]
        order_of: list[Json] = [order.index(name) + 1 for name in key]
        parameters |= {f"{side}_columns": [*order], f"{side}_order": order_of}
    found = state.lake.fetch(read("probe/match_keys"), parameters)
    result: dict[str, Json] = dict(zip(found.columns, map(plain.plain, found.rows[0]), strict=True))
    complete = left.coverage.complete and right.coverage.complete
    coverage = Coverage() if complete else (right.coverage if left.coverage.complete else left.coverage)
    subject = f"{left.name}.{'+'.join(left_key)} = {right.name}.{'+'.join(right_key)}"
    return Ran(
        inputs=(data_input(left, left_key), data_input(right, right_key)),
        observations=(Observation("match", subject, result, coverage),),
        result=result,
    )
