"""Assemble the example lake from the data files of installed packages.

The packages are never imported, since their imports need far more than their data: the files are found
through the packages' metadata and copied or unpacked. Which files those are stands in `parts`.
"""

from __future__ import annotations

import gzip
import hashlib
import io
import zipfile
from collections.abc import Sequence
from dataclasses import dataclass
from importlib import metadata
from pathlib import Path

from lakebook.errors import LakebookError, UsageError
from lakebook.example.parts import PARTS, Part
from lakebook.progress import Progress, silent

MARKER = ".lakebook-example"
_MARKER_TEXT = "This folder was assembled by `lakebook example`, which may write its files anew.\n"
_INSTALL = "Install the data with `pip install 'lakebook[example]'`."


@dataclass(frozen=True, slots=True)
class ExampleFile:
    """A file of the lake. `written` is False when it was there already with the same bytes."""

    path: str
    bytes: int
    sha256: str
    licence: str
    written: bool


@dataclass(frozen=True, slots=True)
class ExampleLake:
    """The folder and what is in it."""

    folder: Path
    files: tuple[ExampleFile, ...]


def assemble(folder: Path, *, parts: Sequence[Part] = PARTS, progress: Progress = silent) -> ExampleLake:
    """Make the example lake in `folder`, or bring one that was made before back to its first state.

    Args:
        folder: made if it is not there; an existing one must be empty or carry the marker of this command.
        parts: what goes into it.
        progress: told of each file.

    Raises:
        UsageError: if the folder is somebody else's, or a package with data is not installed.
    """
    _claim(folder)
    sources = [_locate(part) for part in parts]  # all are found before anything is written
    _put(folder, MARKER, _MARKER_TEXT.encode(), "")
    files: list[ExampleFile] = []
    texts = {"README.md": _readme(parts), "SOURCES.md": _sources(parts)}
    total = len(parts) + len(texts)
    for part, source in zip(parts, sources, strict=True):
        progress("example", len(files), total, part.path)
        files.append(_put(folder, part.path, _unpack(part, source), part.licence))
    for name, text in texts.items():
        files.append(_put(folder, name, text.encode(), "Apache-2.0"))
    progress("example", total, total, "")
    return ExampleLake(folder, tuple(sorted(files, key=lambda file: file.path)))


def _claim(folder: Path) -> None:
    """Refuse a folder that this command did not make."""
    if folder.exists() and not folder.is_dir():
        raise UsageError("this is a file, not a folder.", where=str(folder), hint="Name another folder.")
    if folder.is_dir() and not (folder / MARKER).is_file() and any(folder.iterdir()):
        raise UsageError(
            "the folder is not empty and was not made by `lakebook example`; nothing was written.",
            where=str(folder),
            hint="Name a new or an empty folder.",
        )


def _locate(part: Part) -> Path:
    """Find the file of an installed package through the package's own list of files."""
    try:
        listed = metadata.files(part.distribution)
    except metadata.PackageNotFoundError as error:
        raise UsageError(
            f"the package {part.distribution}, which ships {part.path}, is not installed.", hint=_INSTALL
        ) from error
    for file in listed or ():
        if file.as_posix() == part.member:
            path = Path(str(file.locate()))
            if path.is_file():
                return path
    raise UsageError(
        f"the installed package {part.distribution} does not hold {part.member}.",
        hint=f"Another version may. {_INSTALL}",
    )


def _unpack(part: Part, source: Path) -> bytes:
    """Return the bytes of the lake's file."""
    try:
        raw = source.read_bytes()
        if part.unpacking == "gzip":
            return gzip.decompress(raw)
        if part.unpacking == "zip":
            with zipfile.ZipFile(io.BytesIO(raw)) as archive:
                return archive.read(Path(part.path).name)
    except (OSError, EOFError, KeyError, zipfile.BadZipFile) as error:
        raise LakebookError(f"the data file is damaged: {error}", where=str(source), hint=_INSTALL) from error
    return raw


def _put(folder: Path, name: str, content: bytes, licence: str) -> ExampleFile:
    """Write a file of the lake unless it is there with just these bytes (so its time stays as it was)."""
    target = folder / name
    written = not (target.is_file() and target.read_bytes() == content)
    if written:
        _write(folder, name, content)
    return ExampleFile(name, len(content), hashlib.sha256(content).hexdigest(), licence, written)


def _write(folder: Path, name: str, content: bytes) -> None:
    """Write whole or not at all: a reader never meets half a file."""
    target = folder / name
    try:
        target.parent.mkdir(parents=True, exist_ok=True)
        part = target.with_name(f"{target.name}.part")
        part.write_bytes(content)
        part.replace(target)
    except OSError as error:
        raise LakebookError(
            f"cannot write: {error.strerror or error}.", where=str(target), hint="Name another folder."
        ) from error


def _readme(parts: Sequence[Part]) -> str:
    """Say what the lake holds, for a person and for the text search over the lake."""
    rows = "\n".join(f"| {part.path} | {part.about} |" for part in parts)
    return (
        "# Example lake\n\n"
        "Real tables to try Lakebook on. Where each comes from, and under which licence, stands in\n"
        "SOURCES.md. `lakebook example` writes these files anew each time; put your own elsewhere.\n\n"
        f"| file | what it holds |\n|---|---|\n{rows}\n\n"
        "The notebooks in `notebooks_corpus/` were written for older forms of the avocado and the\n"
        "superstore table: other column names, dates as text, more columns. That is what a run bridges.\n"
    )


def _sources(parts: Sequence[Part]) -> str:
    """List the licence and origin of each file."""
    rows = "\n".join(
        f"| {part.path} | {part.licence} | {part.distribution}: {part.member} | {part.origin} |"
        for part in parts
    )
    return f"# Sources and licences\n\n| file | licence | taken from | origin |\n|---|---|---|---|\n{rows}\n"
