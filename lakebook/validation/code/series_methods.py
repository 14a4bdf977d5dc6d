"""Methods of series: what each hands out."""

from __future__ import annotations

from dataclasses import replace

from lakebook.validation.code.frame_methods import of_frame
from lakebook.validation.code.method import AGGREGATES, OTHER_VALUES, Call
from lakebook.validation.code.values import Field, Frame, Routine, Rows, Scalar, Series, Value, new_labels


def of_series(call: Call) -> Value:
    """Return what a method of a series hands out."""
    series: Series = call.receiver
    name = call.name
    if name in ("copy", "reset_index", "sort_values", "sort_index", "to_frame", "infer_objects"):
        return _rearranged(call, series)
    if name in (
        "dropna",
        "drop_duplicates",
        "head",
        "tail",
        "sample",
        "nlargest",
        "nsmallest",
        "drop",
        "truncate",
    ):
        part = Frame({"": series.field}, True, series.rows)
        found = (
            of_frame(replace(call, receiver=part, name=name))
            if name in ("head", "tail", "sample")
            else part.fewer()
        )
        field = replace(found.fields[""], nulls=0) if name == "dropna" else found.fields[""]  # type: ignore[union-attr]
        return Series(field, found.rows, series.name)  # type: ignore[union-attr]
    if name in (
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
    ):
        return _mask(call, series)
    if name in ("apply", "map") and isinstance(call.given(0, "func"), Routine):
        call.runs.invoke(call.given(0, "func"), [Scalar(of=series.field)])  # type: ignore[arg-type]
        return Series(series.field.changed(), series.rows)
    if name in OTHER_VALUES or name == "apply":
        filled = name in ("fillna", "ffill", "bfill")
        kind = series.field.kind if name not in ("map", "apply", "replace", "astype") else ""
        if name == "astype" and call.constant(0, "dtype") in ("int", "float", "int64", "float64"):
            kind = "number"
        nulls = 0 if filled else series.field.nulls if name in ("round", "astype", "abs") else None
        return Series(replace(series.field.changed(kind), nulls=nulls), series.rows, series.name)
    if name in ("value_counts", "unique", "describe", "mode"):
        rows = Rows(ordered=name == "value_counts", keys=(series.name,), taken=series.rows.taken)
        return Series(Field(made="count" if name == "value_counts" else "", of=series.field.of), rows)
    if name in AGGREGATES or name in ("item", "idxmax", "idxmin"):
        return Scalar(name, series.field)
    return None


def _rearranged(call: Call, series: Series) -> Value:
    rows = series.rows
    if call.name in ("sort_values", "sort_index"):
        rows = replace(rows, ordered=True)
    if call.name == "reset_index":
        rows = replace(rows, labels=new_labels())
        if call.constant(1, "drop", False) is not True:
            return None
    if call.name == "to_frame":
        return None
    return replace(series, rows=rows, frame=None)


def _mask(call: Call, series: Series) -> Series:
    return Series(Field(kind="boolean", nulls=0, of=series.field.of), series.rows)
