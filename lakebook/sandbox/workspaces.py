"""Which folder a session's workspace is: one for each name, and never one for two names.

Beside the files that its cells see stands what is kept of them and what the cells must not change: the
artifact index. What happens inside a workspace belongs to `workspace`.
"""

from __future__ import annotations

import contextlib
import hashlib
import os
import re
from dataclasses import dataclass
from pathlib import Path

from lakebook.errors import SandboxError
from lakebook.sandbox.artifacts import ArtifactIndex
from lakebook.sandbox.workspace import UnsafeNameError, Workspace, check_name, remove_entry

_LONGEST_SLUG = 40
_FOLDER = os.O_RDONLY | os.O_DIRECTORY | os.O_NOFOLLOW | os.O_CLOEXEC


@dataclass(frozen=True, slots=True)
class SessionSpace:
    """What one session keeps: its files, and the index of what made them."""

    session: str
    files: Workspace
    index: ArtifactIndex


@dataclass(frozen=True, slots=True)
class Workspaces:
    """The workspaces below one folder, which is made when it is first needed."""

    root: Path

    def folder_name(self, session: str) -> str:
        """Return the folder of a session: readable, and different for every name, whatever the file system.

        Names that differ in case, in Unicode form or in a separator would share a folder on some system, so
        the hash of the exact name is part of it. Raises UnsafeNameError.
        """
        check_name(session)
        slug = re.sub("[^a-z0-9]+", "-", session.lower()).strip("-")[:_LONGEST_SLUG].strip("-")
        return f"{slug or 'session'}-{hashlib.sha256(session.encode('utf-8')).hexdigest()[:24]}"

    def open(self, session: str) -> SessionSpace:
        """Return the space of a session, made if need be. Raises UnsafeNameError, SandboxError."""
        name = self.folder_name(session)
        self.root.mkdir(parents=True, exist_ok=True)
        folder = self.root / name
        root = os.open(self.root, os.O_RDONLY | os.O_DIRECTORY | os.O_CLOEXEC)
        try:
            within = _enter(root, name)
            try:
                os.close(_enter(within, "files"))
            finally:
                os.close(within)
        except OSError as error:
            raise UnsafeNameError(f"is no folder of ours: {error.strerror}.", where=str(folder)) from error
        finally:
            os.close(root)
        return SessionSpace(session, Workspace(folder / "files"), ArtifactIndex(folder / "artifacts.jsonl"))

    def remove(self, session: str) -> None:
        """Remove a session's space with all that is in it; nothing happens if there is none."""
        name = self.folder_name(session)
        try:
            root = os.open(self.root, os.O_RDONLY | os.O_DIRECTORY | os.O_CLOEXEC)
        except FileNotFoundError:
            return
        try:
            remove_entry(root, name)
        except FileNotFoundError:
            return
        except OSError as error:
            raise SandboxError(
                f"cannot be removed: {error.strerror}.", where=str(self.root / name)
            ) from error
        finally:
            os.close(root)


def _enter(within: int, name: str) -> int:
    """Open a folder in an open one, made for this user alone if it is not there."""
    with contextlib.suppress(FileExistsError):
        os.mkdir(name, 0o700, dir_fd=within)
    return os.open(name, _FOLDER, dir_fd=within)
