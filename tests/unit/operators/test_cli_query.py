"""`lakebook query` from the command line: output, JSON and exit codes."""

from __future__ import annotations

import json
from pathlib import Path

import pytest
import typer
from typer.testing import CliRunner, Result

from lakebook.cli.query import query

app = typer.Typer()
app.command("query")(query)


@pytest.fixture(scope="module")
def lake(tmp_path_factory: pytest.TempPathFactory) -> Path:
    folder = tmp_path_factory.mktemp("shop")
    rows = "\n".join(f"{number},{['north', 'south'][number % 2]},{number * 1.5}" for number in range(150))
    (folder / "sales.csv").write_text(f"order_no,region,amount\n{rows}\n")
    (folder / "regions.csv").write_text("region,head\nnorth,Ada\nsouth,Bo [x]\n")
    return folder


@pytest.fixture
def run(lake: Path, tmp_path_factory: pytest.TempPathFactory) -> object:
    state = lake.parent / "state"

    def invoke(sql: str, *options: str) -> Result:
        return CliRunner().invoke(app, [str(lake), sql, "--state", str(state), *options])

    return invoke


def test_a_result_is_printed_in_columns(run) -> None:  # type: ignore[no-untyped-def]
    result = run("select region, sum(amount) total from sales group by region order by region")
    assert result.exit_code == 0
    assert result.stdout.splitlines() == ["region  total", "north   8325.0", "south   8437.5"]
    assert "2 rows. Verdict: pass." in result.stderr


def test_json_is_the_contract(run) -> None:  # type: ignore[no-untyped-def]
    result = run("select region, count(*) n from sales group by region order by n, region", "--json")
    document = json.loads(result.stdout)
    assert document["verdict"] == "pass"
    assert document["findings"] == []
    assert document["columns"] == ["region", "n"]
    assert document["rows"] == [["north", 75], ["south", 75]]
    assert document["row_count"] == 2
    assert document["record"]["inputs"][0]["source"] == "sales.csv"
    assert document["record"]["operator"] == "Query"


def test_a_rejection_ends_with_3_and_says_why(run) -> None:  # type: ignore[no-untyped-def]
    result = run("select count(*) from sales where region = 'North'", "--json")
    assert result.exit_code == 3
    document = json.loads(result.stdout)
    assert document["verdict"] == "reject"
    (finding,) = document["findings"]
    assert finding["rule"] == "F2"
    assert set(finding) == {"rule", "action", "message", "observed", "hint", "values"}
    assert finding["hint"] == "Write 'north'."
    assert document["rows"] == []


def test_a_rejection_for_people_goes_to_stderr(run) -> None:  # type: ignore[no-untyped-def]
    result = run("select amont from sales")
    assert result.exit_code == 3
    assert result.stdout == ""
    assert "B1: There is no column 'amont'" in result.stderr
    assert "hint: Nearest: amount." in result.stderr


def test_a_product_must_be_confirmed(run) -> None:  # type: ignore[no-untyped-def]
    assert run("select count(*) n from sales, regions").exit_code == 3
    confirmed = run("select count(*) n from sales, regions", "--confirm-cross")
    assert confirmed.exit_code == 0
    assert confirmed.stdout.split() == ["n", "300"]


def test_advice_comes_with_the_result(run) -> None:  # type: ignore[no-untyped-def]
    result = run("select head from regions order by head limit 2")
    assert result.stdout.splitlines() == ["head", "Ada", "Bo [x]"]
    result = run("select region from sales limit 1")
    assert result.exit_code == 0
    assert "O1" in result.stderr


def test_long_results_are_shortened_for_people_only(run) -> None:  # type: ignore[no-untyped-def]
    result = run("select order_no from sales order by order_no")
    assert len(result.stdout.splitlines()) == 101
    assert "150 rows, the first 100 shown" in result.stderr
    assert (
        len(json.loads(run("select order_no from sales order by order_no", "--json").stdout)["rows"]) == 150
    )


def test_a_run_that_fails_ends_with_1(run) -> None:  # type: ignore[no-untyped-def]
    result = run("select error(region) from sales", "--json")
    assert result.exit_code == 1
    assert "north" in json.loads(result.stdout)["error"]


def test_a_folder_that_is_not_there_is_an_error_of_usage(tmp_path: Path) -> None:
    result = CliRunner().invoke(app, [str(tmp_path / "none"), "select 1", "--state", str(tmp_path)])
    assert getattr(result.exception, "exit_code", 0) == 2
