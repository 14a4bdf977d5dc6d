"""How the notebook takes values apart: what a loop takes, what a dictionary holds, what a group is."""

from __future__ import annotations

from collections.abc import Iterator

from lakebook.notebooks.lineage.records import Records, records_of
from lakebook.notebooks.lineage.values import (
    MOST_ITEMS,
    ByColumn,
    Canvas,
    Column,
    ColumnNames,
    DataKey,
    Frame,
    Groups,
    Series,
    union,
)


def items_of(value: object, limit: int = MOST_ITEMS) -> Iterator[object]:
    """Iterate over a value as a loop would, as far as its elements are known."""
    if isinstance(value, Frame) and value.is_array and not value.open:
        yield records_of(value, by_position=True).frame
    elif isinstance(value, Frame):
        yield from list(value.columns)[:limit] or (None,)
    elif isinstance(value, ColumnNames):
        yield from value[:limit] or (None,)
    elif isinstance(value, (list, tuple)):
        yield from value[:limit]
    elif isinstance(value, dict):
        yield from map(key_value, list(value)[:limit])
    elif isinstance(value, ByColumn):
        yield Series(Column(union(value.columns.values()), "number"), filters=value.filters)
    elif isinstance(value, Groups):
        keys = Series(Column(union(value.keys.values())))
        inner = value.frame.copy(filters=union(value.keys.values()))
        alone = value.selected[0] if value.selected and value.single else None
        yield (keys, inner if alone is None else Series(inner.column(alone), alone, {}, inner.filters))
    elif isinstance(value, Series):
        yield Series(value.column, value.name, {}, value.filters, is_item=True, doubt=value.doubt)
    elif isinstance(value, Canvas):
        yield value
    elif isinstance(value, Records):
        yield value.frame
    else:
        yield None


def key_value(key: object) -> object:
    """Return the value that a key of a dictionary stands for."""
    if not isinstance(key, DataKey):
        return key
    return Series(Column(key.bases, "text"), filters=key.filters, is_item=True)


def is_counted(value: object) -> bool:
    """Return True if the number of the elements of a value is known to a loop."""
    return isinstance(value, (list, tuple, dict, Frame))


def pick_group(groups: Groups) -> Frame | Series:
    """Return one group as a function that is applied to it gets it."""
    frame = groups.frame
    if groups.single and groups.selected:
        name = groups.selected[0]
        return Series(frame.column(name), name, dict(frame.index), frame.filters)
    if groups.selected is not None:
        return frame.copy({name: frame.column(name) for name in groups.selected}, is_open=False)
    return frame
