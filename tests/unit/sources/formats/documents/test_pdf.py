"""PDF: text by pages, tables joined over pages, and every doubt about a table said instead of guessed."""

from __future__ import annotations

import contextlib
import random
import sys

import pytest
from fpdf import FPDF
from PIL import Image

from lakebook.errors import SourceError
from lakebook.sources.formats.documents.pdf import Pdf
from lakebook.sources.formats.documents.pdf_checks import Cells, Sheet, cells_problem
from lakebook.sources.peek import peek

ROWS = [("Region", "Year", "Sales")] + [
    (f"Region {n}", str(2000 + n % 20), f"{n * 1234.5:,.2f}") for n in range(90)
]
PROSE = "The harbour had twelve cranes, of which nine were in use in spring of that year. "


class Report(FPDF):
    """A document with a running head and page numbers."""

    def header(self):
        self.set_font("helvetica", size=8)
        self.cell(0, 8, "ACME annual report", new_x="LMARGIN", new_y="NEXT")

    def footer(self):
        self.set_y(-15)
        self.set_font("helvetica", size=8)
        self.cell(0, 8, f"Page {self.page_no()}", align="C")


def new(kind=FPDF):
    pdf = kind()
    pdf.add_page()
    pdf.set_font("helvetica", size=11)
    return pdf


def say(pdf, text, size=11, style=""):
    pdf.set_font("helvetica", style, size)
    pdf.multi_cell(0, size * 0.5, text, new_x="LMARGIN", new_y="NEXT")
    pdf.set_font("helvetica", size=11)


def ruled(pdf, rows, **options):
    with pdf.table(**options) as table:
        for cells in rows:
            row = table.row()
            for cell in cells:
                if isinstance(cell, dict):
                    row.cell(**cell)
                else:
                    row.cell(cell)


def save(pdf, folder, name="a.pdf"):
    path = folder / name
    pdf.output(str(path))
    return path


def only_text(units):
    (read,) = units.values()
    assert read.unit.kind == "text"
    return read.reading


def test_a_table_over_pages_is_one_table_with_one_header(tmp_path, read_units):
    pdf = new(Report)
    say(pdf, "Sales report", 20, "B")
    say(pdf, PROSE * 12)
    say(pdf, "Table 1: Sales by region")
    ruled(pdf, ROWS)
    say(pdf, PROSE)
    units = read_units(save(pdf, tmp_path))
    assert list(units) == ["text", "page 1 table 1: Sales by region"]
    read = units["page 1 table 1: Sales by region"]
    assert read.unit.place == "pages 1-4"
    assert read.frame.columns.tolist() == ["Region", "Year", "Sales"]
    assert read.frame["Region"].tolist() == [row[0] for row in ROWS[1:]]
    assert read.frame["Sales"].sum() == pytest.approx(sum(n * 1234.5 for n in range(90)))
    assert read.unit.warnings == ()
    assert read.unit.coverage.complete


def test_pages_that_repeat_no_header_go_on_and_say_so(tmp_path, read_units):
    pdf = new()
    ruled(pdf, ROWS, repeat_headings=0)
    read = read_units(save(pdf, tmp_path))["page 1 table 1"]
    assert len(read.frame) == 90
    assert any("repeat no header" in warning for warning in read.unit.warnings)


def test_tables_with_other_columns_or_a_caption_between_are_not_joined(tmp_path, read_units):
    pdf = new()
    ruled(pdf, ROWS[:5])
    pdf.add_page()
    ruled(pdf, [row[:2] for row in ROWS[:5]])
    pdf.add_page()
    say(pdf, "Table 3: The north")
    ruled(pdf, ROWS[:5])
    units = read_units(save(pdf, tmp_path))
    assert list(units) == ["text", "page 1 table 1", "page 2 table 1", "page 3 table 1: The north"]
    assert [len(read.frame) for read in units.values() if read.frame is not None] == [4, 4, 4]


def test_a_part_that_is_refused_leaves_the_others_partial(tmp_path, read_units):
    pdf = new()
    good, bad = ROWS[:6], [ROWS[0], ("Region 9", "2001 2002", "5"), *ROWS[7:10]]
    for rows in (bad, good, bad):
        draw(pdf, rows)
        pdf.add_page()
    read = read_units(save(pdf, tmp_path))["page 2 table 1"]
    assert len(read.frame) == 5
    reason = "where it was not extracted: several numbers stand in one cell ('2001 2002')"
    assert (
        read.unit.coverage.note
        == f"the table may begin on page 1, {reason}; the table may go on on page 3, {reason}"
    )


def test_headings_running_heads_and_passages(tmp_path, read_units):
    pdf = new(Report)
    for chapter in ("Harbour", "Market", "Station"):
        say(pdf, chapter, 18)
        say(pdf, f"{chapter}: {PROSE * 30} So much for the {chapter.lower()}.")
        pdf.add_page()
    say(pdf, "The end.")
    reading = only_text(read_units(save(pdf, tmp_path)))
    assert reading.headings == ("Harbour", "Market", "Station")
    assert reading.place == "pages 1-4"
    assert {passage.position for passage in reading.passages if passage.heading == "Market"} == {"page 2"}
    assert not any("ACME" in passage.text or "Page" in passage.text for passage in reading.passages)
    assert set(reading.skipped) == {"on 4 pages: ACME annual report", "on 4 pages: Page #"}
    assert all(len(passage.text) <= 1200 for passage in reading.passages)


def test_two_columns_are_read_one_after_the_other(tmp_path, read_units):
    pdf = new()
    say(pdf, "A title that runs across the whole width of the page, as titles do", 18)
    left = [f"Left line {n} tells of the harbour and" for n in range(30)]
    right = [f"Right line {n} tells of the market and" for n in range(30)]
    for n, (one, other) in enumerate(zip(left, right, strict=True)):
        pdf.text(10, 50 + 6 * n, one)
        pdf.text(110, 50 + 6 * n, other)
    text = " ".join(passage.text for passage in only_text(read_units(save(pdf, tmp_path))).passages)
    places = [text.index(line) for line in (*left, *right)]
    assert places == sorted(places)


def test_words_broken_at_line_ends_are_mended(tmp_path, read_units):
    pdf = new()
    for n, line in enumerate(["The long-term aver-", "age of the long-", "term trend and the average."]):
        pdf.text(10, 20 + 5 * n, line)
    reading = only_text(read_units(save(pdf, tmp_path)))
    assert reading.passages[0].text == "The long-term average of the long-term trend and the average."


def test_merged_headers_titles_inside_and_labels_over_rows(tmp_path, read_units):
    pdf = new()
    ruled(
        pdf,
        [
            [{"text": "Region", "rowspan": 2}, {"text": "Sales", "colspan": 2}],
            ["2019", "2020"],
            [{"text": "In the north", "colspan": 3}],
            [{"text": "Bergen", "rowspan": 2}, "1", "2"],
            ["3", "4"],
            ["Oslo", "5", "6"],
        ],
        num_heading_rows=2,
    )
    read = read_units(save(pdf, tmp_path))["page 1 table 1"]
    assert read.frame.to_dict("list") == {
        "Region": ["Bergen", "Bergen", "Oslo"],
        "Sales 2019": [1, 3, 5],
        "Sales 2020": [2, 4, 6],
    }
    assert read.unit.skipped == ("page 1: In the north",)
    assert any("merged" in warning for warning in read.unit.warnings)


def test_a_row_whose_cells_run_over_columns_is_rejected(tmp_path, read_units):
    pdf = new()
    ruled(pdf, [*ROWS[:9], [{"text": "Total", "colspan": 2}, "99.00"]])
    read = read_units(save(pdf, tmp_path))["page 1 table 1"]
    assert len(read.frame) == 8
    assert [row.text for row in read.unit.rejected] == ["Total | 99.00"]


def test_a_number_over_several_rows_refuses_the_table(tmp_path, read_units):
    pdf = new()
    ruled(pdf, [ROWS[0], ["a", "2001", {"text": "50", "rowspan": 2}], ["b", "2002"]])
    warnings = only_text(read_units(save(pdf, tmp_path))).warnings
    assert warnings == (
        "table on page 1 not extracted: a number stands in a cell that runs over several rows ('50')",
    )


def draw(pdf, rows, top=30.0, widths=(50.0, 30.0, 40.0), height=8.0, lines="all", shift=0.0):
    """Draw cells by hand; `lines` says which rules are drawn."""
    for r, row in enumerate(rows):
        x = 20.0
        for c, cell in enumerate(row):
            pdf.text(x + 2 + (shift if (r + c) % 2 else 0), top + r * height + 5, cell)
            x += widths[c]
    right, bottom = 20.0 + sum(widths), top + len(rows) * height
    edges = [20.0, *(20.0 + sum(widths[: n + 1]) for n in range(len(widths)))]
    if lines == "outside":
        pdf.rect(20.0, top, right - 20.0, bottom - top)
        pdf.line(20.0, top + height, right, top + height)
        edges = edges[:2]
    if lines == "columns":
        pdf.rect(20.0, top, right - 20.0, bottom - top)
        pdf.line(20.0, top + height, right, top + height)
    if lines == "without first":
        edges = edges[1:]
    if lines in ("all", "without first"):
        for n in range(len(rows) + 1):
            pdf.line(edges[0], top + n * height, right, top + n * height)
    for x in () if lines == "none" else edges:
        pdf.line(x, top, x, bottom)


RAGGED = [*ROWS[:4], ("Region 3", "", "4.00"), *ROWS[5:8]]


@pytest.mark.parametrize(
    ("lines", "reason"),
    [
        ("columns", "its rows are not set apart by lines"),
        ("outside", "its rows are not set apart by lines"),
        ("without first", "a column stands outside its frame"),
        ("none", "no rules, and its rows have different numbers of cells"),
    ],
)
def test_a_ragged_table_with_missing_rules_is_not_extracted(tmp_path, read_units, lines, reason):
    pdf = new()
    draw(pdf, RAGGED, lines=lines)
    reading = only_text(read_units(save(pdf, tmp_path)))
    assert f"table on page 1 not extracted: {reason}" in reading.warnings
    assert "1,234.50" in reading.passages[0].text


@pytest.mark.parametrize("lines", ["columns", "outside", "without first", "none"])
def test_a_table_without_rules_is_read_where_every_row_has_all_its_cells(tmp_path, read_units, lines):
    pdf = new()
    say(pdf, PROSE)
    draw(pdf, ROWS[:8], lines=lines)
    units = read_units(save(pdf, tmp_path))
    read = units["page 1 table 1"]
    assert read.frame["Region"].tolist() == [row[0] for row in ROWS[1:8]]
    assert read.frame["Sales"].tolist() == [n * 1234.5 for n in range(7)]
    assert read.unit.warnings == ()
    assert units["text"].unit.warnings == ()


@pytest.mark.parametrize(
    ("rows", "reason"),
    [
        ([*ROWS[:6], ("Region 5", "2005", "about 9")], "a column of numbers holds 'about 9'"),
        (ROWS[1:8], "its header is not clear"),
        ([("", "", "in kg"), *ROWS[:8]], "its header is not clear"),
    ],
)
def test_a_table_without_rules_that_is_not_clear_is_not_extracted(tmp_path, read_units, rows, reason):
    pdf = new()
    draw(pdf, rows, lines="none")
    warnings = only_text(read_units(save(pdf, tmp_path))).warnings
    assert warnings == (f"table on page 1 not extracted: no rules, and {reason}",)


def test_lines_between_the_rows_of_a_table_without_rules_refuse_it(tmp_path, read_units):
    pdf = new()
    draw(pdf, ROWS[:6], lines="none", height=6)
    pdf.text(22, 30 + 6 * 6 + 5, "South")
    draw(pdf, ROWS[6:12], lines="none", height=6, top=30 + 7 * 6)
    warnings = only_text(read_units(save(pdf, tmp_path))).warnings
    assert any("other lines stand between its rows" in warning for warning in warnings)


def test_ragged_cells_that_run_over_the_rules_are_not_extracted(tmp_path, read_units):
    pdf = new()
    draw(
        pdf, [("Name", "Value", "Note"), *((f"n{n}", str(n * 1_000_001), "x") for n in range(1, 6))], shift=20
    )
    reading = only_text(read_units(save(pdf, tmp_path)))
    assert "not extracted: text runs over its lines ('ValueNote' in row 1)" in reading.warnings[0]


def test_columns_without_a_rule_between_them_are_not_extracted(tmp_path, read_units):
    pdf = new()
    draw(
        pdf, [("Name", "Value", "Note"), *((f"n{n}", str(n), f"{n * 7}       {n * 9}") for n in range(1, 6))]
    )
    reading = only_text(read_units(save(pdf, tmp_path)))
    assert "columns are not set apart" in reading.warnings[0]


def test_the_same_cells_with_all_rules_are_extracted(tmp_path, read_units):
    pdf = new()
    draw(pdf, ROWS[:6])
    assert len(read_units(save(pdf, tmp_path))["page 1 table 1"].frame) == 5


def test_a_raised_figure_beside_a_number_refuses_the_table(tmp_path, read_units):
    pdf = new()
    draw(pdf, ROWS[:6])
    pdf.set_font("helvetica", size=6)
    pdf.text(117, 41, "2")
    warnings = only_text(read_units(save(pdf, tmp_path))).warnings
    assert "small raised figure" in warnings[0]


def test_a_header_outside_the_frame_refuses_the_table(tmp_path, read_units):
    pdf = new()
    for x, name in ((22, "Region"), (72, "Year"), (102, "Sales")):
        pdf.text(x, 27, name)
    draw(pdf, RAGGED[1:])
    warnings = only_text(read_units(save(pdf, tmp_path))).warnings
    assert "table on page 1 not extracted: its header stands outside its frame" in warnings


def test_frames_and_charts_are_no_tables(tmp_path, read_units):
    pdf = new()
    pdf.rect(20, 20, 100, 50)
    pdf.text(25, 30, "Only a box around a remark.")
    for n in range(11):
        pdf.line(20, 100 + 5 * n, 120, 100 + 5 * n)
        pdf.line(20 + 10 * n, 100, 20 + 10 * n, 150)
    pdf.text(21, 104, "9")
    warnings = only_text(read_units(save(pdf, tmp_path))).warnings
    assert warnings == ("table on page 1 not extracted: most of its cells are empty",)


def test_a_first_row_that_nothing_sets_apart_is_said_to_be_assumed(tmp_path, read_units):
    pdf = new()
    draw(pdf, [("name", "job", "town"), ("Ann", "nurse", "Bonn"), ("Bob", "cook", "Ulm")])
    read = read_units(save(pdf, tmp_path))["page 1 table 1"]
    assert any("taken as the header" in warning for warning in read.unit.warnings)


def test_sideways_text_is_not_read_in_a_wrong_order(tmp_path, read_units):
    pdf = new()
    say(pdf, PROSE)
    with pdf.rotation(90, 100, 100):
        pdf.text(100, 100, "Side note")
    assert only_text(read_units(save(pdf, tmp_path))).warnings == (
        "left out: 8 characters that run in another direction (page 1)",
    )


def refusal(path):
    with pytest.raises(SourceError) as raised:
        list(Pdf().units(peek(path, path.name)))
    return raised.value


def image(color):
    return Image.new("RGB", (40, 40), color)


def test_scanned_pages_are_named(tmp_path, read_units):
    pdf = new()
    pdf.image(image("red"), 10, 10, 100, 100)
    assert refusal(save(pdf, tmp_path)).message == "no text layer: 1 page is an image."
    pdf = new()
    say(pdf, PROSE)
    pdf.add_page()
    pdf.image(image("blue"), 10, 10, 100, 100)
    units = read_units(save(pdf, tmp_path, "b.pdf"))
    assert units["page 2"].reading.problem == "no text layer, only images"


def test_encrypted_damaged_and_empty(tmp_path):
    pdf = new()
    say(pdf, PROSE)
    pdf.set_encryption(owner_password="owner", user_password="secret")
    assert refusal(save(pdf, tmp_path)).message == "the PDF is encrypted."
    broken = tmp_path / "broken.pdf"
    broken.write_bytes(b"%PDF-1.7 x")
    assert refusal(broken).message.startswith("the PDF is damaged")
    assert refusal(save(new(), tmp_path, "empty.pdf")).message == "it holds no text."


def test_a_cut_off_file_is_read_or_refused_never_a_crash(tmp_path):
    pdf = new()
    for _ in range(3):
        say(pdf, PROSE * 20)
        ruled(pdf, ROWS[:5])
    whole = save(pdf, tmp_path).read_bytes()
    generator = random.Random(1)
    for n in range(12):
        path = tmp_path / f"{n}.pdf"
        path.write_bytes(whole[: generator.randrange(20, len(whole))])
        with contextlib.suppress(SourceError):
            list(Pdf().units(peek(path, path.name)))


def test_parts_that_cannot_be_unpacked_are_said_to_be_left_out(tmp_path, read_units):
    pdf = new()
    generator = random.Random(1)
    for n in range(40):
        say(pdf, f"Line {n} of a page with the number {generator.random()} in it.")
    path = save(pdf, tmp_path)
    whole = bytearray(path.read_bytes())
    place = (whole.index(b"stream") + 2 * whole.index(b"endstream")) // 3
    whole[place : place + 8] = b"\xff" * 8
    path.write_bytes(whole)
    reading = only_text(read_units(path))
    assert "Line 1 of a page" in reading.passages[0].text
    assert reading.left_out == "parts of the file are damaged and were left out"


def test_the_limit_of_pages_is_stated(tmp_path, read_units, monkeypatch):
    monkeypatch.setattr("lakebook.sources.formats.documents.pdf._MOST_PAGES", 2)
    pdf = new()
    for n in range(3):
        say(pdf, f"This is page {n}. {PROSE}")
        pdf.add_page()
    reading = only_text(read_units(save(pdf, tmp_path)))
    assert reading.left_out == "only the first 2 of 4 pages were read"


def test_without_the_extra_the_card_says_what_to_install(tmp_path, monkeypatch):
    path = save(new(), tmp_path)
    monkeypatch.setitem(sys.modules, "pdfplumber", None)
    assert 'pip install "lakebook[formats]"' in refusal(path).hint


def letter(text, x, y):
    return {"text": text, "x0": x, "x1": x + 4, "top": y, "bottom": y + 8, "size": 8.0, "upright": True}


@pytest.mark.parametrize(("right", "said"), [(60.0, "its cells overlap"), (40.0, "")])
def test_cells_that_overlap_refuse_the_table(right, said):
    """Near rules can give one cell inside another; its text would be counted twice."""
    chars = [letter("a", 10, 1), letter("b", 50, 1), letter("c", 10, 21), letter("d", 50, 21)]
    boxes = [(0, 0, 40, 20), (40, 0, 60, 20), (0, 20, right, 40), (40, 20, 60, 40)]
    raw = [["a", "b"], ["c" if right == 40 else "c d", "d"]]
    cells = Cells((0, 0, 60, 40), raw, boxes, [0, 40], [0, 20])
    assert cells_problem(Sheet(chars, chars, []), cells, cells.grid()) == said
