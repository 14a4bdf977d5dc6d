"""Walk a folder into a manifest: every regular file with the hash of its content (RADAR §2.1).

The lake and the corpus of notebooks are both scanned here. Nothing is interpreted: what a file holds is
the profilers' question. Nothing outside the folder is read.
"""

from __future__ import annotations

import os
import stat
from collections.abc import Iterator
from pathlib import Path

from lakebook.errors import UsageError
from lakebook.progress import Progress, silent
from lakebook.sources.card import FileEntry, Manifest
from lakebook.storage import hash_file


def scan(root: Path, progress: Progress = silent) -> Manifest:
    """Return the manifest of the folder: sorted POSIX paths, sizes and SHA-256 of the content.

    Hidden files and folders (and so our own `.lakebook`) and lock files of office programs are left out.
    Links that lead out of the folder, and files that cannot be read, are listed as problems.

    Raises:
        UsageError: the folder does not exist, is not a folder, or cannot be listed.
    """
    base = _folder(root)
    problems: list[tuple[str, str]] = []
    found = sorted(_walk(base, problems))
    entries = []
    for done, relative in enumerate(found):
        progress("scan", done, len(found), relative)
        try:
            size, digest = (base / relative).stat().st_size, hash_file(base / relative)
        except OSError as error:
            problems.append((relative, f"cannot be read: {error.strerror or error}"))
            continue
        entries.append(FileEntry(relative, size, digest))
    return Manifest(tuple(entries), tuple(sorted(problems)))


def _folder(root: Path) -> Path:
    if not root.exists():
        raise UsageError(
            "there is no such folder.",
            where=str(root),
            hint="Check the path, or create it and put files there.",
        )
    if not root.is_dir():
        raise UsageError(
            "this is a file, not a folder.", where=str(root), hint="Give the folder that holds it."
        )
    if not os.access(root, os.R_OK | os.X_OK):
        raise UsageError("the folder may not be listed.", where=str(root), hint="Change its permissions.")
    return root.resolve()


def _walk(base: Path, problems: list[tuple[str, str]]) -> Iterator[str]:
    def unlistable(error: OSError) -> None:
        place = Path(error.filename).relative_to(base).as_posix()
        problems.append((place, f"the folder cannot be listed: {error.strerror}"))

    for folder, folders, files in os.walk(base, onerror=unlistable, followlinks=False):
        folders[:] = sorted(name for name in folders if not _is_hidden(name))
        for name in sorted(folders):
            _check_link(base, Path(folder) / name, problems)
        for name in files:
            path = Path(folder) / name
            if not _is_hidden(name) and _check_link(base, path, problems):
                yield from _regular(base, path, problems)


def _is_hidden(name: str) -> bool:
    return name.startswith((".", "~$")) or name in ("__pycache__", "__MACOSX")


def _check_link(base: Path, path: Path, problems: list[tuple[str, str]]) -> bool:
    """Return False, and say why, for a link that is broken, loops, or leaves the folder."""
    if not path.is_symlink():
        return True
    relative = _name(base, path)
    try:
        target = path.resolve(strict=True)
    except (OSError, RuntimeError):
        problems.append((relative, "a symbolic link that leads nowhere or to itself"))
        return False
    if not target.is_relative_to(base):
        problems.append((relative, "a symbolic link that leaves the folder; it was not followed"))
        return False
    return True


def _regular(base: Path, path: Path, problems: list[tuple[str, str]]) -> Iterator[str]:
    relative = _name(base, path)
    try:
        is_regular = stat.S_ISREG(path.stat().st_mode)
        relative.encode("utf-8")
    except OSError as error:
        problems.append((relative, f"cannot be read: {error.strerror or error}"))
        return
    except UnicodeEncodeError:
        shown = os.fsencode(relative).decode("utf-8", "backslashreplace")
        problems.append((shown, "its name is not valid UTF-8; rename it"))
        return
    if is_regular:
        yield relative


def _name(base: Path, path: Path) -> str:
    return path.relative_to(base).as_posix()
