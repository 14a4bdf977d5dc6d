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

    assert found["notebooks"] == [
        {"path": "fruit.ipynb", "status": "ok", "reason": "", "order_reason": "", "notes": []}
    ]
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

    assert "cell 1, line 1, for df['price']\n    df['price'] = df['cents'] / 100\n" in result.stdout
    assert "cell 2, which draws\n    df['price'].hist()\n" in result.stdout


def test_a_person_reads_what_it_shows_and_what_it_needs(notebook: Path) -> None:
    lines = run("fruit.ipynb").stdout.splitlines()

    assert lines[:2] == ["fruit.ipynb: 2 components", ""]
    assert lines[2] == "cell 2: histogram of cents"
    assert lines[3:8] == [
        "  reads       fruit.csv",
        "  merged      cells 0, 1, which only prepare it",
        "  needs       3 of 4 statements before it, of cells 0, 1",
        "  confidence  1.00: nothing is hidden from the analysis",
        "",
    ]
    assert lines[8:11] == ["    import pandas as pd", "    df = pd.read_csv('fruit.csv')", ""]


def test_only_the_lines_of_a_loop_that_matter_are_shown(notebook: Path) -> None:
    source = (
        "import pandas as pd\ndf = pd.read_csv('a.csv')\nfor c in df:\n    n = len(c)\n    df[c] = df[c] + 1"
    )
    cells = [{"cell_type": "code", "source": text, "outputs": []} for text in (source, "df['a'].hist()")]
    Path("loop.ipynb").write_text(json.dumps({"cells": cells}))

    shown = run("loop.ipynb", "--explain").stdout

    assert "only the lines of it that matter\n    for c in df:\n        df[c] = df[c] + 1\n" in shown


def test_what_was_done_to_a_notebook_is_said(notebook: Path) -> None:
    cells = [("df.hist()", 2), ("df = 1\nprint 'a'", 1)]
    listed = [
        {"cell_type": "code", "source": text, "execution_count": count, "outputs": []}
        for text, count in cells
    ]
    Path("old.ipynb").write_text(json.dumps({"cells": listed}))

    shown = run("old.ipynb").stdout

    assert "the cells are taken as they were run: as they stand, `df` would be used undefined" in shown
    assert "written in Python 2, rewritten where that is mechanical" in shown


def test_nothing_is_coloured_or_folded_in_a_pipe(notebook: Path) -> None:
    long = "x = '" + "a" * 200 + "'"
    cells = [{"cell_type": "code", "source": f"{long}\nplt.plot(x)", "outputs": []}]
    Path("long.ipynb").write_text(json.dumps({"cells": cells}))

    shown = run("long.ipynb").stdout

    assert f"    {long}\n" in shown
    assert "\x1b" not in shown


def test_control_characters_do_not_steer_the_terminal(notebook: Path) -> None:
    cells = [{"cell_type": "code", "source": "# \x1b[2J\nplt.plot('[bold]x[/]')", "outputs": []}]
    Path("esc.ipynb").write_text(json.dumps({"cells": cells}))

    shown = run("esc.ipynb").stdout

    assert "\x1b" not in shown
    assert "plt.plot('[bold]x[/]')" in shown


def test_other_formats_and_separators_are_read(notebook: Path) -> None:
    Path("fruit.csv").write_text("cents;name\n1;a\n2;b\n")
    Path("n.py").write_text("# %%\nimport pandas as pd\ndf = pd.read_csv('fruit.csv')\n# %%\ndf.hist()\n")
    Path("n.md").write_text(
        "---\njupytext: 1\n---\n# Fruit\n```{code-cell}\n"
        "import pandas as pd\ndf = pd.read_csv('f.csv')\ndf.hist()\n```\n"
    )

    found = document("n.py", "n.md", "--data", "fruit.csv")["components"]

    assert [(one["notebook"], one["columns"]) for one in found] == [("n.py", ["cents"]), ("n.md", ["cents"])]


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
