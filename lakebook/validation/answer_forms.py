"""Whether a value has the shape and the form that an answer's contract declares, and what is wrong if not.

Only the value and the contract are looked at, so what is said here is certain; the unit alone may stand in
the text instead.
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from dataclasses import dataclass
from datetime import date, datetime

from lakebook.operators.record import Verdict
from lakebook.sandbox.base import Json
from lakebook.validation.contract import Contract
from lakebook.validation.nearest import fold, nearest

_LONGEST = 200
_PERCENT = ("%", "percent", "per cent", "pct", "percentage points", "pp")
_CURRENCIES = (
    ("usd", "us$", "$", "dollar", "dollars"),
    ("eur", "€", "euro", "euros"),
    ("gbp", "£", "pound sterling", "pounds sterling"),
    ("jpy", "¥", "yen"),
)


@dataclass(frozen=True, slots=True)
class Problem:
    """What is wrong with an answer: the conflict, what was observed, and what to do."""

    message: str
    observed: str
    hint: str
    action: Verdict = "reject"


def shape_problem(contract: Contract, value: Json) -> Problem | None:
    """Return why the value has another shape than the declared type and length, None if it has it."""
    kind = contract.type
    if kind is None or kind == "file":
        return _length_problem(contract, value)
    if value is None:
        return Problem(
            f"A {kind} was asked for, and the answer has no value.", "value: null", "Give `value`."
        )
    if kind == "table":
        return _table_problem(value) or _length_problem(contract, value)
    if kind == "list":
        if not isinstance(value, list):
            return Problem(
                "A list was asked for.", f"given: {_told(value)}", "Give a list, also for one entry."
            )
        return _length_problem(contract, value)
    if isinstance(value, (list, dict)):
        hint = "Give the value itself." if len(value) == 1 else "Aggregate or select until one value is left."
        return Problem(f"One {kind} was asked for.", f"given: {_told(value)}", hint)
    return None


def _table_problem(value: Json) -> Problem | None:
    rows = value if isinstance(value, list) else None
    if rows is None or not all(isinstance(row, (list, dict)) for row in rows):
        return Problem("A table was asked for.", f"given: {_told(value)}", "Give a list of rows.")
    widths = sorted({len(row) for row in rows if isinstance(row, (list, dict))})
    if len(widths) > 1:
        return Problem("The rows of the table differ in length.", f"lengths: {widths}", "Give equal rows.")
    return None


def _length_problem(contract: Contract, value: Json) -> Problem | None:
    if contract.length is None or not isinstance(value, list) or len(value) == contract.length:
        return None
    return Problem(
        f"{contract.length:,} entries were asked for.",
        f"given: {len(value):,}",
        "Give so many; say in the text if there are no more.",
    )


def form_problems(contract: Contract, value: Json) -> Iterator[Problem]:
    """Give what is wrong with each entry of a value of the right shape."""
    entries = value if isinstance(value, list) and contract.type in ("list", None) else [value]
    for entry in entries:
        yield from _type_problems(contract, entry)
        if entry is not None and contract.choices:
            yield from _choice_problems(contract, entry)
        if entry is not None and contract.pattern and not isinstance(entry, (list, dict)):
            text = str(entry)
            if len(text) > _LONGEST or not re.fullmatch(contract.pattern, text):
                yield Problem(
                    "The answer is not written as asked.",
                    f"given: {text[:_LONGEST]!r}; asked for: {contract.pattern}",
                    "Write it so that it matches.",
                )
    if contract.decimals is not None:
        yield from _rounding_problems(value, contract.decimals)


def _type_problems(contract: Contract, entry: Json) -> Iterator[Problem]:
    kind = contract.type
    if str(entry) in map(str, contract.choices):
        return
    is_number = isinstance(entry, (int, float)) and not isinstance(entry, bool)
    fits = {
        "number": is_number,
        "integer": is_number and not (isinstance(entry, float) and not entry.is_integer()),
        "text": isinstance(entry, str),
        "boolean": isinstance(entry, bool),
        "date": isinstance(entry, str) and (bool(contract.pattern) or _is_date(entry)),
    }
    if kind in fits and not fits[kind]:
        hints = {
            "number": "Give a JSON number without separators, currency or unit.",
            "integer": "Give a whole number without separators or unit.",
            "text": "Give it as text, in quotes.",
            "boolean": "Give true or false.",
            "date": "Give it as YYYY-MM-DD.",
        }
        yield Problem(f"A {kind} was asked for.", f"given: {_told(entry)}", hints[kind])


def _choice_problems(contract: Contract, entry: Json) -> Iterator[Problem]:
    choices = [str(choice) for choice in contract.choices]
    text = {True: "true", False: "false"}[entry] if isinstance(entry, bool) else str(entry)
    if text in choices or (isinstance(entry, bool) and fold(text) in {fold(choice) for choice in choices}):
        return
    near = nearest(text, choices, 1)
    yield Problem(
        f"{text[:_LONGEST]!r} is none of the values to choose from.",
        f"to choose from: {', '.join(choices[:20])}",
        f"Write {near[0]!r}." if near else "Choose one of them.",
    )


def _rounding_problems(value: Json, decimals: int) -> Iterator[Problem]:
    if isinstance(value, list):
        for entry in value:
            yield from _rounding_problems(entry, decimals)
    elif isinstance(value, dict):
        yield from _rounding_problems(list(value.values()), decimals)
    elif isinstance(value, float) and round(value, decimals) != value:
        places = f"{decimals} decimal{'s'[: decimals != 1]}"
        yield Problem(
            f"The number was to be rounded to {places}.",
            f"given: {value!r}",
            f"Round it at the end: {round(value, decimals)!r}.",
        )


def _is_date(text: str) -> bool:
    for read in (date.fromisoformat, datetime.fromisoformat):
        try:
            read(text)
        except ValueError:
            continue
        return True
    return False


def unit_problem(contract: Contract, value: Json, text: str) -> Problem | None:
    """Return what is wrong with the unit: the text tells another currency, or leaves the unit out."""
    wanted = contract.unit.strip()
    if not wanted or not text.strip():
        return None
    said = f"{text} {value}" if isinstance(value, str) else text
    if any(_stands(name, said) for name in _names_of(wanted)):
        return None
    for family in _CURRENCIES if _is_currency(wanted) else ():
        other = next((name for name in family if _stands(name, said)), None)
        if other is not None:
            return Problem(
                f"The answer was asked in {wanted}, its text tells it in {other}.",
                f"text: {text[:_LONGEST]!r}",
                f"Convert it to {wanted} in an operation.",
            )
    return Problem(
        f"The text does not name the unit {wanted}.", f"text: {text[:_LONGEST]!r}", f"Add {wanted}.", "advise"
    )


def _is_currency(unit: str) -> bool:
    return any(unit.lower() in family for family in _CURRENCIES)


def _names_of(unit: str) -> tuple[str, ...]:
    family = next((family for family in (_PERCENT, *_CURRENCIES) if unit.lower() in family), ())
    return (unit, f"{unit}s", *family)


def _stands(name: str, text: str) -> bool:
    before = r"(?<![^\W\d_])" if name[0].isalpha() else ""
    after = r"(?![^\W_])" if name[-1].isalpha() else ""
    return re.search(before + re.escape(name) + after, text, re.IGNORECASE) is not None


def _told(value: Json) -> str:
    if isinstance(value, list):
        return f"a list of {len(value):,} entries"
    if isinstance(value, dict):
        return f"an object of {len(value):,} entries"
    text = repr(value)
    return text if len(text) <= _LONGEST else text[:_LONGEST] + "…"
