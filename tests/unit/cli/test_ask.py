"""`lakebook ask`: the JSON contract, exit codes, what is kept, and that ablations and failures are told."""

from __future__ import annotations

import json
import sys
from collections.abc import Callable
from pathlib import Path

import pytest
from typer.testing import CliRunner

from lakebook.agent.kept import KeptRun
from lakebook.analyst.model import layers
from lakebook.analyst.model.protocol import EndpointFailed
from lakebook.cli import console
from lakebook.cli.main import app, main
from lakebook.operators.kept_records import read_records
from lakebook.storage import canonical
from tests.unit.agent.conftest import Scripted

SALES = "region,shop,amount\nNorth,A,10\nNorth,B,30\nSouth,C,5\nSouth,D,5\n"
TOTAL = "<Code>SELECT sum(amount) AS total FROM sales</Code>"
ANSWER = "<Answer>Sales were {r001.total} in all.\nAssumption: gross</Answer>"
VARIABLES = ("LAKEBOOK_MODEL", "LAKEBOOK_EMBEDDING_MODEL", "OPENAI_API_KEY", "OPENAI_BASE_URL")

Script = Callable[..., Scripted]


@pytest.fixture
def lake(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    for name in VARIABLES:
        monkeypatch.delenv(name, raising=False)
    monkeypatch.chdir(tmp_path)
    folder = tmp_path / "lake"
    folder.mkdir()
    (folder / "sales.csv").write_text(SALES, encoding="utf-8")
    return folder


@pytest.fixture
def script(lake: Path, monkeypatch: pytest.MonkeyPatch) -> Script:
    """Return what sets a model that says what a test has it say."""

    def set_model(*replies: str | EndpointFailed) -> Scripted:
        model = Scripted(*replies)
        monkeypatch.setenv("LAKEBOOK_MODEL", "scripted")
        monkeypatch.setenv("OPENAI_BASE_URL", "http://127.0.0.1:9/v1")
        monkeypatch.setattr(layers, "open_model", lambda settings, state, budget: model)
        return model

    return set_model


def ask(*arguments: str) -> tuple[int, str, str]:
    result = CliRunner().invoke(app, ["ask", *arguments])
    return result.exit_code, result.stdout, result.stderr


def kept(state: Path = Path(".lakebook")) -> Path:
    (folder,) = (state / "asks").iterdir()
    return folder


def test_without_a_model_the_offline_analyst_answers(lake: Path) -> None:
    code, out, err = ask(str(lake), "What is the total amount in the North region?", "--type", "number")
    assert code == 0
    assert "40" in out
    assert "SELECT" in out
    assert "sales.csv: 4 of 4 rows; amount, region" in out
    assert "Read as" in out
    assert "Verdict: pass. Answered by: offline analyst." in out
    assert "No model is asked" in err


def test_the_json_keeps_its_contract(lake: Path) -> None:
    code, out, _ = ask(str(lake), "What is the average amount?", "--decimals", "1", "--json")
    document = json.loads(out)
    assert code == 0
    assert {"answer", "type", "references", "records", "verdict"} <= set(document)
    assert (document["answer"], document["type"], document["verdict"]) == (12.5, "number", "pass")
    reference = document["references"][0]
    assert reference["record"] == "r001"
    assert "AVG" in reference["code"]
    assert reference["sources"][0]["source"] == "sales.csv"
    assert [record["operator"] for record in document["records"]] == ["Query", "Answer"]


def test_what_cannot_be_read_with_certainty_is_declined(lake: Path) -> None:
    code, out, err = ask(str(lake), "Why do people like the North?", "--json")
    assert code == 1
    assert json.loads(out)["answer"] is None
    assert json.loads(out)["reason"]
    assert "no answer:" in err
    code, _, err = ask(str(lake), "What is the average amount?", "--type", "text")
    assert code == 1
    assert "no single name" in err


def test_a_model_answers_and_all_of_it_is_kept(script: Script, lake: Path) -> None:
    script(TOTAL, ANSWER)
    code, out, err = ask(str(lake), "What are the total sales?", "--type", "number")
    assert code == 0
    assert out.startswith("Sales were 50 in all.")
    assert "Assumption: gross" in out
    assert "Answered by: scripted." in out
    assert "1. Query: SELECT sum(amount)" in err
    assert "r001 Query: pass, 1 row" in err
    folder = kept()
    run = json.loads((folder / "run.json").read_text())
    assert [one["records"] for one in run["rounds"]] == [["r001"], ["r002"]]
    assert run["answer"]["value"] == 50
    assert run["exploration"]["groups"][0]["id"] == "sales.csv"
    assert "Question: What are the total sales?" in run["briefing"]
    assert [record.id for record in read_records(folder)] == ["r001", "r002"]
    calls = [json.loads(line) for line in (folder / "llm_calls.jsonl").read_text().splitlines()]
    assert [call["reply"] for call in calls] == [TOTAL, ANSWER]


def test_quiet_is_silent_but_for_the_answer(script: Script, lake: Path) -> None:
    script(TOTAL, ANSWER)
    result = CliRunner().invoke(app, ["-q", "ask", str(lake), "What are the total sales?"])
    console.configure(quiet=False, verbose=False, color=True)
    assert result.exit_code == 0
    assert result.stderr == ""


def test_a_dead_endpoint_is_told_in_a_line_and_the_offline_analyst_answers(
    script: Script, lake: Path
) -> None:
    script(EndpointFailed("the endpoint could not be reached", hint="Start the service."))
    code, out, err = ask(str(lake), "What is the total amount?", "--json")
    assert code == 0
    assert json.loads(out)["by"] == "offline analyst"
    lines = [line for line in err.splitlines() if "warning" in line]
    assert len(lines) == 1
    assert "could not be reached. Start the service." in lines[0]
    assert "The offline analyst answers instead." in err


def test_replies_that_cannot_be_used_leave_it_to_the_offline_analyst(script: Script, lake: Path) -> None:
    script(TOTAL, "Well.", "Hm.", "So.")
    code, out, err = ask(str(lake), "What is the total amount?")
    assert code == 0
    assert "Answered by: offline analyst." in out
    assert [record.operator for record in read_records(kept())] == ["Query", "Answer"]
    assert len(read_records(kept() / "of-no-use")) == 1
    assert "was of no use" in err


def test_an_answer_that_does_not_stand_up_is_exit_3(script: Script, lake: Path) -> None:
    script(TOTAL, *["<Answer>Sales were 71.</Answer>"] * 4)
    code, out, err = ask(str(lake), "What are the total sales?", "--json")
    assert code == 3
    assert json.loads(out)["verdict"] == "reject"
    assert "did not stand up" in err


def test_a_spent_budget_is_exit_5_and_keeps_what_there_is(script: Script, lake: Path) -> None:
    script(*(f"<Code>SELECT {number} AS a FROM sales LIMIT 1</Code>" for number in range(5)))
    code, _, err = ask(str(lake), "What are the total sales?", "--rounds", "2")
    assert code == 5
    assert "stopped by the budget" in err
    assert len(read_records(kept())) == 2


def test_ablations_are_loud(script: Script, lake: Path) -> None:
    model = script("<Code>SELECT sum(amount) AS total FROM sales WHERE region = 'north'</Code>", ANSWER)
    arguments = [
        str(lake),
        "What are the sales in the north?",
        "--no-validation",
        "--no-exploration",
        "--json",
    ]
    _, out, err = ask(*arguments)
    assert json.loads(out)["ablations"] == ["exploration", "validation"]
    assert json.loads(out)["verdict"] == "not_checked"
    assert "NO RULE IS CHECKED" in err
    first = model.requests[0].messages[1][1]
    assert "columns you have to Inspect first: sales (4 rows)" in first
    assert "shop" not in first


def test_a_dry_run_sends_nothing(script: Script, lake: Path) -> None:
    model = script()
    code, out, err = ask(str(lake), "What are the total sales?", "--dry-run")
    assert (code, out, model.requests) == (0, "", [])
    assert "Expected of scripted" in err


def test_files_that_could_not_be_read_are_exit_4(lake: Path) -> None:
    (lake / "broken.parquet").write_bytes(b"PAR1 not at all")
    code, out, _ = ask(str(lake), "What is the total amount?")
    assert code == 4
    assert "50" in out


@pytest.mark.parametrize(
    ("arguments", "said"),
    [(["  "], "question is empty"), (["How many rows?", "--type", "tensor"], "Known: number, integer")],
)
def test_what_cannot_be_is_exit_2(
    lake: Path,
    monkeypatch: pytest.MonkeyPatch,
    capsys: pytest.CaptureFixture[str],
    arguments: list[str],
    said: str,
) -> None:
    monkeypatch.setattr(sys, "argv", ["lakebook", "ask", str(lake), *arguments])
    with pytest.raises(SystemExit) as ended:
        main()
    assert ended.value.code == 2
    assert said in capsys.readouterr().err


def test_a_kept_run_reads_back(script: Script, lake: Path) -> None:
    script(TOTAL, ANSWER)
    ask(str(lake), "What are the total sales?")
    from pydantic import TypeAdapter

    text = (kept() / "run.json").read_bytes()
    run = TypeAdapter(KeptRun).validate_json(text)
    assert run.ending == "answered"
    assert canonical(run, KeptRun) == text
