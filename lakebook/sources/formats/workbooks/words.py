"""Tell words from data in a sheet: titles, notes below a table, and prose."""

from __future__ import annotations

import re

import numpy as np

from lakebook.sources.formats.workbooks.grid import Box, Grid, kind
from lakebook.sources.formats.workbooks.header import Header

_NOTE = re.compile(
    r"^\W*(?:notes?|sources?|remarks?|quellen?|anmerkung|hinweis|fu(?:ß|ss)note|stand|©|\(c\)|nota|fuente"
    r"|footnotes?|see|data (?:from|source)|last updated?)\b|^\s*(?:[*†‡¹²³]|\(?\d{1,2}[).]\s|\[\d+\])",
    re.IGNORECASE,
)
_SENTENCE = 45
# Four words and a full stop: names end in one too ("Acme Corp."), but are shorter.
_SHORT_SENTENCE = re.compile(r"(?:\S+\s+){3,}\S*[^\W\d_]{2,}[.!?]")


def is_words(grid: Grid, box: Box) -> bool:
    """Nothing but text, one cell a row: a title or a note."""
    inside = grid.full[box.top : box.bottom, box.left : box.right]
    if int(inside.sum(axis=1).max()) > 1 or box.bottom - box.top > 12:
        return False
    rows, columns = np.nonzero(inside)
    return all(
        kind(grid.cells[box.top + row][box.left + at]) == "T" for row, at in zip(rows, columns, strict=True)
    )


def is_note(text: str) -> bool:
    """Return True if the wording is that of a note or a source."""
    return _NOTE.match(text) is not None


def end_of_data(grid: Grid, box: Box, header: Header) -> int:
    """Return the row after the last row of data: notes below the table are not part of it.

    Notes are the rows at the end that hold words in few cells, from the first on that a blank row above it,
    its wording, its length or a merged range over the table tells from a row of data.
    """
    width = int(grid.full[header.first : box.bottom, box.left : box.right].any(axis=0).sum())
    start = box.bottom
    while start > max(header.last, header.first + 1) and _is_sparse(grid, box, start - 1, width):
        start -= 1
    for row in range(start, box.bottom):
        if _is_note(grid, box, row, width):
            start = row
            break
    else:
        start = box.bottom
    while start > max(header.last, header.first + 1) and not grid.filled(start - 1, box.left, box.right):
        start -= 1
    return start


def _is_sparse(grid: Grid, box: Box, row: int, width: int) -> bool:
    filled = grid.filled(row, box.left, box.right)
    kinds = {kind(grid.cells[row][at]) for at in filled}
    return not filled or (width > 1 and kinds <= {"T", "D"} and len(filled) <= max(1, width // 3))


def _is_note(grid: Grid, box: Box, row: int, width: int) -> bool:
    filled = grid.filled(row, box.left, box.right)
    if not filled:
        return False
    text = grid.words(row, box.left, box.right)
    if is_note(text) or len(text) > _SENTENCE or not grid.filled(row - 1, box.left, box.right):
        return True
    spans = (merged for merged in grid.merges if merged.covers(row, filled[0]))
    return len(filled) == 1 and any(2 * (merged.right - merged.left) > max(2, width) for merged in spans)


def is_lone_text(grid: Grid, box: Box) -> bool:
    """Return True for a sheet of prose: one column of text, long or mostly sentences, or a single text."""
    if not _one_a_row(grid, box):
        return False
    texts = [
        grid.cells[row][at]
        for row in range(box.top, box.bottom)
        for at in grid.filled(row, box.left, box.right)
    ]
    if not all(kind(text) == "T" for text in texts):
        return False
    sentences = sum(_SHORT_SENTENCE.fullmatch(text.strip()) is not None for text in texts)
    is_long = any(len(text) > _SENTENCE and " " in text for text in texts)
    return len(texts) == 1 or is_long or 2 * sentences > len(texts)


def _one_a_row(grid: Grid, box: Box) -> bool:
    return int(grid.full[box.top : box.bottom, box.left : box.right].sum(axis=1).max()) <= 1
