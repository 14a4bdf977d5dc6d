"""Runs of code in the sandbox, each kept in a file under a hash of what was run.

A run that was made before, in whatever earlier call, is not made again: an interrupted benchmark goes on
where it stopped, and after a change of the slicer only components whose code changed are run.
"""

from __future__ import annotations

import ast
import contextlib
import hashlib
import json
from collections.abc import Sequence
from dataclasses import asdict, dataclass, field
from pathlib import Path
from typing import Any

from lakebook.errors import SandboxFailed
from lakebook.sandbox.base import Limits, Mount, Session, SessionOptions
from lakebook.sandbox.choose import ChosenSandbox

DRIVER = Path(__file__).with_name("figure_driver.py")
TRYING, RUNNING = (1.5, 6.0), (6.0, 30.0)
"""Processor seconds of one statement and of one run: while a notebook is tried, and afterwards. What takes
longer when tried is taken out as failing is; the second bounds are far off, so that no run is at the edge."""

_WALL_SECONDS = 240.0
Step = tuple[int, str]
Figure = tuple[str, str, str]
"""Library, digest of its data, digest of its picture ("" for plotly, whose data are the picture)."""


@dataclass(frozen=True, slots=True)
class Run:
    """What came of running steps: figures by cell, positions that failed, the last error, seconds taken."""

    figures: dict[str, list[list[str]]] = field(default_factory=dict)
    failed: list[int] = field(default_factory=list)
    error: str = ""
    seconds: float = 0.0

    def shown(self, cell: int) -> list[Figure]:
        """Return what a cell showed."""
        return [(kind, data, picture) for kind, data, picture in self.figures.get(str(cell), [])]


class Bench:
    """A session of the sandbox for all notebooks; each run is a fork of it, opened when one is needed."""

    def __init__(
        self, sandbox: ChosenSandbox, data: Sequence[Path], packages: Path | None, *, driver: str = ""
    ) -> None:
        """Take the folders with data, and packages (site-packages) that go before this Python's own.

        `driver` is run after `figure_driver.py`, and may note other things of a figure.
        """
        self._sandbox, self._data, self._packages = sandbox, data, packages
        self._session: Session | None = None
        self._driver = f"{DRIVER.read_text()}\n{driver}" if driver else DRIVER.read_text()
        self.environment = (
            f"{ast.dump(ast.parse(self._driver))}{packages}" if driver else f"{self._driver}{packages}"
        )

    def execute(self, call: str) -> Run:
        """Return what a call of `run_steps` gives in a fork of the session."""
        if self._session is None:
            self._session = self._open()
        try:
            cells, values = self._session.run_forked([f"_result = {call}"], evaluate=["_result"])
        except SandboxFailed as problem:
            self.close()
            return Run(failed=[-1], error=str(problem)[:200])
        for cell in cells:
            if cell.error:
                return Run(failed=[-1], error=f"{cell.error.name}: {cell.error.message}"[:200])
        value = values[0].value if values and not values[0].error else None
        return Run(**value) if isinstance(value, dict) else Run(failed=[-1], error="the process died")  # type: ignore[arg-type]

    def _open(self) -> Session:
        mounts = [Mount(f"data{place}", folder.resolve()) for place, folder in enumerate(self._data)]
        environment = {}
        if self._packages:
            mounts.append(Mount("packages", self._packages.resolve()))
            isolated = self._sandbox.isolated
            environment["PYTHONPATH"] = "/inputs/packages" if isolated else str(self._packages.resolve())
        limits = Limits(cell_seconds=_WALL_SECONDS)
        session = self._sandbox.open(SessionOptions(mounts, environment, limits))
        session.run(self._driver)
        session.run(f"use_data({[session.inputs[mount.name] for mount in mounts[: len(self._data)]]!r})")
        return session

    def close(self) -> None:
        """End the session; the next run opens another one."""
        if self._session is not None:
            self._session.close()
            self._session = None


class Runs:
    """All runs of one notebook."""

    def __init__(self, bench: Bench, file: Path, beside: Sequence[str]) -> None:
        """Take the file where runs are kept, and the names of the folders around the notebook."""
        self._bench, self._file, self._beside = bench, file, list(beside)
        self._known: dict[str, Run] = {}
        if file.exists():
            for line in file.read_text().splitlines():
                with contextlib.suppress(ValueError):  # a line that was cut off when a benchmark was ended
                    entry: dict[str, Any] = json.loads(line)
                    key = entry.pop("key")
                    self._known[key] = Run(**entry)

    def run(
        self,
        steps: Sequence[Step],
        *,
        drawn: Sequence[int] | None = None,
        tolerant: bool = False,
        attempt: int = 0,
        bounds: tuple[float, float] | None = None,
    ) -> Run:
        """Run steps in a fresh process.

        Args:
            steps: (cell, code) in order.
            drawn: the cells whose figures are wanted, None for all.
            tolerant: go on after a step that fails.
            attempt: a different one is another run of the same code.
            bounds: processor seconds of one step and of all, instead of `TRYING` or `RUNNING`.
        """
        listed = [[cell, code] for cell, code in steps]
        wanted = None if drawn is None else list(drawn)
        bounds = bounds or (TRYING if tolerant else RUNNING)
        call = f"run_steps({listed!r}, {self._beside!r}, {wanted!r}, {tolerant}, *{bounds})"
        asked = f"{self._bench.environment}{call}{attempt}"
        key = hashlib.sha256(asked.encode("utf-8", "replace")).hexdigest()[:24]
        if key not in self._known:
            self._known[key] = run = self._bench.execute(call)
            with self._file.open("a") as file:
                file.write("\n" + json.dumps({"key": key, **asdict(run)}))
        return self._known[key]
