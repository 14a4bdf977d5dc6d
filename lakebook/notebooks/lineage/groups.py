"""What methods of a grouped frame do to column lineage: the keys become its index, or columns if so asked.

What is computed a group shows the keys too; what stays aligned with the rows (`shift`, `cumsum`) does not.
"""

from __future__ import annotations

from lakebook.notebooks.lineage.arguments import Call
from lakebook.notebooks.lineage.frames import reset_index
from lakebook.notebooks.lineage.values import (
    DATA_DEPENDENT,
    NO_BASES,
    Bases,
    Column,
    Frame,
    Groups,
    Label,
    Ref,
    Series,
    bases_of,
    labels_in,
    texts,
    union,
)
from lakebook.notebooks.schema import ColumnKind
from lakebook.notebooks.taxonomy import names

_REDUCING = names("lineage", "reducing").exact
_TO_NUMBER = names("lineage", "to_number").exact
_ALIGNED = names("lineage", "aligned").exact
_ANY_KIND = frozenset({"count", "nunique", "min", "max", "first", "last", "size", "any", "all"})


def groups_method(groups: Groups, name: str, call: Call) -> object:
    """Return what a method of a grouped frame gives."""
    result = _grouped(groups, name, call)
    if isinstance(result, (Frame, Series)):
        result.doubt = result.doubt or groups.frame.doubt
    if groups.as_index or name in ("get_group", "transform", "filter", *_ALIGNED):
        return result
    if isinstance(result, Series):
        frame = Frame({result.name or "size": result.column}, result.index, result.filters, doubt=result.doubt)
        return reset_index(frame, Call())
    return reset_index(result, Call()) if isinstance(result, Frame) else result


def _grouped(groups: Groups, name: str, call: Call) -> object:
    frame, keys = groups.frame, groups.keys
    key_bases = union(keys.values())
    if name == "groups":
        return {None: frame}
    if name in ("get_group", "filter", "head", "tail", "nth", "sample"):
        chosen = frame.copy(filters=key_bases)
        if groups.selected is None:
            return chosen
        picked = chosen.copy({key: frame.column(key) for key in groups.selected}, is_open=False)
        return _only(groups, picked) if groups.single else picked
    if name in ("rolling", "expanding", "resample", "apply") and name != "apply":
        return groups
    if name in ("size", "ngroups", "ngroup", "cumcount") or (name == "count" and not groups.chosen):
        index = {} if name == "cumcount" else keys
        return Series(Column(key_bases, "number"), "size", dict(index), frame.filters)
    if name in ("agg", "aggregate"):
        return _aggregate(groups, call, key_bases)
    if name == "apply":
        return _applied(groups, call, key_bases)
    return _columnwise(groups, name, call, key_bases)


def _columnwise(groups: Groups, name: str, call: Call, key_bases: Bases) -> object:
    frame = groups.frame
    aligned = name in _ALIGNED or name == "transform"
    shared = NO_BASES if name in _ALIGNED else key_bases
    numeric_only = name in _REDUCING and name not in _ANY_KIND and groups.selected is None
    columns: dict[Label, Column] = {}
    for key in groups.chosen:
        one = frame.column(key)
        if numeric_only and one.kind not in ("number", "unknown"):
            continue
        columns[key] = Column(one.bases | shared, "number" if name in _TO_NUMBER else one.kind)
    index = dict(frame.index if aligned else groups.keys)
    result = Frame(columns, index, frame.filters, doubt=frame.doubt)
    if groups.selected is None and frame.expanded:
        result.expanded = {prefix: Column(one.bases | shared, "number") for prefix, one in frame.expanded.items()}
    if groups.selected is None and frame.open:
        result.open = not aligned  # a column that is asked for later was one of the table's
        result.doubt = DATA_DEPENDENT
    if name == "value_counts" and groups.single and groups.selected:
        result.index[groups.selected[0]] = frame.column(groups.selected[0])
    if name == "describe":
        result.expanded = {"": Column(union(columns.values()), "number")}
        return result
    return _only(groups, result) if groups.single else result


def _only(groups: Groups, frame: Frame) -> Series:
    name = groups.selected[0] if groups.selected else ""
    return Series(frame.column(name), name, dict(frame.index), frame.filters, doubt=frame.doubt)


def _applied(groups: Groups, call: Call, key_bases: Bases) -> object:
    """The function was evaluated by the caller, who passes what it makes of a group."""
    made = call.get("func", 0)
    frame = groups.frame
    if isinstance(made, Frame):
        return made.copy(index={**groups.keys, **made.index})
    if isinstance(made, Series):
        column = Column(made.column.bases | key_bases, made.column.kind)
        name = groups.selected[0] if groups.single and groups.selected else made.name
        return Series(column, name, dict(groups.keys), frame.filters)
    everything = Column(bases_of(groups), "unknown")
    if groups.single and groups.selected:
        return Series(everything, groups.selected[0], dict(groups.keys), frame.filters)
    return Frame({}, dict(groups.keys), frame.filters, expanded={"": everything}, doubt=frame.doubt)


def _aggregate(groups: Groups, call: Call, key_bases: Bases) -> object:
    frame = groups.frame
    spec = call.get("func", 0)
    columns: dict[Label, Column] = {}
    if isinstance(spec, dict):
        for key, how in spec.items():
            if not isinstance(key, str):
                continue
            source = frame.column(key)
            if groups.single and groups.selected and key not in frame.columns:
                source = frame.column(groups.selected[0])  # the old form that names its results
            for label in _result_labels(key, how):
                columns[label] = _aggregated(source, how, key_bases)
    elif spec is None and call.keywords:
        for output, source in call.keywords.items():
            named = texts(source)
            wanted = named[0] if named else ""
            if groups.single and groups.selected:
                wanted = groups.selected[0]
            columns[output] = _aggregated(frame.column(wanted), source, key_bases)
    elif isinstance(spec, list) and groups.single and groups.selected:
        source = frame.column(groups.selected[0])
        columns = {_how_name(how): _aggregated(source, how, key_bases) for how in spec}
    else:
        for key in groups.chosen:
            for label in _result_labels(str(key), spec):
                columns[label] = _aggregated(frame.column(key), spec, key_bases)
        if groups.single and groups.selected:
            name = groups.selected[0]
            return Series(columns.get(name, Column()), name, dict(groups.keys), frame.filters)
    doubt = DATA_DEPENDENT if frame.open and groups.selected is None and not isinstance(spec, dict) and not call.keywords else ""
    return Frame(columns, dict(groups.keys), frame.filters, doubt=doubt)


def _result_labels(key: str, how: object) -> list[Label]:
    if isinstance(how, (list, tuple)):
        return [(key, _how_name(one)) for one in how]
    return [key]


def _how_name(how: object) -> str:
    if isinstance(how, tuple) and how and isinstance(how[0], str):
        return how[0]
    return how if isinstance(how, str) else how.name if isinstance(how, Ref) else "<lambda>"


def _aggregated(column: Column, how: object, key_bases: Bases) -> Column:
    words = _how_name(how[-1]) if isinstance(how, (list, tuple)) and how else _how_name(how)
    kind: ColumnKind = column.kind if words in ("min", "max", "first", "last") else "number"
    return Column(column.bases | key_bases | bases_of(how), kind)


def grouped_labels(groups: Groups, key: object) -> Groups:
    """Return the groups with some columns selected."""
    chosen = tuple(str(label) for label in labels_in(list(key) if isinstance(key, tuple) else key))
    if not chosen:
        return groups
    return Groups(groups.frame, groups.keys, chosen, isinstance(key, str), groups.as_index)
