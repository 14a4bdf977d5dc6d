"""What the stages work on: a lake, a corpus, a store, a sandbox, and someone who is told about progress."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from pathlib import Path

import orjson

from lakebook.analysis import Analysis
from lakebook.errors import LakebookError, UsageError
from lakebook.progress import Progress, silent
from lakebook.sandbox.base import Sandbox, Session
from lakebook.sandbox.choose import choose_sandbox
from lakebook.storage import Store, replacing


@dataclass
class Project:
    """A lake and a corpus with the state that belongs to them.

    The warm session is opened on first use and shared by the stages of one run: it holds the dataset under
    analysis, and stages only ever run in forks of it. The notebook itself gets a session of its own.
    """

    state: Path
    data: Path
    notebooks: Path | None = None
    sandbox_preference: str = "auto"
    cell_seconds: float = 60.0
    progress: Progress = silent
    failures: list[LakebookError] = field(default_factory=list)
    _sandbox: Sandbox | None = field(default=None, repr=False)
    _sessions: dict[str, Session] = field(default_factory=dict, repr=False)

    @property
    def store(self) -> Store:
        """The store below the state folder."""
        return Store(self.state)

    @property
    def sandbox(self) -> Sandbox:
        """The isolation that works here. Raises SandboxUnavailable if none does."""
        if self._sandbox is None:
            self._sandbox = choose_sandbox(self.sandbox_preference)
        return self._sandbox

    def session(self, key: str, start: Callable[[Sandbox], Session]) -> Session:
        """Return the warm session of that key, started by `start` if there is none yet."""
        if key not in self._sessions:
            self.close()
            self._sessions[key] = start(self.sandbox)
        return self._sessions[key]

    def close(self) -> None:
        """End the warm sessions."""
        for session in self._sessions.values():
            session.close()
        self._sessions.clear()

    def analysis(self, partition: str) -> Analysis:
        """Return the analysis of a partition. Raises LakebookError if it was never declared."""
        found = read_analyses(self.state).get(partition)
        if found is None:
            raise LakebookError(
                f"no analysis {partition!r} is known.",
                hint='Declare it in lakebook.toml, or start it with `lakebook run --intent "…"`.',
            )
        return found


def require_folder(path: Path, what: str) -> Path:
    """Return the folder as an absolute path.

    Raises:
        UsageError: it is not there, is not a folder, or holds no file at all.
    """
    if not path.exists():
        raise UsageError(f"the {what} folder is not there.", where=str(path), hint="Check the path.")
    if not path.is_dir():
        raise UsageError(f"the {what} must be a folder, this is a file.", where=str(path), hint="Give its folder.")
    if not any(entry.is_file() for entry in path.rglob("*")):
        raise UsageError(f"the {what} folder is empty.", where=str(path), hint="Put at least one file into it.")
    return path.resolve()


def read_analyses(state: Path) -> dict[str, Analysis]:
    """Return every analysis that was declared in this state folder, by id."""
    path = state / "analyses.json"
    if not path.is_file():
        return {}
    return {key: Analysis(**entry) for key, entry in orjson.loads(path.read_bytes()).items()}


def declare_analysis(state: Path, analysis: Analysis) -> None:
    """Remember an analysis, so that its partition can be made anew later."""
    known = {key: {"intent": item.intent, "dataset": item.dataset} for key, item in read_analyses(state).items()}
    known[analysis.id] = {"intent": analysis.intent, "dataset": analysis.dataset}
    with replacing(state / "analyses.json") as temporary:
        temporary.write_bytes(orjson.dumps(known, option=orjson.OPT_INDENT_2 | orjson.OPT_SORT_KEYS))


def remember_places(state: Path, data: Path, notebooks: Path | None) -> None:
    """Remember the lake and corpus of the last run, so that the Dagster UI works on the same."""
    places = {"data": str(data), "notebooks": str(notebooks) if notebooks else ""}
    with replacing(state / "places.json") as temporary:
        temporary.write_bytes(orjson.dumps(places, option=orjson.OPT_INDENT_2))


def remembered_places(state: Path) -> Mapping[str, str]:
    """Return `data` and `notebooks` of the last run; empty if there was none."""
    path = state / "places.json"
    places: dict[str, str] = orjson.loads(path.read_bytes()) if path.is_file() else {}
    return places
