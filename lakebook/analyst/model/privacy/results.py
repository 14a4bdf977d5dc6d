"""What is left of results and observations: counts and names; other values by their shape, or not at all.

What belongs here: JSON of records. A key is shown if it is one of the operators' own, or a known name; a key
that may be a value (of `{"Peru": 3}`) is counted. `full` never comes here.
"""

from __future__ import annotations

import ast
import re
from collections.abc import Collection, Mapping, Sequence

import orjson
import sqlglot
from sqlglot.errors import SqlglotError
from sqlglot.tokens import TokenType

from lakebook.analyst.model.privacy.levels import allows
from lakebook.analyst.model.privacy.masking import HIDDEN, bare_path, shape_of
from lakebook.operators.record import ExecutionRecord
from lakebook.sandbox.base import Json
from lakebook.settings import Privacy
from lakebook.syntax import parse_python

MOST_ROWS = 20
EXAMPLES = 3
_MOST_VALUES = 12
_LINE = 1_500


def _words(text: str) -> frozenset[str]:
    return frozenset(text.split())


# Keys under which a number counts, and says nothing of a cell.
_COUNTS = _words(
    """
    rows rows_in_file rows_in_source rows_rejected rows_skipped row_count rows_before rows_after rows_alone
    result_rows nulls distinct distinct_values combinations most_rows_of_one columns groups ties keys matched
    unmatched repeats lines passages pages files bytes members members_in_all left_rows right_rows
    """
)
# Further keys that the operators themselves write.
_PARTS = _words(
    """
    facts tables artifacts printed evidence omitted notes sides standing worst values shapes sheets left right
    complete unique more chosen kind type types role name path unit text shown coverage position
    text_or_rows smallest largest min max score why id warnings meaning example shape line
    """
)
_FLAGS = _words("complete unique more chosen confirm_cross kept")
_PATHS = _words("path members source")
_OF_DATA = _words("facts text_or_rows")  # whose keys are not the operators' own, also where they look like it
# What may stand under `type`, `types`, `role` and `kind`; types of the engine are cut to their first word.
_KINDS = _words(
    """
    text integer number boolean date datetime time json identifier category measure dimension flag constant
    free_text empty key ordinal geo unknown distinct range nulls pattern match head sample schema
    """
)
_ENGINE_TYPE = re.compile(r"[A-Z][A-Z0-9_]*")


def left(value: Json, privacy: Privacy, known: Collection[str], key: str = "") -> Json:
    """Return what is left of a value.

    Args:
        value: of a record.
        privacy: `schema` or `samples`.
        known: names that are shown.
        key: under which it stands.
    """
    if value is None:
        return None
    if isinstance(value, Mapping):
        return _mapping(value, privacy, known, key)
    if isinstance(value, list):
        return _list(value, privacy, known, key)
    if isinstance(value, str):
        return _text(value, privacy, known, key)
    counted = isinstance(value, int) and not isinstance(value, bool) and key in _COUNTS
    if counted or (isinstance(value, bool) and key in _FLAGS):
        return value
    return shape_of(value) if allows(privacy, "samples") else HIDDEN


def _mapping(value: Mapping[str, Json], privacy: Privacy, known: Collection[str], key: str) -> Json:
    ours = key not in _OF_DATA
    named = [
        name
        for name in value
        if all(part in known for part in name.split(".")) or name in _COUNTS or name in _PARTS
    ]
    shown: dict[str, Json] = {}
    for name in named:
        # A column may be called as one of our keys, and then what stands under it is a value.
        under = "type" if key == "columns" else name if ours or name not in known else key
        shown[name] = left(value[name], privacy, known, under)
    others = len(value) - len(named)
    return shown | ({HIDDEN: f"{others} more"} if others else {})


def _list(value: Sequence[Json], privacy: Privacy, known: Collection[str], key: str) -> Json:
    structured = all(isinstance(one, Mapping) for one in value) and key not in ("text_or_rows", "lines")
    names = all(isinstance(one, str) and (one in known or key in _PATHS) for one in value)
    if not allows(privacy, "samples") and not structured and not names:
        return f"{len(value)} values"
    most = EXAMPLES if key == "text_or_rows" else _MOST_VALUES
    some = [left(one, privacy, known, key) for one in value[:most]]
    return [*some, HIDDEN] if len(value) > len(some) else some


def _text(value: str, privacy: Privacy, known: Collection[str], key: str) -> str:
    if value in known or (key in ("type", "types", "role", "kind") and value in _KINDS):
        return value
    if key in _PATHS:
        return bare_path(value, values=allows(privacy, "samples"))
    return shape_of(value) if allows(privacy, "samples") else HIDDEN


def result_lines(result: Json, privacy: Privacy, known: Collection[str], name: str = "result") -> list[str]:
    """Return a result in lines: rows as far as they may be seen, tables of a computation one by one."""
    if result is None:
        return []
    whole = allows(privacy, "full")
    if isinstance(result, Mapping) and isinstance(result.get("tables"), Mapping) and "facts" in result:
        return _computed(result, privacy, known)
    columns = result.get("columns") if isinstance(result, Mapping) else None
    rows = result.get("rows") if isinstance(result, Mapping) else None
    if isinstance(result, Mapping) and isinstance(columns, list) and isinstance(rows, list):
        return _rows(result, columns, rows, privacy, known, name)
    return [f"{name}: {as_json(result if whole else left(result, privacy, known))[:_LINE]}"]


def _computed(result: Mapping[str, Json], privacy: Privacy, known: Collection[str]) -> list[str]:
    """Return what a computation gave: facts, tables, files, and what it printed."""
    lines = []
    whole = allows(privacy, "full")
    tables = result["tables"] if isinstance(result["tables"], Mapping) else {}
    for name, table in tables.items():
        lines += result_lines(table, privacy, known, f"table {name}" if whole or name in known else "table")
    for part in ("facts", "artifacts"):
        if result.get(part):
            value = result[part] if whole else left(result[part], privacy, known)
            lines.append(f"{part}: {as_json(value)[:_LINE]}")
    printed = str(result.get("printed") or "")
    if printed:
        lines.append(f"printed: {printed if whole else f'{len(printed):,} letters, not shown'}")
    return lines or ["result: nothing was kept"]


def _rows(
    result: Mapping[str, Json],
    columns: Sequence[Json],
    rows: Sequence[Json],
    privacy: Privacy,
    known: Collection[str],
    name: str,
) -> list[str]:
    whole = allows(privacy, "full")
    types = result.get("types")
    kinds = [engine_type(str(one)) for one in types] if isinstance(types, list) else [""] * len(columns)
    heads = [str(one) if whole or str(one) in known else HIDDEN for one in columns]
    described = ", ".join(f"{head} {kind}".strip() for head, kind in zip(heads, kinds, strict=False))
    lines = [f"{name}: {result.get('row_count', len(rows))} rows; columns {described}"]
    if allows(privacy, "samples"):
        shown = rows[: MOST_ROWS if whole else EXAMPLES]
        lines += [as_json(row if whole else left(row, privacy, known)) for row in shown]
        if len(rows) > len(shown):
            lines.append(f"{HIDDEN} {len(rows) - len(shown)} more of the rows that are recorded")
    return lines


def engine_type(name: str) -> str:
    """Return a type without its parts, which may be values: of `ENUM('a', 'b')`, `ENUM`."""
    found = _ENGINE_TYPE.match(name)
    return found[0] if found else HIDDEN


def names_of(record: ExecutionRecord) -> set[str]:
    """Return names that a record itself gives: columns of sources that it read, and names in its code.

    Columns of results are not among them: data may have made them. Texts in code are names only where code
    selects by them.
    """
    found = {name for one in record.inputs if one.sha256 for name in one.columns}
    found |= set(record.output.split(", ")) if record.output else set()
    for key in ("table", "tables", "columns", "column", "inputs", "outputs", "output", "name"):
        value = record.arguments.get(key)
        found |= {one for one in (value if isinstance(value, list) else [value]) if isinstance(one, str)}
    taken = [one for one in record.repairs if not one.refused]
    arguments = record.arguments
    found |= _sql_names(taken[0].before if taken else str(arguments.get("sql", "")))
    return found | _python_names(str(arguments.get("code", "")))


def _sql_names(sql: str) -> set[str]:
    try:
        tokens = sqlglot.tokenize(sql, read="duckdb")
    except (SqlglotError, ValueError, RecursionError):
        return set()
    return {one.text for one in tokens if one.token_type in (TokenType.IDENTIFIER, TokenType.VAR)}


def _python_names(code: str) -> set[str]:
    try:
        tree = parse_python(code)
    except (SyntaxError, ValueError, RecursionError, MemoryError):
        return set()
    found: set[str] = set()
    for node in ast.walk(tree):
        if isinstance(node, ast.Subscript):
            parts = node.slice.elts if isinstance(node.slice, ast.List | ast.Tuple) else [node.slice]
            found |= {
                one.value for one in parts if isinstance(one, ast.Constant) and isinstance(one.value, str)
            }
        elif isinstance(node, ast.Name):
            found.add(node.id)
        elif isinstance(node, ast.keyword) and node.arg:
            found.add(node.arg)
    return found


def as_json(value: object) -> str:
    """Return a value as JSON."""
    return orjson.dumps(value, default=str, option=orjson.OPT_NON_STR_KEYS).decode()
