"""Functions of Python itself over column lineage: `zip`, `sorted`, `len` and the like."""

from __future__ import annotations

from collections.abc import Callable

from lakebook.notebooks.lineage.access import row_count
from lakebook.notebooks.lineage.arguments import Call
from lakebook.notebooks.lineage.bounds import LARGEST_NUMBER, as_text
from lakebook.notebooks.lineage.parts import is_counted, items_of
from lakebook.notebooks.lineage.values import (
    DATA_DEPENDENT,
    MOST_ITEMS,
    PLAIN,
    Column,
    ColumnNames,
    Dtype,
    Frame,
    Items,
    Series,
    bases_of,
    combined,
    doubt_of,
    filters_of,
    number_of,
)


def builtin(name: str, call: Call) -> object:
    """Return what a function of Python itself gives."""
    handler = _BUILTINS.get(name)
    if handler is not None:
        return handler(call)
    if name in ("print", "type", "isinstance", "hasattr", "callable", "open", "input", "id", "super"):
        return None
    return combined(call.values())


def _listed(call: Call) -> object:
    if not call.positional:
        return Items()
    first = call.positional[0]
    if isinstance(first, Frame):
        return ColumnNames(first.columns, first.doubt or (DATA_DEPENDENT if first.open else ""))
    if isinstance(first, ColumnNames):
        return ColumnNames(first, first.doubt)
    if isinstance(first, (list, tuple, dict)):
        return Items(first, doubt_of(first))
    return first


def _ordered(call: Call) -> object:
    result = _listed(call)
    plain = (
        isinstance(result, Items)
        and "key" not in call.keywords
        and all(isinstance(one, str) for one in result)
    )
    if plain and isinstance(result, Items):
        result.sort(key=str, reverse=call.keywords.get("reverse") is True)
    return result


def _reversed(call: Call) -> object:
    result = _listed(call)
    if isinstance(result, Items):
        result.reverse()
    return result


def _paired(call: Call) -> object:
    columns = [list(items_of(item)) for item in call.positional]
    lengths = [len(one) for one, item in zip(columns, call.positional, strict=True) if is_counted(item)]
    size = min(lengths) if lengths else 1
    doubt = doubt_of(list(call.positional))
    return Items(
        (
            tuple(one[at] if at < len(one) else one[0] if one else None for one in columns)
            for at in range(size)
        ),
        doubt,
    )


def _numbered(call: Call) -> object:
    first = call.get("iterable", 0)
    start = call.get("start", 1)
    begin = start if isinstance(start, int) else 0
    return Items(((position, item) for position, item in enumerate(items_of(first), begin)), doubt_of(first))


def _range(call: Call) -> object:
    bounds = [number_of(item) for item in call.positional]
    numbers = [int(item) for item in bounds if item is not None and abs(item) < LARGEST_NUMBER]
    if not 0 < len(numbers) == len(bounds) <= 3 or 0 in numbers[2:]:
        return [None]
    return list(range(*numbers)[:MOST_ITEMS])


def _length(call: Call) -> object:
    first = call.get("", 0)
    if isinstance(first, (list, tuple, dict, str)):
        return None if doubt_of(first) else len(first)
    if isinstance(first, (Frame, Series)):
        return row_count(first)
    return Series(Column(bases_of(first), "number"), "", {}, filters_of(first)) if bases_of(first) else None


def _text(call: Call) -> object:
    first = call.get("", 0)
    if isinstance(first, Dtype):
        return first
    return as_text(first) if isinstance(first, (str, int, float)) else combined((first,), "text")


def _number(call: Call) -> object:
    first = call.get("", 0)
    if isinstance(first, (int, float, str)):
        try:
            return int(first)
        except (ValueError, OverflowError):
            return None
    return combined((first,), "number")


def _dictionary(call: Call) -> object:
    first = call.get("", 0)
    if isinstance(first, Frame):  # of a row
        return first
    if isinstance(first, dict):
        return {**first, **call.keywords}
    if isinstance(first, list) and all(isinstance(item, tuple) and len(item) == 2 for item in first):
        return {key if isinstance(key, (str, int)) else at: value for at, (key, value) in enumerate(first)}
    if call.positional:
        return combined(call.values()) or PLAIN
    return dict(call.keywords)


def _attribute_of(call: Call) -> object:
    owner, name = call.get("", 0), call.get("", 1)
    if isinstance(owner, Frame) and isinstance(name, str):
        return Series(owner.column(name), name, dict(owner.index), owner.filters)
    return owner


_BUILTINS: dict[str, Callable[[Call], object]] = {
    "list": _listed,
    "tuple": _listed,
    "set": _listed,
    "iter": _listed,
    "sorted": _ordered,
    "reversed": _reversed,
    "zip": _paired,
    "enumerate": _numbered,
    "range": _range,
    "xrange": _range,
    "len": _length,
    "str": _text,
    "int": _number,
    "dict": _dictionary,
    "getattr": _attribute_of,
}
