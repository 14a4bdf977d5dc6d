"""Columns of Python objects (cells of workbooks, fields of JSON, values of SQLite) as typed columns.

Mixed columns become text whole, with a warning that counts the kinds; nothing is coerced to missing.
"""

from __future__ import annotations

import datetime as dt
import json
from collections import Counter
from collections.abc import Sequence
from typing import Any

import pyarrow as pa

from lakebook.sources.reading import EXACT, RawColumn

_JSON = '{}.map(json.dumps, na_action="ignore")'
_JSON_OF_ANY = '{}.map(lambda value: json.dumps(value, default=str), na_action="ignore")'
_KINDS = {
    bool: "boolean",
    int: "number",
    float: "number",
    str: "text",
    dt.datetime: "date",
    dict: "object",
    list: "list",
}


def object_column(name: str, original_name: str, values: Sequence[Any]) -> RawColumn:
    """Type a column of objects (None = no value) as `DataFrame.infer_objects` and its template would.

    The template applies to the pandas column of the same objects.
    """
    kinds = Counter(type(value) for value in values if value is not None)
    found = set(kinds)
    if not found:
        return RawColumn(
            name, original_name, pa.nulls(len(values), pa.float64()), "{}.astype(float)", "empty"
        )
    has_nulls = sum(kinds.values()) < len(values)
    if found == {bool}:
        template = '{}.astype("boolean")' if has_nulls else ""
        return RawColumn(name, original_name, pa.array(values, pa.bool_()), template, "boolean")
    if found <= {int, float}:
        return _numbers(name, original_name, values, float in found)
    if found == {str}:
        return RawColumn(name, original_name, pa.array(values, pa.string()))
    if found == {dt.datetime}:
        return _stamps(name, original_name, values)
    if found & {dict, list}:
        template = _JSON if found <= {dict, list, str, int, float, bool} else _JSON_OF_ANY
        dumped = [None if value is None else json.dumps(value, default=str) for value in values]
        return RawColumn(name, original_name, pa.array(dumped, pa.string()), template, "json")
    return _mixed(name, original_name, values, kinds)


def _numbers(name: str, original_name: str, values: Sequence[Any], has_floats: bool) -> RawColumn:
    if has_floats:
        whole = all(value is None or float(value).is_integer() for value in values)
        if not (whole and None in values):
            return RawColumn(name, original_name, pa.array(values, pa.float64()), "", "number")
        values = [None if value is None else int(value) for value in values]
    if any(value is not None and abs(value) > EXACT for value in values):
        texts = pa.array([None if value is None else str(value) for value in values], pa.string())
        warning = "whole numbers beyond 2^53: kept as text, since a float would change them"
        return RawColumn(name, original_name, texts, '{}.astype("str")', "text", (warning,))
    return RawColumn(name, original_name, pa.array(values, pa.int64()), "", "integer")


def _stamps(name: str, original_name: str, values: Sequence[Any]) -> RawColumn:
    plain = [
        value if value is None or value.tzinfo is None else value.astimezone(dt.UTC).replace(tzinfo=None)
        for value in values
    ]
    is_day = all(value is None or value.time() == dt.time() for value in plain)
    stamps = pa.array(plain, pa.timestamp("us"))
    return RawColumn(name, original_name, stamps, "", "date" if is_day else "datetime")


def _mixed(name: str, original_name: str, values: Sequence[Any], kinds: Counter[type]) -> RawColumn:
    counted: Counter[str] = Counter()
    for kind, rows in kinds.items():
        counted[_KINDS.get(kind, kind.__name__)] += rows
    shown = ", ".join(f"{rows:,} {kind}" for kind, rows in counted.most_common())
    texts = pa.array([None if value is None else str(value) for value in values], pa.string())
    warnings = (f"cells of several kinds ({shown}): kept as text",) if len(counted) > 1 else ()
    return RawColumn(name, original_name, texts, '{}.astype("str")', "text", warnings)
