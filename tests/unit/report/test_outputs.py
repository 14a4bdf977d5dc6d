import base64

import pytest

from lakebook.report.outputs import MOST_COLUMNS, MOST_LINES, MOST_ROWS, read_output

PNG = base64.b64encode(b"\x89PNG\r\n\x1a\nbytes").decode()


def display(**data):
    return {
        "output_type": "display_data",
        "metadata": {},
        "data": {k.replace("_", "/", 1): v for k, v in data.items()},
    }


def test_a_picture_is_preferred_to_its_text():
    output = read_output(display(image_png=PNG, text_plain="<Figure>"), "alt")
    assert (output.kind, output.mime, output.alt) == ("figure", "image/png", "alt")
    assert output.data_uri == f"data:image/png;base64,{PNG}"


@pytest.mark.parametrize("value", ["not base64!", base64.b64encode(b"<html>").decode(), ""])
def test_what_only_says_that_it_is_a_picture_is_not_one(value):
    output = read_output(display(image_png=value, text_plain="instead"))
    assert (output.kind, output.text) == ("text", "instead")


def test_a_picture_in_lines_is_read():
    assert read_output(display(image_png=[PNG[:8], PNG[8:]])).kind == "figure"


def test_an_interactive_figure_is_named():
    output = read_output(
        {"output_type": "display_data", "data": {"application/vnd.plotly.v1+json": {}, "text/html": "<p>x"}}
    )
    assert output.kind == "note"
    assert "interactive" in output.text


def test_html_that_is_only_a_script_is_named():
    assert read_output(display(text_html="<div></div><script>draw()</script>")).kind == "note"


def test_a_table_is_rich():
    output = read_output(display(text_html="<table><tr><td>1</td></tr></table>", text_plain="1"))
    assert output.kind == "rich"
    assert output.body.find("td")[0].text() == "1"


def test_long_and_wide_tables_are_cut_and_it_is_said():
    row = "<tr>" + "<td>1</td>" * (MOST_COLUMNS + 5) + "</tr>"
    output = read_output(display(text_html=f"<table><tbody>{row * (MOST_ROWS + 7)}</tbody></table>"))
    assert len(output.body.find("tr")) == MOST_ROWS
    assert {len(r.find("td")) for r in output.body.find("tr")} == {MOST_COLUMNS}
    assert (
        output.cut
        == f"7 of {MOST_ROWS + 7} rows and 5 of {MOST_COLUMNS + 5} columns are only in the notebook"
    )


def test_a_small_table_is_whole():
    assert read_output(display(text_html="<table><tr><td>1</td></tr></table>")).cut == ""


def test_long_text_is_cut_in_the_middle():
    text = "\n".join(str(n) for n in range(1000))
    output = read_output({"output_type": "stream", "name": "stdout", "text": text})
    lines = output.text.splitlines()
    assert (lines[0], lines[-1], len(lines)) == ("0", "999", MOST_LINES + 1)
    assert "920 lines left out" in output.text


def test_streams_errors_and_colours():
    assert read_output({"output_type": "stream", "name": "stderr", "text": "w"}).kind == "stderr"
    error = read_output(
        {"output_type": "error", "ename": "E", "evalue": "m", "traceback": ["\x1b[31mE\x1b[0m: m"]}
    )
    assert (error.kind, error.text) == ("error", "E: m")


@pytest.mark.parametrize(
    "output",
    [
        {"output_type": "stream", "name": "stdout", "text": "  \n"},
        {"output_type": "execute_result", "data": {"text/plain": "<Axes: title='x'>"}},
        {"output_type": "display_data", "data": {}},
        {"output_type": "unknown"},
        {},
    ],
)
def test_what_shows_nothing_is_left_out(output):
    assert read_output(output) is None
