"""Recognise dates that a file keeps as text, with one format for the whole column.

The order of day and month is decided for the column, never for a value: if any value can only be read one
way, that way holds for all. If no value decides it, the column says so and shows both readings.
"""

from __future__ import annotations

import re
from dataclasses import dataclass
from typing import Literal

import pandas as pd

Order = Literal["", "day", "month", "unclear"]

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
    (rf"\d{{1,2}} {_MONTH} \d{{4}}", ("%d %B %Y", "%d %b %Y")),
    (rf"\d{{1,2}}-{_MONTH}-\d{{4}}", ("%d-%b-%Y", "%d-%B-%Y")),
    (rf"\d{{1,2}}-{_MONTH}-\d{{2}}", ("%d-%b-%y",)),
    (rf"{_MONTH} \d{{4}}", ("%B %Y", "%b %Y")),
    (r"\d{4}-\d{2}", ("%Y-%m",)),
)
_COMPACT = r"(?:19|20)\d{2}(?:0[1-9]|1[0-2])(?:0[1-9]|[12]\d|3[01])"
_CLOCK = (
    (r"\d{1,2}:\d{2}:\d{2}\.\d{1,6}", "%H:%M:%S.%f"),
    (r"\d{1,2}:\d{2}:\d{2} [AaPp][Mm]", "%I:%M:%S %p"),
    (r"\d{1,2}:\d{2} [AaPp][Mm]", "%I:%M %p"),
    (r"\d{1,2}:\d{2}:\d{2}", "%H:%M:%S"),
    (r"\d{1,2}:\d{2}", "%H:%M"),
)
_ZONE = r"(?:Z| ?UTC|[+-]\d{2}:?\d{2})"
_ISO = re.compile(rf"\d{{4}}-\d{{2}}-\d{{2}}(?:[T ]\d{{2}}:\d{{2}}(?::\d{{2}}(?:\.\d{{1,6}})?)?{_ZONE}?)?")


@dataclass(frozen=True, slots=True)
class DateReading:
    """How a column of texts is read as dates.

    Attributes:
        stamps: the parsed values, without a time zone; NaT nowhere.
        format: the strptime format, or "ISO8601" where fractions or offsets come and go.
        template: the pandas expression over `{}` that does the same.
    """

    stamps: pd.Series[pd.Timestamp]
    format: str
    template: str
    is_day: bool
    order: Order = ""
    warnings: tuple[str, ...] = ()


def read_dates(texts: pd.Series[str], *, compact: bool = False, order_hint: Order = "") -> DateReading | None:
    """Read distinct texts as dates, or return None if not every one of them is a date in one format.

    Args:
        texts: the distinct values, none missing.
        compact: eight digits may be a date (the column's name says so).
        order_hint: which of day and month stands first elsewhere in the same table.
    """
    stripped = texts.str.strip()
    has_blanks = bool((stripped != texts).any())
    formats = _candidates(str(stripped.iloc[0]), compact)
    readings = {form: stamps for form in formats if (stamps := _parse(stripped, form)) is not None}
    if not readings:
        if len(stripped) < 2 or not stripped.map(lambda text: bool(_ISO.fullmatch(text))).all():
            return None
        stamps = _parse(stripped, "ISO8601")
        if stamps is None:
            return None
        readings = {"ISO8601": stamps}
    form, order, warnings = _choose(readings, formats, order_hint)
    stamps = readings[form]
    if "%y" in form:
        warnings = (*warnings, "two-digit years: 69-99 are read as 1969-1999, 00-68 as 2000-2068")
    if _has_zone(form, stripped):
        warnings = (*warnings, "times carry a zone or offset; they are shown in UTC")
    midnight = bool((stamps == stamps.dt.normalize()).all())
    return DateReading(stamps, form, _template(form, stripped, has_blanks), midnight, order, warnings)


def _candidates(sample: str, compact: bool) -> list[str]:
    """Return the formats that the first value may have."""
    if compact and re.fullmatch(_COMPACT, sample):
        return ["%Y%m%d"]
    for shape, formats in _DATES:
        found = re.match(shape, sample)
        if not found:
            continue
        rest = sample[found.end() :]
        if not rest:
            return list(formats)
        suffix = _clock_format(rest)
        if suffix and "%d" in formats[0]:
            return [form + suffix for form in formats]
    return []


def _clock_format(rest: str) -> str:
    if rest[0] not in "T ":
        return ""
    for shape, form in _CLOCK:
        found = re.match(shape, rest[1:])
        if not found:
            continue
        tail = rest[1 + found.end() :]
        if not tail:
            return rest[0] + form
        if re.fullmatch(_ZONE, tail):
            return rest[0] + form + (" %Z" if tail == " UTC" else "%z")
    return ""


def _parse(texts: pd.Series[str], form: str) -> pd.Series[pd.Timestamp] | None:
    utc = form == "ISO8601" or "%z" in form or "%Z" in form
    try:
        stamps = pd.to_datetime(texts, format=form, utc=utc)
    except (ValueError, OverflowError):
        return None
    plain = stamps.dt.tz_localize(None) if utc else stamps
    return plain.dt.as_unit("us")


def _has_zone(form: str, texts: pd.Series[str]) -> bool:
    return "%z" in form or "%Z" in form or (form == "ISO8601" and bool(texts.str.contains(_ZONE + "$").any()))


def _template(form: str, texts: pd.Series[str], has_blanks: bool) -> str:
    column = "{}.str.strip()" if has_blanks else "{}"
    if _has_zone(form, texts):
        return f'pd.to_datetime({column}, format="{form}", utc=True).dt.tz_localize(None)'
    return f'pd.to_datetime({column}, format="{form}")'


def _choose(
    readings: dict[str, pd.Series[pd.Timestamp]], formats: list[str], hint: Order
) -> tuple[str, Order, tuple[str, ...]]:
    """Choose between day first and month first."""
    swappable = len(formats) == 2 and formats[0][:2] in ("%m", "%d") and formats[1][:2] in ("%m", "%d")
    swappable = swappable and formats[0][:2] != formats[1][:2]
    if not swappable:
        return next(iter(readings)), "", ()
    if len(readings) == 1:
        form = next(iter(readings))
        return form, _order(form), ()
    first, second = readings
    if bool((readings[first] == readings[second]).all()):
        return first, "", ()
    shown = "; ".join(
        f"{_order(form)} first: {stamps.min():%Y-%m-%d} to {stamps.max():%Y-%m-%d}"
        for form, stamps in readings.items()
    )
    if hint in ("day", "month"):
        form = first if _order(first) == hint else second
        reason = (
            f"no value shows whether day or month comes first; {hint} first is taken from the other dates"
        )
        return form, hint, (f"{reason} of this table ({shown})",)
    form = first if _gaps(readings[first]) <= _gaps(readings[second]) else second
    warning = f"ambiguous dates: no value shows whether day or month comes first ({shown}); "
    return form, "unclear", (f"{warning}read as {_order(form)} first",)


def _order(form: str) -> Order:
    return "day" if form.startswith("%d") else "month"


def _gaps(stamps: pd.Series[pd.Timestamp]) -> int:
    """Count the different steps between dates: the right reading of a regular series has fewest."""
    return int(stamps.drop_duplicates().sort_values().diff().nunique())
