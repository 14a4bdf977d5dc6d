import json
from pathlib import Path
from typing import Any

import pytest
import typer
from typer.testing import CliRunner, Result

from lakebook.cli import components
from lakebook.errors import UsageError

APP = typer.Typer()
APP.command("components")(components.components)
APP.command("other")(lambda: None)


def run(*arguments: str) -> Result:
    return CliRunner().invoke(APP, ["components", *arguments])


@pytest.fixture
def notebook(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    sources = [
        "import pandas as pd\ndf = pd.read_csv('fruit.csv')",
        "df['price'] = df['cents'] / 100\nunused = 1",
        "df['price'].hist()",
        "df.hist()",
    ]
    cells = [{"cell_type": "code", "source": source, "outputs": []} for source in sources]
    path = tmp_path / "fruit.ipynb"
    path.write_text(json.dumps({"cells": cells, "metadata": {}}))
    (tmp_path / "fruit.csv").write_text("cents,name,when\n1,a,2020-01-01\n2,b,2020-01-02\n")
    monkeypatch.chdir(tmp_path)
    return path


def document(*arguments: str) -> dict[str, Any]:
    result = run(*arguments, "--json")
    assert result.exit_code == 0, result.output
    found: dict[str, Any] = json.loads(result.stdout)
    return found


def test_json_holds_what_the_contract_names(notebook: Path) -> None:
    found = document("fruit.ipynb")

    assert found["notebooks"] == [{"path": "fruit.ipynb", "status": "ok", "reason": ""}]
    first = found["components"][0]
    names = {
        "id",
        "notebook",
        "cell",
        "code",
        "upstream_cells",
        "columns",
        "chart_types",
        "confidence",
        "reason",
    }
    assert names <= first.keys()
    assert first["columns"] == ["cents"]
    assert first["upstream_cells"] == [0, 1]
    assert first["target_cells"] == [0, 1, 2]


def test_data_tells_what_a_whole_frame_shows(notebook: Path) -> None:
    assert document("fruit.ipynb")["components"][1]["confidence"] < 1

    found = document("fruit.ipynb", "--data", "fruit.csv")["components"][1]

    assert found["columns"] == ["cents"]
    assert found["confidence"] == 1


def test_explain_says_what_each_statement_is_for(notebook: Path) -> None:
    upstream = document("fruit.ipynb", "--explain")["components"][0]["upstream"]

    assert [one["text"] for one in upstream] == [
        "import pandas as pd",
        "df = pd.read_csv('fruit.csv')",
        "df['price'] = df['cents'] / 100",
    ]
    assert all(one["wanted_for"] for one in upstream)


def test_the_readable_form_shows_facts_and_code(notebook: Path) -> None:
    result = run("fruit.ipynb")

    assert result.exit_code == 0
    assert "df['price'].hist()" in result.stdout
    assert "3 of 4 statements" in result.stdout
    assert "unused" not in result.stdout


def test_the_readable_explanation_names_the_column(notebook: Path) -> None:
    result = run("fruit.ipynb", "--explain")

    assert "cell 1: df['price'] = df['cents'] / 100" in result.stdout
    assert "for df['price']" in result.stdout


def test_a_folder_stands_for_its_notebooks(notebook: Path) -> None:
    assert [one["path"] for one in document(".")["notebooks"]] == ["fruit.ipynb"]


def test_an_unreadable_notebook_is_told_and_the_others_go_on(notebook: Path) -> None:
    Path("bad.ipynb").write_text("{")

    result = run("bad.ipynb", "fruit.ipynb", "--json")

    assert result.exit_code == 4
    found = json.loads(result.stdout)
    assert [one["status"] for one in found["notebooks"]] == ["failed", "ok"]
    assert len(found["components"]) == 2


@pytest.mark.parametrize(
    ("arguments", "message"),
    [
        (["none.ipynb"], "no such notebook"),
        (["empty"], "no notebooks here"),
        (["fruit.ipynb", "--data", "none.csv"], "no such data file"),
        (["fruit.ipynb", "--data", "junk.parquet"], "cannot be read as a table"),
    ],
)
def test_what_is_not_there_is_a_usage_error(notebook: Path, arguments: list[str], message: str) -> None:
    Path("empty").mkdir()
    Path("junk.parquet").write_text("junk")

    result = run(*arguments)

    assert isinstance(result.exception, UsageError)
    assert message in str(result.exception)
