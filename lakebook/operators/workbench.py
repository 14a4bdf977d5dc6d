"""Where Compute works: a sandbox session, the tables that it sees, and what crosses back from it.

Tables go in as Parquet files in a folder that the sandbox sees read-only; they come back as Parquet files in
its workspace, which untrusted code has written. Those are taken as bytes, never by a path that leads
elsewhere, into a folder of ours, and only the lake's engine reads them, within its own limits (`crossing`).
"""

from __future__ import annotations

import shutil
from collections.abc import Callable
from dataclasses import dataclass, field
from pathlib import Path

from lakebook.errors import SandboxFailed
from lakebook.sandbox.base import Limits, Mount, Sandbox, Session, SessionOptions
from lakebook.sandbox.workspace import Workspace

TABLES_MOUNT = "tables"


@dataclass
class Workbench:
    """One session with its folders.

    Attributes:
        tables: the folder of ours that the session sees as `inside`.
        files: the session's workspace, seen from here; `work` is where the session finds it.
        kept: the folder of ours for copies of what the code wrote.
        bound: table -> what it was made of, for those that the session holds already.
    """

    session: Session
    tables: Path
    inside: str
    files: Workspace
    kept: Path
    work: str = "."
    bound: dict[str, str] = field(default_factory=dict)

    def close(self) -> None:
        """End the session; the folders stay."""
        self.session.close()


OpenBench = Callable[[], Workbench]


def bench_opener(sandbox: Callable[[], Sandbox], folder: Path, *, limits: Limits | None = None) -> OpenBench:
    """Return what opens a workbench; nothing is started before it is called.

    Args:
        sandbox: finds the isolation.
        folder: of the analysis; what computations write is kept in it.
        limits: of the session.
    """

    def open_bench() -> Workbench:
        tables, work = folder / "tables", folder / "workspace"
        shutil.rmtree(tables, ignore_errors=True)
        for place in (tables, work):
            place.mkdir(parents=True, exist_ok=True)
        tables.chmod(0o755)
        mounts = (Mount(TABLES_MOUNT, tables.resolve()),)
        options = SessionOptions(mounts=mounts, limits=limits or Limits(), workspace=work.resolve())
        session = sandbox().open(options)
        inputs = getattr(session, "inputs", {})
        inside = str(inputs.get(TABLES_MOUNT, f"/inputs/{TABLES_MOUNT}"))
        return Workbench(
            session, tables, inside, Workspace(work.resolve()), folder / "artifacts", _folder_of(session)
        )

    return open_bench


def _folder_of(session: Session) -> str:
    """Return where the session works, whatever its code makes of the current folder later."""
    (found,) = session.evaluate(["__import__('os').getcwd()"])
    if found.error or not isinstance(found.value, str):
        session.close()
        raise SandboxFailed(f"the session does not say where it works: {found.error}.")
    return found.value
