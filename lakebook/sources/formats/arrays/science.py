"""Containers of arrays of which only the listing is read: MATLAB files of version 5, FITS files.

The arrays are named with shape and type; what stands in them is not loaded.
"""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

from lakebook.errors import SourceError
from lakebook.sources.peek import Peek
from lakebook.sources.reading import Budget, Part, Reading

_CARD, _BLOCK = 80, 2_880
_SHOWN = ("EXTNAME", "OBJECT", "TELESCOP", "INSTRUME", "DATE-OBS", "BUNIT", "FILTER", "EXPTIME")
_MOST_HEADERS = 1_000


class Matlab:
    """Lists the variables of MATLAB files; those of version 7.3 are HDF5."""

    format = "matlab"

    def can_read(self, file: Peek) -> bool:
        """Return True if the content starts as MATLAB files of version 5 do."""
        return file.magic == self.format

    def units(self, file: Peek) -> Iterator[Part]:
        """Return the variables one by one."""
        from scipy.io import whosmat

        try:
            found = whosmat(str(file.path))
        except Exception as error:
            raise SourceError(f"damaged or cut off ({error}).", where=file.relative) from error
        for name, shape, kind in found:
            yield Part(file, name, (("shape", " × ".join(f"{n:,}" for n in shape)), ("class", kind)))

    def profile(self, part: Part, budget: Budget) -> Reading:
        """Describe one variable."""
        note = "values are not read: save the variable as CSV or HDF5 to analyse it"
        return Reading(unit=part.name, kind="array", attributes=part.content, skipped=(note,))


class Fits:
    """Lists the headers of FITS files."""

    format = "fits"

    def can_read(self, file: Peek) -> bool:
        """Return True if the content starts as FITS does."""
        return file.magic == self.format

    def units(self, file: Peek) -> Iterator[Part]:
        """Return the headers one by one, skipping the data between them."""
        with file.path.open("rb") as stream:
            for number in range(_MOST_HEADERS):
                header = _header(stream)
                if header is None:
                    if number == 0:
                        raise SourceError("its first header is cut off.", where=file.relative)
                    return
                yield Part(file, header.get("EXTNAME") or f"header {number + 1}", header)
                stream.seek(_data_bytes(header), 1)

    def profile(self, part: Part, budget: Budget) -> Reading:
        """Describe one header."""
        header: dict[str, str] = part.content
        axes = [header.get(f"NAXIS{n}", "?") for n in range(1, _number(header, "NAXIS") + 1)]
        attributes = [("shape", " × ".join(axes) or "no data"), ("bits", header.get("BITPIX", ""))]
        attributes += [("kind", header["XTENSION"])] if "XTENSION" in header else []
        attributes += [(key, header[key]) for key in _SHOWN if header.get(key)]
        note = "values are not read: convert it to CSV or HDF5 (astropy) to analyse it"
        return Reading(unit=part.name, kind="array", attributes=tuple(attributes), skipped=(note,))


def _header(stream: Any) -> dict[str, str] | None:
    """Read cards of 80 characters up to END; None at the end of the file."""
    header: dict[str, str] = {}
    while len(block := stream.read(_BLOCK)) == _BLOCK:
        for at in range(0, _BLOCK, _CARD):
            card = block[at : at + _CARD].decode("ascii", "replace")
            key = card[:8].strip()
            if key == "END":
                return header
            if card[8:10] == "= ":
                value = card[10:]
                text = value.split("'")[1] if value.lstrip().startswith("'") else value.partition("/")[0]
                header.setdefault(key, text.strip())
    return None


def _number(header: dict[str, str], key: str, default: int = 0) -> int:
    text = header.get(key, "")
    return int(text) if text.lstrip("-").isdigit() else default


def _data_bytes(header: dict[str, str]) -> int:
    """Return how many bytes of data follow a header, filled up to whole blocks."""
    axes = _number(header, "NAXIS")
    count = 1 if axes else 0
    for n in range(1, axes + 1):
        count *= max(0, _number(header, f"NAXIS{n}"))
    size = abs(_number(header, "BITPIX")) // 8 * _number(header, "GCOUNT", 1)
    size *= _number(header, "PCOUNT") + count
    return -(-size // _BLOCK) * _BLOCK
