"""Mending names: tables and columns written otherwise, missing quotes, and quotes of the wrong kind."""

from __future__ import annotations

import re
from typing import Any

from sqlglot import exp
from sqlglot.optimizer.scope import Scope

from lakebook.validation.knowledge import Knowledge
from lakebook.validation.repair.base_sources import table_meant
from lakebook.validation.repair.failure import Failure, Proposal
from lakebook.validation.repair.sure import sure_name
from lakebook.validation.statement import Resolver, owned, physical, sources, text, visible

_PLAIN = re.compile(r"[A-Za-z_]\w*")
_TEXTS = re.compile(r"('(?:[^']|'')*'|\"(?:[^\"]|\"\")*\"|--[^\n]*|/\*.*?\*/)", re.DOTALL)
# Words that begin a clause only together with the next; alone, where a column is so called, they are names.
_CLAUSES = {"order": "by", "group": "by"}


def names_written_otherwise(failure: Failure, knowledge: Knowledge) -> Proposal | None:
    """Replace names that the lake does not have by those that they surely mean."""
    statement = failure.parsed()
    if statement.tree is None:
        return None
    changes: dict[str, str] = {}
    names = {table.name for table in knowledge.tables.values()}
    for scope in statement.scopes:
        for source in scope.sources.values():
            if physical(source) and knowledge.table(source.name) is None:
                meant = table_meant(source.name, names, knowledge)
                if meant is not None:
                    _rename_table(scope, source, meant)
                    changes[source.alias_or_name] = meant
    # Columns are looked for in the tables as they are called now.
    statement = Failure(text(statement.tree)).parsed()
    resolver = Resolver(knowledge)
    for scope in statement.selects():
        for column in list(owned(scope, exp.Column)):
            changes |= _mend_column(scope, column, resolver, knowledge)
    if not changes:
        return None
    told = ", ".join(f"{old} is read as {new}" for old, new in changes.items())
    return Proposal("name", text(statement.tree), told)


def _rename_table(scope: Scope, source: Any, name: str) -> None:
    """Call a table by its name; what is said of its columns by the old name is said of an alias."""
    old = source.name.lower()
    if not source.alias and any(one.table.lower() == old for one in scope.expression.find_all(exp.Column)):
        source.set("alias", exp.TableAlias(this=exp.to_identifier(source.name, quoted=True)))
    source.set("this", exp.to_identifier(name, quoted=not _PLAIN.fullmatch(name)))
    for part in ("db", "catalog"):
        source.set(part, None)


def _mend_column(scope: Scope, column: Any, resolver: Resolver, knowledge: Knowledge) -> dict[str, str]:
    """Mend one column in place; return what was changed."""
    if isinstance(column.this, exp.Star) or column.args.get("db"):
        return {}
    offered = [resolver.names(source) for source in visible(scope).values()]
    aliases = {item.alias.lower() for item in scope.expression.expressions if item.alias}
    held, all_known = resolver.holders(scope, column)
    if held or not all_known or (not column.table and column.name.lower() in aliases) or None in offered:
        return {}
    own = sources(scope)
    if column.table and column.table.lower() not in {alias.lower() for alias in own}:
        return _mend_owner(scope, column, own)
    known = [name for names in offered for name in names or ()]
    meant = sure_name(column.name, known)
    if meant is not None:
        written = column.name
        column.set("this", exp.to_identifier(meant, quoted=not _PLAIN.fullmatch(meant)))
        return {written: meant}
    return _mend_quotes(scope, column, resolver, knowledge)


def _mend_owner(scope: Scope, column: Any, own: dict[str, Any]) -> dict[str, str]:
    """Say a column of the only table there is, where it was said of one that FROM does not have."""
    if len(own) != 1 or scope.parent is not None:
        return {}
    [alias] = own
    written = f"{column.table}.{column.name}"
    column.set("table", exp.to_identifier(alias, quoted=not _PLAIN.fullmatch(alias)))
    return {written: f"{alias}.{column.name}"}


def _mend_quotes(scope: Scope, column: Any, resolver: Resolver, knowledge: Knowledge) -> dict[str, str]:
    """Turn a name in double quotes into the value that it is, where the compared column holds it."""
    comparison = column.parent
    if (
        not column.this.args.get("quoted")
        or column.table
        or not isinstance(comparison, exp.EQ | exp.NEQ | exp.In)
    ):
        return {}
    other = comparison.expression if comparison.this is column else comparison.this
    origin = resolver.origin(scope, other) if isinstance(other, exp.Column) else None
    seen = knowledge.enumeration(origin.table, origin.column) if origin else None
    if seen is None or column.name not in {one.value for one in seen.values}:
        return {}
    column.replace(exp.Literal.string(column.name))
    return {f'"{column.name}"': f"'{column.name}'"}


def names_without_quotes(failure: Failure, knowledge: Knowledge) -> Proposal | None:
    """Put quotes round names of columns and tables that SQL cannot read without."""
    known = {table.name for table in knowledge.tables.values()}
    known |= {column.name for table in knowledge.tables.values() for column in table.columns}
    strange = [
        name for name in known if not _PLAIN.fullmatch(name) and not name.isdigit() and '"' not in name
    ]
    parts = _TEXTS.split(failure.sql)
    changed: dict[str, None] = {}
    for place in range(0, len(parts), 2):  # what stands between texts, names in quotes and comments
        for name in sorted(strange, key=lambda one: (-len(one), one)):
            parts[place] = _quote(parts[place], name, known, changed)
        for word, follows in _CLAUSES.items():
            if word in {name.lower() for name in known}:
                pattern = rf"(?<![\w.\"])({word})(?!\s+{follows}\b)(?!\w)"
                parts[place], count = re.subn(pattern, r'"\1"', parts[place], flags=re.IGNORECASE)
                changed |= {word: None} if count else {}
    sql = "".join(parts)
    if sql == failure.sql:
        return None
    return Proposal("quotes", sql, f"{', '.join(changed)} stands in quotes")


def _quote(part: str, name: str, known: set[str], changed: dict[str, None]) -> str:
    """Put quotes round one name, unless its words are names themselves (`a-b` may be a difference)."""
    words = re.findall(r"\w+", name)
    lowered = {one.lower() for one in known}
    if len(words) > 1 and all(word.lower() in lowered or word.isdigit() for word in words):
        return part
    pattern = r"\s+".join(map(re.escape, name.split()))
    # What was put in quotes for a longer name stays as it is.
    pieces = re.split(r"(\"[^\"]*\")", part)
    for place in range(0, len(pieces), 2):
        pieces[place], count = re.subn(
            rf"(?<![\w.-]){pattern}(?![\w-])|(?<=\w\.){pattern}(?![\w-])",
            f'"{name}"',
            pieces[place],
            flags=re.IGNORECASE,
        )
        changed |= {name: None} if count else {}
    return "".join(pieces)
