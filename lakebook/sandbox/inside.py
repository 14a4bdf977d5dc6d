"""What every backend puts inside: the worker with its command, environment and first frame, and Python.

How it is put there, by which mounts and behind which walls, is each backend's own.
"""

from __future__ import annotations

import functools
import os
import pwd
import sys
import sysconfig
from collections.abc import Mapping, Sequence
from dataclasses import asdict
from pathlib import Path
from typing import Any

from lakebook.errors import SandboxFailed
from lakebook.sandbox.base import Limits, SessionOptions
from lakebook.sandbox.workspace import check_name

WORKER = Path(__file__).parent / "worker"
"""The folder that becomes the package `lakebook_worker` below `WORKER_PATH`."""
WORKER_PATH = "/lakebook_worker"
START = f"import sys; sys.path.insert(0, {WORKER_PATH!r}); from lakebook_worker.controller import main; "


def worker_environment(extra: Mapping[str, str]) -> dict[str, str]:
    """Return the whole environment of a worker: fixed, so that equal code gives equal results."""
    one_thread = ("OPENBLAS_NUM_THREADS", "OMP_NUM_THREADS", "MKL_NUM_THREADS", "NUMEXPR_NUM_THREADS")
    return {
        "PATH": f"{Path(sys.executable).parent}:/usr/local/bin:/usr/bin:/bin",
        "HOME": "/tmp",  # noqa: S108 - the sandbox's own
        "LANG": "C.UTF-8",
        "LC_ALL": "C.UTF-8",
        "TZ": "UTC",
        "MPLBACKEND": "module://matplotlib_inline.backend_inline",
        "MPLCONFIGDIR": "/tmp/.matplotlib",  # noqa: S108
        "IPYTHONDIR": "/tmp/.ipython",  # noqa: S108
        "PLOTLY_RENDERER": "plotly_mimetype",
        "SOURCE_DATE_EPOCH": "0",  # the date in figures as SVG and PDF
        "PYTHONDONTWRITEBYTECODE": "1",
        "PYTHONHASHSEED": "0",
        "PYTHONNOUSERSITE": "1",
        **dict.fromkeys(one_thread, "1"),
        **extra,
    }


def worker_setup(
    limits: Limits, *, user: int | None, isolated: bool, own_user: bool, writable: Sequence[str]
) -> dict[str, Any]:
    """Return the first frame that a worker gets.

    Args:
        limits: of the session.
        user: whom the worker becomes, None to stay who it is.
        isolated: False if nothing but limits stands between the cells and this machine.
        own_user: nobody else runs as the worker's user, so that the kernel may count that user's processes.
        writable: folders to tidy after each forked run.
    """
    walls = {**asdict(limits), "process_mb": limits.process_mb, "isolated": isolated, "own_user": own_user}
    return {"limits": walls, "user": user, "writable": list(writable)}


FROM_ETC = (
    "ld.so.cache",
    "ld.so.conf",
    "ld.so.conf.d",
    "localtime",
    "fonts",
    "alternatives",
    "nsswitch.conf",
)
"""What libraries look for in /etc, and nothing that tells of this machine's users or services."""


@functools.cache
def python_folders() -> tuple[Path, ...]:
    """Return the folders of this Python and its packages, as named and as they really are."""
    paths = sysconfig.get_paths()
    named = [Path(sys.prefix), Path(sys.base_prefix), Path(paths["purelib"]), Path(paths["platlib"])]
    named += _package_folders()
    named += [Path(sys.executable).resolve().parent.parent]
    real = [folder.resolve() for folder in named]
    wanted = sorted({f for f in (*named, *real) if f.is_dir() and f != Path("/")}, key=lambda f: len(f.parts))
    kept: list[Path] = []
    for folder in wanted:
        inside = (other for other in kept if folder.is_relative_to(other))
        if not folder.is_relative_to("/usr") and next(inside, None) is None:
            kept.append(folder)
    return tuple(kept)


def extra_packages() -> str:
    """Return packages' folders that this Python would not find by itself, as a search path."""
    own = (Path(sys.prefix), Path(sys.base_prefix))
    return ":".join(
        str(entry) for entry in _package_folders() if not any(entry.is_relative_to(prefix) for prefix in own)
    )


def _package_folders() -> list[Path]:
    """Return where this process looks for installed packages."""
    return [Path(entry) for entry in sys.path if Path(entry).name in ("site-packages", "dist-packages")]


def font_lists() -> list[Path]:
    """Return the lists of fonts that matplotlib has cached for this user."""
    cache = os.environ.get("MPLCONFIGDIR") or Path(
        os.environ.get("XDG_CACHE_HOME") or Path("~/.cache").expanduser(), "matplotlib"
    )
    return sorted(Path(cache).glob("fontlist-*.json"))


def checked_mounts(options: SessionOptions) -> dict[str, Path]:
    """Return the folders to mount by name, real paths. Raises SandboxFailed for options that can't be met."""
    mounts: dict[str, Path] = {}
    for mount in options.mounts:
        name, source = check_name(mount.name), mount.source.resolve()
        if name in mounts:
            raise SandboxFailed(f"two folders are to be mounted as {name!r}.")
        if not source.exists():
            raise SandboxFailed("the folder to mount is not there.", where=str(mount.source))
        mounts[name] = source
    for key, value in options.environment.items():
        if not key or "=" in key or "\0" in key + value:
            raise SandboxFailed(f"{key!r} is no name of an environment variable.")
    return mounts


def given_workspace(folder: Path, user: int | None) -> tuple[Path, int]:
    """Return the folder as it really is, and the user who works in it.

    Root gives the folder to `user`, whom nobody else is; whoever it was given to before keeps it, so that
    the files of an earlier session stay writable. Anybody else works in it as who they are (None).

    Raises:
        SandboxFailed: there is no such folder, it is a link, or it belongs to somebody.
    """
    try:
        descriptor = os.open(folder, os.O_RDONLY | os.O_DIRECTORY | os.O_NOFOLLOW | os.O_CLOEXEC)
    except OSError as error:
        raise SandboxFailed(
            f"the workspace cannot be opened: {error.strerror}.", where=str(folder)
        ) from error
    try:
        owner = os.fstat(descriptor).st_uid
        own = owner == os.geteuid()
        if own and user is not None:
            os.fchown(descriptor, user, user)
            owner = user
        elif not own and (user is None or not _is_nobody(owner)):
            raise SandboxFailed("the workspace belongs to another user.", where=str(folder))
    finally:
        os.close(descriptor)
    return folder.resolve(), owner


def _is_nobody(user: int) -> bool:
    """Return True for a user id that no person or service of this machine has."""
    try:
        pwd.getpwuid(user)
    except KeyError:
        return True
    return False
