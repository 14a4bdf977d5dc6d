"""What pandas methods do to column lineage: frames, groups and series, one table of methods each.

Only lineage counts here: which base columns a result is computed from, which of them selected rows, which
are keys. Methods that are in no table keep all columns of their receiver.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field

from lakebook.notebooks.lineage.values import (
    NO_BASES,
    Bases,
    Column,
    ColumnNames,
    Frame,
    Groups,
    Series,
    bases_of,
    filters_of,
    pick,
    texts,
    union,
)
from lakebook.notebooks.schema import ColumnKind
from lakebook.notebooks.taxonomy import names


@dataclass(frozen=True, slots=True)
class Call:
    """Evaluated arguments of a method call."""

    positional: Sequence[object] = ()
    keywords: Mapping[str, object] = field(default_factory=dict)

    def get(self, name: str, position: int = -1) -> object:
        """Return an argument by name, or by position, or None."""
        if name in self.keywords:
            return self.keywords[name]
        return self.positional[position] if 0 <= position < len(self.positional) else None

    def values(self) -> list[object]:
        """Return all arguments."""
        return [*self.positional, *self.keywords.values()]


_REDUCING = names("lineage", "reducing").exact
_NUMERIC_ONLY = names("lineage", "numeric_only").exact
_TO_NUMBER = names("lineage", "to_number").exact
_TO_TEXT = names("lineage", "to_text").exact


def frame_method(frame: Frame, name: str, call: Call) -> object:
    """Return what a method of a frame gives; `inplace=True` changes the frame itself."""
    handler = _FRAME_METHODS.get(name)
    if handler is not None:
        result = handler(frame, call)
    elif name in _REDUCING:
        columns = frame.numeric() if name in _NUMERIC_ONLY else frame.columns
        result = Series(Column(union(columns.values()), "number"), "", dict(frame.index), frame.filters)
    elif name in ("isnull", "isna", "notnull", "notna"):
        result = frame.copy({key: Column(one.bases, "number") for key, one in frame.columns.items()})
    else:
        result = frame.copy()
    if call.keywords.get("inplace") is True and isinstance(result, Frame):
        frame.columns, frame.index, frame.filters = result.columns, result.index, result.filters
        return None
    return result


def groups_method(groups: Groups, name: str, call: Call) -> object:
    """Return what a method of a grouped frame gives: the keys become its index, or columns if so asked."""
    result = _grouped(groups, name, call)
    if groups.as_index or not isinstance(result, (Frame, Series)):
        return result
    return (
        series_method(result, "reset_index", Call())
        if isinstance(result, Series)
        else _reset_index(result, Call())
    )


def _grouped(groups: Groups, name: str, call: Call) -> object:
    frame, keys = groups.frame, groups.keys
    if name in ("get_group", "filter", "head", "tail"):
        return frame.copy(filters=union(keys.values()))
    if name == "size" or (name == "count" and groups.selected is None and not frame.columns):
        return Series(Column(NO_BASES, "number"), "size", dict(keys), frame.filters)
    if name in ("agg", "aggregate"):
        return _aggregate(groups, call)
    if name == "apply" and not groups.single:
        return Frame({}, dict(keys), frame.filters, spread=Column(bases_of(groups) - union(keys.values())))
    chosen = [key for key in frame.columns if key not in keys] if groups.selected is None else groups.selected
    numeric_only = (
        name in _REDUCING and groups.selected is None and name not in ("count", "nunique", "min", "max")
    )
    columns = {
        key: Column(frame.column(key).bases, "number" if name in _TO_NUMBER else frame.column(key).kind)
        for key in chosen
        if not numeric_only or frame.column(key).kind in ("number", "unknown")
    }
    if groups.single and groups.selected:
        if name in ("unstack", "value_counts"):
            keys = {**keys, groups.selected[0]: frame.column(groups.selected[0])}
        only = columns.get(groups.selected[0], Column())
        return Series(only, groups.selected[0], dict(keys), frame.filters)
    return Frame(columns, dict(keys), frame.filters)


def _aggregate(groups: Groups, call: Call) -> object:
    frame = groups.frame
    spec = call.get("func", 0)
    columns: dict[str, Column] = {}
    if isinstance(spec, dict):
        columns = {key: _as_number(frame.column(key)) for key in spec if isinstance(key, str)}
    elif spec is None and call.keywords:
        for output, source in call.keywords.items():
            named = texts(source)
            columns[output] = _as_number(frame.column(named[0])) if named else Column()
    else:
        chosen = groups.selected or [key for key in frame.columns if key not in groups.keys]
        columns = {key: _as_number(frame.column(key)) for key in chosen}
        if groups.single and groups.selected and isinstance(spec, str):
            return Series(columns[groups.selected[0]], groups.selected[0], dict(groups.keys), frame.filters)
    return Frame(columns, dict(groups.keys), frame.filters)


def _as_number(column: Column) -> Column:
    return Column(column.bases, "number")


def series_method(series: Series, name: str, call: Call) -> object:
    """Return what a method of a series gives."""
    if call.keywords.get("inplace") is True:
        return None
    extra = frozenset().union(*(bases_of(item) for item in call.values())) if call.values() else NO_BASES
    kind: ColumnKind = series.column.kind
    if name in _TO_NUMBER:
        kind = "number"
    elif name in _TO_TEXT:
        kind = "text"
    elif name == "astype":
        kind = astype_kind(call.get("dtype", 0), kind)
    column = Column(series.column.bases | extra, kind)
    result = Series(column, series.name, dict(series.index), series.filters)
    if name == "value_counts":
        result.index = {series.name or "index": series.column}
        result.column = Column(series.column.bases, "number")
    elif name in ("reset_index", "to_frame"):
        return _series_as_frame(result, name, call)
    elif name == "rename" and isinstance(call.get("index", 0), str):
        result.name = str(call.get("index", 0))
    elif name == "groupby":
        by = call.get("by", 0)
        keys = {key: series.index.get(key, Column(bases_of(by))) for key in texts(by) or ("key",)}
        held = {series.name or "value": series.column}
        return Groups(Frame(held, {}, series.filters), keys, tuple(held), single=True)
    elif name in ("unstack", "get_dummies"):
        return Frame({}, dict(series.index), series.filters, spread=column)
    elif name in ("tolist", "to_list", "unique", "values") and not series.column.bases:
        return None
    return result


def _series_as_frame(series: Series, name: str, call: Call) -> Frame:
    given = call.get("name", 0 if name == "to_frame" else 1)
    label = given if isinstance(given, str) else series.name or "0"
    if name == "to_frame":
        return Frame({label: series.column}, dict(series.index), series.filters)
    index = series.index or {"index": Column(series.column.bases)}
    if label in index:
        label = "count" if not isinstance(given, str) else label
    return Frame({**index, label: series.column}, {}, series.filters)


def astype_kind(wanted: object, before: ColumnKind) -> ColumnKind:
    """Return the kind of values after a conversion."""
    text = str(wanted).lower()
    if re.search(r"int|float|number", text):
        return "number"
    if re.search(r"str|object|categor", text):
        return "text"
    return "datetime" if "date" in text else before


# -- frame methods -----------------------------------------------------------------------------------------


def _groupby(frame: Frame, call: Call) -> object:
    by = call.get("by", 0)
    keys: dict[str, Column] = {}
    for position, item in enumerate(by if isinstance(by, (list, tuple)) else [by]):
        if isinstance(item, str):
            keys[item] = frame.column(item)
        elif isinstance(item, Series):
            keys[item.name or f"key{position}"] = item.column
    if not keys and call.get("level") is not None:
        keys = dict(frame.index)
    return Groups(frame, keys, as_index=call.keywords.get("as_index") is not False)


def _drop(frame: Frame, call: Call) -> object:
    labels = call.get("columns")
    axis = call.get("axis", 1)
    if labels is None and axis in (1, "columns"):
        labels = call.get("labels", 0)
    gone = set(texts(labels))
    return frame.copy({name: one for name, one in frame.columns.items() if name not in gone})


def _rename(frame: Frame, call: Call) -> object:
    renamed = call.get("columns")
    if not isinstance(renamed, dict):
        return frame.copy()
    for old in renamed:
        if isinstance(old, str):
            frame.column(old)
    new_names = {old: new if isinstance(new, str) else old for old, new in renamed.items()}
    return frame.copy({new_names.get(name, name): one for name, one in frame.columns.items()})


def _assign(frame: Frame, call: Call) -> object:
    added = {
        name: Column(bases_of(value)) if bases_of(value) else Column()
        for name, value in call.keywords.items()
    }
    return frame.copy({**frame.columns, **added})


def _select_dtypes(frame: Frame, call: Call) -> object:
    include, exclude = str(call.get("include", 0) or ""), str(call.get("exclude", 1) or "")
    wants_numbers = bool(re.search("number|int|float", include)) or bool(
        re.search("object|categ|str", exclude)
    )
    wanted = {"number", "unknown"} if wants_numbers else {"text", "unknown"}
    return frame.copy({name: one for name, one in frame.columns.items() if one.kind in wanted}, is_open=False)


def _correlation(frame: Frame, call: Call) -> object:
    return frame.copy(frame.numeric(), index={})


def _query(frame: Frame, call: Call) -> object:
    text = call.get("expr", 0)
    if not isinstance(text, str):
        return frame.copy()
    words = set(re.findall(r"`([^`]+)`", text)) | set(
        re.findall(r"(?<![@\w'\"])[A-Za-z_]\w*(?![\w'\"(])", text)
    )
    words -= {"and", "or", "not", "in", "True", "False", "None"}
    bases = union(frame.column(word) for word in words if word in frame.columns or frame.open)
    return frame.copy(filters=bases)


def _merge(frame: Frame, call: Call) -> object:
    other = call.get("right", 0) or call.get("other", 0)
    if isinstance(other, Frame):
        merged = {**other.columns, **frame.columns}
        return Frame(merged, dict(frame.index), frame.filters | other.filters, frame.open or other.open)
    if isinstance(other, Series):
        return frame.copy({**frame.columns, other.name or "value": other.column}, filters=other.filters)
    return frame.copy()


def _set_index(frame: Frame, call: Call) -> object:
    keys = texts(call.get("keys", 0))
    index = {name: frame.column(name) for name in keys}
    return frame.copy({name: one for name, one in frame.columns.items() if name not in index}, index=index)


def _reset_index(frame: Frame, call: Call) -> object:
    if call.keywords.get("drop") is True:
        return frame.copy(index={})
    return frame.copy({**frame.index, **frame.columns}, index={})


def _pivot(frame: Frame, call: Call, *, values_first: bool) -> object:
    order = ("values", "index", "columns") if values_first else ("index", "columns", "values")
    named = {role: texts(call.get(role, position)) for position, role in enumerate(order)}
    index = {name: frame.column(name) for name in named["index"]}
    across = union(frame.column(name) for name in named["columns"])
    values = named["values"] or [
        name for name in frame.numeric() if name not in index and name not in named["columns"]
    ]
    columns = {name: Column(frame.column(name).bases | across, "number") for name in values}
    spread = Column(union(columns.values()) | across, "number")
    if named["columns"]:
        columns = {}
    return Frame(columns, index, frame.filters, spread=spread)


def _melt(frame: Frame, call: Call) -> object:
    kept = texts(call.get("id_vars", 0))
    molten = texts(call.get("value_vars", 1)) or tuple(name for name in frame.columns if name not in kept)
    bases = union(frame.column(name) for name in molten)
    variable, value = call.get("var_name", 2), call.get("value_name", 3)
    columns = {name: frame.column(name) for name in kept}
    columns[variable if isinstance(variable, str) else "variable"] = Column(NO_BASES, "text")
    columns[value if isinstance(value, str) else "value"] = Column(bases, "number")
    return Frame(columns, {}, frame.filters)


def _value_counts(frame: Frame, call: Call) -> object:
    counted = texts(call.get("subset", 0)) or tuple(frame.columns)
    index = {name: frame.column(name) for name in counted}
    return Series(Column(NO_BASES, "number"), "count", index, frame.filters)


def _pop(frame: Frame, call: Call) -> object:
    name = call.get("item", 0)
    if not isinstance(name, str):
        return None
    taken = Series(frame.column(name), name, {}, frame.filters)
    frame.columns.pop(name, None)
    return taken


def _insert(frame: Frame, call: Call) -> object:
    name = call.get("column", 1)
    if isinstance(name, str):
        frame.columns[name] = Column(bases_of(call.get("value", 2)))
    return None


def _astype(frame: Frame, call: Call) -> object:
    wanted = call.get("dtype", 0)
    columns = dict(frame.columns)
    for name, dtype in wanted.items() if isinstance(wanted, dict) else ():
        if isinstance(name, str):
            column = frame.column(name)
            columns[name] = Column(column.bases, astype_kind(dtype, column.kind))
    return frame.copy(columns)


def _items(frame: Frame, call: Call) -> object:
    return [[name, Series(one, name, {}, frame.filters)] for name, one in frame.columns.items()]


def _rows(frame: Frame, call: Call) -> object:
    return [[Series(Column(union(frame.index.values()))), frame]]


def _apply(frame: Frame, call: Call) -> object:
    """Row functions were evaluated by the caller, who passes their lineage as a series."""
    function = call.get("func", 0)
    if call.get("axis", 1) in (1, "columns") and isinstance(function, Series):
        return Series(function.column, "", dict(frame.index), frame.filters)
    return frame.copy()


def _filter(frame: Frame, call: Call) -> object:
    return pick(frame, call.get("items", 0))


def _labels(frame: Frame, call: Call) -> object:
    return ColumnNames(frame.columns)


def _get(frame: Frame, call: Call) -> object:
    return pick(frame, call.get("key", 0))


def filters_and_bases(value: object) -> Bases:
    """Return everything that a value depends on."""
    return bases_of(value) | filters_of(value)


_FRAME_METHODS: dict[str, Callable[[Frame, Call], object]] = {
    "groupby": _groupby,
    "drop": _drop,
    "rename": _rename,
    "assign": _assign,
    "select_dtypes": _select_dtypes,
    "corr": _correlation,
    "cov": _correlation,
    "describe": _correlation,
    "query": _query,
    "merge": _merge,
    "join": _merge,
    "set_index": _set_index,
    "reset_index": _reset_index,
    "pivot": lambda frame, call: _pivot(frame, call, values_first=False),
    "pivot_table": lambda frame, call: _pivot(frame, call, values_first=True),
    "melt": _melt,
    "value_counts": _value_counts,
    "pop": _pop,
    "insert": _insert,
    "astype": _astype,
    "items": _items,
    "iteritems": _items,
    "iterrows": _rows,
    "itertuples": _rows,
    "apply": _apply,
    "filter": _filter,
    "keys": _labels,
    "get": _get,
}
