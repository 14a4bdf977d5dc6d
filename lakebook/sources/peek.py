"""Look at the first bytes of a file: what it is, by content first and by name second; open its content.

Only recognition and decompression of a single content live here. Archives with several members and
unpacking to a place on disk are the work of `formats/archive`, reading the content that of the profilers.
"""

from __future__ import annotations

import bz2
import gzip
import io
import lzma
import zipfile
import zlib
from dataclasses import dataclass, replace
from pathlib import Path, PurePosixPath
from typing import TYPE_CHECKING, BinaryIO, Literal, cast

import pyarrow as pa

from lakebook.errors import SourceError
from lakebook.sources.magic import recognise, recognise_zip

if TYPE_CHECKING:
    from typing_extensions import Buffer

Compression = Literal["", "gz", "bz2", "xz", "zst", "zip"]

HEAD_BYTES = 1 << 18

_COMPRESSIONS: dict[str, Compression] = {"gz": "gz", "bz2": "bz2", "xz": "xz", "zst": "zst"}
_COMPRESSED_SUFFIXES = {".gz", ".bz2", ".xz", ".zst", ".zip"}
_SHORT_SUFFIXES = {".tgz": ".tar", ".tbz": ".tar", ".tbz2": ".tar", ".txz": ".tar", ".tzst": ".tar"}
_WORKBOOK_SUFFIXES = {".xlsx", ".xlsm", ".xlsb", ".xls", ".ods"}
_LITTER = ("__MACOSX/", ".DS_Store", "Thumbs.db", "desktop.ini")
_BUFFER = 1 << 20

# What the libraries raise on a damaged container; a content opened here raises OSError or EOFError instead.
PACKING_ERRORS = (
    zlib.error,
    lzma.LZMAError,
    zipfile.BadZipFile,
    NotImplementedError,
    RuntimeError,
    pa.ArrowException,
)


@dataclass(frozen=True, slots=True)
class Peek:
    """A file as seen from its first bytes.

    A file that is packed and is not plain text ("gz", "bz2" or "zip" of text) reaches its profiler unpacked,
    as a file of its own at `path`: `profiler_for` sees to that, profilers need not.

    Attributes:
        path: where it is; `relative` is its name in the lake.
        magic: what the first bytes of the content say it is ("parquet", "workbook", "text", "binary" …).
        compression: how the content is packed, "" if it is not; `member` is the file inside a `.zip`.
        suffix: of the name inside the compression, lower case (".csv" of "a.csv.gz").
        head: the first bytes, unpacked; fewer where the content breaks off.
        packing: packed like this, although it is to be seen as if it were not.
    """

    path: Path
    relative: str
    size: int
    magic: str
    compression: Compression
    member: str
    suffix: str
    head: bytes
    packing: Compression = ""

    def open(self) -> BinaryIO:
        """Open the unpacked content for reading; damage shows as OSError or EOFError while it is read."""
        return _unpack(self.path, self.compression or self.packing, self.member)

    def unpacked(self) -> Peek:
        """Return the file as if its content stood there unpacked: for recognition, not for its path."""
        return replace(self, compression="", packing=self.compression)


def peek(path: Path, relative: str) -> Peek:
    """Look at the file.

    Raises:
        OSError: it cannot be opened. SourceError: it is packed and the packing is damaged.
    """
    size = path.stat().st_size
    with path.open("rb") as file:
        head = file.read(HEAD_BYTES)
    magic = recognise(head)
    if magic == "zip":
        seen = _look_into_zip(path)
        seen = replace(seen, relative=relative, size=size, head=head)
        if not seen.member:
            return seen
        inner, compression, member = PurePosixPath(seen.member), seen.compression, seen.member
    elif magic in _COMPRESSIONS:
        compression, member = _COMPRESSIONS[magic], ""
        inner = _without_packing(PurePosixPath(relative))
    else:
        if magic == "ole":
            magic = _look_into_ole(path)
        inner = PurePosixPath(relative)
        inner = _without_packing(inner) if magic == "text" else inner  # its name says packed, but it is not
        return Peek(path, relative, size, magic, "", "", inner.suffix.lower(), head)
    head = _head(path, compression, member)
    suffix, magic = inner.suffix.lower(), recognise(head)
    if magic in ("zip", "ole") and suffix in _WORKBOOK_SUFFIXES:
        magic = "workbook"  # the head alone does not tell; whoever unpacks it looks again
    return Peek(path, relative, size, magic, compression, member, suffix, head)


def is_litter(name: str) -> bool:
    """Return True for members that an operating system leaves in archives."""
    return name.startswith(_LITTER[0]) or PurePosixPath(name).name in _LITTER


def _without_packing(name: PurePosixPath) -> PurePosixPath:
    suffix = name.suffix.lower()
    if suffix in _SHORT_SUFFIXES:
        return name.with_suffix(_SHORT_SUFFIXES[suffix])
    return name.with_suffix("") if suffix in _COMPRESSED_SUFFIXES else name


def _look_into_zip(path: Path) -> Peek:
    """Return what a zip container is, and the only data file in it, if there is just one."""
    try:
        with zipfile.ZipFile(path) as archive:
            entries = len(archive.infolist())
            infos = [info for info in archive.infolist() if not info.is_dir()]
            mimetype = _mimetype(archive)
    except (*PACKING_ERRORS, OSError, EOFError, ValueError, UnicodeDecodeError) as error:
        raise SourceError(f"the zip container is damaged or cut off ({error}).", where=path.name) from error
    seen = Peek(path, "", 0, "zip", "", "", path.suffix.lower(), b"")
    kind = recognise_zip({info.filename for info in infos}, mimetype)
    if kind != "zip":
        return replace(seen, magic=kind)
    is_single = len(infos) == entries == 1 and not infos[0].flag_bits & 1  # as pandas wants it
    return replace(seen, compression="zip", member=infos[0].filename) if is_single else seen


def _mimetype(archive: zipfile.ZipFile) -> bytes:
    """Return the start of the member `mimetype`, b"" if there is none."""
    try:
        with archive.open("mimetype") as stream:
            return stream.read(100).strip()
    except (KeyError, RuntimeError):  # none, or encrypted
        return b""


def _look_into_ole(path: Path) -> str:
    """Tell what an OLE container holds by the names of its streams, which stand in its directory."""
    content = path.read_bytes()
    for name, kind in (
        ("EncryptedPackage", "encrypted workbook"),
        ("WordDocument", "word 97 document"),
        ("PowerPoint Document", "presentation"),
        ("__substg1.0", "outlook message"),
        ("VisioDocument", "visio drawing"),
    ):
        if name.encode("utf-16-le") in content:
            return kind
    is_workbook = any(name.encode("utf-16-le") in content for name in ("Workbook", "Book\0", "BOOK\0"))
    return "workbook" if is_workbook else "container of an old office program"


def _unpack(path: Path, compression: Compression, member: str) -> BinaryIO:
    if not compression:
        return path.open("rb")
    return io.BufferedReader(_Content(path, compression, member), _BUFFER)


class _Content(io.RawIOBase):
    """The content of a packed file: says at which byte it breaks off, whatever the library raises there."""

    def __init__(self, path: Path, compression: Compression, member: str) -> None:
        super().__init__()
        self._archive = zipfile.ZipFile(path) if compression == "zip" else None
        self._position = 0
        try:
            self._stream = self._open(path, compression, member)
        except PACKING_ERRORS as error:
            raise OSError(f"{error}") from error

    def _open(self, path: Path, compression: Compression, member: str) -> BinaryIO:
        if self._archive is not None:
            return cast("BinaryIO", self._archive.open(member))
        if compression == "gz":
            return cast("BinaryIO", gzip.open(path, "rb"))
        if compression == "bz2":
            return cast("BinaryIO", bz2.open(path, "rb"))
        if compression == "xz":
            return cast("BinaryIO", lzma.open(path, "rb"))
        return cast("BinaryIO", pa.input_stream(str(path), compression="zstd"))

    def readable(self) -> bool:
        return True

    def readinto(self, buffer: Buffer) -> int:
        view = memoryview(buffer)
        read = getattr(self._stream, "read1", self._stream.read)  # at once what is there, before any damage
        try:
            chunk = read(len(view))
        except (*PACKING_ERRORS, OSError, EOFError) as error:
            raise OSError(f"{error}; {self._position:,} bytes could be unpacked") from error
        view[: len(chunk)] = chunk
        self._position += len(chunk)
        return len(chunk)

    def close(self) -> None:
        if not self.closed:
            self._stream.close()
            if self._archive is not None:
                self._archive.close()
        super().close()


def _head(path: Path, compression: Compression, member: str) -> bytes:
    """Return the first bytes of the content: what can be read of them, if there is anything."""
    head = b""
    try:
        with _unpack(path, compression, member) as stream:
            raw = cast("io.BufferedReader", stream).raw
            while len(head) < HEAD_BYTES and (chunk := raw.read(min(1 << 14, HEAD_BYTES - len(head)))):
                head += chunk
    except (OSError, EOFError) as error:
        if not head:
            raise SourceError(
                f"the compressed content is damaged or cut off ({error}).", where=path.name
            ) from error
    return head
