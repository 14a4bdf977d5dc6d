"""A session for a person or an agent at work: a warm interpreter in a workspace, and what each cell made.

Before and after a cell the workspace is looked at, and what is new, changed or deleted enters the artifact
index with the cell's number and the hash of its code (DA-Studio §2.3). Files that the host itself puts into
the workspace between two cells, such as uploads, are nobody's artifact.
"""

from __future__ import annotations

import hashlib
from collections.abc import Callable
from dataclasses import dataclass, replace
from types import TracebackType
from typing import Self

from lakebook.sandbox.artifacts import Artifact, Producer
from lakebook.sandbox.base import CellResult, OnOutput, Sandbox, Session, SessionOptions
from lakebook.sandbox.snapshot import Bounds, Snapshot, changes, take
from lakebook.sandbox.workspaces import SessionSpace

GRACE_SECONDS = 10.0
"""A person who interrupts waits rather for a long computation in C than lose the state."""


@dataclass(frozen=True, slots=True)
class Ran:
    """What one cell did: its number in the session, its result, its files.

    `left_out` says what of the workspace was not looked at, "" if nothing.
    """

    cell: int
    result: CellResult
    artifacts: tuple[Artifact, ...] = ()
    left_out: str = ""


class InteractiveSession:
    """One session in its workspace.

    Attributes:
        space: its files and their index.
        session: the interpreter; `interrupt` it from another thread.
    """

    def __init__(
        self, start: Callable[[SessionSpace], Session], space: SessionSpace, bounds: Bounds | None = None
    ) -> None:
        """Start the interpreter. Raises SandboxError.

        Args:
            start: opens a session whose workspace is that of the space (`opener`).
            space: of the session.
            bounds: how much of the workspace is taken into a snapshot.
        """
        self.space = space
        self._bounds = bounds
        self._last = Snapshot()
        self._cells = max((one.cell for one in space.index.read()), default=0)
        self.session = start(space)

    def run(
        self,
        code: str,
        *,
        seconds: float | None = None,
        on_output: OnOutput | None = None,
        component: str = "",
    ) -> Ran:
        """Run one cell and record what it did to the workspace, however it ended."""
        before = self._snapshot()
        self._cells += 1
        digest = hashlib.sha256(code.encode("utf-8", "surrogatepass")).hexdigest()
        producer = Producer(self.space.session, self._cells, component, digest)
        try:
            result = self.session.run(code, seconds=seconds, on_output=on_output)
        except BaseException:
            self._record(before, producer)
            raise
        made = self._record(before, producer)
        return Ran(self._cells, result, made, self._last.left_out)

    def _snapshot(self) -> Snapshot:
        self._last = take(self.space.files.root, self._last, self._bounds)
        return self._last

    def _record(self, before: Snapshot, producer: Producer) -> tuple[Artifact, ...]:
        return self.space.index.record(changes(before, self._snapshot()), producer)

    def interrupt(self) -> bool:
        """End the running cell, from another thread; False if none runs."""
        return self.session.interrupt()

    def restart(self) -> None:
        """Begin with a fresh state in the same workspace; the numbers of the cells go on."""
        self.session.restart()

    def close(self) -> None:
        """End the interpreter; the workspace stays."""
        self.session.close()

    def __enter__(self) -> Self:
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        self.close()


def opener(sandbox: Sandbox, options: SessionOptions) -> Callable[[SessionSpace], Session]:
    """Return what starts a session of a sandbox in a space."""
    limits = replace(options.limits, grace_seconds=max(options.limits.grace_seconds, GRACE_SECONDS))

    def start(space: SessionSpace) -> Session:
        return sandbox.open(replace(options, limits=limits, workspace=space.files.root))

    return start
