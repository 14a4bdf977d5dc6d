"""What is known of the columns of the table that a notebook works on.

Either the dataset is at hand and its schema is given, or the names are gathered from the notebook itself:
tables in its saved outputs, string subscripts, literal lists of columns.
"""

from __future__ import annotations

import ast
import re
from collections.abc import Iterable, Mapping
from dataclasses import dataclass, field
from typing import Any, Literal

from lakebook.notebooks.clean import parse
from lakebook.notebooks.component import Notebook
from lakebook.notebooks.taxonomy import names

_NUMBER = re.compile(r"-?(\d+(\.\d*)?|\.\d+)(e[+-]?\d+)?|inf|nan", re.IGNORECASE)
_NO_TABLES = names("lineage", "no_tables").exact
ColumnKind = Literal["number", "text", "datetime", "unknown"]


@dataclass(frozen=True, slots=True)
class Profile:
    """Facts of a column's values that code may choose columns by; None where not known.

    Attributes:
        dtype: as pandas would load it, such as "int64" or "object"; "" if not known.
        distinct: number of different values, missing ones not counted. nulls: number of missing values.
        rows: number of rows of the table.
    """

    dtype: str = ""
    distinct: int | None = None
    nulls: int | None = None
    rows: int | None = None


@dataclass(frozen=True, slots=True)
class Schema:
    """Columns of a table in order, each with its kind.

    Attributes:
        complete: no other column exists; False when the names were gathered from a notebook.
        profiles: facts of the columns' values, where the data are at hand.
    """

    columns: tuple[tuple[str, ColumnKind], ...] = ()
    complete: bool = True
    profiles: Mapping[str, Profile] = field(default_factory=dict)

    @property
    def names(self) -> tuple[str, ...]:
        """The column names in order."""
        return tuple(name for name, _ in self.columns)

    def kind(self, name: str) -> ColumnKind:
        """Return the kind of a column, `unknown` for one that is not listed."""
        return next((kind for column, kind in self.columns if column == name), "unknown")

    def profile(self, name: str) -> Profile | None:
        """Return what is known of a column's values."""
        return self.profiles.get(name)

    @staticmethod
    def of_kinds(kinds: Mapping[str, ColumnKind]) -> Schema:
        """Return a complete schema from a mapping of names to kinds."""
        return Schema(tuple(kinds.items()))


def schema_of(frame: Any, *, is_whole: bool) -> Schema:
    """Return the schema of a table that is at hand, a pandas frame.

    Args:
        frame: its columns become names, as text.
        is_whole: whether it has all rows, so that missing and different values can be counted.
    """
    kinds: dict[str, ColumnKind] = {}
    profiles: dict[str, Profile] = {}
    for position, name in enumerate(frame.columns):
        column = frame.iloc[:, position]
        kinds[str(name)] = _kind_of(column.dtype)
        try:
            distinct = int(column.nunique()) if is_whole else None
        except TypeError:  # lists and dictionaries cannot be told apart
            distinct = None
        nulls, rows = (int(column.isna().sum()), len(frame)) if is_whole else (None, None)
        profiles[str(name)] = Profile(str(column.dtype), distinct, nulls, rows)
    return Schema(tuple(kinds.items()), profiles=profiles)


def _kind_of(dtype: Any) -> ColumnKind:
    from pandas.api import types

    if types.is_bool_dtype(dtype):
        return "text"
    if types.is_numeric_dtype(dtype):
        return "number"
    return "datetime" if types.is_datetime64_any_dtype(dtype) else "text"


def infer_schema(notebook: Notebook, statements: Iterable[ast.stmt] | None = None) -> Schema:
    """Gather the column names that a notebook shows or mentions, and what its saved outputs tell of kinds.

    Args:
        notebook: as read.
        statements: those of its code cells, if they are parsed already.
    """
    found: dict[str, None] = {}
    shown = [cell.shown_columns for cell in notebook.cells if cell.shown_columns]
    if shown:
        found.update(dict.fromkeys(shown[0]))
    derived: set[str] = set()
    if statements is None:
        codes = [cell.code for cell in notebook.cells if cell.kind == "code" and cell.code.strip()]
        statements = [statement for code in codes for statement in parse(code).body]
    for statement in statements:
        mentioned, stored = _mentions(statement)
        found.update(dict.fromkeys(name for name in mentioned if name not in derived))
        derived |= stored - found.keys()
    kinds = _kinds(notebook)
    return Schema(tuple((name, kinds.get(name, "unknown")) for name in found), complete=False)


def _kinds(notebook: Notebook) -> dict[str, ColumnKind]:
    """Return the kinds of columns as far as saved outputs tell them: types, or values of the first rows."""
    kinds: dict[str, ColumnKind] = {}
    for column in (one for cell in notebook.cells for one in cell.evidence):
        if column.kind is not None:
            kinds[column.name] = column.kind
        elif column.values:
            plain = all(_NUMBER.fullmatch(value) for value in column.values)
            kinds.setdefault(column.name, "number" if plain else "text")
    return kinds


def _mentions(statement: ast.stmt) -> tuple[list[str], set[str]]:
    """Return the string subscripts that a statement reads, and those that it stores."""
    read: list[str] = []
    stored: set[str] = set()
    for node in ast.walk(statement):
        if not isinstance(node, ast.Subscript) or not isinstance(node.value, (ast.Name, ast.Attribute)):
            continue
        if isinstance(node.value, ast.Name) and node.value.id.rstrip("0123456789") in _NO_TABLES:
            continue
        if isinstance(node.value, ast.Attribute) and node.value.attr not in ("loc", "at"):
            continue
        for name in _strings(node.slice):
            if isinstance(node.ctx, ast.Load):
                read.append(name)
            else:
                stored.add(name)
    return read, stored


def _strings(node: ast.expr) -> Iterable[str]:
    items = node.elts if isinstance(node, (ast.List, ast.Tuple)) else [node]
    return [item.value for item in items if isinstance(item, ast.Constant) and isinstance(item.value, str)]
