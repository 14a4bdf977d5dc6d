"""Values in the results of records, by path: what `average` or `rows[0].average` stands for.

What belongs here: finding a value. How references are written in a text is for `references`.
"""

from __future__ import annotations

import math
import re
from collections.abc import Iterator, Sequence
from dataclasses import dataclass

from lakebook.errors import LakebookError
from lakebook.operators.record import ExecutionRecord
from lakebook.sandbox.base import Json

NAMES_SHOWN = 10

_HOLDERS = ("facts", "tables")
_INDEX = re.compile(r"\s*\[\s*(-?\d+)\s*\]")
_NAME_AND_REST = re.compile(r"(.*?)((?:\[\s*-?\d+\s*\]).*)?", re.DOTALL)
_OWN_WORDS = ("row", "rows", "row_count", "value")
_ROWS = re.compile(r"rows?\s*(?=\[|$)", re.IGNORECASE)
_QUOTED = re.compile(r"\[\s*[\"']([^\"'\]]+)[\"']\s*\]|[\"']([^\"']+)[\"']")


class UnknownReference(LakebookError):
    """A reference that stands for nothing; the hint says what there is.

    The message holds nothing of a result, not even a name in it: one that code made may be a value.
    """


@dataclass(frozen=True, slots=True)
class Grid:
    """A result with columns and rows; `whole` is False if the record shows only the first ones."""

    columns: tuple[str, ...]
    rows: tuple[tuple[Json, ...], ...]
    count: int
    whole: bool

    def has(self, name: str) -> bool:
        """Return True if a column has that name, letter case aside."""
        return name.lower() in (column.lower() for column in self.columns)


def grid_of(result: Json) -> Grid | None:
    """Return a result as a grid; None if it is not one."""
    if not isinstance(result, dict):
        return None
    columns, rows = result.get("columns"), result.get("rows")
    if not isinstance(columns, list) or not isinstance(rows, list):
        return None
    cells = tuple(tuple(row) for row in rows if isinstance(row, list))
    count = result.get("row_count")
    count = count if isinstance(count, int) else len(cells)
    return Grid(tuple(map(str, columns)), cells, count, not result.get("more") and count == len(cells))


def look_up(record: ExecutionRecord, path: str) -> Json:
    """Return what a path stands for in the result of a record.

    A result of one cell is that cell; a column of a result with one row is its value, of several rows the
    list of them.

    Raises:
        UnknownReference: the record has no result, or nothing is at that path.
    """
    if record.result is None:
        why = "was rejected" if record.verdict == "reject" else f"failed ({record.error or 'no result'})"
        raise UnknownReference(
            f"{record.id} {why}, so that it has no value.", hint="Refer to another record."
        )
    return _inside(record.id, record.result, path)


def _inside(name: str, value: Json, path: str) -> Json:
    """Follow a path through objects, lists and grids."""
    rest = path.strip().lstrip(".").strip()
    grid = grid_of(value)
    if grid is not None:
        return _in_grid(name, grid, rest)
    if not rest or (rest.lower() == "value" and not isinstance(value, dict)):
        return _only(value)
    if isinstance(value, list):
        index, after = _index(name, rest, len(value))
        return _inside(name, value[index], after)
    if isinstance(value, dict):
        key, after = _name(rest, list(value))
        if key is not None:
            return _inside(name, value[key], after)
        for holder in _HOLDERS:  # what code gave, by kind
            inner = value.get(holder)
            if isinstance(inner, dict) and _name(rest, list(inner))[0] is not None:
                return _inside(name, inner, rest)
        if rest.lower() == "value" and len(value) == 1:
            return next(iter(value.values()))
        raise UnknownReference(f"{name} has nothing called {rest!r}.", hint=f"It has: {named(list(value))}.")
    raise UnknownReference(
        f"{name} has nothing at {rest!r}: it is a single value.", hint="Refer to it whole."
    )


def _only(value: Json) -> Json:
    """Return the one thing that code gave, where it is referred to by its record alone."""
    if isinstance(value, dict) and any(holder in value for holder in _HOLDERS):
        given = [inner for holder in _HOLDERS if isinstance(inner := value.get(holder), dict)]
        every = [item for inner in given for item in inner.values()]
        return every[0] if len(every) == 1 else value
    return value


def _in_grid(name: str, grid: Grid, rest: str) -> Json:
    column, after = _name(rest, grid.columns) if rest else (None, "")
    if column is None and rest:
        column, after = _alike(rest, grid.columns)
    if column is not None:
        return _in_column(name, grid, column, after)
    if not rest or rest.lower() == "value":
        return _bare(name, grid, needs_one=bool(rest))
    if rest.lower() == "row_count":
        return grid.count
    match = _ROWS.match(rest) or re.match(r"(?=\[)", rest)
    if match is None:
        raise UnknownReference(
            f"{name} has no column {rest!r}: leave it out of the sentence, or give it in the SELECT with AS.",
            hint=f"It has: {named(grid.columns)}.",
        )
    rows: list[Json] = [dict(zip(grid.columns, row, strict=False)) for row in grid.rows]
    after = rest[match.end() :]
    if not after:
        return _whole(name, grid, rows)
    index, after = _index(name, after, len(rows))
    place = _INDEX.fullmatch(after)
    if place:
        cells = grid.rows[index]
        return cells[_index(name, after, len(cells))[0]]
    return _inside(name, rows[index], after)


def _alike(rest: str, columns: Sequence[str]) -> tuple[str | None, str]:
    """Return the only column that a name which no column has can mean, and what follows the name.

    Models call `avg("Price")` avg(price), or price. One that is spelled alike is taken; else the only one
    that holds the name; else, of a result with one column, that column, if the two share a word.
    """
    match = _NAME_AND_REST.fullmatch(rest)
    said, after = (match.group(1).strip(), match.group(2) or "") if match else (rest, "")
    if said.lower() in _OWN_WORDS or not said:
        return None, ""
    folded = _folded(said)
    for fits in (
        [one for one in columns if _folded(one) == folded],
        [one for one in columns if folded and folded in _folded(one)],
        [one for one in columns if len(columns) == 1 and _words(one) & _words(said)],
    ):
        if len(fits) == 1:
            return fits[0], after
    return None, ""


def _folded(name: str) -> str:
    return re.sub(r"[\W_]+", "", name).casefold()


def _words(name: str) -> set[str]:
    return set(re.findall(r"[^\W_]+", name.casefold()))


def _bare(name: str, grid: Grid, *, needs_one: bool) -> Json:
    """Return a grid referred to by its record alone: its cell, its column, or all of it."""
    if len(grid.rows) == len(grid.columns) == 1:
        return grid.rows[0][0]
    if len(grid.columns) == 1 and not needs_one:
        return _whole(name, grid, [row[0] for row in grid.rows])
    if needs_one:
        has = f"{len(grid.rows)} rows and the columns {named(grid.columns)}"
        raise UnknownReference(
            f"{name} is no single value: it has {has}.", hint="Name a column, or a row too."
        )
    return {"columns": list(grid.columns), "rows": _whole(name, grid, [list(row) for row in grid.rows])}


def _in_column(name: str, grid: Grid, column: str, after: str) -> Json:
    values = [row[grid.columns.index(column)] for row in grid.rows]
    if after:
        index, after = _index(name, after, len(values))
        return _inside(name, values[index], after) if after else values[index]
    if not values:
        raise UnknownReference(f"{name} has no rows, and so no value.", hint="See why it is empty.")
    return values[0] if len(values) == 1 else _whole(name, grid, values)


def _whole(name: str, grid: Grid, values: list[Json]) -> list[Json]:
    """Return values for all rows; a record that shows only the first ones cannot stand for all."""
    if not grid.whole:
        raise UnknownReference(
            f"{name} has more rows than its record shows, so that it cannot be given whole.",
            hint="Aggregate, or take the first ones in order.",
        )
    return values


def _index(name: str, rest: str, length: int) -> tuple[int, str]:
    match = _INDEX.match(rest)
    if match is None:
        raise UnknownReference(f"{name} holds several values.", hint="Write which one: [0] is the first.")
    index = int(match.group(1))
    if not -length <= index < length:
        raise UnknownReference(f"{name} has {length} rows, and none at [{index}].", hint="[0] is the first.")
    return index, rest[match.end() :]


def _name(rest: str, names: Sequence[str]) -> tuple[str | None, str]:
    """Return the longest name that a path begins with, letter case aside, and what follows it."""
    quoted = _QUOTED.match(rest)
    said = (quoted.group(1) or quoted.group(2)) if quoted else rest
    for name in sorted(names, key=len, reverse=True):
        if quoted and name.lower() == said.lower():
            return name, rest[quoted.end() :]
        after = said[len(name) :].strip()
        if not quoted and said.lower().startswith(name.lower()) and after[:1] in ("", ".", "["):
            return name, after
    return None, ""


def named(names: Sequence[str]) -> str:
    """Name some of many names."""
    more = f" and {len(names) - NAMES_SHOWN} more" if len(names) > NAMES_SHOWN else ""
    return ", ".join(map(str, names[:NAMES_SHOWN])) + more


def numbers(value: Json, path: str = "") -> Iterator[tuple[str, int | float]]:
    """Yield every number of a result with its path."""
    grid = grid_of(value)
    if isinstance(value, bool):
        return
    if isinstance(value, int | float):
        if math.isfinite(value):
            yield path, value
    elif grid is not None:
        for index, row in enumerate(grid.rows):
            for place, cell in enumerate(row):
                yield from numbers(cell, f"{path}.rows[{index}][{place}]")
    elif isinstance(value, dict):
        for key, item in value.items():
            yield from numbers(item, f"{path}.{key}")
    elif isinstance(value, list):
        for index, item in enumerate(value):
            yield from numbers(item, f"{path}[{index}]")
