"""Columns of Arrow types, brought to the few that pandas and DuckDB share, as all rows together decide.

Whatever yields record batches (Parquet, Feather, ORC, DuckDB, statistics files) is described here as a raw
table. What could not survive in a shared type (whole numbers beyond 2^53, long decimals, days beyond the
calendar) becomes text, with a warning; binary values are left out.
"""

from __future__ import annotations

import json
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field, replace
from functools import partial
from typing import Any

import pyarrow as pa
import pyarrow.compute as pc

from lakebook.sources.card import ColumnType
from lakebook.sources.reading import EXACT, RawColumn

# What Arrow makes of `table[name]`, before pandas sees it.
_TO_TEXT = 'table[name].cast("string")'
_TO_FLOAT = 'table[name].cast("double")'
_TO_TIME = 'table[name].cast("timestamp[us]", safe=False)'
_TO_MICROSECONDS = 'table[name].cast("duration[us]", safe=False).cast("int64").cast("double")'
_TO_JSON = "[None if item is None else json.dumps(item, default=str) for item in table[name].to_pylist()]"
_TO_STR = "[None if item is None else str(item) for item in table[name].to_pylist()]"
# A conversion that changes nothing, so that nothing more is read into a text that was a number.
_STAYS_TEXT = '{}.astype("str")'

# Digits of a decimal number that a 64-bit float is sure to keep.
_SURE_DIGITS = 15
# Microseconds of the first and the last moment of the calendar that Python and SQL share (years 1 to 9999).
_FIRST, _LAST = -62_135_596_800_000_000, 253_402_300_799_999_999
_PER_SECOND = {"s": 1, "ms": 1_000, "us": 1_000_000, "ns": 1_000_000_000}
_DAY = 86_400

Convert = Callable[[pa.Array], pa.Array]
Read = Callable[[Sequence[str]], Iterator[pa.RecordBatch]]


@dataclass(slots=True)
class Facts:
    """What all values of a column say together.

    Attributes:
        low, high: of numbers and times (times as whole units of their type).
        days_only: every time is midnight. cut: a time has nanoseconds. digits: most digits of a decimal.
        is_text: bytes that are all text. beyond: nested values that Python cannot hold.
    """

    rows: int = 0
    nulls: int = 0
    low: int | None = None
    high: int | None = None
    days_only: bool = True
    cut: bool = False
    digits: int = 0
    is_text: bool = True
    beyond: bool = False

    @property
    def is_empty(self) -> bool:
        """Return True if there are rows, but no value."""
        return self.rows > 0 and self.nulls == self.rows

    def add_range(self, low: int | None, high: int | None) -> None:
        """Widen the range."""
        if low is not None and high is not None:
            self.low = low if self.low is None else min(self.low, low)
            self.high = high if self.high is None else max(self.high, high)


@dataclass(frozen=True, slots=True)
class Plan:
    """How a column is brought to its shared type, and what pandas does to get there.

    Attributes:
        convert: from the file's type.
        template: from the pandas column.
        cast: what Arrow makes of it in `table`, before pandas sees it, "" if nothing.
    """

    name: str
    original: str
    convert: Convert
    template: str = ""
    type: ColumnType | None = None
    warnings: tuple[str, ...] = ()
    cast: str = ""

    def column(self, values: pa.ChunkedArray | pa.Array) -> RawColumn:
        """Return the raw column with these values."""
        return RawColumn(self.name, self.original, values, self.template, self.type, self.warnings)


@dataclass(frozen=True, slots=True)
class Plans:
    """The plans of a table, and the columns that are left out (name -> why)."""

    plans: tuple[Plan, ...]
    left_out: Mapping[str, str] = field(default_factory=dict)

    def convert(self, batch: pa.RecordBatch) -> pa.RecordBatch:
        """Bring a batch, whose columns have their final names, to the shared types."""
        columns = [plan.convert(batch.column(plan.name)) for plan in self.plans]
        return pa.RecordBatch.from_arrays(columns, [plan.name for plan in self.plans])


def make_plans(
    schema: pa.Schema, originals: Sequence[str], read: Read, known: Mapping[str, Facts] | None = None
) -> Plans:
    """Decide the type of every column from all its values.

    Args:
        schema: with final names.
        originals: the names that the file has.
        read: yields all rows, at least the named columns.
        known: facts that need not be collected.
    """
    wanted = [item.name for item in schema if _asks(_plain(item.type))]
    facts = dict(known or {})
    missing = [name for name in wanted if name not in facts]
    facts.update(_collect(schema, missing, read) if missing else {})
    plans, left_out = [], {}
    for item, original in zip(schema, originals, strict=True):
        fact = facts.get(item.name, Facts())
        if _is_binary(item.type) and (fact.is_empty or not fact.is_text):
            left_out[item.name] = "binary values, left out"
        elif not fact.is_text:
            left_out[item.name] = "text that is not UTF-8, left out"
        elif fact.beyond:
            left_out[item.name] = "nested values that cannot be written as JSON, left out"
        else:
            plans.append(_plan(item.name, original, item.type, fact))
    return Plans(tuple(plans), left_out)


def _plain(kind: pa.DataType) -> pa.DataType:
    """Return the type of the values of a dictionary or run-length encoded type."""
    if pa.types.is_dictionary(kind) or pa.types.is_run_end_encoded(kind):
        return _plain(kind.value_type)
    return kind


def _asks(kind: pa.DataType) -> bool:
    """Return True if the values decide what becomes of the type."""
    types = pa.types
    return bool(
        types.is_boolean(kind)
        or types.is_integer(kind)
        or types.is_timestamp(kind)
        or types.is_date(kind)
        or (types.is_decimal(kind) and kind.precision > _SURE_DIGITS)
        or _is_binary(kind)
        or types.is_nested(kind)
    )


def _collect(schema: pa.Schema, names: Sequence[str], read: Read) -> dict[str, Facts]:
    facts = {name: Facts() for name in names}
    for batch in read(names):
        for name, fact in facts.items():
            _look(fact, _decoded(batch.column(name)))
    return facts


def _look(fact: Facts, values: pa.Array) -> None:
    kind = values.type
    fact.rows += len(values)
    fact.nulls += values.null_count
    if _is_binary(kind):
        fact.is_text = fact.is_text and _reads_as_text(values)
        return
    if pa.types.is_nested(kind):
        fact.beyond = fact.beyond or not _python_holds(values)
        return
    if pa.types.is_decimal(kind):
        digits = pc.replace_substring_regex(values.cast(pa.string()), r"E.*|[-+.]", "")
        longest = pc.max(pc.utf8_length(pc.utf8_rtrim(pc.utf8_ltrim(digits, "0"), "0"))).as_py()
        fact.digits = max(fact.digits, longest or 0)
        return
    if pa.types.is_boolean(kind):
        return
    per_day = 0
    if pa.types.is_date32(kind):
        values = values.cast(pa.int32())
    elif pa.types.is_temporal(kind):
        unit = "ms" if pa.types.is_date64(kind) else kind.unit
        values, per_day = values.cast(pa.int64()), _DAY * _PER_SECOND[unit]
    span = pc.min_max(values)
    fact.add_range(span["min"].as_py(), span["max"].as_py())
    if per_day and fact.days_only:
        fact.days_only = _all_divide(values, per_day)
    if per_day == _DAY * _PER_SECOND["ns"] and not fact.cut:
        fact.cut = not _all_divide(values, 1_000)


def is_text(kind: pa.DataType) -> bool:
    """Return True for columns of text, also if they are encoded."""
    return _is_text(_plain(kind))


def look_at_text(fact: Facts, values: pa.Array) -> None:
    """Add what a stretch of a text column says."""
    plain = _decoded(values)
    fact.rows += len(plain)
    fact.nulls += plain.null_count
    try:
        plain.validate(full=True)
    except pa.ArrowException:
        fact.is_text = False


def _reads_as_text(values: pa.Array) -> bool:
    """Return True for bytes that a writer without a text type has put there for text."""
    try:
        texts = values.cast(pa.string())
    except pa.ArrowException:  # not UTF-8
        return False
    return not pc.any(pc.match_substring_regex(texts, r"[\x00-\x08\x0e-\x1a]"), min_count=0).as_py()


def _python_holds(values: pa.Array) -> bool:
    try:
        values.to_pylist()
    except (ValueError, OverflowError, KeyError, TypeError, NotImplementedError, pa.ArrowException):
        return False
    return True


def _all_divide(values: pa.Array, divisor: int) -> bool:
    rounded = pc.multiply(pc.divide(values, divisor), divisor)
    return bool(pc.all(pc.equal(values, rounded), min_count=0).as_py())


def _decoded(values: pa.Array) -> pa.Array:
    if isinstance(values, pa.ChunkedArray):
        values = values.combine_chunks()
    if pa.types.is_run_end_encoded(values.type):
        return _decoded(pc.run_end_decode(values))
    return _decoded(values.dictionary_decode()) if pa.types.is_dictionary(values.type) else values


def _plan(name: str, original: str, kind: pa.DataType, facts: Facts) -> Plan:
    plain = _plain(kind)
    inner = _plan_plain(partial(Plan, name, original), plain, facts)
    if plain is kind:
        return inner
    convert = inner.convert
    cast = inner.cast or f'table[name].cast("{_alias(plain)}")'  # else pandas would keep a category
    return replace(inner, convert=lambda values: convert(_decoded(values)), cast=cast)


def _alias(kind: pa.DataType) -> str:
    return "string" if _is_text(kind) else str(kind)


def _plan_plain(plan: Callable[..., Plan], kind: pa.DataType, facts: Facts) -> Plan:
    types = pa.types
    if _is_text(kind):
        return plan(_to_float, "{}.astype(float)", "empty") if facts.is_empty else plan(_to_text)
    if _is_binary(kind):
        return plan(_to_text, cast=_TO_TEXT, warnings=("bytes that are all UTF-8 text: read as text",))
    if types.is_boolean(kind):
        return plan(_same, '{}.astype("boolean")' if facts.nulls else "", "boolean")
    if types.is_integer(kind) or types.is_floating(kind) or types.is_decimal(kind) or types.is_null(kind):
        return _number(plan, kind, facts)
    if types.is_timestamp(kind) or types.is_date(kind):
        return _time(plan, kind, facts)
    if types.is_time(kind):
        return plan(_to_text, _STAYS_TEXT, "text", cast=_TO_TEXT)
    if types.is_duration(kind):
        warning = "durations, shown in seconds"
        return plan(_to_seconds, "{} / 1e6", "number", (warning,), _TO_MICROSECONDS)
    if types.is_nested(kind):
        return plan(_to_json, type="json", cast=_TO_JSON)
    return plan(_to_str, _STAYS_TEXT, "text", cast=_TO_STR)


def _number(plan: Callable[..., Plan], kind: pa.DataType, facts: Facts) -> Plan:
    if pa.types.is_integer(kind):
        if max(abs(facts.low or 0), abs(facts.high or 0)) <= EXACT:
            return plan(_same, "", "empty" if facts.is_empty else "integer")
        warning = "whole numbers beyond 2^53: kept as text, since a float would change them"
        return plan(_to_text, _STAYS_TEXT, "text", (warning,), _TO_TEXT)
    if pa.types.is_float64(kind):
        return plan(_same, "", "number")
    if pa.types.is_decimal(kind) and kind.precision > _SURE_DIGITS < facts.digits:
        warning = f"decimals of up to {facts.digits} digits: kept as text, since a float would change them"
        return plan(_to_text, _STAYS_TEXT, "text", (warning,), _TO_TEXT)
    return plan(_to_float, "", "empty" if pa.types.is_null(kind) else "number", cast=_TO_FLOAT)


def _time(plan: Callable[..., Plan], kind: pa.DataType, facts: Facts) -> Plan:
    per_second = 1_000 if pa.types.is_date64(kind) else _PER_SECOND.get(getattr(kind, "unit", ""), 1)
    scale = _DAY if pa.types.is_date32(kind) else 1
    ends = [value * scale * 1_000_000 // per_second for value in (facts.low, facts.high) if value is not None]
    if any(not _FIRST <= end <= _LAST for end in ends):
        warning = "dates outside the years 1 to 9999: kept as text"
        plain = pa.int32() if scale == _DAY else pa.int64()
        cast = f'table[name].cast("{plain}").cast("string")'
        since = "days" if scale == _DAY else f"{getattr(kind, 'unit', 'ms')}"
        as_text = partial(_number_text, kind=plain)
        return plan(as_text, _STAYS_TEXT, "text", (f"{warning}, as {since} since 1970",), cast)
    warnings = []
    if pa.types.is_timestamp(kind) and kind.tz:
        warnings.append(f"times carry the zone {kind.tz}; they are shown in UTC")
    if facts.cut:
        warnings.append("nanoseconds are cut off: times are kept to the microsecond")
    found: ColumnType = "date" if facts.days_only else "datetime"
    is_same = kind == pa.timestamp("us")
    convert, cast = (_same, "") if is_same else (_to_time, _TO_TIME)
    return plan(convert, "", found, tuple(warnings), cast)


def _is_text(kind: pa.DataType) -> bool:
    types = pa.types
    return bool(types.is_string(kind) or types.is_large_string(kind) or types.is_string_view(kind))


def _is_binary(kind: pa.DataType) -> bool:
    types = pa.types
    return bool(
        types.is_binary(kind)
        or types.is_large_binary(kind)
        or types.is_fixed_size_binary(kind)
        or types.is_binary_view(kind)
    )


def _same(values: pa.Array) -> pa.Array:
    return values


def _to_text(values: pa.Array) -> pa.Array:
    return values.cast(pa.string())


def _number_text(values: pa.Array, kind: pa.DataType) -> pa.Array:
    return values.cast(kind).cast(pa.string())


def _to_float(values: pa.Array) -> pa.Array:
    return values.cast(pa.float64(), safe=False)


def _to_time(values: pa.Array) -> pa.Array:
    return values.cast(pa.timestamp("us"), safe=False)


def _to_seconds(values: pa.Array) -> pa.Array:
    micro = values.cast(pa.duration("us"), safe=False).cast(pa.int64())
    return pc.divide(micro.cast(pa.float64(), safe=False), 1e6)


def _to_json(values: pa.Array) -> pa.Array:
    return _mapped(values, lambda item: json.dumps(item, default=str))


def _to_str(values: pa.Array) -> pa.Array:
    return _mapped(values, str)


def _mapped(values: pa.Array, function: Callable[[Any], str]) -> pa.Array:
    texts = [None if item is None else function(item) for item in values.to_pylist()]
    return pa.array(texts, pa.string())
