"""What the first bytes of a content say it is: a name a kind, from signatures and from how text looks.

Bytes in, a name out. Opening files and unpacking them belongs to `peek`, what to say about a kind that is
not read to `refusal`. A name that a profiler asks for is one word or so ("parquet"); others read well after
an article ("an mp3 recording").
"""

from __future__ import annotations

import struct
from collections.abc import Callable, Collection

# (offset, bytes, name): the first that fits is it, so longer signatures stand before shorter ones.
_SIGNATURES: tuple[tuple[int, bytes, str], ...] = (
    # tables
    (0, b"PAR1", "parquet"),
    (0, b"PARE", "encrypted parquet"),
    (0, b"ARROW1\x00\x00", "feather"),
    (0, b"FEA1", "feather version 1"),
    (0, b"ORC", "orc"),
    (0, b"Obj\x01", "avro container"),
    (0, b"SQLite format 3\x00", "sqlite"),
    (8, b"DUCK", "duckdb"),
    (0, b"7\x7f\x06\x82", "sqlite write-ahead log"),
    (0, b"7\x7f\x06\x83", "sqlite write-ahead log"),
    (4, b"Standard Jet DB", "access database"),
    (4, b"Standard ACE DB", "access database"),
    (0, b"PGDMP", "postgresql dump"),
    (0, b"$FL2", "spss"),
    (0, b"$FL3", "spss"),
    (0, b"<stata_dta>", "stata"),
    (12, b"\xc2\xea\x81\x60\xb3\x14\x11\xcf\xbd\x92\x08\x00\x09\xc7\x31\x8c\x18\x1f\x10\x11", "sas"),
    (0, b"HEADER RECORD*******LIBRARY HEADER RECORD", "sas transport"),
    (0, b"HEADER RECORD*******LIBV8", "sas transport version 8"),
    (0, b"RDX2\n", "r data"),
    (0, b"RDX3\n", "r data"),
    (0, b"RDA2\n", "r data"),
    (0, b"X\n\x00\x00\x00\x02", "r data"),
    (0, b"X\n\x00\x00\x00\x03", "r data"),
    (0, b"\x00\x00\x27\x0a\x00\x00\x00\x00", "shapefile"),
    # arrays
    (0, b"\x93NUMPY", "npy"),
    (0, b"\x89HDF\r\n\x1a\n", "hdf5"),
    (512, b"\x89HDF\r\n\x1a\n", "hdf5"),
    (1024, b"\x89HDF\r\n\x1a\n", "hdf5"),
    (2048, b"\x89HDF\r\n\x1a\n", "hdf5"),
    (0, b"\x0e\x03\x13\x01", "hdf4 file"),
    (0, b"CDF\x01", "netcdf"),
    (0, b"CDF\x02", "netcdf"),
    (0, b"CDF\x05", "netcdf"),
    (0, b"MATLAB 5.0 MAT-file", "matlab"),
    (0, b"SIMPLE  =", "fits"),
    (0, b"GRIB", "grib weather field"),
    (0, b"BUFR", "bufr weather report"),
    (0, b"LASF", "las point cloud"),
    (0, b"GGUF", "gguf model"),
    # packed
    (0, b"PK\x03\x04", "zip"),
    (0, b"PK\x05\x06", "zip"),
    (0, b"PK00PK\x03\x04", "zip"),
    (0, b"PK\x07\x08PK\x03\x04", "zip"),
    (0, b"\x1f\x8b", "gz"),
    (0, b"BZh", "bz2"),
    (0, b"\xfd7zXZ\x00", "xz"),
    (0, b"\x28\xb5\x2f\xfd", "zst"),
    (257, b"ustar", "tar"),
    (0, b"7z\xbc\xaf\x27\x1c", "7z archive"),
    (0, b"Rar!\x1a\x07", "rar archive"),
    (0, b"\x04\x22\x4d\x18", "lz4 archive"),
    (0, b"\xff\x06\x00\x00sNaPpY", "snappy archive"),
    (0, b"LZIP", "lzip archive"),
    (0, b"\x1f\x9d", "compress archive"),
    (0, b"\x1f\xa0", "compress archive"),
    (0, b"MSCF", "cabinet archive"),
    (0, b"xar!", "xar archive"),
    (0, b"!<arch>\n", "ar archive"),
    (0, b"070701", "cpio archive"),
    (0, b"\xed\xab\xee\xdb", "rpm package"),
    (32769, b"CD001", "disc image"),
    # documents and images
    (0, b"%PDF-", "pdf"),
    (0, b"\xd0\xcf\x11\xe0\xa1\xb1\x1a\xe1", "ole"),
    (0, b"{\\rtf", "rtf document"),
    (0, b"%!PS", "postscript document"),
    (0, b"AT&TFORM", "djvu document"),
    (0, b"\x89PNG\r\n\x1a\n", "png image"),
    (0, b"\xff\xd8\xff", "jpeg image"),
    (0, b"GIF87a", "gif image"),
    (0, b"GIF89a", "gif image"),
    (8, b"WEBP", "webp image"),
    (0, b"II*\x00", "tiff image"),
    (0, b"MM\x00*", "tiff image"),
    (0, b"II+\x00", "tiff image"),
    (0, b"MM\x00+", "tiff image"),
    (0, b"\x00\x00\x01\x00", "icon image"),
    (0, b"8BPS", "photoshop image"),
    (0, b"\x00\x00\x00\x0cjP  \r\n\x87\n", "jpeg 2000 image"),
    (0, b"\x76\x2f\x31\x01", "openexr image"),
    (4, b"ftypheic", "heic image"),
    (4, b"ftypmif1", "heic image"),
    (4, b"ftypavif", "avif image"),
    # sound, film, fonts
    (8, b"WAVE", "wav recording"),
    (8, b"AVI ", "avi film"),
    (4, b"ftyp", "mp4 film"),
    (4, b"moov", "quicktime film"),
    (0, b"\x1a\x45\xdf\xa3", "matroska film"),
    (0, b"FLV\x01", "flash film"),
    (0, b"\x30\x26\xb2\x75\x8e\x66\xcf\x11", "windows media film"),
    (0, b"ID3", "mp3 recording"),
    (0, b"\xff\xfb", "mp3 recording"),
    (0, b"OggS", "ogg recording"),
    (0, b"fLaC", "flac recording"),
    (0, b"MThd", "midi score"),
    (0, b"OTTO", "opentype font"),
    (0, b"\x00\x01\x00\x00\x00", "truetype font"),
    (0, b"wOFF", "woff font"),
    (0, b"wOF2", "woff2 font"),
    # programs and what only programs read
    (0, b"\x7fELF", "program"),
    (0, b"MZ", "windows program"),
    (0, b"\xcf\xfa\xed\xfe", "mac program"),
    (0, b"\xfe\xed\xfa\xcf", "mac program"),
    (0, b"\xca\xfe\xba\xbe", "java class"),
    (0, b"\x00asm", "webassembly program"),
    (0, b"\x80\x02", "python pickle"),
    (0, b"\x80\x03", "python pickle"),
    (0, b"\x80\x04\x95", "python pickle"),
    (0, b"\x80\x05\x95", "python pickle"),
    (0, b"\x80\x05", "python pickle"),
    (0, b"PACK\x00\x00\x00\x02", "git pack"),
    (0, b"\xd4\xc3\xb2\xa1", "network capture"),
    (0, b"\xa1\xb2\xc3\xd4", "network capture"),
    (0, b"\x0a\x0d\x0d\x0a", "network capture"),
    (0, b"-----BEGIN PGP MESSAGE", "pgp-encrypted file"),
    (0, b"age-encryption.org/", "age-encrypted file"),
    (0, b"Salted__", "openssl-encrypted file"),
    (0, b"version https://git-lfs.github.com/spec/", "git-lfs pointer"),
)

# What a zip container is, by a name inside that only this kind has.
_ZIP_KINDS: tuple[tuple[str, str], ...] = (
    ("xl/workbook.xml", "workbook"),
    ("xl/workbook.bin", "workbook"),
    ("word/document.xml", "docx document"),
    ("ppt/presentation.xml", "presentation"),
    ("visio/document.xml", "visio drawing"),
    ("META-INF/container.xml", "epub book"),
    ("META-INF/MANIFEST.MF", "java archive"),
    ("AndroidManifest.xml", "android program"),
    ("doc.kml", "kmz map"),
)
_OPEN_DOCUMENTS = {
    b"application/vnd.oasis.opendocument.spreadsheet": "workbook",
    b"application/vnd.oasis.opendocument.text": "odt document",
    b"application/vnd.oasis.opendocument.presentation": "presentation",
    b"application/vnd.oasis.opendocument.graphics": "odg drawing",
}
# Tab, line ends, feeds, end of text, escape; and what separates cells in some exports.
_TEXT_CONTROLS = (9, 10, 11, 12, 13, 26, 27, 1, 2, 30, 31)
_PRINTED = bytes(code for code in range(256) if code >= 32 or code in (9, 10, 12, 13, 27))
_STRAY_NULS = 0.002


def recognise(head: bytes) -> str:
    """Return what a content that starts with these bytes is; "text" or "binary" where no signature fits."""
    if not head:
        return "empty"
    for offset, prefix, kind in _SIGNATURES:
        if head.startswith(prefix, offset) and not (_is_word(prefix) and _is_clean(head)):
            return kind
    for is_it, kind in _SHAPES:
        if is_it(head):
            return kind
    if head.startswith((b"\xff\xfe", b"\xfe\xff")):
        return "text"
    start = head.lstrip(b"\xef\xbb\xbf \t\r\n")[:200].lower()
    if start.startswith((b"<!doctype html", b"<html")):
        return "html"
    if start.startswith(b"<?xml"):
        return "xml"
    return "binary" if _is_binary(head) else "text"


def recognise_zip(names: Collection[str], mimetype: bytes) -> str:
    """Return what a zip container with these members is, "zip" if it is just an archive.

    OpenDocument files say it in the content of their member `mimetype` (b"" if there is none).
    """
    if mimetype in _OPEN_DOCUMENTS:
        return _OPEN_DOCUMENTS[mimetype]
    if names and all(name.endswith(".npy") for name in names):
        return "npz"
    for name, kind in _ZIP_KINDS:
        if name in names:
            return kind
    if "content.xml" in names and "mimetype" not in names:
        return "workbook"
    if any(name.endswith("/data.pkl") for name in names):
        return "pytorch model"
    return "zip"


def _is_word(prefix: bytes) -> bool:
    """Return True for a signature with which a text may start by chance ("ORC", "MZ")."""
    return len(prefix) <= 4 and prefix.isascii() and prefix.decode("ascii").isprintable()


def _is_clean(head: bytes) -> bool:
    """Return True for bytes without any control character."""
    return not head.translate(None, _PRINTED)


def _is_tar(head: bytes) -> bool:
    """Before POSIX a header had no name, but the sum of its bytes in it."""
    if len(head) < 512 or not head[0]:
        return False
    digits = head[148:156].strip(b"\0 ")
    if not digits or set(digits) - set(b"01234567"):
        return False
    return int(digits, 8) == sum(head[:148]) + 8 * 32 + sum(head[156:512])


def _is_arrow_stream(head: bytes) -> bool:
    """A stream starts with a marker, the length of a schema message, and a small table of offsets."""
    if len(head) < 16 or head[:4] != b"\xff\xff\xff\xff":
        return False
    length, root = int.from_bytes(head[4:8], "little"), int.from_bytes(head[8:12], "little")
    return 8 <= length < 1 << 24 and length % 8 == 0 and 8 <= root < length


def _is_bitmap(head: bytes) -> bool:
    if head[:2] != b"BM" or len(head) < 18:
        return False
    size: int = struct.unpack_from("<I", head, 14)[0]
    return size in (12, 40, 52, 56, 64, 108, 124)


def _is_old_stata(head: bytes) -> bool:
    """Before version 13 a file starts with its version, the byte order, 1 and 0."""
    return len(head) > 109 and head[0] in range(102, 116) and head[1] in (1, 2) and head[2:4] == b"\x01\x00"


def _is_dbase(head: bytes) -> bool:
    """A version, a possible date, a header of 32 + 32n bytes that ends where it says."""
    if len(head) < 65 or head[0] not in (0x03, 0x30, 0x31, 0x32, 0x83, 0x8B, 0xF5):
        return False
    size = int(struct.unpack_from("<H", head, 8)[0])
    is_day = 1 <= head[2] <= 12 and 1 <= head[3] <= 31
    ends = 65 <= size <= len(head) and b"\r" in head[size - 264 if size > 329 else 64 : size]
    return is_day and ends and head[43:44] in b"CNFLDMIBTYOG@+V"


_SHAPES: tuple[tuple[Callable[[bytes], bool], str], ...] = (
    (_is_tar, "tar"),
    (_is_arrow_stream, "arrow stream"),
    (_is_bitmap, "bmp image"),
    (_is_old_stata, "stata"),
    (_is_dbase, "dbase"),
)


def _is_binary(head: bytes) -> bool:
    """Text has hardly a NUL (UTF-16 without a mark apart) and few other control characters."""
    sample = head[:8192]
    if b"\x00" in sample:
        even, odd = sample[0::2].count(0), sample[1::2].count(0)
        is_utf16 = max(even, odd) > 0.3 * len(sample) / 2 and min(even, odd) < 0.02 * len(sample)
        if not is_utf16 and sample.count(0) > _STRAY_NULS * len(sample):
            return True
        sample = sample.replace(b"\x00", b"")
    control = sum(sample.count(bytes([code])) for code in range(32) if code not in _TEXT_CONTROLS)
    return control > 0.02 * len(sample)
