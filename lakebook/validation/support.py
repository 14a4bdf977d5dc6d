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
from lakebook.validation.invocation import Invocation
from lakebook.validation.knowledge import Knowledge
from lakebook.validation.stated_numbers import (
    Recorded,
    Stated,
    numbers_in,
    numbers_of,
    of_value,
    stated_numbers,
)

_COMMENT = re.compile(r"--[^\n]*|/\*.*?\*/", re.DOTALL)
_LONGEST_NAME = 80
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
    """Look up every number of an answer's text and value."""
    sound = [record for record in invocation.records if is_sound(record)]
    named = set(invocation.references or ())
    pools = [
        _recorded(invocation, [record for record in sound if record.id in named]),
        _recorded(invocation, [record for record in sound if record.id not in named]),
        Recorded((number, "") for number in _conditions(invocation, sound)),
    ]
    found: dict[str, str] = {}
    missing = []
    for stated in _stated(invocation, knowledge, sound):
        places = (pool.holds(stated) for pool in pools)
        place = next((one for one in places if one is not None), None)
        if place is None:
            missing.append((stated, pools[0].nearest(stated) or pools[1].nearest(stated)))
        else:
            found[stated.text] = place
    complete = not any(record.id in invocation.partial for record in sound)
    return Support(found, tuple(missing), complete)


def _recorded(invocation: Invocation, records: list[ExecutionRecord]) -> Recorded:
    return Recorded(
        (number, record.id)
        for record in records
        for number in numbers_of(invocation.results.get(record.id, record.result))
    )


def is_sound(record: ExecutionRecord) -> bool:
    """Whether a record holds a result that an answer may rest on."""
    return record.operator != "Answer" and not record.error and record.verdict != "reject"


def _stated(invocation: Invocation, knowledge: Knowledge, sound: list[ExecutionRecord]) -> Iterator[Stated]:
    text = invocation.text
    names = {name for name in _names(knowledge) if name in text}
    for record in sound:
        result = invocation.results.get(record.id, record.result)
        names |= {cell for cell in _cells(result) if cell in text}
    yield from stated_numbers(text, names)
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


def _names(knowledge: Knowledge) -> Iterator[str]:
    """Give names with digits: of tables, columns and files."""
    for table in knowledge.tables.values():
        for name in (table.name, table.source, *(column.name for column in table.columns)):
            if any(letter.isdigit() for letter in name):
                yield name


def _cells(value: Json) -> Iterator[str]:
    """Give short texts of a result that hold digits and more than digits: they are names, not numbers."""
    if isinstance(value, str):
        has_digit = any(letter.isdigit() for letter in value)
        if has_digit and len(value) <= _LONGEST_NAME and any(letter.isalpha() for letter in value):
            yield value
    elif isinstance(value, list):
        for item in value:
            yield from _cells(item)
    elif isinstance(value, dict):
        for key, item in value.items():
            yield from _cells(key)
            yield from _cells(item)


def _conditions(invocation: Invocation, sound: list[ExecutionRecord]) -> Iterator[float]:
    """Give the numbers of the question, and those that operations were given: limits, years, thresholds."""
    if invocation.question is not None:
        yield from numbers_in(invocation.question.text)
    value = invocation.value
    if isinstance(value, (list, dict)):
        yield float(len(value))
    for record in sound:
        for source in record.inputs:
            yield from numbers_in(source.source)
        sql, code = record.arguments.get("sql"), record.arguments.get("code")
        if isinstance(sql, str):
            yield from numbers_in(_COMMENT.sub(" ", sql))
        if isinstance(code, str):
            yield from _constants(code)


def _constants(code: str) -> Iterator[float]:
    try:
        tree = ast.parse(code)
    except (SyntaxError, ValueError, RecursionError, MemoryError):
        return
    for node in ast.walk(tree):
        if isinstance(node, ast.Constant):
            if isinstance(node.value, (int, float)) and not isinstance(node.value, bool):
                yield from numbers_in(repr(node.value))
            elif isinstance(node.value, str):
                yield from numbers_in(node.value)
