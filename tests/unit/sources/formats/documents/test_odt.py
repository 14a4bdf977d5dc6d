"""OpenDocument texts: sections, lists and plain tables; merged cells are refused by name."""

from __future__ import annotations

import zipfile

import pytest

from lakebook.errors import SourceError
from lakebook.sources.formats.documents.odt_document import Odt
from lakebook.sources.peek import peek

SPACES = " ".join(
    f'xmlns:{name}="urn:oasis:names:tc:opendocument:xmlns:{name}:1.0"' for name in ("office", "text", "table")
)
CELL = "<table:table-cell{0}><text:p>{1}</text:p></table:table-cell>"


def write(folder, body, manifest="<manifest/>"):
    path = folder / "a.odt"
    content = (
        f"<office:document-content {SPACES}><office:body><office:text>{body}</office:text></office:body>"
    )
    with zipfile.ZipFile(path, "w") as archive:
        archive.writestr("mimetype", "application/vnd.oasis.opendocument.text")
        archive.writestr("content.xml", f"{content}</office:document-content>")
        archive.writestr("META-INF/manifest.xml", manifest)
    return path


def drawn(rows, spans=""):
    cells = ["".join(CELL.format(spans, text) for text in row) for row in rows]
    inside = "".join(f"<table:table-row>{row}</table:table-row>" for row in cells)
    columns = '<table:table-column table:number-columns-repeated="2"/>'
    return f"<table:table>{columns}{inside}</table:table>"


ROWS = [("Region", "Sales"), ("no<text:span>rth</text:span>", "1,200"), ("south<text:s/>east", "34")]


def test_sections_lists_and_tables(tmp_path, read_units):
    body = (
        '<text:h text:outline-level="1">Sales</text:h><text:p>The <text:span>regions</text:span>:</text:p>'
        "<text:list><text:list-item><text:p>north</text:p></text:list-item></text:list>"
        "<text:p>By region:</text:p>"
    )
    units = read_units(write(tmp_path, body + drawn(ROWS)))
    reading = units["text"].reading
    assert reading.headings == ("Sales",)
    assert reading.passages[0].text.startswith("The regions:\n\n- north\n\nBy region:\n\nRegion | Sales")
    read = units["table 1: By region"]
    assert read.frame.to_dict("list") == {"Region": ["north", "south east"], "Sales": [1200, 34]}
    assert read.unit.place == "after paragraph 4"


def test_merged_cells_are_refused(tmp_path, read_units):
    (read,) = read_units(write(tmp_path, drawn(ROWS, ' table:number-columns-spanned="2"'))).values()
    assert read.unit.warnings == ("table 1 not extracted: cells are merged or repeated",)
    assert "1,200" in read.reading.passages[0].text


@pytest.mark.parametrize(
    ("body", "manifest", "said"),
    [("<text:p>cut", "<manifest/>", "damaged"), ("", "<encryption-data/>", "encrypted")],
)
def test_damaged_and_encrypted(tmp_path, body, manifest, said):
    path = write(tmp_path, body, manifest)
    with pytest.raises(SourceError, match=said):
        list(Odt().units(peek(path, path.name)))
