import base64
import io
import re
import zlib

import pytest
from nbformat.v4 import new_code_cell, new_markdown_cell, new_notebook, new_output
from PIL import Image

from lakebook.report.execute import execute_notebook
from lakebook.report.notebook_writer import write_notebook
from lakebook.report.outline import read_outline
from lakebook.report.pdf import write_pdf
from lakebook.report.pdf_tables import breakable, number_columns, table_grid
from lakebook.report.richtext import parse_html


def pages(pdf):
    return len(re.findall(rb"/Type /Page\b", pdf))


def picture(width=40, height=30):
    data = io.BytesIO()
    Image.new("RGB", (width, height), "red").save(data, "png")
    return base64.b64encode(data.getvalue()).decode()


def notebook(*cells):
    return read_outline(new_notebook(cells=list(cells)), "name")


def shows(**data):
    return new_code_cell(
        "x", outputs=[new_output("display_data", {k.replace("_", "/", 1): v for k, v in data.items()})]
    )


def test_a_report_is_a_pdf_with_pages_figures_and_bookmarks(document, session):
    pdf = write_pdf(read_outline(execute_notebook(write_notebook(document), session).notebook))
    assert pdf.startswith(b"%PDF-")
    assert pages(pdf) >= 3
    assert pdf.count(b"/Subtype /Image") == 2
    assert b"/Outlines" in pdf
    assert b"/Lang (en)" in pdf


def test_the_same_notebook_gives_the_same_bytes(document, session):
    executed = execute_notebook(write_notebook(document), session).notebook
    assert write_pdf(read_outline(executed)) == write_pdf(read_outline(executed))


@pytest.mark.parametrize(
    "cell",
    [
        new_markdown_cell(""),
        new_markdown_cell("# 数据 🙂 \u202e مرحبا"),
        new_markdown_cell("word" * 500),
        new_markdown_cell("> quoted\n\n" * 100),
        new_markdown_cell("- a\n  - b\n    - c\n      - d\n" * 40),
        new_markdown_cell("###### six\n\n# one\n\n### three"),
        new_markdown_cell(f"![alt](data:image/png;base64,{picture()})"),
        new_markdown_cell("[a](#gone) [b](http://x.test) [c](mailto:x@y.test)"),
        new_code_cell("long = " + "1 + " * 500 + "1"),
        new_code_cell("\n".join(f"line {n}" for n in range(300))),
        shows(image_png=picture(4000, 100)),
        shows(image_png=picture(100, 4000)),
        shows(image_png=base64.b64encode(b"\x89PNG\r\n\x1a\nbroken").decode()),
        shows(**{"image_svg+xml": "<svg><broken"}),
        shows(**{"image_svg+xml": "<svg width='9' height='9'><rect width='5' height='5'/></svg>"}),
        shows(text_html="<table></table>"),
        shows(text_html="<table><tr></tr></table>x"),
        shows(text_html="<table><tr>" + "<td>wide column</td>" * 60 + "</tr></table>"),
        shows(text_html="<table><tr><td>" + "long text " * 3000 + "</td></tr></table>"),
        shows(text_html="<table><tr><td colspan=99999 rowspan=99999>a</td></tr><tr><td>b</td></tr></table>"),
    ],
)
def test_odd_content_still_gives_a_pdf(cell):
    assert pages(write_pdf(notebook(new_markdown_cell("# T"), cell))) >= 1


def test_an_empty_notebook_gives_a_page():
    assert pages(write_pdf(notebook())) == 1


def test_table_grid_fills_spans():
    table = parse_html(
        "<table><tr><th></th><th colspan=2>a</th></tr><tr><th rowspan=2>x</th><td>1</td><td>2</td></tr>"
        "<tr><td>3</td><td>4</td></tr></table>"
    ).find("table")[0]
    rows, headers = table_grid(table)
    assert rows == [["", "a", ""], ["x", "1", "2"], ["", "3", "4"]]
    assert headers == 1


def test_columns_of_numbers_stand_right():
    assert number_columns([["n", "t"], ["1,234.5", "a"], ["-3%", "4"], ["", "b"]], 1) == (0,)


def test_long_words_get_breaks():
    assert max(map(len, breakable("x" * 500 + " short").split())) <= 60
    assert breakable("as it is") == "as it is"


def test_text_of_the_report_is_in_the_pdf(document, session):
    pdf = write_pdf(read_outline(execute_notebook(write_notebook(document), session).notebook))
    streams = [
        zlib.decompress(s) for s in re.findall(rb"stream\r?\n(.*?)\r?\nendstream", pdf, re.S) if s[:1] == b"x"
    ]
    assert any(b" Tj" in s or b" TJ" in s for s in streams)
