"""Tables, evidence and execution records as a model may see them, at each level of privacy.

What belongs here: which part of them is shown, masked or left out. Every text is fenced: it is data. Under
`schema` a name is shown if it names a table or a column; a name that an operation made out of values (that of
a pivoted column) is not.
"""

from __future__ import annotations

import re
from collections.abc import Collection, Iterable, Sequence
from dataclasses import replace

from lakebook.analyst.model.privacy.fence import one_line, quoted
from lakebook.analyst.model.privacy.levels import allows
from lakebook.analyst.model.privacy.masking import (
    HIDDEN,
    bare_error,
    bare_path,
    bare_python,
    bare_sql,
    bare_table_name,
    bare_text,
    shape_of,
)
from lakebook.analyst.model.privacy.results import (
    EXAMPLES,
    as_json,
    left,
    names_of,
    result_lines,
)
from lakebook.exploration.evidence import Evidence
from lakebook.operators.record import ExecutionRecord, Finding
from lakebook.settings import Privacy
from lakebook.sources.card import Column
from lakebook.validation.knowledge import KnownTable

_BARE = re.compile(r"[A-Za-z_][A-Za-z0-9_]*")  # names that SQL takes without quotes
_MOST_VALUES = 12
_MOST_COLUMNS = 200
_VALUE, _EXAMPLE = 80, 30  # letters of a value in a whole list, and of an example
_LINE = 1_500


def schema_text(tables: Iterable[KnownTable], privacy: Privacy, *, names: Collection[str] = ()) -> str:
    """Return tables with their columns, types and row counts; with values as far as they may leave.

    Args:
        tables: in the order in which they are shown.
        privacy: `schema` shows names, types, roles and counts; `samples` also the shape of a few values of
            each column; `full` also values, and the smallest and largest.
        names: columns of results that are shown at every level; others of results, whose names data may have
            made, are not.
    """
    return "\n".join(
        quoted(_table(table, privacy, names), f"table {table_name(table, privacy)}") for table in tables
    )


def table_name(table: KnownTable, privacy: Privacy) -> str:
    """Return a table's name; below `full` without what folders of partitions put into it (`country=Peru`)."""
    return table.name if allows(privacy, "full") else bare_table_name(table.name, table.source)


def schema_names(tables: Iterable[KnownTable], privacy: Privacy) -> frozenset[str]:
    """Return the names of tables and columns that are shown at a level: those of sources, not of results."""
    found: set[str] = set()
    for table in tables:
        if not table.source.startswith("result "):
            found |= {column.name for column in table.columns}
            found |= {table.name} if table_name(table, privacy) == table.name else set()
    return frozenset(found)


def evidence_text(evidence: Sequence[Evidence], privacy: Privacy) -> str:
    """Return what a search found: where, and how much of it was looked at; the text or rows under `full`.

    Under `samples` rows are shown by the shape of their values; a passage of a document stays here.
    """
    return "\n".join(
        quoted(_piece(one, privacy), f"{shown_path(one.path, privacy)}{_place(one, privacy)}")
        for one in evidence
    )


def record_text(record: ExecutionRecord, privacy: Privacy, *, names: Collection[str] = ()) -> str:
    """Return an execution record: its verdict, findings, observations, error and result.

    Args:
        record: as the runtime left it.
        privacy: `full` shows it all, with at most 20 rows; `samples` the shape of values of the
            first rows; `schema` only names, types and counts.
        names: of tables and columns of the lake, which are shown at every level: `schema_names`. Those of the
            record's own inputs are known anyway.
    """
    known = {*names, *names_of(record)}
    lines = [f"{record.operator} {record.id}: {record.verdict}{' (failed)' if record.error else ''}"]
    lines += _arguments(record, privacy, known)
    lines += [_finding(one, privacy, known) for one in record.findings]
    if record.error:
        whole = allows(privacy, "full")
        lines.append(f"error: {record.error if whole else bare_error(record.error, known)}")
    lines += _observations(record, privacy, known)
    lines += result_lines(record.result, privacy, known)
    return quoted("\n".join(lines), f"record {record.id}")


def _table(table: KnownTable, privacy: Privacy, names: Collection[str]) -> str:
    lines = [
        f"table {one_line(table_name(table, privacy))}: {table.rows:,} rows, {len(table.columns)} columns"
    ]
    if not table.coverage.complete:
        note = table.coverage.note
        lines.append(f"not all of the source: {note if allows(privacy, 'full') else _note(note)}")
    sure = allows(privacy, "full") or not table.source.startswith("result ")
    lines += [
        _column(column if sure or column.name in names else replace(column, name=HIDDEN), privacy)
        for column in table.columns[:_MOST_COLUMNS]
    ]
    if len(table.columns) > _MOST_COLUMNS:
        lines.append(f"{HIDDEN} {len(table.columns) - _MOST_COLUMNS} more columns")
    return "\n".join(lines)


def _column(column: Column, privacy: Privacy) -> str:
    """Return a line on a column, short: small models read many of them slowly, and lose the thread.

    A name is written as SQL needs it. Values are shown where a filter may need them, numbers by range.
    """
    name = one_line(column.name)
    name = name if _BARE.fullmatch(name) else f'"{name}"'
    whole = allows(privacy, "full")
    tells_role = column.role == "identifier" or not whole
    facts = [f"- {name}: {column.type}" + (f", {column.role}" if tells_role else "")]
    if column.nulls:
        facts.append(f"null in {column.nulls:,} rows")
    if column.unit and allows(privacy, "samples"):
        facts.append(f"unit {column.unit}")
    if column.meaning:
        facts.append(f"noted: {one_line(column.meaning)}" if allows(privacy, "samples") else "")
    if column.type not in ("text", "boolean", "json") and whole:
        facts.append(f"from {column.min} to {column.max}" if column.min is not None else "")
        return "; ".join(fact for fact in facts if fact)
    facts.append(f"{column.distinct:,} different values")
    if whole:
        listed = column.values_complete and column.distinct <= _MOST_VALUES
        values = column.values[: _MOST_VALUES if listed else EXAMPLES]
        shown = ", ".join(repr(one.value[: _VALUE if listed else _EXAMPLE]) for one in values)
        facts[-1] = f"values {shown}" if listed else f"{facts[-1]}{f' such as {shown}' if shown else ''}"
    elif allows(privacy, "samples"):
        shapes = dict.fromkeys(shape_of(one.value) for one in column.values[: 4 * EXAMPLES])
        facts.append(f"values such as {', '.join(list(shapes)[:EXAMPLES])} (masked)" if shapes else "")
    return "; ".join(fact for fact in facts if fact)


def _place(one: Evidence, privacy: Privacy) -> str:
    return f", {one.position}" if allows(privacy, "full") else ""


def _piece(one: Evidence, privacy: Privacy) -> str:
    whole = allows(privacy, "full")
    place = one.position if whole or isinstance(one.text_or_rows, tuple) else _note(one.position)
    lines = [f"{place}; looked at: {one.coverage if whole else _note(one.coverage)}"]
    if isinstance(one.text_or_rows, str):
        lines.append(one.text_or_rows if whole else f"{len(one.text_or_rows.split()):,} words, not shown")
        return "\n".join(lines)
    if whole:
        lines += [as_json(dict(row)) for row in one.text_or_rows]
    elif allows(privacy, "samples"):
        lines += [
            as_json({name: shape_of(value) for name, value in row.items()})
            for row in one.text_or_rows[:EXAMPLES]
        ]
    elif one.text_or_rows:
        lines.append(f"columns {', '.join(one.text_or_rows[0])}")
    return "\n".join(lines)


def _arguments(record: ExecutionRecord, privacy: Privacy, known: Collection[str]) -> list[str]:
    lines = []
    for name, value in sorted(record.arguments.items()):
        if allows(privacy, "full"):
            shown = value if isinstance(value, str) else as_json(value)
        elif name == "sql":
            shown = bare_sql(str(value))
        elif name == "code":
            shown = bare_python(str(value), known)
        else:
            shown = as_json(left(value, privacy, known, name))
        lines.append(f"{name}: {shown}")
    for repair in record.repairs:
        how = f"not taken: {repair.refused}" if repair.refused else "taken"
        lines.append(f"repair {repair.kind} ({how if allows(privacy, 'full') else how.partition(':')[0]})")
    return lines


def _finding(finding: Finding, privacy: Privacy, known: Collection[str]) -> str:
    message, observed, hint = (
        text if allows(privacy, "full") else bare_text(text, finding.values, known)
        for text in (finding.message, finding.observed, finding.hint)
    )
    said = f"{finding.action} {finding.rule}: {message}"
    said += f" Observed: {observed}." if observed else ""
    return said.replace("..", ".") + (f" Hint: {hint}" if hint else "")


def _observations(record: ExecutionRecord, privacy: Privacy, known: Collection[str]) -> list[str]:
    lines = []
    for one in record.observations:
        if one.value == record.result:
            continue  # the result says the same
        whole = allows(privacy, "full")
        value = one.value if whole else left(one.value, privacy, known, one.kind)
        subject = one.subject if whole else bare_error(one.subject, known)
        note = one.coverage.note if whole else _note(one.coverage.note, known)
        part = "" if one.coverage.complete else f" (in part: {note})"
        lines.append(f"observed {one.kind} of {subject}{part}: {as_json(value)[:_LINE]}")
    return lines


def shown_path(path: str, privacy: Privacy) -> str:
    """Return a path without values that name folders (`country=Peru`), unless they may leave."""
    return path if allows(privacy, "full") else bare_path(path, values=allows(privacy, "samples"))


def _note(text: str, known: Collection[str] = ()) -> str:
    return bare_error(text, known, counts=True)
