"""Columns of cells: what spreadsheets add to typed values, and what stays text."""

from __future__ import annotations

from datetime import datetime, time, timedelta
from typing import Any

import pytest

from lakebook.sources.formats.workbooks.columns import cell_column
from lakebook.sources.formats.workbooks.grid import Unread


@pytest.mark.parametrize(
    ("name", "cells", "kind", "values"),
    [
        ("n", ["1", "2.5", None], "number", [1.0, 2.5, None]),
        ("n", ["1", "2"], "integer", [1, 2]),
        ("n", [1, "2", "-"], "integer", [1, 2, None]),
        (
            "people",
            [str(n**5 * 1_001) for n in (3, 5, 7, 9, 11)],
            "integer",
            [n**5 * 1_001 for n in (3, 5, 7, 9, 11)],
        ),
        ("area", ["100200", "100200", "100300"] * 3, "integer", [100_200, 100_200, 100_300] * 3),
        ("n", [1.5, "n/a", ".."], "number", [1.5, None, None]),
        ("when", [datetime(2020, 1, 1), "-"], "date", [datetime(2020, 1, 1), None]),
        ("took", [timedelta(minutes=1), None], "number", [60.0, None]),
        ("big", [1e300, 1.5], "number", [1e300, 1.5]),
        ("n", [1, Unread("#N/A"), Unread()], "integer", [1, None, None]),
    ],
)
def test_what_becomes_a_number_or_a_date(name: str, cells: list[Any], kind: str, values: list[Any]) -> None:
    column = cell_column(name, name, cells)
    assert column.type == kind
    assert column.values.to_pylist() == values


@pytest.mark.parametrize(
    ("name", "cells"),
    [
        ("n", ["001", "002"]),
        ("user id", ["1", "2"]),
        ("PLZ", [53111, "53112"]),
        ("ОГРНИП", [str(304_660_000_000_123 + 7 * n) for n in range(8)]),
        ("n", ["1", "12345678901234567890"]),
        ("n", ["1,234", "2,345"]),
        ("chromosome", [1, 2, "X"]),
        ("n", [1, "few"]),
        ("at", [time(3, 4), None]),
        ("when", [datetime(2020, 1, 1), "2"]),
    ],
)
def test_what_stays_text(name: str, cells: list[Any]) -> None:
    column = cell_column(name, name, cells)
    assert column.type in ("text", None)
    assert column.values.to_pylist() == [None if cell is None else str(cell) for cell in cells]


def test_long_numbers_are_text_and_their_last_digits_are_doubted() -> None:
    column = cell_column("id", "id", [4111111111111111111, 12])
    assert column.values.to_pylist() == ["4111111111111111111", "12"]
    assert "15 digits" in column.warnings[0]
    assert not cell_column("id", "id", [411111111111111, 12]).warnings


def test_a_text_among_numerals_is_named() -> None:
    column = cell_column("n", "n", ["1", "2", "3", "about 4"])
    assert "3 of 4 texts are numbers, but 'about 4' is not" in column.warnings[0]
    assert not cell_column("n", "n", ["a", "b", "c", "4"]).warnings
