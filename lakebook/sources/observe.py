"""What a column is taken for, from all of its rows: role, units, sentinels, the time that it covers.

What the rows show is counted in `seen`; here it is put into the words of a card.
"""

from __future__ import annotations

from lakebook.sources.card import Column, Role, TimeCoverage, ValueCount
from lakebook.sources.reading import RawColumn, Typing
from lakebook.sources.roles import Evidence, role_of
from lakebook.sources.seen import Seen, shown
from lakebook.sources.sentinels import find_sentinels
from lakebook.sources.time_coverage import cover_times, cover_years
from lakebook.sources.units import unit_in_name, units_in_values

_NUMERIC = frozenset({"integer", "number"})


def observe(raw: RawColumn, typing: Typing, seen: Seen, rows: int, is_sequence: bool) -> Column:
    """Describe a column from what all its rows show; `is_sequence` if each is one more than that before."""
    kind = typing.type
    numeric = kind in _NUMERIC
    role = role_of(
        Evidence(
            name=raw.name,
            type=kind,
            rows=rows,
            nulls=seen.nulls,
            distinct=seen.distinct,
            values=seen.sample,
            minimum=float(seen.low) if numeric and seen.low is not None else None,
            maximum=float(seen.high) if numeric and seen.high is not None else None,
            sequential=typing.type == "integer" and is_sequence and rows > 1,
        )
    )
    sentinels, sentinel_notes = _sentinels(seen, typing)
    units, unit_notes = _units(raw, typing, seen)
    named = unit_in_name(raw.original_name)
    return Column(
        name=raw.name,
        original_name=raw.original_name,
        type=kind,
        role=role,
        nulls=seen.nulls,
        distinct=seen.distinct,
        distinct_exact=seen.distinct_exact,
        min=seen.low,
        max=seen.high,
        values=seen.values,
        values_complete=seen.complete,
        date_format=typing.date_format,
        unit=typing.unit or named or (units[0] if len(units) == 1 else ""),
        warnings=(*raw.warnings, *typing.warnings, *sentinel_notes, *unit_notes),
        quantiles=seen.quantiles,
        quantiles_exact=seen.quantiles_exact,
        units=units,
        sentinels=sentinels,
        time=_time(seen, typing, role),
        ambiguous_dates=typing.day_order == "unclear",
    )


def _sentinels(seen: Seen, typing: Typing) -> tuple[tuple[ValueCount, ...], tuple[str, ...]]:
    if seen.distribution is None:
        return (), ()
    found = find_sentinels(seen.distribution, typing.type)
    values = seen.distribution.values
    texts = [shown(values[values == value], typing.type)[0] for value, _ in found]
    counts = tuple(ValueCount(text, rows) for text, (_, rows) in zip(texts, found, strict=True))
    notes = tuple(
        f"{item.value.removesuffix('.0')} in {item.rows:,} rows looks like a code for a missing value"
        for item in counts
    )
    return counts, notes


def _units(raw: RawColumn, typing: Typing, seen: Seen) -> tuple[tuple[str, ...], tuple[str, ...]]:
    """Return all units that name and values state, and a note if the values have several."""
    stated = [unit for unit in typing.unit.split("/") if unit] if typing.unit != "JPY/CNY" else [typing.unit]
    notes: tuple[str, ...] = ()
    if typing.type == "text" and seen.sample_rows:
        found = units_in_values(seen.sample, seen.sample_rows)
        stated += [unit for unit, _ in found]
        if len(found) > 1:
            listed = ", ".join(f"{unit} in {rows:,} rows" for unit, rows in found)
            notes = (f"several units in one column: {listed}",)
    elif len(stated) > 1:
        notes = (f"several units in one column: {', '.join(stated)}",)
    named = unit_in_name(raw.original_name)
    if named and named not in stated:
        stated.append(named)
    return tuple(stated), notes


def _time(seen: Seen, typing: Typing, role: Role) -> TimeCoverage | None:
    if role != "time" or seen.distribution is None:
        return None
    values = seen.distribution.values
    return cover_years(values) if typing.type == "integer" else cover_times(values)
