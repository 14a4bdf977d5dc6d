"""Which tables of the lake a statement rests on: what a repair may not change."""

from __future__ import annotations

from itertools import pairwise

import sqlglot
from sqlglot import exp
from sqlglot.errors import SqlglotError
from sqlglot.tokens import TokenType

from lakebook.validation.knowledge import Knowledge
from lakebook.validation.repair.sure import sure_name
from lakebook.validation.statement import Statement, physical

# Sources that are no table: a file that is read in place, values that are written down.
_OTHER = (exp.Unnest, exp.Lateral, exp.Values)


def base_sources(statement: Statement, knowledge: Knowledge) -> frozenset[str] | None:
    """Return the tables that a statement reads, under the names that the lake has for them.

    A name that the lake does not have stands for the one that it surely means, if there is one.

    Returns:
        The names; None if they cannot be told: it reads what is no table, or is no SQL at all.
    """
    if statement.tree is None:
        return _from_tokens(statement.sql, knowledge)
    names = {table.name for table in knowledge.tables.values()}
    found = set()
    for scope in statement.scopes:
        for source in scope.sources.values():
            if not isinstance(source, exp.Table):
                if isinstance(source, _OTHER):
                    return None
                continue  # another scope of the statement
            known = knowledge.table(source.name) if physical(source) else None
            meant = known.name if known else table_meant(source.name, names, knowledge)
            if not physical(source) or meant is None:
                return None
            found.add(meant)
    return frozenset(found)


def _from_tokens(sql: str, knowledge: Knowledge) -> frozenset[str] | None:
    """Return the tables that a text reads which cannot be parsed: the names that follow FROM and JOIN."""
    try:
        tokens = sqlglot.tokenize(sql, read="duckdb")
    except (SqlglotError, ValueError, RecursionError):
        return None
    names = {table.name for table in knowledge.tables.values()}
    own = {
        token.text.lower()
        for token, after, opening in zip(tokens, tokens[1:], tokens[2:], strict=False)
        if after.token_type == TokenType.ALIAS and opening.token_type == TokenType.L_PAREN
    }
    found: set[str] = set()
    for token, after in pairwise(tokens):
        if token.token_type not in (TokenType.FROM, TokenType.JOIN) or after.text == "(":
            continue
        if after.text.lower() in own:
            continue
        known = knowledge.table(after.text)
        meant = known.name if known else table_meant(after.text, names, knowledge)
        if meant is None:
            return None  # a file, a function, or FROM in another sense
        found.add(meant)
    return frozenset(found) or None


def table_meant(written: str, names: set[str], knowledge: Knowledge) -> str | None:
    """Return the table that a name surely means: written otherwise, or by its file's path."""
    by_path = [table.name for table in knowledge.tables.values() if written == table.source.partition("#")[0]]
    return by_path[0] if len(by_path) == 1 else sure_name(written, names)
