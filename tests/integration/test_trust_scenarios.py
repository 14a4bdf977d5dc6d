"""Trust in numbers, as people asked for it: planted truth, and what the runtime says to each kind of error.

The lake is made here, so the right numbers are known. What needs a whole notebook is in `test_main_job`.
"""

from __future__ import annotations

import ast
import csv
import json
from collections.abc import Iterator, Sequence
from functools import partial
from pathlib import Path
from typing import Any

import pytest
from typer.testing import CliRunner

from lakebook.cli.main import app
from lakebook.cli.sources import map_folder
from lakebook.operators.query import QueryResult
from lakebook.operators.runtime import Runtime
from lakebook.sources.card import SourceMap
from lakebook.sources.profile import table_file
from lakebook.validation.invocation import Invocation
from lakebook.validation.registry import check

ORDERS = 200
REGIONS = ("North", "South", "East", "West")
COUNTRIES = [
    f"{head}{tail}" for head in ("Zub", "Gen", "Mar", "Syl", "Rur") for tail in ("rowka", "ovia", "itania")
]


def write(path: Path, header: Sequence[str], rows: Sequence[Sequence[object]]) -> None:
    with path.open("w", newline="", encoding="utf-8") as file:
        csv.writer(file).writerows([header, *rows])


def revenue(order: int) -> int:
    return 100 + 7 * (order % 13)


def region(order: int) -> str:
    return "" if order % 10 == 0 else REGIONS[order % 4]


def make_lake(folder: Path) -> None:
    folder.mkdir()
    orders = range(1, ORDERS + 1)
    write(
        folder / "orders.csv",
        ("order_id", "region", "revenue", "day"),
        [(n, region(n), revenue(n), f"2024-{1 + n % 12:02d}-15") for n in orders],
    )
    # Every order has three lines, of which two have the same amount.
    write(
        folder / "lines.csv",
        ("line_id", "order_id", "product", "amount"),
        [(3 * n + k, n, f"P{k}", (20, 20, revenue(n) - 40)[k]) for n in orders for k in range(3)],
    )
    write(
        folder / "countries.csv",
        ("country", "inhabitants"),
        [(name, 1_000 * (3 + 7 * n % 31)) for n, name in enumerate(COUNTRIES)],
    )
    (folder / "metrics.md").write_text(
        "# Metrics\n\n## Loyalty\n\nThe return rate is the visits of kind back divided by all visits.\n"
    )
    write(folder / "visits.csv", ("visit", "kind"), [(n, ("new", "back")[n % 3 == 0]) for n in range(27_000)])


@pytest.fixture(scope="module")
def place(tmp_path_factory: pytest.TempPathFactory) -> Path:
    made = tmp_path_factory.mktemp("trust")
    make_lake(made / "lake")
    return made


@pytest.fixture(scope="module")
def source_map(place: Path) -> SourceMap:
    return map_folder(place / "lake", place / "state")


@pytest.fixture
def runtime(place: Path, source_map: SourceMap) -> Iterator[Runtime]:
    with Runtime(source_map, partial(table_file, place / "state")) as opened:
        yield opened


def told(result: QueryResult, action: str) -> str:
    return " ".join(
        f"{f.rule} {f.message} {f.observed} {f.hint}" for f in result.record.findings if f.action == action
    )


def total(result: QueryResult, column: int = -1) -> float:
    return sum(float(str(row[column])) for row in result.rows)


TRUE_REVENUE = sum(map(revenue, range(1, ORDERS + 1)))


def test_a_join_that_multiplies_rows_is_told_before_its_total_is_believed(runtime: Runtime) -> None:
    joined = "SELECT region, SUM(revenue) FROM orders JOIN lines USING (order_id) GROUP BY region"
    wrong = runtime.query(joined)
    assert total(wrong) == 3 * TRUE_REVENUE
    assert "J4" in told(wrong, "advise")
    assert "3.0 times" in told(wrong, "advise")
    right = runtime.query(
        "SELECT region, SUM(revenue) FROM orders JOIN (SELECT order_id, COUNT(*) AS n FROM lines "
        "GROUP BY order_id) USING (order_id) GROUP BY region"
    )
    assert total(right) == TRUE_REVENUE
    assert "J4" not in told(right, "advise")


def test_equal_amounts_of_one_order_both_count(runtime: Runtime) -> None:
    whole = runtime.query("SELECT SUM(amount) FROM orders JOIN lines USING (order_id)")
    assert total(whole) == TRUE_REVENUE
    assert whole.record.verdict == "pass"
    assert "DISTINCT" not in told(whole, "advise")
    cured = runtime.query(
        "SELECT order_id, SUM(DISTINCT amount) AS amount FROM orders JOIN lines USING (order_id) "
        "GROUP BY order_id"
    )
    assert total(cured) == TRUE_REVENUE - 20 * ORDERS
    assert "DISTINCT" in told(cured, "advise")


def test_two_tables_that_nothing_pairs_are_rejected_before_they_run(runtime: Runtime) -> None:
    product = runtime.query("SELECT COUNT(*) FROM orders, lines")
    assert product.record.verdict == "reject"
    assert product.record.result is None
    assert "CROSS JOIN" in told(product, "reject")
    meant = runtime.query("SELECT COUNT(*) FROM orders, lines", confirm_cross=True)
    assert total(meant) == 3 * ORDERS**2


def test_a_filter_on_a_value_that_does_not_exist_is_no_zero(runtime: Runtime) -> None:
    absent = runtime.query("SELECT COUNT(*) FROM orders WHERE region = 'Nroth'")
    assert absent.record.verdict == "reject"
    assert absent.rows == ()
    assert "North" in told(absent, "reject")
    assert "South" in told(runtime.query("SELECT COUNT(*) FROM orders WHERE region = 'south'"), "reject")


def test_shares_over_groups_say_that_some_rows_have_no_group(runtime: Runtime) -> None:
    shares = (
        "SELECT region, SUM(revenue) * 100.0 / (SELECT SUM(revenue) FROM orders) AS share FROM orders "
        "{where} GROUP BY region"
    )
    with_missing = runtime.query(shares.format(where=""))
    assert total(with_missing) == pytest.approx(100)
    assert None in [row[0] for row in with_missing.rows]
    without = runtime.query(shares.format(where="WHERE region IS NOT NULL"))
    assert total(without) < 95


def asked(place: Path, question: str, *flags: str, code: int = 0) -> dict[str, Any]:
    """Ask without a model, in the terms of the command's contract."""
    words = ["ask", str(place / "lake"), question, "--offline", "--json", "--state", str(place / "state")]
    done = CliRunner().invoke(app, [*words, *flags])
    assert done.exit_code == code, done.stderr
    document: dict[str, Any] = json.loads(done.stdout)
    return document


def test_names_and_figures_of_an_answer_are_those_of_the_data(place: Path) -> None:
    answer = asked(place, "top 5 countries by inhabitants")
    truth = {name: 1_000 * (3 + 7 * n % 31) for n, name in enumerate(COUNTRIES)}
    best = sorted(truth, key=lambda name: -truth[name])[:5]
    assert answer["answer"] == best
    assert all(f"{name} ({truth[name]:,})" in answer["text"] for name in best)


def test_a_frame_of_values_written_into_code_is_not_taken_for_data(runtime: Runtime) -> None:
    known = {"countries": runtime.state.known("countries")}

    def rules_on(first: str) -> set[str]:
        code = f"import pandas as pd\n{first}\ntop = countries.nlargest(3, 'inhabitants')\nprint(top)"
        invocation = Invocation("Compute", {"code": code}, tree=ast.parse(code), frames=known)
        return {finding.rule for finding in check(invocation, runtime.knowledge, "before")}

    names = ["France", "Spain", "Italy", "Peru", "Chile", "Ghana", "Japan", "Nepal"]
    remembered = {"country": names, "inhabitants": [67, 47, 60, 33, 19, 32, 125, 30]}
    assert "O10py" in rules_on(f"countries = pd.DataFrame({remembered})")
    assert not rules_on("countries = countries.dropna()")


def test_counts_are_of_all_rows_and_say_so(place: Path) -> None:
    whole = asked(place, "how many visits are there?")
    assert (whole["answer"], whole["type"]) == (27_000, "integer")
    (source,) = whole["references"][0]["sources"]
    assert (source["source"], source["rows"], source["rows_in_source"]) == ("visits.csv", 27_000, 27_000)
    kinds = asked(place, "how many visits per kind?")
    assert {row["kind"]: row["result"] for row in kinds["answer"]} == {"back": 9_000, "new": 18_000}


def test_every_number_of_an_answer_leads_to_file_version_columns_rows_and_query(
    place: Path, runtime: Runtime
) -> None:
    answer = asked(place, "average revenue per region")
    records = {record["id"]: record for record in answer["records"]}
    for reference in answer["references"]:
        record = records[reference["record"]]
        assert reference["code"] == record["arguments"]["sql"]
        (source,) = reference["sources"]
        assert source["source"] == "orders.csv"
        assert len(source["sha256"]) == 64
        assert {"revenue", "region"} <= set(source["columns"])
        again = runtime.query(reference["code"])
        assert again.record.result_sha256 == record["result_sha256"]


def test_groups_of_an_answer_add_up_to_the_whole_with_the_rows_that_have_no_group(place: Path) -> None:
    answer = asked(place, "total revenue by region")
    assert sum(row["result"] for row in answer["answer"]) == TRUE_REVENUE
    assert None in [row["region"] for row in answer["answer"]]
    assert "without a value of region" in " ".join([answer["text"], *answer["notes"]])


def test_a_value_that_does_not_exist_gives_no_answer_instead_of_a_zero(place: Path) -> None:
    declined = asked(place, "total revenue in Atlantis", code=1)
    assert declined["answer"] is None
    assert "Atlantis" in declined["reason"]


def test_how_an_open_word_was_read_is_said_beside_the_answer(place: Path) -> None:
    answer = asked(place, "how many distinct products are there?")
    assert answer["answer"] == 3
    assert any("Different values of product" in said for said in answer["assumptions"])


def test_without_a_model_the_answer_says_who_gave_it(place: Path) -> None:
    assert asked(place, "median amount")["by"] == "offline analyst"


def test_a_metric_that_only_a_document_defines_is_cited_and_not_guessed(place: Path) -> None:
    declined = asked(place, "What is the return rate?", code=1)
    assert declined["answer"] is None
    assert "rate" in declined["reason"]
    (cited,) = declined["notes"]
    assert cited == (
        "metrics.md, line 5, says: The return rate is the visits of kind back divided by all visits."
    )
