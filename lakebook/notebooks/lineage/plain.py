"""Methods of plain Python values over column lineage: lists, dictionaries, texts."""

from __future__ import annotations

import re
from collections.abc import Callable

from lakebook.notebooks.lineage.arguments import Call
from lakebook.notebooks.lineage.bounds import LONGEST_LIST, LONGEST_TEXT, as_text, bounded, filled
from lakebook.notebooks.lineage.parts import is_counted, items_of, key_value
from lakebook.notebooks.lineage.records import as_key, held_under
from lakebook.notebooks.lineage.values import DATA_DEPENDENT, ColumnNames, Items, combined, doubt_of, texts

_TEXT_TESTS = frozenset({"startswith", "endswith", "isdigit", "isnumeric", "isupper", "islower", "isalpha"})
_TEXT_CHANGES = frozenset(
    {
        "lower",
        "upper",
        "title",
        "strip",
        "capitalize",
        "rstrip",
        "lstrip",
        "replace",
        "split",
        "removesuffix",
        "zfill",
    }
)


def list_method(items: list[object], name: str, call: Call, *, uncertain: bool) -> object:
    """Return what a method of a list, or of column labels, gives.

    Args:
        items: the list, which methods may change.
        name: of the method.
        call: its arguments.
        uncertain: whether it is not known that this is run.
    """
    change = _LIST_CHANGES.get(name)
    if change is not None:
        if uncertain and isinstance(items, Items):
            items.doubt = DATA_DEPENDENT
        return change(items, call)
    reading = _LIST_READINGS.get(name)
    if reading is not None:
        return reading(items, call)
    if name in _LIST_COPIES:
        kind = ColumnNames if isinstance(items, ColumnNames) else Items
        return kind(items, doubt_of(items))
    if isinstance(items, ColumnNames):
        return _names_method(items, name, call)
    return combined((items, *call.values())) or items


_LIST_COPIES = frozenset(
    {"tolist", "to_list", "copy", "unique", "values", "to_flat_index", "get_level_values", "sort_values"}
    | {"flatten", "ravel"}
)


def _append(items: list[object], call: Call) -> None:
    items.append(bounded(call.get("", 0)))


def _insert(items: list[object], call: Call) -> None:
    items.append(bounded(call.get("", 1)))


def _extend(items: list[object], call: Call) -> None:
    first = call.get("", 0)
    items.extend(items_of(first) if is_counted(first) else [first])


def _remove(items: list[object], call: Call) -> None:
    if call.get("", 0) in items:
        items.remove(call.get("", 0))


def _pop(items: list[object], call: Call) -> object:
    first = call.get("", 0)
    at = first if isinstance(first, int) else -1
    return items.pop(at) if -len(items) <= at < len(items) else None


def _no_change(items: list[object], call: Call) -> None:
    """The order of a list does not matter to what it is made of."""


_LIST_CHANGES: dict[str, Callable[[list[object], Call], object]] = {
    "append": _append,
    "add": _append,
    "insert": _insert,
    "extend": _extend,
    "update": _extend,
    "remove": _remove,
    "discard": _remove,
    "pop": _pop,
    "sort": _no_change,
    "reverse": _no_change,
}


def _without(items: list[object], call: Call) -> object:
    first = call.get("labels", 0)
    gone = set(texts(first))
    return ColumnNames((item for item in items if item not in gone), doubt_of(items) or doubt_of(first))


def _shared(items: list[object], call: Call) -> object:
    other = call.get("other", 0)
    held = other if isinstance(other, list) else []
    return ColumnNames((item for item in items if item in held), doubt_of(items) or doubt_of(other))


def _joined(items: list[object], call: Call) -> object:
    other = call.get("other", 0)
    return ColumnNames(dict.fromkeys([*items, *(other if isinstance(other, list) else [])]), doubt_of(items))


def _position(items: list[object], call: Call) -> object:
    first = call.get("", 0)
    return items.index(first) if first in items else None


_LIST_READINGS: dict[str, Callable[[list[object], Call], object]] = {
    "drop": _without,
    "difference": _without,
    "intersection": _shared,
    "union": _joined,
    "index": _position,
    "get_loc": _position,
}


def _names_method(items: ColumnNames, name: str, call: Call) -> object:
    """Vectorised text methods of column labels: `df.columns.str.lower()`."""
    if name in _TEXT_CHANGES or name in _TEXT_TESTS or name == "contains":
        made = [text_method(item, name, call) if isinstance(item, str) else item for item in items]
        if name == "contains" or name in _TEXT_TESTS:
            return made
        return ColumnNames(
            (new if isinstance(new, str) else old for new, old in zip(made, items, strict=True)), items.doubt
        )
    if name == "map":
        return items
    return items


def dict_method(items: dict[object, object], name: str, call: Call) -> object:
    """Return what a method of a dictionary gives."""
    if name == "items":
        return [(key_value(key), held_under(key, value)) for key, value in items.items()]
    if name == "keys":
        return Items(map(key_value, items))
    if name == "values":
        return Items(held_under(key, value) for key, value in items.items())
    if name == "update" and isinstance(call.get("", 0), dict):
        given = call.get("", 0)
        items.update(given if isinstance(given, dict) else {})
        return None
    if name == "setdefault":
        return items.setdefault(as_key(call.get("", 0), len(items)), call.get("", 1))
    if name in ("get", "pop"):
        return items.get(as_key(call.get("", 0), 0), call.get("", 1))
    return combined(items.values())


def _matches(text: str, wanted: str, call: Call) -> bool | None:
    pattern = re.escape(wanted) if call.keywords.get("regex") is False else wanted
    try:
        return re.search(pattern, text, re.I if call.keywords.get("case") is False else 0) is not None
    except re.error:
        return None


def text_method(text: str, name: str, call: Call) -> object:
    """Return what a method of a known string gives."""
    given = call.values()
    if name == "join":
        parts = call.get("", 0)
        if isinstance(parts, (list, tuple)) and all(isinstance(item, str) for item in parts):
            return as_text(text.join(texts(parts[:LONGEST_LIST])))
        return combined(given)
    if name == "contains":
        wanted = call.get("pat", 0)
        if not isinstance(wanted, str):
            return None
        return _matches(text, wanted, call)
    if name == "format":
        if not all(isinstance(item, (str, int, float)) for item in given):
            return combined(given)
        return filled(text, lambda: text.format(*call.positional, **call.keywords))
    if name in _TEXT_TESTS or name in _TEXT_CHANGES:
        if not all(
            isinstance(item, (str, int)) or (isinstance(item, tuple) and len(texts(item)) == len(item))
            for item in given
        ):
            return None
        if any(isinstance(item, int) and item > LONGEST_TEXT for item in given):
            return None
        try:
            made = getattr(text, name)(*call.positional)
        except (TypeError, ValueError):
            return None
        return Items(made) if isinstance(made, list) else as_text(made) if isinstance(made, str) else made
    return combined(given)
