"""The one choke point for names that come from elsewhere and become paths.

A workspace is a folder; everything in it is reached by a relative name, one component after the other, from
an open descriptor, and no symbolic link is ever followed, wherever it stands. So what a sandboxed program
named or left behind, and what a caller asks for, cannot make Lakebook read or write outside. Which folder a
session's workspace is belongs to `workspaces`, what changed in it to `snapshot`.
"""

from __future__ import annotations

import contextlib
import os
import re
import secrets
import stat
import unicodedata
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path

from lakebook.errors import SandboxError

_LONGEST_NAME = 255
_DEEPEST = 32
_FOLDER = os.O_RDONLY | os.O_DIRECTORY | os.O_NOFOLLOW | os.O_CLOEXEC
# Controls, lone surrogates, separators of lines and paragraphs.
_UNPRINTABLE = ("Cc", "Cs", "Zl", "Zp")
# Letters that turn the reading order, by which a name shows as another.
_TURNING = frozenset("\u202a\u202b\u202c\u202d\u202e\u2066\u2067\u2068\u2069")
_DEVICE = re.compile(r"(con|prn|aux|nul|conin\$|conout\$|(com|lpt)[0-9])\s*(\..*)?", re.DOTALL)


class UnsafeNameError(SandboxError):
    """A name that could lead out of its folder, or that a file system can't hold."""


def check_name(name: str) -> str:
    """Return a name that is one safe path component on every system, or raise `UnsafeNameError`.

    What it becomes by Unicode normalisation must be safe too: `／` and `℀` give separators, `‥` two dots.
    """
    plain = unicodedata.normalize("NFKC", name)
    if not name or plain.strip(". ") == "":
        raise UnsafeNameError(f"{name!r} is no file name.")
    letters = name + plain
    if "/" in letters or "\\" in letters or not _TURNING.isdisjoint(letters):
        raise UnsafeNameError(f"{name!r} has characters that a file name must not have.")
    if any(unicodedata.category(letter) in _UNPRINTABLE for letter in letters):
        raise UnsafeNameError(f"{name!r} has characters that a file name must not have.")
    if plain.endswith((".", " ")):
        raise UnsafeNameError(f"{name!r} ends with a dot or a space, which some systems drop.")
    if _DEVICE.fullmatch(plain.casefold()) or re.match("[A-Za-z]:", plain):
        raise UnsafeNameError(f"{name!r} names a device or a drive.")
    if len(name.encode("utf-8")) > _LONGEST_NAME:
        raise UnsafeNameError(f"the name {name[:40]!r}… is longer than {_LONGEST_NAME} bytes.")
    return name


def check_path(path: str) -> tuple[str, ...]:
    """Return the components of a safe relative path, or raise `UnsafeNameError`."""
    if path.startswith("/"):
        raise UnsafeNameError(f"{path[:80]!r} is not relative.")
    names = path.split("/")
    if len(names) > _DEEPEST:
        raise UnsafeNameError(f"{path[:80]!r} is nested deeper than {_DEEPEST} folders.")
    return tuple(check_name(name) for name in names)


@dataclass(frozen=True, slots=True)
class Workspace:
    """A folder that is written and read by safe relative names only. The folder itself must exist."""

    root: Path

    def _open(self) -> int:
        try:
            return os.open(self.root, _FOLDER)
        except OSError as error:
            raise SandboxError(
                f"the workspace cannot be opened: {error.strerror}.", where=str(self.root)
            ) from error

    @contextlib.contextmanager
    def _parent(self, path: str, *, create: bool) -> Iterator[tuple[int, str]]:
        """Open the folder that holds `path`, component by component; yield it and the last name."""
        *folders, name = check_path(path)
        current = self._open()
        try:
            for folder in folders:
                if create:
                    _make_folder(folder, current)
                deeper = os.open(folder, _FOLDER, dir_fd=current)
                os.close(current)
                current = deeper
            yield current, name
        except OSError as error:
            raise UnsafeNameError(
                f"cannot be reached without following a link: {error.strerror}.", where=f"{self.root}/{path}"
            ) from error
        finally:
            os.close(current)

    def write(self, path: str, content: bytes) -> Path:
        """Write a file atomically, creating its folders; return where it is. An old file is replaced."""
        with self._parent(path, create=True) as (folder, name):
            temporary = f".{secrets.token_hex(8)}.part"
            flags = os.O_WRONLY | os.O_CREAT | os.O_EXCL | os.O_NOFOLLOW | os.O_CLOEXEC
            with os.fdopen(os.open(temporary, flags, 0o644, dir_fd=folder), "wb") as file:
                file.write(content)
                _give_to_owner(file.fileno(), folder)
            try:
                # rename replaces a link itself, never what it points to
                os.rename(temporary, name, src_dir_fd=folder, dst_dir_fd=folder)
            except OSError:
                os.unlink(temporary, dir_fd=folder)
                raise
        return self.root.joinpath(*check_path(path))

    def read(self, path: str, *, most: int = 256 << 20) -> bytes:
        """Return a regular file's bytes; `UnsafeNameError` for a link, a pipe, a device or one too long."""
        with self._parent(path, create=False) as (folder, name):
            flags = os.O_RDONLY | os.O_NOFOLLOW | os.O_NONBLOCK | os.O_CLOEXEC
            with os.fdopen(os.open(name, flags, dir_fd=folder), "rb") as file:
                status = os.fstat(file.fileno())
                if not stat.S_ISREG(status.st_mode) or status.st_size > most:
                    raise UnsafeNameError("is no regular file, or is too long.", where=f"{self.root}/{path}")
                return file.read(most)

    def names(self) -> list[str]:
        """Return the relative names of the regular files, sorted; links are neither listed nor followed."""
        found: list[str] = []
        for folder, _, files, descriptor in os.fwalk(self.root, follow_symlinks=False):
            for name in files:
                status = os.stat(name, dir_fd=descriptor, follow_symlinks=False)
                if stat.S_ISREG(status.st_mode):
                    found.append(Path(folder, name).relative_to(self.root).as_posix())
        return sorted(found)

    def remove(self, path: str) -> None:
        """Remove a file, a link itself, or a folder with all that is in it. `UnsafeNameError` if it can't."""
        with self._parent(path, create=False) as (folder, name):
            remove_entry(folder, name)

    def clear(self) -> None:
        """Remove everything in the workspace."""
        current = self._open()
        try:
            for name in os.listdir(current):  # noqa: PTH208 - of a descriptor
                remove_entry(current, name)
        except OSError as error:
            raise SandboxError(f"cannot be cleared: {error.strerror}.", where=str(self.root)) from error
        finally:
            os.close(current)


def remove_entry(folder: int, name: str) -> None:
    """Remove what has this name in an open folder, never following a link. Raises OSError.

    Folders are emptied by moving the folders in them beside them first, so no depth is too deep.
    """
    names, made = [name], 0
    while names:
        current = names.pop()
        if not stat.S_ISDIR(os.stat(current, dir_fd=folder, follow_symlinks=False).st_mode):
            os.unlink(current, dir_fd=folder)
            continue
        inner = _open_to_empty(current, folder)
        try:
            for entry in os.listdir(inner):  # noqa: PTH208 - of a descriptor
                if not stat.S_ISDIR(os.stat(entry, dir_fd=inner, follow_symlinks=False).st_mode):
                    os.unlink(entry, dir_fd=inner)
                    continue
                made += 1
                moved = f".removed-{secrets.token_hex(8)}-{made}"
                os.close(_open_to_empty(entry, inner))
                os.rename(entry, moved, src_dir_fd=inner, dst_dir_fd=folder)
                names.append(moved)
        finally:
            os.close(inner)
        os.rmdir(current, dir_fd=folder)


def _open_to_empty(name: str, within: int) -> int:
    """Open a folder that its maker may have closed to its owner."""
    try:
        inner = os.open(name, _FOLDER, dir_fd=within)
    except PermissionError:
        handle = os.open(name, os.O_PATH | os.O_DIRECTORY | os.O_NOFOLLOW | os.O_CLOEXEC, dir_fd=within)
        try:
            Path(f"/proc/self/fd/{handle}").chmod(stat.S_IRWXU)
        finally:
            os.close(handle)
        inner = os.open(name, _FOLDER, dir_fd=within)
    os.fchmod(inner, stat.S_IRWXU)
    return inner


def _make_folder(name: str, within: int) -> None:
    try:
        os.mkdir(name, 0o755, dir_fd=within)
    except FileExistsError:
        return
    made = os.open(name, _FOLDER, dir_fd=within)
    try:
        _give_to_owner(made, within)
    finally:
        os.close(made)


def _give_to_owner(descriptor: int, folder: int) -> None:
    """Let what root puts into a workspace belong to the user who works in it."""
    if os.geteuid() == 0:
        owner = os.fstat(folder)
        os.fchown(descriptor, owner.st_uid, owner.st_gid)
