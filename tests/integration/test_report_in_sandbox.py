"""The written notebook in the real sandbox, and `lakebook verify` on it."""

import hashlib

import pytest
from typer.testing import CliRunner

from lakebook.analyst.claim import Claim, Insight
from lakebook.analyst.intent import Intent
from lakebook.analyst.plan import Finding, Findings, Plan
from lakebook.analyst.table import Table, TableColumn
from lakebook.report.document import NotebookDocument
from lakebook.report.execute import execute_notebook, open_for_notebook
from lakebook.report.notebook_writer import notebook_text, save_notebook, write_notebook
from lakebook.sandbox.choose import choose_sandbox

pytestmark = [pytest.mark.sandbox, pytest.mark.slow]


@pytest.fixture(scope="module")
def sandbox():
    from lakebook.sandbox.bubblewrap import BubblewrapSandbox

    trouble = BubblewrapSandbox().probe()
    if trouble:
        pytest.skip(f"no sandbox works here: {trouble}")
    return choose_sandbox()


@pytest.fixture
def document(tmp_path):
    lake = tmp_path / "lake"
    lake.mkdir()
    (lake / "a.csv").write_text("x\n" + "\n".join(str(n) for n in range(10)) + "\n")
    sha256 = hashlib.sha256((lake / "a.csv").read_bytes()).hexdigest()
    column = TableColumn("x", "integer", "count", 0, 10)
    table = Table("a.csv", "a.csv", "", sha256, 10, 10, (column,), 'df = pd.read_csv(DATA_DIR / "a.csv")')
    claim = Claim("c001", "mean", "number", "level['mean']", 4.5, "4.5", ".1f", "r001", ("x",), 10)
    insight = Insight("i1", "s01", "The mean is {mean}.", "The mean is 4.5.", (claim,), "verified")
    finding = Finding(
        step="s01", play="U01", key="level", title="The level", goal="How high?", method="The mean.",
        compute="print(DATA_DIR, plt.figure())\nplt.close()\nlevel = {'mean': float(base['x'].mean())}",
        figure="base['x'].plot()", methods=(), columns=("x",), record="r001", verdict="supported", score=1.0,
        insights=(insight,),
    )  # fmt: skip
    intent = Intent("how high is x?", "describe")
    return NotebookDocument(
        title="X", intent=intent, table=table, plan=Plan(intent, table, ()), findings=Findings((finding,)),
        prepare_code="base = df", data_dir=lake, out_dir=tmp_path / "out",
    )  # fmt: skip


def run(document, sandbox):
    with open_for_notebook(sandbox, document.data_dir) as session:
        return execute_notebook(write_notebook(document), session)


def test_the_notebook_runs_holds_and_is_the_same_twice(document, sandbox):
    executed = run(document, sandbox)
    assert executed.error is None
    assert executed.holds
    assert executed.figures == 1
    text = notebook_text(executed.notebook)
    outputs = str([cell.outputs for cell in executed.notebook.cells if cell.cell_type == "code"])
    assert "/inputs" not in outputs
    assert str(document.data_dir) not in outputs
    assert "DATA_DIR Figure(" in outputs
    assert notebook_text(run(document, sandbox).notebook) == text


def test_verify_on_the_command_line(document, sandbox):
    from lakebook.cli.main import app

    path = save_notebook(run(document, sandbox).notebook, document.out_dir / "analysis.ipynb")
    result = CliRunner().invoke(app, ["verify", str(path)])
    assert result.exit_code == 0, result.output
    (document.data_dir / "a.csv").write_text("x\n1\n")
    assert CliRunner().invoke(app, ["verify", str(path)]).exit_code == 3
