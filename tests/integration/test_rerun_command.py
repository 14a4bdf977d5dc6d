"""`lakebook rerun`: which table each component gets, the JSON contract, diffs and exit codes."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import nbformat
import pytest
from nbformat.v4 import new_code_cell, new_notebook
from typer.testing import CliRunner

from lakebook.cli.main import app

HEAD = "import pandas as pd\nimport matplotlib.pyplot as plt"
ORDERS = "order_id,customer_id,day,amount\n" + "".join(
    f"{n},{n % 5},0{1 + n % 4}/0{1 + n % 6}/2026,{10 + n}\n" for n in range(40)
)
CUSTOMERS = "customer_id,city,age\n" + "".join(
    f"{n},{'Rome' if n % 2 else 'Oslo'},{30 + n}\n" for n in range(5)
)


@pytest.fixture
def place(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    monkeypatch.chdir(tmp_path)
    (tmp_path / "lake").mkdir()
    (tmp_path / "old").mkdir()
    (tmp_path / "lake" / "orders.csv").write_text(ORDERS, encoding="utf-8")
    (tmp_path / "lake" / "customers.csv").write_text(CUSTOMERS, encoding="utf-8")
    return tmp_path


def notebook(place: Path, name: str, *cells: str) -> None:
    document = new_notebook(cells=[new_code_cell(cell) for cell in cells])
    nbformat.write(document, place / "old" / name)


def rerun(*arguments: str) -> tuple[int, str, str]:
    options = ["--notebooks", "old", "--data", "lake", "--sandbox", "unsafe-local"]
    result = CliRunner().invoke(app, ["rerun", *options, *arguments])
    return result.exit_code, result.stdout, result.stderr


def components(*arguments: str) -> list[dict[str, Any]]:
    code, out, err = rerun("--json", *arguments)
    assert code == 0, err
    found: list[dict[str, Any]] = json.loads(out)["components"]
    return found


TWO_FILES = (
    HEAD,
    "orders = pd.read_csv('../input/Orders.csv', sep=';')\nclients = pd.read_csv('../input/clients.csv')",
    "both = orders.merge(clients, on='CustomerID')\nboth.groupby('City')['Amount'].sum().plot.bar()",
)


def test_a_component_of_two_files_reads_both_tables(place: Path) -> None:
    notebook(place, "two.ipynb", *TWO_FILES)
    (item,) = components()
    assert (item["status"], item["error"]) == ("ok", "")
    assert item["table"] in ("orders.csv", "customers.csv")
    (also,) = item["also_read"]
    assert {item["table"], also["source"]} == {"orders.csv", "customers.csv"}
    assert also["sha256"]
    assert 'DATA_DIR / "customers.csv"' in item["code"] or 'DATA_DIR / "orders.csv"' in item["code"]
    assert {"load", "load_option"} <= {repair["kind"] for repair in item["repairs"]}


def test_the_json_keeps_its_contract(place: Path) -> None:
    notebook(place, "one.ipynb", HEAD, "df = pd.read_csv('orders.csv')", "df['amount'].hist()")
    code, out, _ = rerun("--json", "--out", "figures")
    document = json.loads(out)
    assert (code, set(document)) == (0, {"dataset", "components"})
    (item,) = document["components"]
    assert {"id", "status", "error", "repairs", "figures"} <= set(item)
    assert document["dataset"] == item["table"] == "orders.csv"
    assert all({"kind", "before", "after"} <= set(repair) for repair in item["repairs"])
    assert [Path(name).read_bytes()[:4] for name in item["figures"]] == [b"\x89PNG"]


def test_each_component_gets_its_own_table(place: Path) -> None:
    notebook(place, "a.ipynb", HEAD, "df = pd.read_csv('x.csv')", "df.plot.scatter('order_id', 'amount')")
    notebook(
        place, "b.ipynb", HEAD, "df = pd.read_csv('y.csv')", "df.groupby('city')['age'].mean().plot.bar()"
    )
    assert {item["notebook"]: (item["status"], item["table"]) for item in components()} == {
        "a.ipynb": ("ok", "orders.csv"),
        "b.ipynb": ("ok", "customers.csv"),
    }


def test_a_dataset_that_is_named_is_the_only_one(place: Path) -> None:
    notebook(
        place, "b.ipynb", HEAD, "df = pd.read_csv('y.csv')", "df.groupby('city')['age'].mean().plot.bar()"
    )
    (item,) = components("--dataset", "orders.csv")
    assert item["status"] == "not_applicable"
    assert "does not have: age, city" in item["error"]


def test_notes_on_the_sources_count(place: Path) -> None:
    draw = "df.groupby(pd.to_datetime(df['day']).dt.month)['amount'].sum().plot.bar()"
    notebook(place, "d.ipynb", HEAD, "df = pd.read_csv('o.csv')", draw)
    pictures = []
    for order in ("day", "month"):
        (place / "lake" / "sources.yml").write_text(
            f"files:\n  orders.csv:\n    columns:\n      day:\n        dates: {order}\n",
            encoding="utf-8",
        )
        (item,) = components("--dataset", "orders.csv", "--out", order)
        pictures.append(Path(item["figures"][0]).read_bytes())
    assert pictures[0] != pictures[1]


def test_the_terminal_shows_the_diff(place: Path) -> None:
    notebook(place, "two.ipynb", *TWO_FILES)
    code, out, err = rerun()
    assert code == 0
    assert "two.ipynb cell 2  ok" in out
    assert "- orders = pd.read_csv('../input/Orders.csv', sep=';')" in out
    assert "reads " in out
    assert "1 components: 1 work, 0 draw nothing worth showing, 0 failed, 0 do not fit the data" in err


def test_a_group_is_a_dataset(place: Path) -> None:
    for year in (2024, 2025):
        text = "city,score\n" + "".join(f"c{n},{n + year}\n" for n in range(20))
        (place / "lake" / f"scores_{year}.csv").write_text(text, encoding="utf-8")
    notebook(
        place,
        "g.ipynb",
        HEAD + "\nimport glob",
        "df = pd.concat([pd.read_csv(f) for f in glob.glob('in/*.csv')])",
        "df['score'].hist()",
    )
    (item,) = components("--dataset", "scores_*.csv")
    assert (item["status"], item["table"]) == ("ok", "scores_{date}.csv")


def test_one_file_alone_is_read(place: Path) -> None:
    notebook(place, "one.ipynb", HEAD, "df = pd.read_csv('orders.csv')", "df['amount'].hist()")
    (place / "lake" / "broken.csv").write_bytes(b"\x00\x01\x02" * 50)
    code, out, _ = rerun("--data", "lake/orders.csv", "--json")
    assert (code, json.loads(out)["dataset"]) == (0, "orders.csv")


@pytest.mark.parametrize(
    ("arguments", "code"),
    [(("--data", "nowhere"), 2), (("--dataset", "nothing.csv"), 2), (("--notebooks", "nowhere"), 2)],
)
def test_usage_errors(place: Path, arguments: tuple[str, str], code: int) -> None:
    notebook(place, "one.ipynb", HEAD, "df = pd.read_csv('orders.csv')", "df['amount'].hist()")
    result = CliRunner().invoke(app, ["rerun", "--notebooks", "old", "--data", "lake", *arguments])
    assert result.exit_code == code or getattr(result.exception, "exit_code", None) == code


def test_an_unreadable_notebook_is_told_and_stops_nothing(place: Path) -> None:
    notebook(place, "one.ipynb", HEAD, "df = pd.read_csv('orders.csv')", "df['amount'].hist()")
    (place / "old" / "broken.ipynb").write_text("{", encoding="utf-8")
    code, out, err = rerun("--json")
    assert code == 4
    assert [item["status"] for item in json.loads(out)["components"]] == ["ok"]
    assert "broken.ipynb" in err
