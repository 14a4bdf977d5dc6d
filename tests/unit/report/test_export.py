import csv
import io
import json
import zipfile

import pytest
from nbformat.v4 import new_code_cell, new_markdown_cell, new_notebook

from lakebook.errors import NotebookError, ReportError, UsageError
from lakebook.report.bundle import write_claims_csv
from lakebook.report.execute import execute_notebook
from lakebook.report.export import export_notebook, parse_formats
from lakebook.report.notebook_writer import save_notebook, write_notebook
from lakebook.report.outline import read_outline


@pytest.fixture
def path(document, session, tmp_path):
    executed = execute_notebook(write_notebook(document), session)
    return save_notebook(executed.notebook, tmp_path / "out" / "analysis.ipynb")


@pytest.mark.parametrize(
    ("text", "formats"),
    [
        ("html", ("html",)),
        ("pdf, md", ("md", "pdf")),
        ("ZIP,zip", ("zip",)),
        ("markdown,.html", ("html", "md")),
    ],
)
def test_formats_are_read(text, formats):
    assert parse_formats(text) == formats


@pytest.mark.parametrize("text", ["", ",", "docx", "html,docx"])
def test_unknown_formats_are_named_with_what_there_is(text):
    with pytest.raises(UsageError, match="html,md,pdf,zip"):
        parse_formats(text)


def test_all_formats_are_written_beside_the_notebook(path):
    files = export_notebook(path)
    names = [file.relative_to(path.parent).as_posix() for file in files]
    assert names == [
        "analysis.html",
        "analysis.md",
        "analysis.pdf",
        "analysis.zip",
        "analysis_figures/figure-01.png",
        "analysis_figures/figure-02.png",
    ]
    assert all(file.stat().st_size > 100 for file in files)
    assert not list(path.parent.rglob("*.part"))


def test_only_what_was_asked_for_is_written(path, tmp_path):
    files = export_notebook(path, ("html",), tmp_path / "elsewhere")
    assert [file.name for file in files] == ["analysis.html"]
    assert [p.name for p in (tmp_path / "elsewhere").iterdir()] == ["analysis.html"]
    assert [p.name for p in path.parent.iterdir()] == ["analysis.ipynb"]


def test_the_markdown_finds_its_figures(path):
    export_notebook(path, ("md",))
    text = (path.parent / "analysis.md").read_text()
    assert "](analysis_figures/figure-01.png)" in text


def test_links_to_old_notebooks_still_lead_there_from_another_folder(path, tmp_path):
    away = tmp_path / "a" / "b"
    export_notebook(path, ("html",), away)
    assert (
        'href="../../old%20notebooks/weekly%20%28old%29.ipynb#cell-id=abc-1"'
        in (away / "analysis.html").read_text()
    )
    export_notebook(path, ("html",))
    assert (
        'href="../old%20notebooks/weekly%20%28old%29.ipynb#cell-id=abc-1"'
        in path.with_suffix(".html").read_text()
    )


def test_the_same_notebook_gives_the_same_bundle(path, tmp_path):
    (one,) = export_notebook(path, ("zip",), tmp_path / "1")
    (other,) = export_notebook(path, ("zip",), tmp_path / "2")
    assert one.read_bytes() == other.read_bytes()


def test_the_bundle_holds_notebook_reports_figures_claims_and_records(path):
    records = path.parent / "execution_records.json"
    records.write_text('[{"id": "r001"}]')
    (bundle,) = export_notebook(path, ("zip",))
    with zipfile.ZipFile(bundle) as archive:
        assert archive.testzip() is None
        assert archive.namelist() == [
            "analysis/analysis.ipynb",
            "analysis/analysis.html",
            "analysis/analysis.md",
            "analysis/analysis.pdf",
            "analysis/figures/figure-01.png",
            "analysis/figures/figure-02.png",
            "analysis/claims.csv",
            "analysis/execution_records.json",
        ]
        assert json.loads(archive.read("analysis/execution_records.json")) == [{"id": "r001"}]
        assert {entry.date_time[0] for entry in archive.infolist()} == {1980}
        assert b"](figures/figure-01.png)" in archive.read("analysis/analysis.md")


def test_claims_as_a_table(document, session):
    outline = read_outline(execute_notebook(write_notebook(document), session).notebook)
    rows = list(csv.DictReader(io.StringIO(write_claims_csv(outline))))
    assert [row["id"] for row in rows] == ["c001", "c002", "c003", "c004", "c005", "c008", "c006", "c007"]
    assert rows[0]["shown"] == "1.72"
    assert rows[0]["section"] == "1. Prices rise over the weeks"
    assert {row["holds"] for row in rows} == {"true"}


@pytest.mark.parametrize(
    ("shown", "cell"),
    [("=1+1", "'=1+1"), ("@x", "'@x"), ("+x", "'+x"), ("-5.0%", "-5.0%"), ("-x", "'-x"), ("5", "5")],
)
def test_no_cell_of_the_table_is_a_formula(document, session, shown, cell):
    notebook = write_notebook(document)
    claims = next(c for c in notebook.cells if c.id == "groups_region-insights").metadata.lakebook.claims
    claims[0]["shown"] = shown
    rows = list(csv.DictReader(io.StringIO(write_claims_csv(read_outline(notebook)))))
    assert rows[-2]["shown"] == cell


def test_a_foreign_notebook_is_exported(tmp_path):
    foreign = new_notebook(cells=[new_markdown_cell("hello"), new_code_cell("1 + 1")])
    path = save_notebook(foreign, tmp_path / "my notes.ipynb")
    files = export_notebook(path)
    assert [file.name for file in files] == ["my notes.html", "my notes.md", "my notes.pdf", "my notes.zip"]
    assert "<title>my notes</title>" in files[0].read_text()


def test_what_is_no_notebook_is_refused(tmp_path):
    (tmp_path / "x.ipynb").write_text("no")
    with pytest.raises(NotebookError):
        export_notebook(tmp_path / "x.ipynb")


def test_a_folder_that_cannot_be_written_is_named(path, tmp_path):
    (tmp_path / "file").write_text("")
    with pytest.raises(ReportError, match="cannot be written") as caught:
        export_notebook(path, ("html",), tmp_path / "file" / "deep")
    assert "--out" in caught.value.hint


def test_the_notebook_is_not_changed(path):
    before = path.read_bytes()
    export_notebook(path)
    assert path.read_bytes() == before
