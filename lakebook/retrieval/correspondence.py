"""Old column names of a notebook matched to the columns of the table under analysis (NotebookRAG §4.2.3).

The matching itself is `lakebook.correspondence`; here the analyst's table takes the place of the new side,
and what stays below the cut is refused, since a wrong column is worse than none.
"""

from __future__ import annotations

from collections.abc import Sequence

from lakebook.analyst.table import Table, TableColumn
from lakebook.correspondence.evidence import OldColumn
from lakebook.correspondence.match import APPLIED, match
from lakebook.correspondence.profile import ColumnProfile, Key, ProfileKind, comparable
from lakebook.retrieval.result import Correspondence

_KINDS: dict[str, ProfileKind] = {
    "number": "number",
    "integer": "number",
    "datetime": "date",
    "boolean": "boolean",
    "text": "category",
}


def correspond(
    old: Sequence[OldColumn],
    table: Table,
    *,
    in_file_order: bool = False,
    cut: float = APPLIED,
    profiles: Sequence[ColumnProfile] = (),
) -> tuple[Correspondence, ...]:
    """Match old columns to columns of the table, one to one; what is unsure is left out.

    Args:
        old: the old columns; names repeated are taken once.
        table: the new table.
        in_file_order: True if `old` is in the order of its file, so that neighbours are evidence.
        cut: the probability below which a pair is refused.
        profiles: what `profiles_of` says of the table, if that is at hand.
    """
    found = match(old, profiles or profiles_of(table), in_order=in_file_order)
    return tuple(
        Correspondence(pair.old, pair.new, pair.probability, pair.reason)
        for pair in (*found.pairs, *found.asked, *found.refused)
        if pair.new and pair.probability >= cut
    )


def profiles_of(table: Table) -> tuple[ColumnProfile, ...]:
    """Return what is compared of each column of a table."""
    return tuple(_profile(column) for column in table.columns)


def _profile(column: TableColumn) -> ColumnProfile:
    """Return what the analyst's table tells of a column's values."""
    counts: dict[Key, int] = {}
    for level, rows in column.levels:
        key = comparable(level)
        counts[key] = counts.get(key, 0) + rows
    return ColumnProfile(
        name=column.name,
        kind=_KINDS[column.dtype],
        rows=sum(counts.values()),
        distinct=column.distinct,
        counts=counts,
        complete=column.levels_complete,
        quantiles=dict(column.quantiles),
        whole=column.dtype == "integer",
    )


def renames(correspondences: Sequence[Correspondence]) -> dict[str, str]:
    """Return new name -> old name, for the columns whose name changed."""
    return {pair.new: pair.old for pair in correspondences if pair.new != pair.old}
