"""Write a first `sources.yml`: every table and column with what was seen, and room for what only people know.

The result is valid as it stands and says nothing: meanings are empty and guesses are comments, so that
nothing counts as curated before somebody wrote it.
"""

from __future__ import annotations

import itertools
from collections.abc import Iterator, Sequence
from fnmatch import fnmatchcase

import yaml

from lakebook.sources.card import Column, SourceGroup, SourceMap, SourceUnit

_MOST_COLUMNS = 60
_HEAD = """\
# What people know of these files and no program can see. Edit freely; leave out what needs no word.
# Of a file: meaning, ignore (true, or why), dates (day or month: which stands first in dates such as
# 03/04/2020), columns. Of a column: meaning, unit, role, dates. What stands here wins over what was guessed;
# what was guessed stands in the comments. Files may be named by patterns (archive/*), sheets as file#sheet.
version: 1
files:
"""


def suggest(source_map: SourceMap) -> str:
    """Return the text of a first `sources.yml` for a lake: an entry a table, one for a group of files."""
    lines: list[str] = []
    grouped: set[str] = set()
    for group in source_map.groups:
        pattern = _pattern(group, source_map)
        if pattern:
            grouped.update(group.members)
            lines += _entry(pattern, f"{len(group.members)} files, {group.why}", _first(group, source_map))
    for card in source_map.cards:
        if card.path in grouped:
            continue
        for unit in card.units:
            name = f"{card.path}#{unit.unit}" if unit.unit else card.path
            lines += _entry(name, _size(unit), unit)
        if not card.units and card.status != "skipped":
            lines += [f"  {scalar(card.path)}:", f"    # {card.status}: {card.reason}", "    ignore: false"]
    return _HEAD + ("\n".join(lines) + "\n" if lines else "  {}\n")


def scalar(text: str) -> str:
    """Return the text as a YAML scalar on one line, quoted where it must be."""
    dumped: str = yaml.safe_dump(text, allow_unicode=True, width=10_000, default_style=None)
    plain = dumped.removesuffix("\n").removesuffix("...").removesuffix("\n")
    if not text:
        return '""'
    if "\n" in plain:
        quoted: str = yaml.safe_dump(text, allow_unicode=False, width=10_000, default_style='"')
        return quoted.removesuffix("\n")
    return plain


def _entry(name: str, seen: str, unit: SourceUnit | None) -> Iterator[str]:
    yield f"  {scalar(name)}:"
    yield f"    # {_comment(seen)}"
    yield '    meaning: ""'
    if unit is None or not unit.columns:
        return
    chosen = _worth_a_word(unit.columns)
    yield "    columns:"
    for column in chosen:
        yield f"      {scalar(column.name)}: {_fields(column)}  # {_comment(_seen(column))}"
    if len(chosen) < len(unit.columns):
        yield f"      # and {len(unit.columns) - len(chosen)} more columns"


def _worth_a_word(columns: Sequence[Column]) -> Sequence[Column]:
    """All columns, or of very many those with a warning first, in order of the table."""
    if len(columns) <= _MOST_COLUMNS:
        return columns
    ranked = sorted(columns, key=lambda column: not column.warnings)[:_MOST_COLUMNS]
    return [column for column in columns if column in ranked]


def _fields(column: Column) -> str:
    fields = ['meaning: ""']
    if column.role == "measure":
        fields.append(f"unit: {scalar(column.unit)}")
    return "{" + ", ".join(fields) + "}"


def _seen(column: Column) -> str:
    parts: list[str] = [column.role]
    if column.ambiguous_dates:
        parts.append(f"ambiguous dates, add `dates: day` or `dates: month`: {column.warnings[0]}")
    elif column.min is not None:
        parts.append(f"{column.type}, {_short(column.min)} to {_short(column.max or '')}")
    if column.sentinels:
        parts.append("codes for missing? " + ", ".join(one.value for one in column.sentinels))
    if len(column.units) > 1:
        parts.append(f"several units: {', '.join(column.units)}")
    return ", ".join(parts)


def _size(unit: SourceUnit) -> str:
    if unit.kind == "table":
        rows, columns = unit.rows, len(unit.columns)
        return f"{rows:,} row{'s' * (rows != 1)}, {columns} column{'s' * (columns != 1)}"
    return f"{unit.kind} of {unit.text_length:,} characters" if unit.text_length else unit.kind


def _short(text: str) -> str:
    return text if len(text) <= 30 else text[:29] + "…"


def _comment(text: str) -> str:
    return " ".join(text.split())[:300]


def _pattern(group: SourceGroup, source_map: SourceMap) -> str:
    """Return a pattern that fits exactly the files of a group, "" if there is none or the files are few."""
    if len(group.members) < 3 or any("#" in member for member in group.members):
        return ""
    start = _common_start(group.members).rstrip("0123456789")
    end = _common_end(group.members)
    pattern = f"{start}*{end}"
    members = set(group.members)
    fitting = {card.path for card in source_map.cards if fnmatchcase(card.path, pattern)}
    return pattern if fitting == members and not set("[]?") & set(start + end) else ""


def _common_start(texts: Sequence[str]) -> str:
    alike = itertools.takewhile(lambda letters: len(set(letters)) == 1, zip(*texts, strict=False))
    return "".join(letters[0] for letters in alike)


def _common_end(members: Sequence[str]) -> str:
    """Return the suffix that all members share (".csv", ".csv.gz"), without the part that differs."""
    common = _common_start([member[::-1] for member in members])[::-1]
    return common[common.index(".") :] if "." in common else ""


def _first(group: SourceGroup, source_map: SourceMap) -> SourceUnit | None:
    card = source_map.card(group.members[0])
    return card.units[0] if card is not None and card.units else None
