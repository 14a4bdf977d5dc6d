"""Evidence for chosen sources: original rows, values and passages, each with file, position and coverage.

Read from what the profilers kept, never from the lake. What is shown is quoted: whatever a document or a
cell says, it is data here, and no part of the program reads it as anything else.
"""

from __future__ import annotations

import math
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, field
from datetime import datetime, time
from functools import lru_cache
from pathlib import Path
from typing import Any

import duckdb
import pyarrow.parquet as pq

from lakebook.exploration.passages import find_passages
from lakebook.exploration.words import singular, split_words, tokens
from lakebook.sources.card import Column, SourceCard, SourceUnit
from lakebook.sources.profile import table_file
from sql import read

MOST_ROWS_SEARCHED = 2_000_000
_ROWS = 3
_FIRST_ROWS = 2
_CANDIDATES = 200
_COLUMNS_WITH_VALUES = 3
_VALUES = 5
_CELL = 200
_CELLS = 40


@dataclass(frozen=True, slots=True)
class Evidence:
    """A piece of a source that speaks to the question.

    Attributes:
        path: the source: a file, or `file#unit`.
        position: where it stands in the file ("rows 3, 17", "lines 4-9", "values of region").
        text_or_rows: a passage, or rows as column -> value.
        coverage: what was looked at to find it.
    """

    path: str
    position: str
    text_or_rows: str | tuple[dict[str, str], ...]
    coverage: str


@dataclass(slots=True)
class Sought:
    """What evidence is looked for, and what had to be left out on the way.

    Attributes:
        worth: token -> how rare it is in the lake. words: the question's words as they stand there.
        connection: opened once for a search.
    """

    worth: Mapping[str, float]
    words: tuple[str, ...]
    omitted: list[str] = field(default_factory=list)
    connection: duckdb.DuckDBPyConnection = field(default_factory=duckdb.connect)


def gather(name: str, card: SourceCard, unit: SourceUnit, state: Path, sought: Sought) -> list[Evidence]:
    """Return evidence from one unit; the first rows of a table where nothing in it speaks to the question."""
    if unit.kind == "text":
        found = find_passages(card, unit, state, sought.worth)
        sought.omitted += [f"{name}: {note}" for note in found.omitted]
        return [Evidence(name, one.position, one.text, found.coverage) for one in found.passages]
    evidence = [*_values(name, unit, sought), *_rows(name, card, unit, state, sought)]
    return evidence or _first_rows(name, card, unit, state)


def _values(name: str, unit: SourceUnit, sought: Sought) -> list[Evidence]:
    """Values that hold words of the question, with their rows; the heaviest columns only."""
    ranked: list[tuple[float, Evidence]] = []
    partial = []
    for column in unit.columns:
        if column.type not in ("text", "boolean", "json"):
            continue
        if not column.values_complete and column.distinct > len(column.values):
            partial.append(f"{column.name} ({len(column.values):,} of {column.distinct:,})")
        weighed = [(_weight(_words_of(value.value[:_CELL]), sought.worth), value) for value in column.values]
        hits = sorted((hit for hit in weighed if hit[0] > 0), key=lambda hit: (-hit[0], -hit[1].rows))
        if hits:
            shown = ", ".join(
                f"{v.value[:80]!r} in {v.rows:,} row{'s'[: v.rows > 1]}" for _, v in hits[:_VALUES]
            )
            more = f" and {len(hits) - _VALUES:,} more values" if len(hits) > _VALUES else ""
            evidence = Evidence(name, f"values of {column.name}", shown + more, _of_values(column, unit))
            ranked.append((hits[0][0], evidence))
    if partial:
        sought.omitted.append(f"{name}: values known in part only: {', '.join(partial[:5])}")
    ranked.sort(key=lambda one: -one[0])
    if len(ranked) > _COLUMNS_WITH_VALUES:
        left = ", ".join(
            one.position.removeprefix("values of ") for _, one in ranked[_COLUMNS_WITH_VALUES:][:5]
        )
        sought.omitted.append(f"{name}: fitting values of more columns: {left}")
    return [evidence for _, evidence in ranked[:_COLUMNS_WITH_VALUES]]


def _of_values(column: Column, unit: SourceUnit) -> str:
    complete = column.values_complete or len(column.values) >= column.distinct
    rows = f"{unit.rows:,} row{'s'[: unit.rows != 1]}"
    if column.distinct == 1:
        return f"its only value; {rows}"
    which = "all" if complete else f"the {len(column.values):,} most frequent of"
    return f"{which} {column.distinct:,} values; {rows}"


def _rows(name: str, card: SourceCard, unit: SourceUnit, state: Path, sought: Sought) -> list[Evidence]:
    """Original rows that hold the rarest words of the question."""
    file = table_file(state, card, unit)
    columns = [column.name for column in unit.columns if _holds_words(column)]
    if not columns or not file.exists() or not _may_hold(unit, sought):
        return []
    try:
        names, rows = _candidates(file, columns, sought)
    except duckdb.Error as error:
        sought.omitted.append(f"{name}: its rows could not be searched ({str(error).splitlines()[0]})")
        return []
    places = [names.index(column) for column in columns if column in names]
    weighed = []
    for row in rows:
        cells = " ".join(str(row[place])[: _CELL * 5] for place in places if row[place] is not None)
        weighed.append((_weight(tokens(cells), sought.worth), row))
    best = sorted((one for one in weighed if one[0] > 0), key=lambda one: (-one[0], one[1][0]))[:_ROWS]
    if not best:
        return []
    shown = sorted((row for _, row in best), key=lambda row: row[0])
    position = f"row{'s'[: len(shown) > 1]} {', '.join(f'{row[0]:,}' for row in shown)}"
    quoted = tuple(_shown(names[1:], row[1:]) for row in shown)
    return [Evidence(name, position, quoted, _of_rows(name, unit, len(rows), sought))]


def _may_hold(unit: SourceUnit, sought: Sought) -> bool:
    """Return False if the complete values of all columns of words say that no row holds a word."""
    words = {token for token in sought.worth if not token.isdigit()}
    for column in unit.columns:
        if column.type in ("date", "datetime", "integer") and len(words) < len(sought.worth):
            return True
        if column.type in ("text", "json"):
            listed = column.values_complete or len(column.values) >= column.distinct
            if not listed or any(
                _weight(_words_of(v.value[:_CELL]), sought.worth) > 0 for v in column.values
            ):
                return True
    return False


def _of_rows(name: str, unit: SourceUnit, candidates: int, sought: Sought) -> str:
    if candidates >= _CANDIDATES:
        sought.omitted.append(f"{name}: more than {_CANDIDATES} rows hold words of the question")
    if unit.rows > MOST_ROWS_SEARCHED:
        return f"the first {MOST_ROWS_SEARCHED:,} of {unit.rows:,} rows"
    return f"all {unit.rows:,} rows"


def _candidates(
    file: Path, columns: Sequence[str], sought: Sought
) -> tuple[list[str], list[tuple[Any, ...]]]:
    terms = dict(_stems(sought))
    parameters = {"file": str(file), "columns": list(columns), "most": MOST_ROWS_SEARCHED}
    parameters |= {"terms": list(terms), "weights": list(terms.values()), "limit": _CANDIDATES}
    statement = sought.connection.execute(read("explore/find_rows"), parameters)
    names = [column[0] for column in statement.description or ()]
    return names, statement.fetchall()


def _stems(sought: Sought) -> Iterable[tuple[str, float]]:
    """Return what each word and its singular begin with: enough to find candidates."""
    for word in sought.words:
        one, many = sorted((singular(word), word), key=len)
        stem = one if many.startswith(one) else one[:-1]
        worth = max((sought.worth.get(token, 0.0) for token in tokens(word)), default=0.0)
        if worth > 0:
            yield stem, worth


def _holds_words(column: Column) -> bool:
    if column.type == "integer":
        return column.role in ("time", "identifier", "category")
    return column.type in ("text", "json", "date", "datetime")


def _first_rows(name: str, card: SourceCard, unit: SourceUnit, state: Path) -> list[Evidence]:
    file = table_file(state, card, unit)
    if not file.exists() or not unit.rows:
        return []
    with pq.ParquetFile(file) as source:
        batch = next(source.iter_batches(batch_size=_FIRST_ROWS), None)
    if batch is None:
        return []
    rows = tuple(_shown(list(row), list(row.values())) for row in batch.to_pylist())
    position = f"rows 1-{len(rows)}" if len(rows) > 1 else "row 1"
    which = f"the first of {unit.rows:,} rows" if unit.rows > 1 else "its only row"
    coverage = f"{which}; no row was found by words of the question"
    return [Evidence(name, position, rows, coverage)]


def _shown(names: Sequence[str], row: Sequence[object]) -> dict[str, str]:
    cells = [(name, cell) for name, cell in zip(names, row, strict=True) if cell is not None]
    return {name: _text(cell)[:_CELL] for name, cell in cells[:_CELLS]}


def _text(cell: object) -> str:
    """Write a cell as a card would: a day without a time of day has none."""
    if isinstance(cell, datetime):
        return cell.isoformat(sep=" ") if cell.time() != time() else cell.date().isoformat()
    return str(cell)


def _weight(found: Iterable[str], worth: Mapping[str, float]) -> float:
    return math.fsum(worth[token] for token in worth.keys() & set(found))


@lru_cache(maxsize=100_000)
def _words_of(value: str) -> frozenset[str]:
    return frozenset(tokens(value))


def sought_of(question: str, worth: Mapping[str, float]) -> Sought:
    """Prepare the search for evidence: what counts, and the words to look for in rows."""
    words = tuple(dict.fromkeys(word for word in split_words(question) if len(word) > 2 or word.isdigit()))
    return Sought(worth, words)
