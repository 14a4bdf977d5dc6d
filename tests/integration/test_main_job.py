"""The main job from the command line: a whole run, the same run again, a killed run, and bad input."""

from __future__ import annotations

import json
import os
import shutil
import signal
import subprocess
import sys
import time
from pathlib import Path

import nbformat
import pytest
from nbclient import NotebookClient

from lakebook.errors import SandboxUnavailable
from lakebook.sandbox.choose import choose_sandbox

LAKEBOOK = Path(sys.executable).with_name("lakebook")
INTENT = "forecast the sales and compare the shops"


def isolation() -> str:
    try:
        choose_sandbox()
    except SandboxUnavailable as error:
        return str(error)
    return ""


pytestmark = [
    pytest.mark.sandbox,
    pytest.mark.slow,
    pytest.mark.skipif(bool(why := isolation()), reason=f"no isolation here: {why}"),
]


def make_lake(folder: Path) -> Path:
    """Write three years of weekly sales of three shops, one of them the sum of the others."""
    folder.mkdir(parents=True)
    lines = ["day,shop,sales,visitors"]
    start = 1672531200  # 2023-01-01, a Sunday
    for week in range(156):
        day = time.strftime("%Y-%m-%d", time.gmtime(start + 7 * 86400 * week))
        season = (week % 52) * (52 - week % 52) // 20
        north, south = 400 + season + week % 7, 900 + 2 * season + (3 * week) % 11
        for shop, sales in (("North", north), ("South", south), ("All shops", north + south)):
            lines.append(f"{day},{shop},{sales},{sales // 9 + week % 5}")
    (folder / "sales.csv").write_text("\n".join(lines) + "\n", encoding="utf-8")
    return folder


def make_corpus(folder: Path, column: str = "Sales") -> Path:
    """Write an old notebook that knows the table by other names."""
    folder.mkdir(parents=True)
    notebook = nbformat.v4.new_notebook()
    notebook.cells = [
        nbformat.v4.new_code_cell("import pandas as pd\nimport matplotlib.pyplot as plt"),
        nbformat.v4.new_code_cell("df = pd.read_csv('C:\\\\Users\\\\me\\\\Sales.csv', parse_dates=['Day'])"),
        nbformat.v4.new_markdown_cell("## Weekly course"),
        nbformat.v4.new_code_cell(f"df.groupby('Day')['{column}'].sum().plot()\nplt.ylabel('sales')"),
    ]
    nbformat.write(notebook, folder / "old.ipynb")
    (folder / "broken.ipynb").write_text('{"cells": [', encoding="utf-8")
    return folder


def lakebook(place: Path, *words: str, timeout: float = 400) -> subprocess.CompletedProcess[str]:
    return subprocess.run(
        [str(LAKEBOOK), *words],
        cwd=place,
        capture_output=True,
        text=True,
        timeout=timeout,
        env={**os.environ, "LAKEBOOK_STATE": str(place / "state")},
    )


def run_words(lake: Path, corpus: Path | None, out: Path, *more: str) -> list[str]:
    words = ["run", "--data", str(lake), "--dataset", "sales.csv", "--intent", INTENT, "--out", str(out)]
    return words + (["--notebooks", str(corpus)] if corpus else []) + [*more]


@pytest.fixture(scope="module")
def whole(tmp_path_factory: pytest.TempPathFactory) -> tuple[Path, dict[str, object]]:
    """One whole run on a clean state: its place and its JSON."""
    place = tmp_path_factory.mktemp("whole")
    lake, corpus = make_lake(place / "lake"), make_corpus(place / "corpus")
    done = lakebook(place, *run_words(lake, corpus, place / "out", "--json"))
    assert done.returncode == 0, done.stderr[-3000:]
    document: dict[str, object] = json.loads(done.stdout)
    return place, document


def test_the_json_document_keeps_the_contract(whole: tuple[Path, dict[str, object]]) -> None:
    place, document = whole
    assert {"notebook", "report", "run_id", "insights", "checks", "sources", "seconds"} <= document.keys()
    assert document["sources"] == {"ok": 1, "partial": 0, "failed": 0, "skipped": 0}
    assert Path(str(document["notebook"])).parent == place / "out"
    checks = document["checks"]
    assert isinstance(checks, list)
    assert {check["status"] for check in checks} <= {"passed", "warned"}
    warned = [check["name"] for check in checks if check["status"] == "warned"]
    assert warned == ["notebooks_usable", "rule_L12"]


def test_the_notebook_runs_in_plain_jupyter_and_says_what_is_planted(
    whole: tuple[Path, dict[str, object]], tmp_path: Path
) -> None:
    _, document = whole
    notebook = nbformat.read(str(document["notebook"]), as_version=4)
    nbformat.validate(notebook)
    text = "\n".join(cell.source for cell in notebook.cells if cell.cell_type == "markdown")
    assert "All shops is the sum of other members of shop" in text
    assert "old.ipynb" in text
    code = "\n".join(cell.source for cell in notebook.cells if cell.cell_type == "code")
    assert "def component_1_" in code, "the old notebook's plot is run on the new data and shown"
    assert "drawn_" in code
    NotebookClient(notebook, timeout=300, resources={"metadata": {"path": str(tmp_path)}}).execute()


def test_verify_recomputes_every_claim_and_sees_a_wrong_one(
    whole: tuple[Path, dict[str, object]], tmp_path: Path
) -> None:
    place, document = whole
    good = lakebook(place, "verify", str(document["notebook"]), "--json")
    assert good.returncode == 0, good.stderr[-2000:]
    claims = json.loads(good.stdout)["claims"]
    assert len(claims) >= 20
    assert all(claim["holds"] for claim in claims)
    changed = make_lake(tmp_path / "lake")
    lines = (changed / "sales.csv").read_text(encoding="utf-8").replace(",North,", ",Nord,")
    (changed / "sales.csv").write_text(lines, encoding="utf-8")
    bad = lakebook(place, "verify", str(document["notebook"]), "--data", str(changed), "--json")
    assert bad.returncode in (1, 3)
    assert json.loads(bad.stdout)["sources_changed"] == ["sales.csv"]


def test_a_second_run_rebuilds_nothing(whole: tuple[Path, dict[str, object]]) -> None:
    place, document = whole
    before = (place / "out" / "analysis.ipynb").read_bytes()
    (place / "lake" / "sales.csv").touch()
    again = lakebook(place, *run_words(place / "lake", place / "corpus", place / "out", "--json"))
    assert again.returncode == 0
    assert "Nothing changed" in again.stderr
    assert json.loads(again.stdout)["run_id"] == document["run_id"]
    assert (place / "out" / "analysis.ipynb").read_bytes() == before


def test_a_killed_run_goes_on_and_gives_the_same_bytes(
    whole: tuple[Path, dict[str, object]], tmp_path: Path
) -> None:
    place, _ = whole
    first = (place / "out" / "analysis.ipynb").read_bytes()
    # The same places, since the notebook names them, but a state of its own.
    environment = {**os.environ, "LAKEBOOK_STATE": str(tmp_path / "state")}
    command = [str(LAKEBOOK), *run_words(place / "lake", place / "corpus", place / "out")]
    killed = subprocess.Popen(
        command, cwd=place, env=environment, stderr=subprocess.DEVNULL, start_new_session=True
    )
    planned = tmp_path / "state" / "assets" / "eda_plan"
    deadline = time.monotonic() + 300
    while not list(planned.glob("*/receipt.json")) and time.monotonic() < deadline and killed.poll() is None:
        time.sleep(0.05)
    os.killpg(killed.pid, signal.SIGKILL)
    assert killed.wait() == -signal.SIGKILL, "the run ended before it could be killed"
    shutil.rmtree(place / "out")
    done = subprocess.run(command, cwd=place, env=environment, capture_output=True, text=True, timeout=400)
    assert done.returncode == 0, done.stderr[-3000:]
    assert (place / "out" / "analysis.ipynb").read_bytes() == first


def test_one_unreadable_file_does_not_stop_the_rest(tmp_path: Path) -> None:
    lake = make_lake(tmp_path / "lake")
    (lake / "broken.parquet").write_bytes(b"PAR1 this is no parquet file")
    done = lakebook(
        tmp_path, *run_words(lake, make_corpus(tmp_path / "corpus", "Weight"), tmp_path / "out", "--json")
    )
    assert done.returncode == 4, done.stderr[-3000:]
    document = json.loads(done.stdout)
    assert document["sources"]["failed"] == 1
    text = Path(document["notebook"]).read_text(encoding="utf-8")
    assert "so nothing was reused" in text, "a corpus with nothing relevant is named in the notebook"


@pytest.mark.parametrize(
    ("words", "code", "said"),
    [
        (["--data", "nowhere", "--intent", "x"], 2, "the data folder is not there"),
        (["--data", "empty", "--intent", "x"], 2, "the data folder is empty"),
        (["--data", "lake", "--intent", "  "], 2, "the intent is empty"),
        (
            ["--data", "lake", "--notebooks", "nowhere", "--intent", "x"],
            2,
            "the notebooks folder is not there",
        ),
        (["--data", "lake/sales.csv", "--intent", "x"], 2, "this is a file"),
        (["--intent", "x"], 2, "no lake is given"),
        (["--data", "lake", "--intent", "x", "--sandbox", "magic"], 2, "magic"),
        (["--data", "lake", "--dataset", "sale.csv", "--intent", "x"], 2, "Nearest: sales.csv"),
    ],
    ids=lambda value: " ".join(value) if isinstance(value, list) else None,
)
def test_bad_input_is_told_with_cause_and_next_step(
    tmp_path: Path, words: list[str], code: int, said: str
) -> None:
    make_lake(tmp_path / "lake")
    (tmp_path / "empty").mkdir()
    done = lakebook(tmp_path, "run", *words)
    assert (done.returncode, said in done.stderr) == (code, True), done.stderr
    assert "Traceback" not in done.stderr
