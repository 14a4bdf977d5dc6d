"""Look at the first bytes of a file: what it is, by content first and by name second.

Only recognition and decompression live here. Reading the content is the work of `formats/`.
"""

from __future__ import annotations

import bz2
import gzip
import io
import zipfile
from dataclasses import dataclass
from pathlib import Path, PurePosixPath
from typing import TYPE_CHECKING, BinaryIO, Literal, cast

from lakebook.errors import SourceError

if TYPE_CHECKING:
    from typing_extensions import Buffer

Compression = Literal["", "gz", "bz2", "zip"]

HEAD_BYTES = 1 << 18

# Magic numbers of what is not read, or read by a named profiler. Order matters only for prefixes.
_MAGIC: tuple[tuple[bytes, str], ...] = (
    (b"PAR1", "parquet"),
    (b"ARROW1\x00\x00", "feather"),
    (b"SQLite format 3\x00", "sqlite"),
    (b"\xd0\xcf\x11\xe0\xa1\xb1\x1a\xe1", "ole"),
    (b"PK\x03\x04", "zip"),
    (b"PK\x05\x06", "zip"),
    (b"%PDF-", "pdf"),
    (b"\x89PNG\r\n\x1a\n", "png image"),
    (b"\xff\xd8\xff", "jpeg image"),
    (b"GIF8", "gif image"),
    (b"RIFF", "riff media"),
    (b"\x89HDF\r\n\x1a\n", "hdf5"),
    (b"CDF\x01", "netcdf"),
    (b"CDF\x02", "netcdf"),
    (b"\x93NUMPY", "numpy array"),
    (b"ORC", "orc"),
    (b"FEA1", "feather version 1"),
    (b"\x28\xb5\x2f\xfd", "zstd archive"),
    (b"\xfd7zXZ\x00", "xz archive"),
    (b"7z\xbc\xaf\x27\x1c", "7z archive"),
    (b"Rar!\x1a\x07", "rar archive"),
    (b"\x7fELF", "program"),
    (b"\x80\x04\x95", "python pickle"),
    (b"\x80\x05\x95", "python pickle"),
    (b"version https://git-lfs.github.com/spec/", "git-lfs pointer"),
)
_WORKBOOK_SUFFIXES = {".xlsx": "xlsx", ".xlsm": "xlsx", ".xlsb": "xlsb", ".ods": "ods"}
_COMPRESSED_SUFFIXES = {".gz", ".bz2", ".zip"}


@dataclass(frozen=True, slots=True)
class Peek:
    """A file as seen from its first bytes.

    Attributes:
        path: where it is; `relative` is its name in the lake.
        magic: what the first bytes say it is ("parquet", "workbook", "text", "binary" …).
        compression: how the content is packed, "" if it is not; `member` is the file inside a `.zip`.
        suffix: of the name inside the compression, lower case (".csv" of "a.csv.gz").
        head: the first bytes, unpacked.
    """

    path: Path
    relative: str
    size: int
    magic: str
    compression: Compression
    member: str
    suffix: str
    head: bytes

    def open(self) -> BinaryIO:
        """Open the unpacked content for reading."""
        return _unpack(self.path, self.compression, self.member)


def peek(path: Path, relative: str) -> Peek:
    """Look at the file.

    Raises:
        OSError: it cannot be opened. SourceError: it is packed and the packing is damaged.
    """
    size = path.stat().st_size
    with path.open("rb") as file:
        head = file.read(HEAD_BYTES)
    compression: Compression = ""
    member = ""
    magic = _magic(head)
    if head.startswith(b"\x1f\x8b"):
        compression = "gz"
    elif head.startswith(b"BZh"):
        compression = "bz2"
    elif magic == "zip":
        magic, member = _look_into_zip(path)
        compression = "zip" if member else ""
    inner = PurePosixPath(member or relative)
    if compression:
        head = _head(path, compression, member)
        magic = _magic(head)
        if not member and inner.suffix.lower() in _COMPRESSED_SUFFIXES:
            inner = inner.with_suffix("")
    if magic == "ole":
        magic = "encrypted workbook" if "EncryptedPackage".encode("utf-16-le") in _whole(path) else "workbook"
    return Peek(path, relative, size, magic, compression, member, inner.suffix.lower(), head)


def _magic(head: bytes) -> str:
    for prefix, kind in _MAGIC:
        if head.startswith(prefix):
            return kind
    if not head:
        return "empty"
    if head.startswith((b"\xff\xfe", b"\xfe\xff")):
        return "text"
    start = head.lstrip(b"\xef\xbb\xbf \t\r\n")[:200].lower()
    if start.startswith((b"<!doctype html", b"<html")):
        return "html"
    if start.startswith(b"<?xml"):
        return "xml"
    return "binary" if _is_binary(head) else "text"


def _is_binary(head: bytes) -> bool:
    """Text has no NUL (UTF-16 without a mark apart) and few other control characters."""
    sample = head[:8192]
    if b"\x00" in sample:
        even, odd = sample[0::2].count(0), sample[1::2].count(0)
        is_utf16 = max(even, odd) > 0.3 * len(sample) / 2 and min(even, odd) < 0.02 * len(sample)
        if not is_utf16:
            return True
        sample = sample.replace(b"\x00", b"")
    control = sum(sample.count(bytes([code])) for code in range(32) if code not in (9, 10, 12, 13, 27))
    return control > 0.02 * len(sample)


def _look_into_zip(path: Path) -> tuple[str, str]:
    """Return what a zip container is, and the only data file in it, if there is just one."""
    try:
        with zipfile.ZipFile(path) as archive:
            infos = [info for info in archive.infolist() if not info.is_dir()]
    except (zipfile.BadZipFile, OSError, EOFError) as error:
        raise SourceError(f"the zip container is damaged or cut off ({error}).", where=path.name) from error
    names = {info.filename for info in infos}
    if names & {"xl/workbook.xml", "xl/workbook.bin"} or "content.xml" in names:
        return "workbook", ""
    if "word/document.xml" in names:
        return "docx document", ""
    data = [name for name in names if not name.startswith("__MACOSX/") and not name.endswith(".DS_Store")]
    if len(data) == 1 and len(names) == 1:
        if infos[0].flag_bits & 1:
            return "encrypted zip archive", ""
        return "zip", data[0]
    return f"zip archive of {len(data)} files", ""


def _unpack(path: Path, compression: Compression, member: str) -> BinaryIO:
    if compression == "gz":
        return cast("BinaryIO", gzip.open(path, "rb"))
    if compression == "bz2":
        return cast("BinaryIO", bz2.open(path, "rb"))
    if compression == "zip":
        return io.BufferedReader(_Member(path, member))
    return path.open("rb")


class _Member(io.RawIOBase):
    """The only file of a zip archive; closing it closes the archive too."""

    def __init__(self, path: Path, member: str) -> None:
        super().__init__()
        self._archive = zipfile.ZipFile(path)
        self._file = self._archive.open(member)

    def readable(self) -> bool:
        return True

    def readinto(self, buffer: Buffer) -> int:
        view = memoryview(buffer)
        chunk = self._file.read(len(view))
        view[: len(chunk)] = chunk
        return len(chunk)

    def close(self) -> None:
        if not self.closed:
            self._file.close()
            self._archive.close()
        super().close()


def _head(path: Path, compression: Compression, member: str) -> bytes:
    try:
        with _unpack(path, compression, member) as stream:
            return stream.read(HEAD_BYTES)
    except (OSError, EOFError, zipfile.BadZipFile, NotImplementedError) as error:
        raise SourceError(
            f"the compressed content is damaged or cut off ({error}).", where=path.name
        ) from error


def _whole(path: Path) -> bytes:
    return path.read_bytes()
