"""Where the tables of a sheet stand: what is cut apart, what is kept together, what is set aside as words."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import pytest

from lakebook.sources.formats.workbooks.grid import Box, Grid, box_of, grid
from lakebook.sources.formats.workbooks.header import header_names
from lakebook.sources.formats.workbooks.layout import Block, find_blocks


def sheet(rows: Sequence[Sequence[Any]], *merges: str) -> Grid:
    width = max(map(len, rows))
    boxes = [box for merge in merges if (box := box_of(merge))]
    return grid("S", [[*row, *[None] * (width - len(row))] for row in rows], boxes)


def ranges(found: Grid) -> list[str]:
    return [block.box.range("S").removeprefix("S!") for block in find_blocks(found)]


def only(found: Grid) -> tuple[Block, tuple[str, ...]]:
    (block,) = find_blocks(found)
    return block, header_names(found, block.header, block.columns)


# --- rows -----------------------------------------------------------------------------------------------


def test_a_blank_row_inside_a_table_does_not_cut_it() -> None:
    assert ranges(sheet([["a", "b"], ["x", 1], [], ["y", 2], [], [], ["z", 3]])) == ["A1:B7"]


def test_a_blank_row_below_the_header_does_not_cut_it_off() -> None:
    assert ranges(sheet([["name", "n"], [], ["x", 1], ["y", 2]])) == ["A1:B4"]


def test_a_new_header_after_a_blank_row_begins_a_table() -> None:
    assert ranges(sheet([["a", "b"], ["x", 1], [], ["c", "d"], ["y", 2]])) == ["A1:B2", "A4:B5"]


def test_a_row_with_tokens_for_missing_values_is_no_header() -> None:
    rows = [["a", "b", "c"], ["x", 1, 2], [], ["y", "n/a", "-"], ["z", 3, 4]]
    assert ranges(sheet(rows)) == ["A1:C5"]


def test_rows_of_other_columns_are_another_table() -> None:
    rows = [["a", "b"], ["x", 1], [], [None, None, None, "k", 5], [None, None, None, "l", 6]]
    assert ranges(sheet(rows)) == ["A1:B2", "D4:E5"]


def test_a_title_goes_with_the_table_below_and_a_note_with_the_one_above() -> None:
    rows = [["a", "b"], ["x", 1], [], ["Source: survey"], [], ["Costs"], ["c", "d"], ["y", 2]]
    first, second = find_blocks(sheet(rows))
    assert (first.region.bottom, second.region.top) == (4, 5)


# --- columns --------------------------------------------------------------------------------------------


def test_a_blank_column_inside_a_table_is_dropped() -> None:
    rows = [["a", None, "b", "c"], ["x", None, 1, 2], ["y", None, 3, 4]]
    block, names = only(sheet(rows))
    assert names == ("a", "b", "c")
    assert block.columns == (0, 2, 3)
    assert any("left out: B" in warning for warning in block.warnings)


def test_labels_without_a_name_stay_with_their_numbers() -> None:
    rows = [[None, None, "n", "m"], ["x", None, 1, 2], ["y", None, 3, 4]]
    assert ranges(sheet(rows)) == ["A1:D3"]


@pytest.mark.parametrize(
    "rows",
    [
        pytest.param(
            [["a", "b", None, "a", "b"], ["x", 1, None, "u", 3], ["y", 2, None, "v", 4]], id="names repeat"
        ),
        pytest.param(
            [["a", "b", None, "c", "d"], ["x", 1, None, "u", 3], ["y", 2, None, None, None]],
            id="labels of its own, another end",
        ),
    ],
)
def test_tables_side_by_side(rows: list[list[Any]]) -> None:
    assert len(ranges(sheet(rows))) == 2


def test_a_table_that_begins_lower_is_one_of_its_own() -> None:
    rows = [["a", "b", None, None], ["x", 1], ["y", 2, None, "c", "d"], ["z", 3, None, "u", 4]]
    assert ranges(sheet(rows)) == ["A1:B4", "D3:E4"]


def test_a_header_with_gaps_is_one_table() -> None:
    assert ranges(sheet([["a", None, "b", None, "c", "d"]])) == ["A1:F1"]


def test_notes_beside_are_set_aside() -> None:
    rows = [["a", "b"], ["x", 1, None, "checked by Ann"], ["y", 2]]
    block, _ = only(sheet(rows))
    assert block.columns == (0, 1)
    assert block.beside == (("S!D2", "checked by Ann"),)


# --- words ----------------------------------------------------------------------------------------------


def test_titles_above_and_notes_below_are_set_aside() -> None:
    rows = [
        ["Report"],
        ["in 1,000"],
        ["a", "b", "c"],
        ["x", 1, 2],
        ["y", 3, 4],
        ["* estimated"],
        [],
        ["Our figures"],
    ]
    block, names = only(sheet(rows))
    assert (block.header.first, block.end, names) == (2, 5, ("a", "b", "c"))


def test_the_last_row_is_data_although_only_its_label_is_there() -> None:
    rows = [["country", "n", "m"], ["Chad", 1, 2], ["South Africa"]]
    block, _ = only(sheet(rows))
    assert block.end == 3


# --- header ---------------------------------------------------------------------------------------------


def test_three_header_rows_with_merged_cells() -> None:
    rows = [
        ["area", "people", None, None, None],
        [None, 2019, None, 2020, None],
        [None, "men", "women", "men", "women"],
        ["x", 1, 2, 3, 4],
    ]
    _, names = only(sheet(rows, "A1:A3", "B1:E1", "B2:C2", "D2:E2"))
    assert names == (
        "area", "people / 2019 / men", "people / 2019 / women",
        "people / 2020 / men", "people / 2020 / women",
    )  # fmt: skip


def test_group_names_without_merged_cells_are_continued_to_the_right() -> None:
    rows = [
        [None, "2019", None, "2020", None],
        ["area", "n", "m", "n", "m"],
        ["x", 1, 2, 3, 4],
        ["y", 5, 6, 7, 8],
    ]
    block, names = only(sheet(rows))
    assert names == ("area", "2019 / n", "2019 / m", "2020 / n", "2020 / m")
    assert any("without merged cells" in warning for warning in block.warnings)


def test_group_names_over_the_last_of_their_columns_are_not_continued() -> None:
    rows = [[None, None, "F", None, "M"], [None, "n", "m", "n", "m"], ["x", 1, 2, 3, 4], ["y", 5, 6, 7, 8]]
    _, names = only(sheet(rows))
    assert names == ("", "n", "F / m", "n", "M / m")


def test_a_row_of_units_belongs_to_the_header() -> None:
    block, names = only(
        sheet([["city", "size", "rent"], [None, "m2", "EUR"], ["x", 50, 700], ["y", 60, 800]])
    )
    assert names == ("city", "size / m2", "rent / EUR")
    assert block.header.last == 2


def test_a_row_of_data_with_texts_among_numbers_is_not_swallowed() -> None:
    for row in (["x", "few", 2], ["x", "-", "-"], ["x", "y", 3]):
        block, _ = only(sheet([["city", "size", "rent"], row, ["y", 60, 800], ["z", 70, 900]]))
        assert block.header.last == 1


def test_one_merged_name_over_everything_is_a_title() -> None:
    block, names = only(sheet([["All cities", None, None], ["city", "n", "m"], ["x", 1, 2]], "A1:C1"))
    assert (block.header.first, names) == (1, ("city", "n", "m"))


@pytest.mark.parametrize(
    ("rows", "names"),
    [
        ([["Ann", 31], ["Bob", 42]], ("column_1", "column_2")),
        ([["Ann", 1999], ["Bob", 2001]], ("column_1", "column_2")),
        ([["Table 1", "Sales"], ["Table 2", "Costs"]], ("column_1", "column_2")),
        ([["yes", "no"], ["no", "no"], ["yes", "yes"]], ("column_1", "column_2")),
        ([["area", 2019, 2020], ["x", 1.5, 2.5]], ("area", "2019", "2020")),
        ([["hour", 1, 2, 3], ["x", 10, 20, 35]], ("hour", "1", "2", "3")),
        ([["name", "town"], ["Ann", "Bonn"]], ("name", "town")),
    ],
)
def test_what_is_a_header(rows: list[list[Any]], names: tuple[str, ...]) -> None:
    assert only(sheet(rows))[1] == names


def test_boxes_are_named_as_in_a_spreadsheet() -> None:
    assert Box(4, 0, 40, 8).range("Report") == "Report!A5:H40"
    assert box_of("AA1:AB2") == Box(0, 26, 2, 28)
    assert box_of("nothing") is None
