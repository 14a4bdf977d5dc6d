from pathlib import Path

import pytest

from lakebook.report import markup
from lakebook.report.prose import render_markdown

AWKWARD = [
    "a*b*c",
    "_x_ and a_b_c",
    "`tick` and ``two``",
    "costs $5 and $6",
    "a < b > c <script>alert(1)</script>",
    "[link](http://x)",
    "![picture](http://x)",
    "# not a heading",
    "1. not a list",
    "- not a list",
    "+ not a list",
    "> not a quotation",
    "a | b",
    "~~gone~~",
    "back\\slash",
    "&lt; stays an entity",
    "R&D",
    "2018",
    "**bold**",
    "http_x_y",
    "<!-- hidden -->",
    "Ünïcode 数据 emoji 🙂",
]


@pytest.mark.parametrize("text", AWKWARD)
def test_escaped_text_is_shown_as_it_is(text):
    body = render_markdown(markup.escape(text))
    assert body.text().strip() == text
    assert not body.find("em", "strong", "a", "img", "h1", "ol", "ul", "blockquote", "code", "del", "table")


@pytest.mark.parametrize("text", AWKWARD)
def test_inline_escape_keeps_text_within_a_line(text):
    assert render_markdown(f"so: {markup.escape_inline(text)}").text().strip() == f"so: {text}"


@pytest.mark.parametrize("text", ["plain", "with `one`", "``", "`", "a ``two`` b", "x = {'a|b': 1}", ""])
def test_code_survives_backticks(text):
    found = render_markdown(f"see {markup.code(text)} here").find("code")
    assert [element.text().strip() for element in found] == [text]


def test_fenced_code_may_hold_a_fence():
    body = render_markdown(markup.fenced("```python\nx\n```"))
    assert body.find("pre")[0].text().strip() == "```python\nx\n```"


def test_a_pipe_does_not_open_a_new_cell():
    source = markup.table(["a", "b"], [[markup.code("x | y"), markup.escape("p|q")]])
    table = render_markdown(source).find("table")[0]
    assert len(table.find("td")) == 2
    assert table.find("td")[1].text() == "p|q"


def test_table_aligns_columns():
    assert markup.table(["a", "b"], [["1", "2"]], "lr").splitlines()[1] == "| :-- | --: |"


def test_anchor_is_what_jupyter_makes_of_a_heading():
    assert markup.anchor("3. Prices (all) peak") == "#3.-Prices-%28all%29-peak"


def test_path_is_relative_where_more_than_the_root_is_shared(tmp_path):
    assert markup.path_from(tmp_path / "lake", tmp_path / "out" / "deep") == "../../lake"
    assert markup.path_from(tmp_path, tmp_path) == "."


def test_path_is_absolute_where_only_the_root_is_shared(tmp_path):
    assert markup.path_from(Path("/elsewhere/lake"), tmp_path) == "/elsewhere/lake"


def test_url_quotes_what_would_end_a_link(tmp_path):
    url = markup.url_from(tmp_path / "old (1)" / "a b.ipynb", tmp_path, "#cell-id=x")
    assert url == "old%20%281%29/a%20b.ipynb#cell-id=x"
    assert render_markdown(f"[x]({url})").find("a")[0].attributes["href"] == url


def test_one_line_joins_and_cuts():
    assert markup.one_line("a\n  b") == "a b"
    assert markup.one_line("abcdef", 4) == "abc…"


def test_names_in_backticks_stay_code_and_nothing_else_does():
    body = render_markdown(markup.escape_words("rows of `base`, *all* `a <b>`"))
    assert [element.text() for element in body.find("code")] == ["base"]
    assert body.text().strip() == "rows of base, *all* `a <b>`"
