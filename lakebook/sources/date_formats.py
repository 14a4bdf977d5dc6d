"""The shapes that a date may have as text, and how texts of one format are read as times.

Which format a column has, and whether day or month comes first, is decided in `dates`.
"""

from __future__ import annotations

import re

import numpy as np
import pandas as pd
import pyarrow as pa
import pyarrow.compute as pc

from lakebook.sources.texts import Texts

ISO = "ISO8601"
COMPACT = "%Y%m%d"

_MONTH = r"[A-Za-z]{3,9}\.?"
# Shapes of a date, each with the formats that may read it; {d}/{m} order is settled by the values.
_DATES: tuple[tuple[str, tuple[str, ...]], ...] = (
    (r"\d{4}-\d{1,2}-\d{1,2}", ("%Y-%m-%d",)),
    (r"\d{4}/\d{1,2}/\d{1,2}", ("%Y/%m/%d",)),
    (r"\d{4}\.\d{1,2}\.\d{1,2}", ("%Y.%m.%d",)),
    (r"\d{1,2}/\d{1,2}/\d{4}", ("%m/%d/%Y", "%d/%m/%Y")),
    (r"\d{1,2}-\d{1,2}-\d{4}", ("%m-%d-%Y", "%d-%m-%Y")),
    (r"\d{1,2}\.\d{1,2}\.\d{4}", ("%d.%m.%Y", "%m.%d.%Y")),
    (r"\d{1,2}/\d{1,2}/\d{2}", ("%m/%d/%y", "%d/%m/%y")),
    (rf"{_MONTH} \d{{1,2}}, \d{{4}}", ("%B %d, %Y", "%b %d, %Y")),
    (rf"{_MONTH} \d{{1,2}} \d{{4}}", ("%B %d %Y", "%b %d %Y")),
    (rf"\d{{1,2}} {_MONTH} \d{{4}}", ("%d %B %Y", "%d %b %Y")),
    (rf"[A-Za-z]{{3}}, \d{{1,2}} {_MONTH} \d{{4}}", ("%a, %d %b %Y",)),
    (rf"\d{{1,2}}-{_MONTH}-\d{{4}}", ("%d-%b-%Y", "%d-%B-%Y")),
    (rf"\d{{1,2}}-{_MONTH}-\d{{2}}", ("%d-%b-%y",)),
    (rf"\d{{1,2}}/{_MONTH}/\d{{4}}", ("%d/%b/%Y", "%d/%B/%Y")),
    (rf"\d{{4}}-{_MONTH}-\d{{1,2}}", ("%Y-%b-%d", "%Y-%B-%d")),
    (rf"{_MONTH} \d{{4}}", ("%B %Y", "%b %Y")),
    (rf"{_MONTH}-\d{{4}}", ("%b-%Y", "%B-%Y")),
    (r"\d{4}-\d{2}", ("%Y-%m",)),
)
_COMPACT_DAY = r"(?:19|20)\d{2}(?:0[1-9]|1[0-2])(?:0[1-9]|[12]\d|3[01])"
_COMPACT_TIME = rf"{_COMPACT_DAY}T(?:[01]\d|2[0-3])[0-5]\d[0-5]\d"
_CLOCK = (
    (r"\d{1,2}:\d{2}:\d{2}\.\d{1,6}", "%H:%M:%S.%f"),
    (r"\d{1,2}:\d{2}:\d{2} [AaPp][Mm]", "%I:%M:%S %p"),
    (r"\d{1,2}:\d{2} [AaPp][Mm]", "%I:%M %p"),
    (r"\d{1,2}:\d{2}:\d{2}", "%H:%M:%S"),
    (r"\d{1,2}:\d{2}", "%H:%M"),
)
_OFFSET = r"[+-]\d{2}:?\d{2}"
_ZONE = rf"(?:Z| ?UTC| GMT| ?{_OFFSET})"
ZONED = rf".*\d(?:Z| ?UTC| GMT| ?{_OFFSET})"
ISO_SHAPE = (
    rf"\d{{4}}-\d{{2}}-\d{{2}}(?:[T ]\d{{2}}:\d{{2}}(?::\d{{2}}(?:\.\d{{1,6}})?)?(?:Z| ?UTC|{_OFFSET})?)?"
)
_ISO = re.compile(ISO_SHAPE, re.ASCII)
_ANY = re.compile("|".join(shape for shape, _ in _DATES), re.ASCII)
_DIRECTIVES = {
    **dict.fromkeys(("%m", "%d", "%H", "%I"), r"\d{1,2}"),
    **dict.fromkeys(("%M", "%S", "%y"), r"\d{2}"),
    **dict.fromkeys(("%b", "%B"), _MONTH),
    "%Y": r"\d{4}",
    "%a": "[A-Za-z]{3}",
    "%f": r"\d{1,6}",
    "%p": "[AaPp][Mm]",
    "%z": f"(?:Z|{_OFFSET})",
    "%Z": "(?:UTC|GMT)",
}
# Formats that Arrow reads at once, with the length of their texts.
_FAST = {"%Y-%m-%d": 10, "%Y-%m-%d %H:%M": 16, "%Y-%m-%d %H:%M:%S": 19}
_DAY_MICROSECONDS = 86_400_000_000


def looks_iso(sample: str) -> bool:
    """Return True for an ISO 8601 date, with or without a time."""
    return _ISO.fullmatch(sample) is not None


def candidates(sample: str, *, compact: bool = False) -> tuple[str, ...]:
    """Return the formats that a text may have, () if it is no date.

    Args:
        sample: the text, without blanks around it.
        compact: eight digits may be a date.
    """
    if compact and re.fullmatch(_COMPACT_DAY, sample, re.ASCII):
        return (COMPACT,)
    if re.fullmatch(rf"{_COMPACT_TIME}Z?", sample, re.ASCII):
        return ("%Y%m%dT%H%M%S%z" if sample.endswith("Z") else "%Y%m%dT%H%M%S",)
    if not _ANY.match(sample):
        return ()
    for shape, formats in _DATES:
        found = re.match(shape, sample, re.ASCII)
        if not found:
            continue
        rest = sample[found.end() :]
        if not rest:
            return formats
        suffix = _clock_format(rest)
        if suffix and "%d" in formats[0]:
            return tuple(form + suffix for form in formats)
    return ()


def _clock_format(rest: str) -> str:
    if rest[0] not in "T ":
        return ""
    for shape, form in _CLOCK:
        found = re.match(shape, rest[1:], re.ASCII)
        if not found:
            continue
        tail = rest[1 + found.end() :]
        if not tail:
            return rest[0] + form
        if re.fullmatch(_ZONE, tail, re.ASCII):
            blank = " " if tail.startswith(" ") else ""
            return rest[0] + form + blank + ("%Z" if tail.endswith(("UTC", "GMT")) else "%z")
    return ""


def parse(texts: Texts, form: str) -> pa.Array | None:
    """Read texts in a format as timestamps without a zone (UTC where they carry one); None if one differs."""
    if len(texts) == 0:
        return pa.array([], pa.timestamp("us"))
    stamps = parse_strictly(texts, form)
    return stamps if stamps is not None else _parse(texts, form)


def shape(form: str) -> str:
    """Return the pattern of what looks like a text of this format."""
    parts = re.split("(%.)", form)
    return "".join(_DIRECTIVES.get(part, re.escape(part)) for part in parts)


def is_zoned(form: str) -> bool:
    """Return True if the format has a zone or offset; ISO 8601 may or may not."""
    return form.endswith(("%z", "%Z"))


def is_midnight(stamps: pa.Array) -> bool:
    """Return True if all times are the start of a day."""
    return not (stamps.cast(pa.int64()).to_numpy() % _DAY_MICROSECONDS).any()


def parse_strictly(texts: Texts, form: str) -> pa.Array | None:
    """Read texts that all have exactly this ISO format, quickly; None if they may not.

    Arrow reads them, but takes other ISO formats too, so lengths and marks decide.
    """
    plain = form.replace("T", " ")
    zoned = form.endswith("%z") and " " not in form[8:]
    length = _FAST.get(plain.removesuffix("%z") if zoned else plain)
    if length is None or (zoned and length == 10):
        return None
    lengths = texts.lengths
    uniform = (lengths == lengths[0]).all() and (lengths[0] == length or (zoned and lengths[0] > length))
    if not uniform or (length > 10 and not (texts.byte_at(10) == ord(form[8])).all()):
        return None
    if zoned and (texts.byte_at(16) == ord(":")).any() != (length == 19):
        return None
    stamps = texts.cast(pa.timestamp("us", "UTC" if zoned else None))
    return stamps.cast(pa.timestamp("us")) if stamps is not None and zoned else stamps


def _parse(texts: Texts, form: str) -> pa.Array | None:
    stripped = pc.utf8_trim_whitespace(texts.array)
    series = pd.Series(stripped.to_pandas(), dtype="str")
    utc = form == ISO or is_zoned(form)
    try:
        stamps = pd.to_datetime(series, format=form, utc=utc)
    except (ValueError, OverflowError):
        return None
    plain = stamps.dt.tz_localize(None) if utc else stamps
    found = pa.Array.from_pandas(plain.dt.as_unit("us"), type=pa.timestamp("us"))
    return None if found.null_count else found


def days(stamps: pa.Array) -> np.ndarray[tuple[int], np.dtype[np.int64]]:
    """Return the distinct days of the times, in order."""
    found: np.ndarray[tuple[int], np.dtype[np.int64]] = np.unique(
        stamps.cast(pa.int64()).to_numpy() // _DAY_MICROSECONDS
    )
    return found
