"""The Search operator: find the groups of sources that a question needs, and take them into the scope.

The ranking is that of `lakebook search` (RADAR §2.2); here it becomes a record.
"""

from __future__ import annotations

from lakebook.errors import OperatorError
from lakebook.exploration.evidence import Evidence
from lakebook.exploration.search import FoundGroup, SearchResult, search_lake
from lakebook.operators.arguments import Search
from lakebook.operators.record import Observation
from lakebook.operators.state import Ran, SharedState
from lakebook.sandbox.base import Json
from lakebook.sources.card import Coverage

MEMBERS_SHOWN = 20
VIEWS = {"all": "", "names": "paths and names", "fields": "columns and values", "content": "content"}


def search(state: SharedState, operation: Search) -> Ran:
    """Search the lake; the sources of the chosen groups enter the scope.

    Raises:
        OperatorError: the runtime was not told where the lake's index is kept.
    """
    if state.kept is None:
        raise OperatorError("the lake has no index to search.", hint="Use the names of its tables.")
    found = search_lake(
        state.source_map,
        state.kept,
        operation.query,
        operation.k,
        view=VIEWS[operation.view],
        selector=state.selector,
    )
    for group in found.groups:
        if group.chosen:
            state.choose(group.selected or group.matched or group.members)
    coverage = Coverage(not found.omitted, "; ".join(found.omitted))
    result: Json = {
        "groups": [_group(state, group) for group in found.groups],
        "evidence": [_evidence(piece) for piece in found.evidence],
        "omitted": list(found.omitted),
        "notes": list(found.notes),
    }
    return Ran(
        observations=(Observation("groups", operation.query, _ranked(found), coverage),), result=result
    )


def _ranked(found: SearchResult) -> Json:
    return {group.id: group.score for group in found.groups}


def _group(state: SharedState, group: FoundGroup) -> Json:
    """Return a group with the tables by which its members can be queried."""
    members = group.selected or group.matched or group.members
    known = next((one for one in state.source_map.groups if one.id == group.id), None)
    tables = [known.table] if known and known.table else []
    for name in members[:MEMBERS_SHOWN]:
        path, _, unit = name.partition("#")
        card = state.source_map.card(name) or state.source_map.card(path)
        units = card.units if card else ()
        whole = card is not None and card.path == name
        tables += [one.table for one in units if one.table and (whole or one.unit == unit)]
    return {
        "id": group.id,
        "members": list(members[:MEMBERS_SHOWN]),
        "members_in_all": len(group.members),
        "tables": list(dict.fromkeys(tables)),
        "score": group.score,
        "why": group.why,
        "chosen": group.chosen,
    }


def _evidence(piece: Evidence) -> Json:
    quoted: Json = piece.text_or_rows if isinstance(piece.text_or_rows, str) else []
    if not isinstance(piece.text_or_rows, str):
        quoted = [dict(row) for row in piece.text_or_rows]
    return {
        "path": piece.path,
        "position": piece.position,
        "text_or_rows": quoted,
        "coverage": piece.coverage,
    }
