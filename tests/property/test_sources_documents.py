"""Any table written into a document comes back equal or is reported, and no text of a document is lost."""

from __future__ import annotations

import tempfile
from pathlib import Path

import docx
import pandas as pd
from fpdf import FPDF
from hypothesis import HealthCheck, assume, given, settings
from hypothesis import strategies as st

from lakebook.sources.describe import describe
from lakebook.sources.formats.documents.document import Document
from lakebook.sources.formats.documents.docx_document import Docx
from lakebook.sources.formats.documents.passages import Block, Piece, cut
from lakebook.sources.formats.documents.pdf import Pdf
from lakebook.sources.peek import peek
from lakebook.sources.reading import Profiler, Reading

WORDS = st.text("abcXYZ", min_size=1, max_size=8)
NUMBERS = st.integers(0, 99_999).map(str)
CELLS = st.one_of(WORDS, NUMBERS, st.just(""), st.builds("{} {}".format, WORDS, WORDS))
UNICODE = st.text(st.characters(blacklist_categories=["Cs", "Cc", "Zl", "Zp", "Zs"]), max_size=10)


@st.composite
def tables(draw: st.DrawFn, cells: st.SearchStrategy[str] = CELLS) -> list[list[str]]:
    """Draw a header of different words and rows that are not blank."""
    width = draw(st.integers(2, 4))
    header = draw(st.lists(WORDS, min_size=width, max_size=width, unique=True))
    row = st.lists(cells, min_size=width, max_size=width).filter(any)
    return [header, *draw(st.lists(row, min_size=1, max_size=6))]


def read(profiler: Profiler, path: Path) -> tuple[Reading, list[list[list[str]]]]:
    """Return the text and all tables with their headers, after comparing them with the load code."""
    found = []
    text = None
    for part in profiler.units(peek(path, path.name)):
        reading = part.content
        if reading.table is None:
            text = reading
            continue
        unit = describe(reading).unit
        assert unit.rows_in_file == unit.rows + unit.rows_rejected + unit.rows_skipped
        names: dict[str, object] = {"DATA_DIR": path.parent, "pd": pd}
        exec(unit.load_code, names)
        frame = names["df"]
        assert isinstance(frame, pd.DataFrame)
        columns = [column.values.to_pylist() for column in reading.table.columns]
        assert len(frame) == len(columns[0])
        header = [column.original_name for column in reading.table.columns]
        if any("no header" in warning for warning in reading.warnings):
            header = []
        found.append([*([header] if header else []), *map(list, zip(*columns, strict=True))])
    assert text is not None
    return text, found


@given(tables(UNICODE.filter(lambda text: text == text.strip())))
def test_markdown_tables_come_back(table: list[list[str]]) -> None:
    assume(not any(cell.endswith("\\") or set(cell) & set("*_`") for row in table for cell in row))
    lines = ["| " + " | ".join(cell.replace("|", "\\|") for cell in row) + " |" for row in table]
    lines.insert(1, "|" + " --- |" * len(table[0]))
    with tempfile.TemporaryDirectory() as folder:
        path = Path(folder) / "a.md"
        path.write_text("\n".join(lines) + "\n", encoding="utf-8")
        _, found = read(Document(), path)
    assert found == [table]


@settings(max_examples=25, deadline=None, suppress_health_check=[HealthCheck.too_slow])
@given(tables(), st.booleans())
def test_ruled_pdf_tables_come_back_or_are_reported(table: list[list[str]], bold: bool) -> None:
    pdf = FPDF()
    pdf.add_page()
    pdf.set_font("helvetica", size=11)
    with pdf.table(first_row_as_headings=bold) as drawn:
        for cells in table:
            row = drawn.row()
            for cell in cells:
                row.cell(cell)
    with tempfile.TemporaryDirectory() as folder:
        path = Path(folder) / "a.pdf"
        pdf.output(str(path))
        text, found = read(Pdf(), path)
    assert found == [table] or any("not extracted" in warning for warning in text.warnings)


@settings(max_examples=25, deadline=None)
@given(tables())
def test_word_tables_come_back(table: list[list[str]]) -> None:
    document = docx.Document()
    made = document.add_table(rows=len(table), cols=len(table[0]))
    for row, cells in zip(made.rows, table, strict=True):
        for cell, text in zip(row.cells, cells, strict=True):
            cell.text = text
    with tempfile.TemporaryDirectory() as folder:
        path = Path(folder) / "a.docx"
        document.save(str(path))
        _, found = read(Docx(), path)
    assert found == [table]


BLOCKS = st.lists(
    st.tuples(
        st.sampled_from(["heading", "paragraph", "list", "table", "code"]),
        st.lists(st.text("ab .", max_size=700).map(str.strip).filter(bool), min_size=1, max_size=5),
        st.integers(1, 3),
    ),
    max_size=8,
)


@given(BLOCKS)
def test_no_text_is_lost_between_passages(drawn: list[tuple[str, list[str], int]]) -> None:
    blocks = []
    number = 0
    for kind, texts, level in drawn:
        kept = texts[:1] if kind == "heading" else texts
        pieces = tuple(Piece(number + n, number + n, text) for n, text in enumerate(kept, start=1))
        number += len(kept)
        blocks.append(Block(kind, pieces, level=level))  # type: ignore[arg-type]
    found = list(cut(blocks, "line"))
    shown = "".join("".join(f"{passage.heading} {passage.text}".split()) for passage in found)
    for block in blocks:
        for piece in block.pieces:
            text = piece.text[:150] if block.kind == "heading" else piece.text
            assert "".join(text.split()) in shown
    assert all(passage.position and passage.text for passage in found)
