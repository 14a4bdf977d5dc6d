import nbformat
import pytest
from nbformat.v4 import new_code_cell, new_markdown_cell, new_notebook

from lakebook.report.execute import (
    FAILED_TAG,
    MARKER_ID,
    clean_outputs,
    clean_text,
    execute_notebook,
    open_for_notebook,
)
from lakebook.report.notebook_writer import notebook_text, write_notebook
from lakebook.sandbox.base import CellResult


@pytest.fixture
def executed(document, session):
    return execute_notebook(write_notebook(document), session)


def test_every_cell_runs_and_every_claim_holds(executed):
    assert executed.error is None
    assert executed.holds
    assert (executed.cells, executed.figures, len(executed.checks)) == (8, 2, 8)
    nbformat.validate(executed.notebook)


def test_execution_counts_go_up_by_one(executed):
    counts = [c.execution_count for c in executed.notebook.cells if c.cell_type == "code"]
    assert counts == list(range(1, 9))


def test_the_load_cell_shows_the_account_of_rows(executed):
    load = next(c for c in executed.notebook.cells if c.id == "load")
    assert "80 rows loaded; the analysis was made on 80 of 81 rows in the file." in load.outputs[0].text
    assert "The file is the one that was analysed." in load.outputs[0].text


def test_a_changed_file_is_noticed_by_the_notebook_itself(document, session, lake):
    path = lake / "prices.csv"
    path.write_text(path.read_text() + "40,North,9.9,1\n")
    executed = execute_notebook(write_notebook(document), session)
    load = next(c for c in executed.notebook.cells if c.id == "load")
    assert "81 rows loaded" in load.outputs[0].text
    assert "The file has changed since the analysis." in load.outputs[0].text
    assert not executed.holds
    assert {c.claim for c in executed.checks if not c.holds} >= {"c002", "c008"}


def test_the_notebook_given_is_not_changed(document, session):
    notebook = write_notebook(document)
    before = notebook_text(notebook)
    execute_notebook(notebook, session)
    assert notebook_text(notebook) == before


def test_running_the_result_again_gives_the_same_bytes(executed, new_session):
    again = execute_notebook(executed.notebook, new_session())
    assert notebook_text(again.notebook) == notebook_text(executed.notebook)


def test_the_result_of_the_checks_is_kept_in_the_notebook(executed):
    assert executed.notebook.metadata.lakebook.verification == {
        "claims": 8,
        "hold": 8,
        "failed": [],
        "error": "",
    }


@pytest.fixture
def broken(document, session):
    notebook = write_notebook(document)
    cell = next(c for c in notebook.cells if c.id == "trend_unit_price-figure")
    cell.source = "raise ValueError('no <b>figure</b> of /inputs/data/prices.csv')"
    return execute_notebook(notebook, session)


def test_a_failing_cell_leaves_the_notebook_up_to_there(broken):
    cells = {c.id: c for c in broken.notebook.cells}
    assert broken.failed_cell == "trend_unit_price-figure"
    assert cells["trend_unit_price-compute"].execution_count == 5
    assert cells["trend_unit_price-figure"].metadata.tags == [FAILED_TAG]
    assert cells["trend_unit_price-figure"].outputs[0].output_type == "error"
    assert cells["groups_region-compute"].execution_count is None
    assert cells["groups_region-compute"].outputs == []
    nbformat.validate(broken.notebook)


def test_a_failing_cell_is_marked_on_top(broken):
    marker = broken.notebook.cells[0]
    assert marker.id == MARKER_ID
    assert "This notebook is not complete" in marker.source
    assert "#cell-id=trend_unit_price-figure" in marker.source
    assert "no &lt;b>figure&lt;/b> of DATA_DIR/prices.csv" in marker.source


def test_no_claim_of_a_failed_notebook_holds(broken):
    assert not broken.holds
    assert {check.holds for check in broken.checks} == {False}
    assert broken.notebook.metadata.lakebook.verification.error.startswith("ValueError")


def test_a_second_run_removes_the_marks_of_the_first(broken, new_session):
    notebook = broken.notebook
    next(c for c in notebook.cells if c.id == "trend_unit_price-figure").source = "pass"
    again = execute_notebook(notebook, new_session())
    assert again.error is None
    assert all(c.id != MARKER_ID for c in again.notebook.cells)
    assert FAILED_TAG not in notebook_text(again.notebook)


def test_a_cell_that_is_meant_to_fail_does_not_stop_the_run(session):
    cells = [
        new_code_cell("1 / 0", id="a", metadata={"tags": ["raises-exception"]}),
        new_code_cell("2", id="b"),
    ]
    executed = execute_notebook(new_notebook(cells=cells), session)
    assert executed.error is None
    assert executed.cells == 2


def test_a_foreign_notebook_is_run_and_left_as_it_is(session):
    foreign = new_notebook(
        cells=[new_markdown_cell("# x", id="m"), new_code_cell("1 + 1", id="a"), new_code_cell("", id="e")]
    )
    executed = execute_notebook(foreign, session)
    assert executed.checks == ()
    assert executed.holds
    assert "lakebook" not in executed.notebook.metadata
    assert executed.notebook.cells[1].outputs[0].data["text/plain"] == "2"
    assert executed.notebook.cells[2].execution_count is None


def test_progress_is_told(document, session):
    seen = []
    execute_notebook(write_notebook(document), session, progress=lambda *args: seen.append(args))
    assert [args[1] for args in seen] == list(range(8))
    assert {args[2] for args in seen} == {8}


@pytest.mark.parametrize(
    ("text", "clean"),
    [
        ("/inputs/data/a.csv", "DATA_DIR/a.csv"),
        ("/inputs/corpus/a.ipynb", "corpus/a.ipynb"),
        ("<Axes object at 0x7f12ab34cd>", "<Axes object at 0x…>"),
        ("/home/me/.venv/lib/python3.11/site-packages/pandas/core.py:3", "site-packages/pandas/core.py:3"),
        ("/usr/lib/python3.11/json/decoder.py", "python3.11/json/decoder.py"),
        ("/tmp/ipykernel_12/3456.py:1", "<cell>:1"),
        ("a ratio of 1/2 and a/b", "a ratio of 1/2 and a/b"),
        ("0x12", "0x12"),
    ],
)
def test_outputs_tell_nothing_of_the_machine(text, clean):
    assert clean_text(text) == clean


def test_pictures_are_not_touched():
    data = {"image/png": "/inputs/data", "text/plain": "/inputs/data"}
    (output,) = clean_outputs(CellResult(({"output_type": "display_data", "data": data, "metadata": {}},)))
    assert output.data == {"image/png": "/inputs/data", "text/plain": "DATA_DIR"}


def test_pieces_of_one_stream_are_joined():
    pieces = tuple({"output_type": "stream", "name": "stdout", "text": t} for t in ("a\n", "b\n"))
    (output,) = clean_outputs(CellResult(pieces))
    assert output.text == "a\nb\n"


class FakeSandbox:
    name = "fake"

    def __init__(self, session):
        self.session, self.options = session, None

    def probe(self):
        return ""

    def open(self, options):
        self.options = options
        return self.session


def test_the_data_folder_is_mounted_and_named(session, lake):
    sandbox = FakeSandbox(session)
    session.inputs = {"data": "/inputs/data"}
    assert open_for_notebook(sandbox, lake) is session
    (mount,) = sandbox.options.mounts
    assert (mount.name, mount.source) == ("data", lake.resolve())
    assert sandbox.options.environment == {"LAKEBOOK_DATA_DIR": "/inputs/data"}
    assert session.ran == []


def test_without_isolation_the_session_is_told_where_the_data_is(session, lake, monkeypatch):
    monkeypatch.setenv("LAKEBOOK_DATA_DIR", "")
    session.inputs = {"data": "/elsewhere/data"}
    open_for_notebook(FakeSandbox(session), lake)
    import os

    assert os.environ["LAKEBOOK_DATA_DIR"] == "/elsewhere/data"
