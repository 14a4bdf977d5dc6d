"""Who owns which name, who may import whom, how big a file may be, and that all our SQL can be parsed."""

from __future__ import annotations

import ast
from importlib.metadata import packages_distributions
from pathlib import Path

import pytest
import sqlglot

ROOT = Path(__file__).resolve().parents[2]
PACKAGES = ("lakebook", "definitions", "assets", "resources", "sql")
PYTHON = sorted(path for package in PACKAGES for path in (ROOT / package).rglob("*.py"))
SQL = sorted((ROOT / "sql").rglob("*.sql"))


@pytest.mark.parametrize("package", PACKAGES)
def test_we_alone_own_our_top_level_names(package: str) -> None:
    owners = {name.lower() for name in packages_distributions().get(package, [])}
    assert owners <= {"lakebook"}


@pytest.mark.parametrize("path", PYTHON, ids=lambda path: str(path.relative_to(ROOT)))
def test_files_stay_readable_and_say_what_belongs_in_them(path: Path) -> None:
    text = path.read_text(encoding="utf-8")
    assert len(text.splitlines()) <= 500
    if text.strip():
        assert ast.get_docstring(ast.parse(text)), "no module docstring"


@pytest.mark.parametrize("path", PYTHON, ids=lambda path: str(path.relative_to(ROOT)))
def test_no_room_for_everything_and_nothing(path: Path) -> None:
    assert path.stem not in {"utils", "helpers", "manager", "common", "misc"}


def test_the_domain_imports_no_dagster() -> None:
    offenders = [
        str(path.relative_to(ROOT))
        for path in (ROOT / "lakebook").rglob("*.py")
        if "cli" not in path.parts
        for node in ast.walk(ast.parse(path.read_text(encoding="utf-8")))
        if isinstance(node, ast.Import | ast.ImportFrom)
        and {alias.name.split(".")[0] for alias in node.names if isinstance(node, ast.Import)}
        | {(getattr(node, "module", "") or "").split(".")[0]}
        & {"dagster", "assets", "definitions", "resources"}
        and not (
            isinstance(node, ast.Import) and not {a.name.split(".")[0] for a in node.names} & {"dagster"}
        )
    ]
    assert offenders == []


@pytest.mark.parametrize("path", SQL, ids=lambda path: str(path.relative_to(ROOT)))
def test_every_statement_can_be_parsed(path: Path) -> None:
    statements = sqlglot.parse(path.read_text(encoding="utf-8"), read="duckdb")
    assert len([statement for statement in statements if statement]) == 1


def test_sql_files_are_named_verb_object() -> None:
    assert all("_" in path.stem and path.stem == path.stem.lower() for path in SQL)
