"""Rules on loads: every row accounted for, and a table that looks as if it was read the wrong way.

They read the card, which was made from all rows. What its values may be mistaken for is in `load_values`.
"""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Iterator
from pathlib import PurePosixPath

from lakebook.operators.record import Finding
from lakebook.sources.card import SourceUnit
from lakebook.validation.cells import Cells
from lakebook.validation.invocation import Invocation
from lakebook.validation.knowledge import Knowledge
from lakebook.validation.registry import rule


@rule(
    "L2",
    operator="Load",
    detects="rows that are neither loaded nor accounted for, and rows that were rejected",
    evidence="the card's row account (complete)",
    action="reject",
    reference="design §5, rule 1; catalogue L2",
)
def rows_accounted(invocation: Invocation, knowledge: Knowledge) -> Iterator[Finding]:
    """Reject an account that does not add up; advise on rejected rows."""
    unit = invocation.unit
    if unit is None or unit.kind != "table":
        return
    told = f"{unit.rows_in_file:,} in the file; {unit.rows:,} loaded, "
    told += f"{unit.rows_rejected:,} rejected, {unit.rows_skipped:,} skipped"
    if unit.rows_in_file != unit.rows + unit.rows_rejected + unit.rows_skipped:
        yield Finding(
            "L2", "reject", "The rows do not add up.", observed=told, hint="Report this file: a row was lost."
        )
    elif unit.rows_rejected:
        first = unit.rejected[0] if unit.rejected else None
        where = f"; first at line {first.line}: {first.reason}" if first else ""
        yield Finding(
            "L2",
            "advise",
            f"{unit.rows_rejected:,} rows of the file could not be loaded.",
            observed=told + where,
            hint="Whatever is computed leaves them out; `lakebook sources` lists them.",
        )


_SEPARATORS = (";", "\t", "|", ",")
_SIGNS = re.compile(r"[^\w\s.'()-]{2,3}")
# What stands in data and hardly in names: decimals, dates, and long numbers that are no year.
_DATUM = re.compile(r"-?\d+[.,]\d+|\d{1,4}[-/.]\d{1,2}[-/.]\d{1,4}.*")


@rule(
    "L1",
    operator="Load",
    detects="a table that looks misread: one column full of separators, no names, or names that are data",
    evidence="column names, and the values that the card lists",
    action="advise",
    reference="RADAR §3.3 (suspicious loads); catalogue L1",
)
def misread(invocation: Invocation, knowledge: Knowledge) -> Iterator[Finding]:
    """Advise when the shape of the table suggests another delimiter or header row."""
    unit = invocation.unit
    if unit is None or unit.kind != "table" or not unit.columns:
        return
    names = [column.original_name for column in unit.columns]
    separator = _separator_of(unit)
    if separator:
        yield Finding(
            "L1",
            "advise",
            f"The table has one column, and it is full of the separator {separator!r}.",
            observed=f"column {names[0]!r}",
            hint="The delimiter was probably read wrongly.",
        )
    nameless = [name for name in names if not name.strip() or name.startswith("Unnamed:")]
    if len(nameless) * 2 > len(names) > 1:
        yield Finding(
            "L1",
            "advise",
            "Most columns have no name.",
            observed=f"{len(nameless)} of {len(names)} columns",
            hint="The header row probably stands further down (a title above it?).",
        )
    data = [name for name in names if _DATUM.fullmatch(name.strip())]
    if len(data) * 2 > len(names) > 1:
        yield Finding(
            "L1",
            "advise",
            "Most names of columns look like data: the file may have no header.",
            observed=f"names such as {', '.join(map(repr, data[:3]))}",
            hint="Its first row was probably taken for the header.",
        )
    for warning in unit.warnings:
        if "there is no header" in warning:
            yield Finding(
                "L1",
                "advise",
                "The file has no header.",
                observed=warning,
                hint="Say what the columns are before they are used: `sources.yml` can name them.",
            )
    repeated = [
        column.name
        for column in unit.columns
        if any(value.value.strip() == column.original_name.strip() for value in column.values)
    ]
    if len(repeated) > 1:
        yield Finding(
            "L1",
            "advise",
            "The header stands among the data.",
            observed=f"{', '.join(repeated[:5])} hold their own name as a value",
            hint="Several tables were probably written one after the other; leave these rows out.",
        )


def _separator_of(unit: SourceUnit) -> str:
    """Return the separator that the only column holds, as often in its name as in its values."""
    if len(unit.columns) != 1:
        return ""
    column = unit.columns[0]
    signs: list[str] = [*_SEPARATORS, *_SIGNS.findall(column.original_name)]
    for sign in signs:
        counts = {value.value.count(sign) for value in column.values}
        if sign in column.original_name and (sign in _SEPARATORS or (len(counts) == 1 and min(counts) > 0)):
            return sign
        if sign in _SEPARATORS and len(column.values) > 2 and len(counts) == 1 and min(counts) > 0:
            return sign
    return ""


@rule(
    "L3",
    operator="Load",
    detects="text that was decoded with the wrong encoding",
    evidence="column names and listed values",
    action="advise",
    reference="catalogue L3",
)
def mojibake(invocation: Invocation, knowledge: Knowledge) -> Iterator[Finding]:
    """Advise when names or values hold the traces of a wrong encoding."""
    unit = invocation.unit
    if unit is None:
        return
    for column in unit.columns:
        texts = [column.name, *(value.value for value in column.values)]
        damaged = next((text for text in texts if any(mark in text for mark in _DAMAGE)), None)
        if damaged is not None:
            cell = Cells()
            yield Finding(
                "L3",
                "advise",
                f"{column.name} holds text that looks wrongly decoded.",
                observed=cell(damaged),
                hint="The file's encoding was probably read wrongly.",
                values=cell.shown(),
            )


# U+FFFD, and what UTF-8 letters, quotes and the byte-order mark look like when read as Latin-1.
_DAMAGE = ("\ufffd", "Ã©", "Ã¨", "Ã¼", "Ã¶", "Ã¤", "Ã±", "Ã³", "Ã¡", "Ã§", "â€™", "â€œ", "â€“", "ï»¿")


@rule(
    "L7",
    operator="Load",
    detects="a table of which others in the same file have the same columns: the wrong one may be meant",
    evidence="the card of the file (complete)",
    action="advise",
    reference="catalogue L7",
)
def other_tables(invocation: Invocation, knowledge: Knowledge) -> Iterator[Finding]:
    """Advise with the other sheets or tables of the file that have the same columns."""
    card, unit = invocation.card, invocation.unit
    if card is None or unit is None or unit.kind != "table" or len(unit.columns) < 2:
        return
    names = {column.name.casefold() for column in unit.columns}
    same = [
        other
        for other in card.units
        if other.table != unit.table and {column.name.casefold() for column in other.columns} == names
    ]
    if same:
        group = next((one.name for one in knowledge.tables.values() if unit.table in one.members), "")
        yield Finding(
            "L7",
            "advise",
            f"{len(same)} more of the file have the same columns.",
            observed=", ".join(f"{other.unit} ({other.rows:,} rows)" for other in same[:8]),
            hint=f"{group} reads them all as one table." if group else "Say which of them is meant.",
        )


_UNSURE = ("without merged cells", "no header row was found", "nothing but its place says so")


@rule(
    "L8",
    operator="Load",
    detects="labels that stand in the first row of a block only, and headers that were pieced together",
    evidence="nulls of the leftmost column, and what the card says of the header",
    action="advise",
    reference="catalogue L8",
)
def unfilled_labels(invocation: Invocation, knowledge: Knowledge) -> Iterator[Finding]:
    """Advise where the leftmost column is mostly empty below labels that stand once each."""
    unit = invocation.unit
    if unit is None or unit.kind != "table" or not unit.columns:
        return
    first, filled = unit.columns[0], unit.rows - unit.columns[0].nulls
    once = first.distinct_exact and first.distinct == filled >= 2
    if first.type == "text" and once and 2 * first.nulls > unit.rows and len(unit.columns) > 1:
        yield Finding(
            "L8",
            "advise",
            f"{first.name} has a label in some rows only; the rows below probably belong to it.",
            observed=f"{filled:,} labels, each once, and {first.nulls:,} empty rows",
            hint=f"Fill it down before grouping: last_value({first.name} IGNORE NULLS) in the file's order.",
        )
    for warning in unit.warnings:
        if any(words in warning for words in _UNSURE):
            yield Finding(
                "L8", "advise", "The header was pieced together.", warning, "Check the names of the columns."
            )


@rule(
    "L10",
    operator="Load",
    detects="columns of one name in the file, letter case aside: a query sees the first, or a new name",
    evidence="the names in the file (complete)",
    action="advise",
    reference="catalogue L10",
)
def same_names(invocation: Invocation, knowledge: Knowledge) -> Iterator[Finding]:
    """Advise with the names under which the columns are found."""
    unit = invocation.unit
    if unit is None or unit.kind != "table":
        return
    names = [column.original_name.casefold() for column in unit.columns]
    for name, times in Counter(filter(str.strip, names)).items():
        if times > 1:
            given = [column.name for column in unit.columns if column.original_name.casefold() == name]
            yield Finding(
                "L10",
                "advise",
                f"{times} columns of the file are called {name!r}.",
                observed=f"they are read as {', '.join(map(repr, given))}",
                hint="Look at both before one is taken for the other.",
            )


_TABLES = frozenset({".csv", ".tsv", ".txt", ".xlsx", ".xls", ".json", ".parquet", ".dat"})


@rule(
    "L11",
    operator="Load",
    detects="a web page under the name of a data file, and files that were read in part only",
    evidence="the content of the file, and the card's account of it",
    action="reject",
    reference="catalogue L11",
)
def not_the_file(invocation: Invocation, knowledge: Knowledge) -> Iterator[Finding]:
    """Reject a page in place of the data; advise on a file that could not be read whole."""
    card, unit = invocation.card, invocation.unit
    if card is None or unit is None:
        return
    suffix = PurePosixPath(card.path).suffix.lower()
    if card.format == "html" and suffix in _TABLES:
        yield Finding(
            "L11",
            "reject",
            f"The file is a web page, though it is called {suffix}.",
            observed=f"{card.path} begins as HTML",
            hint="The download probably failed: fetch it again.",
        )
    elif not unit.coverage.complete:
        yield Finding(
            "L11",
            "advise",
            "The file was read in part only.",
            observed=unit.coverage.note or card.reason,
            hint="Whatever is computed covers this part.",
        )
