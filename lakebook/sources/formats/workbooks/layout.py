"""Find where the tables of a sheet stand, and which rows and cells beside them are words.

A sheet is cut top down, and only where there is evidence for two tables:

- At blank rows, if what follows begins with a header of its own (text over numbers or dates), or has other
  columns than what stands above. Rows of the same columns without a header go on with the table above.
- At blank columns, if what stands to the right begins in another row, repeats the names on the left, or
  has labels of its own and ends in another row. Columns of the same rows stay one table, a blank column
  between them is dropped.

Words alone (titles above, notes below or beside) are set aside with their text, never loaded as data.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass, field, replace

import numpy as np
import numpy.typing as npt

from lakebook.sources.formats.workbooks.grid import Box, Grid, class_of, kind, letters
from lakebook.sources.formats.workbooks.header import Header, find_header, header_names
from lakebook.sources.formats.workbooks.words import end_of_data, is_note, is_words


@dataclass(frozen=True, slots=True)
class Block:
    """A table in a sheet.

    Attributes:
        region: the table with the rows of words above and below it.
        header: its header rows. end: the row after its last one. columns: those that hold something.
        beside: words to the right of it: (range, text).
        declared_totals: rows at the end that the workbook declares as totals.
    """

    region: Box
    header: Header
    end: int
    columns: tuple[int, ...]
    beside: tuple[tuple[str, str], ...] = ()
    gaps: tuple[int, ...] = ()
    declared_totals: int = 0
    warnings: tuple[str, ...] = field(default=())

    @property
    def box(self) -> Box:
        """The table from its header to its last row."""
        return Box(self.header.first, self.columns[0], self.end, self.columns[-1] + 1)


def find_blocks(grid: Grid) -> list[Block]:
    """Return the tables of a sheet, from top to bottom and left to right."""
    declared = [table.box for table in grid.tables if _stands_alone(grid, table.box)]
    if not declared:
        whole = _trim(grid.full, Box(0, 0, len(grid.cells), grid.width))
        return _ordered(_split(grid, whole)) if whole else []
    blocks = [_declared(grid, table.box) for table in grid.tables if table.box in declared]
    rest = _without(grid, declared)
    whole = _trim(rest.full, Box(0, 0, len(grid.cells), grid.width))
    for block in _split(rest, whole) if whole else ():
        if block.header.sure:
            blocks.append(replace(block, region=block.box))
        else:
            blocks = _give_words(rest, blocks, block.region)
    return _ordered(blocks)


def _ordered(blocks: Iterable[Block]) -> list[Block]:
    return sorted(blocks, key=lambda block: (block.region.top, block.box.left))


# --- tables that the workbook declares ----------------------------------------------------------------------


def _stands_alone(grid: Grid, box: Box) -> bool:
    """A declared range is a table by itself unless filled cells touch its sides."""
    if box.bottom > len(grid.cells) or box.right > grid.width or box.bottom - box.top < 2:
        return False
    sides = [at for at in (box.left - 1, box.right) if 0 <= at < grid.width]
    touching = any(grid.full[box.top : box.bottom, at].any() for at in sides)
    return not touching and bool(grid.full[box.top : box.bottom, box.left : box.right].any())


def _without(grid: Grid, boxes: Sequence[Box]) -> Grid:
    """Return the sheet with these boxes blank."""
    full, held, cells = grid.full.copy(), grid.held.copy(), list(grid.cells)
    for box in boxes:
        full[box.top : box.bottom, box.left : box.right] = False
        held[box.top : box.bottom, box.left : box.right] = False
        for row in range(box.top, box.bottom):
            blank = [None] * (box.right - box.left)
            cells[row] = [*cells[row][: box.left], *blank, *cells[row][box.right :]]
    return replace(grid, full=full, held=held, cells=cells)


def _declared(grid: Grid, box: Box) -> Block:
    table = next(table for table in grid.tables if table.box == box)
    header = Header(box.top, box.top + table.header_rows, sure=True)
    columns = tuple(range(box.left, box.right))
    end = box.bottom
    while end > header.last + 1 and not grid.full[end - 1, box.left : box.right].any():
        end -= 1
    return Block(replace(box, bottom=end), header, end, columns, declared_totals=table.total_rows)


def _give_words(grid: Grid, blocks: list[Block], words: Box) -> list[Block]:
    """Hand words to the table that is nearest to them."""
    nearest = min(blocks, key=lambda block: abs(block.region.top - words.bottom))
    note = (words.range(grid.name), _text(grid, words))
    return [replace(block, beside=(*block.beside, note)) if block is nearest else block for block in blocks]


# --- cutting ------------------------------------------------------------------------------------------------


def _trim(full: npt.NDArray[np.bool_], box: Box) -> Box | None:
    inside = full[box.top : box.bottom, box.left : box.right]
    rows, columns = np.flatnonzero(inside.any(axis=1)), np.flatnonzero(inside.any(axis=0))
    if not len(rows):
        return None
    return Box(
        box.top + int(rows[0]),
        box.left + int(columns[0]),
        box.top + int(rows[-1]) + 1,
        box.left + int(columns[-1]) + 1,
    )


def _any(filled: npt.NDArray[np.bool_], axis: int) -> npt.NDArray[np.bool_]:
    return np.asarray(filled.any(axis=axis), dtype=bool)


def _runs(filled: npt.NDArray[np.bool_], offset: int) -> list[tuple[int, int]]:
    """Return the stretches of True as (start, end)."""
    edges = np.flatnonzero(np.diff(np.concatenate(([False], filled, [False])).astype(np.int8)))
    return [(offset + int(start), offset + int(end)) for start, end in edges.reshape(-1, 2)]


def _split(grid: Grid, box: Box) -> Iterator[Block]:
    bands = _cut_rows(grid, box)
    if len(bands) > 1:
        for band in bands:
            yield from _split(grid, band)
        return
    pieces, beside = _cut_columns(grid, box)
    if len(pieces) > 1:
        for piece in pieces:
            notes = [note for note in beside if note.left >= piece.left and note.left < _next(pieces, piece)]
            for block in _split(grid, piece):
                yield _with_notes(grid, block, notes)
                notes = []
        return
    inner = pieces[0]
    yield _with_notes(grid, _leaf(grid, inner), beside)


def _next(pieces: Sequence[Box], piece: Box) -> int:
    later = [other.left for other in pieces if other.left > piece.left]
    return min(later, default=1 << 30)


def _with_notes(grid: Grid, block: Block, notes: Sequence[Box]) -> Block:
    texts = tuple((note.range(grid.name), _text(grid, note)) for note in notes)
    return replace(block, beside=(*block.beside, *texts))


def _text(grid: Grid, box: Box) -> str:
    rows = (grid.words(row, box.left, box.right) for row in range(box.top, box.bottom))
    return " ".join(text for text in rows if text)[:200]


def _cut_rows(grid: Grid, box: Box) -> list[Box]:
    """Cut at blank rows into bands that each hold one table (or tables side by side) with its words."""
    runs = _runs(_any(grid.held[box.top : box.bottom, box.left : box.right], 1), box.top)
    bands: list[list[Box]] = [[]]
    for start, end in runs:
        segment = replace(box, top=start, bottom=end)
        body = [part for part in bands[-1] if not is_words(grid, part)]
        if body and not is_words(grid, segment) and _begins_anew(grid, body, segment):
            bands.append([*_titles(grid, bands[-1]), segment])
        else:
            bands[-1].append(segment)
    cut = [replace(box, top=band[0].top, bottom=band[-1].bottom) for band in bands if band]
    trimmed = [inner for band in cut if (inner := _trim(grid.full, band))]
    return trimmed if len(trimmed) > 1 else [box]


def _titles(grid: Grid, band: list[Box]) -> list[Box]:
    """Take the words at the end of a band that are the title of what comes next."""
    taken: list[Box] = []
    while len(band) > 1 and is_words(grid, band[-1]) and not is_note(_text(grid, band[-1])):
        taken.insert(0, band.pop())
    return taken


def _begins_anew(grid: Grid, body: Sequence[Box], segment: Box) -> bool:
    """Does the segment after a blank row start another table than the one above?"""
    above = _trim(grid.full, replace(body[0], bottom=body[-1].bottom))
    inner = _trim(grid.full, segment)
    if above is None or inner is None:
        return False
    header = find_header(grid, inner)
    is_header_alone = above.bottom - above.top == find_header(grid, above).last - above.top
    if is_header_alone and len(body) == 1 and inner.left >= above.left and inner.right <= above.right:
        return header.sure and not _same_columns(grid, above, inner)
    if header.sure and inner.right - inner.left > 1:
        return True
    if inner.left >= above.right or inner.right <= above.left:
        return True
    return not _same_columns(grid, above, inner)


def _same_columns(grid: Grid, above: Box, inner: Box) -> bool:
    """Rows without a header go on with the table above if they keep to its columns and to their kinds."""
    common = min(inner.right, above.right) - max(inner.left, above.left)
    if inner.left < above.left or 2 * common < inner.right - inner.left:
        return False
    start = find_header(grid, above).last
    differ = checked = 0
    for at in range(inner.left, min(inner.right, above.right)):
        one = class_of(grid.cells[row][at] for row in range(start, min(above.bottom, start + 60)))
        other = class_of(grid.cells[row][at] for row in range(inner.top, min(inner.bottom, inner.top + 60)))
        if one and other:
            checked += 1
            differ += one != other
    return 2 * differ <= checked


def _cut_columns(grid: Grid, box: Box) -> tuple[list[Box], list[Box]]:
    """Cut at blank columns; return the tables side by side, and the boxes that hold only words."""
    core = _core(grid, box)
    runs = _runs(_any(grid.held[core.top : core.bottom, box.left : box.right], 0), box.left)
    pieces: list[Box] = []
    beside: list[Box] = []
    for start, end in runs:
        piece = _trim(grid.full, replace(core, left=start, right=end))
        if piece is None:
            continue
        left = (
            _trim(grid.full, replace(core, left=pieces[-1].left, right=pieces[-1].right)) if pieces else None
        )
        if left is None:
            pieces.append(replace(box, left=start, right=end))
        elif _is_beside(grid, left, piece):
            beside.append(piece)
        elif _is_separate(grid, left, piece):
            pieces.append(replace(box, left=start, right=end))
        else:
            pieces[-1] = replace(pieces[-1], right=end)
    if len(pieces) == 1:
        return [replace(box, right=pieces[0].right) if beside else box], beside
    edges = [piece.left for piece in pieces]
    trimmed = []
    for index, piece in enumerate(pieces):
        outer = edges[index + 1] if index + 1 < len(edges) else box.right
        words_left = box.left if index == 0 else piece.left
        wide = replace(box, left=words_left, right=max(piece.right, outer if not beside else piece.right))
        trimmed.append(_trim(grid.full, wide) or piece)
    return trimmed, beside


def _core(grid: Grid, box: Box) -> Box:
    """The box without the rows of a single text at its top and bottom."""
    top, bottom = box.top, box.bottom
    while top < bottom - 1 and is_words(grid, replace(box, top=top, bottom=top + 1)):
        top += 1
    while bottom > top + 1 and is_words(grid, replace(box, top=bottom - 1, bottom=bottom)):
        bottom -= 1
    return replace(box, top=top, bottom=bottom)


def _is_beside(grid: Grid, left: Box, piece: Box) -> bool:
    """Words beside a table: text that has no name in the table's header row and no table of its own."""
    header = find_header(grid, left)
    top = header.first if header.last > header.first else left.top
    named = grid.full[top : max(header.last, top + 1), piece.left : piece.right].any()
    if named or (piece.right - piece.left > 1 and find_header(grid, piece).sure):
        return False
    rows, columns = np.nonzero(grid.full[piece.top : piece.bottom, piece.left : piece.right])
    cells = [grid.cells[piece.top + row][piece.left + at] for row, at in zip(rows, columns, strict=True)]
    return all(kind(value) == "T" for value in cells) or len(cells) == 1


def _is_separate(grid: Grid, left: Box, piece: Box) -> bool:
    """Is the piece right of a blank column a table of its own?"""
    one, other = find_header(grid, left), find_header(grid, piece)
    if not one.sure:  # labels of the rows on the right, or something else on other rows
        return _shared(left, replace(piece, top=other.last if other.sure else piece.top)) < 0.5
    if not other.sure:
        named = grid.full[one.first : one.last, piece.left : piece.right].any()
        return not named and (_shared(piece, left) < 0.5 or piece.right - piece.left > 1)
    if one.last <= other.first or other.last <= one.first:
        return True
    names = header_names(grid, one, range(left.left, left.right))
    own = header_names(grid, other, range(piece.left, piece.right))
    if piece.right - piece.left > 1 and 2 * len(set(names) & set(own) - {""}) >= len(own):
        return True
    labels = [grid.cells[row][piece.left] for row in range(other.last, piece.bottom)]
    are_labels = class_of(labels) in ("text", "time") and len(set(map(str, labels))) == len(labels)
    return are_labels and (piece.bottom != left.bottom or piece.left - left.right > 1)


def _shared(box: Box, other: Box) -> float:
    """Return the share of a box's rows that the other has too."""
    common = min(box.bottom, other.bottom) - max(box.top, other.top)
    return max(0, common) / (box.bottom - box.top)


# --- one table ----------------------------------------------------------------------------------------------


def _leaf(grid: Grid, box: Box) -> Block:
    header = find_header(grid, box)
    end = end_of_data(grid, box, header)
    top = header.first
    used = grid.full[top:end, box.left : box.right].any(axis=0)
    columns = tuple(box.left + int(at) for at in np.flatnonzero(used))
    gaps = tuple(at for at in range(columns[0], columns[-1]) if at not in columns)
    warnings = []
    if gaps:
        listed = ", ".join(letters(at) for at in gaps[:10])
        warnings.append(f"blank columns inside the table were left out: {listed}")
    if header.filled:
        warnings.append("names in the upper header row were continued to the right without merged cells")
    if header.first == header.last:
        warnings.append("no header row was found: the columns are numbered")
    elif len(columns) == 1 and not header.sure and end > header.last:
        warnings.append("the first cell was taken for the name of the column; nothing but its place says so")
    return Block(box, header, end, columns, gaps=gaps, warnings=tuple(warnings))
