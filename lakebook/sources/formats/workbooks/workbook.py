"""Workbooks (xlsx, xlsm, xlsb, xls, ods): every table of every sheet is a unit, prose on a sheet a text.

Which sheets there are, and how they are opened, is decided here. Where tables stand is found in
`sheet_layout`, their rows and columns are read in `sheet_table`.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from typing import Any

from python_calamine import (
    CalamineError,
    CalamineSheet,
    CalamineWorkbook,
    PasswordError,
    SheetMetadata,
    SheetTypeEnum,
    SheetVisibleEnum,
)

from lakebook.errors import SourceError
from lakebook.sources.formats.workbooks.grid import Box, Grid, grid
from lakebook.sources.formats.workbooks.layout import Block, find_blocks
from lakebook.sources.formats.workbooks.marks import Beside, mark_warnings, put_marks
from lakebook.sources.formats.workbooks.table import read_table
from lakebook.sources.formats.workbooks.words import is_lone_text
from lakebook.sources.peek import Peek
from lakebook.sources.reading import Budget, Part, Passage, Reading

# Cells from A1 to the last one; a sheet with a stray cell far out cannot be read, by pandas neither.
_MOST_CELLS = 60_000_000
_XML_2003 = b"urn:schemas-microsoft-com:office:spreadsheet"
_VISIBILITIES = ((SheetVisibleEnum.Hidden, "hidden"), (SheetVisibleEnum.VeryHidden, "very hidden"))
_SHEET_KINDS = (
    (SheetTypeEnum.ChartSheet, "chart sheets"),
    (SheetTypeEnum.DialogSheet, "dialog sheets"),
    (SheetTypeEnum.MacroSheet, "macro sheets"),
    (SheetTypeEnum.Vba, "modules"),
)


@dataclass(frozen=True, slots=True)
class _Table:
    grid: Grid
    block: Block


class Workbook:
    """Reads workbooks, one unit a table."""

    format = "workbook"

    def can_read(self, file: Peek) -> bool:
        """Return True for workbooks, encrypted ones too, so that they are refused by name."""
        if file.magic == "xml":
            return _XML_2003 in file.head[:4096]
        return file.magic in ("workbook", "encrypted workbook") and not file.compression

    def units(self, file: Peek) -> Iterator[Part]:
        """Return the tables one by one, sheet after sheet."""
        if file.magic == "encrypted workbook":
            raise _encrypted(file)
        if file.magic == "xml":
            raise SourceError(
                "a workbook in the XML of Excel 2003, which is not read.",
                where=file.relative,
                hint="Save it as .xlsx.",
            )
        with Beside(file) as beside, _open(file) as book:
            yield from _parts(file, book, beside)

    def profile(self, part: Part, budget: Budget) -> Reading:
        """Read one table."""
        if isinstance(part.content, Reading):
            return part.content
        table: _Table = part.content
        return read_table(table.grid, table.block, part.name, part.file.relative, budget)


def _encrypted(file: Peek) -> SourceError:
    return SourceError("the workbook is encrypted.", where=file.relative, hint="Save it without a password.")


def _open(file: Peek) -> CalamineWorkbook:
    try:
        return CalamineWorkbook.from_path(file.path)
    except PasswordError as error:
        raise _encrypted(file) from error
    except (CalamineError, OSError) as error:
        raise SourceError(f"the workbook cannot be opened ({error}).", where=file.relative) from error
    except BaseException as error:
        if type(error).__name__ != "PanicException":
            raise
        raise SourceError("the workbook is damaged: its reader gave up.", where=file.relative) from error


def _parts(file: Peek, book: CalamineWorkbook, beside: Beside) -> Iterator[Part]:
    sheets = [meta for meta in book.sheets_metadata if meta.typ == SheetTypeEnum.WorkSheet]
    empty = [meta.name for meta in sheets if _is_empty(book, beside, meta)]
    others = _others(book, empty)
    first = True
    for meta in sheets:
        if meta.name in empty:
            continue
        try:
            parts = _sheet_parts(file, book, beside, meta, others if first else ())
        except (CalamineError, SourceError) as error:
            reason = (
                error.message if isinstance(error, SourceError) else f"the sheet cannot be read ({error})"
            )
            parts = [Part(file, meta.name, Reading(unit=meta.name, problem=reason))]
        first = False
        yield from parts
    if first:
        text = "; ".join(f"{name}: {value}" for name, value in others)
        yield Part(file, content=Reading(warnings=(f"no sheet holds a value ({text})",), attributes=others))


def _others(book: CalamineWorkbook, empty: list[str]) -> tuple[tuple[str, str], ...]:
    """Name the sheets that hold no cells, so that none goes missing without a word."""
    found: dict[str, list[str]] = {}
    for meta in book.sheets_metadata:
        name = f"{meta.name} ({hidden})" if (hidden := _hidden(meta)) else meta.name
        kind = next((kind for value, kind in _SHEET_KINDS if meta.typ == value), "")
        if kind:
            found.setdefault(kind, []).append(name)
        elif meta.name in empty:
            found.setdefault("empty sheets", []).append(name)
    return tuple((kind, ", ".join(names)) for kind, names in found.items())


def _hidden(meta: SheetMetadata) -> str:
    return next((word for value, word in _VISIBILITIES if meta.visible == value), "")


def _is_empty(book: CalamineWorkbook, beside: Beside, meta: SheetMetadata) -> bool:
    known = beside.is_empty(meta.name)
    if known is not None:
        return known
    try:
        return book.get_sheet_by_name(meta.name).end is None
    except CalamineError:
        return False


def _sheet_parts(
    file: Peek,
    book: CalamineWorkbook,
    beside: Beside,
    meta: SheetMetadata,
    others: tuple[tuple[str, str], ...],
) -> list[Part]:
    found = _grid(book, beside, meta, others)
    blocks = find_blocks(found)
    if not blocks:
        note = ("every cell of the sheet is blank",)
        return [Part(file, meta.name, Reading(unit=meta.name, warnings=note, attributes=found.attributes))]
    parts = []
    for block in blocks:
        name = meta.name if len(blocks) == 1 else block.box.range(meta.name)
        content: Any = (
            _text(found, block, name) if is_lone_text(found, block.region) else _Table(found, block)
        )
        parts.append(Part(file, name, content))
    return parts


def _grid(
    book: CalamineWorkbook,
    beside: Beside,
    meta: SheetMetadata,
    others: tuple[tuple[str, str], ...],
) -> Grid:
    number = [other.name for other in book.sheets_metadata].index(meta.name)
    marks = beside.marks(meta.name, number)
    if marks is not None and marks.rows * marks.columns > _MOST_CELLS:
        _check_size(meta.name, *beside.extent(meta.name))
    sheet = book.get_sheet_by_name(meta.name)
    _check_size(meta.name, sheet.total_height, sheet.total_width)
    cells: list[list[Any]] = sheet.to_python(skip_empty_area=False)
    reach = (len(cells), max(map(len, cells), default=0))
    errors = put_marks(cells, marks) if marks is not None else frozenset[str]()
    hidden = _hidden(meta)
    return grid(
        meta.name,
        cells,
        [*_merges(sheet), *beside.merges(meta.name)],
        errors=errors,
        reach=reach,
        tables=beside.tables(meta.name),
        attributes=(*others, ("visibility", hidden)) if hidden else others,
        warnings=(*([f"the sheet is {hidden}"] if hidden else []), *mark_warnings(marks)),
        **({"formats": marks.formats} if marks else {}),
    )


def _check_size(sheet: str, rows: int, columns: int) -> None:
    if rows * columns > _MOST_CELLS:
        raise SourceError(
            f"the sheet reaches over {rows:,} rows and {columns:,} columns, too many to read.",
            where=sheet,
            hint="A cell far out holds something: clear it and save the workbook.",
        )


def _merges(sheet: CalamineSheet) -> list[Box]:
    ranges = sheet.merged_cell_ranges or []
    return [Box(top, left, bottom + 1, right + 1) for (top, left), (bottom, right) in ranges]


def _text(found: Grid, block: Block, name: str) -> Reading:
    """Read prose on a sheet as passages, one a cell."""
    box = block.region
    passages = tuple(
        Passage(f"row {row + 1:,}", "", found.words(row, box.left, box.right))
        for row in range(box.top, box.bottom)
        if found.filled(row, box.left, box.right)
    )
    return Reading(
        unit=name,
        kind="text",
        text_length=sum(len(passage.text) for passage in passages),
        passages=passages,
        place=box.range(found.name),
        attributes=found.attributes,
        warnings=found.warnings,
    )
