"""Frames that are put together from values, and methods of plain Python values, over column lineage."""

from __future__ import annotations

from lakebook.notebooks.lineage.frames import Call
from lakebook.notebooks.lineage.values import (
    Column,
    ColumnNames,
    Frame,
    Series,
    bases_of,
    combined,
    filters_of,
    items_of,
    texts,
)


def built_frame(data: object, call: Call) -> Frame:
    """Return what `pd.DataFrame(...)` makes."""
    if isinstance(data, dict):
        columns = {key: Column(bases_of(item)) for key, item in data.items() if isinstance(key, str)}
        return Frame(columns, {}, filters_of(data))
    if isinstance(data, Frame):
        return data.copy()
    if isinstance(data, Series):
        label = (texts(call.get("columns")) or (data.name or "0",))[0]
        return Frame({label: data.column}, dict(data.index), data.filters)
    bases = bases_of(data)
    labels = texts(call.get("columns")) or (("0",) if bases else ())
    return Frame({label: Column(bases) for label in labels}, {}, filters_of(data))


def concatenated(parts: list[object]) -> Frame:
    """Return what `pd.concat` makes."""
    result = Frame()
    for part in parts:
        if isinstance(part, Frame):
            for name, column in part.columns.items():
                before = result.columns.get(name)
                merged = column if before is None else Column(before.bases | column.bases, column.kind)
                result.columns[name] = merged
            result.index = {**part.index, **result.index}
            result.filters |= part.filters
            result.open = result.open or part.open
        elif isinstance(part, Series):
            result.columns[part.name or "value"] = part.column
            result.index = {**part.index, **result.index}
            result.filters |= part.filters
    return result


def list_method(items: list[object], name: str, call: Call) -> object:
    """Return what a method of a list, or of column labels, gives."""
    first = call.get("", 0)
    if name == "append":
        items.append(first)
    elif name == "extend":
        items.extend(items_of(first))
    elif name == "remove":
        if first in items:
            items.remove(first)
    elif name in ("drop", "difference"):
        gone = set(texts(first))
        return ColumnNames(item for item in items if isinstance(item, str) and item not in gone)
    elif name in ("tolist", "to_list", "copy", "unique", "values"):
        return ColumnNames(items) if isinstance(items, ColumnNames) else list(items)
    else:
        return items if isinstance(items, ColumnNames) else combined((items, *call.values())) or items
    return None


def dict_method(items: dict[object, object], name: str, call: Call) -> object:
    """Return what a method of a dictionary gives."""
    if name == "items":
        return [[key, value] for key, value in items.items()]
    if name == "keys":
        return list(items)
    if name == "values":
        return list(items.values())
    return items.get(call.get("", 0)) if name == "get" else combined((items,))


def text_method(text: str, name: str, call: Call) -> object:
    """Return what a method of a known string gives."""
    if name in ("lower", "upper", "title", "strip", "capitalize") and not call.values():
        return getattr(text, name)()
    if name == "format" and all(isinstance(item, (str, int)) for item in call.values()):
        try:
            return text.format(*call.positional, **call.keywords)
        except (IndexError, KeyError, ValueError):
            return None
    if (
        name == "split"
        and len(call.positional) <= 1
        and all(isinstance(item, str) for item in call.positional)
    ):
        return list(text.split(*call.positional))  # type: ignore[arg-type]
    if name == "replace" and len(call.positional) == 2 and all(isinstance(i, str) for i in call.positional):
        return text.replace(*call.positional)  # type: ignore[arg-type]
    return None
