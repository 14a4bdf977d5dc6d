"""Answers by reference: a model writes `{r003.average}`, and the number is put there by code.

So no number is ever retyped by a model, and a model that must not see a value can still answer with it. What
belongs here: what a reference may look like, what it stands for, and how it is written out. A number that a
model typed all the same is bound to the result that it is a rounding of, or stays for the rules to refuse.
"""

from __future__ import annotations

import math
import re
from collections.abc import Sequence
from dataclasses import dataclass
from decimal import ROUND_HALF_UP, Decimal, localcontext

from lakebook.agent.results import NAMES_SHOWN, UnknownReference, grid_of, look_up, named, numbers
from lakebook.operators.record import ExecutionRecord
from lakebook.sandbox.base import Json

_PLACE = re.compile(r"\$?\{+\s*([A-Za-z_]\w*)((?:\s*[.\[][^{}\n:|]*)?)\s*(?:[:|]\s*([^{}\n]*))?\}+")
_NUMBER = re.compile(r"(?<![\w.,{])[-−]?\d[\d,]*(?:\.\d+)?(?![\w}]|[.,]\d)")
_DIGITS = re.compile(r"\.(\d)")
_LATEST = frozenset({"result", "last", "latest"})


@dataclass(frozen=True, slots=True)
class Reference:
    """A place in an answer and what stands there.

    Attributes:
        record: id of the record. `path`: where in its result, as written ("average", "rows[0].average").
        value: the value there. `shown`: how it is written in the text.
    """

    record: str
    path: str
    value: Json
    shown: str


@dataclass(frozen=True, slots=True)
class Filled:
    """A text whose references were put in, and these in order, each once."""

    text: str
    references: tuple[Reference, ...]


def fill(text: str, records: Sequence[ExecutionRecord], decimals: int | None = None) -> Filled:
    """Put values in place of references.

    Args:
        text: as the model wrote it.
        records: those that may be referred to.
        decimals: digits after the point that numbers are rounded to; None leaves it to the size.

    Raises:
        UnknownReference: a reference names no record, or nothing in its result.
    """
    found: dict[tuple[str, str, str], Reference] = {}

    def put(match: re.Match[str]) -> str:
        record, path = _meant(match.group(1), (match.group(2) or "").strip(), records)
        value = look_up(record, path)
        digits = _DIGITS.search(match.group(3) or "")
        shown = show(value, int(digits.group(1)) if digits and decimals is None else decimals)
        reference = Reference(record.id, path.lstrip("."), value, shown)
        found.setdefault((reference.record, reference.path, shown), reference)
        return shown

    return Filled(_PLACE.sub(put, text), tuple(found.values()))


def has_reference(text: str) -> bool:
    """Return True if something in a text has the form of a reference."""
    return _PLACE.search(text) is not None


def _meant(name: str, path: str, records: Sequence[ExecutionRecord]) -> tuple[ExecutionRecord, str]:
    """Return the record that a name stands for: its id, its output, the latest, or one with that column."""
    by_id = {record.id.lower(): record for record in records}
    if name.lower() in by_id:
        return by_id[name.lower()], path
    usable = [record for record in records if record.result is not None and record.operator != "Answer"]
    for record in reversed(usable):
        if record.output and record.output.lower() == name.lower():
            return record, path
    if name.lower() in _LATEST and usable:
        return usable[-1], path
    for record in reversed(usable):
        grid = grid_of(record.result)
        if grid is not None and grid.has(name):
            return record, f".{name}{path}"
    there = (
        ", ".join(f"{record.id} ({_has(record)})" for record in usable[-5:]) or "none yet: run a query first"
    )
    raise UnknownReference(f"{{{name}{path}}} refers to no result.", hint=f"There is: {there}.")


def _has(record: ExecutionRecord) -> str:
    grid = grid_of(record.result)
    if grid is not None:
        return named(grid.columns)
    return named(list(record.result)) if isinstance(record.result, dict) else "value"


def show(value: Json, decimals: int | None = None) -> str:
    """Write a value for a reader; numbers are rounded half up, as people round."""
    if isinstance(value, bool):
        return "true" if value else "false"
    if isinstance(value, int):
        return f"{value:,}" if abs(value) >= 10_000 else str(value)
    if isinstance(value, float):
        return _show_number(value, decimals)
    if value is None:
        return "null"
    if isinstance(value, list):
        shown = [show(item, decimals) for item in value[:NAMES_SHOWN]]
        more = f" and {len(value) - NAMES_SHOWN:,} more" if len(value) > NAMES_SHOWN else ""
        between = "; " if any(isinstance(item, list | dict) for item in value) else ", "
        return between.join(shown) + more
    if isinstance(value, dict):
        grid = grid_of(value)
        if grid is not None:
            return show([list(row) for row in grid.rows], decimals)
        return ", ".join(f"{key} {show(item, decimals)}" for key, item in list(value.items())[:NAMES_SHOWN])
    return value


def _show_number(value: float, decimals: int | None) -> str:
    if not math.isfinite(value):
        return str(value)
    if decimals is not None:
        return f"{rounded(value, decimals):,.{decimals}f}"
    size = math.floor(math.log10(abs(value))) if value else 0
    text = f"{rounded(value, 2 if size >= 2 else min(3 - size, 12)):,f}"
    return text.rstrip("0").rstrip(".") if "." in text else text


def rounded(value: float, decimals: int) -> Decimal:
    """Return a number rounded half up, from its shortest decimal form."""
    with localcontext(prec=400):  # a float has at most 309 digits before the point
        return Decimal(repr(value)).quantize(Decimal(1).scaleb(-decimals), ROUND_HALF_UP)


def bind(text: str, records: Sequence[ExecutionRecord], given: str = "") -> str:
    """Replace numbers that a model typed by references to the results that they are roundings of.

    Numbers of `given` (the question) stay, and so do those that no result holds: the rules refuse them.
    """
    spared = {number.replace(",", "") for number in _NUMBER.findall(given)}
    inside = [match.span() for match in _PLACE.finditer(text)]

    def put(match: re.Match[str]) -> str:
        typed = match.group().replace(",", "").replace("−", "-")
        if typed in spared or any(start <= match.start() < end for start, end in inside):
            return match.group()
        digits = len(typed.partition(".")[2])
        path = _holding(Decimal(typed), digits, records)
        return f"{{{path}:.{digits}}}" if path else match.group()

    return _NUMBER.sub(put, text)


def _holding(typed: Decimal, digits: int, records: Sequence[ExecutionRecord]) -> str:
    """Return a reference to the value that rounds to a typed number, of the latest record; "" for none."""
    for record in reversed(records):
        if record.operator in ("Answer", "Search", "Read"):
            continue
        fitting = [
            (abs(Decimal(repr(value)) - typed), path)
            for path, value in numbers(record.result)
            if rounded(float(value), digits) == typed
        ]
        if fitting:
            return record.id + min(fitting)[1]
    return ""


def numbers_of(text: str) -> list[int | float]:
    """Return the numbers that are written in a text, references aside."""
    found = [
        match.group().replace(",", "").replace("−", "-") for match in _NUMBER.finditer(_PLACE.sub("", text))
    ]
    return [float(one) if "." in one else int(one) for one in found]
