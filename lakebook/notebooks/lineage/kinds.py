"""What kind of values a column has, and whether code that asks for a kind would take it."""

from __future__ import annotations

import re
from collections.abc import Iterable

from lakebook.notebooks.lineage.values import Column, Ref, Series
from lakebook.notebooks.schema import ColumnKind

_TEXT = re.compile(r"object|\bo\b|str|categ|bool", re.I)
_NUMBER = re.compile(r"number|int|float|numeric", re.I)
_TIME = re.compile(r"date|time", re.I)


def words_of(wanted: object) -> str:
    """Return the types that an argument such as `include=[np.number, "object"]` names, as one text."""
    if isinstance(wanted, (list, tuple)):
        return " ".join(words_of(item) for item in wanted)
    if isinstance(wanted, Ref):
        return wanted.path
    return wanted if isinstance(wanted, str) else ""


def is_text_wanted(wanted: object) -> bool:
    """Return True if the types named are those of text."""
    return bool(_TEXT.search(words_of(wanted)))


def holds_kind(column: Column, wanted: object) -> bool | None:
    """Return whether a column has one of the types that are named, None if that is not known."""
    words = words_of(wanted)
    if not words:
        return None
    dtype = column.profile.dtype if column.profile else ""
    if dtype:
        return _names_dtype(words, dtype)
    if column.kind == "unknown":
        return None
    return bool({"text": _TEXT, "number": _NUMBER, "datetime": _TIME}[column.kind].search(words))


def _names_dtype(words: str, dtype: str) -> bool:
    return any(_is_dtype(word.rpartition(".")[2], dtype) for word in words.split())


def _is_dtype(word: str, dtype: str) -> bool:
    if word in ("number", "numeric"):
        return dtype.startswith(("int", "uint", "float"))
    if word in ("int", "integer", "float", "floating", "datetime"):
        return dtype.startswith(word.removesuffix("eger").removesuffix("ing"))
    if word in ("object", "object_", "O", "str", "string"):
        return dtype in ("object", "str", "string")
    return word == dtype


def mapped_kind(change: object, before: ColumnKind) -> ColumnKind:
    """Return the kind of values after each went through a function or dictionary (`map`, `apply`)."""
    if isinstance(change, Series):
        return change.column.kind if change.column.kind != "unknown" else before
    if isinstance(change, Ref):
        return _MADE_BY.get(change.name, before)
    return replaced_kind(change.values(), before) if isinstance(change, dict) else before


def replaced_kind(new: Iterable[object], before: ColumnKind) -> ColumnKind:
    """Return the kind of values after some were replaced; one alone may stand for a missing value."""
    values = list(new)
    if len(values) > 1 and all(isinstance(one, (int, float)) for one in values):
        return "number"
    return "text" if len(values) > 1 and all(isinstance(one, str) for one in values) else before


_MADE_BY: dict[str, ColumnKind] = {
    "to_numeric": "number",
    "float": "number",
    "int": "number",
    "len": "number",
    "str": "text",
    "to_datetime": "datetime",
}


def astype_kind(wanted: object, before: ColumnKind) -> ColumnKind:
    """Return the kind of values after a conversion."""
    text = words_of(wanted).lower()
    if _NUMBER.search(text):
        return "number"
    if re.search(r"str|object|categor", text):
        return "text"
    return "datetime" if "date" in text else before
