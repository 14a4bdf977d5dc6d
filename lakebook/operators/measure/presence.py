"""In how many rows a comparison with a constant holds, and which real values are near an absent one."""

from __future__ import annotations

from sqlglot import exp

from lakebook.errors import LakebookError
from lakebook.operators.lake import Lake
from lakebook.sandbox.base import Json
from lakebook.validation.conditions import Match, matches
from lakebook.validation.knowledge import Knowledge, Presence
from lakebook.validation.nearest import nearest
from lakebook.validation.statement import Resolver, Statement, text
from sql import read


def learn_presences(lake: Lake, statement: Statement, knowledge: Knowledge, seconds: float) -> None:
    """Count in how many rows each comparison with a constant holds, unless it is known already."""
    for match in matches(statement, Resolver(knowledge)):
        table, column = match.origin.table, match.origin.column
        seen = knowledge.enumeration(table, column)
        listed = isinstance(match.constant, str) and seen is not None and seen.complete
        if knowledge.presence(table, match.key) is not None:
            continue
        if listed and seen is not None and match.constant in {value.value for value in seen.values}:
            continue
        try:
            rows = _count_matching(lake, match, seconds)
            near = _near_values(lake, match, knowledge, seconds) if rows == 0 else ()
        except LakebookError:
            continue  # the rule then says that it was not checked
        knowledge.learn_presence(table, match.key, Presence(rows, near))


def _count_matching(lake: Lake, match: Match, seconds: float) -> int:
    column = exp.column(match.origin.column, quoted=True)
    value = exp.maybe_parse(match.written, dialect="duckdb")
    query = (
        exp.select(exp.func("count", exp.Star()))
        .from_(exp.to_identifier(match.origin.table, quoted=True))
        .where(exp.EQ(this=column, expression=value))
    )
    return int(lake.fetch(text(query), seconds=seconds).rows[0][0])


def _near_values(lake: Lake, match: Match, knowledge: Knowledge, seconds: float) -> tuple[str, ...]:
    """Return values near a text that is absent; numbers have no near values, their range says more."""
    if not isinstance(match.constant, str):
        return ()
    seen = knowledge.enumeration(match.origin.table, match.origin.column)
    if seen is not None and seen.complete:
        return nearest(match.constant, (value.value for value in seen.values))
    parameters: dict[str, Json] = {
        "table": match.origin.table,
        "columns": [match.origin.column],
        "text": match.constant,
        "most": 40,
    }
    found = lake.fetch(read("diagnose/find_near_values"), parameters, seconds=seconds)
    return nearest(match.constant, (str(row[0]) for row in found.rows))
