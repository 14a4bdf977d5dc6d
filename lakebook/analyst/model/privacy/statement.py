"""A statement that failed, as a model may see it: below `full` its texts and numbers are hidden.

What belongs here: the request, and what hides and gives back. Whether what comes back is taken is decided in
`lakebook.validation.repair`.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field

import sqlglot
from sqlglot.errors import SqlglotError
from sqlglot.tokens import TokenType

from lakebook.analyst.model.privacy.levels import NotAllowed, allows
from lakebook.analyst.model.privacy.masking import HIDDEN, bare_error
from lakebook.analyst.model.privacy.requests import MOST_NAMES_IN_SCHEMA, json_request, json_shape
from lakebook.analyst.model.privacy.shown import schema_names, table_name
from lakebook.analyst.model.protocol import Request
from lakebook.settings import Privacy
from lakebook.validation.knowledge import KnownTable

_MOST_TABLES = 20
_MOST_LETTERS = 6_000
_FIRST = 900_001
_SMALL = 20  # whole numbers up to this stay: LIMIT 10, ROUND(x, 2)


@dataclass
class HiddenLiterals:
    """The texts and numbers of statements, and what stands for each."""

    texts: dict[str, str] = field(default_factory=dict)
    numbers: dict[str, str] = field(default_factory=dict)

    def hide(self, sql: str) -> str:
        """Return a statement with marks for its texts and numbers; raises NotAllowed if it cannot be read."""

        def mark(kind: TokenType, text: str) -> str | None:
            if kind == TokenType.STRING:
                return f"'{self.texts.setdefault(text, f'T{len(self.texts) + 1}_')}'"
            if text.isdecimal() and int(text) <= _SMALL:
                return None
            return self.numbers.setdefault(text, str(_FIRST + len(self.numbers)))

        return _replaced(sql, mark)

    def give_back(self, sql: str) -> str:
        """Return a statement with its texts and numbers; raises NotAllowed if it cannot be read."""
        texts = {mark: text for text, mark in self.texts.items()}
        numbers = {mark: number for number, mark in self.numbers.items()}

        def value(kind: TokenType, text: str) -> str | None:
            if kind == TokenType.STRING:
                escaped = texts.get(text, text).replace("'", "''")
                return f"'{escaped}'"
            return numbers.get(text)

        return _replaced(sql, value)


def _replaced(sql: str, change: Callable[[TokenType, str], str | None]) -> str:
    """Return a statement whose texts and numbers were changed, without its comments."""
    try:
        tokens = sqlglot.tokenize(sql, read="duckdb")
    except (SqlglotError, ValueError, RecursionError) as error:
        raise NotAllowed("the statement cannot be read, so nothing in it can be hidden") from error
    written, end = [], 0
    for token in tokens:
        changed = None
        if token.token_type == TokenType.NUMBER or token.token_type.name.endswith("STRING"):
            kind = TokenType.NUMBER if token.token_type == TokenType.NUMBER else TokenType.STRING
            changed = change(kind, token.text)
        written.append(" " if token.start > end else "")
        written.append(sql[token.start : token.end + 1] if changed is None else changed)
        end = token.end + 1
    return "".join(written).strip()


def statement_request(
    sql: str,
    error: str,
    tables: Sequence[KnownTable],
    earlier: Sequence[tuple[str, str]],
    privacy: Privacy,
    hidden: HiddenLiterals,
) -> Request:
    """Ask for a statement that does what one was to do that failed.

    Args:
        sql: as it failed.
        error: the engine's words, or those of the rules.
        tables: that may be read; their columns are named with their types.
        earlier: (statement, why it was not taken) of tries before this one.
        privacy: below `full` no text and no number of the statement leaves.
        hidden: keeps what was hidden, so that it can be given back.

    Raises:
        NotAllowed: the statement is too long to be sent whole, or cannot be read where it must be hidden.
    """
    if len(sql) > _MOST_LETTERS:
        raise NotAllowed(f"the statement has more than {_MOST_LETTERS} letters")
    whole = allows(privacy, "full")
    names = schema_names(tables, privacy)
    facts = {
        "sql": sql if whole else hidden.hide(sql),
        "error": error if whole else bare_error(error, names),
        "tables": [_table(table, privacy, names) for table in tables[:_MOST_TABLES]],
        "earlier": [
            {
                "sql": tried if whole else hidden.hide(tried),
                "why not": why if whole else bare_error(why, names),
            }
            for tried, why in earlier
        ],
    }
    return json_request("statement", facts, json_shape({"sql": {"type": "string"}}))


def _table(table: KnownTable, privacy: Privacy, names: frozenset[str]) -> Mapping[str, object]:
    sure = allows(privacy, "full") or not table.source.startswith("result ")
    columns = [
        {"name": one.name if sure or one.name in names else HIDDEN, "type": one.type}
        for one in table.columns[:MOST_NAMES_IN_SCHEMA]
    ]
    return {"name": table_name(table, privacy), "columns": columns}
