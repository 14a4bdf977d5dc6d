"""Rules on answers: the shape and form that were declared, its files, and numbers that rest on records.

An answer rests on claims, each with code that computes it (the main job), or on the records that it names
(a question). Where its numbers stand in records is found by `validation.support`.
"""

from __future__ import annotations

import re
from collections.abc import Iterator

from lakebook.operators.record import Finding
from lakebook.validation.answer_forms import form_problems, shape_problem, unit_problem
from lakebook.validation.cells import Cells
from lakebook.validation.contract import Artifact
from lakebook.validation.invocation import ArtifactSeen, Invocation
from lakebook.validation.knowledge import Knowledge
from lakebook.validation.nearest import nearest
from lakebook.validation.registry import rule
from lakebook.validation.support import is_sound, support_of

_NUMBER = re.compile(r"(?<![\w.])[-+−]?\d[\d,]*(?:\.\d+)?%?")


@rule(
    "O6",
    operator="Answer",
    detects="an answer of another shape than was declared: rows for one value, another number of entries",
    evidence="the contract of the answer (complete)",
    action="reject",
    reference="RADAR §3.2 (declared result type); catalogue O6",
)
def other_shape(invocation: Invocation, knowledge: Knowledge) -> Iterator[Finding]:
    """Reject a scalar for a list, a list for a scalar, and a wrong number of entries."""
    contract = invocation.contract
    if contract is None or invocation.references is None:
        return
    problem = shape_problem(contract, invocation.value)
    if problem is not None:
        yield Finding("O6", "reject", problem.message, problem.observed, problem.hint)


@rule(
    "O7",
    operator="Answer",
    detects="an answer whose type, rounding, unit, choice or pattern is not the declared one",
    evidence="the contract of the answer (complete)",
    action="reject",
    reference="RADAR §3.2 (declared result type); catalogue O7",
)
def other_form(invocation: Invocation, knowledge: Knowledge) -> Iterator[Finding]:
    """Reject what is not written as it was asked for; advise where a text leaves out the unit."""
    contract = invocation.contract
    if contract is None or invocation.references is None:
        return
    if shape_problem(contract, invocation.value) is None:
        for problem in form_problems(contract, invocation.value):
            yield Finding("O7", "reject", problem.message, problem.observed, problem.hint)
    unit = unit_problem(contract, invocation.value, invocation.text)
    if unit is not None:
        yield Finding("O7", unit.action, unit.message, unit.observed, unit.hint)


@rule(
    "O8",
    operator="Answer",
    detects="a file of the answer that is missing, empty, unreadable, or has other columns, rows or order",
    evidence="the kept files, each read as a file of the lake is (complete)",
    action="reject",
    reference="RADAR §3.2 (artifact requirements); catalogue O8",
)
def artifact_not_as_declared(invocation: Invocation, knowledge: Knowledge) -> Iterator[Finding]:
    """Reject an answer whose files are not what was declared."""
    seen = {one.path: one for one in invocation.artifacts}
    wanted = {one.path: one for one in (invocation.contract.artifacts if invocation.contract else ())}
    for path in dict.fromkeys((*wanted, *seen)):
        found = seen.get(path)
        problem = _missing(path, found, seen) if found is None or not found.kept else ""
        problem = problem or (_unlike(wanted[path], found) if found and path in wanted else _unread(found))
        if problem:
            conflict, _, observed = problem.partition("\n")
            yield Finding(
                "O8",
                "reject",
                conflict,
                observed,
                "Write it again in a Compute that declares it as artifact.",
            )


def _missing(path: str, found: ArtifactSeen | None, seen: dict[str, ArtifactSeen]) -> str:
    kept = [name for name, one in seen.items() if one.kept]
    near = nearest(path, kept, 1)
    if found is None:
        return f"The answer does not come with {path}, which was asked for.\n" + (
            f"it comes with {near[0]}" if near else f"it comes with {', '.join(kept) or 'no file'}"
        )
    return f"No computation wrote {path}.\nno record declares or made it"


def _unread(found: ArtifactSeen | None) -> str:
    if found is None:
        return ""
    if not found.size:
        return f"{found.path} is empty.\n0 bytes"
    return f"{found.path} cannot be read.\n{found.problem}" if found.problem else ""


def _unlike(wanted: Artifact, found: ArtifactSeen) -> str:
    problem = _unread(found)
    if problem or not (wanted.columns or wanted.rows is not None or wanted.sorted_by or found.tables):
        return problem
    path = wanted.path
    if not found.tables:
        return f"{path} holds no table.\nasked for: {', '.join(wanted.columns) or 'rows'}"
    columns, rows = found.tables[0]
    if wanted.columns and tuple(wanted.columns) != columns:
        same = sorted(wanted.columns) == sorted(columns)
        what = "its columns in another order" if same else "other columns"
        return f"{path} has {what}.\nasked for: {', '.join(wanted.columns)}; found: {', '.join(columns)}"
    if wanted.rows is not None and rows != wanted.rows:
        return f"{path} has {rows:,} rows.\nasked for: {wanted.rows:,}"
    if not rows:
        return f"{path} has no row.\n0 rows below its header"
    if found.unsorted:
        return f"{path} is not sorted by {', '.join(found.unsorted)}.\nits rows stand in another order"
    return ""


@rule(
    "O9",
    operator="Answer",
    detects="a number that no claim computes, or that stands in no recorded result",
    evidence="the claims of the answer, or the results of all records (complete)",
    action="reject",
    reference="design §5, rule 3; catalogue O9",
)
def number_without_source(invocation: Invocation, knowledge: Knowledge) -> Iterator[Finding]:
    """Reject a number that nobody computed; advise if a part of the results was not looked through."""
    if invocation.references is None:
        yield from _unclaimed(invocation)
        return
    support = support_of(invocation, knowledge)
    for stated, closest in support.missing:
        cell = Cells()
        near = f"; the closest is {cell(f'{closest[0]:.12g}')} in {closest[1]}" if closest is not None else ""
        yield Finding(
            "O9",
            "reject" if support.complete else "advise",
            f"No recorded result holds the number {stated.text}.",
            observed=f"{_sound(invocation)} records hold results{near}",
            hint="Compute it in an operation, round it from what was computed, or leave it out.",
            values=cell.shown(),
        )


def _sound(invocation: Invocation) -> int:
    return sum(is_sound(record) and record.result is not None for record in invocation.records)


def _unclaimed(invocation: Invocation) -> Iterator[Finding]:
    rest = invocation.text
    for shown in sorted({claim.shown for claim in invocation.claims if claim.shown}, key=len, reverse=True):
        rest = re.sub(rf"(?<![\d.,]){re.escape(shown)}(?![\d]|[.,]\d)", " ", rest)
    for number in dict.fromkeys(_NUMBER.findall(rest)):
        yield Finding(
            "O9",
            "reject",
            f"No claim computes the number {number}.",
            observed=f"The answer has {len(invocation.claims)} claims.",
            hint="Compute it in an operation and claim it, or leave it out.",
        )


@rule(
    "O10",
    operator="Answer",
    detects="a claim or reference that rests on no record, or on a record that failed or was rejected",
    evidence="the execution records (complete)",
    action="reject",
    reference="RADAR §3.1 (references to records)",
)
def rests_on_no_record(invocation: Invocation, knowledge: Knowledge) -> Iterator[Finding]:
    """Reject claims and references whose record is not there or holds no result."""
    records = {record.id: record for record in invocation.records}
    resting = [(f"Claim {claim.id} ({claim.shown})", claim.record) for claim in invocation.claims]
    resting += [("The answer", name) for name in invocation.references or ()]
    for who, name in resting:
        record = records.get(name)
        if record is None:
            near = nearest(name, records, 1) if name else ()
            message = f"{who} names no execution record{f' ({name!r} is none)' if name else ''}."
            hint = f"Nearest: {near[0]}." if near else "Run the operation that computes it."
        elif record.error or record.verdict == "reject":
            message = f"{who} rests on {record.id}, which failed."
            hint = "Run the operation that computes it."
        else:
            continue
        yield Finding("O10", "reject", message, observed=f"record {name or '(none)'}", hint=hint)
