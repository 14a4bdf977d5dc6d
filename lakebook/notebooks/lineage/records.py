"""Rows as dictionaries, and what code collects of them: documents of files, counting dictionaries.

A row is its frame. A document such as `json.load` gives has no column until rows are taken of it.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, replace

from lakebook.notebooks.lineage.access import pick
from lakebook.notebooks.lineage.arguments import Call
from lakebook.notebooks.lineage.values import (
    Bases,
    Column,
    DataKey,
    Frame,
    Items,
    Label,
    Series,
    bases_of,
    doubt_of,
    filters_of,
)


@dataclass(slots=True)
class Records:
    """A loaded document: rows of a file as dictionaries, or what holds them."""

    frame: Frame


class DefaultDict(dict[object, object]):
    """A dictionary that makes what it lacks; `made` names what it makes."""

    def __init__(self, made: str) -> None:
        super().__init__()
        self.made = made

    def lacking(self, key: object) -> object:
        """Return what is made for a key, which is held from then on."""
        makers: dict[str, Callable[[], object]] = {"list": Items, "set": Items, "dict": dict, "int": int}
        return self.setdefault(key, makers[self.made]() if self.made in makers else None)


def records_of(frame: Frame, *, by_position: bool) -> Records:
    """Return the rows of a file, as dictionaries or as lists."""
    if not by_position:
        return Records(frame)
    columns: dict[Label, Column] = {str(at): one for at, one in enumerate(frame.columns.values())}
    return Records(Frame(columns, {}, frame.filters, doubt=frame.doubt))


def records_method(records: Records, name: str, call: Call) -> object:
    """Return what a method of a loaded document gives: its parts are such documents, or rows, again."""
    if name == "get":
        return part_of_records(records, call.get("", 0))
    if name in ("items", "iteritems"):
        return [(None, records)]
    if name in ("keys", "append", "extend", "update"):
        return None
    return Items([records]) if name == "values" else records


def part_of_records(records: Records, key: object) -> object:
    """Return what a loaded document holds under a key: a column, a row, or rows further inside."""
    if isinstance(key, str) and not records.frame.open and key in records.frame.columns:
        return pick(records.frame, key)
    return records.frame if isinstance(key, int) else records


def as_key(value: object, position: int) -> object:
    """Return the key under which a dictionary holds what is stored under a value."""
    if isinstance(value, (str, int, float)):
        return value
    return DataKey(bases_of(value), filters_of(value)) if bases_of(value) else position


def held_under(key: object, value: object) -> object:
    """Return the value of a dictionary under a key: what is plain under values of the data counts those."""
    if isinstance(key, DataKey) and not bases_of(value) and not isinstance(value, (list, dict)):
        return Series(Column(key.bases, "number"), filters=filters_of(value))
    return value


def selected(value: object, filters: Bases, depth: int = 3) -> object:
    """Return a value that was taken of rows which a test on these columns selected."""
    filters = filters - bases_of(value)
    if not filters or not depth:
        return value
    if isinstance(value, Series):
        return replace(value, filters=value.filters | filters)
    if isinstance(value, Frame):
        return value.copy(filters=filters)
    if isinstance(value, dict):
        return {key: selected(item, filters, depth - 1) for key, item in value.items()}
    if isinstance(value, (list, tuple)):
        parts = [selected(item, filters, depth - 1) for item in value]
        return tuple(parts) if isinstance(value, tuple) else Items(parts, doubt_of(value))
    return value
