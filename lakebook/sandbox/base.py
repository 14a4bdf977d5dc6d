"""The sandbox interface: backends, sessions, limits and results.

A backend opens sessions; a session is one isolated process tree that is warm (the usual libraries are
imported) and keeps its state between cells, as a Jupyter kernel does. `run_forked` runs cells in a copy of
the session's state and throws the copy away. Backends live in their own modules.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from contextlib import AbstractContextManager
from dataclasses import dataclass, field
from pathlib import Path
from types import TracebackType
from typing import Any, Literal, Protocol, Self, runtime_checkable

from typing_extensions import TypeAliasType

Json = TypeAliasType("Json", "bool | int | float | str | list[Json] | dict[str, Json] | None")


Ended = Literal["done", "error", "interrupted", "timeout", "memory", "disk", "died"]
"""How a cell came to its end: done, an exception, an interrupt, or a limit that it hit; "died" otherwise."""

SHARED_MEMORY_MB = 64
"""Size of `/dev/shm`."""
_WARM_MB = 512  # the warm libraries, before a cell asks for anything


@dataclass(frozen=True, slots=True)
class Limits:
    """What a session may use, in total over all its processes and folders.

    Attributes:
        cell_seconds: wall-clock time of one call.
        grace_seconds: what a cell has left when it is told to end, by its time limit or an interrupt.
        cores: how many processors may work at once; a call has so many times its seconds of CPU time.
        memory_mb: beyond what the warm libraries take. One process may ask for all of it.
        file_mb: size of one file. disk_mb, files: of all that is written.
        idle_seconds: a session that nobody calls for so long is ended.
    """

    cell_seconds: float = 60.0
    grace_seconds: float = 2.0
    cores: float = 2.0
    memory_mb: int = 3072
    processes: int = 64
    file_mb: int = 256
    disk_mb: int = 512
    files: int = 20_000
    output_chars: int = 200_000
    display_bytes: int = 8_000_000
    idle_seconds: float = 1800.0

    @property
    def process_mb(self) -> int:
        """Memory of all processes together, the warm libraries included."""
        return self.memory_mb + _WARM_MB

    @property
    def total_mb(self) -> int:
        """Memory with files, which are in memory too; each writable folder is `disk_mb` at most."""
        return self.process_mb + 2 * self.disk_mb + SHARED_MEMORY_MB


@dataclass(frozen=True, slots=True)
class CellError:
    """An exception of a cell: its class name, message, and traceback without terminal colours."""

    name: str
    message: str
    traceback: tuple[str, ...] = ()


@dataclass(frozen=True, slots=True)
class CellWarning:
    """A warning of a cell, also one that the cell silenced.

    Attributes:
        category: its class name.
        line: of the cell, counted from 1; 0 if it did not come of the cell's own code.
        count: how often it came.
        shown: False if the cell's filters dropped it each time.
    """

    category: str
    message: str
    line: int = 0
    count: int = 1
    shown: bool = True


@dataclass(frozen=True, slots=True)
class CellResult:
    """What one cell did.

    Attributes:
        outputs: nbformat 4 output dictionaries in order (stream, display_data, execute_result, error),
            PNG data base64-encoded as Jupyter does it.
        error: set when the cell raised, was interrupted, ran into a limit (the message has its number), or
            died; the outputs up to then are kept.
        ended: how the cell came to its end.
        warnings: in order of their first time; none of a cell that was killed.
    """

    outputs: tuple[dict[str, Any], ...]
    error: CellError | None = None
    ended: Ended = "done"
    seconds: float = 0.0
    warnings: tuple[CellWarning, ...] = ()


@dataclass(frozen=True, slots=True)
class Evaluation:
    """The value of one expression, as JSON (numpy scalars made plain, timestamps as ISO text)."""

    expression: str
    value: Json = None
    error: str = ""


@dataclass(frozen=True, slots=True)
class Mount:
    """A host folder that the sandbox sees read-only at `/inputs/<name>`."""

    name: str
    source: Path


OnOutput = Callable[[dict[str, Any]], None]
"""Told of each message of a running cell: nbformat outputs, and Jupyter's `update_display_data` and
`clear_output`; displays carry `transient` with their identity."""


@runtime_checkable
class Session(Protocol):
    """One isolated, stateful interpreter."""

    @property
    def ended(self) -> str:
        """Why the session can do no more, such as that nobody used it for long; "" while it can."""
        ...

    def run(
        self, code: str, *, seconds: float | None = None, on_output: OnOutput | None = None
    ) -> CellResult:
        """Run one cell in the session's state, as Jupyter would: last expression shown, figures inline.

        `on_output` is told of every output while the cell runs. The cell waits for it when it is slow; when
        it raises, the cell is interrupted and the exception passed on.
        """
        ...

    def run_forked(
        self, cells: Sequence[str], *, evaluate: Sequence[str] = (), seconds: float | None = None
    ) -> tuple[list[CellResult], list[Evaluation]]:
        """Run cells, then evaluate expressions, in a forked copy of the state, which is then dropped.

        Stops at the first cell that fails; the result list ends with it.
        """
        ...

    def copied(self) -> AbstractContextManager[None]:
        """Work in a copy of the state inside the block; the copy is dropped at its end. Blocks may nest.

        For what several runs share: it is run once in a copy, and each then in a fork of that.
        """
        ...

    def evaluate(self, expressions: Sequence[str]) -> list[Evaluation]:
        """Evaluate expressions in the session's state; a failing one has `error` set."""
        ...

    def interrupt(self) -> bool:
        """End the running cell with a KeyboardInterrupt, from another thread; False if none runs.

        The state is kept, unless the cell goes on past the grace time: then the session ends.
        """
        ...

    def restart(self) -> None:
        """Begin with a fresh state, ending what runs; workspace, mounts and limits stay."""
        ...

    def close(self) -> None:
        """End every process of the session."""
        ...

    def __enter__(self) -> Self: ...

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None: ...


@dataclass(frozen=True, slots=True)
class SessionOptions:
    """How a session is set up.

    Attributes:
        mounts: what the cells may read.
        environment: added variables; the host's own are never passed on.
        workspace: the host's folder in which the cells work, and which outlives the session; None for one
            that is gone with it. The user of the cells is given the folder.
    """

    mounts: Sequence[Mount] = ()
    environment: Mapping[str, str] = field(default_factory=dict)
    limits: Limits = Limits()
    workspace: Path | None = None


class Sandbox(Protocol):
    """A kind of isolation; `isolated` is False for the one that isolates nothing."""

    name: str
    isolated: bool

    def probe(self) -> str:
        """Return "" if a trivial program runs isolated here, else why it does not, with the remedy."""
        ...

    def open(self, options: SessionOptions) -> Session:
        """Start a session. Raises SandboxUnavailable or SandboxFailed."""
        ...
