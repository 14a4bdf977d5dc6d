"""Files that computations write: looked for where they were declared, taken safely, kept with their hash.

The workspace is written by code that nobody trusts, so its snapshot and its own reading decide what a file
is (`lakebook.sandbox`); what is kept is a copy beside it that no later code can change.
"""

from __future__ import annotations

import hashlib
from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path

from lakebook.errors import SandboxError
from lakebook.operators.crossing import MOST_BYTES, is_own
from lakebook.operators.workbench import Workbench
from lakebook.sandbox.base import Json
from lakebook.sandbox.snapshot import Snapshot, changes, take
from lakebook.sandbox.workspace import Workspace


@dataclass(frozen=True, slots=True)
class KeptArtifact:
    """A file that a computation wrote, as it was then.

    Attributes:
        path: relative to the workspace. `kind`: by its content. `file`: the copy that is kept.
        record: id of the record that made it.
    """

    path: str
    size: int
    sha256: str
    kind: str
    record: str
    file: Path


def seen_files(bench: Workbench) -> Snapshot:
    """Return what the workspace holds before code runs."""
    return take(bench.files.root)


def keep_artifacts(
    kept: dict[str, KeptArtifact], bench: Workbench, before: Snapshot, declared: Sequence[str], record: str
) -> tuple[list[Json], str]:
    """Keep the files that a run made or changed.

    Args:
        kept: artifacts by path, to which those of this run are added.
        bench: where it ran.
        before: its files before that.
        declared: files that it was to write.
        record: id of its record.

    Returns:
        The files as the record shows them, and what is wrong with those that were declared, "" if nothing.
    """
    shown: list[Json] = []
    problems = {path: f"the code did not write {path}" for path in declared}
    place = bench.kept / record
    after = take(bench.files.root, before)
    for path in _written(before, after, declared):
        entry = after.entries[path]
        try:
            if entry.refused:
                raise SandboxError(entry.refused)
            data = bench.files.read(entry.path, most=MOST_BYTES)
            place.mkdir(parents=True, exist_ok=True)
            file = Workspace(place).write(entry.path, data)
        except (SandboxError, OSError) as error:
            reason = error.message if isinstance(error, SandboxError) else str(error.strerror)
            shown.append({"path": entry.path, "refused": reason})
            problems[entry.path] = f"{entry.path} cannot be taken: {reason}"
            continue
        digest = hashlib.sha256(data).hexdigest()
        kept[entry.path] = KeptArtifact(entry.path, len(data), digest, entry.kind, record, file)
        shown.append({"path": entry.path, "size": len(data), "sha256": digest, "kind": entry.kind})
        problems.pop(entry.path, None)
        if not data and entry.path in declared:
            problems[entry.path] = f"{entry.path} is empty"
    return shown, "; ".join(problems[path] for path in declared if path in problems)


def put_back(kept: dict[str, KeptArtifact], bench: Workbench, record: str) -> None:
    """Put the files of a run back into the workspace, which its end has cleared: later code may use them."""
    for artifact in kept.values():
        if artifact.record == record:
            bench.files.write(artifact.path, artifact.file.read_bytes())


def _written(before: Snapshot, after: Snapshot, declared: Sequence[str]) -> list[str]:
    """Return what a run made or changed, and what was declared and written again with the same content."""
    made = {change.path for change in changes(before, after) if change.now is not None}
    for path in declared:
        earlier, now = before.entries.get(path), after.entries.get(path)
        if earlier is not None and now is not None and earlier.mark != now.mark:
            made.add(path)
    return sorted(path for path in made if not is_own(path))
