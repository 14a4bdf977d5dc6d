"""Runs a case with the product as a user does (`lakebook rerun --json`), and reads what its code then draws.

The product is a tree of its own (`--product`), so that two states of it can be compared by one benchmark.
Both steps are kept in files under a hash of what goes into them.
"""

from __future__ import annotations

import ast
import hashlib
import json
import os
import re
import subprocess
import sys
import tempfile
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any, TypeVar

from oracle.runs import DRIVER

from lakebook.analyst.methods import method_names, method_source
from lakebook.analyst.profile import table_from_card
from lakebook.errors import LakebookError
from lakebook.operators.group_table import open_dataset
from lakebook.report.execute import open_for_notebook
from lakebook.sandbox.base import Session
from lakebook.sandbox.choose import ChosenSandbox
from lakebook.sources.profile import profile_lake
from lakebook.sources.scan import scan
from rerunning.cases import Case

DRAWN_DRIVER = DRIVER.with_name("drawn_driver.py")
_MOST_SECONDS = 900
_SET_UP = """\
import os
from pathlib import Path

import matplotlib.pyplot as plt
import numpy as np
import pandas as pd
import statsmodels.api as sm
from scipy import stats

DATA_DIR = Path(os.environ["LAKEBOOK_DATA_DIR"])
"""
T = TypeVar("T")


@dataclass(frozen=True, slots=True)
class Product:
    """A state of the product: its tree, and the folder where results are kept."""

    tree: Path
    work: Path
    seconds: float = 20.0

    def rerun(self, case: Case, table: str) -> list[dict[str, Any]]:
        """Return what `lakebook rerun --json` says of each component; a note if it does not run."""
        inputs = _digest(case.folder / "new", case.folder / "notebook")
        key = _hash(f"{self._state()}{inputs}{table}{self.seconds}")
        return _kept(self.work / f"rerun-{case.folder.name}-{key}.json", lambda: self._ask(case, table))

    def _state(self) -> str:
        """Return a hash of the product's code as it stands in the tree."""
        files = sorted((self.tree / "lakebook").rglob("*"))
        wanted = [path for path in files if path.suffix in {".py", ".toml", ".sql"}]
        return _hash("".join(hashlib.sha256(path.read_bytes()).hexdigest() for path in wanted))

    def _ask(self, case: Case, table: str) -> list[dict[str, Any]]:
        command = [
            sys.executable,
            "-W",
            "ignore",
            "-c",
            "from lakebook.cli.main import main; main()",
            "rerun",
        ]
        command += ["--notebooks", str(case.folder / "notebook"), "--data", str(case.folder / "new")]
        command += ["--dataset", table, "--seconds", str(self.seconds), "--json"]
        environment = {**os.environ, "PYTHONPATH": str(self.tree)}
        try:
            ended = subprocess.run(
                command, env=environment, capture_output=True, text=True, timeout=_MOST_SECONDS, check=False
            )
        except subprocess.TimeoutExpired:
            return [{"cell": -1, "status": "failed", "error": f"the command took over {_MOST_SECONDS} s"}]
        try:
            listed: list[dict[str, Any]] = json.loads(ended.stdout)["components"]
        except (ValueError, KeyError):
            return [{"cell": -1, "status": "failed", "error": ended.stderr[-400:]}]
        return listed


class Drawing:
    """A session for all cases, in which the code of components is run once more to read what it draws."""

    def __init__(self, sandbox: ChosenSandbox, root: Path, work: Path, seconds: float = 20.0) -> None:
        """Take the folder of all cases, the folder where results are kept, and the bound for a component."""
        self._sandbox, self._root, self._work, self._seconds = sandbox, root, work, seconds
        self._session: Session | None = None

    def drawn(
        self, case: Case, table: str, documents: Sequence[Mapping[str, Any]]
    ) -> dict[str, dict[str, Any]]:
        """Return what each working component draws, by its id: `figures`, and `error` if it fails here."""
        delivered = [item for item in documents if item["status"] == "ok" and item["code"]]
        working = {item["id"]: item["code"] for item in delivered}
        if not working:
            return {}
        driver = ast.dump(ast.parse(DRIVER.read_text() + DRAWN_DRIVER.read_text()))
        helpers = _helpers("".join(working.values()))
        key = _hash(f"{driver}{helpers}{_digest(case.folder / 'new')}{json.dumps(working)}")
        return _kept(
            self._work / f"drawn-{case.folder.name}-{key}.json", lambda: self._draw(case, table, working)
        )

    def close(self) -> None:
        """End the session."""
        if self._session is not None:
            self._session.close()
            self._session = None

    def _draw(self, case: Case, table: str, working: Mapping[str, str]) -> dict[str, dict[str, Any]]:
        before = f"""\
import os
os.environ["LAKEBOOK_DATA_DIR"] += "/{case.folder.name}/new"
{_SET_UP}
{_load_code(case, table)}
base = df
"""
        return {component: self._one(before, code) for component, code in working.items()}

    def _one(self, before: str, code: str) -> dict[str, Any]:
        if self._session is None:
            self._session = open_for_notebook(self._sandbox, self._root)
            for text in (_SET_UP, DRIVER.read_text(), DRAWN_DRIVER.read_text()):
                self._session.run(text)
        call = re.findall(r"^def (component_\w+)\(", code, re.MULTILINE)
        asked = f"_found = show_code({code!r}, {f'{call[-1]}()' if call else ''!r}, globals())"
        try:
            cells, values = self._session.run_forked(
                [_helpers(code), before, asked], evaluate=["_found"], seconds=3 * self._seconds
            )
        except LakebookError as problem:
            self.close()
            return {"figures": {"0": []}, "error": str(problem)[:200]}
        error = next((cell.error.message for cell in cells if cell.error), "")
        value = values[0].value if values and not values[0].error else None
        return value if isinstance(value, dict) else {"figures": {"0": []}, "error": error or "no result"}


def _helpers(code: str) -> str:
    """Return the product's methods that delivered code calls; a notebook has them in a cell of their own."""
    return method_source([name for name in method_names() if re.search(rf"\b{name}\(", code)])


def _load_code(case: Case, table: str) -> str:
    folder = case.folder / "new"
    with tempfile.TemporaryDirectory(prefix="lakebook-") as state:
        source_map = profile_lake(folder, scan(folder), Path(state))
        opened = open_dataset(source_map, table, Path(state))
    return table_from_card(opened.card, opened.unit).load_code


def _digest(*folders: Path) -> str:
    files = [path for folder in folders for path in sorted(folder.iterdir())]
    return _hash("".join(f"{path.name}{hashlib.sha256(path.read_bytes()).hexdigest()}" for path in files))


def _hash(text: str) -> str:
    return hashlib.sha256(text.encode("utf-8", "replace")).hexdigest()[:20]


def _kept(file: Path, make: Callable[[], T]) -> T:
    """Return what a file holds, after making it if it is not there."""
    if not file.exists():
        file.write_text(json.dumps(make()))
    kept: T = json.loads(file.read_text())
    return kept
