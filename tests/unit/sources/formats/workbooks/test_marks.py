"""What the files of each format say beside the values: errors, formulas, merged ranges, damage."""

from __future__ import annotations

import struct
import zipfile
from pathlib import Path

import pytest

from lakebook.errors import SourceError
from lakebook.sources.formats.workbooks.grid import Box, Unread
from lakebook.sources.formats.workbooks.marks import mark_warnings, put_marks
from lakebook.sources.formats.workbooks.ole import Ole
from lakebook.sources.formats.workbooks.xlsb import read_records
from lakebook.sources.formats.workbooks.xlsx import Marks, Package
from tests.unit.sources.conftest import Lake
from tests.unit.sources.formats.conftest import Units

SHEET = "http://schemas.openxmlformats.org/spreadsheetml/2006/main"
RELATIONS = "http://schemas.openxmlformats.org/package/2006/relationships"
OFFICE = "http://schemas.openxmlformats.org/officeDocument/2006/relationships"
ODS = (
    'xmlns:office="urn:oasis:names:tc:opendocument:xmlns:office:1.0"'
    ' xmlns:table="urn:oasis:names:tc:opendocument:xmlns:table:1.0"'
    ' xmlns:text="urn:oasis:names:tc:opendocument:xmlns:text:1.0"'
    ' xmlns:calcext="urn:org:documentfoundation:names:experimental:calc:xmlns:calcext:1.0"'
)


def package(path: Path, rows: str, prefix: str = "") -> Path:
    """Write the least of an xlsx file around the rows of one sheet."""
    name = f"xmlns:{prefix.rstrip(':')}" if prefix else "xmlns"
    data = f"<{prefix}sheetData>{rows}</{prefix}sheetData>"
    sheet = f'<{prefix}worksheet {name}="{SHEET}">{data}</{prefix}worksheet>'
    with zipfile.ZipFile(path, "w") as archive:
        archive.writestr(
            "xl/workbook.xml",
            f'<workbook xmlns="{SHEET}" xmlns:r="{OFFICE}"><sheets><sheet name="S" sheetId="1" r:id="r1"/>'
            "</sheets></workbook>",
        )
        archive.writestr(
            "xl/_rels/workbook.xml.rels",
            f'<Relationships xmlns="{RELATIONS}"><Relationship Id="r1" Type="{OFFICE}/worksheet"'
            ' Target="worksheets/sheet1.xml"/></Relationships>',
        )
        archive.writestr("xl/worksheets/sheet1.xml", sheet)
    return path


def marks_of(path: Path, rows: str, prefix: str = "") -> Marks:
    with Package(package(path, rows, prefix)) as opened:
        marks = opened.marks("S")
    assert marks is not None
    return marks


@pytest.mark.parametrize("prefix", ["", "x:"])
def test_errors_and_formulas_in_the_xml(tmp_path: Path, prefix: str) -> None:
    rows = (
        '<row r="1" hidden="1"><c r="A1" t="e"><v>#N/A</v></c><c s="3" r="B1"><f>A1</f><v></v></c></row>'
        '<row r="2"><c r="A2"><f t="shared" si="0"/></c><c r="B2"><f>A1</f><v>5</v></c>'
        '<c r="C2" t="str"><f>A1</f><v></v></c><c r="D2" s="1"/><c r="E2"><v>1</v></c></row>'
    )
    for tag in ("row", "c ", "v", "f"):
        rows = rows.replace(f"<{tag}", f"<{prefix}{tag}").replace(
            f"</{tag.strip()}>", f"</{prefix}{tag.strip()}>"
        )
    marks = marks_of(tmp_path / "a.xlsx", rows, prefix)
    assert marks.errors == {(0, 0): "#N/A"}
    assert marks.uncalculated == {(0, 1), (1, 0)}
    assert (marks.formulas, marks.hidden_rows, marks.rows, marks.columns) == (4, 1, 2, 5)


def test_cells_without_a_place_are_counted(tmp_path: Path) -> None:
    marks = marks_of(tmp_path / "a.xlsx", '<row><c t="e"><v>#REF!</v></c></row>')
    assert (marks.errors, marks.unplaced) == ({}, 1)
    assert any("1 cells hold an error" in warning for warning in mark_warnings(marks))


def test_an_empty_sheet_is_known_without_reading_cells(tmp_path: Path) -> None:
    with Package(package(tmp_path / "a.xlsx", '<row r="1"><c r="A1" s="1"/></row>')) as opened:
        assert opened.is_empty("S")
        assert not opened.knows("T")
    with Package(package(tmp_path / "b.xlsx", '<row r="1"><c r="A1"><v>1</v></c></row>')) as opened:
        assert not opened.is_empty("S")


def test_marks_are_put_into_blank_cells_only() -> None:
    cells: list[list[object]] = [["a", ""]]
    texts = put_marks(cells, Marks(errors={(0, 0): "a", (0, 1): "#REF!", (1, 2): "#NUM!"}))
    assert texts == {"a"}  # an error that the cell reader gives as text
    assert cells == [["a", Unread("#REF!"), ""], ["", "", Unread("#NUM!")]]


def test_what_could_not_be_checked_is_said() -> None:
    assert mark_warnings(None)
    assert not mark_warnings(Marks(formulas=2, zeros=2))


# --- ods ------------------------------------------------------------------------------------------------


def test_an_ods_file_with_merged_cells_and_errors(tmp_path: Path, read_units: Units) -> None:
    def cell(value: str, extra: str = "") -> str:
        kind = "float" if value.isdigit() else "string"
        amount = f' office:value="{value}"' if kind == "float" else ""
        return (
            f'<table:table-cell office:value-type="{kind}"{amount} {extra}><text:p>{value}</text:p>'
            "</table:table-cell>"
        )

    error = 'calcext:value-type="error"'
    rows = [
        cell("area") + cell("city") + cell("n"),
        cell("North", 'table:number-rows-spanned="2"') + cell("a") + cell("1"),
        "<table:covered-table-cell/>" + cell("b") + cell("#N/A", error),
        cell("South") + cell("c") + cell("3"),
    ]
    body = "".join(f"<table:table-row>{row}</table:table-row>" for row in rows)
    with zipfile.ZipFile(tmp_path / "b.ods", "w") as archive:
        archive.writestr("mimetype", "application/vnd.oasis.opendocument.spreadsheet")
        archive.writestr(
            "content.xml",
            f'<office:document-content {ODS}><office:body><office:spreadsheet><table:table table:name="S">'
            f"{body}</table:table></office:spreadsheet></office:body></office:document-content>",
        )
        archive.writestr("META-INF/manifest.xml", "<manifest/>")
    read = read_units(tmp_path / "b.ods")["S"]
    assert read.frame is not None
    assert read.frame["area"].tolist() == ["North", "North", "South"]
    assert read.frame["n"].fillna(-1).tolist() == [1, -1, 3]
    column = read.unit.column("n")
    assert column is not None
    assert column.warnings == ("errors counted as missing: #N/A in 1 cell",)


# --- xlsb -----------------------------------------------------------------------------------------------


def test_merged_ranges_and_errors_in_the_records_of_xlsb(tmp_path: Path) -> None:
    def record(kind: int, content: bytes) -> bytes:
        head = bytes([kind]) if kind < 128 else bytes([kind & 0x7F | 0x80, kind >> 7])
        return head + bytes([len(content)]) + content

    def text(value: str) -> bytes:
        return struct.pack("<I", len(value)) + value.encode("utf-16-le")

    with zipfile.ZipFile(tmp_path / "b.xlsb", "w") as archive:
        archive.writestr(
            "xl/_rels/workbook.bin.rels",
            f'<Relationships xmlns="{RELATIONS}"><Relationship Id="r1" Target="worksheets/s.bin"/>'
            "</Relationships>",
        )
        archive.writestr("xl/workbook.bin", record(156, struct.pack("<II", 0, 1) + text("r1") + text("S")))
        sheet = record(0, struct.pack("<I", 4)) + record(3, struct.pack("<IIB", 2, 0, 0x2A))
        archive.writestr("xl/worksheets/s.bin", sheet + record(176, struct.pack("<IIII", 1, 2, 0, 0)))
    assert read_records(tmp_path / "b.xlsb") == {"S": ([Box(1, 0, 3, 1)], {(4, 2): "#N/A"})}


# --- xls ------------------------------------------------------------------------------------------------


def container(stream: bytes, fat: dict[int, int] | None = None) -> bytes:
    """Write the least of an old container around the stream of a workbook: FAT, directory, content."""
    content = stream.ljust(4096, b"\0")
    sectors = (len(content) + 511) // 512
    end, free, table = 0xFFFFFFFE, 0xFFFFFFFF, 0xFFFFFFFD
    links = [table, end, *range(3, sectors + 2), end]
    for at, link in (fat or {}).items():
        links[at] = link
    header = b"\xd0\xcf\x11\xe0\xa1\xb1\x1a\xe1" + b"\0" * 16 + struct.pack("<HHHHH", 0x3E, 3, 0xFFFE, 9, 6)
    header += b"\0" * 10 + struct.pack("<IIIIIIIII", 1, 1, 0, 4096, end, 0, end, 0, 0)
    header += struct.pack("<I", free) * 108

    def entry(name: str, kind: int, start: int, size: int) -> bytes:
        raw = (name.encode("utf-16-le") + b"\0\0").ljust(64, b"\0")
        raw += struct.pack("<HBBIII", 2 * len(name) + 2, kind, 1, free, free, 1 if kind == 5 else free)
        return raw + b"\0" * 36 + struct.pack("<III", start, size, 0)

    directory = entry("Root Entry", 5, end, 0) + entry("Workbook", 2, 2, len(content))
    table_sector = struct.pack(f"<{len(links)}I", *links).ljust(512, b"\xff")
    return header[:512] + table_sector + directory.ljust(512, b"\0") + content.ljust(sectors * 512, b"\0")


def biff() -> bytes:
    """Write a stream with one sheet that holds a calculated error, a typed one, and a boolean."""

    def record(kind: int, content: bytes) -> bytes:
        return struct.pack("<HH", kind, len(content)) + content

    bof, eof = record(0x0809, b"\0" * 16), record(0x000A, b"")
    bound = record(0x0085, struct.pack("<IBBBB", 0, 0, 0, 1, 0) + b"S")
    offset = len(bof + bound + eof)
    bound = record(0x0085, struct.pack("<IBBBB", offset, 0, 0, 1, 0) + b"S")
    formula = struct.pack("<HHH", 3, 1, 0) + bytes([2, 0, 0x07, 0, 0, 0, 0xFF, 0xFF]) + b"\0" * 8
    typed, boolean = struct.pack("<HHHBB", 4, 2, 0, 0x2A, 1), struct.pack("<HHHBB", 5, 0, 0, 1, 0)
    sheet = record(0x0006, formula) + record(0x0205, typed) + record(0x0205, boolean)
    return bof + bound + eof + bof + sheet + eof


def test_errors_in_the_records_of_xls(tmp_path: Path) -> None:
    (tmp_path / "b.xls").write_bytes(container(biff()))
    assert Ole(tmp_path / "b.xls").errors() == [{(3, 1): "#DIV/0!", (4, 2): "#N/A"}]


@pytest.mark.parametrize(("fat", "reason"), [({5: 3}, "circle"), ({1: 1}, "circle"), ({1: 90}, "")])
def test_a_container_that_runs_in_circles_never_reaches_the_reader(
    lake: Lake, fat: dict[int, int], reason: str
) -> None:
    lake.write("b.xls", container(biff(), fat))
    if reason:
        with pytest.raises(SourceError, match=reason):
            Ole(lake.root / "b.xls")
    assert lake.card("b.xls").status in ("ok", "failed")


def test_a_cut_off_container_is_refused(lake: Lake) -> None:
    lake.write("b.xls", container(biff())[:2_600])
    card = lake.card("b.xls")
    assert card.status == "failed"
    assert "damaged" in card.reason


def test_the_xml_of_excel_2003_is_named(lake: Lake) -> None:
    text = '<?xml version="1.0"?><Workbook xmlns="urn:schemas-microsoft-com:office:spreadsheet"></Workbook>'
    lake.write("b.xls", text.encode())
    card = lake.card("b.xls")
    assert card.status == "failed"
    assert "Excel 2003" in card.reason
    assert ".xlsx" in card.reason


def test_text_named_as_a_workbook_is_read_as_text(lake: Lake) -> None:
    lake.write("b.xls", b"a\tb\n1\tx\n2\ty\n")
    _, table = lake.table("b.xls")
    assert table.values.tolist() == [[1, "x"], [2, "y"]]
