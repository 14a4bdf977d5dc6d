"""Tables of Word documents: cells with their merges, the header, and the statements that read them again.

Where a table stands and what it is called is found out in `docx_document`.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field, replace
from typing import Any

from lakebook.sources.formats.documents.cell_grid import (
    Grid,
    GridReading,
    header_names,
    read_grid,
    rejected_rows,
)
from lakebook.sources.formats.documents.document_table import DocumentTable
from lakebook.sources.load_code import data_file

W = "{http://schemas.openxmlformats.org/wordprocessingml/2006/main}"
_BREAKS = frozenset({f"{W}tab", f"{W}br", f"{W}cr", f"{W}ptab"})
_APART = frozenset({f"{W}txbxContent", f"{W}tbl", f"{W}del", f"{W}moveFrom"})
_CELL = '" ".join(cell.text.split())'
# Text that python-docx passes over: insertions under review, and fields that a form holds.
_ALL_TEXT = (
    "def text(cell):\n"
    '    paragraphs = cell._tc.iter(qn("w:p"))\n'
    '    parts = ["".join(node.text or "" for node in part.iter(qn("w:t"))) for part in paragraphs]\n'
    '    return " ".join(" ".join(parts).split())\n'
)


@dataclass(frozen=True, slots=True)
class FoundTable:
    """A table of the document.

    Attributes:
        index: among the document's own tables; -1 if it stands inside a form field. order: among all.
        texts: what the table says, row by row. lead: rows of it that are header.
        plain: python-docx by itself gives the same texts.
        problem: why it was not extracted, "" if it was.
    """

    index: int
    order: int
    place: str
    title: str
    texts: tuple[tuple[str, ...], ...] = ()
    lead: int = 0
    grid: GridReading = field(default_factory=GridReading)
    marked: bool = False
    plain: bool = True
    notes: tuple[str, ...] = ()
    problem: str = ""


def text_of(element: Any) -> str:
    """Return the text below an element, without text boxes, deletions and tables inside it."""
    return "".join(_texts(element))


def _texts(element: Any) -> Iterator[str]:
    for child in element:
        if child.tag == f"{W}t":
            yield child.text or ""
        elif child.tag in _BREAKS:
            yield " "
        elif child.tag == f"{W}noBreakHyphen":
            yield "-"
        elif child.tag == f"{W}p":
            yield from (*_texts(child), "\n")
        elif child.tag not in _APART and child.tag != f"{W}pPr":
            yield from _texts(child)


def read_table(document: Any, element: Any, place: str, title: str) -> FoundTable:
    """Read a table of the document's body."""
    from docx.table import Table

    table = Table(element, document)
    own = [other._tbl for other in document.tables]
    everything = list(document.element.body.iter(f"{W}tbl"))
    found = FoundTable(own.index(element) if element in own else -1, everything.index(element), place, title)
    try:
        rows = [_row(row) for row in table.rows]
    except (ValueError, IndexError) as error:
        return replace(found, problem=f"its cells are damaged ({error})")
    numbers: dict[int, int] = {}
    texts: list[str] = []
    is_plain = True
    for row in rows:
        for cell in row:
            if cell is not None and id(cell._tc) not in numbers:
                numbers[id(cell._tc)] = len(texts)
                texts.append(" ".join(text_of(cell._tc).split()))
                is_plain = is_plain and texts[-1] == " ".join(cell.text.split())
    cells = [[-1 if cell is None else numbers[id(cell._tc)] for cell in row] for row in rows]
    said = tuple(tuple(dict.fromkeys(texts[cell] for cell in row if cell >= 0)) for row in cells)
    return _sorted_out(replace(found, texts=said, plain=is_plain), element, rows, cells, texts)


def _row(row: Any) -> list[Any]:
    """Return the cells of a row, None where it begins late or ends early."""
    return [None] * row.grid_cols_before + list(row.cells) + [None] * row.grid_cols_after


def _sorted_out(
    found: FoundTable, element: Any, rows: Sequence[Sequence[Any]], cells: list[list[int]], texts: list[str]
) -> FoundTable:
    width = max(map(len, cells), default=0)
    if len(cells) < 2 or width < 2:
        return replace(found, problem="it is a frame around text" if cells else "it is empty")
    nested = len(list(element.iter(f"{W}tbl"))) - 1
    if nested and not found.plain:
        return replace(found, problem="it holds other tables beside text under review")
    if any(len(row) != width or -1 in row for row in cells):
        return replace(found, problem="its rows have different numbers of cells")
    if not found.plain and any(text != _all_text(cell) for text, cell in _pairs(rows, cells, texts)):
        return replace(found, problem="it holds text under review that cannot be told apart")
    heads = [row for row in element.iter(f"{W}tr") if row.find(f"{W}trPr/{W}tblHeader") is not None]
    reading = read_grid(Grid(cells, texts), len(heads))
    notes = (f"{nested:,} tables inside its cells were left out",) if nested else ()
    marked = bool(heads) or (_is_bold(rows[reading.titles]) and not _is_bold(rows[reading.titles + 1]))
    lead = reading.titles + len(reading.header)
    return replace(found, lead=lead, grid=reading, marked=marked, notes=notes, problem=reading.problem)


def _pairs(
    rows: Sequence[Sequence[Any]], cells: Sequence[Sequence[int]], texts: Sequence[str]
) -> Iterator[tuple[str, Any]]:
    for row, numbers in zip(rows, cells, strict=True):
        for cell, number in zip(row, numbers, strict=True):
            yield texts[number], cell


def _all_text(cell: Any) -> str:
    """Return the text as the load code takes it where python-docx passes over some."""
    parts = ["".join(node.text or "" for node in part.iter(f"{W}t")) for part in cell._tc.iter(f"{W}p")]
    return " ".join(" ".join(parts).split())


def _is_bold(cells: Sequence[Any]) -> bool:
    runs = [run for cell in cells for part in cell.paragraphs for run in part.runs if run.text.strip()]
    return bool(runs) and all(run.bold for run in runs)


def document_table(table: FoundTable, relative: str) -> DocumentTable:
    """Return the table with the statements that read it again."""
    grid = table.grid
    names, warnings = header_names(grid, marked=table.marked)
    rows, numbers = list(grid.rows), [at + 1 for at in grid.numbers]
    taken = list(grid.numbers)
    if names is None:
        rows = [*grid.header, *rows]
        taken = [*range(grid.titles, grid.titles + len(grid.header)), *taken]
        numbers = [at + 1 for at in taken]
    if grid.merged:
        warnings.append("cells that are merged over several rows were repeated in each of them")
    return DocumentTable(
        width=len(rows[0]),
        names=names,
        rows=rows,
        numbers=numbers,
        noun="row",
        statements=_statements(table, relative, taken),
        title=table.title,
        place=table.place,
        rejected=rejected_rows(grid, "row "),
        skipped=tuple(f"row {at + 1:,}: {text or 'blank'}" for at, text in grid.skipped),
        warnings=(*warnings, *table.notes),
    )


def _statements(table: FoundTable, relative: str, taken: Sequence[int]) -> tuple[str, ...]:
    imports = ["import docx"]
    body = [f"document = docx.Document({data_file(relative)})"]
    if table.index >= 0:
        body.append(f"table = document.tables[{table.index}]")
    else:
        imports += ["from docx.oxml.ns import qn", "from docx.table import Table"]
        found = f'list(document.element.body.iter(qn("w:tbl")))[{table.order}]'
        body.append(f"table = Table({found}, document)")
    cell = _CELL
    if not table.plain:
        imports += [] if "from docx.oxml.ns import qn" in imports else ["from docx.oxml.ns import qn"]
        body.append(_ALL_TEXT)
        cell = "text(cell)"
    body.append(f"rows = [[{cell} for cell in row.cells] for row in table.rows]")
    if list(taken) == list(range(taken[0], taken[-1] + 1)):
        body.append(f"rows = rows[{taken[0]}:{taken[-1] + 1}]")
    else:
        other = sorted(set(range(taken[0], taken[-1] + 1)) - set(taken))
        listed = f"enumerate(rows[:{taken[-1] + 1}])"
        body.append(f"rows = [row for at, row in {listed} if at >= {taken[0]} and at not in {other}]")
    return (*imports, *body)
