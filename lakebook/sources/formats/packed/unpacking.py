"""Content that is packed in something else: unpack it to a place on disk, within limits, and load it there.

What an archive holds, and in which order it is read, is the work of `archive`; recognising the packing that
of `peek`. Nothing is ever written under a name that an archive gives.
"""

from __future__ import annotations

import re
import tempfile
import textwrap
from collections.abc import Callable, Iterator, Mapping
from contextlib import contextmanager
from dataclasses import dataclass, replace
from pathlib import Path, PurePosixPath
from typing import Protocol

from lakebook.errors import SourceError
from lakebook.sources.load_code import data_file, literal
from lakebook.sources.peek import Peek, peek
from lakebook.sources.reading import Budget, Part, Profiler, Reading, Typing

# A content above the first limit is not unpacked, nor one above the second that has grown by the factor:
# real data hardly ever shrinks so far, a file made to fill the disk does.
MOST_BYTES = 8 << 30
SUSPECT_BYTES = 1 << 30
SUSPECT_FACTOR = 200

_CHUNK = 1 << 20
_WIDTH = 100
_DIRECT = re.compile(r"df = pd\.read_(csv|excel|parquet|orc|stata)\(\s*$")
_PACKED_SUFFIXES = (".gz", ".bz2", ".xz", ".zst", ".zip")
_OPENERS = {"gz": ("gzip", "gzip.open"), "bz2": ("bz2", "bz2.open"), "xz": ("lzma", "lzma.open")}


class Readable(Protocol):
    """What gives bytes."""

    def read(self, size: int, /) -> bytes:
        """Return up to so many bytes."""
        ...


Chooser = Callable[[Peek], Profiler | None]


@dataclass(frozen=True, slots=True)
class Opener:
    """How load code opens a packed content: the modules it imports, and what stands after `with`."""

    modules: tuple[str, ...]
    managers: tuple[str, ...]


def opener_of(file: Peek) -> Opener:
    """Return how to open the only content of a packed file."""
    place = data_file(file.relative)
    if file.compression == "zip":
        managers = (f"zipfile.ZipFile({place}) as archive", f"archive.open({literal(file.member)})")
        return Opener(("zipfile",), managers)
    if file.compression == "zst":
        return Opener(("pyarrow as pa",), (f'pa.input_stream({place}, compression="zstd")',))
    module, function = _OPENERS[file.compression]
    return Opener((module,), (f"{function}({place})",))


@contextmanager
def unpacked(stream: Readable, name: str, packed: int, where: str) -> Iterator[Path]:
    """Write a content to a temporary file that ends as `name` does, and remove it afterwards.

    Args:
        stream: the unpacked content.
        name: what it is called inside.
        packed: how many bytes it takes packed.
        where: for the message, if it is too large.

    Raises:
        SourceError: it is larger than the limits allow. OSError: it is damaged.
    """
    with tempfile.TemporaryDirectory(prefix="lakebook-") as folder:
        path = Path(folder) / plain_name(name)
        written = 0
        with path.open("wb") as target:
            while chunk := stream.read(_CHUNK):
                written += len(chunk)
                _check_size(written, packed, where)
                target.write(chunk)
        yield path


def plain_name(name: str) -> str:
    """Return a harmless file name with the suffixes of this one: they say how to read it."""
    suffixes = "".join(PurePosixPath(name).suffixes[-2:])
    return "member" + (suffixes.lower() if re.fullmatch(r"[A-Za-z0-9._-]{0,20}", suffixes) else "")


def _check_size(written: int, packed: int, where: str) -> None:
    if written > MOST_BYTES:
        raise SourceError(
            f"unpacked it has more than {MOST_BYTES >> 30} GB, which is not read.",
            where=where,
            hint="Unpack it yourself.",
        )
    if written > SUSPECT_BYTES and written > SUSPECT_FACTOR * packed:
        raise SourceError(
            f"it unpacks to more than {SUSPECT_FACTOR} times its size and {SUSPECT_BYTES >> 30} GB: "
            "not read, since files that are made to fill a disk do that.",
            where=where,
            hint="Unpack it yourself if you trust it.",
        )


def load_unpacked(statements: list[str], inside: str, opener: Opener) -> list[str]:
    """Return statements that unpack a content and then do what the given ones do with it.

    Args:
        statements: written for a file of the lake that stands at `inside`.
        inside: the path that the content would have in the lake.
        opener: how to get at it really.
    """
    place = data_file(inside)
    imports = [line for item in statements for line in item.splitlines() if _is_import(line)]
    body = [item for item in statements if item and not _is_import(item)]
    imports += [f"import {module}" for module in opener.modules]
    name = _free_name("\n".join(body))
    first, *rest = body
    before, _, _ = first.partition(place)
    is_once = sum(item.count(place) for item in body) == first.count(place) == 1
    seekable = "pa.input_stream" not in opener.managers[-1] or "read_csv" in before
    if is_once and _DIRECT.fullmatch(before) and seekable and not inside.lower().endswith(_PACKED_SUFFIXES):
        opened = _with((*opener.managers[:-1], f"{opener.managers[-1]} as {name}"))
        direct = textwrap.indent(first.replace(place, name), "    ")
        return [*_sorted(imports), "", f"{opened}\n{direct}", *rest]
    imports += ["import shutil", "import tempfile", "from pathlib import Path"]
    copied = f'{name} = Path(folder) / "{plain_name(inside)}"'
    managers = (*opener.managers[:-1], f"{opener.managers[-1]} as packed", f'{name}.open("wb") as file')
    lines = [copied, _with(managers), "    shutil.copyfileobj(packed, file)"]
    block = "\n".join([*lines, *(item.replace(place, name) for item in body)])
    return [
        *_sorted(imports),
        "",
        "with tempfile.TemporaryDirectory() as folder:\n" + textwrap.indent(block, "    "),
    ]


def _with(managers: tuple[str, ...]) -> str:
    line = f"with {', '.join(managers)}:"
    if len(line) <= _WIDTH:
        return line
    return "with (\n" + "".join(f"    {manager},\n" for manager in managers) + "):"


def reason_of(error: BaseException) -> str:
    """Return what an error says, in one line."""
    if isinstance(error, SourceError):
        return f"{error.message} {error.hint}".strip().rstrip(".")
    return (str(error).splitlines() or [type(error).__name__])[0][:300]


def _is_import(line: str) -> bool:
    return line.startswith("import ") or (line.startswith("from ") and " import " in line)


def _sorted(imports: list[str]) -> list[str]:
    return sorted(set(imports), key=lambda line: (line.startswith("from"), line))


def _free_name(code: str) -> str:
    names = ("member", "inner_member", "innermost_member")
    return next(name for name in names if not re.search(rf"\b{name}\b", code))


def renamed(reading: Reading, unit: str, inside: str, opener: Opener) -> Reading:
    """Return a reading of an unpacked content as one of the file that holds it."""
    if reading.table is None:
        return replace(reading, unit=unit)
    inner = reading.table.opening

    def opening(typings: Mapping[str, Typing]) -> tuple[list[str], bool]:
        statements, is_plain = inner(typings)
        return load_unpacked(statements, inside, opener), is_plain

    return replace(reading, unit=unit, table=replace(reading.table, opening=opening))


class Unpacked:
    """Reads a file that is packed as a whole (`sales.parquet.gz`, `book.xlsx.zip`): unpacks it first."""

    def __init__(self, inner: Profiler, choose: Chooser) -> None:
        self.inner, self._choose = inner, choose

    @property
    def format(self) -> str:
        """The name of the format inside."""
        return self.inner.format

    def can_read(self, file: Peek) -> bool:
        """Return True if the content, were it not packed, could be read."""
        return self.inner.can_read(file.unpacked())

    def units(self, file: Peek) -> Iterator[Part]:
        """Unpack the file and return the units of its content."""
        name = PurePosixPath(file.member or PurePosixPath(file.relative).name).name
        if not file.member and PurePosixPath(name).suffix.lower() in _PACKED_SUFFIXES:
            name = PurePosixPath(name).stem
        inside = f"{file.relative}/{name}"
        with (
            file.open() as stream,
            unpacked(stream, name, file.size, file.relative) as path,
        ):
            content = peek(path, inside)
            if content.compression and content.magic != "text":
                raise SourceError(f"packed twice: {content.compression} inside {file.compression}.")
            profiler = self._choose(content)
            if profiler is None:
                raise SourceError(f"what it holds cannot be read ({content.magic}).", where=file.relative)
            for part in profiler.units(content):
                yield Part(file, part.name, (profiler, part))

    def profile(self, part: Part, budget: Budget) -> Reading:
        """Read one unit of the content."""
        profiler, inner = part.content
        reading: Reading = profiler.profile(inner, budget)
        return renamed(reading, reading.unit, inner.file.relative, opener_of(part.file))
