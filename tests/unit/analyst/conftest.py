"""Tables for the analyst's tests: cards built from small frames, as a scan would build them."""

from __future__ import annotations

from collections.abc import Callable

import pandas as pd
import pytest

from lakebook.analyst.profile import table_from_card
from lakebook.analyst.table import Table
from lakebook.sources.card import Column, ColumnType, SourceCard, SourceUnit, ValueCount


def column_type(values: pd.Series) -> ColumnType:
    known = values.dropna()
    if not len(known):
        return "empty"
    if pd.api.types.is_bool_dtype(known):
        return "boolean"
    if pd.api.types.is_datetime64_any_dtype(values):
        return "date"
    if pd.api.types.is_integer_dtype(values):
        return "integer"
    return "number" if pd.api.types.is_numeric_dtype(values) else "text"


def card_column(values: pd.Series) -> Column:
    kind = column_type(values)
    known = values.dropna()
    counts = known.astype(str).value_counts()
    written = {"date": lambda v: str(pd.Timestamp(v).date())}.get(kind, str)
    return Column(
        name=str(values.name),
        original_name=str(values.name),
        type=kind,
        role="text",
        nulls=int(values.isna().sum()),
        distinct=int(known.nunique()),
        min=written(known.min()) if len(known) else None,
        max=written(known.max()) if len(known) else None,
        values=tuple(ValueCount(str(v), int(n)) for v, n in counts.head(60).items()),
        values_complete=len(counts) <= 60,
    )


def table_of_frame(frame: pd.DataFrame) -> Table:
    unit = SourceUnit(
        unit="",
        kind="table",
        table="t",
        rows=len(frame),
        rows_in_file=len(frame),
        columns=tuple(card_column(frame[name]) for name in frame.columns),
        load_code="df = pd.read_csv(DATA_DIR / 't.csv')",
    )
    return table_from_card(SourceCard("t.csv", "ok", "csv", 1, "0" * 64, units=(unit,)), unit)


@pytest.fixture
def table_of() -> Callable[[pd.DataFrame], Table]:
    """The table that the analyst sees of a frame."""
    return table_of_frame
