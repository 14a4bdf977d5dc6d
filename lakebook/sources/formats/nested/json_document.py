"""Find the tables in a JSON document: where they are, and in which shape.

Works on the whole document or on one whose long lists are cut; only looks, reads no file.
"""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from itertools import islice
from typing import Any

from lakebook.sources.formats.nested.geojson import features, geometries, is_feature
from lakebook.sources.formats.nested.json_columns import Record, clean
from lakebook.sources.formats.nested.json_shapes import (
    Columns,
    Grouped,
    Inner,
    Keyed,
    Listed,
    Pairs,
    Rows,
    Shape,
    Split,
    Values,
    free_name,
    inside,
    is_scalar,
)

MOST_TABLES = 50
_DEEPEST = 6
_ENOUGH = 10
_MOST_INNER = 10
_SAMPLE = 20_000
_NUMERIC = re.compile(r"\s*[-+]?[\d.,:/-]*\d[\d.,:/-]*%?\s*")
_NAME_KEYS = ("name", "field", "key", "id", "label", "title")
_HEADER_KEYS = ("columns", "fields", "headers", "header", "cols", "column_names", "columnNames", "labels")
_NO_TABLES = frozenset({"coordinates", "bbox", "arcs"})
_OWNER_KEYS = ("id", "_id", "key", "uuid", "code", "name")


@dataclass(frozen=True, slots=True)
class Found:
    """A table in a document: its path, its shape, and the plain values that stand beside it."""

    path: tuple[str, ...]
    shape: Shape
    attributes: tuple[tuple[str, str], ...] = ()
    holder: tuple[str, ...] | None = None

    @property
    def unit(self) -> str:
        """The JSON pointer of the path, or of the object that is the table together with its description."""
        return pointer(self.path if self.holder is None else self.holder)


def pointer(path: Sequence[str]) -> str:
    """Return a path of keys as JSON pointer."""
    return "".join(f"/{clean(key).replace('~', '~0').replace('/', '~1')}" for key in path)


def find_tables(document: Any) -> Iterator[Found]:
    """Find the tables, outer ones first; nothing is looked for inside a table."""
    yield from _search(document, (), ())


def _search(value: Any, path: tuple[str, ...], beside: tuple[tuple[str, str], ...]) -> Iterator[Found]:
    if isinstance(value, list):
        shape = _list_shape(value, path)
        if shape is not None:
            yield Found(path, shape, beside)
    elif isinstance(value, dict):
        shape = _object_shape(value) if value else None
        if shape is not None:
            yield Found(path, shape, beside)
            return
        beside = (*beside, *_plain_members(value))[:20]
        found = _object_tables(value, path, beside)
        yield from found
        if not found and len(path) < _DEEPEST:
            for key, member in value.items():
                if key not in _NO_TABLES:
                    yield from _search(member, (*path, key), beside)


def _plain_members(members: Mapping[str, Any]) -> Iterator[tuple[str, str]]:
    for key, value in islice(members.items(), 20):
        if is_scalar(value) and value not in (None, ""):
            yield clean(key), clean(str(value))[:200]


def _list_shape(items: Sequence[Any], path: tuple[str, ...]) -> Shape | None:
    if not items:
        return None
    records = [item for item in items if type(item) is dict]
    if any(records) and len(records) >= 0.5 * len(items):
        return features(records) if all(map(is_feature, records)) else Listed()
    rows = [item for item in items if type(item) is list]
    if len(rows) >= 0.9 * len(items):
        return _rows_shape(rows)
    if all(map(is_scalar, items)) and (not path or len(items) >= _ENOUGH):
        return Values(clean(path[-1]) if path and path[-1] else "value")
    return None


def _rows_shape(rows: Sequence[Sequence[Any]], names: Sequence[str] = ()) -> Shape | None:
    width, count = Counter(map(len, rows)).most_common(1)[0]
    first = [row for row in rows[:200] if len(row) == width]
    cells = [cell for row in first for cell in row]
    if not width or count < 0.9 * len(rows) or sum(map(is_scalar, cells)) < 0.5 * len(cells):
        return None
    if names:
        return Rows(tuple(names)) if len(names) == width else None
    if len(rows) > 1 and len(rows[0]) == width and _is_header(first):
        return Rows(tuple(rows[0]), has_header=True)
    return Rows(tuple(f"column_{number}" for number in range(1, width + 1)))


def _is_header(rows: Sequence[Sequence[Any]]) -> bool:
    """The first row is words, and below at least one of them stand numbers or the like."""
    header, below = rows[0], rows[1:]
    if not below or not all(isinstance(cell, str) and cell.strip() for cell in header):
        return False
    if len(set(header)) < len(header) or any(map(_NUMERIC.fullmatch, header)):
        return False
    return any(
        all(not isinstance(row[at], str) or _NUMERIC.fullmatch(row[at]) for row in below)
        and any(row[at] is not None for row in below)
        for at in range(len(header))
    )


def _object_tables(
    members: Mapping[str, Any], path: tuple[str, ...], beside: tuple[tuple[str, str], ...]
) -> list[Found]:
    """Return the tables that an object holds as a whole, in one of the known arrangements."""
    kind, collected = members.get("type"), members.get("features")
    if kind == "FeatureCollection" and isinstance(collected, list):
        records = [item for item in collected if type(item) is dict]
        return [Found((*path, "features"), features(records), beside, path)] if records else []
    if kind == "Topology" and isinstance(members.get("objects"), dict):
        return [
            Found(
                (*path, "objects", name, "geometries"),
                geometries(value["geometries"]),
                beside,
                (*path, "objects", name),
            )
            for name, value in members["objects"].items()
            if isinstance(value, dict) and _are_dicts(value.get("geometries"))
        ]
    shaped = _rows_beside_names(members, path, beside)
    return [] if shaped is None else [shaped]


def _rows_beside_names(
    members: Mapping[str, Any], path: tuple[str, ...], beside: tuple[tuple[str, str], ...]
) -> Found | None:
    """A list of rows beside a list of the names of their columns, as many services and pandas write it."""
    for key, rows in members.items():
        if not (isinstance(rows, list) and rows and isinstance(rows[0], (list, dict))):
            continue
        names = next((found for found in _headers(members) if found), ())
        if not names:
            return None
        if isinstance(rows[0], dict):
            schema = members.get("schema")
            is_described = isinstance(schema, dict) and isinstance(schema.get("fields"), list)
            is_table = is_described and key == "data"
            return Found((*path, key), Listed(), beside, path) if is_table else None
        if any(type(row) is not list for row in rows):
            return None
        shape = _rows_shape(rows, names)
        labels = members.get("index")
        if shape is None or key in _HEADER_KEYS:
            continue
        if isinstance(labels, list) and len(labels) == len(rows) and labels != list(range(len(rows))):
            is_whole = all(len(row) == len(names) for row in rows)
            label = free_name("index", names)
            return Found(path, Split(names, key, "index", label), beside) if is_whole else None
        return Found((*path, key), shape, beside, path)
    return None


def _headers(members: Mapping[str, Any]) -> Iterator[tuple[str, ...]]:
    schema, meta = members.get("schema"), members.get("meta")
    view = meta.get("view") if isinstance(meta, dict) else None
    for holder in (members, schema, view, meta):
        if isinstance(holder, dict):
            yield from (_names(holder.get(key)) for key in _HEADER_KEYS)


def _names(columns: Any) -> tuple[str, ...]:
    """Return the names in a list of them, or in a list of descriptions that each have one."""
    if not isinstance(columns, list):
        return ()
    names: list[Any] = columns
    if columns and all(isinstance(column, dict) for column in columns):
        key = next((key for key in _NAME_KEYS if key in columns[0]), "")
        names = [column.get(key) for column in columns]
    if not all(isinstance(name, str) for name in names) or len(set(names)) < len(names):
        return ()
    return tuple(names)


def _object_shape(members: Mapping[str, Any]) -> Shape | None:
    values = list(members.values())
    kinds = Counter(map(type, values))
    total = len(values)
    if kinds[list] == total and total >= 2 and _are_columns(values):
        return Columns()
    if kinds[dict] >= 0.9 * total:
        if kinds[dict] == total and _are_indexed(values):
            return Columns(free_name("index", members))
        records = [value for value in values if type(value) is dict]
        if total >= 3 and _are_alike(records):
            return Keyed(free_name("key", {key for record in records for key in record}))
    if kinds[list] >= 0.9 * total and total >= 2:
        groups = [value for value in values if type(value) is list and value]
        if groups and all(_are_records(group) for group in groups):
            firsts = [next(item for item in group if type(item) is dict) for group in groups]
            if len(groups) >= 2 and _are_alike(firsts, share=0.7):
                keys = {key for group in groups for item in group if type(item) is dict for key in item}
                return Grouped(free_name("key", keys))
        lists = [value for value in values if type(value) is list]
        plain = all(map(is_scalar, (item for value in lists for item in value)))
        if total >= 3 and plain and sum(map(len, lists)) >= _ENOUGH:
            return Pairs(is_lists=True)
    if total >= _ENOUGH and all(map(is_scalar, values)):
        alike = {
            "number" if kind in (int, float) else kind.__name__ for kind in kinds if kind is not type(None)
        }
        return Pairs() if len(alike) == 1 else None
    return None


def _are_columns(lists: Sequence[Sequence[Any]]) -> bool:
    length = len(lists[0])
    return (
        length >= 2
        and all(len(values) == length for values in lists)
        and all(is_scalar(value) for values in lists for value in values[:1_000])
    )


def _are_indexed(objects: Sequence[Mapping[str, Any]]) -> bool:
    """Objects whose keys are row numbers: the columns of pandas' default orient."""
    wanted = [str(number) for number in range(len(objects[0]))]
    return bool(wanted) and all(list(members) == wanted for members in objects)


def _are_alike(records: Sequence[Mapping[str, Any]], share: float = 0.5) -> bool:
    """Records share their keys; the settings of a program do not."""
    counts = Counter(key for record in records for key in record)
    return bool(counts) and sum(counts.values()) >= share * len(counts) * len(records)


def _are_dicts(items: Any) -> bool:
    return isinstance(items, list) and bool(items) and all(type(item) is dict for item in items)


def _are_records(items: Sequence[Any]) -> bool:
    return sum(type(item) is dict for item in items) >= 0.5 * len(items)


def sample(records: Iterator[Record]) -> list[Record]:
    """Return the records in which inner tables are looked for."""
    return list(islice(records, _SAMPLE))


def find_inner(records: Sequence[Record]) -> list[Inner]:
    """Find lists of records inside the records of a table; where they are very many, they stay cells."""
    paths: Counter[tuple[str, ...]] = Counter()
    others: set[tuple[str, ...]] = set()
    for record in records:
        for path, value in _lists(record, ()):
            if type(value) is list and sum(type(item) is dict for item in value) >= 0.9 * len(value):
                paths[path] += any(value)
            elif value is not None:
                others.add(path)
    found = [path for path, filled in paths.items() if filled and path not in others]
    return [_inner(path, records) for path in found] if len(found) <= _MOST_INNER else []


def _lists(members: Mapping[str, Any], path: tuple[str, ...]) -> Iterator[tuple[tuple[str, ...], Any]]:
    for key, value in members.items():
        if type(value) is dict:
            if len(path) < 2:
                yield from _lists(value, (*path, key))
        else:
            yield (*path, key), value


def _inner(path: tuple[str, ...], records: Sequence[Record]) -> Inner:
    items = (item for record in records for item in inside(record, path) or () if type(item) is dict)
    taken = {key for item in items for key in item}
    carried = next((key for key in _owner_keys(records[0]) if _names_owner(records, key)), "")
    return Inner(
        path,
        free_name("parent_row", taken),
        carried,
        free_name(f"parent_{carried}", taken) if carried else "",
    )


def _owner_keys(record: Record) -> Iterator[str]:
    yield from (key for key in _OWNER_KEYS if key in record)
    yield from (key for key in record if re.search(r"(_id|Id|ID)$", key))


def _names_owner(records: Sequence[Record], key: str) -> bool:
    """A key whose value names its record: there in each, plain, and never twice."""
    values = [record.get(key) for record in records]
    plain = all(isinstance(value, (str, int)) and not isinstance(value, bool) for value in values)
    return plain and len(set(values)) == len(values)
