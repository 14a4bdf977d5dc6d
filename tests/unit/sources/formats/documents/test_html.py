"""HTML pages: their tables with spans, headers and notes, their text, and pages under the names of data."""

from __future__ import annotations

import gzip
from pathlib import Path
from typing import Any

import pandas as pd
import pytest

from lakebook.errors import SourceError
from lakebook.sources.formats.registry import profiler_for
from lakebook.sources.peek import peek
from tests.unit.sources.formats.conftest import Read, Units

PAGE = """<!DOCTYPE html><html><head><title>Report</title><style>p {}</style></head><body>
<nav><a href="/x">Home</a></nav><h1>Sales</h1><p>Up by <b>far</b>.<br>Next line.</p>
<table><caption>By region</caption>
<thead><tr><th rowspan="2">Region</th><th colspan="2">2019</th></tr><tr><th>Q1</th><th>Q2</th></tr></thead>
<tbody><tr><td>North</td><td>1,234</td><td>5.5</td></tr><tr><td colspan="3">The south</td></tr>
<tr><td>South<sup class="reference">[1]</sup></td><td>2,000</td><td></td></tr><tr></tr></tbody>
<tfoot><tr><td colspan="3">Source: our office</td></tr></tfoot></table>
<h2>Steps<span class="mw-editsection">[edit]</span></h2><p>These are:</p>
<ul><li>one<ul><li>inner</li></ul></li><li>two</li></ul>
<script>var hidden = "<table>";</script></body></html>"""


def write(folder: Path, content: str | bytes, name: str = "a.html", encoding: str = "utf-8") -> Path:
    path = folder / name
    path.write_bytes(content if isinstance(content, bytes) else content.encode(encoding))
    return path


def page(*tables: str) -> str:
    return f"<!DOCTYPE html><html><body>{''.join(tables)}</body></html>"


def table(*rows: str, head: str = "") -> str:
    cells = "".join("<tr>" + "".join(f"<td>{cell}</td>" for cell in row.split("|")) + "</tr>" for row in rows)
    heads = "<tr>" + "".join(f"<th>{cell}</th>" for cell in head.split("|")) + "</tr>" if head else ""
    return f"<table>{heads}{cells}</table>"


def tables(units: dict[str, Read]) -> dict[str, Read]:
    return {name: read for name, read in units.items() if read.unit.kind == "table"}


def rows(read: Read) -> list[list[Any]]:
    assert read.frame is not None
    return [[None if pd.isna(cell) else cell for cell in row] for row in read.frame.astype(object).to_numpy()]


def test_a_table_with_spans_a_header_of_two_rows_and_notes(tmp_path: Path, read_units: Units) -> None:
    units = read_units(write(tmp_path, PAGE))
    assert list(units) == ["text", "table 1: By region"]
    read = units["table 1: By region"]
    assert [column.name for column in read.unit.columns] == ["Region", "2019 / Q1", "2019 / Q2"]
    assert rows(read) == [["North", 1234, 5.5], ["South", 2000, None]]
    assert read.unit.place == "table 1 of the page"
    assert (read.unit.rows_in_file, read.unit.rows_skipped) == (5, 3)
    assert "row 4 (a heading between rows): The south" in read.unit.skipped
    assert "row 7 (note): Source: our office" in read.unit.skipped


def test_the_text_of_a_page_keeps_headings_lists_and_tables(tmp_path: Path, read_units: Units) -> None:
    read = read_units(write(tmp_path, PAGE))["text"]
    assert read.unit.headings == ("Sales", "Steps")
    assert read.unit.attributes == (("title", "Report"),)
    text = {passage.heading: passage.text for passage in read.reading.passages}
    assert "Up by far. Next line." in text["Sales"]
    assert "North | 1,234 | 5.5" in text["Sales"]
    assert text["Sales > Steps"] == "These are:\n\n- one\n  - inner\n- two"
    assert "hidden" not in "".join(text.values())


def test_layout_tables_are_read_through(tmp_path: Path, read_units: Units) -> None:
    inner = table("1|x", "2|y", head="n|k")
    outer = f"<table><tr><td>{inner}</td><td>aside</td></tr></table>"
    nothing = '<table role="presentation"><tr><td>a</td><td>b</td></tr><tr><td>1</td><td>2</td></tr></table>'
    prose = table(f"{'word ' * 100}|{'word ' * 100}", f"{'word ' * 100}|{'word ' * 100}")
    units = tables(read_units(write(tmp_path, page(outer, nothing, prose))))
    assert list(units) == ["table 1"]
    assert rows(units["table 1"]) == [[1, "x"], [2, "y"]]


def test_headers_with_and_without_marks(tmp_path: Path, read_units: Units) -> None:
    content = page(
        table("name|n", "x|5", "y|6"),
        table("x|5", "y|6"),
        table("<b>k</b>|<b>v</b>|<b>w</b>", "a|b|c", "d|e|f"),
        table("a|b|c", "d|e|f", "g|h|i"),
    )
    units = list(tables(read_units(write(tmp_path, content))).values())
    names = [[column.name for column in read.unit.columns] for read in units]
    assert names == [["name", "n"], ["column_1", "column_2"], ["k", "v", "w"], ["a", "b", "c"]]
    said = ["taken as the header" in " ".join(read.unit.warnings) for read in units]
    assert said == [False, False, False, True]


def test_short_long_and_repeated_rows(tmp_path: Path, read_units: Units) -> None:
    body = [f"{n}|x|z" for n in range(20)]
    content = page(table(*body[:10], "a|b|c", "5|y", *body[10:], "1|2|3|4", head="a|b|c"))
    (read,) = tables(read_units(write(tmp_path, content))).values()
    assert (read.unit.rows, read.unit.rows_rejected, read.unit.rows_skipped) == (21, 1, 1)
    assert [5, "y", None] in rows(read)
    assert read.unit.rejected[0].reason == "4 cells where the table has 3"
    assert read.unit.skipped == ("row 12 (the header again): a b c",)


def test_cells_over_rows_fill_them_and_odd_spans_do_no_harm(tmp_path: Path, read_units: Units) -> None:
    spanned = (
        "<table><tr><th>k</th><th>n</th></tr>"
        "<tr><td rowspan=2>a</td><td colspan=x>1</td></tr><tr><td>2</td></tr>"
        "<tr><td rowspan=0>b</td><td rowspan=99>3</td></tr></table>"
    )
    (read,) = tables(read_units(write(tmp_path, page(spanned)))).values()
    assert rows(read) == [["a", 1], ["a", 2], ["b", 3]]


def test_parts_of_a_cell_stay_words(tmp_path: Path, read_units: Units) -> None:
    content = page(table("a<br>b|1", "H<sub>2</sub>O|2", "<p>c</p><p>d</p>|3", head="k|n"))
    (read,) = tables(read_units(write(tmp_path, content))).values()
    assert [row[0] for row in rows(read)] == ["a b", "H2O", "c d"]


def test_a_page_named_like_a_workbook_is_read_with_a_warning(tmp_path: Path, read_units: Units) -> None:
    for content in (page(table("x|1", head="k|n")), table("x|1", head="k|n")):
        units = read_units(write(tmp_path, content, "a.xls"))
        (read,) = units.values()
        assert rows(read) == [["x", 1]]
        assert "an HTML page, not what the name .xls says" in read.unit.warnings[0]


@pytest.mark.parametrize("name", ["a.csv", "a.xls", "a.json", "a.xml"])
def test_an_error_page_named_like_data_is_refused(tmp_path: Path, name: str) -> None:
    path = write(tmp_path, "<!doctype html><html><title>404 Not Found</title><body>Sorry</body></html>", name)
    file = peek(path, path.name)
    profiler = profiler_for(file)
    assert profiler is not None
    with pytest.raises(SourceError, match="an HTML page titled '404 Not Found' without a table"):
        list(profiler.units(file))


@pytest.mark.parametrize(
    ("encoding", "declared", "is_guess"),
    [("cp1252", "iso-8859-1", False), ("cp1251", "windows-1251", False), ("utf-8", "iso-8859-1", False)],
)
def test_a_page_is_in_the_encoding_that_it_declares(
    tmp_path: Path, read_units: Units, encoding: str, declared: str, is_guess: bool
) -> None:
    word = "Привет" if encoding == "cp1251" else "Größe"
    content = (
        f'<html><head><meta charset="{declared}"></head><body>{table(f"{word}|1", head="k|n")}</body></html>'
    )
    units = read_units(write(tmp_path, content, encoding=encoding))
    assert rows(units["table 1"]) == [[word, 1]]
    assert bool(units["table 1"].unit.warnings) == is_guess


def test_pages_without_text_and_packed_pages(tmp_path: Path, read_units: Units) -> None:
    (read,) = read_units(write(tmp_path, "<!doctype html><html><body><div id=app></div></body>")).values()
    assert (read.unit.kind, read.unit.text_length) == ("text", 0)
    assert "a script draws" in read.unit.warnings[0]
    units = read_units(write(tmp_path, gzip.compress(PAGE.encode()), "b.html.gz"))
    assert rows(units["table 1: By region"])[0] == ["North", 1234, 5.5]
