"""What the documents promise is there: commands, make targets, links, exit codes."""

from __future__ import annotations

import re
from pathlib import Path

import pytest
import typer

from lakebook import errors
from lakebook.cli.main import app

ROOT = Path(__file__).resolve().parents[2]
README = (ROOT / "README.md").read_text(encoding="utf-8")
DOCUMENTS = sorted([ROOT / "README.md", *(ROOT / "docs").rglob("*.md")])


def commands() -> set[str]:
    return set(typer.main.get_command(app).commands)  # type: ignore[attr-defined]


def test_the_readme_names_every_command() -> None:
    assert {name for name in commands() if f"lakebook {name}" not in README} == set()


def test_the_readme_names_no_command_that_is_not_there() -> None:
    named = set(re.findall(r"`lakebook ([a-z]+)", README))
    assert named <= commands()


@pytest.mark.parametrize("name", sorted(commands() - {"config"}))
def test_every_command_has_help_with_an_example(name: str) -> None:
    command = typer.main.get_command(app).commands[name]  # type: ignore[attr-defined]
    assert command.help
    assert "Example" in command.help or "example" in command.help


def test_every_make_target_explains_itself() -> None:
    makefile = (ROOT / "Makefile").read_text(encoding="utf-8")
    phony = set(re.findall(r"^\.PHONY: (.*)$", makefile, re.M)[0].split())
    explained = set(re.findall(r"^([a-z]+):.*?## ", makefile, re.M))
    assert phony == explained
    assert {"run", "test", "check", "dagster", "clean"} <= explained


@pytest.mark.parametrize("path", DOCUMENTS, ids=lambda path: str(path.relative_to(ROOT)))
def test_links_lead_somewhere(path: Path) -> None:
    targets = re.findall(r"\]\(([^)#]+)(?:#[^)]*)?\)", path.read_text(encoding="utf-8"))
    broken = [target for target in targets if "://" not in target and not (path.parent / target).exists()]
    assert broken == []


def test_the_readme_tells_the_exit_codes() -> None:
    codes = {
        kind.exit_code
        for kind in vars(errors).values()
        if isinstance(kind, type) and hasattr(kind, "exit_code")
    }
    for code in codes:
        assert re.search(rf"\b{code} [a-z]", README), f"exit code {code} is not explained"
