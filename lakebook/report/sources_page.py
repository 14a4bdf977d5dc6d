"""The source map as one HTML page: warnings first, then groups, then every unit with its columns.

The page loads nothing, runs nothing, and stays small: what does not fit is counted and said, with the
command that shows it. All texts are escaped by the template.
"""

from __future__ import annotations

import math
from collections import Counter
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field
from functools import cache
from importlib import resources
from pathlib import Path

from jinja2 import Environment, PackageLoader, StrictUndefined, Template
from markupsafe import Markup, escape

import lakebook
from lakebook.report.sparklines import bars, counts_of
from lakebook.sources.adding_up import find_copies, loaded_totals
from lakebook.sources.card import Column, SourceCard, SourceGroup, SourceMap, SourceUnit
from lakebook.sources.profile import table_file

MOST_COLUMNS = 600
_COLUMNS_A_UNIT = 300
_MOST_UNITS = 1_000
_MOST_WARNINGS = 200
_MOST_MEMBERS = 200
_VALUES = 6
_PLACES = 5
_LONGEST = 40
_GROUP_HEAD = ("member", "value", "renamed", "lacks", "only here", "other type", "not matched")
_TONES = {"ok": "good", "partial": "warn", "failed": "bad", "skipped": "soft"}


@dataclass(frozen=True, slots=True)
class _Line:
    """A text with where it belongs and how it is coloured."""

    text: str
    tone: str = ""
    place: str = ""


@dataclass(frozen=True, slots=True)
class _Number:
    label: str
    value: str
    tone: str = ""


@dataclass(frozen=True, slots=True)
class _Column:
    name: str
    type: str
    role: str
    unit: str
    meaning: str
    picture: Markup
    nulls: str
    null_width: float
    distinct: str
    range: str
    values: str
    warnings: tuple[str, ...]


@dataclass(frozen=True, slots=True)
class _Unit:
    name: str
    table: str
    size: str
    status: str
    tone: str
    notes: tuple[_Line, ...]
    columns: tuple[_Column, ...] = ()
    more_columns: int = 0
    open: bool = False


@dataclass(frozen=True, slots=True)
class _Group:
    id: str
    members: tuple[str, ...]
    why: str
    table: str
    member_column: str
    head: tuple[str, ...]
    rows: tuple[tuple[str, ...], ...]
    left_out: tuple[tuple[str, str], ...]


@dataclass(frozen=True, slots=True)
class _Page:
    title: str
    numbers: tuple[_Number, ...]
    warnings: tuple[_Line, ...]
    more_warnings: int
    groups: tuple[_Group, ...]
    units: tuple[_Unit, ...]
    more_units: int
    version: str = field(default=lakebook.__version__)


@cache
def _template() -> Template:
    environment = Environment(
        loader=PackageLoader("lakebook.report", "templates"), autoescape=True, undefined=StrictUndefined
    )
    return environment.get_template("sources.html.j2")


@cache
def _stylesheet() -> Markup:
    text = (resources.files("lakebook.report") / "templates" / "sources.css").read_text(encoding="utf-8")
    return Markup(text)  # noqa: S704 - our own file


def write_sources_page(source_map: SourceMap, title: str, state: Path, notes: Sequence[str] = ()) -> str:
    """Return the page as one HTML document.

    Args:
        source_map: the cards and groups.
        title: the name of the lake.
        state: where the stored tables are, for the pictures of columns.
        notes: what else a reader must know (entries of the curated notes that fit nothing …).
    """
    warnings = _merged([*(_Line(note, "warn", "notes") for note in notes), *_warnings(source_map)])
    listed = [(card, unit) for card in source_map.cards for unit in (card.units or (None,))]
    page = _Page(
        title=title,
        numbers=tuple(_numbers(source_map)),
        warnings=tuple(warnings[:_MOST_WARNINGS]),
        more_warnings=max(0, len(warnings) - _MOST_WARNINGS),
        groups=tuple(map(_group, source_map.groups)),
        units=tuple(_units(listed[:_MOST_UNITS], state)),
        more_units=max(0, len(listed) - _MOST_UNITS),
    )
    return _template().render(page=page, css=_stylesheet())


def _numbers(source_map: SourceMap) -> Iterator[_Number]:
    statuses = Counter(card.status for card in source_map.cards)
    units = [unit for card in source_map.cards for unit in card.units]
    yield _Number("files", f"{len(source_map.cards):,}")
    for status in ("ok", "partial", "failed", "skipped"):
        if statuses[status]:
            yield _Number(_STATUS_WORDS[status], f"{statuses[status]:,}", _TONES[status])
    yield _Number("tables", f"{sum(unit.kind == 'table' for unit in units):,}")
    rejected = sum(unit.rows_rejected for unit in units)
    yield _Number("rows in files", f"{sum(unit.rows_in_file for unit in units):,}")
    yield _Number("loaded", f"{sum(unit.rows for unit in units):,}")
    yield _Number("rejected", f"{rejected:,}", "warn" if rejected else "")
    yield _Number("set aside", f"{sum(unit.rows_skipped for unit in units):,}")


_STATUS_WORDS = {
    "ok": "read whole",
    "partial": "read in part",
    "failed": "not readable",
    "skipped": "not read",
}


def _warnings(source_map: SourceMap) -> Iterator[_Line]:
    """Yield warnings, the gravest kind first: failed files, partial ones, units, columns."""
    for status in ("failed", "partial"):
        for card in source_map.cards:
            if card.status == status:
                yield _Line(card.reason, _TONES[status], card.path)
    for paths in find_copies(source_map):
        yield _Line(
            "hold the same content: added up, everything would count more than once", "warn", _listed(paths)
        )
    for card in source_map.cards:
        for unit in card.units:
            texts = (*unit.warnings, *loaded_totals(unit))
            yield from (_Line(text, "warn", _name(card, unit)) for text in texts)
    for card in source_map.cards:
        for unit in card.units:
            for column in unit.columns:
                place = f"{_name(card, unit)}, {column.name}"
                yield from (_Line(text, "warn", place) for text in column.warnings)


def _merged(lines: Sequence[_Line]) -> list[_Line]:
    """Say what holds for several places once, where it was first said."""
    places: dict[tuple[str, str], list[str]] = {}
    for line in lines:
        places.setdefault((line.text, line.tone), []).append(line.place)
    return [_Line(text, tone, _listed(at)) for (text, tone), at in places.items()]


def _listed(names: Sequence[str]) -> str:
    more = f" and {len(names) - _PLACES:,} more" if len(names) > _PLACES else ""
    return "; ".join(names[:_PLACES]) + more


def _name(card: SourceCard, unit: SourceUnit | None) -> str:
    return f"{card.path}#{unit.unit}" if unit is not None and unit.unit else card.path


def _group(group: SourceGroup) -> _Group:
    rows = [
        (
            schema.member,
            schema.value,
            ", ".join(f"{pair.name} → {pair.group_name} ({_percent(pair.score)})" for pair in schema.renamed),
            ", ".join(schema.missing),
            ", ".join(schema.extra),
            ", ".join(f"{name}: {here}, elsewhere {there}" for name, there, here in schema.retyped),
            "; ".join(f"{name}: {why}" for name, why in schema.refused),
        )
        for schema in group.schemas
    ] or [(member, "", "", "", "", "", "") for member in group.members]
    shown = rows[:_MOST_MEMBERS]
    if len(rows) > len(shown):
        shown.append((f"and {len(rows) - len(shown):,} more", "", "", "", "", "", ""))
    kept = [at for at in range(len(_GROUP_HEAD)) if at == 0 or any(row[at] for row in shown)]
    return _Group(
        group.id,
        group.members,
        group.why,
        group.table,
        group.member_column,
        head=tuple(_GROUP_HEAD[at] for at in kept),
        rows=tuple(tuple(row[at] for at in kept) for row in shown),
        left_out=group.left_out,
    )


def _units(listed: Sequence[tuple[SourceCard, SourceUnit | None]], state: Path) -> Iterator[_Unit]:
    room = MOST_COLUMNS
    tables = sum(unit is not None and unit.kind == "table" for _, unit in listed)
    for card, unit in listed:
        if unit is None:
            note = _Line(card.reason, _TONES[card.status])
            yield _Unit(card.path, "", card.format, card.status, _TONES[card.status], (note,))
            continue
        shown = unit.columns[: min(room, _COLUMNS_A_UNIT)]
        room -= len(shown)
        stored = table_file(state, card, unit)
        yield _Unit(
            name=_name(card, unit),
            table=unit.table,
            size=_size(unit),
            status=card.status,
            tone=_TONES[card.status],
            notes=tuple(_notes(card, unit)),
            columns=tuple(_column(column, unit.rows, stored) for column in shown),
            more_columns=len(unit.columns) - len(shown),
            open=tables == 1 and unit.kind == "table",
        )


def _size(unit: SourceUnit) -> str:
    if unit.kind == "table":
        return f"{unit.rows:,} rows × {len(unit.columns):,} columns"
    return f"{unit.kind}, {unit.text_length:,} characters" if unit.text_length else unit.kind


def _notes(card: SourceCard, unit: SourceUnit) -> Iterator[_Line]:
    for meaning in (card.meaning, unit.meaning):
        if meaning:
            yield _Line(meaning)
    if unit.kind == "table":
        yield _Line(
            f"{unit.rows_in_file:,} rows in the file = {unit.rows:,} loaded + "
            f"{unit.rows_rejected:,} rejected + {unit.rows_skipped:,} set aside",
            "soft",
        )
    if unit.place:
        yield _Line(f"stands at {unit.place}", "soft")
    if card.encoding and card.encoding not in ("utf-8", "utf-8-sig"):
        yield _Line(f"encoding {card.encoding}", "soft")
    if not unit.coverage.complete:
        yield _Line(f"partial: {unit.coverage.note}", "warn")
    if unit.candidate_keys:
        keys = "; ".join(" + ".join(key) for key in unit.candidate_keys)
        yield _Line(f"one row is one of: {keys}", "soft")
    for name, value in unit.attributes:
        yield _Line(f"{name}: {value}", "soft")
    yield from (_Line(text, "warn") for text in unit.warnings)
    yield from (_Line(f"set aside: {text}", "soft") for text in unit.skipped[:20])
    yield from (_Line(text, "warn") for text in loaded_totals(unit)[:20])
    for row in unit.rejected[:10]:
        yield _Line(f"rejected, line {row.line:,}: {row.reason}", "warn")


def _column(column: Column, rows: int, stored: Path) -> _Column:
    counts = counts_of(column, stored) if stored.exists() else []
    title = escape(f"{column.name}: {len(counts)} bars, the highest {max(counts, default=0):,} rows")
    mark = "" if column.distinct_exact else "≈ "
    return _Column(
        name=column.name,
        type=column.type,
        role=column.role,
        unit=column.unit,
        meaning=column.meaning,
        picture=Markup(bars(counts, title)),  # noqa: S704 - our own shapes, the title escaped
        nulls=f"{column.nulls:,}" if column.nulls else "",
        null_width=round(100 * column.nulls / rows, 1) if rows else 0.0,
        distinct=f"{mark}{column.distinct:,}",
        range=_range(column),
        values=_values(column),
        warnings=column.warnings,
    )


def _range(column: Column) -> str:
    """Return smallest and largest value where order means something."""
    if column.min is None or column.type not in ("integer", "number", "date", "datetime"):
        return ""
    return f"{_short(column.min)} – {_short(column.max or '')}"


def _values(column: Column) -> str:
    if column.role in ("measure", "time") and column.quantiles:
        middle = next((one.value for one in column.quantiles if one.share == 0.5), "")
        mark = "" if column.quantiles_exact else "≈ "
        return f"median {mark}{_short(middle)}"
    shown = [
        _short(value.value) + (f" ({value.rows:,})" if value.rows > 1 else "")
        for value in column.values[:_VALUES]
    ]
    more = column.distinct - len(shown)
    return ", ".join(shown) + (f" and {more:,} more" if shown and more > 0 else "")


def _percent(score: float) -> str:
    """Write a score so that only a certain one reads 100 %."""
    return f"{math.floor(100 * score + 1e-9)}%"


def _short(text: str) -> str:
    return text if len(text) <= _LONGEST else text[: _LONGEST - 1] + "…"
