"""Workbooks (xlsx, xlsb, xls, ods): every sheet that is not empty is a unit, title rows and footers aside."""

from __future__ import annotations

import datetime as dt
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from typing import Any

from python_calamine import CalamineError, CalamineSheet, CalamineWorkbook, SheetTypeEnum, SheetVisibleEnum

from lakebook.errors import SourceError
from lakebook.sources.load_code import call, data_file, literal, literals
from lakebook.sources.objects import object_column
from lakebook.sources.peek import Peek
from lakebook.sources.reading import Budget, Part, RawTable, Reading, name_warnings, unique_names


class Workbook:
    """Reads workbooks, one unit a sheet."""

    format = "workbook"

    def can_read(self, file: Peek) -> bool:
        """Return True for workbooks, encrypted ones too, so that they are refused by name."""
        return file.magic in ("workbook", "encrypted workbook") and not file.compression

    def units(self, file: Peek) -> Iterator[Part]:
        """Return the sheets one by one."""
        if file.magic == "encrypted workbook":
            raise SourceError(
                "the workbook is encrypted.", where=file.relative, hint="Save it without a password."
            )
        try:
            book = CalamineWorkbook.from_path(file.path)
        except (CalamineError, OSError) as error:
            raise SourceError(f"the workbook cannot be opened ({error}).", where=file.relative) from error
        with book:
            empty: list[str] = []
            found = False
            for meta in book.sheets_metadata:
                if meta.typ != SheetTypeEnum.WorkSheet:
                    continue
                try:
                    rows = _cells(book.get_sheet_by_name(meta.name))
                except CalamineError as error:
                    problem = Reading(unit=meta.name, problem=f"the sheet cannot be read ({error})")
                    yield Part(file, meta.name, problem)
                    continue
                layout = _layout(rows)
                if layout is None:
                    empty.append(meta.name)
                    continue
                found = True
                hidden = meta.visible != SheetVisibleEnum.Visible
                yield Part(file, meta.name, (rows, layout, hidden))
            if not found and empty:
                yield Part(file, content=Reading(warnings=(f"no sheet holds a value: {', '.join(empty)}",)))

    def profile(self, part: Part, budget: Budget) -> Reading:
        """Read one sheet."""
        if isinstance(part.content, Reading):
            return part.content
        rows, layout, hidden = part.content
        return _sheet(part.file, part.name, rows, layout, hidden)


def _cells(sheet: CalamineSheet) -> list[list[Any]]:
    """Return all cells from A1 on, as pandas sees them: whole floats as int, dates as datetimes."""
    return [[_cell(value) for value in row] for row in sheet.to_python(skip_empty_area=False)]


def _cell(value: Any) -> Any:
    if isinstance(value, float):
        return int(value) if value.is_integer() and abs(value) < 2**63 else value
    if isinstance(value, dt.date) and not isinstance(value, dt.datetime):
        return dt.datetime.combine(value, dt.time())
    return None if value == "" else value


@dataclass(frozen=True, slots=True)
class _Layout:
    """Where the table stands in a sheet: header row (-1 = none), first data row, end, columns used."""

    header: int
    start: int
    end: int
    left: int
    right: int

    def range(self, sheet: str) -> str:
        top = self.start if self.header < 0 else self.header
        return f"{sheet}!{_letters(self.left)}{top + 1}:{_letters(self.right - 1)}{self.end}"


def _layout(rows: Sequence[Sequence[Any]]) -> _Layout | None:
    filled = [[index for index, value in enumerate(row) if value is not None] for row in rows]
    widest = max(map(len, filled), default=0)
    if not widest:
        return None
    header = next(
        index for index, cells in enumerate(filled) if len(cells) >= max(1, min(2, widest), 0.5 * widest)
    )
    end = len(rows)
    while end > header + 1 and _is_remark(rows[end - 1], filled[end - 1], widest):
        end -= 1
    used = {index for cells in filled[header:end] for index in cells}
    has_header = any(isinstance(value, str) for value in rows[header])
    start = header + 1 if has_header else header
    return _Layout(header if has_header else -1, start, end, min(used), max(used) + 1)


def _is_remark(row: Sequence[Any], filled: Sequence[int], width: int) -> bool:
    """A footnote fills one cell or so with words; blank rows between it and the table go with it."""
    if not filled:
        return True
    cells = [row[index] for index in filled]
    return (
        width >= 3
        and len(filled) <= width // 3
        and all(isinstance(cell, str) and " " in cell for cell in cells)
    )


def _sheet(file: Peek, name: str, rows: Sequence[Sequence[Any]], layout: _Layout, hidden: bool) -> Reading:
    width = layout.right - layout.left
    if layout.header >= 0:
        header = rows[layout.header][layout.left : layout.right]
        originals = tuple("" if value is None else str(value) for value in header)
        is_clean = all(isinstance(value, str) for value in header) and unique_names(originals) == originals
    else:
        originals, is_clean = tuple(f"column_{n}" for n in range(1, width + 1)), False
    names = unique_names(originals)
    inside = [row[layout.left : layout.right] for row in rows[layout.start : layout.end]]
    kept = [(index, row) for index, row in enumerate(inside) if any(value is not None for value in row)]
    columns = tuple(
        object_column(names[at], originals[at], [row[at] for _, row in kept]) for at in range(width)
    )
    set_aside = [*range(max(layout.header, 0)), *range(layout.end, len(rows))]
    remarks = [
        f"row {index + 1}: {' '.join(str(value) for value in rows[index] if value is not None)[:200]}"
        for index in set_aside
        if any(value is not None for value in rows[index])
    ]
    blank = (
        len(inside) - len(kept) + sum(1 for index in set_aside if not any(v is not None for v in rows[index]))
    )
    warnings = [*name_warnings(names, originals)]
    warnings += ["the sheet is hidden"] if hidden else []
    warnings += [f"the table was found at {layout.range(name)}"] if remarks else []
    return Reading(
        unit=name,
        kind="table",
        table=RawTable(
            columns,
            rows=len(kept),
            opening=lambda _: (_statements(file, name, layout, names, is_clean, len(rows)), True),
            place=lambda index: f"row {layout.start + kept[index][0] + 1:,}",
        ),
        rows_in_file=len(rows) - (1 if layout.header >= 0 else 0),
        rows_skipped=len(rows) - (1 if layout.header >= 0 else 0) - len(kept),
        skipped=(*remarks[:20], *([f"{blank:,} blank rows"] if blank else [])),
        warnings=tuple(warnings),
    )


def _statements(
    file: Peek, sheet: str, layout: _Layout, names: Sequence[str], is_clean: bool, total: int
) -> list[str]:
    arguments = [data_file(file.relative), f"sheet_name={literal(sheet)}", 'engine="calamine"']
    skip = layout.header if is_clean else layout.start
    if skip:
        arguments.append(f"skiprows={skip}")
    if not is_clean:
        arguments += ["header=None", f"names={literals(names)}"]
    arguments.append(f'usecols="{_letters(layout.left)}:{_letters(layout.right - 1)}"')
    if layout.end < total:
        arguments.append(f"skipfooter={total - layout.end}")
    arguments += ["dtype=object", "keep_default_na=False", 'na_values=[""]']
    return [
        "df = " + call("pd.read_excel", arguments),
        'df = df.dropna(how="all").reset_index(drop=True).infer_objects()',
    ]


def _letters(index: int) -> str:
    """Return a column's letters: 0 is A, 26 is AA."""
    letters = ""
    index += 1
    while index:
        index, rest = divmod(index - 1, 26)
        letters = chr(65 + rest) + letters
    return letters
