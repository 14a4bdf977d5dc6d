"""Methods and functions of plain Python values: lists, dictionaries, texts, numbers, over column lineage."""

from __future__ import annotations

import operator
from collections.abc import Callable

from lakebook.notebooks.lineage.arguments import Call
from lakebook.notebooks.lineage.values import (
    DATA_DEPENDENT,
    MOST_ITEMS,
    PLAIN,
    ByColumn,
    Column,
    ColumnNames,
    Dtype,
    Frame,
    Groups,
    Items,
    Series,
    Thing,
    bases_of,
    combined,
    doubt_of,
    filters_of,
    is_counted,
    items_of,
    number_of,
    texts,
)
from lakebook.notebooks.schema import ColumnKind

_TEXT_TESTS = frozenset({"startswith", "endswith", "isdigit", "isnumeric", "isupper", "islower", "isalpha"})
_TEXT_CHANGES = frozenset(
    {"lower", "upper", "title", "strip", "capitalize", "rstrip", "lstrip", "replace", "split", "removesuffix", "zfill"}
)


def list_method(items: list[object], name: str, call: Call, *, uncertain: bool) -> object:
    """Return what a method of a list, or of column labels, gives.

    Args:
        items: the list, which methods may change.
        name: of the method.
        call: its arguments.
        uncertain: whether it is not known that this is run.
    """
    first = call.get("", 0)
    if name in ("append", "add"):
        items.append(first)
    elif name in ("extend", "update"):
        items.extend(items_of(first) if is_counted(first) else [first])
    elif name == "insert":
        items.append(call.get("", 1))
    elif name in ("remove", "discard"):
        if first in items:
            items.remove(first)
    elif name == "pop":
        at = first if isinstance(first, int) else -1
        return items.pop(at) if -len(items) <= at < len(items) else None
    elif name in ("drop", "difference"):
        gone = set(texts(first if first is not None else call.get("labels")))
        return ColumnNames((item for item in items if item not in gone), doubt_of(items) or doubt_of(first))
    elif name in ("intersection", "union"):
        other = list(first) if isinstance(first, list) else []
        kept = [item for item in items if item in other] if name == "intersection" else dict.fromkeys([*items, *other])
        return ColumnNames(kept, doubt_of(items))
    elif name in ("tolist", "to_list", "copy", "unique", "values", "to_flat_index", "get_level_values", "sort_values"):
        return ColumnNames(items, doubt_of(items)) if isinstance(items, ColumnNames) else Items(items, doubt_of(items))
    elif name == "index" and first in items:
        return items.index(first)
    elif name == "get_loc":
        return items.index(first) if first in items else None
    elif name in ("flatten", "ravel"):
        return Items(items)
    elif name in ("sort", "reverse"):
        return None
    elif isinstance(items, ColumnNames):
        return _names_method(items, name, call)
    else:
        return combined((items, *call.values())) or items
    if uncertain and isinstance(items, Items):
        items.doubt = DATA_DEPENDENT
    return None


def _names_method(items: ColumnNames, name: str, call: Call) -> object:
    """Vectorised text methods of column labels: `df.columns.str.lower()`."""
    if name in _TEXT_CHANGES or name in _TEXT_TESTS or name == "contains":
        made = [text_method(item, name, call) if isinstance(item, str) else item for item in items]
        if name == "contains" or name in _TEXT_TESTS:
            return made
        return ColumnNames((new if isinstance(new, str) else old for new, old in zip(made, items, strict=True)), items.doubt)
    if name == "map":
        return items
    return items


def dict_method(items: dict[object, object], name: str, call: Call) -> object:
    """Return what a method of a dictionary gives."""
    if name == "items":
        return [(key, value) for key, value in items.items()]
    if name == "keys":
        return Items(items)
    if name == "values":
        return Items(items.values())
    if name == "update" and isinstance(call.get("", 0), dict):
        items.update(call.get("", 0))  # type: ignore[arg-type]
        return None
    if name in ("get", "pop", "setdefault"):
        return items.get(call.get("", 0), call.get("", 1))
    return combined(items.values())


def text_method(text: str, name: str, call: Call) -> object:
    """Return what a method of a known string gives."""
    given = call.values()
    if name == "join":
        parts = call.get("", 0)
        if isinstance(parts, (list, tuple)) and all(isinstance(item, str) for item in parts):
            return text.join(texts(parts))
        return combined(given)
    if name == "contains":
        return str(call.get("pat", 0)) in text if isinstance(call.get("pat", 0), str) else None
    if name == "format":
        if not all(isinstance(item, (str, int, float)) for item in given):
            return combined(given)
        try:
            return text.format(*call.positional, **call.keywords)
        except (IndexError, KeyError, ValueError, AttributeError):
            return None
    if name in _TEXT_TESTS or name in _TEXT_CHANGES:
        if not all(isinstance(item, (str, int)) or (isinstance(item, tuple) and len(texts(item)) == len(item)) for item in given):
            return None
        try:
            made = getattr(text, name)(*call.positional)
        except (TypeError, ValueError):
            return None
        return Items(made) if isinstance(made, list) else made
    return combined(given)


# -- functions of Python itself ----------------------------------------------------------------------------


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
    plain = isinstance(result, Items) and "key" not in call.keywords and all(isinstance(one, str) for one in result)
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
    return Items((tuple(one[at] if at < len(one) else one[0] if one else None for one in columns) for at in range(size)), doubt)


def _numbered(call: Call) -> object:
    first = call.get("iterable", 0)
    start = call.get("start", 1)
    begin = start if isinstance(start, int) else 0
    return Items(((position, item) for position, item in enumerate(items_of(first), begin)), doubt_of(first))


def _range(call: Call) -> object:
    bounds = [number_of(item) for item in call.positional]
    numbers = [int(item) for item in bounds if item is not None]
    if not numbers or len(numbers) != len(bounds) or 0 in numbers[2:]:
        return [None]
    return list(range(*numbers)[:MOST_ITEMS])


def _length(call: Call) -> object:
    first = call.get("", 0)
    if isinstance(first, (list, tuple, dict, str)):
        return None if doubt_of(first) else len(first)
    if isinstance(first, (Frame, Series)):
        return Series(Column(first.filters, "number"), "", {}, first.filters) if first.filters else PLAIN
    return Series(Column(bases_of(first), "number"), "", {}, filters_of(first)) if bases_of(first) else None


def _text(call: Call) -> object:
    first = call.get("", 0)
    if isinstance(first, Dtype):
        return first
    return str(first) if isinstance(first, (str, int, float)) else combined((first,), "text")


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
    if isinstance(first, dict):
        return {**first, **call.keywords}
    if isinstance(first, list) and all(isinstance(item, tuple) and len(item) == 2 for item in first):
        return {key if isinstance(key, (str, int)) else at: value for at, (key, value) in enumerate(first)}  # type: ignore[misc]
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


# -- operators ---------------------------------------------------------------------------------------------

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
        return left + right
    if name == "Add" and isinstance(left, (list, tuple)) and isinstance(right, (list, tuple)):
        return Items([*left, *right], doubt_of(left) or doubt_of(right))
    if isinstance(left, list) and isinstance(right, list) and name in ("Sub", "BitAnd", "BitOr"):
        kept = {"Sub": [one for one in left if one not in right], "BitAnd": [one for one in left if one in right]}
        return Items(kept.get(name, [*left, *(one for one in right if one not in left)]), doubt_of(left) or doubt_of(right))
    if name == "Mult" and isinstance(left, list) and isinstance(right, int) and len(left) * right <= MOST_ITEMS:
        return Items(left * right)
    if name == "Mod" and isinstance(left, str) and isinstance(right, (str, int, float)):
        return left % right if left.count("%") == 1 else None
    if isinstance(left, Frame):
        return left.copy(filters=filters_of(right))
    kind = "number" if name in ("Sub", "Mult", "Div", "FloorDiv", "Pow", "Mod") else "unknown"
    result = combined((left, right), kind)
    known = [number_of(left), number_of(right)]
    if isinstance(result, Series) and known[0] is not None and known[1] is not None:
        made = calculated(name, known[0], known[1])
        result.number = made if isinstance(made, (int, float)) else None
    return result


def calculated(name: str, left: float, right: float) -> float | None:
    """Return the result of an operator on two numbers, None if it has none."""
    function = _ARITHMETIC.get(name)
    try:
        return function(left, right) if function is not None else None
    except (ZeroDivisionError, OverflowError):
        return None


def _facts_operated(name: str, left: object, right: object) -> ByColumn:
    facts, other = (left, right) if isinstance(left, ByColumn) else (right, left)
    assert isinstance(facts, ByColumn)
    result = ByColumn(dict(facts.columns), {}, facts.filters | filters_of(other), facts.doubt or doubt_of(other))
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


def compared(name: str, left: object, right: object) -> bool | None:
    """Return the outcome of a comparison of known values, None if it is not known."""
    if name in ("In", "NotIn"):
        return _contained(name, left, right)
    first, second = number_of(left), number_of(right)
    if first is not None and second is not None and name in _COMPARISONS:
        return _COMPARISONS[name](first, second)
    if isinstance(left, str) and isinstance(right, str) and name in ("Eq", "NotEq"):
        return (left == right) == (name == "Eq")
    return None


def _contained(name: str, left: object, right: object) -> bool | None:
    if isinstance(left, str) and isinstance(right, str):
        return (left in right) == (name == "In")
    if not isinstance(left, (str, int)) or not isinstance(right, (list, tuple, dict, Frame)):
        return None
    held = right.columns if isinstance(right, Frame) else right
    if left in held:
        return name == "In"
    unknown = doubt_of(right) or (isinstance(right, Frame) and right.open)
    if unknown or (isinstance(right, (list, tuple)) and any(not isinstance(item, (str, int)) for item in right)):
        return None
    return name == "NotIn"


def compared_facts(name: str, facts: ByColumn, compare: Callable[[object], bool | None]) -> ByColumn:
    """Return for each column whether its fact passes a test."""
    return ByColumn(dict(facts.columns), {label: compare(fact) for label, fact in facts.facts.items()}, facts.filters, facts.doubt)


def is_of_data(value: object) -> bool:
    """Return True for the outcome of a test that the data decide."""
    return isinstance(value, (Series, ByColumn, Dtype, Groups, Frame, Thing))


def truth(value: object) -> bool | None:
    """Return whether a value counts as true, None if that is not known."""
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
