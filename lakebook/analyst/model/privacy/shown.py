"""Tables, evidence and execution records as a model may see them, at each level of privacy.

What belongs here: which part of them is shown, masked or left out. Every text is fenced: it is data. Under
`schema` a name is shown if it names a table or a column; a name that an operation made out of values (that of
a pivoted column) is not.
"""

from __future__ import annotations

import re
from collections.abc import Collection, Iterable, Mapping, Sequence

import orjson
import sqlglot
from sqlglot.errors import SqlglotError
from sqlglot.tokens import TokenType

from lakebook.analyst.model.privacy.fence import one_line, quoted
from lakebook.analyst.model.privacy.levels import allows
from lakebook.analyst.model.privacy.masking import (
    HIDDEN,
    bare_error,
    bare_path,
    bare_python,
    bare_sql,
    bare_text,
    shape_of,
)
from lakebook.exploration.evidence import Evidence
from lakebook.operators.record import ExecutionRecord, Finding
from lakebook.sandbox.base import Json
from lakebook.settings import Privacy
from lakebook.sources.card import Column
from lakebook.validation.knowledge import KnownTable

MOST_ROWS = 20
_BARE = re.compile(r"[A-Za-z_][A-Za-z0-9_]*")  # names that SQL takes without quotes
_EXAMPLES = 3
_MOST_VALUES = 12
_MOST_COLUMNS = 200
_VALUE = 80
_LINE = 1_500
# Keys of observations and results under which a number counts, and says nothing of a cell.
_COUNTS = frozenset(
    re.findall(
        r"\w+",
        """
        rows rows_in_file rows_rejected rows_skipped row_count rows_before rows_after rows_alone nulls
        distinct distinct_values combinations most_rows_of_one columns groups ties keys matched unmatched
        repeats lines passages pages files bytes seconds
        """,
    )
)
_WORDS = frozenset({"complete", "unique", "more", "kind", "type", "types", "operator"})


def schema_text(tables: Iterable[KnownTable], privacy: Privacy) -> str:
    """Return tables with their columns, types and row counts; with values as far as they may leave.

    Args:
        tables: in the order in which they are shown.
        privacy: `schema` shows names, types, roles and counts; `samples` also the shape of a few values of
            each column; `full` also values, and the smallest and largest.
    """
    return "\n".join(quoted(_table(table, privacy), f"table {table.name}") for table in tables)


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
        privacy: `full` shows it all, with at most `MOST_ROWS` rows; `samples` the shape of values of the
            first rows; `schema` only names, types and counts.
        names: of tables and columns of the lake, which are shown at every level. Those that the record's
            inputs name are known anyway.
    """
    known = {*names, *_names_of(record)}
    lines = [f"{record.operator} {record.id}: {record.verdict}{' (failed)' if record.error else ''}"]
    lines += _arguments(record, privacy, known)
    lines += [_finding(one, privacy, known) for one in record.findings]
    if record.error:
        whole = allows(privacy, "full")
        lines.append(f"error: {record.error if whole else bare_error(record.error, known)}")
    lines += _observations(record, privacy, known)
    lines += _result(record, privacy, known)
    return quoted("\n".join(lines), f"record {record.id}")


def _table(table: KnownTable, privacy: Privacy) -> str:
    lines = [f"table {one_line(table.name)}: {table.rows:,} rows, {len(table.columns)} columns"]
    if not table.coverage.complete:
        note = table.coverage.note
        lines.append(f"not all of the source: {note if allows(privacy, 'full') else _note(note)}")
    lines += [_column(column, privacy) for column in table.columns[:_MOST_COLUMNS]]
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
        values = column.values[: _MOST_VALUES if listed else _EXAMPLES]
        shown = ", ".join(repr(one.value[:_VALUE]) for one in values)
        facts[-1] = f"values {shown}" if listed else f"{facts[-1]}{f' such as {shown}' if shown else ''}"
    elif allows(privacy, "samples"):
        shapes = dict.fromkeys(shape_of(one.value) for one in column.values[: 4 * _EXAMPLES])
        facts.append(f"values such as {', '.join(list(shapes)[:_EXAMPLES])} (masked)" if shapes else "")
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
        lines += [_json(dict(row)) for row in one.text_or_rows]
    elif allows(privacy, "samples"):
        lines += [
            _json({name: shape_of(value) for name, value in row.items()})
            for row in one.text_or_rows[:_EXAMPLES]
        ]
    elif one.text_or_rows:
        lines.append(f"columns {', '.join(one.text_or_rows[0])}")
    return "\n".join(lines)


def _arguments(record: ExecutionRecord, privacy: Privacy, known: Collection[str]) -> list[str]:
    lines = []
    for name, value in sorted(record.arguments.items()):
        if allows(privacy, "full"):
            shown = value if isinstance(value, str) else _json(value)
        elif name == "sql":
            shown = bare_sql(str(value))
        elif name == "code":
            shown = bare_python(str(value), known)
        else:
            shown = _json(_left(value, privacy, known))
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
        value = one.value if whole else _left(one.value, privacy, known)
        subject = one.subject if whole else bare_error(one.subject, known)
        note = one.coverage.note if whole else _note(one.coverage.note, known)
        part = "" if one.coverage.complete else f" (in part: {note})"
        lines.append(f"observed {one.kind} of {subject}{part}: {_json(value)[:_LINE]}")
    return lines


def _result(record: ExecutionRecord, privacy: Privacy, known: Collection[str]) -> list[str]:
    result = record.result
    if result is None:
        return []
    if not (isinstance(result, dict) and {"columns", "rows"} <= result.keys()):
        return [
            f"result: {_json(result if allows(privacy, 'full') else _left(result, privacy, known))[:_LINE]}"
        ]
    rows, columns = result["rows"], result["columns"]
    if not isinstance(rows, list) or not isinstance(columns, list):
        return [f"result: {_json(_left(result, privacy, known))[:_LINE]}"]
    whole = allows(privacy, "full")
    types = result.get("types")
    kinds = [str(kind) for kind in types] if isinstance(types, list) else [""] * len(columns)
    heads = [str(name) if whole or str(name) in known else HIDDEN for name in columns]
    described = ", ".join(f"{head} {kind}".strip() for head, kind in zip(heads, kinds, strict=False))
    lines = [f"result: {result.get('row_count', len(rows))} rows; columns {described}"]
    if allows(privacy, "samples"):
        shown = rows[: MOST_ROWS if whole else _EXAMPLES]
        lines += [_json(row if whole else _left(row, privacy, known)) for row in shown]
        if len(rows) > len(shown):
            lines.append(f"{HIDDEN} {len(rows) - len(shown)} more of the rows that are recorded")
    return lines


def _left(value: Json, privacy: Privacy, known: Collection[str], key: str = "") -> Json:
    """Return what is left of a value: counts and known names; other values by shape, or hidden."""
    if value is None or isinstance(value, bool):
        return value
    if isinstance(value, Mapping):
        named = [name for name in value if name in known or name in _COUNTS or name in _WORDS]
        left = {name: _left(value[name], privacy, known, name) for name in named}
        others = len(value) - len(named)
        return left | ({HIDDEN: f"{others} more"} if others else {})
    if isinstance(value, list):
        if privacy == "schema" and not all(isinstance(one, str) and one in known for one in value):
            return f"{len(value)} values"
        some = [_left(one, privacy, known, key) for one in value[:_MOST_VALUES]]
        return [*some, HIDDEN] if len(value) > len(some) else some
    if isinstance(value, str) and (value in known or (key in _WORDS and value.isidentifier())):
        return value
    if isinstance(value, int) and key in _COUNTS:
        return value
    return shape_of(value) if allows(privacy, "samples") else HIDDEN


def _names_of(record: ExecutionRecord) -> set[str]:
    """Return names that the record's inputs and its code have: of the schema, or the operation's own."""
    found = {name for one in record.inputs for name in one.columns}
    found |= {record.output} if record.output else set()
    for key in ("table", "tables", "columns", "column", "inputs"):
        value = record.arguments.get(key)
        found |= {str(one) for one in (value if isinstance(value, list) else [value]) if isinstance(one, str)}
    submitted = record.repairs[0].before if record.repairs else str(record.arguments.get("sql", ""))
    try:
        tokens = sqlglot.tokenize(submitted, read="duckdb")
    except (SqlglotError, ValueError, RecursionError):
        return found
    return found | {one.text for one in tokens if one.token_type in (TokenType.IDENTIFIER, TokenType.VAR)}


def shown_path(path: str, privacy: Privacy) -> str:
    """Return a path without values that name folders (`country=Peru`), unless they may leave."""
    return path if allows(privacy, "full") else bare_path(path, values=allows(privacy, "samples"))


def _note(text: str, known: Collection[str] = ()) -> str:
    return bare_error(text, known, counts=True)


def _json(value: object) -> str:
    return orjson.dumps(value, default=str, option=orjson.OPT_NON_STR_KEYS).decode()
