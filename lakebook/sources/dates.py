"""Recognise dates that a file keeps as text, with one format for the whole column.

The evidence is gathered block by block. The order of day and month is decided for the column, never for a
value: if any value can only be read one way, that way holds for all. If no value decides it, the column says
so and shows both readings, until somebody settles it.
"""

from __future__ import annotations

from dataclasses import dataclass, field
from datetime import datetime
from typing import Literal

import numpy as np
import numpy.typing as npt
import pyarrow as pa
import pyarrow.compute as pc

from lakebook.sources.curated import SettledOrder
from lakebook.sources.date_formats import (
    ISO,
    ISO_SHAPE,
    ZONED,
    candidates,
    days,
    is_midnight,
    is_zoned,
    looks_iso,
    parse,
    parse_strictly,
)
from lakebook.sources.texts import Texts

Order = Literal["", "day", "month", "unclear"]

_LONGEST = 40
_MANY_DAYS = 40_000
_BLANK, _NOT_ASCII = 32, 128


@dataclass(frozen=True, slots=True)
class Break:
    """The first value that a format does not read, and its row."""

    text: str
    row: int


@dataclass(frozen=True, slots=True)
class DateReading:
    """How a column of texts is read as dates.

    Attributes:
        format: the strptime format, or "ISO8601" where fractions or offsets come and go.
        template: the pandas expression over `{}` that does the same.
        order: "unclear" if no value decides day or month first; then `warnings` show both readings.
    """

    format: str
    template: str
    is_day: bool
    order: Order = ""
    warnings: tuple[str, ...] = ()


@dataclass(slots=True)
class _Span:
    """What one format makes of all values so far."""

    low: datetime | None = None
    high: datetime | None = None
    is_day: bool = True
    days: npt.NDArray[np.int64] = field(default_factory=lambda: np.empty(0, np.int64))

    def add(self, stamps: pa.Array, *, keep_days: bool) -> None:
        span = pc.min_max(stamps)
        low, high = span["min"].as_py(), span["max"].as_py()
        self.low = low if self.low is None else min(self.low, low)
        self.high = high if self.high is None else max(self.high, high)
        self.is_day = self.is_day and is_midnight(stamps)
        if keep_days and len(self.days) < _MANY_DAYS:
            self.days = np.union1d(self.days, days(stamps))

    def shown(self) -> str:
        return f"{self.low:%Y-%m-%d} to {self.high:%Y-%m-%d}"

    def gaps(self) -> int:
        """Count the different steps between days: the right reading of a regular series has fewest."""
        return len(np.unique(np.diff(self.days)))


@dataclass(slots=True)
class DateEvidence:
    """What speaks for dates in a column, folded over its blocks.

    Attributes:
        compact: eight digits may be a date (the column's name says so).
        formats: all that the first value may have; `spans` has those that read every value so far.
        broken: for the others, the first value that they do not read.
        first: the first value, and its row.
    """

    compact: bool = False
    formats: tuple[str, ...] = ()
    spans: dict[str, _Span] = field(default_factory=dict)
    broken: dict[str, Break] = field(default_factory=dict)
    first: Break | None = None
    iso: _Span | None = None
    agree: bool = True
    has_blanks: bool = False
    zoned: bool = False
    unzoned: bool = False

    @property
    def fits(self) -> bool:
        """Some format reads all values so far."""
        return self.first is None or bool(self.spans) or self.iso is not None

    def add(self, texts: Texts, start: int) -> None:
        """Take in the values of a block, none of them missing, whose first row is `start`."""
        if len(texts) == 0 or not self.fits:
            return
        if self.first is None:
            self._begin(texts, start)
            if not self.fits:
                return
        stripped = self._stripped(texts)
        read: dict[str, pa.Array] = {}
        strict = None
        for form in tuple(self.spans):
            stamps = parse_strictly(stripped, form)
            strict = strict or (form if stamps is not None else None)
            stamps = stamps if stamps is not None else parse(stripped, form)
            if stamps is None:
                self.broken[form] = _first_break(stripped, form, texts, start)
                del self.spans[form]
                continue
            read[form] = stamps
            self.spans[form].add(stamps, keep_days=self.is_swappable)
        if len(read) == 2 and self.agree:
            one, other = read.values()
            self.agree = one.equals(other)
        if self.iso is not None:
            self._add_iso(stripped, next(iter(read.values()), None), strict)

    def settle(self, hint: Order = "", settled: SettledOrder | None = None) -> DateReading | None:
        """Return how the column reads, None if not every value is a date in one format.

        Args:
            hint: which of day and month stands first elsewhere in the same table.
            settled: which stands first as somebody has settled it, and who.
        """
        if self.first is None or not (self.spans or self.iso is not None):
            return None
        form, order, warnings = self._choose(hint, settled) if self.spans else (ISO, "", ())
        span = self.spans[form] if form != ISO else self.iso
        if span is None or span.low is None:
            return None
        if "%y" in form:
            warnings = (*warnings, "two-digit years: 69-99 are read as 1969-1999, 00-68 as 2000-2068")
        has_zone = is_zoned(form) or (form == ISO and self.zoned)
        if has_zone:
            warnings = (*warnings, "times carry a zone or offset; they are shown in UTC")
        if form == ISO and self.zoned and self.unzoned:
            warnings = (*warnings, "some times carry no zone or offset; they are taken for UTC")
        column = "{}.str.strip()" if self.has_blanks else "{}"
        template = f'pd.to_datetime({column}, format="{form}")'
        if has_zone:
            template = f'pd.to_datetime({column}, format="{form}", utc=True).dt.tz_localize(None)'
        return DateReading(form, template, span.is_day, order, warnings)

    @property
    def is_swappable(self) -> bool:
        """The formats differ in the order of day and month."""
        starts = {form[:2] for form in self.formats}
        return starts == {"%m", "%d"}

    def _begin(self, texts: Texts, start: int) -> None:
        sample = texts.text(0)
        self.first = Break(sample, start + texts.row_of(0))
        if len(sample) > _LONGEST or not any(character.isdigit() for character in sample):
            return
        self.formats = candidates(sample.strip(), compact=self.compact)
        self.spans = {form: _Span() for form in self.formats}
        if looks_iso(sample.strip()):
            self.iso = _Span()

    def _stripped(self, texts: Texts) -> Texts:
        ends = (texts.byte_at(0), texts.byte_at(-1))
        if all(((byte > _BLANK) & (byte < _NOT_ASCII)).all() for byte in ends):
            return texts
        stripped = pc.utf8_trim_whitespace(texts.array)
        self.has_blanks = self.has_blanks or not stripped.equals(texts.array)
        return Texts(stripped, texts.rows, texts.row_of)

    def _add_iso(self, texts: Texts, stamps: pa.Array | None, strict: str | None) -> None:
        """Go on with ISO 8601 of changing precision; what a format of fixed precision read is the same."""
        if self.iso is None or (strict is None and not texts.all_match(ISO_SHAPE)):
            self.iso = None
            return
        stamps = parse(texts, ISO) if stamps is None else stamps
        if stamps is None:
            self.iso = None
            return
        self.iso.add(stamps, keep_days=False)
        zoned = texts.matching(ZONED) if strict is None else np.array([is_zoned(strict)])
        self.zoned = self.zoned or bool(zoned.any())
        self.unzoned = self.unzoned or not bool(zoned.all())

    def _choose(self, hint: Order, settled: SettledOrder | None) -> tuple[str, Order, tuple[str, ...]]:
        """Choose between day first and month first."""
        form = next(iter(self.spans))
        if not self.is_swappable:
            return form, "", ()
        if len(self.spans) == 1:
            order = _order(form)
            if settled and settled.order != order:
                told = f"{settled.source} says {settled.order} first, but its values can only be read"
                return form, order, (f"{told} {order} first",)
            return form, order, ()
        if self.agree:
            return form, "", ()
        by_order = {_order(form): form for form in self.spans}
        if settled:
            told = f"read as {settled.order} first, as {settled.source} says: no value shows it"
            return by_order[settled.order], settled.order, (told,)
        shown = "; ".join(f"{_order(form)} first: {span.shown()}" for form, span in self.spans.items())
        if hint in by_order:
            reason = f"no value shows whether day or month comes first; {hint} first is taken from the other"
            return by_order[hint], hint, (f"{reason} dates of this table ({shown})",)
        form = min(self.spans, key=lambda form: self.spans[form].gaps())
        warning = f"ambiguous dates: no value shows whether day or month comes first ({shown}); "
        return form, "unclear", (f"{warning}read as {_order(form)} first",)


def _order(form: str) -> Order:
    return "day" if form.startswith("%d") else "month"


def _first_break(stripped: Texts, form: str, texts: Texts, start: int) -> Break:
    """Find the first value that the format does not read, by halving."""
    low, high = 0, len(stripped)
    while high - low > 1:
        middle = (low + high) // 2
        if parse(Texts(stripped.array.slice(low, middle - low)), form) is None:
            high = middle
        else:
            low = middle
    return Break(texts.text(low), start + texts.row_of(low))
