"""The backend without isolation: the same worker as a plain process of this user.

Only for code that the user trusts and asked for by name; the caller warns. Limits of a process hold, a
session's processes are ended with it; files, network and the rest of the machine are open to the cells.
"""

from __future__ import annotations

import os
import shutil
import stat
import sys
import tempfile
from pathlib import Path

from lakebook.errors import SandboxFailed
from lakebook.sandbox.base import SessionOptions
from lakebook.sandbox.inside import (
    START,
    WORKER,
    WORKER_PATH,
    checked_mounts,
    extra_packages,
    worker_environment,
    worker_setup,
)
from lakebook.sandbox.launch import launch
from lakebook.sandbox.owner import is_orphan, mark
from lakebook.sandbox.reaper import Orphan, also_from
from lakebook.sandbox.running import RunningProcess
from lakebook.sandbox.session import WorkerSession
from lakebook.sandbox.watchdog import Watched

_PREFIX = "lakebook-local-"


def orphans() -> list[Orphan]:
    """Return the folders of sessions whose owners are gone."""

    def orphan(folder: Path) -> Orphan:
        return Orphan(f"folder {folder}", lambda: shutil.rmtree(folder, ignore_errors=True))

    found = sorted(Path(tempfile.gettempdir()).glob(f"{_PREFIX}*"))
    return [orphan(path) for path in found if is_orphan(path.name) and _is_own_folder(path)]


def _is_own_folder(path: Path) -> bool:
    """Whether this is a folder of this user's, and no link: anyone may write to the temporary folder."""
    try:
        status = path.lstat()
    except OSError:
        return False
    return stat.S_ISDIR(status.st_mode) and status.st_uid == os.getuid()


class LocalSandbox:
    """No isolation. `isolated` says so."""

    name = "unsafe-local"
    isolated = False

    def probe(self) -> str:
        """Return "": a plain process can always be started."""
        return ""

    def open(self, options: SessionOptions) -> WorkerSession:
        """Start a worker in a temporary folder, where `inputs/<name>` are links to the mounts."""
        also_from(orphans)
        mounts = checked_mounts(options)
        top = Path(tempfile.mkdtemp(prefix=f"{_PREFIX}{mark()}-"))
        work, temporary = top / "workspace", top / "tmp"
        for folder in (work, temporary, top / "inputs"):
            folder.mkdir()
        if options.workspace is not None:
            work = options.workspace.resolve()
        (top / "lakebook_worker").symlink_to(WORKER)
        inputs: dict[str, str] = {}
        for name, source in mounts.items():
            link = top / "inputs" / name
            link.symlink_to(source)
            inputs[name] = str(link)
        folders = {"HOME": temporary, "TMPDIR": temporary}
        folders |= {"MPLCONFIGDIR": temporary / ".matplotlib", "IPYTHONDIR": temporary / ".ipython"}
        extra = {"PYTHONPATH": extra_packages(), **{key: str(value) for key, value in folders.items()}}
        environment = worker_environment({**extra, **options.environment})
        start = START.replace(WORKER_PATH, str(top), 1)
        command = [sys.executable, "-s", "-P", "-c", f"{start}main({str(top)!r})"]

        def run() -> RunningProcess:
            try:
                process = launch(command, environment=environment, folder=str(work))
                return RunningProcess(process, Watched(options.limits))
            except OSError as error:
                raise SandboxFailed(f"the worker could not be started: {error}.") from error

        setup = worker_setup(
            options.limits, user=None, isolated=False, own_user=False, writable=[str(work), str(temporary)]
        )
        return WorkerSession(
            run,
            setup,
            options.limits,
            inputs=inputs,
            isolated=False,
            on_close=lambda: shutil.rmtree(top, ignore_errors=True),
        )
