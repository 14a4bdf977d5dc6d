"""Rules on loads: every row accounted for, and a table that looks as if it was read the wrong way."""

from __future__ import annotations

from collections.abc import Iterator

from lakebook.operators.record import Finding
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


@rule(
    "L1",
    operator="Load",
    detects="a table that looks misread: one column full of separators, or columns without names",
    evidence="column names and types of the loaded table",
    action="advise",
    reference="RADAR §3.3 (suspicious loads); catalogue L1",
)
def misread(invocation: Invocation, knowledge: Knowledge) -> Iterator[Finding]:
    """Advise when the shape of the table suggests another delimiter or header row."""
    unit = invocation.unit
    if unit is None or unit.kind != "table" or not unit.columns:
        return
    names = [column.original_name for column in unit.columns]
    separator = next((mark for mark in (";", "\t", "|", ",") if mark in names[0]), "")
    if len(names) == 1 and separator:
        yield Finding(
            "L1",
            "advise",
            f"The table has one column, and its name holds the separator {separator!r}.",
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
            yield Finding(
                "L3",
                "advise",
                f"{column.name} holds text that looks wrongly decoded.",
                observed=repr(damaged),
                hint="The file's encoding was probably read wrongly.",
            )


# U+FFFD, and what UTF-8 letters, quotes and the byte-order mark look like when read as Latin-1.
_DAMAGE = ("\ufffd", "Ã©", "Ã¨", "Ã¼", "Ã¶", "Ã¤", "Ã±", "Ã³", "Ã¡", "Ã§", "â€™", "â€œ", "â€“", "ï»¿")
