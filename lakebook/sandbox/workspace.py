"""The one choke point for names that come from elsewhere and become paths.

A workspace is a folder; everything in it is reached by a relative name, one component after the other, from
an open descriptor, and no symbolic link is ever followed, wherever it stands. So what a sandboxed program
named or left behind cannot make Lakebook read or write outside.
"""

from __future__ import annotations

import contextlib
import os
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


class UnsafeNameError(SandboxError):
    """A name that could lead out of its folder, or that a file system can't hold."""


def check_name(name: str) -> str:
    """Return a name that is one safe path component, or raise `UnsafeNameError`."""
    if not name or name in (".", ".."):
        raise UnsafeNameError(f"{name!r} is no file name.")
    if "/" in name or "\\" in name or any(unicodedata.category(letter) in ("Cc", "Cs") for letter in name):
        raise UnsafeNameError(f"{name!r} has characters that a file name must not have.")
    if len(name.encode("utf-8")) > _LONGEST_NAME:
        raise UnsafeNameError(f"the name {name[:40]!r}… is longer than {_LONGEST_NAME} bytes.")
    return name


def check_path(path: str) -> tuple[str, ...]:
    """Return the components of a safe relative path, or raise `UnsafeNameError`."""
    if path.startswith("/"):
        raise UnsafeNameError(f"{path!r} is not relative.")
    parts = tuple(check_name(part) for part in path.split("/"))
    if len(parts) > _DEEPEST:
        raise UnsafeNameError(f"{path[:80]!r} is nested deeper than {_DEEPEST} folders.")
    return parts


@dataclass(frozen=True, slots=True)
class Workspace:
    """A folder that is written and read by safe relative names only. The folder itself must exist."""

    root: Path

    @contextlib.contextmanager
    def _parent(self, path: str, *, create: bool) -> Iterator[tuple[int, str]]:
        """Open the folder that holds `path`, component by component; yield it and the last name."""
        *folders, name = check_path(path)
        try:
            current = os.open(self.root, os.O_RDONLY | os.O_DIRECTORY | os.O_CLOEXEC)
        except OSError as error:
            raise SandboxError(
                f"the workspace cannot be opened: {error.strerror}.", where=str(self.root)
            ) from error
        try:
            for folder in folders:
                if create:
                    with contextlib.suppress(FileExistsError):
                        os.mkdir(folder, 0o755, dir_fd=current)
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
