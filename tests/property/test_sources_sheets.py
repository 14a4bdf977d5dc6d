"""Sheets of any shape: rows always add up, and a table at any place comes back as it was written."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from hypothesis import given
from hypothesis import strategies as st

from lakebook.sources.describe import describe
from lakebook.sources.formats.workbooks.grid import Grid, Unread, grid
from lakebook.sources.formats.workbooks.layout import find_blocks
from lakebook.sources.formats.workbooks.table import read_table
from lakebook.sources.reading import WHOLE, Budget

CELLS = st.one_of(
    st.none(),
    st.sampled_from(["a", "Total", "n/a", "Source: x", " ", "12", "Name", Unread(), Unread("#N/A")]),
    st.integers(-5, 5),
    st.integers(1990, 2030),
    st.floats(allow_nan=False, allow_infinity=False, width=16),
    st.booleans(),
)
WORDS = st.text(st.sampled_from("abcdefgh"), min_size=1, max_size=6)


def sheet(rows: Sequence[Sequence[Any]]) -> Grid:
    cells = [list(row) for row in rows]
    return grid("S", cells, reach=(len(cells), max(map(len, cells), default=0)))


@given(
    st.integers(1, 7).flatmap(
        lambda width: st.lists(st.lists(CELLS, min_size=width, max_size=width), max_size=14)
    ),
    st.sampled_from([WHOLE, Budget(rows=2)]),
)
def test_rows_add_up_and_tables_do_not_overlap(rows: list[list[Any]], budget: Budget) -> None:
    found = sheet(rows)
    loaded: set[tuple[int, int]] = set()
    told: set[tuple[int, int]] = set()
    for block in find_blocks(found):
        unit = describe(read_table(found, block, "S", "b.xlsx", budget)).unit
        assert unit.rows_in_file == unit.rows + unit.rows_rejected + unit.rows_skipped
        assert budget.rows is None or unit.rows <= budget.rows
        box, region = block.box, block.region
        cells = {(row, at) for row in range(box.top, box.bottom) for at in block.columns}
        assert not cells & loaded
        loaded |= cells
        told |= {
            (row, at) for row in range(region.top, region.bottom) for at in range(region.left, region.right)
        }
    figures = {
        (row, at)
        for row, line in enumerate(found.cells)
        for at, value in enumerate(line)
        if value is not None and not isinstance(value, (str, Unread))
    }
    assert figures <= loaded | told  # no figure is lost between the tables


@given(
    st.lists(WORDS, min_size=2, max_size=5, unique=True),
    st.lists(st.lists(st.integers(1, 9), min_size=5, max_size=5), min_size=2, max_size=9),
    st.integers(0, 3),
    st.integers(0, 3),
    st.booleans(),
)
def test_a_table_anywhere_comes_back(
    names: list[str], rows: list[list[int]], down: int, right: int, titled: bool
) -> None:
    """A table of one label and figures, wherever it stands, under a title or not."""
    width = len(names)
    table = [list(names), *([f"r{at}", *row[: width - 1]] for at, row in enumerate(rows))]
    lead = [[None] * (right + width) for _ in range(down)]
    title = [["A title", *[None] * (right + width - 1)], [None] * (right + width)] if titled else []
    found = sheet([*title, *lead, *([None] * right + row for row in table)])
    (block,) = find_blocks(found)
    reading = read_table(found, block, "S", "b.xlsx", WHOLE)
    assert reading.table is not None
    assert [column.name for column in reading.table.columns] == names
    columns = [column.values.to_pylist() for column in reading.table.columns]
    assert [list(row) for row in zip(*columns, strict=True)] == table[1:]
