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
from lakebook.sources.stat_index import open_index
from lakebook.storage import hash_file


def scan(root: Path, progress: Progress = silent, state: Path | None = None) -> Manifest:
    """Return the manifest of the folder: sorted POSIX paths, sizes and SHA-256 of the content.

    Hidden files and folders (and so our own `.lakebook`) and lock files of office programs are left out.
    Links that lead out of the folder, and files that cannot be read, are listed as problems.

    Args:
        root: the folder.
        progress: told of every file that is hashed.
        state: where hashes are remembered, so that an unchanged file is not read; None to read them all.

    Raises:
        UsageError: the folder does not exist, is not a folder, or cannot be listed.
    """
    base = _folder(root)
    index = open_index(base, state)
    problems: list[tuple[str, str]] = []
    found = sorted(_walk(str(base), "", problems))
    entries = []
    for done, (relative, before) in enumerate(found):
        digest = index.hash_of(relative, before)
        if not digest:
            progress("scan", done, len(found), relative)
            try:
                digest = hash_file(base / relative)
            except OSError as error:
                problems.append((relative, f"cannot be read: {error.strerror or error}"))
                continue
            index.note(relative, before, digest)
        entries.append(FileEntry(relative, before.st_size, digest))
    index.keep([relative for relative, _ in found])
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


def _walk(base: str, folder: str, problems: list[tuple[str, str]]) -> Iterator[tuple[str, os.stat_result]]:
    """Find the files below a folder ("" or "a/b/") and what the file system says of each."""
    try:
        with os.scandir(f"{base}/{folder}") as listed:
            entries = sorted(listed, key=lambda entry: entry.name)
    except OSError as error:
        problems.append((folder.rstrip("/"), f"the folder cannot be listed: {error.strerror}"))
        return
    for entry in entries:
        relative = folder + entry.name
        if _is_hidden(entry.name) or (entry.is_symlink() and not _check_link(base, relative, problems)):
            continue
        try:
            relative.encode("utf-8")
            if entry.is_dir(follow_symlinks=False):
                yield from _walk(base, f"{relative}/", problems)
                continue
            found = entry.stat()
        except OSError as error:
            problems.append((relative, f"cannot be read: {error.strerror or error}"))
        except UnicodeEncodeError:
            shown = os.fsencode(relative).decode("utf-8", "backslashreplace")
            problems.append((shown, "its name is not valid UTF-8; rename it"))
        else:
            if stat.S_ISREG(found.st_mode):
                yield relative, found


def _is_hidden(name: str) -> bool:
    return name.startswith((".", "~$")) or name in ("__pycache__", "__MACOSX")


def _check_link(base: str, relative: str, problems: list[tuple[str, str]]) -> bool:
    """Return False, and say why, for a link that is broken, loops, or leaves the folder."""
    shown = os.fsencode(relative).decode("utf-8", "backslashreplace")
    try:
        target = Path(base, relative).resolve(strict=True)
    except (OSError, RuntimeError):
        problems.append((shown, "a symbolic link that leads nowhere or to itself"))
        return False
    if not target.is_relative_to(base):
        problems.append((shown, "a symbolic link that leaves the folder; it was not followed"))
        return False
    return True
