"""Answering a question without a model: read it, run every reading, and answer if they leave no doubt.

A question is answered only if every word of it has its place (`grammar`) and all readings that stretch names
equally little give one answer. Otherwise it is declined, with what is in the way. All queries go through the
runtime, so that its rules hold here as anywhere; what they reject is reported. Paper: RADAR §3.
"""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass, replace
from itertools import groupby

from lakebook.agent.offline import lake, statement, words
from lakebook.agent.offline.binding import Binding
from lakebook.agent.offline.grammar import readings
from lakebook.agent.offline.outcome import Ask, Declined, OfflineAnswer
from lakebook.agent.offline.plan import Plan
from lakebook.agent.offline.tokens import Token, name_words, tokens, without_rounding
from lakebook.agent.offline.wording import word
from lakebook.operators.query import QueryResult
from lakebook.operators.record import Finding
from lakebook.operators.runtime import Runtime
from lakebook.sandbox.base import Json
from lakebook.validation.registry import verdict

MOST_READINGS = 12
_SECONDS = 60.0
_TOTALS = (("total",), ("all",), ("overall",), ("grand",))
_FORMS = (
    "Questions that can be read name a count, sum, average, median, extreme, share or change of a column, "
    "perhaps for some rows only, for each group, or over time."
)


@dataclass(frozen=True, slots=True)
class Tried:
    """A reading that was run."""

    plan: Plan
    sql: str
    result: QueryResult

    @property
    def key(self) -> Json:
        """What the reading answers, so that readings can be compared."""
        rows = [list(row) for row in self.result.rows]
        named = len(self.plan.groups)
        if self.plan.ranking:
            return [row[:named] for row in rows]
        names = (statement.RESULT, *statement.further(self.plan))
        places = [self.result.columns.index(name) for name in names]
        return sorted(
            ([*map(str, row[:named]), *(_rounded(row[place]) for place in places)] for row in rows), key=str
        )


def answer(question: str, runtime: Runtime, *, ask: Ask | None = None) -> OfflineAnswer | Declined:
    """Answer a question from the tables of a lake, or decline it.

    Args:
        question: in English.
        runtime: the lake; its records hold all that was run.
        ask: puts a question with options to a person, and gives the option chosen or None.

    Returns:
        The answer, or why there is none and what would help.

    Raises:
        LakebookError: the lake cannot be read.
    """
    plain, decimals = without_rounding(question)
    pieces = tokens(plain)
    if not any(piece.kind in ("word", "quoted") for piece in pieces):
        return Declined("The question has no words.", "Ask for a number, or for which group has the most.")
    bindings: list[Binding] = []
    for tier in lake.subjects(runtime):
        bound = [lake.bind(runtime, subject, pieces) for subject in lake.named_in(tier, pieces)]
        bindings += bound
        plans = [replace(plan, decimals=decimals) for one in bound for plan in readings(one)]
        plans = _counted_once(plans, runtime)
        plans.sort(key=lambda plan: plan.cost)
        found = _decide(plans, runtime, ask)
        if found is not None:
            return found
    return _unreadable(pieces, bindings)


def _counted_once(plans: Sequence[Plan], runtime: Runtime) -> list[Plan]:
    """Leave out plans over files that hold the same rows, unless the question chooses one of the files."""
    groups = {plan.subject for plan in plans if plan.subject.member_column}
    twice = {subject for subject in groups if lake.overlapping(runtime, subject)}
    return [plan for plan in plans if plan.subject not in twice or _one_file(plan)]


def _one_file(plan: Plan) -> bool:
    member = plan.subject.member_column
    return any(
        one.part.field.name == member and one.how == "is" and len(one.values) == 1 and not one.negated
        for one in plan.conditions
    )


def _decide(plans: Sequence[Plan], runtime: Runtime, ask: Ask | None) -> OfflineAnswer | Declined | None:
    """Run the readings, least stretched first, and answer by the first level at which any holds."""
    rejected: Declined | None = None
    for _, level in groupby(plans, key=lambda plan: plan.cost):
        every = list(level)
        if len(every) > MOST_READINGS:
            return _ambiguous([plan.told() for plan in every], ())
        if listed := _of_lists(every, runtime):
            return listed
        tried = [_run(plan, runtime) for plan in every]
        held = [one for one in tried if _holds(one)]
        if held:
            return _choose(held, runtime, ask)
        rejected = rejected or _refused(tried)
        if any(plan.measure.statistic != "value" for plan in every):
            return rejected  # what the words say most plainly has no rows: no other reading is sought
    return rejected


def _of_lists(plans: Sequence[Plan], runtime: Runtime) -> Declined | None:
    """Decline to group by, or count, cells that hold several values: each may be meant, or each cell."""
    for plan in plans:
        parts = [part.field for part in plan.groups if not part.grain]
        if plan.measure.statistic == "distinct" and plan.measure.field:
            parts.append(plan.measure.field)
        for one in parts:
            if lake.lists(runtime, one):
                return Declined(
                    f"It was read as {plan.told()}, but cells of {one.name} list several values, and the "
                    "words leave open whether a cell or each value in it is meant.",
                    "Ask about one value, or split the cells in SQL (lakebook query, string_split, unnest).",
                )
    return None


def _run(plan: Plan, runtime: Runtime) -> Tried:
    sql = statement.select(plan).sql(dialect="duckdb")
    tables = [plan.subject.table.name, *([plan.subject.link.other.name] if plan.subject.link else [])]
    return Tried(plan, sql, runtime.query(sql, tables, purpose=f"reading: {plan.told()}", seconds=_SECONDS))


def _holds(tried: Tried) -> bool:
    """Say whether a reading gives an answer: a lookup must meet one value, a statistic some rows."""
    result = tried.result
    if result.record.error or result.record.verdict == "reject" or not result.rows or result.more:
        return False
    if tried.plan.measure.statistic == "value":
        return len(result.rows) == 1 and result.rows[0][0] is not None
    where = result.columns.index(statement.RESULT)
    return any(row[where] is not None for row in result.rows)


def _refused(tried: Sequence[Tried]) -> Declined | None:
    """Say why no reading of a level gives an answer, if that is worth saying."""
    for one in tried:
        record = one.result.record
        if record.error or record.verdict == "reject":
            reason = record.error or "; ".join(f.message for f in record.findings if f.action == "reject")
            hints = "; ".join(f.hint for f in record.findings if f.action == "reject" and f.hint)
            return Declined(
                f"It was read as {one.plan.told()}, but the query was not run: {reason}",
                hints or "See the record.",
                records=(record.id,),
                findings=record.findings,
            )
    for one in tried:
        found = len(one.result.rows)
        if one.plan.measure.statistic == "value" and found > 1:
            many = f"more than {found:,}" if one.result.more else f"{found:,}"
            return Declined(
                f"It was read as {one.plan.told()}, but {many} rows fulfil that.",
                "Say which row is meant, or ask for the average, total, highest or lowest.",
                records=(one.result.record.id,),
            )
    for one in tried:
        return Declined(
            f"It was read as {one.plan.told()}, but no row with a value fulfils that.",
            "Ask for something that the data hold.",
            records=(one.result.record.id,),
        )
    return None


def _choose(held: Sequence[Tried], runtime: Runtime, ask: Ask | None) -> OfflineAnswer | Declined:
    """Answer if all readings agree; else ask the person, if one is there, or decline."""
    first = held[0]
    others = [one for one in held[1:] if one.key != first.key]
    if not others:
        return _submit(first, len(held), runtime)
    options = [_option(one.plan) for one in held]
    if ask is not None:
        chosen = ask("The question can be read in several ways. Which is meant?", options)
        if chosen is not None and 0 <= chosen < len(held):
            return _submit(held[chosen], 1, runtime)
    return _ambiguous(options, [one.result.record.id for one in held])


def _option(plan: Plan) -> str:
    """Tell a reading, with its table."""
    return (
        plan.told() if plan.measure.statistic == "count" else f"{plan.told()} (in {plan.subject.table.name})"
    )


def _ambiguous(options: Sequence[str], records: Sequence[str]) -> Declined:
    listed = "; ".join(f"({n}) {option}" for n, option in enumerate(options[:6], 1))
    return Declined(
        f"The words leave open what is meant, and the answers differ: {listed}.",
        "Name the column, the statistic or the table in full.",
        options=tuple(options),
        records=tuple(records),
    )


def _submit(tried: Tried, agreeing: int, runtime: Runtime) -> OfflineAnswer | Declined:
    """Put the answer to the Answer operator, and hand it back if it is accepted."""
    plan, record = tried.plan, tried.result.record
    if doubt := _of_totals(tried):
        return doubt
    worded = word(plan, tried.result)
    submitted = runtime.answer(worded.text, worded.claims, purpose="offline answer")
    findings: tuple[Finding, ...] = (*record.findings, *submitted.findings)
    if submitted.verdict == "reject":
        reason = "; ".join(finding.message for finding in submitted.findings if finding.action == "reject")
        return Declined(
            f"The answer was not accepted: {reason}", "See the record.", (), (), (submitted.id,), findings
        )
    assumptions = list(plan.assumptions)
    if plan.subject.link:
        link = plan.subject.link
        assumptions.append(f"{plan.subject.table.name} and {link.other.name} belong together by {link.key}.")
    if agreeing > 1:
        assumptions.append(f"The words can be read in {agreeing} ways; all give this answer.")
    return OfflineAnswer(
        value=worded.value,
        type=worded.type,
        text=worded.text,
        claims=worded.claims,
        sql=tried.sql,
        did=plan.told(),
        assumptions=tuple(assumptions),
        notes=worded.notes,
        unit=worded.unit,
        sources=record.inputs,
        files=_files(plan),
        records=(record.id, submitted.id),
        verdict=verdict(findings),
        findings=findings,
    )


def _of_totals(tried: Tried) -> Declined | None:
    """Decline a sum over parts and their total together, and a total that comes out first among its parts."""
    plan, record = tried.plan, tried.result.record
    told = [finding for finding in record.findings if finding.rule == "F18"]
    if plan.measure.statistic == "sum" and told:
        reason = f"It was read as {plan.told()}. {told[0].message}"
        return Declined(reason, told[0].hint, records=(record.id,), findings=record.findings)
    labels = [row[0] for row in tried.result.rows] if plan.ranking else []
    totals = [label for label in labels if isinstance(label, str) and name_words(label)[:1] in _TOTALS]
    if totals:
        return Declined(
            f"It was read as {plan.told()}, but “{totals[0]}” looks like a total of the others.",
            f"Leave it out: add “excluding {totals[0]}”.",
            records=(record.id,),
        )
    return None


def _files(plan: Plan) -> tuple[str, ...]:
    """Return which files of a group were read as one table, with their rows."""
    member = plan.subject.table.column(plan.subject.member_column) if plan.subject.member_column else None
    if member is None:
        return ()
    chosen = [c for c in plan.conditions if c.part.field.name == member.name and c.how == "is"]
    kept = {str(value) for one in chosen for value in one.values}
    listed = [value for value in member.values if not kept or value.value in kept]
    return tuple(f"{value.value} ({value.rows:,} rows)" for value in sorted(listed, key=lambda v: v.value))


def _unreadable(pieces: tuple[Token, ...], bindings: Sequence[Binding]) -> Declined:
    """Say which words have no meaning here, or that all have one and still no reading takes them all."""
    missing = tuple(lake.unread(pieces, bindings, words.known()))
    if not missing:
        return Declined(
            f"All words are known, but not their order: no reading takes them all. {_FORMS}",
            "Say it more simply.",
        )
    near = [name for token in missing for name in lake.near_columns(token, bindings)]
    named = ", ".join(f"“{token}”" for token in missing)
    tables = ", ".join(dict.fromkeys(one.subject.table.name for one in bindings))
    hint = f"Did you mean {', '.join(near[:4])}?" if near else f"The tables are: {tables}."
    return Declined(
        f"Nothing in the data is called {named}, and it is no word of an operation.", hint, missing
    )


def _rounded(value: Json) -> Json:
    if isinstance(value, bool) or not isinstance(value, (int, float)):
        return value
    return 0.0 if value == 0 else round(value, 9 - math.floor(math.log10(abs(value))))
