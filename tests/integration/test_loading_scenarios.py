"""What people complain of when tools load their files, one test a complaint, with planted truth.

Each test builds its own lake, maps it as `lakebook sources` does, and compares cards and rows with what was
put there. Numbers of the tests follow the list of scenarios that the source map was built against.
"""

from __future__ import annotations

import gzip
import json
import sqlite3
import subprocess
import sys
import zipfile
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pyarrow as pa
import pyarrow.parquet as pq
import pytest
from openpyxl import Workbook
from typer.testing import CliRunner

from lakebook.cli.main import app
from lakebook.operators.runtime import Runtime
from lakebook.sources.card import Column, SourceCard, SourceMap, SourceUnit
from lakebook.sources.curated import NOTHING, Curated, DayOrder
from lakebook.sources.curated_file import find_curated, read_curated
from lakebook.sources.map_lake import map_lake
from lakebook.sources.profile import table_file
from lakebook.sources.scan import scan


class Lake:
    """A folder with files, its map, and its rows."""

    def __init__(self, folder: Path, state: Path) -> None:
        self.folder = folder
        self.state = state
        self.day_order: DayOrder | None = None

    def write(self, name: str, content: str | bytes, encoding: str = "utf-8") -> Path:
        path = self.folder / name
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_bytes(content if isinstance(content, bytes) else content.encode(encoding))
        return path

    def map(self) -> SourceMap:
        notes = find_curated(self.folder, self.folder)
        curated: Curated = read_curated(notes) if notes else NOTHING
        return map_lake(self.folder, scan(self.folder), self.state, curated=curated, day_order=self.day_order)

    def card(self, path: str) -> SourceCard:
        found = self.map().card(path)
        assert found is not None
        return found

    def only_unit(self, path: str) -> SourceUnit:
        (unit,) = self.card(path).units
        return unit

    def rows(self, path: str, unit: str = "") -> list[dict[str, Any]]:
        card = self.card(path)
        found = next(one for one in card.units if one.unit == unit)
        rows: list[dict[str, Any]] = pq.read_table(table_file(self.state, card, found)).to_pylist()
        return rows

    def query(self, sql: str) -> list[tuple[Any, ...]]:
        source_map = self.map()
        with Runtime(source_map, lambda card, unit: table_file(self.state, card, unit)) as runtime:
            result = runtime.query(sql, confirm_cross=False, purpose="test")
        assert not result.record.error, result.record.error
        return [tuple(row) for row in result.rows]


@pytest.fixture
def lake(tmp_path: Path) -> Lake:
    folder = tmp_path / "lake"
    folder.mkdir()
    return Lake(folder, tmp_path / "state")


def column(unit: SourceUnit, name: str) -> Column:
    found = unit.column(name)
    assert found is not None, f"{name!r} is not among {[one.name for one in unit.columns]}"
    return found


def accounts(unit: SourceUnit) -> bool:
    return unit.rows_in_file == unit.rows + unit.rows_rejected + unit.rows_skipped


def test_16_rejected_rows_are_counted_and_kept_with_their_lines(lake: Lake) -> None:
    lines = ["id,amount"] + [f"{n},{n * 2}" for n in range(1, 101)]
    lines[50] = "50,100,surplus"
    lines[70] = "70"
    lake.write("a.csv", "\n".join(lines) + "\n")
    unit = lake.only_unit("a.csv")
    assert (unit.rows, unit.rows_rejected, unit.rows_in_file) == (98, 2, 100)
    assert accounts(unit)
    assert [row.line for row in unit.rejected] == [51, 71]
    assert lake.card("a.csv").status == "partial"


def test_17_cp1252_loads_with_its_accents_and_says_that_it_guessed(lake: Lake) -> None:
    names = ["Müller", "Łódź".replace("Ł", "L"), "Señor", "Château", "Zoë", "Åse – née “X”"]
    names[1] = "Crème brûlée"
    lake.write("a.csv", "name,n\n" + "".join(f"{name},{n}\n" for n, name in enumerate(names)), "cp1252")
    card = lake.card("a.csv")
    assert card.encoding == "cp1252"
    assert any("guess" in warning or "%" in warning for warning in card.units[0].warnings)
    assert [row["name"] for row in lake.rows("a.csv")] == names


def test_18_a_byte_order_mark_is_no_part_of_the_first_name(lake: Lake) -> None:
    lake.write("a.csv", "id,n\n1,2\n3,4\n", "utf-8-sig")
    lake.write("b.csv", "id\tn\n1\t2\n3\t4\n", "utf-16")
    for path in ("a.csv", "b.csv"):
        assert [one.name for one in lake.only_unit(path).columns] == ["id", "n"]


def test_19_decimal_commas_give_numbers_and_right_sums(lake: Lake) -> None:
    lake.write("a.csv", "ort;umsatz\nKöln;1.234,50\nBonn;-0,25\nTrier;10\n")
    assert column(lake.only_unit("a.csv"), "umsatz").type == "number"
    assert lake.query("select sum(umsatz) from a") == [(1244.25,)]


def test_20_leading_zeros_stay_and_name_an_identifier(lake: Lake) -> None:
    codes = [f"{n:05d}" for n in range(501, 701)]
    lake.write("a.csv", "zip,n\n" + "".join(f"{code},1\n" for code in codes))
    lake.write("long.csv", "id,n\n" + "".join(f"{2**60 + n},1\n" for n in range(50)))
    found = column(lake.only_unit("a.csv"), "zip")
    assert found.type == "text"
    assert found.role in ("identifier", "geography")
    assert [row["zip"] for row in lake.rows("a.csv")] == codes
    assert [row["id"] for row in lake.rows("long.csv")][:2] == [str(2**60), str(2**60 + 1)]


def test_21_one_day_above_twelve_decides_for_the_whole_column(lake: Lake) -> None:
    days = [f"{1 + n % 12:02d}/{1 + n % 9:02d}/2021" for n in range(300)] + ["25/03/2021"]
    lake.write("a.csv", "when,n\n" + "".join(f"{day},1\n" for day in days))
    found = column(lake.only_unit("a.csv"), "when")
    assert found.type == "date"
    assert not found.ambiguous_dates
    read = [f"{row['when']:%d/%m/%Y}" for row in lake.rows("a.csv")]
    assert read == days


AMBIGUOUS = "when,n\n" + "".join(f"{1 + n % 9:02d}/{3 + n % 9:02d}/2021,{n}\n" for n in range(60))


def test_22_ambiguous_dates_are_flagged_with_both_readings(lake: Lake) -> None:
    lake.write("a.csv", AMBIGUOUS)
    found = column(lake.only_unit("a.csv"), "when")
    assert found.ambiguous_dates
    shown = " ".join(found.warnings)
    assert "2021-01-03" in shown
    assert "2021-03-01" in shown


@pytest.mark.parametrize("by", ["setting", "notes", "document"])
def test_22_a_setting_notes_or_a_document_settle_them(lake: Lake, by: str) -> None:
    lake.write("a.csv", AMBIGUOUS)
    if by == "setting":
        lake.day_order = "day"
    elif by == "notes":
        lake.write("sources.yml", "files:\n  a.csv:\n    columns:\n      when: {dates: day}\n")
    else:
        lake.write("README.md", "# Sales\n\nAll dates are written DD/MM/YYYY.\n")
    found = column(lake.only_unit("a.csv"), "when")
    assert not found.ambiguous_dates
    cited = {"setting": "day_order", "notes": "sources.yml", "document": "README.md"}[by]
    assert any(cited in warning for warning in found.warnings)
    assert (found.min, found.max) == ("2021-03-01", "2021-11-09")


def test_23_a_column_that_turns_to_text_late_loads_whole_and_names_the_line(lake: Lake) -> None:
    values = [str(n) for n in range(25_000)] + ["n. b."] + [str(n) for n in range(10)]
    lake.write("a.csv", "id,x\n" + "".join(f"{n},{value}\n" for n, value in enumerate(values)))
    unit = lake.only_unit("a.csv")
    assert (unit.rows, unit.rows_rejected) == (25_011, 0)
    found = column(unit, "x")
    assert found.type == "text"
    assert any("25,002" in warning for warning in found.warnings)
    assert [row["x"] for row in lake.rows("a.csv")] == values


def test_24_codes_are_neither_dates_nor_missing(lake: Lake) -> None:
    countries = ["IN", "NA", "US", "NO", "IN", "DE"] * 5
    surnames = ["Null", "NULL", "None", "Nan", "Smith", "True"] * 5
    lake.write(
        "a.csv", "country,surname\n" + "".join(f"{a},{b}\n" for a, b in zip(countries, surnames, strict=True))
    )
    unit = lake.only_unit("a.csv")
    assert [(one.type, one.nulls) for one in unit.columns] == [("text", 0), ("text", 0)]
    rows = lake.rows("a.csv")
    assert [row["country"] for row in rows] == countries
    assert [row["surname"] for row in rows] == surnames


def _save(book: Workbook, path: Path) -> None:
    book.save(path)


def test_25_title_rows_and_a_merged_header_give_joined_names_and_the_range(lake: Lake) -> None:
    book = Workbook()
    sheet = book.active
    assert sheet is not None
    sheet.title = "Report"
    sheet["A1"] = "Sales report 2021"
    sheet["A2"] = "all amounts in EUR"
    sheet.append([])
    sheet.append(["Region", "2020", None, "2021", None])
    sheet.append([None, "plan", "actual", "plan", "actual"])
    sheet.merge_cells("A4:A5")
    sheet.merge_cells("B4:C4")
    sheet.merge_cells("D4:E4")
    for n in range(30):
        sheet.append([f"region {n}", n, n + 1, n + 2, n + 3])
    _save(book, lake.folder / "a.xlsx")
    unit = lake.only_unit("a.xlsx")
    assert (unit.rows, accounts(unit)) == (30, True)
    names = [one.name for one in unit.columns]
    assert names[0] == "Region"
    assert all(
        "2020" in name and part in name for name, part in zip(names[1:3], ("plan", "actual"), strict=True)
    )
    assert all(
        "2021" in name and part in name for name, part in zip(names[3:], ("plan", "actual"), strict=True)
    )
    assert "Report!A4:E35" in f"{unit.place} {' '.join(unit.warnings)}"
    assert any("Sales report 2021" in text for text in unit.skipped)
    assert [list(row.values())[4] for row in lake.rows("a.xlsx", unit.unit)] == [n + 3 for n in range(30)]


def test_26_every_sheet_is_a_source_and_hidden_ones_are_listed_as_such(lake: Lake) -> None:
    book = Workbook()
    for name in ("Jan", "Feb", "Mar", "Secret"):
        sheet = book.create_sheet(name)
        sheet.append(["id", "amount"])
        for n in range(5):
            sheet.append([n, n * 10])
    book["Secret"].sheet_state = "hidden"
    _save(book, lake.folder / "a.xlsx")  # the first sheet is empty
    card = lake.card("a.xlsx")
    tables = [unit for unit in card.units if unit.kind == "table"]
    assert [unit.unit for unit in tables] == ["Jan", "Feb", "Mar", "Secret"]
    assert [unit.rows for unit in tables] == [5, 5, 5, 5]
    assert any("hidden" in text for text in tables[3].warnings)
    assert not any("hidden" in text for unit in tables[:3] for text in unit.warnings)


def test_27_an_encrypted_workbook_is_named_and_the_others_load(lake: Lake) -> None:
    container = (
        b"\xd0\xcf\x11\xe0\xa1\xb1\x1a\xe1" + bytes(504) + "EncryptedPackage".encode("utf-16-le") + bytes(512)
    )
    lake.write("secret.xlsx", container)
    lake.write("a.csv", "a,b\n1,2\n")
    result = CliRunner().invoke(app, ["sources", str(lake.folder), "--json", "--state", str(lake.state)])
    assert result.exit_code == 4
    files = {file["path"]: file for file in json.loads(result.stdout)["files"]}
    assert files["secret.xlsx"]["status"] == "failed"
    assert "encrypted" in files["secret.xlsx"]["reason"]
    assert files["a.csv"]["status"] == "ok"


def test_28_packed_files_are_sources_with_their_inner_paths(lake: Lake) -> None:
    lake.write("a.csv.gz", gzip.compress(b"a,b\n1,2\n3,4\n"))
    lake.write("c.jsonl.gz", gzip.compress(b'{"x": 1}\n{"x": 2}\n'))
    with zipfile.ZipFile(lake.folder / "b.zip", "w") as archive:
        for n, name in enumerate(("jan.csv", "sub/feb.csv", "mar.csv")):
            archive.writestr(name, f"m,n\n{n},1\n{n},2\n")
    assert lake.only_unit("a.csv.gz").rows == 2
    assert lake.only_unit("c.jsonl.gz").rows == 2
    units = lake.card("b.zip").units
    assert sorted(unit.unit for unit in units) == ["jan.csv", "mar.csv", "sub/feb.csv"]
    assert all(unit.rows == 2 for unit in units)
    assert [row["m"] for row in lake.rows("b.zip", "sub/feb.csv")] == [1, 1]


def test_29_keys_that_come_late_are_in_the_schema_with_their_fill_rate(lake: Lake) -> None:
    records = [{"id": n, "user": {"name": f"u{n}"}} for n in range(5_000)]
    records[4_990:] = [{"id": n, "user": {"name": f"u{n}", "vat": "X"}} for n in range(4_990, 5_000)]
    lake.write("a.jsonl", "".join(json.dumps(record) + "\n" for record in records))
    unit = lake.only_unit("a.jsonl")
    late = column(unit, "user.vat")
    assert (unit.rows, late.nulls) == (5_000, 4_990)
    assert any("user.vat" in text and "10 of 5,000" in text for text in unit.warnings)


def _peak_mb(lake: Lake) -> float:
    """Map the lake in a process of its own and return its peak memory.

    Read from the process's own status: `ru_maxrss` of a child begins with the size of its parent.
    """
    code = (
        "import sys; from pathlib import Path\n"
        "from lakebook.sources.map_lake import map_lake; from lakebook.sources.scan import scan\n"
        "root, state = Path(sys.argv[1]), Path(sys.argv[2]); map_lake(root, scan(root), state)\n"
        "lines = Path('/proc/self/status').read_text().splitlines()\n"
        "print(next(int(line.split()[1]) / 1024 for line in lines if line.startswith('VmHWM')))\n"
    )
    arguments = [sys.executable, "-c", code, str(lake.folder), str(lake.state)]
    return float(subprocess.run(arguments, capture_output=True, text=True, check=True).stdout)


@pytest.mark.slow
def test_30_a_long_json_array_on_one_line_loads_in_bounded_memory(lake: Lake) -> None:
    record = json.dumps({"id": 1, "name": "x" * 40, "tags": ["a", "b"], "value": 1.25})
    with (lake.folder / "a.json").open("w") as file:
        file.write("[" + ",".join(record for _ in range(400_000)) + "]")
    size = (lake.folder / "a.json").stat().st_size / 2**20
    assert size > 30
    assert _peak_mb(lake) < 600, "records as Python objects would take a gigabyte"
    assert lake.only_unit("a.json").rows == 400_000


def test_31_a_folder_of_partitions_is_one_source_with_a_schema_for_each_file(lake: Lake) -> None:
    for year in (2019, 2020, 2021):
        columns: dict[str, Any] = {"id": [year, year + 1], "amount": [1.5, 2.5]}
        if year == 2021:
            columns["discount"] = [0.1, 0.2]
        folder = lake.folder / "sales" / f"year={year}"
        folder.mkdir(parents=True)
        pq.write_table(pa.table(columns), folder / "part-0.parquet")
    (group,) = lake.map().groups
    assert len(group.members) == 3
    assert group.table
    missing = {schema.value: schema.missing for schema in group.schemas}
    assert [value for value, gone in missing.items() if "discount" in gone] == ["2019", "2020"]
    total = lake.query(f"select count(*), count(discount), sum(amount) from {group.table}")
    assert total == [(6, 2, 12.0)]
    years = lake.query(f"select cast({group.member_column} as varchar) from {group.table} order by 1")
    assert [row[0] for row in years] == ["2019", "2019", "2020", "2020", "2021", "2021"]


def test_32_mixed_storage_classes_of_sqlite_load_and_are_counted(lake: Lake) -> None:
    with sqlite3.connect(lake.folder / "a.db") as connection:
        connection.execute("create table t (id integer, price integer)")
        connection.executemany("insert into t values (?, ?)", [(n, n) for n in range(90)])
        connection.executemany("insert into t values (?, ?)", [(n, "on request") for n in range(90, 100)])
    connection.close()
    card = lake.card("a.db")
    (unit,) = [unit for unit in card.units if unit.kind == "table"]
    assert unit.rows == 100
    shown = " ".join((*column(unit, "price").warnings, *unit.warnings))
    assert "10" in shown
    assert [row["price"] for row in lake.rows("a.db", unit.unit)][88:91] == ["88", "89", "on request"]


def test_33_duplicate_names_are_both_kept_and_reported(lake: Lake) -> None:
    lake.write("a.csv", "x,y,x\n1,2,3\n4,5,6\n")
    unit = lake.only_unit("a.csv")
    names = [one.name for one in unit.columns]
    assert len(set(names)) == 3
    assert [one.original_name for one in unit.columns] == ["x", "y", "x"]
    assert any("duplicate" in text for text in unit.warnings)
    assert [list(row.values()) for row in lake.rows("a.csv")] == [[1, 2, 3], [4, 5, 6]]


def test_34_lists_and_objects_in_cells_are_profiled(lake: Lake) -> None:
    lake.write(
        "a.json", json.dumps([{"id": n, "tags": ["a"] * n, "more": {"k": [{"z": n}]}} for n in range(20)])
    )
    pq.write_table(
        pa.table({"ids": [[1, 2], [3], None], "at": [{"x": 1}, {"x": 2}, None]}), lake.folder / "b.parquet"
    )
    main = next(unit for unit in lake.card("a.json").units if column_names(unit) >= {"id", "tags"})
    assert main.rows == 20
    assert column(main, "tags").distinct == 20
    nested = lake.only_unit("b.parquet")
    assert [one.nulls for one in nested.columns] == [1, 1]


def column_names(unit: SourceUnit) -> set[str]:
    return {one.name for one in unit.columns}


def test_35_what_holds_no_data_gets_a_card_that_says_so(lake: Lake) -> None:
    lake.write("zero.csv", b"")
    lake.write("blank.csv", b"\n\n")
    lake.write("header.csv", "a,b,c\n")
    lake.write("lfs.parquet", "version https://git-lfs.github.com/spec/v1\noid sha256:0\nsize 9\n")
    pq.write_table(pa.table({"a": list(range(1_000))}), lake.folder / "whole.parquet")
    lake.write("cut.parquet", (lake.folder / "whole.parquet").read_bytes()[:-50])
    lake.write("cut.csv.gz", gzip.compress(b"a,b\n" + b"1,2\n" * 5_000)[:-20])
    lake.write("page.csv", "<!DOCTYPE html><html><body>Log in</body></html>")
    cards = {card.path: card for card in lake.map().cards}
    for path in ("zero.csv", "blank.csv", "lfs.parquet", "cut.parquet", "page.csv"):
        assert cards[path].status == "failed", path
    assert "0 bytes" in cards["zero.csv"].reason
    assert "git lfs pull" in cards["lfs.parquet"].reason
    assert "HTML" in cards["page.csv"].reason
    assert cards["cut.csv.gz"].status in ("partial", "failed")
    header = cards["header.csv"].units[0]
    assert (header.rows, column_names(header)) == (0, {"a", "b", "c"})
    assert any("no row" in text for text in header.warnings)
    assert all(accounts(unit) for card in cards.values() for unit in card.units)


def test_36_a_pdf_table_over_three_pages_is_one_table(
    lake: Lake, pdf_table: Callable[[Path, int], None]
) -> None:
    pdf_table(lake.folder / "a.pdf", 100)
    tables = [unit for unit in lake.card("a.pdf").units if unit.kind == "table"]
    if not tables:
        pytest.fail("the table was not extracted")
    (unit,) = tables
    assert (unit.rows, accounts(unit)) == (100, True)
    assert unit.place.startswith("pages 1-")
    assert [one.name for one in unit.columns] == ["Region", "Year", "Amount"]
    rows = lake.rows("a.pdf", unit.unit)
    assert [row["Amount"] for row in rows] == [n * 10 for n in range(100)]


@pytest.fixture
def pdf_table() -> Callable[[Path, int], None]:
    def write(path: Path, rows: int) -> None:
        from fpdf import FPDF

        document = FPDF()
        document.set_font("Helvetica", size=11)
        document.add_page()
        with document.table() as table:
            for cells in [("Region", "Year", "Amount")] + [
                (f"R{n}", "2020", str(n * 10)) for n in range(rows)
            ]:
                row = table.row()
                for cell in cells:
                    row.cell(cell)
        document.output(str(path))

    return write


@pytest.mark.slow
def test_37_memory_does_not_grow_with_the_file(lake: Lake) -> None:
    def write(name: str, rows: int) -> None:
        with (lake.folder / name).open("w") as file:
            file.write("id,name,price,when,note\n")
            for n in range(rows):
                file.write(f"{n},name {n % 1000},{n * 0.25},2021-01-{1 + n % 28:02d},some text that is {n}\n")

    write("a.csv", 1_000)
    base = _peak_mb(lake)
    write("b.csv", 1_500_000)
    assert (lake.folder / "b.csv").stat().st_size > 70 * 2**20
    assert _peak_mb(lake) - base < 450
    assert lake.only_unit("b.csv").rows == 1_500_000


def test_38_odd_names_are_handled_and_nothing_outside_is_read(lake: Lake, tmp_path: Path) -> None:
    (tmp_path / "outside.csv").write_text("secret,n\n1,2\n")
    names = [
        "with space.csv",
        "it's.csv",
        'q"uote.csv',
        "a#b.csv",
        "käse ✓.csv",
        "two\nlines.csv",
        "100%.csv",
        "-x.csv",
    ]
    for name in names:
        lake.write(name, "a,b\n1,2\n")
    (lake.folder / "leak.csv").symlink_to(tmp_path / "outside.csv")
    (lake.folder / "loop").symlink_to(lake.folder)
    source_map = lake.map()
    cards = {card.path: card for card in source_map.cards}
    assert all(cards[name].status == "ok" and cards[name].units[0].rows == 1 for name in names)
    assert cards["leak.csv"].status == "failed"
    assert cards["leak.csv"].units == ()
    tables = {unit.table for _, unit in source_map.tables()}
    assert len(tables) == len(names)
    for table in tables:
        assert lake.query(f"select a + b from {table}") == [(3,)]
