"""Limits as options, what is said before and after, `--dry-run`, and `show`."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest
from typer.testing import CliRunner

from lakebook.analyst.model.budget import Budget
from lakebook.cli import spending
from lakebook.cli.main import app
from lakebook.errors import SettingsError
from lakebook.settings import Price, load_settings

ENDPOINT = {"LAKEBOOK_MODEL": "m", "OPENAI_BASE_URL": "http://127.0.0.1:9/v1"}
PRICES = '[model.prices]\n"m" = { input = 0.4, output = 1.6 }\n'


def opened(folder: Path, toml: str = "", flags: Any = None, **environment: str) -> Any:
    (folder / "lakebook.toml").write_text(toml)
    return load_settings(flags, directory=folder, environment=ENDPOINT | environment).language_model


def test_limits_and_prices_are_settings(tmp_path: Path) -> None:
    flags = spending.limit_flags(0.5, 3, None, 60.0)
    model = opened(tmp_path, PRICES, flags)
    assert (model.max_cost, model.max_calls, model.max_tokens, model.max_seconds) == (0.5, 3, 60_000, 60.0)
    assert model.price == Price(0.4, 1.6)
    assert opened(tmp_path, PRICES, spending.limit_flags(0.0, 0, 0, None)).max_cost == 0


def test_a_limit_on_the_cost_needs_a_price(tmp_path: Path) -> None:
    with pytest.raises(SettingsError, match="price of m is not known") as refused:
        opened(tmp_path, "", spending.limit_flags(0.5, None, None, None))
    assert '[model.prices] "m" = { input = ' in refused.value.hint
    assert opened(tmp_path).price is None


@pytest.mark.parametrize(
    "toml",
    [
        "[model]\nprices = 3\n",
        '[model.prices]\n"m" = 3\n',
        '[model.prices]\n"m" = { input = -1 }\n',
        '[model.prices]\n"m" = { input = 1, outputs = 2 }\n',
        '[model.prices]\n"m" = { input = "1" }\n',
    ],
)
def test_a_bad_price_is_said(tmp_path: Path, toml: str) -> None:
    with pytest.raises(SettingsError, match="price"):
        opened(tmp_path, toml)


@pytest.mark.parametrize(("name", "value"), [("MAX_COST", "much"), ("MAX_COST", "-1"), ("MAX_SECONDS", "0")])
def test_a_bad_limit_is_said(tmp_path: Path, name: str, value: str) -> None:
    with pytest.raises(SettingsError, match=name.lower()):
        opened(tmp_path, PRICES, **{f"LAKEBOOK_{name}": value})


def test_an_old_name_of_a_level_lets_out_no_more_than_it_did(tmp_path: Path) -> None:
    assert opened(tmp_path, LAKEBOOK_PRIVACY="insights").privacy == "samples"
    with pytest.raises(SettingsError, match="figures") as refused:
        opened(tmp_path, LAKEBOOK_PRIVACY="figures")
    assert "full" in refused.value.hint
    assert opened(tmp_path).privacy == "samples"


def test_the_exit_code_tells_of_a_spent_budget() -> None:
    spent, unspent = Budget(0, 0, denied="the budget of 0 calls is spent"), Budget(0, 0)
    assert [spending.exit_code(code, spent) for code in (0, 1, 3, 4)] == [5, 1, 3, 5]
    assert [spending.exit_code(code, unspent) for code in (0, 4)] == [0, 4]
    assert spending.exit_code(0, None) == 0


def test_it_is_said_how_to_go_on(capsys: pytest.CaptureFixture[str]) -> None:
    spending.tell_spent("m", Budget(2, 9, calls=2, tokens=8, denied="the budget of 2 calls is spent"))
    told = " ".join(capsys.readouterr().err.split())
    assert "m: 2 calls, 8 tokens." in told
    assert "A run with a higher limit goes on from there" in told


@pytest.fixture
def project(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    (tmp_path / "lakebook.toml").write_text(PRICES)
    for name, value in ENDPOINT.items():
        monkeypatch.setenv(name, value)
    monkeypatch.chdir(tmp_path)
    return tmp_path


def test_a_dry_run_says_what_is_expected_and_sends_nothing(project: Path) -> None:
    words = ["run", "--intent", "which?", "--dry-run", "--max-cost", "0.5", "--json"]
    done = CliRunner().invoke(app, words)
    assert done.exit_code == 0, done.output
    document = json.loads(done.stdout)
    assert document["dry_run"] is True
    assert document["expected"]["calls"] == [3, 20]
    assert document["expected"]["cost"][0] > 0
    assert "Expected of m:" in done.stderr
    assert "nothing was sent" in done.stderr
    assert not (project / ".lakebook" / "llm_calls.jsonl").exists()
    assert not (project / "lakebook-out").exists()


def test_show_prints_what_was_sent_and_what_it_cost(project: Path) -> None:
    call = {
        "started": "2026-01-01",
        "purpose": "intent",
        "model": "m",
        "seconds": 1.5,
        "error": "",
        "cost": 0.01,
    }
    call |= {"messages": [{"role": "user", "content": "which\x1b[31m?"}], "reply": "{}", "images": ["ab"]}
    call |= {"tokens": {"prompt": 7, "completion": 2}}
    other = {"purpose": "embedding", "model": "e", "texts": ["prose"], "error": "down", "seconds": 0.5}
    (project / ".lakebook").mkdir()
    (project / ".lakebook" / "llm_calls.jsonl").write_text(f"{json.dumps(call)}\n{json.dumps(other)}\n")
    runner = CliRunner()
    short = runner.invoke(app, ["show"]).stdout
    assert "1. 2026-01-01 intent of m: 7 + 2 tokens, cost 0.01, 1.5 s" in short
    assert "FAILED: down" in short
    assert "2 calls, 9 tokens, cost 0.01, 2.0 s" in short
    assert "which" not in short
    whole = runner.invoke(app, ["show", "--prompts"]).stdout
    for said in ("which\N{REPLACEMENT CHARACTER}[31m?", "--- reply ---\n{}", "SHA-256 ab", "prose"):
        assert said in whole
    only = json.loads(runner.invoke(app, ["show", "--purpose", "embedding", "--json"]).stdout)
    assert only["total"] == {"calls": 1, "tokens": 0, "cost": None, "seconds": 0.5}
    assert "texts" not in only["calls"][0]
    assert "No model was asked" in runner.invoke(app, ["show", "--purpose", "x"]).stderr


def test_the_help_names_where_prices_are_set(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("COLUMNS", "160")
    for command in ("ask", "run"):
        assert "`model.prices`" in CliRunner().invoke(app, [command, "--help"]).stdout
