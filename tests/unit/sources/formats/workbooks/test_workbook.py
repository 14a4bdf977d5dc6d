"""Workbooks from file to table: sheets, merged cells, totals, formulas, errors, and the load code of each."""

from __future__ import annotations

import zipfile
from collections.abc import Callable, Sequence
from datetime import datetime, time, timedelta
from pathlib import Path
from typing import Any

import openpyxl
import pytest
from openpyxl.chartsheet import Chartsheet
from openpyxl.utils.datetime import CALENDAR_MAC_1904
from openpyxl.worksheet.table import Table
from openpyxl.worksheet.worksheet import Worksheet

from lakebook.errors import SourceError
from lakebook.sources.formats.workbooks.workbook import Workbook
from lakebook.sources.peek import peek
from lakebook.sources.reading import WHOLE, Budget
from tests.unit.sources.conftest import Lake
from tests.unit.sources.formats.conftest import Read, Units

Rows = Sequence[Sequence[Any]]
NOT_CALCULATED = "formulas without a stored value"


@pytest.fixture
def book(tmp_path: Path, read_units: Units) -> Callable[..., dict[str, Read]]:
    """Return a function that writes sheets with openpyxl and reads them back as units."""

    def write(sheets: dict[str, Rows], change: Callable[[Worksheet], None] | None = None) -> dict[str, Read]:
        path = tmp_path / "b.xlsx"
        save(path, sheets, change)
        return read_units(path)

    return write


def save(path: Path, sheets: dict[str, Rows], change: Callable[[Worksheet], None] | None = None) -> None:
    workbook = openpyxl.Workbook()
    workbook.remove(workbook.worksheets[0])
    for name, rows in sheets.items():
        sheet = workbook.create_sheet(name)
        for row in rows:
            sheet.append(row)
        if change is not None:
            change(sheet)
    workbook.save(path)


def column_warnings(read: Read, name: str) -> str:
    column = read.unit.column(name)
    assert column is not None
    return " | ".join(column.warnings)


def values(read: Read) -> list[list[Any]]:
    assert read.frame is not None
    return [[None if value != value else value for value in row] for row in read.frame.values.tolist()]


def names(read: Read) -> list[str]:
    return [column.name for column in read.unit.columns]


# --- sheets ---------------------------------------------------------------------------------------------


def test_each_table_is_a_unit_and_no_sheet_goes_missing(tmp_path: Path, read_units: Units) -> None:
    workbook = openpyxl.Workbook()
    workbook.worksheets[0].title = "Empty"
    for name, state in (("Sales", "visible"), ("Costs", "hidden"), ("Plan", "veryHidden")):
        sheet = workbook.create_sheet(name)
        sheet.sheet_state = state
        sheet.append(["item", "n"])
        sheet.append([name, 1])
    chart: Chartsheet = workbook.create_chartsheet("Chart")
    assert chart is not None
    workbook.save(tmp_path / "b.xlsx")
    units = read_units(tmp_path / "b.xlsx")
    assert list(units) == ["Sales", "Costs", "Plan"]
    assert dict(units["Sales"].unit.attributes) == {"empty sheets": "Empty", "chart sheets": "Chart"}
    assert units["Sales"].unit.place == "Sales!A1:B2"
    assert "the sheet is hidden" in units["Costs"].unit.warnings
    assert "the sheet is very hidden" in units["Plan"].unit.warnings
    assert dict(units["Plan"].unit.attributes)["visibility"] == "very hidden"


def test_a_workbook_of_empty_sheets_says_so(book: Callable[..., dict[str, Read]]) -> None:
    units = book({"A": [], "B": []})
    assert list(units) == [""]
    assert units[""].unit.warnings == ("no sheet holds a value (empty sheets: A, B)",)


def test_short_sentences_on_a_sheet_are_a_text_and_names_are_not(
    book: Callable[..., dict[str, Read]],
) -> None:
    said = ["Please do not send to the bank.", "Q4 is a forecast by Petra."]
    firms = ["firm", "Acme Corp.", "Sons and Sons Ltd.", "Best of the West Inc.", "Trust Corp."]
    units = book({"Notes": [[text] for text in said], "Firms": [[firm] for firm in firms]})
    assert units["Notes"].reading.kind == "text"
    assert [passage.text for passage in units["Notes"].reading.passages] == said
    assert units["Firms"].reading.kind == "table"


def test_prose_on_a_sheet_is_a_text(book: Callable[..., dict[str, Read]]) -> None:
    prose = "These figures were collected by hand in 2019 and are not complete."
    units = book({"Notes": [["About"], [prose]], "Data": [["word"], ["a"], ["b"]]})
    assert units["Notes"].unit.kind == "text"
    assert [passage.text for passage in units["Notes"].reading.passages] == ["About", prose]
    assert units["Data"].unit.kind == "table"


def test_header_only_sheets_and_single_columns(book: Callable[..., dict[str, Read]]) -> None:
    units = book({"H": [["a", "b"]], "N": [[1], [2]], "K": [["Name", "Ann"], ["Town", "Bonn"]]})
    assert names(units["H"]) == ["a", "b"]
    assert any("no row of data" in warning for warning in units["H"].unit.warnings)
    assert (names(units["N"]), values(units["N"])) == (["column_1"], [[1], [2]])
    assert any("no header row" in warning for warning in units["N"].unit.warnings)
    assert units["K"].unit.rows == 1


# --- several tables -------------------------------------------------------------------------------------


def test_tables_below_and_beside_each_other(book: Callable[..., dict[str, Read]]) -> None:
    units = book(
        {
            "R": [
                ["Sales", None, None, None, "who", "age"],
                ["month", "n", None, None, "Ann", 30],
                ["Jan", 1, None, None, "Bob", 40],
                ["Feb", 2, None, None, "Cem", 50],
                [],
                ["Costs"],
                ["kind", "cost", "share"],
                ["rent", 5, 0.5],
            ]
        }
    )
    assert list(units) == ["R!A2:B4", "R!E1:F4", "R!A7:C8"]
    assert values(units["R!A2:B4"]) == [["Jan", 1], ["Feb", 2]]
    assert values(units["R!E1:F4"]) == [["Ann", 30], ["Bob", 40], ["Cem", 50]]
    assert units["R!A2:B4"].unit.skipped == ("row 1: Sales",)
    assert units["R!A7:C8"].unit.skipped == ("row 6: Costs",)


def test_a_declared_table_is_a_unit_and_its_totals_row_is_none_of_its_data(
    book: Callable[..., dict[str, Read]],
) -> None:
    def declare(sheet: Worksheet) -> None:
        table = Table(displayName="Costs", ref="B3:C6", totalsRowCount=1)
        sheet.add_table(table)

    rows: Rows = [
        ["Costs of 2020"],
        [],
        [None, "item", "cost"],
        [None, "a", 1],
        [None, "b", 2],
        [None, None, 3],
    ]
    units = book({"R": rows}, declare)
    assert values(units["R"]) == [["a", 1], ["b", 2]]
    assert units["R"].unit.place == "R!B3:C6"
    assert units["R"].unit.total_rows == ("row 6: 3 (declared by the workbook)",)


# --- merged cells ---------------------------------------------------------------------------------------


def test_a_merged_two_row_header_under_a_title(book: Callable[..., dict[str, Read]]) -> None:
    def merge(sheet: Worksheet) -> None:
        for area in ("A1:E1", "A3:A4", "B3:C3", "D3:E3"):
            sheet.merge_cells(area)

    rows: Rows = [
        ["Report of sales"],
        [],
        ["Region", 2019, None, 2020, None],
        [None, "n", "m", "n", "m"],
        ["North", 1, 1.5, 2, 2.5],
        ["South", 3, 3.5, 4, 4.5],
    ]
    unit = book({"R": rows}, merge)["R"]
    assert names(unit) == ["Region", "2019 / n", "2019 / m", "2020 / n", "2020 / m"]
    assert values(unit) == [["North", 1, 1.5, 2, 2.5], ["South", 3, 3.5, 4, 4.5]]
    assert unit.unit.place == "R!A3:E6"
    assert "row 1: Report of sales" in unit.unit.skipped


def test_merged_labels_are_filled_down_but_blanks_are_not(book: Callable[..., dict[str, Read]]) -> None:
    rows: Rows = [["region", "city", "n"], ["North", "a", 1], [None, "b", 2], [None, "c", 3], [None, "d", 4]]
    unit = book({"R": rows}, lambda sheet: sheet.merge_cells("A2:A3"))["R"]
    assert [row[0] for row in values(unit)] == ["North", "North", None, None]
    assert "1 merged cells were filled down into 1 rows in region" in unit.unit.warnings
    plain = book({"R": rows})["R"]
    assert [row[0] for row in values(plain)] == ["North", None, None, None]


def test_merged_labels_around_blank_and_total_rows(book: Callable[..., dict[str, Read]]) -> None:
    def merge(sheet: Worksheet) -> None:
        sheet.merge_cells("A2:A5")
        sheet.merge_cells("A7:A8")

    rows: Rows = [
        ["region", "city", "n"],
        ["North", "a", 1],
        [None, "b", 2],
        [],
        [None, "c", 3],
        ["Total", None, 6],
        ["South", "d", 4],
        [None, "e", 5],
    ]
    unit = book({"R": rows}, merge)["R"]
    assert values(unit) == [
        ["North", "a", 1], ["North", "b", 2], ["North", "c", 3], ["South", "d", 4], ["South", "e", 5],
    ]  # fmt: skip
    assert unit.unit.total_rows == ("row 6: Total 6 (sums of the rows above)",)


# --- cells without a value ------------------------------------------------------------------------------


def test_errors_and_formulas_without_a_value_are_missing_with_a_word(
    book: Callable[..., dict[str, Read]],
) -> None:
    rows: Rows = [["a", "b", "c"], [1, "=A2*2", "#DIV/0!"], [2, "=A3*2", 0.5], [3, "=A4*2", "#N/A"]]
    unit = book({"R": rows})["R"]
    assert values(unit) == [[1, None, None], [2, None, 0.5], [3, None, None]]
    assert column_warnings(unit, "c") == "errors counted as missing: #DIV/0! in 1 cell, #N/A in 1 cell"
    assert "3 cells with a formula" in column_warnings(unit, "b")
    assert any(NOT_CALCULATED in warning and " b:" in warning for warning in unit.unit.warnings)
    plain = book({"R": [["a", "b"], [1, 2], [2, None]]})["R"]
    assert not any(NOT_CALCULATED in warning for warning in plain.unit.warnings)
    assert column_warnings(plain, "b") == ""


def test_unread_cells_beyond_all_values_count_as_rows(book: Callable[..., dict[str, Read]]) -> None:
    unit = book({"R": [["a", "b"], ["x", "=1"], ["=2", "=3"]]})["R"]
    assert unit.unit.rows == 2
    assert values(unit) == [["x", None], [None, None]]


def test_stored_values_that_are_all_zero_are_doubted(tmp_path: Path, read_units: Units) -> None:
    path = tmp_path / "b.xlsx"
    save(path, {"R": [["a", "b"], *([n, "=A2"] for n in range(4))]})
    with zipfile.ZipFile(path) as old:
        parts = {name: old.read(name) for name in old.namelist()}
    sheet = parts["xl/worksheets/sheet1.xml"]
    parts["xl/worksheets/sheet1.xml"] = sheet.replace(b"<v></v>", b"<v>0</v>").replace(b"<v/>", b"<v>0</v>")
    with zipfile.ZipFile(path, "w") as new:
        for name, content in parts.items():
            new.writestr(name, content)
    unit = read_units(path)["R"]
    assert any("may never have been calculated" in warning for warning in unit.unit.warnings)


# --- values ---------------------------------------------------------------------------------------------


def test_ids_times_durations_and_the_calendar_of_1904(tmp_path: Path, read_units: Units) -> None:
    workbook = openpyxl.Workbook()
    workbook.epoch = CALENDAR_MAC_1904
    sheet = workbook.worksheets[0]
    sheet.append(["id", "when", "at", "took", "ok", "blank"])
    sheet.append(["001", datetime(2020, 1, 2), time(3, 4), timedelta(hours=30), True, " "])
    sheet.append(["002", datetime(2020, 1, 3), time(5, 6), timedelta(hours=31), None, None])
    workbook.save(tmp_path / "b.xlsx")
    unit = read_units(tmp_path / "b.xlsx")["Sheet"]
    kinds = {column.name: column.type for column in unit.unit.columns}
    assert kinds == {
        "id": "text", "when": "date", "at": "text", "took": "number", "ok": "boolean", "blank": "empty",
    }  # fmt: skip
    assert unit.frame is not None
    assert unit.frame["when"].tolist() == [datetime(2020, 1, 2), datetime(2020, 1, 3)]
    assert unit.frame["took"].tolist() == [108_000.0, 111_600.0]
    assert column_warnings(unit, "took") == "durations: given in seconds"


def test_number_formats_that_show_something_else(book: Callable[..., dict[str, Read]]) -> None:
    def change(sheet: Worksheet) -> None:
        for row in (2, 3):
            sheet.cell(row, 1).number_format = "0.0%"
            sheet.cell(row, 2).number_format = "00000"

    unit = book({"R": [["share", "zip", "n"], [0.25, 123, 1], [0.5, 12345, 2]]}, change)["R"]
    assert "the values are fractions" in column_warnings(unit, "share")
    assert "123 is shown as 00123" in column_warnings(unit, "zip")
    assert column_warnings(unit, "n") == ""


def test_numbers_stored_as_text(book: Callable[..., dict[str, Read]]) -> None:
    unit = book({"R": [["n", "user id", "code", "size"], ["1", "17", "007", 5], ["2.5", "18", "008", "-"]]})[
        "R"
    ]
    kinds = {column.name: column.type for column in unit.unit.columns}
    assert kinds == {"n": "number", "user id": "text", "code": "text", "size": "integer"}
    assert "numbers stored as text in all 2 cells" in column_warnings(unit, "n")
    assert column_warnings(unit, "size") == "counted as missing: '-' in 1 cell"


def test_names_that_repeat_elsewhere_in_the_row(book: Callable[..., dict[str, Read]]) -> None:
    units = book({"R": [["a", "b", None, None, "a", "b"], ["x", 1, None, None, "u", 3], ["y", 2]]})
    assert list(units) == ["R!A1:B3", "R!E1:F2"]
    assert names(units["R!E1:F2"]) == ["a", "b"]


# --- limits and damage ----------------------------------------------------------------------------------


def test_a_budget_says_what_it_left_out(tmp_path: Path) -> None:
    path = tmp_path / "b.xlsx"
    save(path, {"R": [["a", "b"], *([n, "x"] for n in range(10))]})
    profiler = Workbook()
    (part,) = profiler.units(peek(path, "b.xlsx"))
    reading = profiler.profile(part, Budget(rows=3))
    assert reading.table is not None
    assert reading.table.rows == 3
    assert reading.left_out == "7 of 10 rows were left out by the budget"
    assert profiler.profile(part, WHOLE).left_out == ""


def test_a_cell_far_out_is_refused_not_read_into_memory(tmp_path: Path, lake: Lake) -> None:
    def change(sheet: Worksheet) -> None:
        sheet["XFD1048576"] = "x"

    save(lake.root / "b.xlsx", {"R": [["a", "b"], [1, 2]], "S": [["a"], [1]]})
    save(lake.root / "far.xlsx", {"R": [["a", "b"], [1, 2]]}, change)
    assert lake.card("b.xlsx").status == "ok"
    far = lake.card("far.xlsx")
    assert far.status == "failed"
    assert "1,048,576 rows and 16,384 columns" in far.reason


def test_blank_cells_far_out_do_no_harm(book: Callable[..., dict[str, Read]]) -> None:
    def change(sheet: Worksheet) -> None:
        sheet["XFD1048576"].number_format = "0.0%"

    assert book({"R": [["a", "b"], [1, 2]]}, change)["R"].unit.rows == 1


@pytest.mark.parametrize("share", [0.3, 0.9])
def test_a_cut_off_file_gets_a_reason(lake: Lake, share: float) -> None:
    save(lake.root / "b.xlsx", {"R": [["a", "b"], *([n, "x"] for n in range(50))]})
    whole = (lake.root / "b.xlsx").read_bytes()
    lake.write("c.xlsx", whole[: int(len(whole) * share)])
    card = lake.card("c.xlsx")
    assert (card.status, bool(card.reason)) == ("failed", True)


def test_an_encrypted_workbook_is_named_as_such(tmp_path: Path) -> None:
    path = tmp_path / "b.xlsx"
    head = b"\xd0\xcf\x11\xe0\xa1\xb1\x1a\xe1" + b"\0" * 600 + "EncryptedPackage".encode("utf-16-le")
    path.write_bytes(head)
    with pytest.raises(SourceError, match="encrypted"):
        list(Workbook().units(peek(path, "b.xlsx")))
