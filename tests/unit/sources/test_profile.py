"""Cards, tables and load code of every format, on inputs that are built here with planted truth."""

from __future__ import annotations

import bz2
import gzip
import json
import sqlite3
import zipfile
from contextlib import closing
from datetime import datetime
from pathlib import Path

import openpyxl
import pandas as pd
import pyarrow as pa
import pyarrow.feather as feather
import pyarrow.parquet as pq
import pytest

from lakebook.sources.card import SourceUnit
from lakebook.sources.peek import Peek, peek
from lakebook.sources.profile import profile_lake, table_file
from lakebook.sources.scan import scan
from tests.unit.sources.conftest import Lake


def types(unit: SourceUnit) -> dict[str, str]:
    return {column.name: column.type for column in unit.columns}


def warnings_of(unit: SourceUnit, name: str) -> str:
    column = unit.column(name)
    assert column is not None
    return " | ".join(column.warnings)


# --- delimited text -------------------------------------------------------------------------------------


def test_a_plain_csv(lake: Lake) -> None:
    lake.write("a.csv", "name,age,height,member\nAnn,31,1.7,True\nBob,42,1.85,False\n")
    unit, table = lake.table("a.csv")
    assert types(unit) == {"name": "text", "age": "integer", "height": "number", "member": "boolean"}
    assert table["age"].tolist() == [31, 42]
    assert (unit.rows, unit.rows_in_file, unit.rows_rejected, unit.rows_skipped) == (2, 2, 0, 0)
    assert unit.coverage.complete
    assert unit.table == "a"


@pytest.mark.parametrize("delimiter", [",", ";", "\t", "|"])
def test_delimiters(lake: Lake, delimiter: str) -> None:
    rows = [["city", "note", "n"], ["Bonn", "x y", "1"], ["Köln", "z", "2"]]
    lake.write("a.csv", "\n".join(delimiter.join(row) for row in rows) + "\n")
    _unit, table = lake.table("a.csv")
    assert table.values.tolist() == [["Bonn", "x y", 1], ["Köln", "z", 2]]


@pytest.mark.parametrize(
    ("encoding", "shown"),
    [("utf-8", "utf-8"), ("utf-8-sig", "utf-8-sig"), ("cp1252", "cp1252"), ("utf-16", "utf-16")],
)
def test_encodings(lake: Lake, encoding: str, shown: str) -> None:
    text = "name,city\n" + "".join(f"José {n},Zürich größe\n" for n in range(30))
    lake.write("a.csv", text, encoding)
    _unit, table = lake.table("a.csv")
    assert lake.card("a.csv").encoding == shown
    assert list(table.columns) == ["name", "city"]
    assert table["name"][3] == "José 3"
    assert table["city"][0] == "Zürich größe"


def test_a_guessed_encoding_says_so(lake: Lake) -> None:
    lake.write("a.csv", "name,n\nJosé,1\nJürgen,2\n", "cp1252")
    unit, _ = lake.table("a.csv")
    assert any("guess" in warning for warning in unit.warnings)
    lake.write("b.csv", "name,n\nJosé,1\nJürgen,2\n")
    unit, _ = lake.table("b.csv")
    assert unit.warnings == ()


def test_compressed(lake: Lake) -> None:
    text = b"a,b\n1,x\n2,y\n"
    lake.write("a.csv.gz", gzip.compress(text))
    lake.write("b.csv.bz2", bz2.compress(text))
    lake.write("c.csv", gzip.compress(text))
    with zipfile.ZipFile(lake.root / "d.csv.zip", "w") as archive:
        archive.writestr("inner.csv", text)
    for name in ("a.csv.gz", "b.csv.bz2", "c.csv", "d.csv.zip"):
        _, table = lake.table(name)
        assert table.values.tolist() == [[1, "x"], [2, "y"]], name


def test_compressed_with_rejected_rows(lake: Lake) -> None:
    text = b"a,b\n1,x\n2\n3,z\n"
    lake.write("a.csv.gz", gzip.compress(text))
    with zipfile.ZipFile(lake.root / "d.csv.zip", "w") as archive:
        archive.writestr("inner.csv", text)
    for name in ("a.csv.gz", "d.csv.zip"):
        unit, table = lake.table(name)
        assert (len(table), unit.rows_rejected) == (2, 1)


def test_short_and_long_rows_are_rejected_with_their_lines(lake: Lake) -> None:
    lake.write("a.csv", "a,b,c\n1,2,3\n4,5\n6,7,8\n9,10,11,12\n13,14,15\n")
    unit, table = lake.table("a.csv")
    assert table["a"].tolist() == [1, 6, 13]
    assert [(row.line, row.text) for row in unit.rejected] == [(3, "4,5"), (5, "9,10,11,12")]
    assert "2 fields where the header has 3" in unit.rejected[0].reason
    assert not unit.coverage.complete
    card = lake.card("a.csv")
    assert card.status == "partial"
    assert "2 rows" in card.reason


def test_blank_rows_banner_and_footer_are_skipped_not_lost(lake: Lake) -> None:
    lake.write("a.csv", "Report of 2020\n\nregion,n,m\nNorth,1,2\n\n,,\nSouth,3,4\nSource: our office\n")
    unit, table = lake.table("a.csv")
    assert table["region"].tolist() == ["North", "South"]
    assert (unit.rows_in_file, unit.rows, unit.rows_skipped, unit.rows_rejected) == (7, 2, 5, 0)
    assert any("line 1 (banner): Report of 2020" in note for note in unit.skipped)
    assert any("line 8 (footer): Source: our office" in note for note in unit.skipped)
    assert lake.card("a.csv").status == "ok"


def test_a_cut_off_last_row_is_rejected_not_taken_for_a_footer(lake: Lake) -> None:
    lake.write("a.csv", "a,b,c\n1,2,3\n4,5,6\n7,8\n")
    unit, _ = lake.table("a.csv")
    assert [row.line for row in unit.rejected] == [4]


def test_quoted_newlines_keep_line_numbers_right(lake: Lake) -> None:
    lake.write("a.csv", 'a,b\n"x\ny",1\nbad\n"say ""hi""",2\n')
    unit, table = lake.table("a.csv")
    assert table["a"].tolist() == ["x\ny", 'say "hi"']
    assert [row.line for row in unit.rejected] == [4]


def test_an_open_quotation_mark_is_reported(lake: Lake) -> None:
    lake.write("a.csv", 'a,b\n1,2\n3,"4\n5,6\n7,8,9\n')
    unit, _ = lake.table("a.csv")
    assert unit.rows + unit.rows_rejected == unit.rows_in_file
    assert unit.rows_in_file >= 2


def test_no_header(lake: Lake) -> None:
    lake.write("a.csv", "1,2.5,x\n2,3.5,y\n3,4.5,z\n")
    unit, table = lake.table("a.csv")
    assert list(table.columns) == ["column_1", "column_2", "column_3"]
    assert len(table) == 3
    assert any("no header" in warning for warning in unit.warnings)


def test_numeric_column_names_are_a_header_beside_text(lake: Lake) -> None:
    lake.write("a.csv", "country,2019,2020\nPeru,1,2\nChad,3,4\n")
    _, table = lake.table("a.csv")
    assert list(table.columns) == ["country", "2019", "2020"]


def test_a_header_shorter_than_the_rows(lake: Lake) -> None:
    lake.write("a.csv", "mpg,cyl\nMazda,21.0,6\nFiat,32.4,4\nFord,15.8,8\n")
    unit, table = lake.table("a.csv")
    assert list(table.columns) == ["Unnamed: 0", "mpg", "cyl"]
    assert table["mpg"].tolist() == [21.0, 32.4, 15.8]
    assert any("one field less" in warning for warning in unit.warnings)


def test_no_header_under_a_banner(lake: Lake) -> None:
    lake.write("a.csv", "made by us\n\n1,2.5,x\n2,3.5,y\n3\n4,5.5,z\n")
    unit, table = lake.table("a.csv")
    assert table["column_1"].tolist() == [1, 2, 4]
    assert (unit.rows_skipped, unit.rows_rejected) == (2, 1)
    lake.write("b.csv", "made by us\n\n1,2.5,x\n2,3.5,y\n")
    unit, _ = lake.table("b.csv")
    assert "skiprows=2" in unit.load_code


def test_an_empty_field_too_many_in_the_header(lake: Lake) -> None:
    lake.write("a.csv", "k,y,v,\nA,1959,5.8\nB,1960,5.1\nC,1961,5.3\n")
    unit, table = lake.table("a.csv")
    assert list(table.columns) == ["k", "y", "v"]
    assert unit.rows == 3


def test_a_single_column_that_may_be_several_says_so(lake: Lake) -> None:
    lake.write("a.csv", "v\n1 2.5\n3 4.5\n")
    lake.write("b.csv", "v\n1\n3\n")
    assert any("separator" in warning for warning in lake.table("a.csv")[0].warnings)
    assert lake.table("b.csv")[0].warnings == ()


def test_duplicate_and_missing_names(lake: Lake) -> None:
    lake.write("a.csv", "x,x,,x.1\n1,2,3,4\n5,6,7,8\n")
    unit, table = lake.table("a.csv")
    assert len(set(table.columns)) == 4
    assert table.values.tolist() == [[1, 2, 3, 4], [5, 6, 7, 8]]
    assert [column.original_name for column in unit.columns] == ["x", "x", "", "x.1"]
    assert any("duplicate column names" in warning for warning in unit.warnings)


def test_header_only_and_empty_files(lake: Lake) -> None:
    lake.write("a.csv", "a,b\n")
    lake.write("b.csv", "")
    unit, table = lake.table("a.csv")
    assert (unit.rows, unit.rows_in_file, len(table)) == (0, 0, 0)
    assert types(unit) == {"a": "empty", "b": "empty"}
    assert any("no row of data" in warning for warning in unit.warnings)
    card = lake.card("b.csv")
    assert (card.status, card.reason) == ("failed", "the file is empty (0 bytes)")


def test_a_number_column_that_turns_to_text_late_names_the_line(lake: Lake) -> None:
    rows = [str(n) for n in range(25_000)] + ["n/k"] + [str(n) for n in range(100)]
    lake.write("a.csv", "v,w\n" + "".join(f"{row},1\n" for row in rows))
    unit, table = lake.table("a.csv")
    assert len(table) == 25_101
    assert types(unit)["v"] == "text"
    assert "'n/k' at line 25,002" in warnings_of(unit, "v")
    assert warnings_of(unit, "w") == ""


def test_codes_stay_text_and_plain_numbers_do_not(lake: Lake) -> None:
    lake.write("a.csv", "zip,big,n,neg\n02134,9007199254740993,1,-5\n10001,9007199254740995,0,7\n")
    unit, table = lake.table("a.csv")
    assert types(unit) == {"zip": "text", "big": "text", "n": "integer", "neg": "integer"}
    assert table["zip"].tolist() == ["02134", "10001"]
    assert table["big"][0] == "9007199254740993"
    assert "leading zeros" in warnings_of(unit, "zip")
    assert "2^53" in warnings_of(unit, "big")


def test_country_codes_and_surnames_are_not_missing(lake: Lake) -> None:
    lake.write("a.csv", "country,surname,n\nNA,None,1\nIN,Null,2\n,Nan,3\n")
    unit, table = lake.table("a.csv")
    assert table["country"].tolist()[:2] == ["NA", "IN"]
    assert table["country"].isna().tolist() == [False, False, True]
    assert table["surname"].tolist() == ["None", "Null", "Nan"]
    assert [column.nulls for column in unit.columns] == [1, 0, 0]


def test_null_tokens_count_in_number_columns_and_are_reported(lake: Lake) -> None:
    lake.write("a.csv", "n,x,d\n1,1.5,2020-01-01\nNA,-,NA\n3,2.5,2020-01-03\n")
    unit, _table = lake.table("a.csv")
    assert types(unit) == {"n": "integer", "x": "number", "d": "date"}
    assert [column.nulls for column in unit.columns] == [1, 1, 1]
    assert "'NA' in 1 row" in warnings_of(unit, "n")


def test_decimal_comma(lake: Lake) -> None:
    lake.write("a.csv", "item;price;total\na;1,50;1.234,5\nb;2,25;10,0\nc;0,125;2.000.000,25\n")
    unit, table = lake.table("a.csv")
    assert table["price"].sum() == 3.875
    assert table["total"].tolist() == [1234.5, 10.0, 2000000.25]
    assert types(unit)["price"] == "number"


def test_thousands_currency_and_percent(lake: Lake) -> None:
    lake.write("a.csv", 'n,price,share\n"1,234",$1.50,12%\n"12,000","$2,000.25",7.5%\n5,$3,0%\n')
    unit, table = lake.table("a.csv")
    assert table["n"].tolist() == [1234, 12000, 5]
    assert table["price"].tolist() == [1.5, 2000.25, 3.0]
    assert table["share"].tolist() == [12.0, 7.5, 0.0]
    assert unit.columns[2].unit == "%"


def test_text_that_only_resembles_numbers_stays(lake: Lake) -> None:
    lake.write("a.csv", "a,b,c\n1-2,1.2.3,12 kg\n3-4,4.5.6,7 kg\n")
    unit, _table = lake.table("a.csv")
    assert set(types(unit).values()) == {"text"}


@pytest.mark.parametrize(
    ("values", "form", "first"),
    [
        (["2020-01-31", "2020-02-01"], "%Y-%m-%d", "2020-01-31"),
        (["1/31/2020", "2/1/2020"], "%m/%d/%Y", "2020-01-31"),
        (["31/01/2020", "01/02/2020"], "%d/%m/%Y", "2020-01-31"),
        (["31.1.2020", "1.2.2020"], "%d.%m.%Y", "2020-01-31"),
        (["January 31, 2020", "February 1, 2020"], "%B %d, %Y", "2020-01-31"),
        (["31 Jan 2020", "1 Feb 2020"], "%d %b %Y", "2020-01-31"),
        (["31-Jan-20", "01-Feb-20"], "%d-%b-%y", "2020-01-31"),
        (["2020-01", "2020-02"], "%Y-%m", "2020-01-01"),
    ],
)
def test_date_formats(lake: Lake, values: list[str], form: str, first: str) -> None:
    lake.write("a.csv", "n;when\n" + "".join(f"x;{value}\n" for value in values))
    unit, _table = lake.table("a.csv")
    when = unit.column("when")
    assert when is not None
    assert (when.type, when.role, when.date_format, when.min) == ("date", "time", form, first)


def test_date_times_and_zones(lake: Lake) -> None:
    lake.write(
        "a.csv",
        "a,b,c\n2020-01-01T06:00:00Z,2020-01-01 10:30,8/3/2020 1:05 PM\n"
        "2020-01-01T07:00:00Z,2020-01-02 11:45,8/13/2020 11:30 AM\n",
    )
    unit, table = lake.table("a.csv")
    assert set(types(unit).values()) == {"datetime"}
    assert table["a"][0] == pd.Timestamp("2020-01-01 06:00")
    assert table["c"][0] == pd.Timestamp("2020-08-03 13:05")
    assert "UTC" in warnings_of(unit, "a")
    assert warnings_of(unit, "b") == ""


def test_one_value_settles_day_first_for_all(lake: Lake) -> None:
    lake.write("a.csv", "d,n\n01/02/2020,1\n05/06/2020,2\n25/12/2020,3\n")
    unit, table = lake.table("a.csv")
    assert table["d"].tolist()[0] == pd.Timestamp("2020-02-01")
    assert "ambiguous" not in warnings_of(unit, "d")


def test_ambiguous_dates_show_both_readings(lake: Lake) -> None:
    lake.write("a.csv", "d,n\n01/02/2020,1\n03/04/2020,2\n")
    unit, _ = lake.table("a.csv")
    warning = warnings_of(unit, "d")
    assert "ambiguous" in warning
    assert "2020-01-02" in warning
    assert "2020-02-01" in warning


def test_another_column_settles_the_order(lake: Lake) -> None:
    lake.write("a.csv", "sent,paid\n01/02/2020,25/02/2020\n03/04/2020,26/04/2020\n")
    unit, table = lake.table("a.csv")
    assert table["sent"][0] == pd.Timestamp("2020-02-01")
    assert "taken from the other dates" in warnings_of(unit, "sent")


def test_contradicting_date_orders_stay_text(lake: Lake) -> None:
    lake.write("a.csv", "d,n\n13/02/2020,1\n03/14/2020,2\n")
    unit, _ = lake.table("a.csv")
    assert types(unit)["d"] == "text"


def test_booleans_with_gaps(lake: Lake) -> None:
    lake.write("a.csv", "b,c\nTrue,true\n,false\nFalse,true\n")
    unit, _table = lake.table("a.csv")
    assert types(unit) == {"b": "boolean", "c": "boolean"}
    assert unit.columns[0].nulls == 1


def test_duplicates_values_and_counts(lake: Lake) -> None:
    lake.write("a.csv", "g,n\nx,1\nx,1\ny,2\nx,1\n")
    unit, _ = lake.table("a.csv")
    assert unit.duplicate_rows == 2
    column = unit.column("g")
    assert column is not None
    assert [(value.value, value.rows) for value in column.values] == [("x", 3), ("y", 1)]
    assert column.values_complete


def test_many_values_are_marked_partial_but_counted_exactly(lake: Lake) -> None:
    lake.write("a.csv", "g,n\n" + "".join(f"v{n % 1500},{n}\n" for n in range(3000)))
    unit, _ = lake.table("a.csv")
    column = unit.column("g")
    assert column is not None
    assert (column.distinct, column.distinct_exact, column.values_complete, len(column.values)) == (
        1500,
        True,
        False,
        50,
    )


def test_long_fields(lake: Lake) -> None:
    lake.write("a.csv", f"a,b\n{'x' * 200_000},1\ny,2\n")
    _, table = lake.table("a.csv")
    assert len(table["a"][0]) == 200_000


def test_prose_is_no_table(lake: Lake) -> None:
    lake.write("a.txt", "Dear all, this is text, with commas.\nIt goes on, and on, for a while.\n")
    lake.write("b.txt", "a\tb\tc\n1\t2\t3\n4\t5\t6\n")
    assert lake.card("a.txt").units[0].kind == "text"
    _, table = lake.table("b.txt")
    assert table["c"].tolist() == [3, 6]


@pytest.mark.parametrize(
    "name", ["with space.csv", "qu'o\"te.csv", "h#sh.csv", "ünï.csv", "new\nline.csv", "a.b.c.csv"]
)
def test_odd_file_names(lake: Lake, name: str) -> None:
    lake.write(name, "a,b\n1,x\n2,y\n")
    unit, table = lake.table(name)
    assert len(table) == 2
    assert unit.table.isidentifier()


# --- columnar -------------------------------------------------------------------------------------------


def test_parquet_types(lake: Lake) -> None:
    table = pa.table(
        {
            "i": pa.array([1, None, 3], pa.int32()),
            "f": pa.array([1.5, float("nan"), None], pa.float32()),
            "s": pa.array(["a", "", None]),
            "b": pa.array([True, None, False]),
            "d": pa.array([datetime(2020, 1, 1), None, datetime(2020, 1, 3)], pa.date32()),
            "t": pa.array([datetime(2020, 1, 1, 5), None, None], pa.timestamp("ns", tz="Europe/Paris")),
            "c": pa.array(["x", "y", "x"]).dictionary_encode(),
            "l": pa.array([[1, 2], None, []]),
            "big": pa.array([2**60, 1, None]),
            "day": pa.array(["2020-01-01", "2020-01-02", None]),
        }
    )
    pq.write_table(table, lake.root / "a.parquet")
    unit, stored = lake.table("a.parquet")
    assert types(unit) == {
        "i": "integer", "f": "number", "s": "text", "b": "boolean", "d": "date", "t": "datetime",
        "c": "text", "l": "json", "big": "text", "day": "date",
    }  # fmt: skip
    assert [column.nulls for column in unit.columns] == [1, 2, 1, 1, 1, 2, 0, 1, 1, 1]
    assert stored["big"][0] == str(2**60)
    assert unit.column("s").distinct == 2  # type: ignore[union-attr]


def test_parquet_with_a_pandas_index(lake: Lake) -> None:
    pd.DataFrame({"v": [1, 2]}, index=pd.Index(["a", "b"], name="key")).to_parquet(lake.root / "a.parquet")
    _, stored = lake.table("a.parquet")
    assert set(stored.columns) == {"v", "key"}


def test_feather_and_wrong_suffix(lake: Lake) -> None:
    table = pa.table({"a": [1, 2], "b": ["x", "y"]})
    feather.write_feather(table, lake.root / "a.feather")
    pq.write_table(table, lake.root / "b.csv")
    assert lake.table("a.feather")[0].rows == 2
    assert lake.card("b.csv").format == "parquet"
    assert lake.table("b.csv")[0].rows == 2


def test_a_cut_off_parquet_file_fails_alone(lake: Lake) -> None:
    pq.write_table(pa.table({"a": list(range(1000))}), lake.root / "a.parquet")
    whole = (lake.root / "a.parquet").read_bytes()
    lake.write("b.parquet", whole[: len(whole) // 2])
    found = lake.map()
    assert [card.status for card in found.cards] == ["ok", "failed"]
    assert "cut off" in found.cards[1].reason


# --- workbooks ------------------------------------------------------------------------------------------


def workbook(path: Path, sheets: dict[str, list[list[object]]], hidden: tuple[str, ...] = ()) -> None:
    book = openpyxl.Workbook()
    book.remove(book.active)
    for name, rows in sheets.items():
        sheet = book.create_sheet(name)
        for row in rows:
            sheet.append(row)
        if name in hidden:
            sheet.sheet_state = "hidden"
    book.save(path)


def test_each_sheet_is_a_unit(lake: Lake) -> None:
    workbook(
        lake.root / "w.xlsx",
        {
            "Sales": [["id", "n", "x", "when", "code", "ok"],
                      ["001", 1, 1.5, datetime(2020, 1, 1), 7, True],
                      ["002", 2, None, datetime(2020, 1, 2), "b", False]],
            "Empty": [],
            "Costs": [["item", "cost"], ["NA", 3], ["IN", 4.5], [None, 5]],
        },
        hidden=("Costs",),
    )  # fmt: skip
    card = lake.card("w.xlsx")
    assert [unit.unit for unit in card.units] == ["Sales", "Costs"]
    sales, table = lake.table("w.xlsx", "Sales")
    assert types(sales) == {
        "id": "text", "n": "integer", "x": "number", "when": "date", "code": "text", "ok": "boolean",
    }  # fmt: skip
    assert table["code"].tolist() == ["7", "b"]
    assert "several kinds" in warnings_of(sales, "code")
    costs, table = lake.table("w.xlsx", "Costs")
    assert table["item"].tolist()[:2] == ["NA", "IN"]
    assert "the sheet is hidden" in costs.warnings
    assert {unit.table for unit in card.units} == {"w_sales", "w_costs"}
    assert [group.kind for group in lake.map().groups] == ["workbook"]


def test_title_rows_blank_rows_and_footnotes(lake: Lake) -> None:
    workbook(
        lake.root / "w.xlsx",
        {
            "R": [["Report 2020"], [], [None, "region", "n", "m"], [None, "North", 1, 2], [],
                  [None, "South", 3, 4], [], ["All figures are estimates"]]
        },
    )  # fmt: skip
    unit, table = lake.table("w.xlsx", "R")
    assert list(table.columns) == ["region", "n", "m"]
    assert table.values.tolist() == [["North", 1, 2], ["South", 3, 4]]
    assert unit.rows_in_file == 7
    assert any("Report 2020" in note for note in unit.skipped)
    assert any("R!B3:D6" in warning for warning in unit.warnings)


def test_odd_sheet_headers(lake: Lake) -> None:
    workbook(lake.root / "w.xlsx", {"R": [["a", "a", None, 2020], [1, 2, 3, 4], [5, 6, 7, 8]]})
    _unit, table = lake.table("w.xlsx", "R")
    assert list(table.columns) == ["a", "a.1", "Unnamed: 2", "2020"]
    assert table.values.tolist() == [[1, 2, 3, 4], [5, 6, 7, 8]]


def test_an_encrypted_workbook_is_named_as_such(lake: Lake) -> None:
    head = b"\xd0\xcf\x11\xe0\xa1\xb1\x1a\xe1" + b"\0" * 600 + "EncryptedPackage".encode("utf-16-le")
    lake.write("w.xlsx", head)
    card = lake.card("w.xlsx")
    assert card.status == "failed"
    assert "encrypted" in card.reason


# --- json -----------------------------------------------------------------------------------------------


def test_json_records(lake: Lake) -> None:
    records = [
        {"id": "007", "n": 1, "x": 1.5, "who": {"name": "Ann", "tags": ["a", "b"]}, "when": "2020-01-01"},
        {"id": "008", "n": 2, "x": None, "who": {"name": None, "tags": []}, "when": "2020-01-02", "late": 5},
    ]
    lake.write("a.json", json.dumps(records))
    unit, table = lake.table("a.json")
    assert types(unit) == {
        "id": "text", "n": "integer", "x": "number", "when": "date", "who.name": "text", "who.tags": "json",
        "late": "integer",
    }  # fmt: skip
    assert table["who.tags"].tolist() == ['["a", "b"]', "[]"]


def test_json_lines_with_bad_lines_and_late_keys(lake: Lake) -> None:
    lines = ['{"a": 1}', '{"a": 2}', "{broken", "", "[1]", '{"a": 3, "late": {"k": "v"}}', '{"a": 4}']
    lake.write("a.jsonl", "\n".join(lines) + "\n")
    unit, table = lake.table("a.jsonl")
    assert table["a"].tolist() == [1, 2, 3, 4]
    assert [(row.line) for row in unit.rejected] == [3, 5]
    assert (unit.rows_in_file, unit.rows_rejected, unit.rows_skipped) == (7, 2, 1)
    assert any("late.k (1 of 4)" in warning for warning in unit.warnings)
    assert lake.card("a.jsonl").status == "partial"


def test_lists_inside_a_document_and_long_numbers(lake: Lake) -> None:
    document = {
        "meta": {"v": 1},
        "data": [{"id": 1234567890123456789, "b": True}, {"id": None, "b": None}],
        "more": [{"k": 1}],
    }
    lake.write("a.json.gz", gzip.compress(json.dumps(document).encode()))
    unit, table = lake.table("a.json.gz", "/data")
    assert table["id"][0] == "1234567890123456789"
    assert types(unit) == {"id": "text", "b": "boolean"}
    assert lake.table("a.json.gz", "/more")[0].rows == 1


def test_json_that_is_no_table_and_no_json(lake: Lake) -> None:
    lake.write("a.json", '{"name": "x", "n": 1}')
    lake.write("b.json", "not json at all")
    assert lake.card("a.json").units[0].kind == "text"
    card = lake.card("b.json")
    assert card.status == "failed"
    assert "line 1" in card.reason


# --- sqlite ---------------------------------------------------------------------------------------------


def test_sqlite_tables(lake: Lake) -> None:
    with closing(sqlite3.connect(lake.root / "d.db")) as connection:
        connection.execute(
            "CREATE TABLE people (id INTEGER, name TEXT, x REAL, mixed, pic BLOB, big INTEGER)"
        )
        connection.executemany(
            "INSERT INTO people VALUES (?, ?, ?, ?, ?, ?)",
            [
                (1, "Ann", 1.5, 5, b"\0", 2**60),
                (2, None, None, "five", None, None),
                (None, "NA", 2.0, None, None, 3),
            ],
        )
        connection.execute('CREATE TABLE "odd ""name" (k TEXT)')
        connection.execute("CREATE VIEW v AS SELECT id FROM people")
        connection.commit()
    unit, table = lake.table("d.db", "people")
    assert types(unit) == {"id": "integer", "name": "text", "x": "number", "mixed": "text", "big": "text"}
    assert table["mixed"].tolist()[:2] == ["5", "five"]
    assert table["big"][0] == str(2**60)
    assert "several kinds" in warnings_of(unit, "mixed")
    assert any("binary" in note for note in unit.skipped)
    assert "views, not run: v" in (*unit.skipped, *lake.table("d.db", 'odd "name')[0].skipped)
    empty, _ = lake.table("d.db", 'odd "name')
    assert empty.rows == 0
    assert sorted(path.name for path in lake.root.iterdir()) == ["d.db"]


# --- documents, other files, the lake as a whole --------------------------------------------------------


def test_documents(lake: Lake) -> None:
    lake.write("a.md", "# Title\n\ntext\n\n## Part *one*\n```\n# code\n```\nUnder\n-----\n")
    unit = lake.card("a.md").units[0]
    assert (unit.kind, unit.headings) == ("text", ("Title", "Part *one*", "Under"))
    assert unit.text_length > 40
    assert unit.load_code == ""


@pytest.mark.parametrize(
    ("name", "content", "status", "reason"),
    [
        ("a.pdf", b"%PDF-1.7 x", "failed", "PDF"),
        ("a.png", b"\x89PNG\r\n\x1a\n...", "failed", "png image"),
        ("a.csv", b"version https://git-lfs.github.com/spec/v1\noid x\n", "failed", "git lfs pull"),
        ("a.xls", b"<html><body>Please log in</body></html>", "failed", "HTML page"),
        ("a.py", b"print(1)\n", "skipped", "source code"),
        ("a.xlsx", b"PK\x03\x04 broken", "failed", "damaged"),
        ("a.csv.gz", b"\x1f\x8b broken", "failed", "damaged"),
        ("a.bin", b"\x00\x01\x02\x03" * 50, "skipped", "binary"),
        ("empty.dat", b"", "skipped", "0 bytes"),
        ("a.ipynb", b'{"cells": []}', "skipped", "notebook"),
    ],
)
def test_what_is_not_read_says_why(lake: Lake, name: str, content: bytes, status: str, reason: str) -> None:
    lake.write(name, content)
    lake.write("good.csv", "a,b\n1,2\n")
    card = lake.card(name)
    assert card.status == status
    assert reason in card.reason
    assert lake.card("good.csv").status == "ok"


def test_a_truncated_gzip_fails_with_the_place(lake: Lake) -> None:
    whole = gzip.compress(("a,b\n" + "".join(f"{n},{n * 7919 % 104729}\n" for n in range(200_000))).encode())
    lake.write("a.csv.gz", whole[: len(whole) // 2])
    card = lake.card("a.csv.gz")
    assert card.status == "failed"
    assert card.reason


def test_nothing_is_profiled_twice(lake: Lake, monkeypatch: pytest.MonkeyPatch) -> None:
    lake.write("a.csv", "a,b\n1,x\n")
    first = lake.map()
    monkeypatch.setattr("lakebook.sources.profile.profiler_for", lambda _file: None)
    assert lake.map() == first
    lake.write("b.csv", "a,b\n2,x\n")
    assert lake.card("b.csv").status == "failed"


def test_a_missing_table_is_made_again(lake: Lake) -> None:
    lake.write("a.csv", "a,b\n1,x\n")
    card = lake.card("a.csv")
    file = table_file(lake.state, card, card.units[0])
    file.unlink()
    assert lake.table("a.csv")[0].rows == 1


def test_a_renamed_file_keeps_its_card_and_loads_from_its_new_place(
    lake: Lake, monkeypatch: pytest.MonkeyPatch
) -> None:
    lake.write("old.csv", "a,b\n1,x\n")
    lake.map()
    (lake.root / "old.csv").rename(lake.root / "new.csv")
    monkeypatch.setattr("lakebook.sources.profile.profiler_for", lambda _file: None)
    unit, _ = lake.table("new.csv")
    assert unit.table == "new"
    assert '"new.csv"' in unit.load_code


def test_changed_content_gets_a_new_card(lake: Lake) -> None:
    lake.write("a.csv", "a,b\n1,x\n")
    assert lake.table("a.csv")[0].rows == 1
    lake.write("a.csv", "a,b\n1,x\n2,y\n")
    assert lake.table("a.csv")[0].rows == 2


def test_a_file_that_changed_since_the_scan_is_read_as_it_is_now(lake: Lake) -> None:
    lake.write("a.csv", "a,b\n1,x\n")
    manifest = scan(lake.root)
    lake.write("a.csv", "a,b\n1,y\n2,z\n")
    card = profile_lake(lake.root, manifest, lake.state).cards[0]
    assert (card.status, card.units[0].rows) == ("ok", 2)
    assert card.sha256 == scan(lake.root).files[0].sha256
    assert lake.card("a.csv") == card


def test_a_file_that_changes_whenever_it_is_read_is_reported(
    lake: Lake, monkeypatch: pytest.MonkeyPatch
) -> None:
    lake.write("a.csv", "a,b\n1,x\n")
    lake.write("b.csv", "a,b\n1,x\n")
    changes = iter(range(10))

    def peek_and_change(path: Path, relative: str) -> Peek:
        file = peek(path, relative)
        if relative == "a.csv":
            lake.write("a.csv", f"a,b\n1,{next(changes)}\n")
        return file

    with monkeypatch.context() as patched:
        patched.setattr("lakebook.sources.profile.peek", peek_and_change)
        card = lake.card("a.csv")
        assert (card.status, card.units) == ("failed", ())
        assert "changed while it was being read" in card.reason
    # nothing of it was kept under the content that the other file still has
    assert lake.table("b.csv")[1]["b"].tolist() == ["x"]
    assert lake.card("a.csv").status == "ok"


def test_nothing_is_written_into_the_lake(lake: Lake) -> None:
    lake.write("a.csv", "a,b\n1,x\n")
    lake.map()
    assert [path.name for path in lake.root.iterdir()] == ["a.csv"]
