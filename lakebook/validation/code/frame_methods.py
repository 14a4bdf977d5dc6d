"""Methods of frames: what each hands out. What `inplace=True` does is the business of `calls`."""

from __future__ import annotations

import ast
from collections.abc import Callable
from dataclasses import replace

from lakebook.validation.code.joining import joined
from lakebook.validation.code.method import AGGREGATES, OTHER_VALUES, Call, stored_field
from lakebook.validation.code.values import (
    Field,
    Frame,
    Grouped,
    Listed,
    Mapped,
    Routine,
    RowOf,
    Rows,
    Series,
    Taken,
    Value,
    literal,
    names,
    new_labels,
)

_SAME = frozenset(
    {"copy", "infer_objects", "convert_dtypes", "sort_index", "reindex_like", "set_axis", "rename_axis"}
)


def of_frame(call: Call) -> Value:
    """Return what a method of a frame hands out."""
    frame: Frame = call.receiver
    if call.name in _SAME:
        made = frame.copy()
        made.rows = replace(made.rows, ordered=made.rows.ordered or call.name == "sort_index")
        return made
    if call.name in OTHER_VALUES:
        return _other_values(call, frame)
    if call.name in AGGREGATES:
        return _aggregated(call, frame)
    handler = _OF_FRAMES.get(call.name)
    return handler(call, frame) if handler else None


def _other_values(call: Call, frame: Frame) -> Frame:
    """Return a frame with the same columns, of which some or all values may have changed."""
    made = frame.copy()
    given = call.given(0, "dtype" if call.name == "astype" else "value")
    touched = set(made.fields)
    if isinstance(given, Mapped) and call.name in ("astype", "fillna", "replace") and given.whole:
        touched &= {str(key) for key in given.items}
    for name in touched:
        filled = call.name in ("fillna", "ffill", "bfill")
        kind = made.fields[name].kind if call.name not in ("map", "applymap", "astype", "replace") else ""
        made.fields[name] = replace(made.fields[name].changed(kind), nulls=0 if filled else None)
    return made


def _aggregated(call: Call, frame: Frame) -> Value:
    if call.name in ("describe", "corr", "cov", "mode", "value_counts", "quantile"):
        return None
    return Series(Field(made=call.name), Rows(keys=("column",)))


def _dropna(call: Call, frame: Frame) -> Value:
    if call.constant(0, "axis", 0) in (1, "columns"):
        return frame.fewer().opened()
    made = frame.fewer()
    subset = names(call.given(9, "subset")) if call.said(9, "subset") else tuple(made.fields)
    if call.constant(1, "how", "any") == "all" or call.said(2, "thresh") or subset is None:
        return made
    for name in subset:
        call.runs.column(call.node, frame, name, "subset")
        if name in made.fields:
            made.fields[name] = replace(made.fields[name], nulls=0)
    return made


def _reset_index(call: Call, frame: Frame) -> Frame:
    made = frame.copy()
    made.rows = replace(made.rows, labels=new_labels())
    if call.constant(1, "drop", False) is not True:
        added = frame.index or {"index": Field()}
        made.fields = {**added, **made.fields}
    made.index = {}
    return made


def _set_index(call: Call, frame: Frame) -> Value:
    keys = names(call.given(0, "keys"))
    if keys is None:
        return frame.opened()
    for name in keys:
        call.runs.column(call.node, frame, name, "keys")
    made = frame.copy()
    made.index = {name: made.fields[name] for name in keys if name in made.fields}
    if call.constant(1, "drop", True) is not False:
        made.fields = {name: one for name, one in made.fields.items() if name not in keys}
    made.rows = replace(made.rows, labels=new_labels())
    return made


def _sorted(call: Call, frame: Frame) -> Frame:
    for name in names(call.given(0, "by")) or ():
        call.runs.column(call.node, frame, name, "by")
    made = frame.copy()
    ignored = call.constant(9, "ignore_index", False) is True
    made.rows = replace(made.rows, ordered=True, labels=new_labels() if ignored else made.rows.labels)
    return made


def _head(call: Call, frame: Frame) -> Frame:
    made = frame.fewer()
    rows = call.constant(0, "n", 5)
    how = f".{call.name}({rows if isinstance(rows, int) else '…'})"
    count = rows if isinstance(rows, int) else None
    if not frame.rows.ordered and not frame.rows.keys:
        read = ast.unparse(call.node.func.value).startswith(("pd.read_", "pandas.read_"))
        part = Taken(how, count, of=frame.rows.count, loaded=read)
        made.rows = replace(made.rows, taken=frame.rows.taken or part, count=count)
    return made


def _largest(call: Call, frame: Frame) -> Frame:
    for name in names(call.given(1, "columns")) or ():
        call.runs.column(call.node, frame, name, "columns")
    made = frame.fewer()
    made.rows = replace(made.rows, ordered=True)
    return made


def _sample(call: Call, frame: Frame) -> Frame:
    made = frame.fewer()
    if call.constant(1, "frac") in (1, 1.0):
        return made
    rows = call.constant(0, "n", None if call.said(1, "frac") else 1)
    count = rows if isinstance(rows, int) else None
    part = Taken(f".sample({rows if rows else '…'})", count, random=True, of=frame.rows.count)
    made.rows = replace(made.rows, taken=frame.rows.taken or part, count=count)
    return made


def _drop(call: Call, frame: Frame) -> Value:
    by_columns = call.said(9, "columns")
    if not by_columns and call.constant(1, "axis", 0) not in (1, "columns"):
        return frame.fewer() if not call.said(9, "axis") else frame.opened().fewer()
    listed = names(call.named["columns"] if by_columns else call.given(0, "labels"))
    if listed is None:
        return frame.copy()
    made = frame.copy()
    for name in listed:
        if call.constant(9, "errors", "raise") != "ignore":
            call.runs.column(call.node, frame, name, "drop")
        made.fields.pop(name, None)
    return made


def _rename(call: Call, frame: Frame) -> Value:
    if not call.said(9, "columns"):
        return frame.copy() if call.said(9, "index") else frame.opened()
    try:
        renamed = literal(call.named["columns"])
    except ValueError:
        return Frame({}, False, frame.rows, label=frame.label)
    if not isinstance(renamed, dict):
        return Frame({}, False, frame.rows, label=frame.label)
    made = frame.copy()
    made.fields = {
        str(renamed.get(name, name)): replace(one, of=one.of | {str(renamed.get(name, name))})
        for name, one in frame.fields.items()
    }
    return made


def _drop_duplicates(call: Call, frame: Frame) -> Frame:
    for name in names(call.given(0, "subset")) or ():
        call.runs.column(call.node, frame, name, "subset")
    made = frame.fewer()
    if listed := names(call.given(0, "subset")):
        made.rows = replace(made.rows, keys=listed)
    return made


def _assign(call: Call, frame: Frame) -> Frame:
    made = frame.copy()
    for name, value in call.named.items():
        found = call.runs.invoke(value, [made]) if isinstance(value, Routine) else value
        made.fields[name] = stored_field(name, found)
    return made


def _groupby(call: Call, frame: Frame) -> Value:
    listed = names(call.given(0, "by"))
    if listed is None:
        given = call.given(0, "by")
        items = given.items if isinstance(given, Listed) else [given]
        named = tuple(item.name for item in items if isinstance(item, Series) and item.name)
        return Grouped(frame.opened(), named, made_by=call.node)
    for name in listed:
        call.runs.column(call.node, frame, name, "by")
    return Grouped(frame, listed, as_index=call.constant(9, "as_index", True) is not False, made_by=call.node)


def _apply(call: Call, frame: Frame) -> Value:
    routine = call.given(0, "func")
    if not isinstance(routine, Routine):
        return None
    by_rows = call.constant(1, "axis", 0) in (1, "columns")
    call.runs.invoke(routine, [RowOf(frame) if by_rows else None])
    return Series(Field(), frame.rows) if by_rows else None


def _pipe(call: Call, frame: Frame) -> Value:
    routine = call.given(0, "func")
    return call.runs.invoke(routine, [frame, *call.args[1:]]) if isinstance(routine, Routine) else None


def _filter(call: Call, frame: Frame) -> Value:
    listed = names(call.given(0, "items"))
    return frame.copy(listed) if listed is not None else frame.opened()


def _melt(call: Call, frame: Frame) -> Value:
    kept = names(call.given(0, "id_vars")) if call.said(0, "id_vars") else ()
    named = (call.constant(2, "var_name", "variable"), call.constant(3, "value_name", "value"))
    if kept is None or not all(isinstance(name, str) for name in named):
        return None
    fields = {name: (frame.find(name) or Field()).changed() for name in (*kept, *named)}
    return Frame(fields, True, Rows(tables=frame.rows.tables), label=frame.label)


def _pivoted(call: Call, frame: Frame) -> Value:
    for option in ("index", "columns", "values"):
        for name in names(call.named.get(option)) or ():
            call.runs.column(call.node, frame, name, option)
    return Frame(rows=Rows(new_labels(), keys=("index",)), label=frame.label)


def _merge(call: Call, frame: Frame) -> Value:
    other = call.given(0, "right")
    return joined(call, frame, other) if isinstance(other, Frame) else None


def _isna(call: Call, frame: Frame) -> Value:
    made = frame.copy()
    made.fields = {name: Field(kind="boolean", nulls=0) for name in made.fields}
    return made


def _select_dtypes(call: Call, frame: Frame) -> Value:
    return frame.copy()


def _iterrows(call: Call, frame: Frame) -> Value:
    return Listed([Listed([None, RowOf(frame)])], whole=False)


def _agg(call: Call, frame: Frame) -> Value:
    for name in asked(call):
        call.runs.column(call.node, frame, name, "agg")
    return None


def asked(call: Call) -> tuple[str, ...]:
    """Return the columns that the dictionary of `agg` names."""
    given = call.given(0, "func")
    return tuple(str(key) for key in given.items) if isinstance(given, Mapped) else ()


_OF_FRAMES: dict[str, Callable[[Call, Frame], Value]] = {
    "agg": _agg, "aggregate": _agg, "apply": _apply, "assign": _assign, "drop": _drop, "dropna": _dropna,
    "drop_duplicates": _drop_duplicates, "filter": _filter, "groupby": _groupby, "head": _head,
    "isna": _isna, "isnull": _isna, "notna": _isna, "notnull": _isna, "iterrows": _iterrows, "melt": _melt,
    "merge": _merge, "nlargest": _largest, "nsmallest": _largest, "pipe": _pipe, "pivot": _pivoted,
    "pivot_table": _pivoted, "rename": _rename, "reset_index": _reset_index, "sample": _sample,
    "select_dtypes": _select_dtypes, "set_index": _set_index, "sort_values": _sorted, "tail": _head,
}  # fmt: skip
