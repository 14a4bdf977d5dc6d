"""Files that a forked run or a copy leaves: found by comparing before and after, and removed.

A run may leave what is made to resist: folders nested deeper than a path can name, closed to their owner, or
in great number. Nothing here recurses, and below the first strange folder nothing is reached by its path.
"""

from __future__ import annotations

import contextlib
import os
import stat
from collections.abc import Iterator, Sequence

_FOLDER = os.O_RDONLY | os.O_DIRECTORY | os.O_NOFOLLOW | os.O_CLOEXEC


class Litter:
    """What the writable folders hold. Links are never followed."""

    def __init__(self, folders: Sequence[str]) -> None:
        self._folders = folders

    def known(self) -> frozenset[str]:
        """Return what there is now."""
        return frozenset(path for top in self._folders for path in _below(top))

    def remove(self, known: frozenset[str]) -> None:
        """Remove what has come since then; what was changed stays changed."""
        for top in self._folders:
            queue = [top]
            while queue:
                folder = queue.pop()
                for path, is_folder in _entries(folder):
                    if path not in known:
                        _remove(folder, path, is_folder)
                    elif is_folder:
                        queue.append(path)


def _entries(folder: str) -> list[tuple[str, bool]]:
    """Return what is in a folder, and whether it is a folder of the same file system.

    Where Lakebook is installed below /tmp, its libraries are mounted there, in tens of thousands.
    """
    try:
        device = os.lstat(folder).st_dev
        with os.scandir(folder) as entries:
            return [
                (e.path, e.is_dir(follow_symlinks=False))
                for e in entries
                if e.stat(follow_symlinks=False).st_dev == device
            ]
    except OSError:
        return []


def _below(top: str) -> Iterator[str]:
    queue = [top]
    while queue:
        for path, is_folder in _entries(queue.pop()):
            yield path
            if is_folder:
                queue.append(path)


def _remove(folder: str, path: str, is_folder: bool) -> None:
    with contextlib.suppress(OSError):
        if not is_folder:
            os.unlink(path)  # noqa: PTH108
            return
        within = os.open(folder, _FOLDER)
        try:
            _flatten(within, os.path.basename(path))  # noqa: PTH119
        finally:
            os.close(within)


def _flatten(within: int, name: str) -> None:
    """Remove a folder by moving the folders in it beside it, until there is none left to move."""
    names, made = [name], 0
    while names:
        current = names.pop()
        with contextlib.suppress(OSError):
            os.chmod(current, stat.S_IRWXU, dir_fd=within)
            inner = os.open(current, _FOLDER, dir_fd=within)
            try:
                for entry in os.listdir(inner):  # noqa: PTH208 - of a descriptor
                    if not stat.S_ISDIR(os.stat(entry, dir_fd=inner, follow_symlinks=False).st_mode):
                        os.unlink(entry, dir_fd=inner)
                        continue
                    made += 1
                    os.chmod(entry, stat.S_IRWXU, dir_fd=inner)  # its `..` changes with its place
                    moved = f".removed-{os.getpid()}-{made}"
                    os.rename(entry, moved, src_dir_fd=inner, dst_dir_fd=within)
                    names.append(moved)
            finally:
                os.close(inner)
            os.rmdir(current, dir_fd=within)
