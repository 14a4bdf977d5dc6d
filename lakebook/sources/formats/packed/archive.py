"""Archives of several files (zip, tar): each member that can be read gives its units, named by inner path.

Members are unpacked one by one to a temporary place and read there by the profiler of their own format.
Nothing is written under a member's name, so absolute names and `..` are harmless. An archive inside an
archive is read too, one level deep.
"""

from __future__ import annotations

import stat
import tarfile
import zipfile
from collections.abc import Callable, Iterator
from dataclasses import dataclass, replace
from functools import partial
from typing import IO, cast

import duckdb

from lakebook.errors import SourceError
from lakebook.sources.card import FileStatus
from lakebook.sources.formats.packed.unpacking import Chooser, Opener, Unpacked, reason_of, renamed, unpacked
from lakebook.sources.load_code import data_file, literal
from lakebook.sources.peek import HEAD_BYTES, PACKING_ERRORS, Peek, is_litter, peek
from lakebook.sources.reading import Budget, Part, Profiler, Reading
from lakebook.sources.refusal import refuse

MOST_MEMBERS = 2_000

# What libraries raise on damaged members: it concerns that member, never the others.
_DAMAGE = (
    SourceError,
    OSError,
    EOFError,
    ValueError,
    OverflowError,
    MemoryError,
    tarfile.TarError,
    duckdb.Error,
    *PACKING_ERRORS,
)
_SHOWN = 50


@dataclass(frozen=True, slots=True)
class _Member:
    """A file inside an archive.

    Attributes:
        index: its place, since a name may stand twice. size: unpacked, as the archive declares it.
        open: works until the next member is asked for.
        refused: status and reason, where it cannot be opened at all.
    """

    index: int
    name: str
    size: int
    open: Callable[[], IO[bytes]]
    refused: tuple[FileStatus, str] = ("ok", "")


@dataclass(frozen=True, slots=True)
class _Inner:
    """A unit of a member, and who reads it."""

    profiler: Profiler
    part: Part
    opener: Opener
    member: str


@dataclass(slots=True)
class _Contents:
    """What became of the members: which are read (name -> index), which not, which are damaged."""

    readable: dict[str, int]
    notes: list[str]
    problems: list[tuple[str, str]]


class Archive:
    """Reads the members of archives of one kind ("zip", "tar")."""

    def __init__(self, name: str, choose: Chooser, level: int = 0) -> None:
        self.format, self._choose, self._level = name, choose, level

    def can_read(self, file: Peek) -> bool:
        """Return True for archives of this kind; tar archives may be compressed."""
        return file.magic == self.format

    def units(self, file: Peek) -> Iterator[Part]:
        """Return the units of all members; the first one says in `skipped` which members are not read."""
        contents = self._sort_out(file)
        for name, problem in contents.problems:
            yield Part(file, name, Reading(unit=name, problem=problem))
        notes = _shortened(contents.notes)
        if not contents.readable:
            if not contents.problems and not notes:
                raise SourceError("the archive is empty.", where=file.relative)
            if not contents.problems:  # nothing went wrong: it just holds nothing that is read
                yield Part(file, "", Reading(kind="text", skipped=notes))
            return
        chosen = set(contents.readable.values())
        for member in _members(file):
            if member.index not in chosen:
                continue
            for part in self._parts(file, member):
                if isinstance(part.content, _Inner):
                    yield replace(part, content=(part.content, notes))
                    notes = ()
                else:
                    yield part
            chosen.discard(member.index)
            if not chosen:  # what comes after it may be damaged, which is told already
                return

    def profile(self, part: Part, budget: Budget) -> Reading:
        """Read one unit of one member."""
        if isinstance(part.content, Reading):
            return part.content
        inner, notes = part.content
        try:
            reading: Reading = inner.profiler.profile(inner.part, budget)
        except _DAMAGE as error:
            return Reading(unit=part.name, problem=reason_of(error))
        unit = _joined(inner.member, reading.unit)
        reading = renamed(reading, unit, inner.part.file.relative, inner.opener)
        return replace(reading, skipped=(*reading.skipped, *notes))

    def _sort_out(self, file: Peek) -> _Contents:
        """Look at the head of every member."""
        contents = _Contents({}, [], [])
        beyond = 0
        try:
            for member in _members(file):
                if is_litter(member.name):
                    continue
                if member.name in contents.readable:
                    contents.notes.append(f"{member.name}: stands more than once; the last one is read")
                elif len(contents.readable) >= MOST_MEMBERS:
                    beyond += 1
                    continue
                status, why = member.refused if member.refused[1] else self._judged(file, member)
                if status == "ok":
                    contents.readable[member.name] = member.index
                elif status == "skipped":
                    contents.notes.append(f"{member.name}: {why}")
                else:
                    contents.problems.append((member.name, why))
        except _DAMAGE as error:
            contents.problems.append(("", f"the archive is damaged or cut off ({reason_of(error)})"))
        if beyond:
            contents.problems.append(
                ("", f"{beyond:,} members beyond the first {MOST_MEMBERS:,} are not read")
            )
        return contents

    def _judged(self, file: Peek, member: _Member) -> tuple[FileStatus, str]:
        """Return "ok" if a member can be read, as far as its head tells, else status and reason."""
        try:
            with member.open() as stream, unpacked(_Head(stream), member.name, HEAD_BYTES, "") as path:
                content = peek(path, f"{file.relative}/{member.name}")
                profiler = self._choose(content)
        except SourceError as error:
            # a container cannot be judged by its head: whoever unpacks it will see
            return ("ok", "") if member.size > HEAD_BYTES else ("failed", reason_of(error))
        except _DAMAGE as error:
            return "failed", reason_of(error)
        if profiler is None:
            return refuse(content)
        if _is_archive(profiler) and (self._level > 0 or isinstance(profiler, Unpacked)):
            return "skipped", "an archive nested too deeply to be read"
        return "ok", ""

    def _parts(self, file: Peek, member: _Member) -> Iterator[Part]:
        """Unpack a member and return its units, each with what is needed to read it."""
        inside = f"{file.relative}/{member.name}"
        try:
            with member.open() as stream, unpacked(stream, member.name, file.size, inside) as path:
                content = peek(path, inside)
                profiler = self._choose(content)
                if profiler is None:
                    raise SourceError(refuse(content)[1])
                if isinstance(profiler, Archive):
                    if self._level > 0:
                        raise SourceError("an archive nested too deeply to be read.")
                    profiler = Archive(profiler.format, self._choose, self._level + 1)
                opener = _opener(file, member.name)
                for part in profiler.units(content):
                    name = _joined(member.name, part.name)
                    yield Part(file, name, _Inner(profiler, part, opener, member.name))
        except _DAMAGE as error:
            yield Part(file, member.name, Reading(unit=member.name, problem=reason_of(error)))


def _is_archive(profiler: Profiler) -> bool:
    return isinstance(profiler.inner if isinstance(profiler, Unpacked) else profiler, Archive)


class _Head:
    """The first bytes of a stream, as a stream."""

    def __init__(self, stream: IO[bytes]) -> None:
        self._stream, self._left = stream, HEAD_BYTES

    def read(self, size: int, /) -> bytes:
        chunk = self._stream.read(min(size, self._left))
        self._left -= len(chunk)
        return chunk


def _members(file: Peek) -> Iterator[_Member]:
    return _zip_members(file) if file.magic == "zip" else _tar_members(file)


def _zip_members(file: Peek) -> Iterator[_Member]:
    with zipfile.ZipFile(file.path) as archive:
        for index, info in enumerate(archive.infolist()):
            if info.is_dir():
                continue
            refused: tuple[FileStatus, str] = ("ok", "")
            if info.flag_bits & 1:
                refused = ("failed", "encrypted: unpack it with its password")
            elif stat.S_ISLNK(info.external_attr >> 16):
                refused = ("skipped", "a link, which is not followed")
            opened = cast("Callable[[], IO[bytes]]", partial(archive.open, info))
            yield _Member(index, info.filename, info.file_size, opened, refused)


def _tar_members(file: Peek) -> Iterator[_Member]:
    """Read the archive from its start as a stream, since the compressed ones cannot be read otherwise."""
    with file.open() as stream, tarfile.open(fileobj=stream, mode="r|") as archive:
        for index, info in enumerate(archive):
            if info.isdir():
                continue
            refused: tuple[FileStatus, str] = ("ok", "")
            if not info.isfile():
                kind = "a link" if info.issym() or info.islnk() else "a device or pipe"
                refused = ("skipped", f"{kind}, which is not followed")
            opened = cast("Callable[[], IO[bytes]]", partial(archive.extractfile, info))
            yield _Member(index, info.name, info.size, opened, refused)


def _opener(file: Peek, member: str) -> Opener:
    place, name = data_file(file.relative), literal(member)
    if file.magic == "zip":
        return Opener(("zipfile",), (f"zipfile.ZipFile({place}) as archive", f"archive.open({name})"))
    modules: tuple[str, ...] = ("tarfile",)
    opened = f"tarfile.open({place})"
    if file.compression == "zst":
        modules = ("io", "tarfile", "pyarrow as pa")
        content = f'pa.input_stream({place}, compression="zstd").read()'
        opened = f"tarfile.open(fileobj=io.BytesIO({content}))"
    return Opener(modules, (f"{opened} as archive", f"archive.extractfile({name})"))


def _joined(member: str, unit: str) -> str:
    return f"{member}/{unit}" if unit else member


def _shortened(notes: list[str]) -> tuple[str, ...]:
    rest = len(notes) - _SHOWN
    return (*notes[:_SHOWN], *([f"and {rest:,} more members that are not read"] if rest > 0 else []))
