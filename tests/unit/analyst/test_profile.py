from __future__ import annotations

from dataclasses import replace

import numpy as np
import pandas as pd
import pytest

from lakebook.analyst.profile import column_use, table_column
from lakebook.sources.card import Column, Quantile, ValueCount


def column(
    name: str, kind: str, low: str, high: str, distinct: int, values: tuple[str, ...] = (), nulls: int = 0
) -> Column:
    return Column(name, name, kind, "text", nulls, distinct, min=low, max=high,
                  values=tuple(ValueCount(v, 5) for v in values))  # fmt: skip


@pytest.mark.parametrize(
    ("name", "kind", "low", "high", "distinct", "use"),
    [
        ("average_price", "number", "0.4", "3.2", 250, "ratio"),
        ("AveragePrice", "number", "0.4", "3.2", 250, "ratio"),
        ("Total Volume", "number", "84.5", "62505646.5", 900, "flow"),
        ("4046", "number", "0.0", "22743616.1", 900, "flow"),
        ("Sales", "number", "0.4", "22638.4", 900, "flow"),
        ("Profit", "number", "-6599.9", "8399.9", 900, "flow"),
        ("Quantity", "integer", "1", "14", 14, "count"),
        ("Discount", "number", "0.0", "0.8", 12, "ratio"),
        ("Postal Code", "integer", "1040", "99301", 631, "code"),
        ("year", "integer", "2015", "2020", 6, "ordinal"),
        ("release_year", "integer", "1925", "2021", 74, "ordinal"),
        ("month", "integer", "1", "12", 12, "ordinal"),
        ("stars", "integer", "1", "5", 5, "ordinal"),
        ("temp", "number", "-17.0", "100.0", 150, "ratio"),
        ("bill_length_mm", "number", "32.1", "59.6", 160, "ratio"),
        ("Rabatt in %", "number", "0.0", "50.0", 300, "ratio"),
        ("latitude", "number", "-89.0", "89.0", 900, "code"),
        ("population", "integer", "1000", "1400000000", 900, "stock"),
        ("share_of_women", "number", "0.1", "0.9", 200, "ratio"),
        ("Row ID", "integer", "1", "1000", 1000, "key"),
        ("Unnamed: 0", "integer", "0", "52", 53, "key"),
        ("Happiness Rank", "integer", "1", "158", 157, "code"),
        ("customer_id", "integer", "17", "9000", 300, "code"),
        ("constant", "number", "5.0", "5.0", 1, "constant"),
        ("when", "date", "2020-01-01", "2020-12-31", 300, "time"),
        ("flag", "boolean", "False", "True", 2, "boolean"),
        ("nothing", "empty", "", "", 0, "empty"),
    ],
)
def test_numbers_dates_and_keys_get_their_use(
    name: str, kind: str, low: str, high: str, distinct: int, use: str
) -> None:
    assert column_use(column(name, kind, low, high, distinct), 1000) == use


@pytest.mark.parametrize(
    ("name", "distinct", "values", "use"),
    [
        ("type", 2, ("Movie", "TV Show"), "dim"),
        ("Region", 4, ("West", "East", "South"), "geo"),
        ("country", 8, ("Chile", "France, Spain", "Spain, Chile", "France", "Spain", "Chile, Peru"), "list"),
        ("duration", 90, ("90 min", "88 min", "1 Season", "2 Seasons", "100 min"), "unit_mixed"),
        ("weight", 90, ("90 kg", "88 kg", "70 kg", "65 kg", "100 kg"), "dim_high"),
        ("Customer Name", 300, ("Ann Lee", "Bo Chan", "Cy Dow"), "dim_high"),
        ("Order ID", 500, ("CA-1", "CA-2", "CA-3"), "code"),
        ("show_id", 1000, ("s1", "s2", "s3"), "key"),
        ("description", 990, ("A film about a lake.", "A long story of two friends."), "text"),
        (
            "remark",
            40,
            tuple(f"this is a sentence of more than eight words number {i}" for i in range(9)),
            "text",
        ),
        ("City, State", 60, ("Reno, NV", "Boise, ID", "Salem, OR", "Miami, FL", "Tampa, FI"), "geo"),
    ],
)
def test_texts_get_their_use(name: str, distinct: int, values: tuple[str, ...], use: str) -> None:
    assert column_use(column(name, "text", "a", "z", distinct, values), 1000) == use


def test_numbers_keep_their_quantiles_and_ends() -> None:
    price = replace(column("price", "number", "0.5", "3", 250), quantiles=(Quantile(0.5, "1.25"),))
    assert table_column(price, 1000).quantiles == ((0.0, 0.5), (0.5, 1.25), (1.0, 3.0))
    assert table_column(column("when", "date", "2020-01-01", "2020-12-31", 300), 1000).quantiles == ()


def test_a_table_of_a_frame_keeps_names_order_and_levels(table_of) -> None:
    frame = pd.DataFrame({"größe": [1.5, 2.5, np.nan], "4046": [1, 2, 3], "a b": ["x", "y", "x"]})
    table = table_of(frame)
    assert [c.name for c in table.columns] == ["größe", "4046", "a b"]
    assert table.column("a b").levels == (("x", 2), ("y", 1))
    assert table.column("größe").nulls == 1
    with pytest.raises(KeyError):
        table.column("none")


def test_a_table_without_rows_is_all_empty(table_of) -> None:
    table = table_of(pd.DataFrame({"a": pd.Series([], dtype=float), "b": pd.Series([], dtype=str)}))
    assert {c.use for c in table.columns} == {"empty"}
