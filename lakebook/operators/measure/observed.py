"""What a query's record tells of what was measured: rows, joins, and the keys of both sides."""

from __future__ import annotations

from collections.abc import Iterator

from lakebook.operators.lake import Rows
from lakebook.operators.record import Observation
from lakebook.sandbox.base import Json
from lakebook.sources.card import Coverage
from lakebook.validation.invocation import Invocation
from lakebook.validation.knowledge import Knowledge
from lakebook.validation.pairs import pairs
from lakebook.validation.statement import Resolver


def observations(invocation: Invocation, knowledge: Knowledge, found: Rows) -> tuple[Observation, ...]:
    """Return what was observed of a query that ran."""
    note = f"the first {len(found.rows):,} rows" if found.more else ""
    seen = [Observation("result_rows", "result", len(found.rows), Coverage(not found.more, note))]
    for measured in invocation.measured:
        if not measured.problem:
            counts: Json = {
                one.alias: {"rows": one.different, "repeats": one.standing} for one in measured.repeats
            }
            value: Json = {"rows": measured.rows, "standing": counts}
            seen.append(Observation("joined_rows", f"select {measured.scope + 1}", value))
    return (*seen, *_keys(invocation, knowledge))


def _keys(invocation: Invocation, knowledge: Knowledge) -> Iterator[Observation]:
    """Yield what is known of the keys that were joined: rows before and after, lost rows, the worst keys."""
    statement = invocation.statement
    if statement is None or statement.tree is None:
        return
    for pair in pairs(statement, Resolver(knowledge)):
        match = knowledge.match(pair.left, pair.right)
        if match is None:
            continue
        sides: Json = {
            str(key): {
                "rows": side.rows,
                "nulls": side.nulls,
                "keys": side.values,
                "unmatched": side.lost,
                "most_rows_of_one": side.most,
            }
            for key, side in ((pair.left, match.left), (pair.right, match.right))
        }
        found: Json = {"sides": sides, "rows_after": match.joined, "worst": dict(match.worst)}
        yield Observation("joined_keys", f"{pair.left} = {pair.right}", found)
