"""Runs inside the sandbox: tables from Parquet files into pandas, and what code made of them back into files.

Sent as text (`source`), so it uses nothing of ours. Types are as the engine shows them: whole numbers and
truth values stay what they are where some are missing, and days are timestamps at midnight.
"""

from __future__ import annotations

import inspect
import sys
from typing import Any

import pandas as pd
import pyarrow as pa
import pyarrow.parquet as pq

NULLABLE = {
    pa.int8(): pd.Int8Dtype(),
    pa.int16(): pd.Int16Dtype(),
    pa.int32(): pd.Int32Dtype(),
    pa.int64(): pd.Int64Dtype(),
    pa.uint8(): pd.UInt8Dtype(),
    pa.uint16(): pd.UInt16Dtype(),
    pa.uint32(): pd.UInt32Dtype(),
    pa.uint64(): pd.UInt64Dtype(),
    pa.bool_(): pd.BooleanDtype(),
}


def lakebook_read(path: str) -> pd.DataFrame:
    """Return the table of a file."""
    table = pq.read_table(path)
    frame: pd.DataFrame = table.to_pandas(date_as_object=False)
    for name in table.column_names:
        column = table[name]
        if column.null_count and column.type in NULLABLE:
            frame[name] = column.to_pandas(types_mapper=NULLABLE.get)
    return frame


def lakebook_frame(value: Any) -> pd.DataFrame:
    """Return a frame or series with plain columns: named and telling indexes become columns."""
    if isinstance(value, pd.Series):
        value = value.to_frame("value" if value.name is None else value.name)
    frame: pd.DataFrame = value
    frame.columns = [
        "_".join(str(part) for part in name if str(part)) if isinstance(name, tuple) else str(name)
        for name in frame.columns
    ]
    levels = []
    for place in range(frame.index.nlevels):
        level = frame.index.get_level_values(place)
        named = level.name is not None and str(level.name) not in frame.columns
        if named or (level.name is None and not pd.api.types.is_integer_dtype(level.dtype)):
            levels.append((str(level.name) if named else f"index_{place}" if place else "index", level))
    for name, level in reversed(levels):
        frame.insert(0, name, level)
    frame = frame.reset_index(drop=True)
    seen = {}
    for name in frame.columns:
        if name.casefold() in seen:
            raise ValueError(f"two columns are called {name!r}; give each its own name")
        seen[name.casefold()] = name
    for place, name in enumerate(frame.columns):
        kind = frame.dtypes.iloc[place]
        if isinstance(kind, pd.CategoricalDtype):
            frame[name] = frame[name].astype(kind.categories.dtype)
            kind = frame.dtypes.iloc[place]
        if isinstance(kind, (pd.PeriodDtype, pd.IntervalDtype)) or kind.kind == "m":
            frame[name] = frame[name].astype(str).where(frame[name].notna())
    return frame


def lakebook_keep(name: str, space: dict[str, Any], path: str, facts: dict[str, Any]) -> bool:
    """Write a variable to a file if it is a table, else put it among the facts; tell which."""
    if name not in space:
        raise NameError(f"the code defines no {name!r}, which it was to give")
    value = space[name]
    if not isinstance(value, (pd.DataFrame, pd.Series)):
        facts[name] = value
        return False
    frame = lakebook_frame(value.copy())
    pq.write_table(pa.Table.from_pandas(frame, preserve_index=False), path)
    return True


def source() -> str:
    """Return this module's own text, for the session to run."""
    return inspect.getsource(sys.modules[__name__])
