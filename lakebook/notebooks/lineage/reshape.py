"""What becomes of column lineage where tables are put together or turned: merge, pivot, melt, stack."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Sequence

from lakebook.notebooks.lineage.arguments import Call
from lakebook.notebooks.lineage.bounds import LONGEST_LIST
from lakebook.notebooks.lineage.operators import kind_of
from lakebook.notebooks.lineage.records import Records
from lakebook.notebooks.lineage.values import (
    DATA_DEPENDENT,
    Bases,
    ByColumn,
    Column,
    DataKey,
    Frame,
    Label,
    Series,
    bases_of,
    doubt_of,
    filters_of,
    labels_in,
    texts,
    union,
)
from lakebook.notebooks.schema import ColumnKind


def built_frame(data: object, call: Call) -> Frame:
    """Return what `pd.DataFrame(...)` makes."""
    labels = texts(call.get("columns", 2))
    data = table_of_rows(data)
    if isinstance(data, Frame):
        result = data.copy()
        if labels and not any(label in data.columns for label in labels):
            everything = Column(bases_of(data))
            result = data.copy(_renamed(data, labels) or dict.fromkeys(labels, everything), is_open=False)
        elif labels:
            result = data.copy({label: data.column(label) for label in labels}, is_open=False)
        return result
    if isinstance(data, dict):
        columns: dict[Label, Column] = {
            str(key): Column(bases_of(item), _kind_of(item))
            for key, item in data.items()
            if not isinstance(key, DataKey)
        }
        given = [Column(key.bases | bases_of(item)) for key, item in data.items() if isinstance(key, DataKey)]
        index = next((item.index for item in data.values() if isinstance(item, Series) and item.index), {})
        expanded = {"": Column(union(given))} if given else {}
        of_columns = any(isinstance(item, ByColumn) for item in data.values())
        doubt = doubt_of(list(data.values()))
        return Frame(
            columns, dict(index), filters_of(data), expanded=expanded, doubt=doubt, of_columns=of_columns
        )
    if isinstance(data, Series):
        label = (labels or (data.name or "0",))[0]
        return Frame({label: data.column}, dict(data.index), data.filters, expanded={"": data.column})
    if isinstance(data, ByColumn):
        label = (labels or ("0",))[0]
        column = Column(bases_of(data), "number")
        return Frame({label: column}, {}, data.filters, rows=dict(data.columns), doubt=data.doubt)
    rows = list(data) if isinstance(data, list) else []
    if labels and rows and all(isinstance(row, (list, tuple)) and len(row) == len(labels) for row in rows):
        parts = {
            label: frozenset().union(*(bases_of(row[at]) for row in rows)) for at, label in enumerate(labels)
        }
        return Frame({label: Column(bases) for label, bases in parts.items()}, {}, filters_of(data))
    if rows and all(isinstance(row, dict) for row in rows):
        merged: dict[Label, Column] = {}
        for row in rows:
            for key, item in row.items():
                before = merged.get(str(key), Column())
                merged[str(key)] = Column(before.bases | bases_of(item), _kind_of(item))
        return Frame(merged, {}, filters_of(data))
    bases = bases_of(data)
    spread = {"": Column(bases)} if bases else {}
    return Frame({label: Column(bases) for label in labels}, {}, filters_of(data), expanded=spread)


def table_of_rows(data: object) -> object:
    """Return the table of a document, or of a list of whole rows; other values as they are."""
    if isinstance(data, Records):
        return data.frame
    if isinstance(data, list) and data and all(isinstance(row, (Frame, Records)) for row in data):
        return concatenated([row.frame if isinstance(row, Records) else row for row in data], Call())
    return data


def _renamed(frame: Frame, labels: Sequence[str]) -> dict[Label, Column]:
    if len(labels) != len(frame.columns):
        return {}
    return dict(zip(labels, frame.columns.values(), strict=True))


def _kind_of(item: object) -> ColumnKind:
    return kind_of(item[0] if isinstance(item, list) and item else item)


def concatenated(parts: Sequence[object], call: Call) -> object:
    """Return what `pd.concat` makes."""
    series = [part for part in parts if isinstance(part, Series)]
    if series and len(series) == len(parts) and call.get("axis", 1) not in (1, "columns"):
        column = Column(bases_of(series), series[0].column.kind)
        return Series(column, series[0].name, dict(series[0].index), filters_of(series))
    result = Frame()
    given = texts(call.get("keys"))
    for position, part in enumerate(parts):
        if isinstance(part, Frame):
            for name, column in part.columns.items():
                before = result.columns.get(name)
                merged = column if before is None else Column(before.bases | column.bases, column.kind)
                result.columns[name] = merged
            result.index = {**part.index, **result.index}
            result.expanded = {**part.expanded, **result.expanded}
            result.open = result.open or part.open
            result.rows = result.rows or part.rows
            result.asked += tuple(one for one in part.asked if one not in result.asked)
        elif isinstance(part, Series):
            name = given[position] if position < len(given) else part.name or "0"
            result.columns[name] = part.column
            result.index = {**part.index, **result.index}
        elif isinstance(part, ByColumn):
            name = given[position] if position < len(given) else f"{position}"
            result.columns[name] = Column(bases_of(part), "number")
            result.rows = dict(part.columns)
        result.filters |= filters_of(part)
        result.doubt = result.doubt or doubt_of(part)
    return result


def cross_table(call: Call) -> Frame:
    """Return what `pd.crosstab` makes: its columns are named by the values of the second argument."""
    rows, columns = call.get("index", 0), call.get("columns", 1)
    column = Column(call.bases(), "number")
    index: dict[str, Column] = {}
    for position, item in enumerate(rows if isinstance(rows, (list, tuple)) else [rows]):
        if isinstance(item, Series):
            index[item.name or f"row_{position}"] = item.column
    filters = call.filters() | filters_of(columns)
    return Frame({}, index, filters, expanded={"": column})


def indicators(data: object, call: Call) -> object:
    """Return what `pd.get_dummies` makes: a column for each value of each column of text."""
    prefix = call.get("prefix", 1)
    if isinstance(data, Series):
        stem = f"{prefix}_" if isinstance(prefix, str) else ""
        return Frame({}, dict(data.index), data.filters, expanded={stem: data.column})
    if not isinstance(data, Frame):
        return None
    chosen = labels_in(call.get("columns", 5)) or tuple(
        name for name, one in data.columns.items() if one.kind == "text"
    )
    kept = {name: one for name, one in data.columns.items() if name not in chosen}
    result = data.copy(kept)
    stems = texts(prefix) if isinstance(prefix, list) else tuple(str(name) for name in chosen)
    added = {
        f"{stem}_": Column(data.column(name).bases, "number")
        for stem, name in zip(stems, chosen, strict=False)
    }
    result.expanded = {**data.expanded, **added}
    if any(one.kind == "unknown" for one in kept.values()) and not labels_in(call.get("columns", 5)):
        result.doubt = DATA_DEPENDENT
    return result


def _merge(frame: Frame, call: Call) -> object:
    other = call.get("right", 0) or call.get("other", 0)
    parts = other if isinstance(other, list) else [other]
    result = frame
    for part in parts:
        result = _merged(result, part, call)
    return result if parts else frame.copy()


def _merged(frame: Frame, other: object, call: Call) -> Frame:
    if isinstance(other, Series):
        return frame.copy({**frame.columns, other.name or "0": other.column}, filters=other.filters)
    if not isinstance(other, Frame):
        return frame.copy()
    keys = {*texts(call.get("on", 2)), *(set(texts(call.get("left_on"))) & set(texts(call.get("right_on"))))}
    _ask_keys(frame, other, keys, call)
    left, right = _suffixes(call)
    if len(frame.columns) + len(other.columns) > LONGEST_LIST:
        left = right = ""  # a table that is merged with itself again and again
    merged: dict[Label, Column] = {}
    for name, one in frame.columns.items():
        twice = name in other.columns and name not in keys and isinstance(name, str)
        merged[name] = one
        if twice and left:
            merged[f"{name}{left}"] = one
    for name, one in other.columns.items():
        if name not in frame.columns:
            merged[name] = one
        elif name not in keys and isinstance(name, str) and right:
            merged[f"{name}{right}"] = one
    if call.get("on", 2) is not None or call.get("left_on") is not None:
        index: dict[str, Column] = {}
        merged.update(
            {name: one for name, one in (*other.index.items(), *frame.index.items()) if name in keys}
        )
    else:
        index = dict(frame.index or other.index)
    result = Frame(merged, index, frame.filters | other.filters, frame.open or other.open)
    result.expanded = {**other.expanded, **frame.expanded}
    result.doubt = frame.doubt or other.doubt
    result.is_map = frame.is_map or other.is_map
    result.asked = frame.asked + tuple(one for one in other.asked if one not in frame.asked)
    return result


def _ask_keys(frame: Frame, other: Frame, keys: Iterable[str], call: Call) -> None:
    """Note the names by which two tables are joined."""
    for side, own in ((frame, texts(call.get("left_on"))), (other, texts(call.get("right_on")))):
        for name in (*keys, *own) if side.asked else ():
            side.ask(name)


def _suffixes(call: Call) -> tuple[str, str]:
    given = call.get("suffixes")
    if isinstance(given, (list, tuple)) and len(given) == 2:
        return str(given[0] or ""), str(given[1] or "")
    left, right = call.get("lsuffix"), call.get("rsuffix")
    if isinstance(left, str) or isinstance(right, str):
        return left if isinstance(left, str) else "", right if isinstance(right, str) else ""
    return "_x", "_y"


def _appended(frame: Frame, call: Call) -> object:
    other = call.get("other", 0)
    parts = list(other) if isinstance(other, list) else [other]
    if not any(isinstance(part, (Frame, Series)) for part in parts):
        return frame.copy()
    if isinstance(other, Series):
        return frame.copy()
    return concatenated([frame, *parts], Call())


def _pivot(frame: Frame, call: Call, *, values_first: bool) -> Frame:
    order = ("values", "index", "columns") if values_first else ("index", "columns", "values")
    index = _axis_of(frame, call.get("index", order.index("index")))
    across = _axis_of(frame, call.get("columns", order.index("columns")))
    wanted = call.get("values", order.index("values"))
    values: tuple[Label, ...] = labels_in(wanted)
    how = call.get("aggfunc", 3)
    if isinstance(how, dict) and not values:
        values = tuple(name for name in how if isinstance(name, str))
    doubt = frame.doubt
    if not values:
        chosen = frame.numeric() if values_first else frame.columns
        values = tuple(name for name in chosen if name not in index and name not in across)
        doubt = doubt or (DATA_DEPENDENT if frame.open else "")
    shared: Bases = union(across.values())
    made: dict[Label, Column] = {name: Column(frame.column(name).bases | shared, "number") for name in values}
    spread = Column(union(made.values()) | union(across.values()), "number")
    counts = how in ("count", "size") and not labels_in(wanted)
    if counts:
        spread = Column(shared or union(index.values()), "number")
    result = Frame({} if across or counts else made, index, frame.filters, expanded={"": spread})
    result.doubt = "" if counts else doubt
    return result


def _axis_of(frame: Frame, given: object) -> dict[str, Column]:
    found: dict[str, Column] = {}
    for position, item in enumerate(given if isinstance(given, list) else [given]):
        if isinstance(item, str):
            found[item] = frame.column(item)
        elif isinstance(item, Series):
            found[item.name or f"key{position}"] = item.column
    return found


def _melt(frame: Frame, call: Call) -> object:
    kept = labels_in(call.get("id_vars", 0))
    molten = labels_in(call.get("value_vars", 1))
    bases = union(frame.column(name) for name in molten)
    doubt = frame.doubt
    if not molten:
        bases = union(one for name, one in frame.columns.items() if name not in kept)
        bases |= union(frame.expanded.values())
        doubt = doubt or (DATA_DEPENDENT if frame.open else "")
    variable, value = call.get("var_name", 2), call.get("value_name", 3)
    columns: dict[Label, Column] = {name: frame.column(name) for name in kept}
    columns[variable if isinstance(variable, str) else "variable"] = Column(bases, "text", doubt=doubt)
    columns[value if isinstance(value, str) else "value"] = Column(bases, "number", doubt=doubt)
    return Frame(columns, {}, frame.filters, doubt=doubt)


def _stack(frame: Frame, call: Call) -> object:
    column = Column(frame.bases(), "number")
    index = {**frame.index, "level_1": column}
    return Series(column, "0", index, frame.filters, doubt=frame.doubt)


def _unstack(frame: Frame, call: Call) -> object:
    index = dict(list(frame.index.items())[:-1])
    levels = list(frame.index.values())
    across = union(levels if call.values() else levels[-1:])
    made = {name: Column(one.bases | across, one.kind) for name, one in frame.columns.items()}
    column = Column(union(made.values()) | frame.bases() | across, "number")
    return Frame(made, index, frame.filters, expanded={"": column}, doubt=frame.doubt)


RESHAPING: dict[str, Callable[[Frame, Call], object]] = {
    "merge": _merge,
    "join": _merge,
    "append": _appended,
    "pivot": lambda frame, call: _pivot(frame, call, values_first=False),
    "pivot_table": lambda frame, call: _pivot(frame, call, values_first=True),
    "melt": _melt,
    "stack": _stack,
    "unstack": _unstack,
}
