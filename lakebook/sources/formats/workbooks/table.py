"""Turn a table of a sheet into a reading: columns typed, every row accounted for, warnings said."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace

from lakebook.sources.formats.workbooks.body import Body, read_body
from lakebook.sources.formats.workbooks.columns import cell_column
from lakebook.sources.formats.workbooks.grid import Grid, Unread
from lakebook.sources.formats.workbooks.header import header_names
from lakebook.sources.formats.workbooks.layout import Block
from lakebook.sources.formats.workbooks.load_code import statements
from lakebook.sources.reading import (
    Budget,
    RawColumn,
    RawTable,
    Reading,
    name_warnings,
    unique_names,
)

_SHOWN = 20


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
    body = read_body(grid, block, budget)
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
            opening=lambda _: (statements(grid, block, body, names, originals, relative), True),
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


def _column(grid: Grid, block: Block, body: Body, name: str, original: str, at: int) -> RawColumn:
    column = cell_column(name, original, [body.rows[index][at] for index in body.kept])
    shown = _format_warnings(grid, block, body, at)
    return replace(column, warnings=(*column.warnings, *shown)) if shown else column


def _format_warnings(grid: Grid, block: Block, body: Body, at: int) -> list[str]:
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
    body: Body,
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
