"""Text, Markdown and reST: sections and passages with lines, and tables as tables of their own."""

from __future__ import annotations

import gzip

import pytest


def write(folder, name, text, encoding="utf-8"):
    path = folder / name
    path.write_bytes(text.encode(encoding))
    return path


def only_text(units):
    (read,) = units.values()
    assert read.unit.kind == "text"
    return read.reading


def table(units, name):
    return units[name].frame


def test_markdown_sections_front_matter_lists_and_code(tmp_path, read_units):
    text = (
        "---\ntitle: x\n---\n# Sales\n\nA region is one of:\n\n- north\n- south\n  and islands\n\n"
        "## Returns ##\n```\n# no heading\n| a | b |\n|---|---|\n| 1 | 2 |\n```\n"
        "Net of\nreturns\n-----\nEnd.\n"
    )
    reading = only_text(read_units(write(tmp_path, "a.md", text)))
    assert reading.headings == ("Sales", "Returns", "returns")
    assert reading.text_length == len(text)
    first, sales, returns, end = reading.passages
    assert (first.position, first.heading) == ("lines 1-3", "")
    assert (sales.position, sales.heading) == ("lines 6-10", "Sales")
    assert sales.text == "A region is one of:\n\n- north\n- south\n  and islands"
    assert returns.heading == "Sales > Returns"
    assert "# no heading" in returns.text
    assert (end.text, end.heading) == ("End.", "Sales > returns")


def test_plain_text_headings_are_capitals_or_underlined(tmp_path, read_units):
    text = (
        "DATA NOTES\n\nThe year ends in June.\n# a comment\n# goes on\n\nUnits\n=====\n\nIn kg. NOT ALONE\n"
    )
    reading = only_text(read_units(write(tmp_path, "notes.txt", text)))
    assert reading.headings == ("DATA NOTES", "Units")
    assert reading.passages[-1].position == "line 10"


def test_rest_levels_follow_the_order_of_styles(tmp_path, read_units):
    text = "=====\nTitle\n=====\n\nOne\n---\n\nx\n\nTwo\n~~~\n\ny\n\nThree\n-----\n\nz\n"
    reading = only_text(read_units(write(tmp_path, "a.rst", text)))
    assert [passage.heading for passage in reading.passages] == [
        "Title > One",
        "Title > One > Two",
        "Title > Three",
    ]


def test_prose_with_commas_is_a_document_and_a_table_is_not(tmp_path, read_units):
    prose = "Dear all, this is text, with commas.\nIt goes on, and on, for a while, and longer.\n"
    assert only_text(read_units(write(tmp_path, "a.txt", prose))).kind == "text"
    units = read_units(write(tmp_path, "b.txt", "a,b,c\n1,2,3\n4,5,6\n"))
    assert [read.unit.kind for read in units.values()] == ["table"]


def test_a_markdown_table_is_a_unit_beside_the_text(tmp_path, read_units):
    text = (
        "# Report\n\nTable 1: Sales by region\n\n| region | sales | **note** |\n|:--|--:|:-:|\n"
        "| north | 1,200 | a\\|b |\n| south | 34 | `x` |\n\nAfter.\n"
    )
    units = read_units(write(tmp_path, "a.md", text))
    assert list(units) == ["text", "table 1: Sales by region"]
    read = units["table 1: Sales by region"]
    assert read.unit.place == "lines 5-8"
    assert read.unit.warnings == ()
    assert read.frame.to_dict("list") == {
        "region": ["north", "south"],
        "sales": [1200, 34],
        "note": ["a|b", "x"],
    }
    assert "| north |" in units["text"].reading.passages[0].text


def test_markdown_rows_of_another_length(tmp_path, read_units):
    text = "| a | b |\n|---|---|\n| 1 | 2 |\n| 3 |\n| 4 | 5 | 6 |\n| 7 | 8 | |\n"
    read = read_units(write(tmp_path, "a.md", text))["table 1"]
    assert read.frame["a"].tolist() == [1, 3, 7]
    assert read.frame["b"].isna().tolist() == [False, True, False]
    assert [(row.line, row.reason) for row in read.unit.rejected] == [(5, "3 cells where the header has 2")]
    assert any("fewer cells" in warning for warning in read.unit.warnings)


@pytest.mark.parametrize(
    "text",
    [
        "| a | b |\n|---|\n| 1 | 2 |\n",  # the rule has another width than the header
        "| a | b |\n|---|---|\n\nno rows\n",
        "a | b\n-----\nunderlined\n",
        "Usage: a | b\nor a || b\n",
    ],
)
def test_what_only_resembles_a_markdown_table_is_text(tmp_path, read_units, text):
    assert only_text(read_units(write(tmp_path, "a.md", text))).warnings == ()


def test_dashes_are_values_in_markdown_and_rules_in_org(tmp_path, read_units):
    units = read_units(write(tmp_path, "a.md", "| a | b |\n|---|---|\n| - | - |\n| 1 | 2 |\n"))
    assert table(units, "table 1")["a"].isna().tolist() == [True, False]
    units = read_units(write(tmp_path, "b.md", "| a | b |\n|---+---|\n| 3 | 4 |\n|---+---|\n| 1 | 2 |\n"))
    assert table(units, "table 1")["a"].tolist() == [3, 1]


def test_an_empty_markdown_header_names_nothing(tmp_path, read_units):
    read = read_units(write(tmp_path, "a.md", "| | |\n|---|---|\n| x | 1 |\n| y | 2 |\n"))["table 1"]
    assert read.frame.columns.tolist() == ["column_1", "column_2"]
    assert read.frame["column_2"].tolist() == [1, 2]


def test_what_database_clients_print(tmp_path, read_units):
    text = (
        "Two results:\n\n+----+------+\n| id | name |\n"
        "+----+------+\n|  1 | Zoë  |\n|  2 | 日本 |\n+----+------+\n"
        "\n id | name\n----+------\n  1 | Ann\n  2 | Bob\n(2 rows)\n"
    )
    units = read_units(write(tmp_path, "log.txt", text))
    assert units["table 1: Two results"].frame["name"].tolist() == ["Zoë", "日本"]
    assert units["table 2"].frame["name"].tolist() == ["Ann", "Bob"]


GRID = """\
Grid:

+-----+---------+
| a   | b c     |
+=====+=========+
| 1   | two     |
|     | lines   |
+-----+---------+
| 2   | x       |
+-----+---------+
"""


def test_rest_grid_tables_join_the_lines_of_a_cell(tmp_path, read_units):
    frame = table(read_units(write(tmp_path, "a.rst", GRID)), "table 1: Grid")
    assert frame.to_dict("list") == {"a": [1, 2], "b c": ["two lines", "x"]}


def test_a_grid_with_spanning_cells_is_not_extracted_and_says_so(tmp_path, read_units):
    spanning = GRID.replace("| 2   | x       |", "| both columns  |")
    reading = only_text(read_units(write(tmp_path, "a.rst", spanning)))
    assert reading.warnings == (
        "table at lines 3-10 not extracted: cells span several columns or rows at line 9",
    )


SIMPLE = """\
=====  =====  ======
A      B      A or B
=====  =====  ======
1      False  0
2      True   long one
              goes on
=====  =====  ======
"""


def test_rest_simple_tables_continue_rows_and_leave_the_last_column_open(tmp_path, read_units):
    frame = table(read_units(write(tmp_path, "a.rst", SIMPLE)), "table 1")
    assert frame.to_dict("list") == {"A": [1, 2], "B": [False, True], "A or B": ["0", "long one goes on"]}


def test_a_simple_table_whose_cell_runs_over_is_not_extracted(tmp_path, read_units):
    reading = only_text(read_units(write(tmp_path, "a.rst", SIMPLE.replace("False  0", "Falseeeee 0"))))
    assert reading.warnings == ("table at lines 1-7 not extracted: a cell runs over its column at line 4",)


ALIGNED = """\
We measured:

Station   Year   Rain mm
Bonn      2001   12.5
New York  2002   13.5
Berlin    2003   1.5
"""


def test_aligned_columns_in_plain_text(tmp_path, read_units):
    frame = table(read_units(write(tmp_path, "a.txt", ALIGNED)), "table 1: We measured")
    assert frame["Station"].tolist() == ["Bonn", "New York", "Berlin"]
    assert frame["Rain mm"].tolist() == [12.5, 13.5, 1.5]


def test_aligned_columns_with_a_blank_corner(tmp_path, read_units):
    text = "NOAA forecast\n             Mar 10    Mar 11\n00-03UT        4.00      3.67\n"
    text += "03-06UT        5.00      2.67  \n06-09UT        5.33      2.33\n"
    frame = table(read_units(write(tmp_path, "a.txt", text)), "table 1")
    assert frame.columns.tolist() == ["Unnamed: 0", "Mar 10", "Mar 11"]
    assert frame["Mar 10"].tolist() == [4.0, 5.0, 5.33]


@pytest.mark.parametrize(
    ("old", "new"),
    [("12.5", ""), ("Year ", "2000 "), ("2001", "many"), ("Bonn      2001", "Bonn-am-Rhein 2001")],
)
def test_aligned_columns_that_are_not_clear_stay_text(tmp_path, read_units, old, new):
    text = ALIGNED.replace(old, new).replace("2002   13.5", "x      y" if new == "many" else "2002   13.5")
    if new == "many":
        text = text.replace("1.5\n", "z\n")
    assert only_text(read_units(write(tmp_path, "a.txt", text))).kind == "text"


def test_a_dashed_rule_shows_the_columns(tmp_path, read_units):
    text = "Fruit:\n\nName       Qty\n---------- ---\napple      3\nlong name  45\n"
    assert table(read_units(write(tmp_path, "a.md", text)), "table 1: Fruit")["Qty"].tolist() == [3, 45]


@pytest.mark.parametrize("encoding", ["utf-8-sig", "cp1252", "utf-16"])
def test_encodings_and_line_ends(tmp_path, read_units, encoding):
    text = (
        "| Straße | n |\r\n|---|---|\r\n| Große Brücke | 1 |\r\n| Ümlaut | 2 |\r\n"
        + "Größe über alles.\r\n" * 20
    )
    frame = table(read_units(write(tmp_path, "a.md", text, encoding)), "table 1")
    assert frame["Straße"].tolist() == ["Große Brücke", "Ümlaut"]


def test_packed_text(tmp_path, read_units):
    (tmp_path / "a.md.gz").write_bytes(gzip.compress(b"| a | b |\n|---|---|\n| 1 | 2 |\n"))
    assert table(read_units(tmp_path / "a.md.gz"), "table 1")["b"].tolist() == [2]


def test_the_limit_is_stated(tmp_path, read_units, monkeypatch):
    monkeypatch.setattr("lakebook.sources.formats.documents.document._LIMIT", 1 << 20)
    reading = only_text(read_units(write(tmp_path, "a.txt", "Words, words.\n" * 100_000)))
    assert reading.left_out == "only the first 1 million characters were read"
    assert reading.text_length == 1 << 20
