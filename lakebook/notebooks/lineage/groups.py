"""What methods of a grouped frame do to column lineage: the keys become its index, or columns if so asked.

What stays aligned with the rows (`shift`, `cumsum`, `transform`) keeps their index.
"""

from __future__ import annotations

from lakebook.notebooks.lineage.arguments import Call
from lakebook.notebooks.lineage.bounds import LONGEST_LIST, LONGEST_TEXT
from lakebook.notebooks.lineage.frames import reset_index
from lakebook.notebooks.lineage.values import (
    DATA_DEPENDENT,
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
        column = Column(kind="number") if result.is_count else result.column
        frame = Frame({result.name or "size": column}, result.index, result.filters, doubt=result.doubt)
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
        return Series(Column(key_bases, "number"), "size", dict(index), frame.filters, is_count=True)
    if name in ("agg", "aggregate"):
        return _aggregate(groups, call)
    if name == "apply":
        return _applied(groups, call)
    return _columnwise(groups, name)


def _columnwise(groups: Groups, name: str) -> object:
    frame = groups.frame
    aligned = name in _ALIGNED or name == "transform"
    numeric_only = name in _REDUCING and name not in _ANY_KIND and groups.selected is None
    columns: dict[Label, Column] = {}
    for key in groups.chosen:
        one = frame.column(key)
        if numeric_only and one.kind not in ("number", "unknown"):
            continue
        columns[key] = Column(one.bases, "number" if name in _TO_NUMBER else one.kind)
    index = dict(frame.index if aligned else groups.keys)
    result = Frame(columns, index, frame.filters, doubt=frame.doubt)
    if groups.selected is None and frame.expanded:
        result.expanded = {prefix: Column(one.bases, "number") for prefix, one in frame.expanded.items()}
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


def _applied(groups: Groups, call: Call) -> object:
    """The function was evaluated by the caller, who passes what it makes of a group."""
    made = call.get("func", 0)
    frame = groups.frame
    if isinstance(made, Frame):
        return made.copy(index={**groups.keys, **made.index})
    if isinstance(made, Series):
        column = Column(made.column.bases or union(groups.keys.values()), made.column.kind)
        name = groups.selected[0] if groups.single and groups.selected else made.name
        return Series(column, name, dict(groups.keys), frame.filters)
    everything = Column(union(frame.column(name) for name in groups.chosen), "unknown")
    if groups.single and groups.selected:
        return Series(everything, groups.selected[0], dict(groups.keys), frame.filters)
    return Frame({}, dict(groups.keys), frame.filters, expanded={"": everything}, doubt=frame.doubt)


def _aggregate(groups: Groups, call: Call) -> object:
    frame = groups.frame
    spec = call.get("func", 0)
    only = groups.selected[0] if groups.single and groups.selected else ""
    columns: dict[Label, Column] = {}
    doubt = ""
    if isinstance(spec, dict):
        columns = _by_column(groups, spec, only)
    elif spec is None and call.keywords:
        for output, source in call.keywords.items():
            wanted = only or next(iter(texts(source)), "")
            columns[output] = _aggregated(frame.column(wanted), source)
    elif isinstance(spec, list) and only:
        columns = {_how_name(how): _aggregated(frame.column(only), how) for how in spec}
    else:
        doubt = DATA_DEPENDENT if frame.open and groups.selected is None else ""
        for key in groups.chosen[:LONGEST_LIST]:
            name = str(key)[:LONGEST_TEXT]
            columns.update(
                (label, _aggregated(frame.column(key), spec)) for label in _result_labels(name, spec)
            )
        if only:
            return Series(columns.get(only, Column()), only, dict(groups.keys), frame.filters)
    return Frame(columns, dict(groups.keys), frame.filters, doubt=doubt)


def _by_column(groups: Groups, spec: dict[object, object], only: str) -> dict[Label, Column]:
    columns: dict[Label, Column] = {}
    for key, how in spec.items():
        if isinstance(key, str):
            renamed = only and key not in groups.frame.columns  # the old form that names its results
            source = groups.frame.column(only if renamed else key)
            columns.update((label, _aggregated(source, how)) for label in _result_labels(key, how))
    return columns


def _result_labels(key: str, how: object) -> list[Label]:
    if isinstance(how, (list, tuple)):
        return [(key, _how_name(one)) for one in how]
    return [key]


def _how_name(how: object) -> str:
    if isinstance(how, tuple) and how and isinstance(how[0], str):
        return how[0]
    return how if isinstance(how, str) else how.name if isinstance(how, Ref) else "<lambda>"


def _aggregated(column: Column, how: object) -> Column:
    words = _how_name(how[-1]) if isinstance(how, (list, tuple)) and how else _how_name(how)
    kind: ColumnKind = column.kind if words in ("min", "max", "first", "last") else "number"
    return Column(column.bases | bases_of(how), kind)


def grouped_labels(groups: Groups, key: object) -> Groups:
    """Return the groups with some columns selected."""
    chosen = tuple(str(label) for label in labels_in(list(key) if isinstance(key, tuple) else key))
    if not chosen:
        return groups
    return Groups(groups.frame, groups.keys, chosen, isinstance(key, str), groups.as_index)
