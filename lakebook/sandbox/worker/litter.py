"""Files that a forked run leaves: found by comparing before and after, and removed."""

from __future__ import annotations

import os
import shutil
from collections.abc import Iterator, Sequence
from itertools import islice

_MOST_ENTRIES = 20_000


class Litter:
    """What the writable folders held before a forked run. Links are never followed."""

    def __init__(self, folders: Sequence[str]) -> None:
        self._folders = folders
        self._known: frozenset[str] = frozenset()

    def remember(self) -> None:
        """Note what there is now."""
        self._known = frozenset(self._entries())

    def remove(self) -> None:
        """Remove what has come since; what was changed stays changed."""
        for path in list(self._entries()):
            if path in self._known:
                continue
            try:
                if os.path.isdir(path) and not os.path.islink(path):  # noqa: PTH112, PTH114
                    shutil.rmtree(path, ignore_errors=True)
                else:
                    os.unlink(path)  # noqa: PTH108
            except OSError:
                continue

    def _entries(self) -> Iterator[str]:
        for top in self._folders:
            yield from islice(_below(top), _MOST_ENTRIES)


def _below(top: str) -> Iterator[str]:
    """Give what lies below a folder, but not in file systems that are mounted in it: those are not ours.

    Where Lakebook is installed below /tmp, its libraries are mounted there, in tens of thousands.
    """
    device = os.lstat(top).st_dev
    for folder, names, files in os.walk(top):
        names[:] = [name for name in names if _device(folder, name) == device]
        for name in (*names, *files):
            yield os.path.join(folder, name)  # noqa: PTH118


def _device(folder: str, name: str) -> int:
    try:
        return os.lstat(os.path.join(folder, name)).st_dev  # noqa: PTH118
    except OSError:
        return -1
