"""Evidence for the chosen sources: original rows and passages, each with file, position and coverage."""

from __future__ import annotations

import re
from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path

import duckdb

from lakebook.errors import SourceError
from lakebook.exploration.bm25 import Bm25, tokens
from lakebook.exploration.views import Entry, read_document
from lakebook.sources.card import SourceUnit
from lakebook.sources.profile import table_file
from sql import read

_ROWS = 3
_PASSAGES = 2
_CELL = 200
_PASSAGE = 1_200


@dataclass(frozen=True, slots=True)
class Evidence:
    """A piece of a source that speaks to the question.

    Attributes:
        position: where it stands in the file ("rows 3, 17", "lines 4-9", "values of region").
        text_or_rows: a passage, or rows as column -> value.
        coverage: what was looked at to find it.
    """

    path: str
    position: str
    text_or_rows: str | tuple[dict[str, str], ...]
    coverage: str


def gather(entry: Entry, root: Path, state: Path | None, question: Sequence[str]) -> tuple[Evidence, ...]:
    """Return evidence from one source; nothing if the source says nothing of the question."""
    if entry.unit is None:
        return ()
    if entry.unit.kind == "text":
        return _passages(entry, root, question)
    rows = _rows(entry, entry.unit, state, question) if state is not None else ()
    return (*_values(entry, entry.unit, question), *rows)


def _values(entry: Entry, unit: SourceUnit, question: Sequence[str]) -> tuple[Evidence, ...]:
    """Values of columns that hold words of the question, with the number of rows of each."""
    found = []
    for column in unit.columns:
        if column.type not in ("text", "boolean"):
            continue
        hits = [value for value in column.values if set(tokens(value.value[:_CELL])) & set(question)][:5]
        if hits:
            text = ", ".join(f"{value.value[:80]!r} in {value.rows:,} rows" for value in hits)
            complete = "all" if column.values_complete else f"the {len(column.values)} most frequent of"
            coverage = f"{complete} {column.distinct:,} values; {unit.rows:,} rows"
            found.append(Evidence(entry.name, f"values of {column.name}", text, coverage))
    return tuple(found[:3])


def _rows(entry: Entry, unit: SourceUnit, state: Path, question: Sequence[str]) -> tuple[Evidence, ...]:
    file = table_file(state, entry.card, unit)
    # short words would be found inside longer ones
    terms = [token for token in dict.fromkeys(question) if len(token) > 3 or token.isdigit()]
    if not terms or not file.exists():
        return ()
    connection = duckdb.connect()
    try:
        statement = connection.execute(
            read("profile/rank_rows"), {"file": str(file), "terms": terms, "limit": _ROWS}
        )
        names = [column[0] for column in statement.description or ()]
        found = statement.fetchall()
    finally:
        connection.close()
    if not found:
        return ()
    # the last two columns are the row number and the number of terms found
    rows = tuple(
        {name: str(cell)[:_CELL] for name, cell in zip(names[:-2], row, strict=False) if cell is not None}
        for row in found
    )
    position = f"rows {', '.join(f'{row[-2]:,}' for row in found)}"
    return (Evidence(entry.name, position, rows, f"all {unit.rows:,} rows"),)


def _passages(entry: Entry, root: Path, question: Sequence[str]) -> tuple[Evidence, ...]:
    try:
        text = read_document(root, entry.card)
    except (OSError, SourceError):
        return ()
    passages = _split(text)
    ranked = Bm25.of(tokens(passage) for _, passage in passages).rank(question)[:_PASSAGES]
    evidence = []
    for number, _score in ranked:
        start, passage = passages[number]
        end = start + passage.count("\n")
        position = f"lines {start:,}-{end:,}" if end > start else f"line {start:,}"
        evidence.append(Evidence(entry.name, position, passage[:_PASSAGE], f"all {len(passages):,} passages"))
    return tuple(evidence)


def _split(text: str) -> list[tuple[int, str]]:
    """Split into passages at blank lines; a list or table keeps the line that introduces it."""
    passages: list[tuple[int, str]] = []
    line = 1
    for block in re.split(r"(\n[ \t]*\n+)", text):
        if block.strip():
            is_listing = bool(re.match(r"\s*([-*|]|\d+[.)])", block))
            if is_listing and passages and len(passages[-1][1]) < 300:
                first, before = passages.pop()
                gap = "\n" * (line - first - before.count("\n"))
                passages.append((first, before + gap + block.rstrip("\n")))
            else:
                passages.append((line, block.rstrip("\n")))
        line += block.count("\n")
    return passages
