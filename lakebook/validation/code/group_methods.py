"""Methods of groups: one row a group for aggregates."""

from __future__ import annotations

from dataclasses import replace

from lakebook.validation.code.frame_methods import asked
from lakebook.validation.code.method import AGGREGATES, Call
from lakebook.validation.code.values import (
    Constant,
    Field,
    Frame,
    Grouped,
    Listed,
    Mapped,
    Routine,
    Rows,
    Series,
    Value,
    names,
    new_labels,
)


def of_groups(call: Call) -> Value:
    """Return what a method of groups hands out: one row a group for aggregates."""
    groups: Grouped = call.receiver
    frame = groups.frame
    rows = Rows(new_labels(), tables=frame.rows.tables, keys=groups.keys, taken=frame.rows.taken)
    index = {name: replace(frame.find(name) or Field(), nulls=0) for name in groups.keys}
    if call.name in ("agg", "aggregate"):
        return _agg_of_groups(call, groups, rows, index)
    if call.name in ("apply", "pipe", "filter"):
        routine = call.given(0, "func")
        if isinstance(routine, Routine):
            call.runs.invoke(routine, [groups.series or frame.copy()])
        return None
    if call.name in (
        "transform",
        "cumsum",
        "cumcount",
        "shift",
        "diff",
        "pct_change",
        "rank",
        "fillna",
        "ffill",
    ):
        return Series(Field(), frame.rows) if groups.series else None
    if call.name in ("head", "tail", "sample", "nth"):
        return frame.fewer()
    if call.name not in AGGREGATES or call.name in ("describe", "value_counts", "quantile", "corr"):
        return None
    if groups.series is not None:
        made = Field(made=call.name, of=groups.series.field.of, kind="number")
        if not groups.as_index:
            return _by_group({groups.series.name: made}, True, rows, index, groups)
        return Series(made, rows, groups.series.name)
    if call.name == "size":
        return Series(Field(made="size", kind="number"), rows)
    wanted = groups.columns or tuple(name for name in frame.fields if name not in groups.keys)
    fields = {name: Field(made=call.name, of=(frame.find(name) or Field()).of) for name in wanted}
    whole = groups.columns is not None or frame.whole
    return _by_group(fields, whole, rows, index, groups)


def _by_group(
    fields: dict[str, Field], whole: bool, rows: Rows, index: dict[str, Field], groups: Grouped
) -> Frame:
    if not groups.as_index:
        fields, index = {**index, **fields}, {}
    return Frame(fields, whole, rows, index, label=groups.frame.label)


def _agg_of_groups(call: Call, groups: Grouped, rows: Rows, index: dict[str, Field]) -> Value:
    given = call.given(0, "func")
    fields: dict[str, Field] = {}
    if given is None and call.named:
        for name, value in call.named.items():
            parts = value.items if isinstance(value, Listed) else [value]
            source = parts[0].value if parts and isinstance(parts[0], Constant) else None
            made = parts[-1].value if parts and isinstance(parts[-1], Constant) else None
            if isinstance(source, str) and len(parts) == 2 and groups.series is None:
                found = call.runs.column(call.node, groups.frame, source, "agg")
                fields[name] = Field(made=str(made or ""), of=found.field.of, kind="number")
            else:
                fields[name] = Field(made=str(made or ""))
        return _by_group(fields, True, rows, index, groups)
    if isinstance(given, Mapped) and groups.series is None:
        for name in asked(call):
            call.runs.column(call.node, groups.frame, name, "agg")
        made_by = {str(name): item.value for name, item in given.items.items() if isinstance(item, Constant)}
        if given.whole and len(made_by) == len(given.items):
            fields = {name: Field(made=str(how)) for name, how in made_by.items()}
            return _by_group(fields, True, rows, index, groups)
        return None
    if groups.series is not None and isinstance(given, Listed) and (listed := names(given)) is not None:
        fields = {name: Field(made=name, of=groups.series.field.of) for name in listed}
        return _by_group(fields, True, rows, index, groups)
    return None
