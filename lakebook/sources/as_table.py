"""A group read as one table: where each column comes from, what is known of it, and the pandas code for it.

Everything follows from the cards of the members; no data is read. Facts that cannot be added up over members
(distinct values of long columns) are left out rather than guessed.
"""

from __future__ import annotations

import re
import textwrap
from collections import Counter
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass

from lakebook.sources.card import (
    Column,
    ColumnType,
    MemberSchema,
    SourceCard,
    SourceGroup,
    SourceMap,
    SourceUnit,
    ValueCount,
)
from lakebook.sources.groups import member
from lakebook.sources.load_code import data_file, literal
from lakebook.sources.schemas import common_type

Found = tuple[SourceCard, SourceUnit]

_WIDTH = 90
_APPEND = "members.append(df)"


def members_of(group: SourceGroup, source_map: SourceMap) -> list[Found]:
    """Return the cards and units of the members of a group that is read as one table, in their order.

    Nothing is returned if a member is gone: the table would silently be smaller than its name says.
    """
    known = {member(card, unit): (card, unit) for card in source_map.cards for unit in card.units}
    if not group.table or any(name not in known for name in group.members):
        return []
    return [known[name] for name in group.members]


def sources(group: SourceGroup, schema: MemberSchema) -> dict[str, str | None]:
    """Return, for each column of the group, the member's column that it comes from (None: it has none)."""
    other = {pair.group_name: pair.name for pair in schema.renamed}
    missing = set(schema.missing)
    return {name: None if name in missing else other.get(name, name) for name in group.columns}


def group_columns(group: SourceGroup, found: Sequence[Found]) -> tuple[Column, ...]:
    """Return what is known of the columns of the group's table, the member column first."""
    told: Counter[str] = Counter()
    for (_, unit), schema in zip(found, group.schemas, strict=True):
        told[schema.value] += unit.rows
    values = tuple(ValueCount(value, rows) for value, rows in told.most_common())
    key = Column(
        group.member_column,
        group.member_column,
        "text",
        "category",
        0,
        len(told),
        min=min(told, default=None),
        max=max(told, default=None),
        values=values,
        values_complete=True,
    )
    taken = [sources(group, schema) for schema in group.schemas]
    return (key, *(_column(name, found, taken) for name in group.columns))


def _column(name: str, found: Sequence[Found], taken: Sequence[Mapping[str, str | None]]) -> Column:
    """Add up what the members' cards say of one column."""
    parts: list[Column] = []
    nulls = 0
    for (_, unit), mapping in zip(found, taken, strict=True):
        source = mapping[name]
        column = unit.column(source) if source is not None else None
        nulls += column.nulls if column is not None else unit.rows
        parts += [column] if column is not None and column.type != "empty" else []
    kind = common_type(part.type for part in parts)
    alike = all(part.type == kind for part in parts)
    complete = alike and bool(parts) and all(part.values_complete for part in parts)
    counts: Counter[str] = Counter()
    for part in parts if complete else ():
        counts.update({value.value: value.rows for value in part.values})
    return Column(
        name=name,
        original_name=name,
        type=kind,
        role=Counter(part.role for part in parts).most_common(1)[0][0] if parts else "empty",
        nulls=nulls,
        min=_end(parts, min) if alike else None,
        max=_end(parts, max) if alike else None,
        distinct=len(counts) if complete else max((part.distinct for part in parts), default=0),
        distinct_exact=complete or not parts,
        values=tuple(ValueCount(value, rows) for value, rows in counts.most_common()),
        values_complete=complete,
    )


def _end(parts: Sequence[Column], which: Callable[..., str]) -> str | None:
    """Return the smallest of the smallest values, or the largest of the largest."""
    ends = [end for part in parts if (end := getattr(part, which.__name__)) is not None]
    numbers = bool(parts) and parts[0].type in ("integer", "number")
    return which(ends, key=float) if ends and numbers else which(ends) if ends else None


def group_load_code(group: SourceGroup, found: Sequence[Found], key_type: ColumnType = "text") -> str:
    """Return plain pandas statements that read every member and put them together as `df`.

    Members that follow each other and are read by the same statements share a loop. Columns get the group's
    names, a column that a member lacks is null there, and one that is text in some member is text in all.

    Args:
        group: one that can be read as a table.
        found: its members, in order.
        key_type: "date" if the values of the member column are ISO dates and are to be read as such.
    """
    kinds = {column.name: column.type for column in group_columns(group, found)[1:]}
    runs: list[_Run] = []
    held: set[str] = set()
    in_order = True
    for schema, card, unit in _with_rows(group, found):
        taken = _taken(group, schema, unit, kinds)
        held |= taken.keys()
        in_order &= list(taken) == list(kinds) and list(taken.values()) == [c.name for c in unit.columns]
        code = "\n".join([unit.load_code.rstrip(), *_adapted(taken, unit, kinds)])
        if runs and runs[-1].takes(card.path, code):
            runs[-1].members.append((card.path, schema.value))
        else:
            runs.append(_Run(code, [(card.path, schema.value)]))
    lines = ["members = []"]
    for run in runs:
        lines += [*run.statements(group.member_column, key_type), ""]
    lines.append("df = pd.concat(members, ignore_index=True)")
    if not in_order:
        names = _listed([literal(name) for name in (group.member_column, *group.columns)])
        lines.append(f"df = df[{names}]" if held == kinds.keys() else f"df = df.reindex(columns={names})")
    return "\n".join(lines) + "\n"


def _with_rows(
    group: SourceGroup, found: Sequence[Found]
) -> list[tuple[MemberSchema, SourceCard, SourceUnit]]:
    """Return the members that bring rows; pandas gives other types where one without any takes part."""
    every = [(schema, *one) for schema, one in zip(group.schemas, found, strict=True)]
    return [one for one in every if one[2].rows] or every


def _taken(
    group: SourceGroup, schema: MemberSchema, unit: SourceUnit, kinds: Mapping[str, ColumnType]
) -> dict[str, str]:
    """Return which columns are taken from a member: one without a value would change the type of others."""
    taken = {}
    for name, source in sources(group, schema).items():
        column = unit.column(source) if source is not None else None
        if column is not None and (column.type != "empty" or kinds[name] == "empty"):
            taken[name] = column.name
    return taken


@dataclass(slots=True)
class _Run:
    """Members that follow each other and are read by the same statements: path and value of each."""

    code: str
    members: list[tuple[str, str]]

    def takes(self, path: str, code: str) -> bool:
        """Return True if the statements for this file are those of the run, but for the path."""
        return data_file(path) in code and self._general(path, code) == self._general(
            self.members[0][0], self.code
        )

    def statements(self, key: str, key_type: ColumnType) -> list[str]:
        """Write the statements for one member, or the loop over several."""
        place, value = self._names()
        path, told = self.members[0]
        if len(self.members) == 1:
            return [self.code, f"df.insert(0, {literal(key)}, {_told(literal(told), key_type)})", _APPEND]
        pairs = [f"({literal(path)}, {literal(told)})" for path, told in self.members]
        inside = [
            self._general(path, self.code),
            f"df.insert(0, {literal(key)}, {_told(value, key_type)})",
            _APPEND,
        ]
        head = f"for {place}, {value} in {_listed(pairs, together=False)}:"
        return [head, textwrap.indent("\n".join(inside), "    ")]

    def _general(self, path: str, code: str) -> str:
        return code.replace(data_file(path), f"DATA_DIR / {self._names()[0]}")

    def _names(self) -> tuple[str, str]:
        """Return names for the path and the value that the statements do not use for anything else."""
        own = set(re.findall(r"\w+", self.code))
        return ("member_path", "member_value") if own & {"path", "value"} else ("path", "value")


def _told(value: str, key_type: ColumnType) -> str:
    return f"pd.Timestamp({value})" if key_type == "date" else value


def _listed(parts: Sequence[str], together: bool = True) -> str:
    """Write a list on one line if it fits, else as many parts a line as fit, or one a line."""
    line = f"[{', '.join(parts)}]"
    if len(line) <= _WIDTH:
        return line
    lines = [""]
    for part in parts:
        if lines[-1] and (not together or len(lines[-1]) + len(part) > _WIDTH - 6):
            lines.append("")
        lines[-1] += f"{' ' if lines[-1] else ''}{part},"
    return "[\n" + "".join(f"    {line}\n" for line in lines) + "]"


def _adapted(taken: Mapping[str, str], unit: SourceUnit, kinds: Mapping[str, ColumnType]) -> list[str]:
    """Write what makes a member's frame fit: its columns chosen, renamed, and made text where others are."""
    lines = []
    if set(taken.values()) != {column.name for column in unit.columns}:
        lines.append(f"df = df[{_listed([literal(source) for source in taken.values()])}]")
    renamed = [f"{literal(source)}: {literal(name)}" for name, source in taken.items() if name != source]
    if renamed:
        line = f"df = df.rename(columns={{{', '.join(renamed)}}})"
        inner = "".join(f"    {pair},\n" for pair in renamed)
        lines.append(line if len(line) <= _WIDTH else f"df = df.rename(columns={{\n{inner}}})")
    for name, source in taken.items():
        column = unit.column(source)
        if kinds[name] == "text" and column is not None and column.type != "text":
            lines.append(f"df[{literal(name)}] = {_as_text(name, column)}")
    return lines


def _as_text(name: str, column: Column) -> str:
    """Write numbers, dates and truth values as the query engine writes them."""
    frame = f"df[{literal(name)}]"
    if column.type == "boolean":
        return f'{frame}.map({{True: "true", False: "false"}})'
    if column.type == "integer":
        return f'{frame}.astype("Int64").astype("str")'
    if column.type in ("date", "datetime"):
        return f'{frame}.dt.strftime("%Y-%m-%d %H:%M:%S")'
    return f'{frame}.astype("str")'
