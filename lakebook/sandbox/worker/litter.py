"""Files that a forked run leaves: found by comparing before and after, and removed."""

from __future__ import annotations

import os
import shutil
from collections.abc import Iterator, Sequence

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
        count = 0
        for top in self._folders:
            for folder, names, files in os.walk(top):
                for name in (*names, *files):
                    yield os.path.join(folder, name)  # noqa: PTH118
                    count += 1
                    if count >= _MOST_ENTRIES:
                        return
