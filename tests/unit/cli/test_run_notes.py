"""What `lakebook run` says of who works and of what leaves the machine."""

from __future__ import annotations

import inspect
from pathlib import Path

import pytest

from lakebook.cli import run
from lakebook.settings import load_settings

ENDPOINT = {"LAKEBOOK_MODEL": "m", "OPENAI_BASE_URL": "http://me:pw@h:1/v1"}


def said(capsys: pytest.CaptureFixture[str], folder: Path, environment: dict[str, str]) -> str:
    run._tell_who_works(load_settings(directory=folder, environment=environment))
    told = capsys.readouterr()
    assert told.out == ""
    return " ".join(told.err.split())


def test_offline_nothing_leaves(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    assert "nothing leaves this machine." in said(capsys, tmp_path, {})
    assert "no OPENAI_API_KEY or OPENAI_BASE_URL is" in said(capsys, tmp_path, {"LAKEBOOK_MODEL": "m"})


@pytest.mark.parametrize(("privacy", "findings"), [("samples", True), ("schema", False)])
def test_with_a_model_it_is_said_what_leaves(
    tmp_path: Path, capsys: pytest.CaptureFixture[str], privacy: str, findings: bool
) -> None:
    text = said(capsys, tmp_path, ENDPOINT | {"LAKEBOOK_PRIVACY": privacy})
    assert "Model m at http://h:1/v1 is asked" in text
    assert "pw" not in text
    assert ("sentences of checked findings" in text) is findings


def test_it_is_said_before_the_run_starts() -> None:
    source = inspect.getsource(run._run)
    assert source.index("_tell_who_works(") < source.index("launch(")
