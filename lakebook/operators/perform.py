"""Which function carries out an operation, and with what of the shared state.

Query is not here: its callers need more of it than its record holds (`runtime`).
"""

from __future__ import annotations

from lakebook.errors import OperatorError
from lakebook.operators.answer import answer_contract
from lakebook.operators.arguments import Answer, Compute, Inspect, Load, Probe, Read, Search
from lakebook.operators.compute import compute_tables
from lakebook.operators.inspect_table import inspect
from lakebook.operators.load import load, load_arguments, load_group
from lakebook.operators.probe import match_keys, probe
from lakebook.operators.read_text import read_text
from lakebook.operators.search import search
from lakebook.operators.state import Ran, SharedState
from lakebook.sandbox.base import Json


def perform(
    state: SharedState,
    operation: Search | Read | Load | Inspect | Probe | Compute | Answer,
    seconds: float | None,
) -> tuple[dict[str, Json], Ran]:
    """Carry out an operation; return its arguments as they are recorded, and how it went.

    Raises:
        LakebookError: it could not be carried out.
    """
    arguments = operation.arguments
    match operation:
        case Search():
            return arguments, search(state, operation)
        case Read():
            return arguments, read_text(state, operation)
        case Load():
            return _load(state, operation)
        case Inspect():
            return arguments, inspect(state, operation)
        case Probe():
            return arguments, _probe(state, operation)
        case Compute():
            return arguments, compute_tables(state, state.bench, operation, seconds)
        case Answer():
            return arguments, answer_contract(state, operation)


def _probe(state: SharedState, operation: Probe) -> Ran:
    known = state.known(operation.table)
    names = [state.column(known, name).name for name in operation.columns]
    if operation.kind != "match":
        return probe(state, known, names, operation.kind)
    other = state.known(operation.other_table)
    paired = [state.column(other, name).name for name in operation.other_columns or operation.columns]
    return match_keys(state, known, names, other, paired)


def _load(state: SharedState, operation: Load) -> tuple[dict[str, Json], Ran]:
    if operation.table:
        group = next((one for one in state.source_map.groups if one.table == operation.table), None)
        if group is not None:
            return {"table": group.table}, load_group(state, group)
        card, unit = state.find(operation.table)
    else:
        card, only = state.find_source(operation.path, operation.unit)
        if only is None:
            names = ", ".join(repr(one.unit) for one in card.units)
            raise OperatorError(f"{card.path} has several units.", hint=f"Name one as `unit`: {names}.")
        unit = only
    return load_arguments(card, unit), load(state, card, unit)
