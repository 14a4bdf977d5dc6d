"""The wheel holds all that the command needs, and works away from the checkout."""

from __future__ import annotations

import os
import subprocess
import sys
import zipfile
from pathlib import Path

import pytest

ROOT = Path(__file__).resolve().parents[2]


@pytest.fixture(scope="module")
def wheel(tmp_path_factory: pytest.TempPathFactory) -> Path:
    folder = tmp_path_factory.mktemp("wheel")
    command = [sys.executable, "-m", "hatchling", "build", "-t", "wheel", "-d", str(folder)]
    subprocess.run(command, cwd=ROOT, check=True, capture_output=True, timeout=120)
    return next(folder.glob("*.whl"))


def test_every_shipped_file_is_in_the_wheel(wheel: Path) -> None:
    names = set(zipfile.ZipFile(wheel).namelist())
    missing = [
        path.relative_to(ROOT).as_posix()
        for package in ("lakebook", "definitions", "assets", "resources", "sql")
        for path in (ROOT / package).rglob("*")
        if path.is_file()
        and "__pycache__" not in path.parts
        and path.relative_to(ROOT).as_posix() not in names
    ]
    assert missing == []
    assert not [name for name in names if name.startswith(("tests/", "notebooks_corpus/", "benchmarks/"))]


def test_it_runs_from_the_wheel_in_an_empty_folder(wheel: Path, tmp_path: Path) -> None:
    site, empty = tmp_path / "site", tmp_path / "empty"
    zipfile.ZipFile(wheel).extractall(site)
    empty.mkdir()
    program = (
        "import lakebook, sql, sys; assert lakebook.__file__.startswith(sys.argv[1]), lakebook.__file__;"
        "import definitions; assert definitions.__file__.startswith(sys.argv[1]);"
        "assert sql.read('probe/list_values');"
        "from lakebook.cli.main import app; app(args=['--version'])"
    )
    done = subprocess.run(
        [sys.executable, "-P", "-c", program, str(site)],
        cwd=empty,
        env={**os.environ, "PYTHONPATH": str(site)},
        capture_output=True,
        text=True,
        timeout=120,
    )
    assert done.returncode == 0, done.stderr
    assert done.stdout.startswith("lakebook ")
    assert not list(empty.iterdir()), "showing the version must leave nothing behind"
