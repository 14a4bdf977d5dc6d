"""What the hash of each file was when it was last seen, so that an unchanged file costs a stat and no more.

A file counts as unchanged if size, times of change and inode are those of the last scan. Times are too coarse
to tell two writes in quick succession apart: a file that was changed just before it was hashed is hashed
again.
"""

from __future__ import annotations

import hashlib
import os
import time
from dataclasses import dataclass, field
from pathlib import Path

import orjson

from lakebook.storage import replacing

_VERSION = 1
# Coarser than the clock of any file system in use.
_FRESH_NANOSECONDS = 2_500_000_000

Stat = tuple[int, int, int, int, int]


@dataclass(slots=True)
class StatIndex:
    """The files of one folder as they were last hashed.

    Attributes:
        file: where the index is kept, None if it is not.
        known: path -> what the file system said of it, and its hash.
    """

    file: Path | None
    known: dict[str, tuple[Stat, str]] = field(default_factory=dict)
    _began: int = field(default_factory=time.time_ns)
    _changed: bool = False

    def hash_of(self, path: str, found: os.stat_result) -> str:
        """Return the hash of a file that is as it was, "" if it may not be."""
        entry = self.known.get(path)
        return entry[1] if entry is not None and entry[0] == stat_of(found) else ""

    def note(self, path: str, found: os.stat_result, sha256: str) -> None:
        """Remember the hash of a file whose stat was taken before it was hashed."""
        if max(found.st_mtime_ns, found.st_ctime_ns) < self._began - _FRESH_NANOSECONDS:
            self.known[path] = (stat_of(found), sha256)
            self._changed = True
        elif self.known.pop(path, None):
            self._changed = True

    def keep(self, paths: list[str]) -> None:
        """Write the index, without files that are gone."""
        if len(self.known) > len(paths):
            present = set(paths)
            gone = [path for path in self.known if path not in present]
            for path in gone:
                del self.known[path]
            self._changed = self._changed or bool(gone)
        if self.file is not None and self._changed:
            rows = [[path, *stat, sha256] for path, (stat, sha256) in self.known.items()]
            with replacing(self.file) as temporary:
                temporary.write_bytes(orjson.dumps([_VERSION, rows]))


def stat_of(found: os.stat_result) -> Stat:
    """Return what tells whether a file has changed."""
    return (found.st_size, found.st_mtime_ns, found.st_ctime_ns, found.st_ino, found.st_dev)


def open_index(root: Path, state: Path | None) -> StatIndex:
    """Open the index of a folder; without a state folder nothing is remembered."""
    if state is None:
        return StatIndex(None)
    file = state / "stats" / f"{folder_key(root)}.json"
    try:
        version, rows = orjson.loads(file.read_bytes())
        known = {row[0]: ((row[1], row[2], row[3], row[4], row[5]), row[6]) for row in rows}
    except (FileNotFoundError, orjson.JSONDecodeError, ValueError, TypeError, IndexError):
        return StatIndex(file)
    return StatIndex(file, known if version == _VERSION else {})


def folder_key(root: Path) -> str:
    """Name what is kept of a folder."""
    return hashlib.sha256(os.fsencode(root.resolve())).hexdigest()[:16]
