"""How much the cells have written, over all the folders that they may write to.

Each of them is limited in size by itself where it is a file system in memory; their sum is not, nor the
number of files, nor a folder of the disk. What is removed after a run is told in `litter`.
"""

from __future__ import annotations

import os
from collections.abc import Iterator, Sequence
from typing import NamedTuple


class Written(NamedTuple):
    """Megabytes and number of files."""

    megabytes: int
    files: int


class Disk:
    """The writable folders of a session. Links are never followed."""

    def __init__(self, folders: Sequence[str], mounts: str = "/proc/self/mountinfo") -> None:
        in_memory = _in_memory(mounts)
        self._mounted = [folder for folder in folders if folder in in_memory]
        self._plain = [folder for folder in folders if folder not in in_memory]

    def written(self, enough: int) -> Written:
        """Return what is there now; files of the disk are counted up to about `enough` of them."""
        size = files = 0
        for folder in self._mounted:
            state = os.statvfs(folder)
            size += (state.f_blocks - state.f_bfree) * state.f_frsize
            files += state.f_files - state.f_ffree
        for folder in self._plain:
            for status in below(folder):
                size += status.st_blocks * 512
                files += 1
                if files > enough:
                    break
        return Written(size >> 20, files)


def below(top: str) -> Iterator[os.stat_result]:
    """Give the status of all that lies in a folder, not entering other file systems."""
    device = os.lstat(top).st_dev
    queue = [top]
    while queue:
        try:
            with os.scandir(queue.pop()) as entries:
                for entry in entries:
                    try:
                        status = entry.stat(follow_symlinks=False)
                    except OSError:
                        continue
                    yield status
                    if entry.is_dir(follow_symlinks=False) and status.st_dev == device:
                        queue.append(entry.path)
        except OSError:  # gone meanwhile, closed to us, or nested too deep to be named
            continue


def _in_memory(mounts: str) -> set[str]:
    """Return the mount points of file systems in memory."""
    with open(mounts, encoding="utf-8", errors="replace") as file:  # noqa: PTH123
        rows = [line.split(" - ") for line in file]
    return {row[0].split()[4] for row in rows if len(row) == 2 and row[1].split()[0] == "tmpfs"}
