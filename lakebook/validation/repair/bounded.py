"""The bounded loop: propose, hold against what may not change, check and run again, at most twice."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import Generic, Protocol, TypeVar

import sqlglot
from sqlglot.errors import SqlglotError
from sqlglot.tokens import TokenType

from lakebook.operators.record import Finding, Repair
from lakebook.validation.knowledge import Knowledge
from lakebook.validation.registry import verdict
from lakebook.validation.repair import dialect, grouping, names, values
from lakebook.validation.repair.base_sources import base_sources
from lakebook.validation.repair.failure import Failure, Mender, Proposal
from lakebook.validation.statement import parse

MOST_TRIES = 2
REPAIRED = "R1"

_WRITING = frozenset({"dialect", "quotes"})
# In this order: what keeps a statement from being read, what names nothing, what fails when it runs.
MENDERS: tuple[Mender, ...] = (
    dialect.other_writing,
    names.names_without_quotes,
    names.names_written_otherwise,
    values.values_spelt_otherwise,
    dialect.other_functions,
    grouping.group_by_missing,
    grouping.aggregate_among_conditions,
    values.dates_in_their_format,
    values.casts_of_dressed_numbers,
)


class Outcome(Protocol):
    """What running a statement gives."""

    @property
    def findings(self) -> tuple[Finding, ...]:
        """What the rules say."""
        ...

    @property
    def error(self) -> str:
        """What the engine says, "" if it ran."""
        ...


O = TypeVar("O", bound=Outcome)  # noqa: E741
Rerun = Callable[[str], O]
# Asks a model for a statement; "" if it has none. It is told of earlier tries, whose reasons it should heed.
Asked = Callable[[Failure, Sequence[Repair], Knowledge], str]


@dataclass(frozen=True, slots=True)
class Repairing:
    """That statements are mended at all, and whom to ask where no sure means applies (None: nobody)."""

    ask: Asked | None = None


@dataclass(frozen=True, slots=True)
class Repaired(Generic[O]):
    """What came of it: the statement that stands, its outcome, the tries; `finding` tells of the change."""

    sql: str
    outcome: O
    repairs: tuple[Repair, ...] = ()
    finding: Finding | None = None


def repaired(
    sql: str,
    outcome: O,
    rerun: Rerun[O],
    knowledge: Knowledge,
    ask: Asked | None = None,
    most: int = MOST_TRIES,
) -> Repaired[O]:
    """Mend a statement that failed or was rejected for its writing.

    Args:
        sql: as submitted.
        outcome: what came of it.
        rerun: checks and runs a statement, as the submitted one was.
        knowledge: what is known of the lake.
        ask: a model's proposal, asked for when no sure means applies; None asks nobody.
        most: tries in all.

    Returns:
        The mended statement with its outcome, else the submitted one with its own; the tries in either case.
    """
    failure = Failure(sql, outcome.error, outcome.findings)
    if not _failed(outcome) or not failure.curable:
        return Repaired(sql, outcome)
    base = base_sources(parse(sql), knowledge)
    tries: list[Repair] = []
    changes: list[str] = []
    while len(tries) < most:
        proposal = _proposed(failure, knowledge, tries, ask)
        if proposal is None:
            break
        refused = _refusal(proposal, sql, base, knowledge)
        came = outcome if refused else rerun(proposal.sql)
        still = refused or _still_fails(came)
        tries.append(Repair(proposal.kind, failure.told, failure.sql, proposal.sql, still))
        if not refused:
            changes.append(proposal.changed)
        if not still:
            return Repaired(proposal.sql, came, tuple(tries), _note(sql, proposal.sql, tries, changes))
        if not refused:
            failure = Failure(proposal.sql, came.error, came.findings)
            if not failure.curable:
                break
    return Repaired(sql, outcome, tuple(tries))


def _note(submitted: str, ran: str, tries: Sequence[Repair], changes: Sequence[str]) -> Finding:
    """Return the finding that says what was changed, and why."""
    written = sorted(_literals(ran) - _literals(submitted))
    return Finding(
        REPAIRED,
        "advise",
        f"The statement failed and was mended: {'; '.join(changes)}.",
        observed=f"It failed with: {tries[0].reason.rstrip('.')}",
        hint=f"See whether this still asks what was meant: {ran}",
        values=tuple(f"'{value}'" for value in written),
    )


def _failed(outcome: Outcome) -> bool:
    return bool(outcome.error) or verdict(outcome.findings) == "reject"


def _still_fails(outcome: Outcome) -> str:
    """Return why a candidate is of no use, "" if it ran."""
    if not _failed(outcome):
        return ""
    return f"it fails too: {Failure('', outcome.error, outcome.findings).told}"


def _proposed(
    failure: Failure, knowledge: Knowledge, tries: Sequence[Repair], ask: Asked | None
) -> Proposal | None:
    """Return the next candidate: by the first sure means that was not tried, else the model's."""
    tried = {one.after for one in tries} | {failure.sql}
    for mender in MENDERS:
        proposal = mender(failure, knowledge)
        if proposal is not None and proposal.sql not in tried:
            return proposal
    said = ask(failure, tries, knowledge) if ask is not None else ""
    return Proposal("model", said, "a model rewrote it") if said and said not in tried else None


def _refusal(proposal: Proposal, submitted: str, base: frozenset[str] | None, knowledge: Knowledge) -> str:
    """Return why a candidate is not even run, "" if it may be."""
    candidate = base_sources(parse(proposal.sql), knowledge)
    if base is None and proposal.kind in _WRITING:
        base = candidate  # nothing but signs was changed, and without them nothing could be read
    if base is None or candidate is None:
        return "which tables it reads cannot be told"
    if candidate != base:
        return f"it reads other tables: {', '.join(sorted(candidate)) or 'none'}"
    added = _literals(proposal.sql) - _literals(submitted)
    if proposal.kind == "model" and added:
        return f"it writes values of its own: {', '.join(sorted(added))}"
    return ""


def _literals(sql: str) -> set[str]:
    """Return the texts and numbers of a statement; formats of dates are none."""
    try:
        tokens = sqlglot.tokenize(sql, read="duckdb")
    except (SqlglotError, ValueError, RecursionError):
        return set()
    kinds = (TokenType.STRING, TokenType.NUMBER)
    found = {one.text for one in tokens if one.token_type in kinds}
    return {one for one in found if not (one.startswith("%") or one in ("0", "1"))}
