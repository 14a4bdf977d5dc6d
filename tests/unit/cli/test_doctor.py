from __future__ import annotations

import json
from pathlib import Path

import pytest
import typer
from typer.testing import CliRunner

from lakebook.cli import doctor
from lakebook.cli.doctor import Finding
from lakebook.settings import Settings, load_settings


def settings(tmp_path: Path, **environment: str) -> Settings:
    return load_settings(directory=tmp_path, environment=environment)


@pytest.fixture
def runner(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> CliRunner:
    monkeypatch.chdir(tmp_path)
    return CliRunner()


def invoke(runner: CliRunner, *arguments: str) -> tuple[int, str]:
    app = typer.Typer()
    app.command()(doctor.doctor)
    result = runner.invoke(app, list(arguments))
    return result.exit_code, result.stdout


@pytest.mark.parametrize(("state", "code"), [("ok", 0), ("limited", 0), ("bad", 1)])
def test_only_a_broken_part_fails(
    runner: CliRunner, monkeypatch: pytest.MonkeyPatch, state: str, code: int
) -> None:
    finding = Finding("part", state, "what was found", "what to do")  # type: ignore[arg-type]
    monkeypatch.setattr(doctor, "TESTS", (lambda settings: finding,))
    ended, text = invoke(runner)
    assert ended == code
    assert "what was found" in text
    assert "what to do" in text
    ended, text = invoke(runner, "--json")
    assert ended == code
    document = json.loads(text)
    assert document == {
        "ok": code == 0,
        "parts": [{"part": "part", "state": state, "detail": "what was found", "hint": "what to do"}],
    }


@pytest.mark.parametrize(
    "check",
    [doctor.check_python, doctor.check_fonts, doctor.check_disk, doctor.check_history, doctor.check_pdf],
)
def test_the_parts_work_here(tmp_path: Path, check: object) -> None:
    assert check(settings(tmp_path)).state == "ok"  # type: ignore[operator]


def test_a_full_disk_is_bad(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(doctor, "_LEAST_FREE_MB", 10**12)
    assert doctor.check_disk(settings(tmp_path)).state == "bad"


def test_a_state_folder_that_cannot_be_written_is_bad(tmp_path: Path) -> None:
    assert doctor.check_history(settings(tmp_path, LAKEBOOK_STATE="/proc/none")).state == "bad"


def test_an_old_python_is_bad(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(doctor, "_PYTHON", (9, 0))
    assert doctor.check_python(settings(tmp_path)).state == "bad"


def test_a_sandbox_that_is_not_there_is_bad(tmp_path: Path) -> None:
    finding = doctor.check_sandbox(settings(tmp_path, LAKEBOOK_SANDBOX="castle"))
    assert finding.state == "bad"
    assert "bubblewrap" in finding.hint


@pytest.mark.parametrize(
    ("environment", "state", "words"),
    [
        ({}, "ok", "offline analyst"),
        (
            {"LAKEBOOK_MODEL": "m", "OPENAI_BASE_URL": "http://localhost:9/v1"},
            "limited",
            "could not be reached",
        ),
        ({"LAKEBOOK_MODEL": "m", "OPENAI_BASE_URL": "localhost:9"}, "bad", "base_url is"),
        ({"LAKEBOOK_MODEL": "m"}, "limited", "half set up"),
        ({"OPENAI_API_KEY": "k"}, "limited", "half set up"),
    ],
)
def test_the_model_is_told_as_it_is_set(
    tmp_path: Path, environment: dict[str, str], state: str, words: str
) -> None:
    finding = doctor.check_model(settings(tmp_path, **environment))
    assert finding.state == state
    assert words in finding.detail
    assert "k" not in finding.detail.split()
