"""Load a table of a sheet: merged labels filled down, totals set aside, every row accounted for.

The load code that gives the same table in pandas is written here too.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

from lakebook.sources.formats.sheet_columns import cell_column
from lakebook.sources.formats.sheet_grid import Box, Grid, Unread, letters
from lakebook.sources.formats.sheet_header import header_names, is_repeated
from lakebook.sources.formats.sheet_layout import Block
from lakebook.sources.formats.sheet_totals import Totals, find_totals
from lakebook.sources.load_code import call, data_file, literal, literals
from lakebook.sources.reading import (
    Budget,
    RawColumn,
    RawTable,
    Reading,
    name_warnings,
    unique_names,
)

_SHOWN = 20
_LISTED_ROWS = 60


@dataclass(frozen=True, slots=True)
class _Body:
    """The rows of a table, by their index from the first row of data on.

    Attributes:
        kept: rows that are loaded. skipped: index -> why not, for rows that are neither blank nor loaded.
        fills: merged labels: (first, last exclusive, column index).
    """

    rows: list[list[Any]]
    kept: list[int]
    skipped: dict[int, str]
    fills: tuple[tuple[int, int, int], ...]
    totals: Totals
    left_out: str = ""


def read_table(grid: Grid, block: Block, unit: str, relative: str, budget: Budget) -> Reading:
    """Read one table of a sheet.

    Args:
        grid: the sheet.
        block: where the table stands in it.
        unit: name of the unit.
        relative: path of the workbook in the lake, for the load code.
        budget: how many rows may be loaded.
    """
    originals = header_names(grid, block.header, block.columns)
    names = unique_names(originals)
    body = _body(grid, block, budget)
    first = block.header.last

    def place(index: int) -> str:
        return f"row {first + body.kept[index] + 1:,}"

    columns = tuple(_column(grid, block, body, names[at], originals[at], at) for at in range(len(names)))
    remarks, blank = _set_aside(grid, block)
    blank += len(body.rows) - len(body.kept) - len(body.skipped)
    skipped = [*remarks, *(f"row {first + index + 1:,}: {why}" for index, why in body.skipped.items())]
    total_rows = tuple(
        f"row {first + index + 1:,}: {grid.words(first + index, block.box.left, block.box.right)[:100]}"
        f" ({why})"
        for index, why in body.totals.rows.items()
        if index in body.skipped
    )
    in_file = len(body.kept) + len(skipped) + blank
    notes = [f"beside the table at {where}: {text}" for where, text in block.beside]
    listed = [*skipped[:_SHOWN], *([f"{len(skipped) - _SHOWN:,} more"] if len(skipped) > _SHOWN else [])]
    return Reading(
        unit=unit,
        kind="table",
        table=RawTable(
            columns,
            rows=len(body.kept),
            opening=lambda _: (_statements(grid, block, body, names, originals, relative), True),
            place=place,
        ),
        place=block.box.range(grid.name),
        rows_in_file=in_file,
        rows_skipped=in_file - len(body.kept),
        skipped=(*listed, *([f"{blank:,} blank row{'s' if blank > 1 else ''}"] if blank else []), *notes),
        total_rows=total_rows,
        warnings=_warnings(grid, block, body, names, originals, has_remarks=bool(remarks or notes)),
        attributes=grid.attributes,
        left_out=body.left_out,
    )


# --- rows -----------------------------------------------------------------------------------------------


def _body(grid: Grid, block: Block, budget: Budget) -> _Body:
    first, end = block.header.last, block.end
    left, right = block.columns[0], block.columns[-1] + 1
    if len(block.columns) == right - left:
        rows = [row[left:right] for row in grid.cells[first:end]]
    else:
        rows = [[row[at] for at in block.columns] for row in grid.cells[first:end]]
    solid = [index for index, row in enumerate(rows) if any(value is not None for value in row)]
    fills = _fill_down(grid, block, rows)
    skipped: dict[int, str] = {}
    for index in solid:
        if is_repeated(grid, block.header, first + index, block.columns):
            skipped[index] = "repeats the header"
    candidates = [index for index in solid if index not in skipped]
    found = find_totals([rows[index] for index in candidates], declared=block.declared_totals)
    totals = Totals(
        {candidates[index]: why for index, why in found.rows.items()},
        {candidates[index]: label for index, label in found.doubtful.items()},
    )
    if len(totals.rows) < len(candidates):  # a table of nothing but totals is a table
        for index, why in totals.rows.items():
            skipped[index] = f"total row, {why}: {grid.words(first + index, left, right)[:160]}"
    else:
        totals = Totals({}, totals.doubtful)
    kept = [index for index in solid if index not in skipped]
    if budget.rows is None or len(kept) <= budget.rows:
        return _Body(rows, kept, skipped, fills, totals)
    left_out = f"{len(kept) - budget.rows:,} of {len(kept):,} rows were left out by the budget"
    last = kept[budget.rows - 1] + 1 if budget.rows else 0
    within = {index: why for index, why in skipped.items() if index < last}
    return _Body(rows[:last], kept[: budget.rows], within, fills, totals, left_out)


def _fill_down(grid: Grid, block: Block, rows: list[list[Any]]) -> tuple[tuple[int, int, int], ...]:
    """Fill labels merged over several rows into each of them: the merge says that they hold there."""
    first = block.header.last
    at_of = {column: index for index, column in enumerate(block.columns)}
    fills = []
    for box in grid.merges:
        if not _is_label(grid, box, block) or box.left not in at_of:
            continue
        start, end, at = box.top - first, min(box.bottom, block.end) - first, at_of[box.left]
        if any(rows[index][at] is not None for index in range(start + 1, end)):
            continue  # values below a merged range are hidden, but they are there
        for index in range(start + 1, end):
            rows[index][at] = rows[start][at]
        fills.append((start, end, at))
    return tuple(fills)


def _is_label(grid: Grid, box: Box, block: Block) -> bool:
    if box.bottom - box.top < 2 or box.top < block.header.last or box.top >= block.end:
        return False
    return grid.cells[box.top][box.left] is not None


def _set_aside(grid: Grid, block: Block) -> tuple[list[str], int]:
    """Return the words above and below the table, and the number of blank rows among them."""
    region = block.region
    remarks, blank = [], 0
    for row in (*range(region.top, block.header.first), *range(block.end, region.bottom)):
        text = grid.words(row, region.left, region.right)
        if text:
            remarks.append(f"row {row + 1:,}: {text[:200]}")
        else:
            blank += 1
    return remarks, blank


# --- columns --------------------------------------------------------------------------------------------


def _column(grid: Grid, block: Block, body: _Body, name: str, original: str, at: int) -> RawColumn:
    column = cell_column(name, original, [body.rows[index][at] for index in body.kept])
    shown = _format_warnings(grid, block, body, at)
    if not shown:
        return column
    return RawColumn(
        column.name,
        column.original_name,
        column.values,
        column.template,
        column.type,
        (*column.warnings, *shown),
    )


def _format_warnings(grid: Grid, block: Block, body: _Body, at: int) -> list[str]:
    """Say where the sheet shows something else than the value: 25 % for 0.25, 00123 for 123."""
    sheet_column, first = block.columns[at], block.header.last
    warnings = []
    percent = set(grid.formats.percent.get(sheet_column, ()))
    shown = [
        index
        for index in (body.kept if percent else ())
        if first + index in percent and isinstance(body.rows[index][at], (int, float))
    ]
    if shown:
        example = body.rows[shown[0]][at]
        scope = "" if len(shown) == len(body.kept) else f" in {len(shown):,} of {len(body.kept):,} rows"
        warnings.append(
            f"shown as percent{scope}; the values are fractions ({example:g} is {example:.4g} × 100 %)"
        )
    padded = grid.formats.padded.get(sheet_column, {})
    zeros = [
        index
        for index in (body.kept if padded else ())
        if isinstance(value := body.rows[index][at], int)
        and len(str(abs(value))) < padded.get(first + index, 0)
    ]
    if zeros:
        value, digits = body.rows[zeros[0]][at], padded[first + zeros[0]]
        warnings.append(
            f"shown with leading zeros in {len(zeros):,} rows (a number format): {value} is shown as"
            f" {value:0{digits}d}"
        )
    return warnings


def _warnings(
    grid: Grid,
    block: Block,
    body: _Body,
    names: Sequence[str],
    originals: Sequence[str],
    *,
    has_remarks: bool,
) -> tuple[str, ...]:
    warnings = [*name_warnings(names, originals), *grid.warnings, *block.warnings]
    if has_remarks or block.header.last - block.header.first > 1:
        warnings.append(f"the table was found at {block.box.range(grid.name)}")
    if block.header.last - block.header.first > 1:
        rows = f"{block.header.first + 1:,}-{block.header.last:,}"
        warnings.append(f"the header takes the rows {rows}; their names are joined by ' / '")
    if body.fills:
        cells = sum(end - start - 1 for start, end, _ in body.fills)
        columns = ", ".join(dict.fromkeys(names[at] for _, _, at in body.fills))
        warnings.append(f"{len(body.fills):,} merged cells were filled down into {cells:,} rows in {columns}")
    uncalculated = [
        names[at]
        for at in range(len(names))
        if any(
            isinstance(body.rows[index][at], Unread) and not body.rows[index][at].error for index in body.kept
        )
    ]
    if uncalculated:
        warnings.append(
            f"formulas without a stored value in {', '.join(uncalculated[:10])}: their cells are empty here;"
            " open the workbook in a spreadsheet program and save it"
        )
    first_of = {label: index for index, label in reversed(body.totals.doubtful.items())}
    for label, index in sorted(first_of.items(), key=lambda item: item[1])[:5]:
        warnings.append(
            f"row {block.header.last + index + 1:,} is called {label!r}, but its numbers are no sums of other"
            " rows: it was loaded as data"
        )
    return tuple(warnings)


# --- load code ------------------------------------------------------------------------------------------


def _statements(
    grid: Grid, block: Block, body: _Body, names: Sequence[str], originals: Sequence[str], relative: str
) -> list[str]:
    fills: dict[int, list[tuple[int, int]]] = {}
    for start, end, at in body.fills:
        fills.setdefault(at, []).append((start, end))
    by_range = {at: ranges for at, ranges in fills.items() if not _is_plain_fill(body, at, ranges)}
    dropping = _dropping(body, by_number=bool(by_range))
    return [
        *_reading(grid, block, body, names, originals, relative),
        *(
            f"for start, end in {ranges}:\n    df.iloc[start:end, {at}] = df.iat[start, {at}]"
            for at, ranges in by_range.items()
        ),
        *([f"df = df{dropping}.reset_index(drop=True)"] if dropping else []),
        *(
            f"df[{literal(names[at])}] = df[{literal(names[at])}].ffill()"
            for at in fills
            if at not in by_range
        ),
        "df = df.infer_objects()",
    ]


def _reading(
    grid: Grid, block: Block, body: _Body, names: Sequence[str], originals: Sequence[str], relative: str
) -> list[str]:
    """Write the reading of the cells; what only the marks know is put beside them as missing."""
    rows, columns = grid.reach
    within = [at for at in block.columns if at < columns]
    is_plain = len(within) == len(names) and _is_plain_header(grid, block, names, originals)
    start, end = block.header.last, block.header.last + len(body.rows)
    if not within or (start >= rows and body.rows) or (start >= end and not is_plain):
        return [f"df = pd.DataFrame(index=range({end - start}), columns={literals(names)}, dtype=object)"]
    arguments = [data_file(relative), f"sheet_name={literal(grid.name)}", 'engine="calamine"']
    skip = block.header.first if is_plain else start
    if skip:
        arguments.append(f"skiprows={skip}")
    if not is_plain:
        arguments += ["header=None", f"names={literals(names[: len(within)])}"]
    arguments.append(f'usecols="{_used(within)}"')
    if end < rows:
        arguments.append(f"nrows={end - start}")
    arguments += ["dtype=object", "keep_default_na=False", f"na_values={literals(['', *grid.blanks])}"]
    statements = ["df = " + call("pd.read_excel", arguments)]
    if end > rows or len(within) < len(names):
        statements.append(f"df = df.reindex(index=range({end - start}), columns={literals(names)})")
    return statements


def _is_plain_header(grid: Grid, block: Block, names: Sequence[str], originals: Sequence[str]) -> bool:
    """A single row of different texts: pandas takes the same names from it by itself."""
    if block.header.last - block.header.first != 1 or list(names) != list(originals):
        return False
    row = grid.cells[block.header.first]
    texts = [
        "" if value is None else str(value) for value in row
    ]  # pandas counts repetitions in the whole row
    return all(isinstance(row[at], str) and texts.count(texts[at]) == 1 for at in block.columns)


def _used(columns: Sequence[int]) -> str:
    """Write columns as a spreadsheet does: "A:C,E"."""
    parts: list[list[int]] = []
    for at in columns:
        if parts and parts[-1][-1] == at - 1:
            parts[-1].append(at)
        else:
            parts.append([at])
    return ",".join(f"{letters(part[0])}:{letters(part[-1])}" for part in parts)


def _is_plain_fill(body: _Body, at: int, ranges: Sequence[tuple[int, int]]) -> bool:
    """Filling all blank cells of the loaded rows from above gives the same as filling the merged ranges."""
    covered = {index for start, end in ranges for index in range(start + 1, end)}
    last = None
    for index in body.kept:
        value = body.rows[index][at]
        if index not in covered and value is not None and not isinstance(value, Unread):
            last = value
        elif value is not last:
            return False
    return True


def _dropping(body: _Body, *, by_number: bool) -> str:
    """Write the dropping of rows: blank ones as such where that is safe, others by their number."""
    kept, total = set(body.kept), len(body.rows)
    if len(kept) == total:
        return ""
    void = {
        index
        for index, row in enumerate(body.rows)
        if all(value is None or isinstance(value, Unread) for value in row)
    }
    dropped = [index for index in range(total) if index not in kept]
    if void & kept or by_number:
        return f".drop(index={dropped})"
    named = [index for index in dropped if index not in void]
    return (f".drop(index={named})" if named else "") + ('.dropna(how="all")' if void else "")
