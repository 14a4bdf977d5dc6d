"""Which columns the plays of groups and relations look at, and what counts as one independent row.

What belongs here: choices from the table's profile alone. Paper: NotebookRAG §4.2.2; notes on plays, §2.1.
"""

from __future__ import annotations

import re
from collections.abc import Sequence

from lakebook.analyst.intent import Intent
from lakebook.analyst.phrases import main_flow, reach
from lakebook.analyst.play import ClaimDraft, InsightDraft
from lakebook.analyst.table import Table, TableColumn
from lakebook.analyst.vocabulary import CALENDAR_WORDS, name_tokens


def measures(table: Table, intent: Intent, most: int = 8) -> tuple[TableColumn, ...]:
    """Return the numbers that vary, target first, then those that the intent names, then file order."""
    found = [
        c for c in table.having("flow", "ratio", "count", "stock") if c.dtype != "text" and c.distinct > 2
    ]
    return tuple(sorted(found, key=lambda c: _wish(c, intent))[:most])


def affordable(table: Table) -> int:
    """Return how many columns a screen may try one by one: all of a wide table, fewer of a long one."""
    return int(min(200, max(10, 300_000 // max(min(table.rows, 20_000), 1))))


def all_measures(table: Table, intent: Intent) -> tuple[TableColumn, ...]:
    """Return every number that varies, in the order of `measures`."""
    return measures(table, intent, len(table.columns))


def tried_only(columns: Sequence[str], eligible: int) -> tuple[InsightDraft, ...]:
    """Return the caution that a screen left columns out, nothing if it tried all that could be tried."""
    if len(columns) >= eligible:
        return ()
    claims = (
        ClaimDraft("tried", f"len({list(columns)!r})", ",d"),
        ClaimDraft("all_columns", "df.shape[1]", ",d"),
    )
    text = (
        "Of the {all_columns} columns of the table only {tried} were tried here: those that the question "
        "names, then the first in the file."
    )
    return (InsightDraft(text, claims, caution=True),)


def dimensions(table: Table, intent: Intent, most: int = 6, levels: int = 50) -> tuple[TableColumn, ...]:
    """Return the categories of 2 to `levels` levels: named ones first, then those with few levels.

    Parts of the calendar are left to the plays of time.
    """
    found = [
        c
        for c in table.having("dim", "geo", "boolean", "ordinal", "dim_high")
        if 2 <= c.distinct <= levels and not _calendar(c) and c.nulls <= 0.5 * max(table.rows, 1)
        and (c.use != "ordinal" or c.dtype == "text")
    ]  # fmt: skip
    kept = {name: set(table.structure.total_members(name)) for name in (c.name for c in found)}
    found = [c for c in found if c.distinct - len(kept[c.name]) >= 2]
    return tuple(sorted(found, key=lambda c: (*_wish(c, intent), c.distinct))[:most])


def _calendar(column: TableColumn) -> bool:
    return bool(set(name_tokens(column.name)) & CALENDAR_WORDS) and column.dtype != "text"


def _wish(column: TableColumn, intent: Intent) -> tuple[int, int]:
    named = intent.columns.index(column.name) if column.name in intent.columns else len(intent.columns)
    return (0 if column.name == intent.target else 1, named)


def key_measure(table: Table, intent: Intent) -> TableColumn | None:
    """Return the number that matters most: the target, one that the intent names, or the widest flow."""
    found = measures(table, intent)
    asked = [c for c in found if c.name == intent.target or c.name in intent.columns]
    return next(
        iter([*asked, *([flow] if (flow := main_flow(table)) in found and flow else []), *found]), None
    )


def key_flow(table: Table, intent: Intent) -> TableColumn | None:
    """Return the measure that may be added up and matters most."""
    found = [c for c in measures(table, intent) if c.use in ("flow", "count")]
    asked = [c for c in found if c.name == intent.target or c.name in intent.columns]
    wide = main_flow(table, intent.target)
    return next(iter([*asked, *([wide] if wide is not None and wide in found else []), *found]), None)


def size_flow(table: Table, value: TableColumn) -> TableColumn | None:
    """Return the flow that measures size beside a result: the widest without negatives."""
    found = [
        c
        for c in table.having("flow")
        if c.name != value.name and _low(c) >= 0 and not _related(table, c, value)
    ]
    return max(found, key=lambda c: (reach(c), -table.columns.index(c)), default=None)


def _low(column: TableColumn) -> float:
    try:
        return float(column.min or "nan")
    except ValueError:
        return float("nan")


def may_be_negative(column: TableColumn) -> bool:
    """Tell whether a column holds values below zero."""
    return _low(column) < 0


def clusters(table: Table, group: str = "") -> list[str]:
    """Return the columns that tell independent units apart: orders of lines, entities of a panel."""
    structure = table.structure
    if structure.coarse_key:
        return [structure.coarse_key]
    return [name for name in structure.entities if name != group]


def units_by_level(table: Table, group: str) -> float:
    """Return about how many independent units a level of the group has."""
    structure = table.structure
    parts = dict(structure.parts)
    levels = len(parts.get(group, ())) or max(table.column(group).distinct, 1)
    if not structure.entities:
        return table.rows / levels
    others = 1.0
    for name in structure.entities:
        if name != group:
            others *= len(parts.get(name, ())) or table.column(name).distinct
    return others if group in structure.entities else others / levels


def linked_pairs(table: Table) -> list[list[str]]:
    """Return the pairs of columns that are related by construction: rules, sums, policies."""
    names = [column.name for column in table.columns]
    pairs = [list(pair) for pair in table.structure.determined]
    for a, b, c in table.structure.policies:
        pairs += [[a, c], [b, c]]
    for total, formula in table.structure.identities:
        parts = [name for name in names if name != total and _mentions(formula, name)]
        pairs += [[total, part] for part in parts]
    return [list(pair) for pair in sorted({(a, b) if a < b else (b, a) for a, b in pairs if a != b})]


def _related(table: Table, a: TableColumn, b: TableColumn) -> bool:
    return any({a.name, b.name} == set(pair) for pair in linked_pairs(table))


def _mentions(formula: str, name: str) -> bool:
    return re.search(rf"(?<!\w){re.escape(name)}(?!\w)", formula) is not None


def fixes(table: Table, a: str, b: str) -> bool:
    """Tell whether one of two columns is a function of the other."""
    return (a, b) in table.structure.determined or (b, a) in table.structure.determined
