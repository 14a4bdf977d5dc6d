"""The artifact index: which files a session's code made, changed and deleted, and which code it was.

One line of JSON a change, added at the end and never rewritten: DuckDB reads it (`read_json`), and a report
links a cell to its files by it. The index stands beside the workspace, where no cell can reach it. The
content of an earlier version is not kept, its hash is.
"""

from __future__ import annotations

import datetime as dt
import os
from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Literal

import orjson
from pydantic import TypeAdapter, ValidationError

from lakebook.errors import SandboxError
from lakebook.sandbox.snapshot import Change


@dataclass(frozen=True, slots=True)
class Producer:
    """Whose work a change is.

    Attributes:
        session: the session's name.
        cell: number of the cell in it, counted from 1; 0 for what no cell did.
        component: id of the component that the code is from, if it is from one.
        code_sha256: of the code.
    """

    session: str
    cell: int = 0
    component: str = ""
    code_sha256: str = ""


@dataclass(frozen=True, slots=True)
class Artifact:
    """One change of one file.

    Attributes:
        change: what happened to it.
        size: in bytes now; of a deleted one, what it was.
        sha256: of its content now; "" if it was deleted or not read.
        earlier_sha256: of its content before, "" if it was not there or not read.
        kind: by its content.
        refused: why it was not read, "" if it was.
        time: when it was found, UTC, ISO 8601.
    """

    path: str
    change: Literal["new", "changed", "deleted"]
    size: int
    sha256: str
    earlier_sha256: str
    kind: str
    refused: str
    session: str
    cell: int
    component: str
    code_sha256: str
    time: str


_ADAPTER = TypeAdapter(Artifact)


def artifact(change: Change, producer: Producer, when: dt.datetime) -> Artifact:
    """Return what the index keeps of a change."""
    shown = change.now or change.earlier
    return Artifact(
        path=change.path,
        change=change.how,
        size=shown.size if shown else 0,
        sha256=change.now.sha256 if change.now else "",
        earlier_sha256=change.earlier.sha256 if change.earlier else "",
        kind=shown.kind if shown else "",
        refused=change.now.refused if change.now else "",
        session=producer.session,
        cell=producer.cell,
        component=producer.component,
        code_sha256=producer.code_sha256,
        time=when.astimezone(dt.UTC).isoformat(timespec="milliseconds"),
    )


@dataclass(frozen=True, slots=True)
class ArtifactIndex:
    """The index in one file, which need not exist yet."""

    file: Path

    def record(
        self, changes: Iterable[Change], producer: Producer, when: dt.datetime | None = None
    ) -> tuple[Artifact, ...]:
        """Add what one run did; return it."""
        now = when or dt.datetime.now(dt.UTC)
        made = tuple(artifact(change, producer, now) for change in changes)
        if made:
            lines = b"".join(orjson.dumps(one) + b"\n" for one in made)
            self._append(lines)
        return made

    def _append(self, lines: bytes) -> None:
        """Write whole lines; what an interrupted write left of one is closed first."""
        try:
            descriptor = os.open(self.file, os.O_RDWR | os.O_CREAT | os.O_APPEND | os.O_CLOEXEC, 0o644)
            with os.fdopen(descriptor, "rb+") as file:
                size = file.seek(0, os.SEEK_END)
                if size and os.pread(descriptor, 1, size - 1) != b"\n":
                    os.ftruncate(descriptor, self._whole(descriptor, size))
                file.write(lines)
        except OSError as error:
            raise SandboxError(f"cannot be written: {error.strerror}.", where=str(self.file)) from error

    @staticmethod
    def _whole(descriptor: int, size: int) -> int:
        """Return the length of the whole lines."""
        return os.pread(descriptor, size, 0).rfind(b"\n") + 1

    def read(self) -> tuple[Artifact, ...]:
        """Return everything in order. Raises SandboxError if it cannot be read."""
        try:
            content = self.file.read_bytes()
        except FileNotFoundError:
            return ()
        except OSError as error:
            raise SandboxError(f"cannot be read: {error.strerror}.", where=str(self.file)) from error
        lines = content[: content.rfind(b"\n") + 1].splitlines()
        try:
            return tuple(_ADAPTER.validate_json(line) for line in lines)
        except ValidationError as error:
            raise SandboxError(
                "is no artifact index.", where=str(self.file), hint="Delete it; the files stay."
            ) from error

    def of_cell(self, session: str, cell: int) -> tuple[Artifact, ...]:
        """Return what one cell did, in order."""
        return tuple(one for one in self.read() if (one.session, one.cell) == (session, cell))

    def present(self) -> tuple[Artifact, ...]:
        """Return the last change of every file that is still there, by path: what a user can open."""
        last = {one.path: one for one in self.read()}
        return tuple(last[path] for path in sorted(last) if last[path].change != "deleted")


def cells_of(artifacts: Sequence[Artifact]) -> dict[int, tuple[str, ...]]:
    """Return the paths that each cell made or changed, for a report that links them."""
    found: dict[int, dict[str, None]] = {}
    for one in artifacts:
        if one.change != "deleted":
            found.setdefault(one.cell, {})[one.path] = None
    return {cell: tuple(paths) for cell, paths in sorted(found.items())}
