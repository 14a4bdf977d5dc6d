"""`lakebook verify` and `lakebook export` as people call them; the sandbox is replaced by this process."""

import json

import pytest
import typer
from nbformat.v4 import new_code_cell, new_notebook
from typer.testing import CliRunner

from lakebook.cli import export, verify
from lakebook.errors import NotebookError, UsageError
from lakebook.report.execute import execute_notebook
from lakebook.report.notebook_writer import save_notebook, write_notebook

app = typer.Typer()
app.command("verify")(verify.verify)
app.command("export")(export.export)


class InProcessSandbox:
    name, isolated = "in-process", True

    def __init__(self, new_session):
        self.new_session = new_session

    def probe(self):
        return ""

    def open(self, options):
        (mount,) = options.mounts
        session = self.new_session()
        session.inputs = {"data": str(mount.source)}
        return session


@pytest.fixture
def call(monkeypatch, new_session):
    monkeypatch.setattr(
        "lakebook.sandbox.choose.choose_sandbox", lambda preference: InProcessSandbox(new_session)
    )
    runner = CliRunner()

    def invoke(*arguments):
        result = runner.invoke(app, [str(argument) for argument in arguments])
        if result.exception is not None and not isinstance(result.exception, SystemExit):
            raise result.exception
        return result

    return invoke


@pytest.fixture
def path(document, session, tmp_path):
    executed = execute_notebook(write_notebook(document), session)
    return save_notebook(executed.notebook, tmp_path / "out" / "analysis.ipynb")


def test_a_true_notebook_verifies(call, path):
    before = path.read_bytes()
    result = call("verify", path)
    assert result.exit_code == 0
    assert result.stdout == "8 cells ran without error. All 8 numbers in the text were recomputed and hold.\n"
    assert path.read_bytes() == before


def test_verify_as_json(call, path):
    document = json.loads(call("verify", path, "--json").stdout)
    assert document["sources_changed"] == []
    assert len(document["claims"]) == 8
    assert document["claims"][0] == {
        "id": "c001",
        "text": "The mean price rises from 1.72 to 2.54.",
        "stated": "1.72",
        "recomputed": "1.72",
        "holds": True,
        "reason": "",
        "expression": "trend_unit_price['first']",
    }
    assert (document["cells"], document["error"]) == (8, None)


def test_changed_data_ends_with_3_and_names_source_and_claims(call, path, lake):
    file = lake / "prices.csv"
    file.write_text(file.read_text().replace("39,North", "39,South"))
    result = call("verify", path)
    assert result.exit_code == 3
    assert "prices.csv" in result.stderr
    assert "c006" in result.stdout
    assert "do NOT hold" in result.stdout
    document = json.loads(call("verify", path, "--json").stdout)
    assert document["sources_changed"] == ["prices.csv"]
    assert not all(claim["holds"] for claim in document["claims"])


def test_other_data_can_be_named(call, path, tmp_path, lake):
    other = tmp_path / "other"
    other.mkdir()
    (other / "prices.csv").write_bytes((lake / "prices.csv").read_bytes())
    (lake / "prices.csv").unlink()
    assert call("verify", path).exit_code == 1
    assert call("verify", path, "--data", other).exit_code == 0


def test_a_failing_cell_ends_with_1_and_says_which(call, document, tmp_path):
    notebook = write_notebook(document)
    next(c for c in notebook.cells if c.id == "prepare").source = "1 / 0"
    path = save_notebook(notebook, tmp_path / "out" / "broken.ipynb")
    result = call("verify", path)
    assert result.exit_code == 1
    assert "cell prepare failed" in result.stderr
    assert "ZeroDivisionError" in result.stderr
    document = json.loads(call("verify", path, "--json").stdout)
    assert document["error"]["cell"] == "prepare"
    assert {claim["holds"] for claim in document["claims"]} == {False}


def test_a_foreign_notebook_is_run_and_has_no_claims(call, tmp_path):
    path = save_notebook(new_notebook(cells=[new_code_cell("1 + 1")]), tmp_path / "foreign.ipynb")
    result = call("verify", path)
    assert result.exit_code == 0
    assert (
        result.stdout
        == "1 cells ran without error. The notebook carries no claims (Lakebook did not write it).\n"
    )


def test_a_missing_data_folder_is_named(call, path, tmp_path):
    with pytest.raises(UsageError, match="the data folder is not there") as caught:
        call("verify", path, "--data", tmp_path / "gone")
    assert "--data" in caught.value.hint


def test_other_languages_are_refused(call, tmp_path):
    notebook = new_notebook(metadata={"language_info": {"name": "R"}})
    path = save_notebook(notebook, tmp_path / "r.ipynb")
    with pytest.raises(UsageError, match="a notebook in r"):
        call("verify", path)


def test_what_is_no_notebook_is_refused(call, tmp_path):
    (tmp_path / "notes.ipynb").write_text("no JSON", encoding="utf-8")
    with pytest.raises(NotebookError):
        call("verify", tmp_path / "notes.ipynb")
    with pytest.raises(UsageError):
        call("verify", tmp_path / "gone.ipynb")


def test_export_prints_the_files(call, path):
    result = call("export", path, "--to", "html,md")
    assert result.exit_code == 0
    assert result.stdout.splitlines()[0] == str(path.with_suffix(".html"))
    assert len(result.stdout.splitlines()) == 4


def test_export_as_json(call, path, tmp_path):
    result = call("export", path, "--to", "pdf", "--out", tmp_path / "reports", "--json")
    assert json.loads(result.stdout) == {"files": [str(tmp_path / "reports" / "analysis.pdf")]}


def test_export_to_an_unknown_format_is_a_usage_error(call, path):
    with pytest.raises(UsageError):
        call("export", path, "--to", "docx")
