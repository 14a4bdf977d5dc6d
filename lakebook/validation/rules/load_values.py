"""Rules on what loaded values may be mistaken for: numbers, dates, times, missing ones, codes, totals.

They read the card, which was made from all rows; its notes are the reader's own words, held to by tests. A
note may show cells, so it counts as a cell as a whole where it is passed on.
"""

from __future__ import annotations

import re
from collections.abc import Iterator

from lakebook.operators.record import Finding
from lakebook.sources.adding_up import loaded_totals
from lakebook.sources.card import Column
from lakebook.sources.roles import words
from lakebook.validation.cells import Cells
from lakebook.validation.invocation import Invocation
from lakebook.validation.knowledge import Knowledge
from lakebook.validation.registry import rule
from lakebook.validation.statement import quoted

_COMMA = re.compile(r"-?[€$£]?\s?\d{1,3}(?:[.\s]\d{3})*,\d+\s?(?:[€%]|[A-Za-z]{1,5})?|-?\d+,\d+")
_SHORT_COMMA = re.compile(r"-?\d+,\d{1,2}(?:\s?[A-Za-z€%]{1,5})?")  # no list: two numbers would be longer
_MOSTLY = 0.5


def _columns(invocation: Invocation) -> tuple[Column, ...]:
    unit = invocation.unit
    return unit.columns if unit is not None and unit.kind == "table" else ()


def _noted(column: Column, *phrases: str) -> str:
    """Return the first note of a column that says one of these things, "" if there is none."""
    return next((note for note in column.warnings if any(phrase in note for phrase in phrases)), "")


@rule(
    "L4",
    operator="Load",
    detects="numbers with a decimal comma that stayed text, and marks that may group thousands or not",
    evidence="the values that the card lists; the reader's notes from all rows",
    action="advise",
    reference="catalogue L4",
)
def decimal_comma(invocation: Invocation, knowledge: Knowledge) -> Iterator[Finding]:
    """Advise on columns whose commas or dots can be read in two ways."""
    for column in _columns(invocation):
        commas = [value for value in column.values if _COMMA.fullmatch(value.value.strip())]
        cell = Cells()
        note = _noted(column, "before three digits")
        is_list = column.role == "list" and not all(
            _SHORT_COMMA.fullmatch(one.value.strip()) for one in commas
        )
        if column.type == "text" and not is_list and len(commas) >= max(2, _MOSTLY * len(column.values)):
            name = quoted(column.name)
            yield Finding(
                "L4",
                "advise",
                f"{column.name} holds numbers with a decimal comma, and is text.",
                observed=f"values such as {cell.several((value.value for value in commas), 3)}",
                hint=f"replace(replace({name}, '.', ''), ',', '.')::double reads them.",
                values=cell.shown(),
            )
        elif note:
            yield Finding(
                "L4",
                "advise",
                f"Marks in the numbers of {column.name} can be read in two ways.",
                observed=note,
                hint="Compare a value with the source before sums are trusted.",
                values=(note,),
            )


_SERIALS = (20_000, 60_000)  # days since 1899-12-30: 1954 to 2064
_DAYS = frozenset({"date", "datum", "day", "dates"})


@rule(
    "L5",
    operator="Load",
    detects="dates that can be read in two ways: day or month first, two digits of a year, serial numbers",
    evidence="the values of all rows",
    action="advise",
    reference="catalogue L5",
)
def unclear_dates(invocation: Invocation, knowledge: Knowledge) -> Iterator[Finding]:
    """Advise on dates that no value settles, that contradict each other, or that are numbers."""
    for column in _columns(invocation):
        note = _noted(column, "contradict each other", "dates in more than one format", "two-digit years")
        if column.ambiguous_dates:
            yield Finding(
                "L5",
                "advise",
                f"No value of {column.name} shows whether day or month comes first.",
                observed=_noted(column, "ambiguous dates") or f"type {column.type}",
                hint="`dates: day` or `dates: month` in sources.yml settles it.",
                values=column.warnings[:1],
            )
        elif note:
            yield Finding(
                "L5",
                "advise",
                f"The dates of {column.name} are written in more than one way, or with two digits of a year.",
                observed=note,
                hint="Read each form by its own format, and count what neither reads.",
                values=(note,),
            )
        elif _are_serials(column):
            yield Finding(
                "L5",
                "advise",
                f"{column.name} holds numbers where dates are expected: days of a spreadsheet.",
                observed=f"{column.type} from {column.min} to {column.max}",
                hint=f"date '1899-12-30' + {quoted(column.name)}::int gives the date.",
                values=tuple(filter(None, (column.min, column.max))),
            )


def _are_serials(column: Column) -> bool:
    if column.type not in ("integer", "number") or not _DAYS & set(words(column.name)):
        return False
    try:
        low, high = float(column.min or ""), float(column.max or "")
    except ValueError:
        return False
    return _SERIALS[0] <= low <= high <= _SERIALS[1]


@rule(
    "L6",
    operator="Load",
    detects="times of which some have a zone and some have none",
    evidence="the values of all rows",
    action="advise",
    reference="catalogue L6",
)
def mixed_zones(invocation: Invocation, knowledge: Knowledge) -> Iterator[Finding]:
    """Advise when times without a zone were taken for UTC beside others that have one."""
    for column in _columns(invocation):
        note = _noted(column, "carry no zone")
        if note:
            yield Finding(
                "L6",
                "advise",
                f"Some times of {column.name} have a zone, others have none.",
                observed=note,
                hint="Find out which zone the others are in; hours and days may be off.",
            )


_TOKENS = frozenset({"NA", "N/A", "None", "null", "Null", "NULL", "NaN"})


@rule(
    "L9",
    operator="Load",
    detects="'NA', 'None' or 'null' as text: a value (Namibia) or a missing one",
    evidence="the values that the card lists",
    action="advise",
    reference="catalogue L9",
)
def missing_as_text(invocation: Invocation, knowledge: Knowledge) -> Iterator[Finding]:
    """Advise when a word for a missing value counts as a value of its own."""
    for column in _columns(invocation):
        tokens = [value for value in column.values if value.value.strip() in _TOKENS]
        if column.type != "text" or not tokens:
            continue
        cell = Cells()
        seen = ", ".join(f"{cell(value.value)} in {value.rows:,} rows" for value in tokens)
        others = [value.value for value in column.values if value not in tokens]
        codes = len(others) > 2 and all(len(value) <= 3 and value.isupper() for value in others)
        yield Finding(
            "L9",
            "advise",
            f"{column.name} holds a word for a missing value as text.",
            observed=seen,
            hint="It may be a code like the others (NA is Namibia); pandas would read it as missing."
            if codes
            else f"If it means missing: NULLIF({quoted(column.name)}, '{tokens[0].value}').",
            values=cell.shown(),
        )


@rule(
    "L12",
    operator="Load",
    detects="rows that hold the sums of other rows of the table",
    evidence="the numbers of all rows",
    action="advise",
    reference="catalogue F18",
)
def totals_among_rows(invocation: Invocation, knowledge: Knowledge) -> Iterator[Finding]:
    """Advise with the rows that hold totals."""
    unit = invocation.unit
    if unit is None or unit.kind != "table":
        return
    for note in loaded_totals(unit):
        yield Finding(
            "L12",
            "advise",
            "Some rows hold sums of the others.",
            observed=note,
            hint="Leave out one or the other before adding up.",
            values=(note,),
        )


_CODES = frozenset({"zip", "zipcode", "postal", "postcode", "plz", "fips", "isbn", "ean", "upc", "ssn"})


@rule(
    "L13",
    operator="Load",
    detects="codes that were written as numbers, so that leading zeros may be lost",
    evidence="type and range of the column (complete)",
    action="advise",
    reference="catalogue B11",
)
def codes_as_numbers(invocation: Invocation, knowledge: Knowledge) -> Iterator[Finding]:
    """Advise when a column of codes is numeric and its numbers differ in length."""
    for column in _columns(invocation):
        if column.type not in ("integer", "number") or not _CODES & set(words(column.name)):
            continue
        low, high = (str(end or "").removesuffix(".0") for end in (column.min, column.max))
        if low.isdigit() and high.isdigit() and len(low) < len(high):
            yield Finding(
                "L13",
                "advise",
                f"{column.name} is a code whose numbers differ in length: leading zeros are probably lost.",
                observed=f"{column.type} from {low} to {high}",
                hint=f"lpad({quoted(column.name)}::varchar, {len(high)}, '0') writes them as before.",
                values=(low, high),
            )


@rule(
    "L14",
    operator="Load",
    detects="a column of numbers that is text because of a few values",
    evidence="the values of all rows",
    action="advise",
    reference="catalogue B7",
)
def nearly_numbers(invocation: Invocation, knowledge: Knowledge) -> Iterator[Finding]:
    """Advise with the number of values that are in the way."""
    for column in _columns(invocation):
        note = _noted(column, "is not a number", "are not numbers", "but not every one is a date")
        if column.type == "text" and note:
            yield Finding(
                "L14",
                "advise",
                f"{column.name} is text because of a few values.",
                observed=note,
                hint=f"try_cast({quoted(column.name)} AS DOUBLE) reads the others; say what is left out.",
                values=(note,),
            )
