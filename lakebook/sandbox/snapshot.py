"""What a workspace holds at one moment, and what changed between two.

The folder is written by code that nobody trusts, perhaps while it is looked at. So it is walked from an open
descriptor, no link is followed, nothing but a regular file is opened, and a file is what its descriptor says
it is, not what its name said a moment before. What cannot be taken is kept with the reason. Files that did
not change since the last snapshot are not read again.
"""

from __future__ import annotations

import hashlib
import os
import stat
import time
from collections.abc import Iterator, Mapping
from dataclasses import dataclass, field
from pathlib import Path
from typing import Literal, NamedTuple

from lakebook.errors import SandboxError
from lakebook.sandbox.kinds import HEAD_BYTES, kind_of
from lakebook.sandbox.workspace import UnsafeNameError, check_path

_FOLDER = os.O_RDONLY | os.O_DIRECTORY | os.O_NOFOLLOW | os.O_CLOEXEC
_FILE = os.O_RDONLY | os.O_NOFOLLOW | os.O_NONBLOCK | os.O_NOCTTY | os.O_CLOEXEC
_CHUNK = 1 << 20
# A file written so shortly before it was looked at may be written again without its times telling.
_RACY_NS = 100_000_000
_STRANGE = {
    stat.S_IFLNK: "a link",
    stat.S_IFIFO: "a pipe",
    stat.S_IFSOCK: "a socket",
    stat.S_IFCHR: "a device",
    stat.S_IFBLK: "a device",
}


@dataclass(frozen=True, slots=True)
class Bounds:
    """How much of a workspace is taken: entries, bytes of one file, bytes in total."""

    entries: int = 20_000
    file_bytes: int = 1 << 30
    total_bytes: int = 4 << 30


class Mark(NamedTuple):
    """What the file system says of a file; it changes with every write. The change time can't be forged."""

    device: int
    inode: int
    size: int
    modified: int
    changed: int


_NO_MARK = Mark(0, 0, 0, 0, 0)


@dataclass(frozen=True, slots=True)
class Entry:
    """One file.

    Attributes:
        size: in bytes.
        sha256: of its content, "" if it was not read.
        kind: what it is by its content (`kinds`), "" if it was not read.
        refused: why it was not read, "" if it was.
    """

    path: str
    size: int
    sha256: str = ""
    kind: str = ""
    refused: str = ""
    mark: Mark = _NO_MARK


@dataclass(frozen=True, slots=True)
class Snapshot:
    """The files of a workspace by their paths. `left_out` says what was not looked at; "" if complete."""

    entries: Mapping[str, Entry] = field(default_factory=dict)
    left_out: str = ""
    taken: int = 0


@dataclass(frozen=True, slots=True)
class Change:
    """A file that is new, changed or deleted; `earlier` is what it was before, if it was there."""

    path: str
    how: Literal["new", "changed", "deleted"]
    now: Entry | None = None
    earlier: Entry | None = None


def take(folder: Path, before: Snapshot | None = None, bounds: Bounds | None = None) -> Snapshot:
    """Return what a workspace holds now.

    Args:
        folder: the workspace. Raises SandboxError if it cannot be opened.
        before: an earlier snapshot, whose hashes are used for what did not change.
        bounds: how much to take.
    """
    taken = time.time_ns()
    try:
        root = os.open(folder, _FOLDER)
    except OSError as error:
        raise SandboxError(f"the workspace cannot be opened: {error.strerror}.", where=str(folder)) from error
    walk = _Walk(before or Snapshot(), bounds or Bounds())
    entries: dict[str, Entry] = {}
    try:
        for entry in walk.below(root, ""):
            entries[entry.path] = entry
    finally:
        os.close(root)
    return Snapshot(dict(sorted(entries.items())), walk.left_out, taken)


def changes(before: Snapshot, after: Snapshot) -> tuple[Change, ...]:
    """Return what changed between two snapshots, by path.

    Nothing is called deleted by a snapshot that left something out, or new by one after such a one.
    """
    found: list[Change] = []
    for path in sorted({*before.entries, *after.entries}):
        earlier, now = before.entries.get(path), after.entries.get(path)
        if earlier is None and now is not None and not before.left_out:
            found.append(Change(path, "new", now))
        elif now is None and earlier is not None and not after.left_out:
            found.append(Change(path, "deleted", None, earlier))
        elif now is not None and earlier is not None and _differs(earlier, now):
            found.append(Change(path, "changed", now, earlier))
    return tuple(found)


def _differs(earlier: Entry, now: Entry) -> bool:
    if earlier.sha256 and now.sha256:
        return earlier.sha256 != now.sha256
    return (earlier.refused, earlier.mark) != (now.refused, now.mark)


class _Walk:
    """One walk through a workspace, with what is left of its bounds."""

    def __init__(self, before: Snapshot, bounds: Bounds) -> None:
        self._before = before
        self._entries, self._bytes = bounds.entries, bounds.total_bytes
        self._bounds = bounds
        self.left_out = ""

    def below(self, folder: int, prefix: str) -> Iterator[Entry]:
        """Give the files below an open folder; its depth is bounded by that of a safe path."""
        names = []
        with os.scandir(folder) as entries:
            for entry in entries:
                if self._entries <= 0:
                    self.left_out = f"more than {self._bounds.entries} files"
                    break
                self._entries -= 1
                names.append(entry.name)
        for name in sorted(names):
            yield from self._entry(folder, name, f"{prefix}{name}")

    def _entry(self, folder: int, name: str, path: str) -> Iterator[Entry]:
        shown = path.encode("utf-8", "backslashreplace").decode()
        try:
            check_path(path)
            status = os.stat(name, dir_fd=folder, follow_symlinks=False)
            if stat.S_ISDIR(status.st_mode):
                inner = os.open(name, _FOLDER, dir_fd=folder)
                try:
                    yield from self.below(inner, f"{path}/")
                finally:
                    os.close(inner)
            elif strange := _STRANGE.get(stat.S_IFMT(status.st_mode)):
                yield Entry(shown, status.st_size, refused=strange, mark=_mark(status))
            else:
                yield self._file(folder, name, shown)
        except UnsafeNameError as error:
            yield Entry(shown, 0, refused=f"unsafe name: {error.message}")
        except FileNotFoundError:
            return  # gone between the list and the look
        except OSError as error:
            yield Entry(shown, 0, refused=f"cannot be opened: {error.strerror}")

    def _file(self, folder: int, name: str, path: str) -> Entry:
        descriptor = os.open(name, _FILE, dir_fd=folder)
        try:
            status = os.fstat(descriptor)
            mark = _mark(status)
            if not stat.S_ISREG(status.st_mode):
                return Entry(path, status.st_size, refused="changed while it was looked at", mark=mark)
            known = self._before.entries.get(path)
            if known is not None and known.mark == mark and known.sha256 and not self._racy(mark):
                self._bytes -= mark.size
                return known
            return self._read(descriptor, path, mark)
        finally:
            os.close(descriptor)

    def _racy(self, mark: Mark) -> bool:
        return max(mark.modified, mark.changed) > self._before.taken - _RACY_NS

    def _read(self, descriptor: int, path: str, mark: Mark) -> Entry:
        most = min(self._bounds.file_bytes, self._bytes)
        if mark.size > most:
            if self._bytes < self._bounds.file_bytes:
                self.left_out = f"content past {self._bounds.total_bytes} bytes in total"
            return Entry(path, mark.size, refused=f"longer than {most} bytes", mark=mark)
        digest, head, left = hashlib.sha256(), b"", mark.size
        while left and (chunk := os.read(descriptor, min(_CHUNK, left))):
            digest.update(chunk)
            head = head or chunk[:HEAD_BYTES]
            left -= len(chunk)
        self._bytes -= mark.size
        if _mark(os.fstat(descriptor)) != mark:
            return Entry(path, mark.size, refused="written while it was read", mark=mark)
        return Entry(path, mark.size, digest.hexdigest(), kind_of(head, path), mark=mark)


def _mark(status: os.stat_result) -> Mark:
    return Mark(status.st_dev, status.st_ino, status.st_size, status.st_mtime_ns, status.st_ctime_ns)
