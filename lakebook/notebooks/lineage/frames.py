"""What pandas methods do to the column lineage of a frame; `reshape` has those that make other tables of it.

Only lineage counts here: which base columns a result is computed from, which of them selected rows, which
are keys. Methods that are in no table keep all columns of their receiver.
"""

from __future__ import annotations

import re
from collections.abc import Callable

from lakebook.notebooks.lineage.access import (
    as_array,
    column_from,
    frame_attribute,
    pick,
    reduced,
    transposed,
)
from lakebook.notebooks.lineage.arguments import Call
from lakebook.notebooks.lineage.kinds import astype_kind, holds_kind, is_text_wanted, mapped_kind
from lakebook.notebooks.lineage.reshape import RESHAPING
from lakebook.notebooks.lineage.values import (
    DATA_DEPENDENT,
    ByColumn,
    Column,
    Frame,
    Groups,
    Label,
    Series,
    Window,
    bases_of,
    doubt_of,
    labels_in,
    texts,
    union,
)
from lakebook.notebooks.schema import ColumnKind
from lakebook.notebooks.taxonomy import names

_REDUCING = names("lineage", "reducing").exact


def frame_method(frame: Frame, name: str, call: Call) -> object:
    """Return what a method of a frame gives; `inplace=True` changes the frame itself."""
    handler = _METHODS.get(name) or RESHAPING.get(name)
    if handler is not None:
        result = handler(frame, call)
    elif name in _REDUCING:
        return reduced(frame, name, call)
    else:
        result = frame.copy()
    if call.keywords.get("inplace") is True and isinstance(result, Frame):
        frame.become(result)
        return None
    return result


# -- frame methods -----------------------------------------------------------------------------------------


def _groupby(frame: Frame, call: Call) -> object:
    by = call.get("by", 0)
    keys: dict[str, Column] = {}
    for position, item in enumerate(by if isinstance(by, (list, tuple)) else [by]):
        if isinstance(item, str):
            keys[item] = frame.column(item)
        elif isinstance(item, Series):
            keys[item.name or f"key{position}"] = Column(item.column.bases, item.column.kind)
    level = call.get("level")
    if not keys and level is not None:
        wanted = texts(level)
        keys = {name: one for name, one in frame.index.items() if name in wanted} or dict(frame.index)
    return Groups(frame, keys, as_index=call.keywords.get("as_index") is not False)


def _resample(frame: Frame, call: Call) -> object:
    on = texts(call.get("on"))
    keys = {name: frame.column(name) for name in on} or dict(frame.index)
    return Groups(frame, keys)


def _drop(frame: Frame, call: Call) -> object:
    across = "columns" in call.keywords or call.get("axis", 1) in (1, "columns")
    labels = call.get("columns") if "columns" in call.keywords else call.get("labels", 0)
    if not across and not labels_in(labels):
        return frame.copy()  # rows that are taken out are wrong ones: that is cleaning
    gone = set(labels_in(labels))
    if doubt_of(labels) or (not gone and labels != []):  # nobody knows which: what is named later is there
        result = frame.copy()
        result.doubt = frame.doubt or DATA_DEPENDENT
        return result
    result = frame.copy({name: one for name, one in frame.columns.items() if name not in gone})
    if frame.rows is not None and gone & frame.rows.keys():
        result.rows = {name: one for name, one in frame.rows.items() if name not in gone}
    return result


def _rename(frame: Frame, call: Call) -> object:
    across = call.get("axis") in (1, "columns")
    renamed = call.get("mapper", 0) if across else call.get("columns")
    if not isinstance(renamed, dict):
        result = frame.copy()
        if across or "columns" in call.keywords:  # nobody knows which names there are now
            result.doubt, result.is_renamed = frame.doubt or DATA_DEPENDENT, True
        return result
    columns = dict(frame.columns)
    for old, new in renamed.items():
        label = str(old) if isinstance(old, int) else old
        found = frame.find(label)
        if found is None or not isinstance(new, str):
            continue
        if label in columns:
            columns = {new if name == label else name: one for name, one in columns.items()}
        else:
            columns[new] = found
    return frame.copy(columns)


def _assign(frame: Frame, call: Call) -> object:
    result = frame.copy()
    for name, value in call.keywords.items():
        result.columns[name] = column_from(value)
    return result


def _select_dtypes(frame: Frame, call: Call) -> object:
    include, exclude = call.get("include", 0), call.get("exclude", 1)
    kept: dict[Label, Column] = {}
    doubt = frame.doubt
    for name, one in frame.columns.items():
        held = [holds_kind(one, include)] if include is not None else []
        if exclude is not None:
            out = holds_kind(one, exclude)
            held.append(None if out is None else not out)
        if False in held:
            continue
        kept[name] = one
        if None in held:
            doubt = DATA_DEPENDENT
            kind: ColumnKind = "text" if include is not None and is_text_wanted(include) else "number"
            kept[name] = Column(one.bases, kind, one.profile)
    result = frame.copy(kept)
    result.doubt = doubt
    return result


def _correlation(frame: Frame, call: Call) -> object:
    columns = frame.numeric()
    result = frame.copy(columns, index={})
    result.rows = dict(columns)
    return result


def _corr_with(frame: Frame, call: Call) -> object:
    other = call.get("other", 0)
    columns = frame.numeric()
    merged = {key: Column(one.bases | bases_of(other), "number") for key, one in columns.items()}
    return ByColumn(merged, filters=frame.filters, doubt=frame.doubt)


def _describe(frame: Frame, call: Call) -> object:
    include = call.get("include", 1)
    columns = dict(frame.columns) if include == "all" else frame.numeric() or dict(frame.columns)
    if isinstance(include, list) and is_text_wanted(include):
        columns = {name: one for name, one in frame.columns.items() if one.kind in ("text", "unknown")}
    return frame.copy({name: Column(one.bases, "number") for name, one in columns.items()}, index={})


def _query(frame: Frame, call: Call) -> object:
    text = call.get("expr", 0)
    if not isinstance(text, str):
        return frame.copy()
    quoted = set(re.findall(r"`([^`]+)`", text))
    bare = re.sub(r"`[^`]+`|\"[^\"]*\"|'[^']*'", " ", text)
    words = quoted | set(re.findall(r"(?<![@\w.])[A-Za-z_]\w*(?!\w*\()", bare))
    words -= {"and", "or", "not", "in", "True", "False", "None", "index"}
    bases = union(frame.column(word) for word in words if word in frame.columns or frame.open)
    return frame.copy(filters=bases)


def _eval(frame: Frame, call: Call) -> object:
    text = call.get("expr", 0)
    if not isinstance(text, str):
        return frame.copy()
    target, _, formula = text.rpartition("=")
    words = re.findall(r"[A-Za-z_]\w*", formula)
    bases = union(frame.column(word) for word in words if word in frame.columns or frame.open)
    if not target.strip():
        return Series(Column(bases, "number"), "", dict(frame.index), frame.filters)
    return frame.copy({**frame.columns, target.strip(): Column(bases, "number")})


def _set_index(frame: Frame, call: Call) -> object:
    keys = call.get("keys", 0)
    index: dict[str, Column] = {}
    for item in keys if isinstance(keys, list) else [keys]:
        if isinstance(item, str):
            index[item] = frame.column(item)
        elif isinstance(item, Series):
            index[item.name or "index"] = item.column
    kept = frame.columns
    if call.keywords.get("drop") is not False:
        kept = {name: one for name, one in frame.columns.items() if name not in index}
    return frame.copy(kept, index=index)


def reset_index(frame: Frame, call: Call) -> Frame:
    """Return a frame whose index levels are columns."""
    if call.keywords.get("drop") is True:
        return frame.copy(index={})
    if frame.rows is not None:
        labels = Column(union(frame.rows.values()), "text")
        columns: dict[Label, Column] = {"index": labels, **frame.columns}
        return Frame(columns, {}, frame.filters, expanded=dict(frame.expanded), of_columns=True)
    named: dict[Label, Column] = {name: one for name, one in frame.index.items()}
    named.update(frame.columns)
    result = frame.copy(named, index={})
    if len(frame.index) == 1:
        result.expanded = {**result.expanded, "index": next(iter(frame.index.values()))}
    return result


def _pop(frame: Frame, call: Call) -> object:
    name = call.get("item", 0)
    if isinstance(name, list) and doubt_of(name):
        frame.doubt = frame.doubt or doubt_of(name)
        return pick(frame, name[0])
    if not isinstance(name, str):
        return None
    taken = Series(frame.column(name), name, {}, frame.filters)
    frame.columns.pop(name, None)
    return taken


def _insert(frame: Frame, call: Call) -> object:
    name = call.get("column", 1)
    if isinstance(name, str):
        frame.columns[name] = column_from(call.get("value", 2))
    return None


def _astype(frame: Frame, call: Call) -> object:
    wanted = call.get("dtype", 0)
    columns = dict(frame.columns)
    each = wanted.items() if isinstance(wanted, dict) else [(name, wanted) for name in columns]
    for name, dtype in list(each):
        if isinstance(name, str):
            column = frame.column(name)
            columns[name] = Column(column.bases, astype_kind(dtype, column.kind), column.profile)
    return frame.copy(columns)


def _items(frame: Frame, call: Call) -> object:
    return [(name, pick(frame, name)) for name in frame.columns]


def _rows(frame: Frame, call: Call) -> object:
    return [(Series(Column(union(frame.index.values()))), frame)]


def _as_dict(frame: Frame, call: Call) -> object:
    if call.get("orient", 0) == "records":
        return [frame]
    return {str(name): pick(frame, name) for name in frame.columns}


def _tuples(frame: Frame, call: Call) -> object:
    return [frame]


def _apply(frame: Frame, call: Call) -> object:
    """Row functions were evaluated by the caller, who passes their lineage as a series."""
    function = call.get("func", 0)
    if not isinstance(function, Series):
        if call.get("axis", 1) in (1, "columns"):
            return reduced(frame, "apply", Call(keywords={"axis": 1}))
        kinds = {name: mapped_kind(function, one.kind) for name, one in frame.columns.items()}
        return frame.copy(
            {
                name: one if kinds[name] == one.kind else Column(one.bases, kinds[name])
                for name, one in frame.columns.items()
            }
        )
    if call.get("axis", 1) in (1, "columns"):
        if call.get("result_type") == "expand":
            return Frame({}, dict(frame.index), frame.filters, expanded={"": function.column})
        return Series(function.column, "", dict(frame.index), frame.filters, doubt=frame.doubt)
    return frame.copy({name: Column(one.bases, function.column.kind) for name, one in frame.columns.items()})


def _filter(frame: Frame, call: Call) -> object:
    items, like, regex = call.get("items", 0), call.get("like", 1), call.get("regex", 2)
    if isinstance(like, str):
        items = [name for name in frame.columns if like in name]
    elif isinstance(regex, str):
        try:
            items = [name for name in frame.columns if isinstance(name, str) and re.search(regex, name)]
        except re.error:
            items = None
    if not isinstance(items, list):
        return frame.copy()
    result = frame.copy({name: frame.column(name) for name in labels_in(items)}, is_open=False)
    result.doubt = DATA_DEPENDENT if frame.open and (like or regex) else frame.doubt
    return result


def _dropna(frame: Frame, call: Call) -> object:
    result = frame.copy()
    if call.get("axis", 0) in (1, "columns"):
        if call.get("thresh") is None and call.get("how") != "all":
            known = {name: one.profile.nulls if one.profile else None for name, one in frame.columns.items()}
            result.columns = {name: one for name, one in frame.columns.items() if not known[name]}
            if None in known.values():
                result.doubt = DATA_DEPENDENT
        else:
            result.doubt = DATA_DEPENDENT
    else:
        result.columns = {
            name: one if one.profile is None else Column(one.bases, one.kind)
            for name, one in frame.columns.items()
        }
    return result


def _labels(frame: Frame, call: Call) -> object:
    return frame_attribute(frame, "columns")


def _get(frame: Frame, call: Call) -> object:
    return pick(frame, call.get("key", 0))


def _is_null(frame: Frame, call: Call) -> object:
    result = frame.copy({key: Column(one.bases, "number", one.profile) for key, one in frame.columns.items()})
    result.tells_nulls = True
    return result


def _window(frame: Frame, call: Call) -> object:
    return Window(frame)


def _in_place(frame: Frame, call: Call) -> object:
    other = call.get("other", 0)
    if isinstance(other, Frame):
        for name, one in other.columns.items():
            before = frame.columns.get(name, Column())
            frame.columns[name] = Column(before.bases | one.bases, before.kind)
    return None


def _largest(frame: Frame, call: Call) -> object:
    return frame.copy(filters=union(frame.column(name) for name in labels_in(call.get("columns", 1))))


def _cross_section(frame: Frame, call: Call) -> object:
    level = call.get("level")
    levels = {name: one for name, one in frame.index.items() if level is None or name == level}
    return frame.copy(filters=union(list(levels.values())[:1]))


def _sum_of_ranks(frame: Frame, call: Call) -> object:
    return frame.copy({name: Column(one.bases, "number") for name, one in frame.numeric().items()})


def _value_counts(frame: Frame, call: Call) -> object:
    counted = labels_in(call.get("subset", 0)) or tuple(frame.columns)
    index = {str(name): frame.column(name) for name in counted}
    return Series(Column(union(index.values()), "number"), "count", index, frame.filters)


_METHODS: dict[str, Callable[[Frame, Call], object]] = {
    "groupby": _groupby,
    "resample": _resample,
    "drop": _drop,
    **dict.fromkeys(("fetchdf", "fetch_df", "df", "to_df", "pl", "arrow"), lambda frame, call: frame),
    "rename": _rename,
    "assign": _assign,
    "select_dtypes": _select_dtypes,
    "corr": _correlation,
    "cov": _correlation,
    "corrwith": _corr_with,
    "describe": _describe,
    "query": _query,
    "eval": _eval,
    "set_index": _set_index,
    "reset_index": reset_index,
    "value_counts": _value_counts,
    "pop": _pop,
    "insert": _insert,
    "astype": _astype,
    "items": _items,
    "iteritems": _items,
    "iterrows": _rows,
    "itertuples": _tuples,
    "to_dict": _as_dict,
    "_get_numeric_data": lambda frame, call: frame.copy(frame.numeric()),
    "apply": _apply,
    "agg": _apply,
    "filter": _filter,
    "dropna": _dropna,
    "keys": _labels,
    "get": _get,
    "isnull": _is_null,
    "isna": _is_null,
    "notnull": _is_null,
    "notna": _is_null,
    "rolling": _window,
    "expanding": _window,
    "ewm": _window,
    "update": _in_place,
    "nlargest": _largest,
    "nsmallest": _largest,
    "xs": _cross_section,
    "rank": _sum_of_ranks,
    "transpose": lambda frame, call: transposed(frame),
    "to_numpy": lambda frame, call: as_array(frame),
}
