"""Methods of series: what each hands out."""

from __future__ import annotations

from dataclasses import replace

from lakebook.validation.code.frame_methods import of_frame
from lakebook.validation.code.method import AGGREGATES, OTHER_VALUES, Call
from lakebook.validation.code.values import (
    Condition,
    Field,
    Frame,
    Routine,
    Rows,
    Scalar,
    Series,
    Value,
    new_labels,
)

_FEWER = frozenset(
    {"dropna", "drop_duplicates", "head", "tail", "sample", "nlargest", "nsmallest", "drop", "truncate"}
)
_MASKS = frozenset(
    {
        "isna",
        "isnull",
        "notna",
        "notnull",
        "between",
        "duplicated",
        "isin",
        "eq",
        "ne",
        "gt",
        "lt",
        "ge",
        "le",
    }
)
_REARRANGED = frozenset({"copy", "reset_index", "sort_values", "sort_index", "infer_objects"})
_SAME_NULLS = frozenset({"round", "astype", "abs"})


def of_series(call: Call) -> Value:
    """Return what a method of a series hands out."""
    series: Series = call.receiver
    name = call.name
    if name in _REARRANGED:
        return _rearranged(call, series)
    if name in _FEWER:
        return _fewer(call, series)
    if name in _MASKS:
        return mask_of(series)
    if name in OTHER_VALUES or name == "apply":
        return _other_values(call, series)
    if name in ("value_counts", "unique", "describe"):
        rows = Rows(ordered=name == "value_counts", keys=(series.name,), taken=series.rows.taken)
        return Series(Field(made="value_counts" if name == "value_counts" else "", of=series.field.of), rows)
    if name in AGGREGATES or name in ("item", "idxmax", "idxmin"):
        return Scalar(name, series.field)
    return None


def _fewer(call: Call, series: Series) -> Value:
    if call.name == "dropna":
        if series.field.nulls == 0:
            return replace(series, frame=None)  # nothing to drop
        return Series(replace(series.field, nulls=0), series.rows.fewer(), series.name, dropped=True)
    part = Frame({"": series.field}, True, series.rows)
    found = (
        of_frame(replace(call, receiver=part)) if call.name in ("head", "tail", "sample") else part.fewer()
    )
    return Series(found.fields[""], found.rows, series.name) if isinstance(found, Frame) else None


def _other_values(call: Call, series: Series) -> Series:
    routine = call.given(0, "func")
    if call.name in ("apply", "map") and isinstance(routine, Routine):
        call.runs.invoke(routine, [Scalar(of=series.field)])
    kind = series.field.kind if call.name not in ("map", "apply", "replace", "astype") else ""
    if call.name == "astype" and call.constant(0, "dtype") in ("int", "float", "int64", "float64"):
        kind = "number"
    filled = call.name in ("fillna", "ffill", "bfill")
    nulls = 0 if filled else series.field.nulls if call.name in _SAME_NULLS else None
    return Series(replace(series.field.changed(kind), nulls=nulls), series.rows, series.name)


def _rearranged(call: Call, series: Series) -> Value:
    rows = series.rows
    if call.name in ("sort_values", "sort_index"):
        rows = replace(rows, ordered=True)
    if call.name == "reset_index":
        rows = replace(rows, labels=new_labels())
        if call.constant(1, "drop", False) is not True:
            return _as_frame(call, series, rows)
    return replace(series, rows=rows, frame=None)


def _as_frame(call: Call, series: Series, rows: Rows) -> Value:
    """Return the frame of a series by groups: a column for each key, and its own."""
    own = call.constant(9, "name") or ("count" if series.field.made == "value_counts" else series.name)
    if not rows.keys or "" in rows.keys or "column" in rows.keys or not isinstance(own, str) or not own:
        return None
    fields = {name: Field(nulls=0, of=frozenset((name,))) for name in rows.keys}
    return Frame({**fields, own: series.field}, True, rows)


def mask_of(series: Series, conditions: tuple[Condition, ...] = ()) -> Series:
    """Return the mask that a test of a series gives; a missing value passes none or all of them."""
    return Series(Field(kind="boolean", nulls=0, of=series.field.of), series.rows, conditions=conditions)
