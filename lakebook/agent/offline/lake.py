"""What can be asked about: tables, groups of files read as one, and joins that are evident.

What belongs here: choosing subjects, and finding the values that a question names. Members of a group that is
read as one table are asked about through the group, or by their own name. A join is evident where the tables
share the name of one column that is unique and whole in one of them.
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence

from lakebook.agent.offline import words
from lakebook.agent.offline.binding import Binding, phrases_of
from lakebook.agent.offline.plan import Field, Link, Subject
from lakebook.agent.offline.statement import ENTRIES
from lakebook.agent.offline.tokens import Token, forms, name_words, value_words
from lakebook.errors import TimedOut
from lakebook.operators.runtime import Runtime
from lakebook.sandbox.base import Json
from lakebook.sources.as_table import members_of
from lakebook.sources.card import Column
from lakebook.validation.knowledge import KnownTable
from sql import read

_MOST_VALUES = 200
_MOST_LINKS = 40
_FEW = 20  # a column with fewer different values has no lists worth a look
_LISTED = 0.02
_SHARED = 0.01
_SECONDS = 20.0
_NO_KIND = ("measure", "identifier", "text", "empty", "list")
_MANY_TABLES = 50  # of more, only those are read against the question whose names hold one of its words
_Found = dict[tuple[str, str], tuple[str, ...]]


def subjects(runtime: Runtime) -> list[list[Subject]]:
    """Return what can be asked about, in the order of trying: groups and lone tables, members, joins."""
    knowledge, source_map = runtime.knowledge, runtime.state.source_map
    groups, members = [], set()
    for group in source_map.groups:
        found = members_of(group, source_map)
        known = knowledge.table(group.table) if found else None
        if known is not None and len(found) > 1:
            aliases = {
                (known.name, pair.group_name, pair.name)
                for schema in group.schemas
                for pair in schema.renamed
            }
            groups.append(Subject(known, member_column=group.member_column, aliases=tuple(sorted(aliases))))
            members |= {unit.table for _, unit in found}
    tables = [known for _, unit in source_map.tables() if (known := knowledge.table(unit.table))]
    alone = [Subject(table) for table in tables if table.name not in members]
    parts = [Subject(table) for table in tables if table.name in members]
    return [[*groups, *alone], parts, list(_links([subject.table for subject in alone]))]


def _links(tables: Sequence[KnownTable]) -> Iterator[Subject]:
    """Yield each table with each other one that describes a key of it."""
    found = 0
    for table in tables:
        for other in tables:
            if other is table or found >= _MOST_LINKS:
                continue
            keys = [column.name for column in other.columns if _is_key(other, column.name)]
            shared = [name for name in keys if _same_kind(table, other, name)]
            if len(shared) == 1 and not _is_key(table, shared[0]):
                found += 1
                yield Subject(table, Link(other, shared[0]), aliases=_by_table(other))


def _by_table(table: KnownTable) -> tuple[tuple[str, str, str], ...]:
    """Return names of columns with their table's: the airline name, or just the airline."""
    noun = table.name.removesuffix("s")
    named = [(table.name, column.name, f"{noun} {column.name}") for column in table.columns]
    alone = [(table.name, c.name, noun) for c in table.columns if c.name.lower() in ("name", "title")]
    return (*named, *alone)


def _is_key(table: KnownTable, name: str) -> bool:
    column = table.column(name)
    return (
        column is not None
        and not column.nulls
        and column.distinct_exact
        and column.distinct == table.rows > 1
        and column.type in ("integer", "text")
        and table.coverage.complete
    )


def _same_kind(table: KnownTable, other: KnownTable, name: str) -> bool:
    left, right = table.column(name), other.column(name)
    return left is not None and right is not None and left.type == right.type


def named_in(subjects: Sequence[Subject], tokens: tuple[Token, ...]) -> list[Subject]:
    """Return the subjects that the question may be about: all of a few, else those with a word in a name."""
    if len(subjects) <= _MANY_TABLES:
        return list(subjects)
    asked = {form for token in tokens for word in name_words(token.text) for form in forms(word)}
    asked -= words.known()
    return [subject for subject in subjects if asked & _name_forms(subject)]


def _name_forms(subject: Subject) -> set[str]:
    names = [subject.table.name, *(column.name for column in subject.table.columns)]
    if subject.link is not None:
        names += [column.name for column in subject.link.other.columns]
    names += [alias for _, _, alias in subject.aliases]
    return {form for name in names for word in name_words(name) for form in forms(word)}


def bind(runtime: Runtime, subject: Subject, tokens: tuple[Token, ...]) -> Binding:
    """Return what the words can mean in a subject."""
    phrases = phrases_of(tokens)
    tables = [subject.table, *([subject.link.other] if subject.link else [])]
    found: _Found = {}
    for table in tables:
        found |= _values(runtime, table, phrases)
    return Binding(subject, tokens, found)


def _values(runtime: Runtime, table: KnownTable, phrases: tuple[str, ...]) -> _Found:
    """Return the values of text columns that the question names: listed ones, the others searched for."""
    wanted, found, long = set(phrases), _Found(), []
    for column in table.columns:
        if column.type != "text":
            continue
        seen = runtime.knowledge.enumeration(table.name, column.name)
        if column.role == "list":
            entries = {entry for value in column.values for entry in _entries(value.value)}
            found[table.name, column.name] = _matching(sorted(entries), wanted)
        elif seen is not None and seen.complete:
            found[table.name, column.name] = _matching([value.value for value in seen.values], wanted)
        else:
            long.append(column.name)
    if long and phrases:
        parameters = {"table": table.name, "columns": long, "phrases": list(phrases), "most": _MOST_VALUES}
        for name, value in runtime.lake.fetch(read("explore/find_values"), parameters).rows:  # type: ignore[arg-type]
            found[table.name, name] = (*found.get((table.name, name), ()), str(value))
    return found


def _entries(cell: str) -> list[str]:
    for separator in (";", "|", ","):
        if separator in cell:
            return [entry.strip() for entry in cell.split(separator) if entry.strip()]
    return [cell.strip()]


def _matching(values: Sequence[str], wanted: set[str]) -> tuple[str, ...]:
    return tuple(value for value in values if " ".join(value_words(value)) in wanted)


def lists(runtime: Runtime, one: Field) -> bool:
    """Say whether cells of a text column list several values, so that a cell is no value of its own."""
    if one.column.type != "text" or one.column.distinct < _FEW:
        return one.column.role == "list"
    parameters: dict[str, Json] = {"table": one.table, "columns": [one.name], "between": ENTRIES}
    cells, listed = runtime.lake.fetch(read("explore/listed_cells"), parameters).rows[0]
    return bool(cells) and listed / cells > _LISTED


def overlapping(runtime: Runtime, subject: Subject) -> bool:
    """Say whether files read as one table tell of the same things at the same times, and so count twice.

    Only files named after times whose rows have times of their own can do so (vintages of one table). Where
    the time does not suffice to look, it is said that they do.
    """
    member = subject.table.column(subject.member_column) if subject.member_column else None
    if member is None or not all(re.fullmatch(r"[\d\W_]+", entry.value) for entry in member.values):
        return False
    others = [c for c in subject.table.columns if c.name != subject.member_column and c.role not in _NO_KIND]
    if not any(_tells_time(column) for column in others):
        return False
    parameters: dict[str, Json] = {
        "table": subject.table.name,
        "member": subject.member_column,
        "columns": [column.name for column in others],
    }
    try:
        found = runtime.lake.fetch(read("explore/shared_rows"), parameters, seconds=_SECONDS)
    except TimedOut:
        return True
    shared, rows = found.rows[0]
    return bool(rows) and shared / rows > _SHARED


def _tells_time(column: Column) -> bool:
    return column.type in ("date", "datetime") or name_words(column.name) == ("year",)


def unread(tokens: tuple[Token, ...], bindings: Sequence[Binding], known: frozenset[str]) -> list[str]:
    """Return the words of a question that mean nothing in any of the tables, and that no form knows."""
    taken: set[int] = set()
    for binding in bindings:
        for start in range(len(tokens)):
            ends = [m.end for m in binding.columns(start)] + [m.end for m in binding.cells(start)]
            ends += [end for end, _ in binding.rows(start)]
            taken |= set(range(start, max(ends, default=start)))
    return [
        token.text
        for place, token in enumerate(tokens)
        if place not in taken and token.kind in ("word", "quoted") and token.low not in known
    ]


def near_columns(word: str, bindings: Sequence[Binding]) -> list[str]:
    """Return columns whose names hold the word."""
    wanted = set(name_words(word))
    return [
        f"{names.field.table}.{names.field.name}"
        for binding in bindings
        for names in binding.names
        if wanted & set(names.whole)
    ]
