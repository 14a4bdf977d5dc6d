"""A table found in a document: what all formats do with it once its cells are known to be right.

Finding tables and reading their cells belongs to each format; deciding column types to `describe`.
"""

from __future__ import annotations

import itertools
import re
from collections.abc import Sequence
from dataclasses import dataclass

import pyarrow as pa

from lakebook.sources.card import RejectedRow
from lakebook.sources.load_code import call, literals
from lakebook.sources.reading import RawColumn, RawTable, Reading, name_warnings, unique_names

_CAPTION = 60
_NAME = 120
_YEAR = re.compile(r"\s*(1[89]|20|21)\d\d\s*")
_NUMBER = re.compile(r"[-+−(]?\s*[$€£]?\s*\d[\d.,\u202f\u00a0 ]*\s*(?:%|\))?")


@dataclass(frozen=True, slots=True)
class DocumentTable:
    """A table of a document, all cells text.

    Attributes:
        names: of the columns as written; None where the table has no header.
        rows: the loaded rows, each as wide as the table. numbers: where each stands; noun: what they count.
        statements: the load code up to a list `rows` that equals these rows.
        title: what the document calls it, "" if nothing. place: where it stands in the document.
        left_out: a part of the table that could not be read.
        rejected, skipped: rows that are not loaded, with the reason or the text.
    """

    width: int
    names: tuple[str, ...] | None
    rows: Sequence[Sequence[str]]
    numbers: Sequence[int]
    noun: str
    statements: tuple[str, ...]
    title: str = ""
    place: str = ""
    rejected: tuple[RejectedRow, ...] = ()
    skipped: tuple[str, ...] = ()
    warnings: tuple[str, ...] = ()
    left_out: str = ""


def table_reading(table: DocumentTable, unit: str, encoding: str = "") -> Reading:
    """Return the reading of a table; `unit` is its name, to which the title is added."""
    originals = table.names or tuple(f"column_{n}" for n in range(1, table.width + 1))
    names = unique_names(originals)
    cells = list(zip(*table.rows, strict=True)) if table.rows else [()] * table.width
    columns = tuple(
        RawColumn(name, original, pa.array(values, pa.string()))
        for name, original, values in zip(names, originals, cells, strict=True)
    )
    warnings = [*name_warnings(names, originals), *table.warnings]
    if table.names is None:
        warnings.append("there is no header: the columns are named column_1, column_2 …")
    frame = call("pd.DataFrame", ["rows", f"columns={literals(names)}", 'dtype="str"'])
    imports_first = sorted(table.statements, key=lambda line: not line.startswith("import "))
    statements = [*imports_first, f"df = {frame}", 'df = df.replace("", None)']
    return Reading(
        unit=unit_name(unit, table.title),
        kind="table",
        table=RawTable(
            columns,
            rows=len(table.rows),
            opening=lambda _: (statements, False),
            place=lambda index: f"{table.noun} {table.numbers[index]:,}",
            is_text=True,
        ),
        place=table.place,
        rows_in_file=len(table.rows) + len(table.rejected) + len(table.skipped),
        rows_rejected=len(table.rejected),
        rows_skipped=len(table.skipped),
        rejected=table.rejected,
        skipped=table.skipped[:20],
        left_out=table.left_out,
        warnings=tuple(warnings),
        encoding=encoding,
    )


ASSUMED_HEADER = "the first row was taken as the header, though nothing sets it apart from the others"


def unit_name(unit: str, title: str) -> str:
    """Return "table 2: Sales by region": the number makes it unique, the title tells what it is."""
    plain = " ".join(title.split()).strip(" :.*_#`")
    if len(plain) > _CAPTION:
        plain = plain[:_CAPTION].rsplit(" ", 1)[0] + " …"
    return f"{unit}: {plain}" if plain else unit


def has_header(rows: Sequence[Sequence[str]]) -> bool:
    """Return True if the first row can name the columns: words, or years beside words."""
    first = rows[0]
    filled = [cell for cell in first if cell.strip()]
    blank = sum(1 for _ in itertools.takewhile(lambda cell: not cell.strip(), first))
    gaps = len(first) - blank - len(filled)
    # columns of row labels often have no name, and one other may lack it; of two columns the second may not
    is_named = blank <= len(first) // 2 and gaps <= (len(first) > 2)
    if len(rows) < 2 or not is_named or len(set(filled)) < len(filled):
        return False
    if any(len(cell) > _NAME for cell in filled):
        return False
    return not any(map(is_value, filled)) and not all(map(is_number, first))


def stands_out(rows: Sequence[Sequence[str]]) -> bool:
    """Return True if the first row differs in kind from the others: a word above numbers."""
    for first, *below in zip(*rows, strict=True):
        filled = [cell for cell in below if cell.strip()]
        if filled and all(map(is_number, filled)) and (not is_number(first) or _YEAR.fullmatch(first)):
            return True
    return False


def is_value(text: str) -> bool:
    """Return True for a number that is no year: years may be names of columns."""
    return is_number(text) and not _YEAR.fullmatch(text)


def is_number(text: str) -> bool:
    """Return True for what reads as one number, with sign, currency, separators or per cent."""
    return bool(_NUMBER.fullmatch(text.strip()))
