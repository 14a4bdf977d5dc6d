"""Names of columns as models write them in SQL, read as the columns that they can only mean.

Small models write `customer_id` for "Customer ID", and Sub-Category without quotes. A name is read otherwise
only where the statement could not be bound as it stands and one column alone fits: no statement that would
run is changed, and what was read is told. Everything else is for the rules, which say what is wrong.
"""

from __future__ import annotations

import re
from collections.abc import Mapping, Sequence

import sqlglot
from sqlglot.errors import SqlglotError
from sqlglot.tokens import Token, TokenType

_BARE = re.compile(r"[A-Za-z_]\w*")
_NAMES = (TokenType.VAR, TokenType.IDENTIFIER)
_TEXTS = (TokenType.STRING, TokenType.IDENTIFIER)

Columns = Mapping[str, Sequence[str]]
"""Table -> the names of its columns."""


def with_real_names(sql: str, columns: Columns) -> tuple[str, tuple[str, ...]]:
    """Return a statement with the names that its tables have, and what was read otherwise.

    Args:
        sql: as it was written.
        columns: of all tables; those that the statement names count.
    """
    tokens = _tokens(sql)
    if tokens is None:
        return sql, ()
    named = {token.text.lower() for token in tokens}
    there = [name for table, names in columns.items() if table.lower() in named for name in names]
    quoted, notes = _quoted(sql, tokens, there)
    tokens = _tokens(quoted)
    if tokens is None:
        return sql, ()
    renamed, more = _renamed(quoted, tokens, there, set(map(str.lower, columns)))
    return renamed, tuple(dict.fromkeys((*notes, *more)))


def _tokens(sql: str) -> list[Token] | None:
    try:
        return list(sqlglot.tokenize(sql, read="duckdb"))
    except (SqlglotError, ValueError, RecursionError):
        return None


def _quoted(sql: str, tokens: Sequence[Token], there: Sequence[str]) -> tuple[str, list[str]]:
    """Put quotes around names with blanks or signs that stand in the statement without them."""
    known = {name.lower() for name in there}
    spans = [(token.start, token.end + 1) for token in tokens if token.token_type in _TEXTS]
    notes: list[str] = []
    for name in sorted(set(there), key=len, reverse=True):
        parts = _BARE.findall(name)
        if _BARE.fullmatch(name) or not parts or all(part.lower() in known for part in parts):
            continue  # needs no quotes; or what stands there may be meant: a - b of columns a and b
        pattern = re.compile(rf"(?<![\w\"']){re.escape(name)}(?![\w\"'])", re.IGNORECASE)
        for match in reversed(list(pattern.finditer(sql))):
            if any(start < match.end() and match.start() < end for start, end in spans):
                continue
            sql = f'{sql[: match.start()]}"{name}"{sql[match.end() :]}'
            notes.append(f'{match.group()} was read as "{name}"')
            spans = [
                (token.start, token.end + 1) for token in _tokens(sql) or () if token.token_type in _TEXTS
            ]
    return sql, notes


def _renamed(
    sql: str, tokens: Sequence[Token], there: Sequence[str], tables: set[str]
) -> tuple[str, list[str]]:
    """Replace names that no table has by the only column that is spelled alike."""
    alike: dict[str, set[str]] = {}
    for name in there:
        alike.setdefault(_folded(name), set()).add(name)
    taken = {name.lower() for name in there} | tables | _own_names(tokens)
    notes: list[str] = []
    for place in range(len(tokens) - 1, -1, -1):
        token = tokens[place]
        follows = tokens[place + 1].token_type if place + 1 < len(tokens) else None
        if token.token_type not in _NAMES or follows == TokenType.L_PAREN or token.text.lower() in taken:
            continue
        found = alike.get(_folded(token.text), set())
        if len(found) == 1:
            (name,) = found
            shown = name if _BARE.fullmatch(name) else f'"{name}"'
            sql = f"{sql[: token.start]}{shown}{sql[token.end + 1 :]}"
            notes.append(f"{token.text} was read as {shown}")
    return sql, notes[::-1]


def _own_names(tokens: Sequence[Token]) -> set[str]:
    """Return the names that a statement gives itself, or uses for anything but columns."""
    found: set[str] = set()
    for place, token in enumerate(tokens):
        if token.token_type not in _NAMES:
            continue
        before = tokens[place - 1].token_type if place else None
        after = [one.token_type for one in tokens[place + 1 : place + 3]]
        is_alias = before in (TokenType.ALIAS, *_NAMES)  # with AS, or without
        is_table = before in (TokenType.FROM, TokenType.JOIN)
        is_common_table = after == [TokenType.ALIAS, TokenType.L_PAREN]
        if is_alias or is_table or is_common_table or after[:1] == [TokenType.DOT]:
            found.add(token.text.lower())
    return found


def _folded(name: str) -> str:
    """Return a name without case, blanks and signs."""
    return re.sub(r"[\W_]+", "", name).casefold()
