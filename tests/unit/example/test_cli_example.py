from __future__ import annotations

import json
from pathlib import Path

import pytest
import typer
from typer.testing import CliRunner

import lakebook.example
from lakebook.cli.example import example
from lakebook.example.lake import ExampleFile, ExampleLake

app = typer.Typer()
app.command("example")(example)


@pytest.fixture(autouse=True)
def lake(monkeypatch: pytest.MonkeyPatch) -> None:
    def made(folder: Path, **_: object) -> ExampleLake:
        return ExampleLake(folder, (ExampleFile("a.csv", 1234, "f" * 64, "MIT", True),))

    monkeypatch.setattr(lakebook.example, "assemble", made)


def test_json_is_one_document_on_stdout(tmp_path: Path) -> None:
    result = CliRunner().invoke(app, [str(tmp_path), "--json"])
    assert result.exit_code == 0
    document = json.loads(result.stdout)
    assert document["folder"] == str(tmp_path)
    assert document["files"] == [
        {"path": "a.csv", "bytes": 1234, "sha256": "f" * 64, "licence": "MIT", "written": True}
    ]


def test_lines_say_what_was_written(tmp_path: Path) -> None:
    result = CliRunner().invoke(app, [str(tmp_path)])
    assert "a.csv  1,234 bytes  MIT  written" in result.stdout
    assert "lakebook sources" in result.stderr


def test_help_has_an_example() -> None:
    assert "lakebook example example-lake" in CliRunner().invoke(app, ["--help"]).stdout
