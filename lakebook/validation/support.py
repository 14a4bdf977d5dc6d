"""What an answer's numbers rest on: the records that hold them, and the numbers that no record holds.

What belongs here: gathering what was recorded, and looking each number up. How numbers are read out of a text
is the business of `stated_numbers`; what follows from a missing one is for the rules (`rules.answer`).
"""

from __future__ import annotations

import ast
import re
from collections.abc import Iterator, Mapping
from dataclasses import dataclass

from lakebook.operators.record import ExecutionRecord
from lakebook.sandbox.base import Json
from lakebook.syntax import parse_python
from lakebook.validation.invocation import Invocation
from lakebook.validation.knowledge import Knowledge, KnownTable
from lakebook.validation.stated_numbers import (
    Recorded,
    Stated,
    numbers_in,
    numbers_of,
    of_value,
    stated_numbers,
)

_COMMENT = re.compile(r"--[^\n]*|/\*.*?\*/", re.DOTALL)
_PERCENT = frozenset({"%", "percent", "per cent", "pct"})
_PERCENTAGE = re.compile(r"%|\bper\s?cent|\bpct\b|\bshares?\b|\bproportion|\brates?\b", re.IGNORECASE)


@dataclass(frozen=True, slots=True)
class Support:
    """What the numbers of an answer rest on.

    Attributes:
        found: number as it is stated -> id of a record that holds it ("" for the question or the conditions).
        missing: numbers that nothing holds, each with the closest value that was recorded, and where.
        complete: everything that was recorded was looked through.
    """

    found: Mapping[str, str]
    missing: tuple[tuple[Stated, tuple[float, str] | None], ...]
    complete: bool = True


def support_of(invocation: Invocation, knowledge: Knowledge) -> Support:
    """Look up every number of an answer's text and value: in the records that it names first."""
    sound = [record for record in invocation.records if is_sound(record)]
    named = set(invocation.references or ())
    waiting = [*stated_numbers(invocation.text), *_in_value(invocation)]
    found: dict[str, str] = {}
    closest: dict[str, tuple[float, str]] = {}
    for pool in _pools(invocation, knowledge, sound, named):
        missing = []
        for stated in waiting:
            place = pool.holds(stated)
            if place is not None:
                found[stated.text] = place
                continue
            missing.append(stated)
            near = pool.nearest(stated)
            if near is not None and near[1]:
                closest.setdefault(stated.text, near)
        waiting = missing
        if not waiting:
            break
    complete = not any(record.id in invocation.partial for record in sound)
    return Support(found, tuple((one, closest.get(one.text)) for one in waiting), complete)


def _pools(
    invocation: Invocation, knowledge: Knowledge, sound: list[ExecutionRecord], named: set[str]
) -> Iterator[Recorded]:
    """Give what an answer may rest on, nearest first; each is gathered only if the ones before do not do."""
    yield _recorded(invocation, [record for record in sound if record.id in named])
    yield Recorded((number, "") for number in _conditions(invocation, knowledge, sound))
    yield _recorded(invocation, [record for record in sound if record.id not in named])


def _recorded(invocation: Invocation, records: list[ExecutionRecord]) -> Recorded:
    return Recorded(
        (number, record.id)
        for record in records
        for number in numbers_of(invocation.results.get(record.id, record.result))
    )


def is_sound(record: ExecutionRecord) -> bool:
    """Whether a record holds a result that an answer may rest on."""
    return record.operator != "Answer" and not record.error and record.verdict != "reject"


def _in_value(invocation: Invocation) -> Iterator[Stated]:
    contract = invocation.contract
    decimals = contract.decimals if contract is not None else None
    yield from _of_value(invocation.value, decimals, _asks_percent(invocation))


def _asks_percent(invocation: Invocation) -> bool:
    """Whether a value may be a recorded share times 100: the contract, the question or the text says so."""
    if invocation.contract is not None and invocation.contract.unit:
        return invocation.contract.unit.strip().lower() in _PERCENT
    asked = invocation.question.text if invocation.question is not None else ""
    return _PERCENTAGE.search(f"{asked} {invocation.text}") is not None


def _of_value(value: Json, decimals: int | None, percent: bool) -> Iterator[Stated]:
    if isinstance(value, bool) or value is None:
        return
    if isinstance(value, (int, float)):
        yield of_value(value, decimals, percent)
    elif isinstance(value, str):
        yield from stated_numbers(value)
    elif isinstance(value, list):
        for item in value:
            yield from _of_value(item, decimals, percent)
    elif isinstance(value, dict):
        for item in value.values():
            yield from _of_value(item, decimals, percent)


def _conditions(
    invocation: Invocation, knowledge: Knowledge, sound: list[ExecutionRecord]
) -> Iterator[float]:
    """Give numbers that are no finding: of the question, of names, of what was read and how."""
    if invocation.question is not None:
        yield from numbers_in(invocation.question.text)
    value = invocation.value
    if isinstance(value, (list, dict)):
        yield float(len(value))
    for record in sound:
        sql, code = record.arguments.get("sql"), record.arguments.get("code")
        if isinstance(sql, str):
            yield from numbers_in(_COMMENT.sub(" ", sql))
        if isinstance(code, str):
            yield from _constants(code)
        for seen in record.observations:
            yield from numbers_of(seen.value)
            yield from numbers_in(seen.coverage.note)
        for source in record.inputs:
            yield from (float(source.rows), float(source.rows_in_source))
    read = {source.source for record in sound for source in record.inputs}
    yield float(len(read))
    for table in knowledge.tables.values():
        for name in (table.name, table.source, *(column.name for column in table.columns)):
            yield from numbers_in(name)
        if table.source in read:
            yield from _of_card(table)


def _of_card(table: KnownTable) -> Iterator[float]:
    """Give what the card of a table that was read tells of it: how much it holds, and from where to where."""
    yield from (float(table.rows), float(table.rows_in_source), float(len(table.columns)))
    for column in table.columns:
        yield from (float(column.nulls), float(column.distinct))
        yield from numbers_in(f"{column.min or ''} {column.max or ''}")


def _constants(code: str) -> Iterator[float]:
    try:
        tree = parse_python(code)
    except (SyntaxError, ValueError, RecursionError, MemoryError):
        return
    for node in ast.walk(tree):
        if isinstance(node, ast.Constant):
            if isinstance(node.value, (int, float)) and not isinstance(node.value, bool):
                yield from numbers_in(repr(node.value))
            elif isinstance(node.value, str):
                yield from numbers_in(node.value)
