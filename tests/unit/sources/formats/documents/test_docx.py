"""Word documents: passages by paragraph, tables with their merges, and what is left out said."""

from __future__ import annotations

import random
import zipfile

import docx
import pytest
from docx.oxml import OxmlElement
from docx.oxml.ns import qn

from lakebook.errors import SourceError
from lakebook.sources.formats.documents.docx_document import Docx
from lakebook.sources.peek import peek

ROWS = [("Region", "Year", "Sales"), ("north", "2019", "1,200"), ("south", "2020", "34")]


def save(document, folder, name="a.docx"):
    path = folder / name
    document.save(str(path))
    return path


def add_table(document, rows, bold=False):
    table = document.add_table(rows=len(rows), cols=len(rows[0]))
    for row, cells in zip(table.rows, rows, strict=True):
        for cell, text in zip(row.cells, cells, strict=True):
            cell.text = text
    for cell in table.rows[0].cells if bold else ():
        cell.paragraphs[0].runs[0].bold = True
    return table


def only_text(units):
    (read,) = units.values()
    assert read.unit.kind == "text"
    return read.reading


def test_headings_paragraphs_lists_and_positions(tmp_path, read_units):
    document = docx.Document()
    document.add_heading("Report", 0)
    document.add_heading("Harbour", 1)
    document.add_paragraph("A region is one of:")
    document.add_paragraph("north", style="List Bullet")
    document.add_paragraph("south", style="List Bullet")
    document.add_heading("Cranes", 2)
    document.add_paragraph("Twelve.")
    document.sections[0].header.paragraphs[0].text = "Running head"
    reading = only_text(read_units(save(document, tmp_path)))
    assert reading.headings == ("Report", "Harbour", "Cranes")
    assert [(passage.position, passage.heading, passage.text) for passage in reading.passages] == [
        ("paragraphs 3-5", "Report > Harbour", "A region is one of:\n\n- north\n- south"),
        ("paragraph 7", "Report > Harbour > Cranes", "Twelve."),
    ]


def test_a_table_is_a_unit_with_its_caption_and_place(tmp_path, read_units):
    document = docx.Document()
    document.add_heading("Sales", 1)
    document.add_paragraph("Table 1: Sales by region")
    add_table(document, ROWS, bold=True)
    units = read_units(save(document, tmp_path))
    read = units["table 1: Sales by region"]
    assert read.frame["Sales"].tolist() == [1200, 34]
    assert read.unit.place == "after paragraph 2, under 'Sales'"
    assert read.unit.warnings == ()
    assert "north | 2019 | 1,200" in units["text"].reading.passages[0].text


def test_merged_cells_titles_and_rows_that_do_not_fit(tmp_path, read_units):
    document = docx.Document()
    rows = [["Region", "Sales", ""], ["", "2019", "2020"], *([f"r{n}", str(n), str(n * 2)] for n in range(8))]
    table = add_table(document, [*rows, ["Coast", "", ""], ["Total", "", "99"]])
    table.cell(0, 1).merge(table.cell(0, 2))
    table.cell(0, 0).merge(table.cell(1, 0))
    table.cell(2, 0).merge(table.cell(3, 0)).text = "label"
    table.cell(10, 0).merge(table.cell(10, 2))
    table.cell(11, 0).merge(table.cell(11, 1))
    read = read_units(save(document, tmp_path))["table 1"]
    assert read.frame.columns.tolist() == ["Region", "Sales 2019", "Sales 2020"]
    assert read.frame["Region"].tolist()[:3] == ["label", "label", "r2"]
    assert read.frame["Sales 2020"].tolist() == [n * 2 for n in range(8)]
    assert read.unit.skipped == ("row 11: Coast",)
    assert [(row.line, row.text) for row in read.unit.rejected] == [(12, "Total | 99")]


def test_a_number_over_several_rows_refuses_the_table(tmp_path, read_units):
    document = docx.Document()
    table = add_table(document, [*ROWS, ("west", "2021", "7")])
    table.cell(1, 2).merge(table.cell(2, 2)).text = "50"
    reading = only_text(read_units(save(document, tmp_path)))
    assert reading.warnings == (
        "table 1 not extracted: a number stands in a cell that runs over several rows ('50')",
    )


def test_frames_around_text_are_no_tables(tmp_path, read_units):
    document = docx.Document()
    add_table(document, [("Only a box around a remark.",)])
    reading = only_text(read_units(save(document, tmp_path)))
    assert reading.warnings == ("table 1 not extracted: it is a frame around text",)
    assert "remark" in reading.passages[0].text


def test_text_under_review_is_read_with_insertions_and_without_deletions(tmp_path, read_units):
    document = docx.Document()
    table = add_table(document, ROWS, bold=True)
    paragraph = table.cell(1, 0).paragraphs[0]._p
    run = paragraph.find(qn("w:r"))
    inserted = OxmlElement("w:ins")
    paragraph.append(inserted)
    added = OxmlElement("w:r")
    text = OxmlElement("w:t")
    text.text = "-east"
    added.append(text)
    inserted.append(added)
    assert run is not None
    units = read_units(save(document, tmp_path))
    assert units["table 1"].frame["Region"].tolist() == ["north-east", "south"]


def test_tables_inside_form_fields_are_found(tmp_path, read_units):
    document = docx.Document()
    table = add_table(document, ROWS, bold=True)
    field, content = OxmlElement("w:sdt"), OxmlElement("w:sdtContent")
    table._tbl.addprevious(field)
    field.append(content)
    content.append(table._tbl)
    add_table(document, [("a", "b"), ("1", "2")])
    units = read_units(save(document, tmp_path))
    assert units["table 1"].frame["Region"].tolist() == ["north", "south"]
    assert units["table 2"].frame["b"].tolist() == [2]


def test_tables_inside_cells_are_left_out_and_said(tmp_path, read_units):
    document = docx.Document()
    table = add_table(document, ROWS, bold=True)
    table.cell(1, 0).add_table(1, 1).cell(0, 0).text = "inner"
    read = read_units(save(document, tmp_path))["table 1"]
    assert read.frame["Region"].tolist() == ["north", "south"]
    assert any("inside its cells were left out" in warning for warning in read.unit.warnings)


def test_a_table_without_a_header_says_so(tmp_path, read_units):
    document = docx.Document()
    add_table(document, [("1", "2"), ("3", "4")])
    read = read_units(save(document, tmp_path))["table 1"]
    assert read.frame["column_1"].tolist() == [1, 3]
    assert any("no header" in warning for warning in read.unit.warnings)


def refusal(path):
    with pytest.raises(SourceError) as raised:
        list(Docx().units(peek(path, path.name)))
    return raised.value


def test_encrypted_damaged_and_macros(tmp_path):
    ole = b"\xd0\xcf\x11\xe0\xa1\xb1\x1a\xe1" + b"\x00" * 504 + "EncryptedPackage".encode("utf-16-le")
    (tmp_path / "a.docx").write_bytes(ole)
    file = peek(tmp_path / "a.docx", "a.docx")
    assert Docx().can_read(file)
    assert refusal(tmp_path / "a.docx").message == "the document is encrypted."
    whole = save(docx.Document(), tmp_path, "b.docx")
    with zipfile.ZipFile(whole) as archive:
        parts = {name: archive.read(name) for name in archive.namelist()}
    for name, part, new, said in (
        ("cut.docx", "word/document.xml", parts["word/document.xml"][:500], "damaged"),
        (
            "macros.docm",
            "[Content_Types].xml",
            parts["[Content_Types].xml"].replace(
                b"openxmlformats-officedocument.wordprocessingml.document.main+xml",
                b"ms-word.document.macroEnabled.main+xml",
            ),
            "macros",
        ),
    ):
        with zipfile.ZipFile(tmp_path / name, "w") as archive:
            for other, content in parts.items():
                archive.writestr(other, new if other == part else content)
        assert said in refusal(tmp_path / name).message


def test_changed_bytes_are_read_or_refused_never_a_crash(tmp_path):
    document = docx.Document()
    add_table(document, ROWS)
    whole = save(document, tmp_path).read_bytes()
    generator = random.Random(2)
    refused = 0
    for n in range(25):
        changed = bytearray(whole)
        for _ in range(60):
            changed[generator.randrange(len(changed))] = generator.randrange(256)
        path = tmp_path / f"{n}.docx"
        path.write_bytes(changed)
        try:
            file = peek(path, path.name)
            list(Docx().units(file) if Docx().can_read(file) else ())
        except SourceError:
            refused += 1
    assert refused > 5
