"""`lakebook sources` and `lakebook search`: JSON keys, exit codes, what a person sees."""

from __future__ import annotations

import json
import re
from pathlib import Path
from typing import Any

import pytest
import typer
from rich.console import Console
from typer.testing import CliRunner, Result

from lakebook.cli import search, sources
from lakebook.errors import UsageError

app = typer.Typer()
app.command("sources")(sources.sources)
app.command("search")(search.search)


def run(tmp_path: Path, *arguments: str) -> Result:
    return CliRunner().invoke(app, [*arguments, "--state", str(tmp_path / "state")])


@pytest.fixture
def lake(tmp_path: Path) -> Path:
    folder = tmp_path / "lake"
    folder.mkdir()
    (folder / "a.csv").write_text("region,n\nNorth,1\nSouth,NA\n")
    return folder


def document(result: Result) -> dict[str, Any]:
    found: dict[str, Any] = json.loads(result.stdout)
    return found


def test_json_holds_the_contract(tmp_path: Path, lake: Path) -> None:
    result = run(tmp_path, "sources", str(lake), "--json")
    assert result.exit_code == 0
    found = document(result)
    file = found["files"][0]
    assert {"path", "status", "reason", "encoding", "sha256", "units"} <= set(file)
    unit = file["units"][0]
    assert {
        "unit", "kind", "table", "rows", "rows_in_file", "rows_rejected",
        "coverage", "columns", "warnings", "skipped",
    } <= set(unit)  # fmt: skip
    assert unit["coverage"] == "complete"
    assert {"name", "type", "role", "nulls", "distinct", "distinct_exact", "min", "max"} <= set(
        unit["columns"][0]
    )
    assert unit["columns"][1]["nulls"] == 1
    assert found["groups"] == []


def test_partial_and_failed_sources_exit_4(tmp_path: Path, lake: Path) -> None:
    (lake / "b.csv").write_text("a,b\n1,2\n3\n")
    result = run(tmp_path, "sources", str(lake), "--json")
    assert result.exit_code == 4
    assert document(result)["files"][1]["units"][0]["coverage"] == "partial"
    (lake / "b.csv").write_bytes(b"PAR1 not really")
    assert run(tmp_path, "sources", str(lake)).exit_code == 4


def test_skipped_files_are_no_failure(tmp_path: Path, lake: Path) -> None:
    (lake / "a.py").write_text("print(1)")
    assert run(tmp_path, "sources", str(lake)).exit_code == 0


def test_the_table_names_file_rows_and_warnings(tmp_path: Path, lake: Path) -> None:
    result = run(tmp_path, "sources", str(lake))
    assert "a.csv" in result.stdout
    assert "1 geography" in result.stdout
    assert "'NA' in 1 row" in result.stderr


def test_a_missing_or_empty_folder_is_a_usage_error(tmp_path: Path) -> None:
    (tmp_path / "empty").mkdir()
    for name, message in (("nope", "no such folder"), ("empty", "holds no files")):
        error = run(tmp_path, "sources", str(tmp_path / name)).exception
        assert isinstance(error, UsageError)
        assert message in error.message
        assert error.hint


@pytest.fixture
def project(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """Work in a project folder of its own."""
    folder = tmp_path / "project"
    folder.mkdir()
    monkeypatch.chdir(folder)
    return folder


def test_suggested_notes_are_written_once_and_then_read(tmp_path: Path, lake: Path, project: Path) -> None:
    assert run(tmp_path, "sources", str(lake), "--suggest").exit_code == 0
    notes = project / "sources.yml"
    text = notes.read_text(encoding="utf-8")
    assert "a.csv" in text
    again = run(tmp_path, "sources", str(lake), "--suggest").exception
    assert isinstance(again, UsageError)
    notes.write_text(
        text.replace('meaning: ""', "meaning: how many", 1).replace("region: {", "regiom: {"),
        encoding="utf-8",
    )
    found = run(tmp_path, "sources", str(lake), "--json")
    assert document(found)["files"][0]["meaning"] == "how many"
    assert "is 'region' meant" in document(found)["notes"][0]


def test_a_suggestion_does_not_hide_the_notes_in_the_lake(tmp_path: Path, lake: Path, project: Path) -> None:
    (lake / "sources.yml").write_text("files:\n  a.csv: {meaning: by hand}\n")
    refused = run(tmp_path, "sources", str(lake), "--suggest").exception
    assert isinstance(refused, UsageError)
    assert refused.where == str(lake / "sources.yml")
    assert not (project / "sources.yml").exists()


def test_copies_are_named_and_files_counted(tmp_path: Path, lake: Path) -> None:
    assert "same content" not in run(tmp_path, "sources", str(lake)).stdout
    (lake / "a (copy).csv").write_bytes((lake / "a.csv").read_bytes())
    (lake / "empty.csv").write_bytes(b"")
    (lake / "void.csv").write_bytes(b"")
    result = run(tmp_path, "sources", str(lake))
    assert "same content: a (copy).csv, a.csv\n" in result.stdout
    assert "empty.csv, void.csv" not in result.stdout
    assert "4 files: 2 read whole, 2 not readable." in result.stderr


def test_names_of_files_do_not_steer_the_terminal(tmp_path: Path, lake: Path) -> None:
    (lake / "red\x1b[31m\n[bold].csv").write_bytes(b"a,b\n1,2\n3\n")
    for arguments in (("sources", str(lake)), ("search", str(lake), "red")):
        result = run(tmp_path, *arguments)
        assert "\x1b" not in result.stdout + result.stderr
        assert "red\N{REPLACEMENT CHARACTER}[31m [bold].csv" in result.stdout


def test_totals_among_loaded_rows_are_said(tmp_path: Path, lake: Path) -> None:
    (lake / "b.csv").write_text("shop,sold\nA,2\nB,3\nC,4\nTotal,9\n")
    result = run(tmp_path, "sources", str(lake), "--html", str(tmp_path / "map.html"))
    assert "b.csv: 1 row has 'Total' in 'shop' and sums of the other rows" in result.stderr
    page = (tmp_path / "map.html").read_text(encoding="utf-8")
    assert "sums of the other rows" in page
    assert "set aside: 1 row has" not in page


def test_names_stay_whole_in_pipes_and_table_names_on_narrow_terminals(
    tmp_path: Path, lake: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    name = "revenue_of_all_stores_by_month_and_region"
    (lake / f"{name}.csv").write_bytes((lake / "a.csv").read_bytes())
    (lake / f"{name * 5}.csv").write_bytes(b"")
    wide = run(tmp_path, "sources", str(lake)).stdout
    assert any(f"{name * 5}.csv" in line and "the file is empty" in line for line in wide.splitlines())
    assert any(f"{name}.csv" in line and f" {name} " in line for line in wide.splitlines())
    console = Console(width=100, force_terminal=True, no_color=True, highlight=False)
    monkeypatch.setattr(sources.console, "out", lambda: console)
    with console.capture() as narrow:
        run(tmp_path, "sources", str(lake))
    lines = [re.sub(r"\x1b\[[0-9;]*m", "", line).rstrip() for line in narrow.get().splitlines()]
    assert lines[0].startswith("file and table")
    assert f"  {name}" in lines
    assert max(map(len, lines)) <= 100


def test_ignored_files_are_left_alone_and_named(tmp_path: Path, lake: Path, project: Path) -> None:
    (lake / "old.csv").write_text("a,b\n1,2\n")
    (lake / "sources.yml").write_text("files:\n  old.csv: {ignore: a copy}\n")
    files = {file["path"]: file for file in document(run(tmp_path, "sources", str(lake), "--json"))["files"]}
    assert files["old.csv"]["status"] == "skipped"
    assert "a copy" in files["old.csv"]["reason"]
    assert files["old.csv"]["units"] == []


def test_the_map_is_written_as_a_page(tmp_path: Path, lake: Path, project: Path) -> None:
    page = project / "map.html"
    assert run(tmp_path, "sources", str(lake), "--html", str(page)).exit_code == 0
    assert "2 rows in the file = 2 loaded" in page.read_text(encoding="utf-8")


def test_search_json_holds_the_contract(tmp_path: Path, lake: Path) -> None:
    result = run(tmp_path, "search", str(lake), "which region has most", "--json")
    assert result.exit_code == 0
    found = document(result)
    assert {"groups", "evidence", "omitted"} <= set(found)
    assert {"id", "members", "score", "why"} <= set(found["groups"][0])
    found = document(run(tmp_path, "search", str(lake), "North", "--json"))
    assert {"path", "position", "text_or_rows", "coverage"} <= set(found["evidence"][0])


def test_search_in_words(tmp_path: Path, lake: Path) -> None:
    result = run(tmp_path, "search", str(lake), "North region")
    assert "a.csv" in result.stdout
    assert "row 1" in result.stdout
    assert isinstance(run(tmp_path, "search", str(lake), " ").exception, UsageError)
