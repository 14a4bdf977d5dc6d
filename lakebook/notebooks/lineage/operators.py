"""Operators, comparisons and tests over column lineage; what the data decide is guessed at most."""

from __future__ import annotations

import operator
from collections.abc import Callable
from dataclasses import replace

from lakebook.notebooks.lineage.bounds import LARGEST_NUMBER, LONGEST_LIST, as_text, filled
from lakebook.notebooks.lineage.values import (
    MOST_ITEMS,
    ByColumn,
    Dtype,
    Frame,
    Groups,
    Guess,
    Items,
    Series,
    Thing,
    combined,
    doubt_of,
    filters_of,
    number_of,
)
from lakebook.notebooks.schema import ColumnKind

_ARITHMETIC: dict[str, Callable[[float, float], float]] = {
    "Add": operator.add,
    "Sub": operator.sub,
    "Mult": operator.mul,
    "Div": operator.truediv,
    "FloorDiv": operator.floordiv,
    "Mod": operator.mod,
}
_COMPARISONS: dict[str, Callable[[float, float], bool]] = {
    "Lt": operator.lt,
    "LtE": operator.le,
    "Gt": operator.gt,
    "GtE": operator.ge,
    "Eq": operator.eq,
    "NotEq": operator.ne,
}


def operated(name: str, left: object, right: object) -> object:
    """Return what an arithmetic operator makes of two values, by the name of its class in `ast`."""
    if isinstance(left, (int, float)) and isinstance(right, (int, float)):
        return calculated(name, left, right)
    if isinstance(left, ByColumn) or isinstance(right, ByColumn):
        return _facts_operated(name, left, right)
    if name == "Add" and isinstance(left, str) and isinstance(right, str):
        return as_text(left + right)
    if name == "Add" and isinstance(left, (list, tuple)) and isinstance(right, (list, tuple)):
        return Items([*left, *right][:LONGEST_LIST], doubt_of(left) or doubt_of(right))
    if isinstance(left, list) and isinstance(right, list) and name in ("Sub", "BitAnd", "BitOr"):
        kept = {
            "Sub": [one for one in left if one not in right],
            "BitAnd": [one for one in left if one in right],
        }
        return Items(
            kept.get(name, [*left, *(one for one in right if one not in left)]),
            doubt_of(left) or doubt_of(right),
        )
    if (
        name == "Mult"
        and isinstance(left, list)
        and isinstance(right, int)
        and len(left) * right <= MOST_ITEMS
    ):
        return Items(left * right)
    if name == "Mod" and isinstance(left, str) and isinstance(right, (str, int, float)):
        return filled(left, lambda: left % right) if left.count("%") == 1 else None
    if name in ("BitAnd", "BitOr") and _cleans(left) != _cleans(right):  # the mask that selects
        mask = right if _cleans(left) else left
        if isinstance(mask, Series):
            return replace(mask, filters=filters_of(left) | filters_of(right))
    if isinstance(left, Frame):
        return left.copy(filters=filters_of(right))
    return _combined(name, left, right)


def _combined(name: str, left: object, right: object) -> object:
    if isinstance(left, Series) and name == "Div" and _is_whole_of(right, left):
        return replace(left, number=None)
    kind: ColumnKind = "number" if name in ("Sub", "Mult", "Div", "FloorDiv", "Pow", "Mod") else "unknown"
    result = combined((left, right), kind)
    known = [number_of(left), number_of(right)]
    if isinstance(result, Series) and known[0] is not None and known[1] is not None:
        made = calculated(name, known[0], known[1])
        result.number = made if isinstance(made, (int, float)) else None
    return result


def _is_whole_of(count: object, part: Series) -> bool:
    """Return True for the number of rows that a part was selected of: what selected those is not told."""
    return isinstance(count, Series) and count.is_count and count.column.bases <= part.filters


def _cleans(value: object) -> bool:
    return isinstance(value, (Series, ByColumn)) and value.cleans


def calculated(name: str, left: float, right: float) -> float | None:
    """Return the result of an operator on two numbers, None if it has none."""
    function = _ARITHMETIC.get(name)
    try:
        result = function(left, right) if function is not None else None
    except (ZeroDivisionError, OverflowError):
        return None
    return result if result is None or abs(result) <= LARGEST_NUMBER else None


def _facts_operated(name: str, left: object, right: object) -> ByColumn:
    facts, other = (left, right) if isinstance(left, ByColumn) else (right, left)
    if not isinstance(facts, ByColumn):
        return ByColumn({})
    result = ByColumn(
        dict(facts.columns),
        {},
        facts.filters | filters_of(other),
        facts.doubt or doubt_of(other),
        facts.cleans or _cleans(other),
    )
    for label, fact in facts.facts.items():
        second = other.facts.get(label) if isinstance(other, ByColumn) else other
        if isinstance(fact, bool) and isinstance(second, bool) and name in ("BitAnd", "BitOr"):
            result.facts[label] = fact and second if name == "BitAnd" else fact or second
            continue
        first_number, second_number = number_of(fact), number_of(second)
        if first_number is not None and second_number is not None:
            in_order = (first_number, second_number) if facts is left else (second_number, first_number)
            result.facts[label] = calculated(name, *in_order)
    return result


def compared(name: str, left: object, right: object) -> bool | Guess | None:
    """Return the outcome of a comparison of known values, None if it is not known."""
    if name in ("In", "NotIn"):
        return _contained(name, left, right)
    first, second = number_of(left), number_of(right)
    if first is not None and second is not None and name in _COMPARISONS:
        return _COMPARISONS[name](first, second)
    if isinstance(left, str) and isinstance(right, str) and name in ("Eq", "NotEq"):
        return (left == right) == (name == "Eq")
    return None


def _contained(name: str, left: object, right: object) -> bool | Guess | None:
    if isinstance(left, str) and isinstance(right, str):
        return (left in right) == (name == "In")
    if not isinstance(left, (str, int)) or not isinstance(right, (list, tuple, dict, Frame)):
        return None
    held = right.columns if isinstance(right, Frame) else right
    if doubt_of(right) and isinstance(right, list):
        return Guess((left in right) == (name == "In"))
    if left in held:
        return name == "In"
    unknown = isinstance(right, Frame) and right.open
    if unknown or (
        isinstance(right, (list, tuple)) and any(not isinstance(item, (str, int)) for item in right)
    ):
        return None
    return name == "NotIn"


def compared_facts(facts: ByColumn, compare: Callable[[object], object]) -> ByColumn:
    """Return for each column whether its fact passes a test."""
    return ByColumn(
        dict(facts.columns),
        {label: compare(fact) for label, fact in facts.facts.items()},
        facts.filters,
        facts.doubt,
    )


def is_of_data(value: object) -> bool:
    """Return True for the outcome of a test that the data decide."""
    return isinstance(value, (Series, ByColumn, Dtype, Groups, Frame, Thing, Guess))


def truth(value: object) -> bool | None:
    """Return whether a value counts as true, None if that is not known."""
    if isinstance(value, Guess):
        return value.likely
    if isinstance(value, (bool, int, float, str)):
        return bool(value)
    if isinstance(value, (list, tuple, dict)) and not doubt_of(value):
        return bool(value)
    return None


def kind_of(value: object) -> ColumnKind:
    """Return the kind of a column that is made of such values."""
    if isinstance(value, Series):
        return value.column.kind
    if isinstance(value, str):
        return "text"
    return "number" if isinstance(value, (int, float)) else "unknown"
