"""`lakebook search`: the JSON contract, what the terminal shows, and that nothing is done twice."""

from __future__ import annotations

import json
from pathlib import Path

import pytest
from typer.testing import CliRunner

from lakebook.cli.main import app, main
from lakebook.exploration import kept

FILES = {
    "sales-2019.csv": "region,revenue\nNorth,10\nUmbria,20\n",
    "sales-2020.csv": "region,revenue\nNorth,30\nUmbria,40\n",
    "guide.md": "# Guide\n\nRevenue is net of tax. \x1b[31mred [bold]not bold[/bold]\n",
}


@pytest.fixture
def lake(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    for name in ("LAKEBOOK_MODEL", "LAKEBOOK_EMBEDDING_MODEL", "OPENAI_API_KEY", "OPENAI_BASE_URL"):
        monkeypatch.delenv(name, raising=False)
    monkeypatch.chdir(tmp_path)
    (tmp_path / "lake").mkdir()
    for name, text in FILES.items():
        (tmp_path / "lake" / name).write_text(text, encoding="utf-8")
    return tmp_path / "lake"


def run(*arguments: str) -> tuple[int, str, str]:
    result = CliRunner().invoke(app, ["search", *arguments])
    return result.exit_code, result.stdout, result.stderr


def test_the_json_keeps_its_contract(lake: Path) -> None:
    code, out, _ = run(str(lake), "revenue in Umbria in 2020", "--json")
    document = json.loads(out)
    assert code == 0
    assert set(document) == {"groups", "evidence", "omitted", "notes"}
    group = document["groups"][0]
    assert group["members"] == ["sales-2019.csv", "sales-2020.csv"]
    assert group["selected"] == ["sales-2020.csv"]
    assert group["score"] == 1.0
    assert "Umbria".lower() in group["why"]
    assert {"path", "position", "text_or_rows", "coverage"} == set(document["evidence"][0])
    rows = next(e for e in document["evidence"] if e["position"] == "row 2")
    assert rows["text_or_rows"] == [{"region": "Umbria", "revenue": "40"}]


def test_the_terminal_shows_groups_evidence_and_what_was_left_out(lake: Path) -> None:
    code, out, err = run(str(lake), "revenue in Umbria in 2020")
    assert code == 0
    assert "1. sales-{date}.csv" in out
    assert "2 members, 1 chosen by date: sales-2020.csv" in out
    assert "region=Umbria, revenue=40" in out
    assert "left out:" in err
    assert "No model is set" in err


def test_text_of_a_file_neither_steers_nor_styles_the_terminal(lake: Path) -> None:
    _, out, _ = run(str(lake), "how is revenue net of tax")
    assert "\x1b" not in out
    assert "[bold]not bold[/bold]" in out


def test_a_second_search_builds_nothing(lake: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    _, first, _ = run(str(lake), "revenue", "--json")
    monkeypatch.setattr(kept, "build_index", lambda *_: pytest.fail("the index was built again"))
    _, second, _ = run(str(lake), "revenue", "--json")
    assert first == second


def test_nothing_matches_and_an_empty_question(lake: Path) -> None:
    code, out, err = run(str(lake), "zzz")
    assert (code, out) == (0, "")
    assert "Nothing in this folder matches" in err
    assert CliRunner().invoke(app, ["search", str(lake), " "]).exception is not None


def test_a_folder_that_cannot_be_written_is_an_error_in_words(
    lake: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    (lake.parent / "file").write_text("", encoding="utf-8")
    monkeypatch.setattr("sys.argv", ["lakebook", "sources", str(lake), "--state", str(lake.parent / "file")])
    with pytest.raises(SystemExit) as ended:
        main()
    assert ended.value.code == 1
    assert "error: " in capsys.readouterr().err


def test_a_file_that_could_not_be_read_shows_in_the_exit_code(lake: Path) -> None:
    (lake / "cut.parquet").write_bytes(b"PAR1" + bytes(40))
    code, out, _ = run(str(lake), "revenue in Umbria in 2020", "--json")
    assert code == 4
    assert any("cut.parquet" in note for note in json.loads(out)["omitted"])
