"""What the stages work on: a lake, a corpus, a store, a sandbox, and someone who is told about progress."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from pathlib import Path
from typing import TYPE_CHECKING, Any

import orjson

from lakebook.analysis import Analysis
from lakebook.errors import LakebookError, UsageError
from lakebook.progress import Progress, silent
from lakebook.sandbox.base import Limits, Sandbox, Session
from lakebook.sandbox.choose import choose_sandbox
from lakebook.settings import ModelSettings, RetrievalMode
from lakebook.sources.curated import NOTHING, Curated, DayOrder
from lakebook.sources.curated_file import find_curated, read_curated
from lakebook.storage import Store, replacing

if TYPE_CHECKING:
    from lakebook.analyst.model.analyst import ModelAnalyst
    from lakebook.analyst.model.budget import Budget
    from lakebook.analyst.model.embedding import Embeddings
    from lakebook.analyst.model.figures import FigureReader


@dataclass
class Project:
    """A lake and a corpus with the state that belongs to them.

    `root` is the folder of `lakebook.toml`, where notes on the sources may stand; `day_order` settles dates
    that no value decides; `retrieval` is how components are found; `embedding` the model
    that ranks prose, if any; `vision` the one that looks at figures.
    `warm` is the session that the stages of one run share, with the cells that ran in it: see
    `lakebook.pipeline.warm`. `failures` are the errors that stages ended with, first one first. `seen` are
    the stages of outside files that were looked at already: one run sees one state of the lake. `notices` are
    what a person should hear of although the work went on; `embedding_failed`: a result was made without the
    vectors that were wanted, so that the next run makes it anew.
    """

    state: Path
    data: Path
    notebooks: Path | None = None
    sandbox_preference: str = "auto"
    limits: Limits = field(default_factory=Limits)
    root: Path | None = None
    day_order: DayOrder | None = None
    progress: Progress = silent
    model: ModelSettings | None = None
    retrieval: RetrievalMode = "columns"
    embedding: ModelSettings | None = None
    vision: ModelSettings | None = None
    failures: list[LakebookError] = field(default_factory=list)
    seen: set[str] = field(default_factory=set)
    notices: list[str] = field(default_factory=list)
    embedding_failed: bool = False
    warm: Session | None = field(default=None, repr=False)
    warm_cells: tuple[str, ...] = field(default=(), repr=False)
    _sandbox: Sandbox | None = field(default=None, repr=False)
    _analyst: ModelAnalyst | None = field(default=None, repr=False)
    _reader: FigureReader | None = field(default=None, repr=False)
    _budget: Budget | None = field(default=None, repr=False)

    @property
    def store(self) -> Store:
        """The store below the state folder."""
        return Store(self.state)

    @property
    def curated(self) -> Curated:
        """What people wrote of the sources. Raises UsageError if their notes are not what they may be."""
        path = find_curated(self.root or self.data, self.data)
        return read_curated(path) if path is not None else NOTHING

    @property
    def sandbox(self) -> Sandbox:
        """The isolation that works here. Raises SandboxUnavailable if none does."""
        if self._sandbox is None:
            self._sandbox = choose_sandbox(self.sandbox_preference)
        return self._sandbox

    @property
    def language_model(self) -> ModelAnalyst | None:
        """The analyst that asks a model, with one budget for the run; None if no model is set."""
        if self.model is not None and self._analyst is None:
            # The client is loaded only where a model is set: offline runs should not pay for it.
            from lakebook.analyst.model.analyst import open_analyst

            self._analyst = open_analyst(self.model, self.state, self._budget_of(self.model))
        return self._analyst

    @property
    def budget(self) -> Budget | None:
        """What models have used in this run, None as long as none was opened."""
        return self._budget

    def _budget_of(self, settings: ModelSettings) -> Budget:
        """Return the one budget that all models of a run share; a meter shows what is used of it."""
        if self._budget is None:
            from lakebook.analyst.model.budget import open_budget

            self._budget = open_budget(
                settings, lambda used: self.progress("model", used.calls, used.max_calls, used.told())
            )
        return self._budget

    @property
    def embeddings(self) -> Embeddings | None:
        """The model that turns prose into vectors, within the run's budget; None if none may be asked."""
        chosen = self.embedding
        if chosen is None:
            return None
        from lakebook.analyst.model.privacy import allows

        if not allows(chosen.privacy, "samples"):
            return None
        from lakebook.analyst.model.layers import open_embeddings

        return open_embeddings(chosen, self.state, self._budget_of(chosen))

    @property
    def figure_reader(self) -> FigureReader | None:
        """The model that looks at figures, within the run's budget; None if none may be asked."""
        if self.vision is not None and self._reader is None:
            from lakebook.analyst.model.figures import open_reader

            self._reader = open_reader(self.vision, self.state, self._budget_of(self.vision))
        return self._reader

    @property
    def figures_version(self) -> str:
        """What a stage depends on that may ask what figures show."""
        return self.figure_reader.version if self.figure_reader is not None else "nobody"

    @property
    def analyst_version(self) -> str:
        """What a stage depends on that may ask a model: which one, and what may leave for it."""
        return self.language_model.version if self.language_model is not None else "offline"

    def close(self) -> None:
        """End the warm session."""
        if self.warm is not None:
            self.warm.close()
        self.warm, self.warm_cells = None, ()

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
        raise UsageError(
            f"the {what} must be a folder, this is a file.", where=str(path), hint="Give its folder."
        )
    if not any(entry.is_file() for entry in path.rglob("*")):
        raise UsageError(
            f"the {what} folder is empty.", where=str(path), hint="Put at least one file into it."
        )
    return path.resolve()


def read_analyses(state: Path) -> dict[str, Analysis]:
    """Return every analysis that was declared in this state folder, by id."""
    return {
        key: Analysis(entry["intent"], entry["dataset"])
        for key, entry in _read(state / "analyses.json").items()
    }


def declare_analysis(state: Path, analysis: Analysis, out: Path) -> None:
    """Remember an analysis and where its notebook goes, so that its partition can be made anew later."""
    known = _read(state / "analyses.json")
    known[analysis.id] = {"intent": analysis.intent, "dataset": analysis.dataset, "out": str(out)}
    _write(state / "analyses.json", known)


def out_folder(state: Path, partition: str) -> Path:
    """Return where the notebook of an analysis goes; its links are relative to this folder."""
    return Path(_read(state / "analyses.json")[partition]["out"])


def remember_places(state: Path, data: Path, notebooks: Path | None) -> None:
    """Remember the lake and corpus of the last run, so that the Dagster UI works on the same."""
    _write(state / "places.json", {"data": str(data), "notebooks": str(notebooks) if notebooks else ""})


def remembered_places(state: Path) -> Mapping[str, str]:
    """Return `data` and `notebooks` of the last run; empty if there was none."""
    return _read(state / "places.json")


def _read(path: Path) -> dict[str, Any]:
    known: dict[str, Any] = orjson.loads(path.read_bytes()) if path.is_file() else {}
    return known


def _write(path: Path, value: Mapping[str, Any]) -> None:
    with replacing(path) as temporary:
        temporary.write_bytes(orjson.dumps(value, option=orjson.OPT_INDENT_2 | orjson.OPT_SORT_KEYS))
