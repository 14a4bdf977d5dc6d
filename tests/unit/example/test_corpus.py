"""The example corpus is what its manifest says, and stays free of data, host paths and heavy outputs."""

from __future__ import annotations

import ast
import json
import re
import tomllib
from pathlib import Path
from typing import Any

import nbformat
import pytest
from IPython.core.inputtransformer2 import TransformerManager

CORPUS = Path(__file__).parents[3] / "notebooks_corpus"
ENTRIES: list[dict[str, Any]] = tomllib.loads((CORPUS / "manifest.toml").read_text())["notebook"]
FORMATS = (".ipynb", ".py", ".md")
READABLE = [entry for entry in ENTRIES if entry["today"] != "unreadable" and entry["file"].endswith(".ipynb")]
PYTHON = [entry for entry in READABLE if entry["today"] in ("runs", "repairs")]
WHOLE = [entry for entry in PYTHON if entry["file"] not in ("syntax_draft.ipynb", "course_week_3.ipynb")]

OLD_COLUMNS = {
    "avocado_2018": {"AveragePrice", "Total Volume", "region", "Date"},
    "superstore": {"Profit", "Discount", "Sales", "Category", "Sub-Category", "Ship Mode"},
    "netflix_2019": {"date_added", "listed_in", "duration"},
}


def names(entries: list[dict[str, Any]]) -> list[str]:
    return [entry["file"] for entry in entries]


def code_cells(file: str) -> list[str]:
    notebook = nbformat.reads((CORPUS / file).read_text(), as_version=nbformat.NO_CONVERT)
    return [cell.source for cell in notebook.cells if cell.cell_type == "code"]


def parses(source: str) -> bool:
    try:
        ast.parse(TransformerManager().transform_cell(source))
    except SyntaxError:
        return False
    return True


def test_manifest_and_folder_hold_the_same_notebooks() -> None:
    assert sorted(names(ENTRIES)) == sorted(
        path.name for path in CORPUS.iterdir() if path.suffix in FORMATS and path.name != "README.md"
    )


def test_corpus_is_large_and_mixed() -> None:
    assert len(WHOLE) >= 13
    assert {entry["today"] for entry in ENTRIES} == {"runs", "repairs", "unreadable", "foreign", "empty"}
    tables = [entry["table"] for entry in WHOLE]
    assert tables.count("avocado_2018") >= 8
    assert tables.count("superstore") >= 4
    assert sum(entry["figures"] for entry in ENTRIES) >= 60


@pytest.mark.parametrize("file", names(READABLE))
def test_readable_notebooks_are_valid(file: str) -> None:
    nbformat.validate(nbformat.reads((CORPUS / file).read_text(), as_version=nbformat.NO_CONVERT))


@pytest.mark.parametrize("file", names(WHOLE))
def test_python_cells_parse_after_their_magics_are_translated(file: str) -> None:
    cells = code_cells(file)
    assert len(cells) >= 6
    assert [source for source in cells if not parses(source)] == []


def test_the_draft_has_bad_cells_and_good_ones() -> None:
    good = [parses(source) for source in code_cells("syntax_draft.ipynb")]
    assert good.count(False) == 2
    assert good.count(True) == 2


def test_the_broken_export_is_no_json_and_the_empty_one_has_no_cells() -> None:
    with pytest.raises(json.JSONDecodeError):
        json.loads((CORPUS / "broken_export.ipynb").read_text())
    assert json.loads((CORPUS / "Untitled.ipynb").read_text())["cells"] == []
    foreign = json.loads((CORPUS / "prix_avocats.ipynb").read_text())
    assert foreign["metadata"]["kernelspec"]["language"] == "R"


@pytest.mark.parametrize("entry", WHOLE, ids=names(WHOLE))
def test_each_speaks_of_the_columns_of_its_old_table(entry: dict[str, Any]) -> None:
    text = "\n".join(code_cells(entry["file"]))
    used = {column for column in OLD_COLUMNS[entry["table"]] if column in text}
    assert len(used) >= 2, entry["file"]
    assert "average_price" not in text


def test_old_habits_are_there() -> None:
    text = "\n".join(source for entry in WHOLE for source in code_cells(entry["file"]))
    for habit in (
        "distplot", "factorplot", ".append(", "df.corr()", "%matplotlib inline", "!pip", "inplace=True",
        "../input/", "C:\\Users", "/content/drive/", "px.line", "sns.", "plt.", ".plot.barh", "resample('M')",
    ):  # fmt: skip
        assert habit in text, habit


@pytest.mark.parametrize("path", sorted(CORPUS.iterdir()), ids=lambda path: path.name)
def test_nothing_heavy_and_no_path_of_the_machine(path: Path) -> None:
    text = path.read_text()
    assert len(text) < 100_000
    assert not re.search(r"site-packages|/tmp/|ipykernel_\d", text)
