"""What an expression stands for: a frame with its columns and rows, a series, groups, a literal, a function.

Frames change in place as pandas' do; what is known of their rows (`Rows`) and columns (`Field`) is frozen.
None stands for everything that is not understood.
"""

from __future__ import annotations

import ast
import dataclasses
import itertools
from collections.abc import Iterable
from dataclasses import dataclass, replace
from typing import Literal

from lakebook.sources.card import Column
from lakebook.validation.knowledge import KnownTable

Kind = Literal["", "number", "text", "time", "boolean"]

_labels = itertools.count(1)


@dataclass(frozen=True, slots=True)
class Origin:
    """The column of a table of the lake whose values a field holds, all of them or fewer.

    Attributes:
        exact: the code reads the file just as its card does; else rows or values may differ.
    """

    table: KnownTable
    column: Column
    exact: bool = True


@dataclass(frozen=True, slots=True)
class Field:
    """What is known of one column.

    Attributes:
        origin: where its values come from, None once they are changed. `kind`: of its values in pandas.
        values: every value that it may have, as text, None if not known (complete enumeration).
        nulls: rows without a value, None if not known.
        of: names of the columns that it was computed from, with its own as long as it is one.
        made: the aggregate that it is the result of, "" if none.
    """

    origin: Origin | None = None
    kind: Kind = ""
    values: tuple[str, ...] | None = None
    nulls: int | None = None
    of: frozenset[str] = frozenset()
    made: str = ""

    def fewer(self) -> Field:
        """Return the field after some rows are gone."""
        return self if self.nulls == 0 else replace(self, nulls=None)

    def changed(self, kind: Kind = "") -> Field:
        """Return a field with other values computed from this one."""
        return Field(kind=kind, of=self.of, made=self.made)


@dataclass(frozen=True, slots=True)
class Taken:
    """A part of the rows that was taken without looking at them.

    Attributes:
        how: as it is written. `rows`: how many at most, None if not a literal.
        random: drawn by chance. `of`: rows there were, None if not known.
        loaded: no more than these were read of the file.
    """

    how: str
    rows: int | None = None
    random: bool = False
    of: int | None = None
    loaded: bool = False


@dataclass(frozen=True, slots=True)
class Joined:
    """A merge that the rows went through.

    Attributes:
        how: its kind. `keys`: pairs of key columns, left and right.
        left, right: names of the columns that came from either side.
        repeats: "left" if rows of the left may stand several times, "right", "both", "" if none do.
        seen: the observation that says so. `certain`: it holds for the rows as they are now.
        unfiltered: no condition has been put on the joined rows.
        single: a side is known to have one row, so that a product repeats nothing.
    """

    how: str
    keys: tuple[tuple[str, str], ...]
    left: frozenset[str]
    right: frozenset[str]
    repeats: Literal["", "left", "right", "both"] = ""
    seen: str = ""
    certain: bool = False
    unfiltered: bool = True
    single: bool = False


@dataclass(frozen=True, slots=True)
class Rows:
    """What is known of the rows of a frame or series.

    Attributes:
        labels: identity of the index; rows of equal identity align label by label.
        count: how many, None if not known. `tables`: names of the tables that they come from.
        narrowed: some may be gone. `ordered`: the code has sorted them.
        taken: the part that was taken blindly. `keys`: there is one row for each group of these columns.
        joined: the last merge.
    """

    labels: int = 0
    count: int | None = None
    tables: tuple[str, ...] = ()
    narrowed: bool = False
    ordered: bool = False
    taken: Taken | None = None
    keys: tuple[str, ...] = ()
    joined: Joined | None = None

    def fewer(self) -> Rows:
        """Return the rows after some were left out by a condition; labels of the rest stay."""
        joined = replace(self.joined, certain=False, unfiltered=False) if self.joined else None
        return replace(self, count=None, narrowed=True, labels=new_labels(), joined=joined)


def new_labels() -> int:
    """Return the identity of an index that no other rows have."""
    return next(_labels)


@dataclass(slots=True, eq=False)
class Frame:
    """A table.

    Attributes:
        fields: by name, in order. `whole`: it has no further column than these.
        index: fields of named index levels. `lost`: bare names that a merge has split into `_x` and `_y`.
        label: what to call it in a message.
    """

    fields: dict[str, Field] = dataclasses.field(default_factory=dict)
    whole: bool = False
    rows: Rows = Rows()
    index: dict[str, Field] = dataclasses.field(default_factory=dict)
    lost: frozenset[str] = frozenset()
    label: str = ""

    def find(self, name: str) -> Field | None:
        """Return a column or index level, None if there is none that is known."""
        return self.fields.get(name) or self.index.get(name)

    def copy(self, names: Iterable[str] | None = None) -> Frame:
        """Return a frame with the same rows, and with the named columns or all."""
        if names is None:
            return Frame(dict(self.fields), self.whole, self.rows, dict(self.index), self.lost, self.label)
        chosen = {name: self.find(name) or Field(of=frozenset((name,))) for name in names}
        return Frame(chosen, True, self.rows, dict(self.index), label=self.label)

    def fewer(self) -> Frame:
        """Return the frame after a condition left some rows out."""
        made = self.copy()
        made.fields = {name: one.fewer() for name, one in self.fields.items()}
        made.rows = self.rows.fewer()
        return made

    def opened(self) -> Frame:
        """Return the same rows with columns that are not all known."""
        made = self.copy()
        made.whole = False
        return made

    def spoil(self) -> None:
        """Forget the columns: something not understood may have changed the frame in place."""
        self.whole = False
        self.fields = {name: one.changed() for name, one in self.fields.items()}
        self.rows = Rows(tables=self.rows.tables)


@dataclass(frozen=True, slots=True)
class Condition:
    """One comparison of a series with literals: where it stands, and what it asks for."""

    node: ast.expr
    field: Field
    name: str
    operator: str
    literals: tuple[object, ...]


@dataclass(frozen=True, slots=True)
class Series:
    """A column by itself, or values computed from columns row by row.

    Attributes:
        frame: the frame that it is a column of, if it is one just as it is there.
        conditions: comparisons with literals that a mask consists of, all of which must hold.
        dropped: it has lost its missing values by itself, apart from other columns.
    """

    field: Field = Field()
    rows: Rows = Rows()
    name: str = ""
    frame: Frame | None = None
    conditions: tuple[Condition, ...] = ()
    dropped: bool = False


@dataclass(frozen=True, slots=True)
class Grouped:
    """A frame or a column of it by groups; `made_by` is the call that grouped it."""

    frame: Frame
    keys: tuple[str, ...]
    series: Series | None = None
    columns: tuple[str, ...] | None = None
    as_index: bool = True
    made_by: ast.expr | None = None


@dataclass(frozen=True, slots=True)
class RowOf:
    """One row of a frame, as `apply(axis=1)` and `iterrows` hand it out."""

    frame: Frame


@dataclass(frozen=True, slots=True)
class Scalar:
    """A single number or text of the data: an aggregate of a series."""

    made: str = ""
    of: Field = Field()


@dataclass(frozen=True, slots=True)
class Accessor:
    """`.loc`, `.iloc`, `.str`, `.dt`, `.columns` … of a value."""

    owner: Frame | Series
    name: str


@dataclass(frozen=True, slots=True)
class Ref:
    """A module or something in it, by its dotted path."""

    path: str


@dataclass(frozen=True, slots=True)
class Constant:
    """A number, text, None or slice that the code says."""

    value: object


@dataclass(slots=True, eq=False)
class Listed:
    """A list, tuple or set, and what is in it as far as known; `whole` if nothing else is."""

    items: list[Value] = dataclasses.field(default_factory=list)
    whole: bool = True


@dataclass(slots=True, eq=False)
class Mapped:
    """A dictionary with literal keys."""

    items: dict[object, Value] = dataclasses.field(default_factory=dict)
    whole: bool = True


@dataclass(frozen=True, slots=True, eq=False)
class Routine:
    """A function or lambda of the code."""

    node: ast.FunctionDef | ast.AsyncFunctionDef | ast.Lambda


@dataclass(frozen=True, slots=True)
class Learner:
    """A model or transformer of scikit-learn, by the path of its class; `seeded`: random_state was said."""

    path: str
    seeded: bool = False


Value = (
    Frame
    | Series
    | Grouped
    | RowOf
    | Scalar
    | Accessor
    | Ref
    | Constant
    | Listed
    | Mapped
    | Routine
    | Learner
    | None
)


def either(first: Value, second: Value) -> Value:
    """Return what holds whichever of two values it is."""
    if first is second or first == second:
        return first
    if isinstance(first, Frame) and isinstance(second, Frame):
        return _either_frame(first, second)
    return None


def _either_frame(first: Frame, second: Frame) -> Frame:
    fields = {}
    for name in dict.fromkeys((*first.fields, *second.fields)):
        one, other = first.fields.get(name), second.fields.get(name)
        fields[name] = one if one is not None and one == other else Field(of=frozenset((name,)))
    rows = first.rows if first.rows == second.rows else Rows(tables=first.rows.tables)
    index = first.index if first.index == second.index else {}
    whole = first.whole and second.whole and first.index.keys() == second.index.keys()
    return Frame(fields, whole, rows, index, first.lost & second.lost, first.label)


def literal(value: Value) -> object:
    """Return the Python object that a value of literals is; raise ValueError if it is not one."""
    if isinstance(value, Constant):
        return value.value
    if isinstance(value, Listed) and value.whole:
        return [literal(item) for item in value.items]
    if isinstance(value, Mapped) and value.whole:
        return {key: literal(item) for key, item in value.items.items()}
    raise ValueError("not a literal")


def names(value: Value) -> tuple[str, ...] | None:
    """Return the column names that a literal text or list of texts gives, None if it is anything else."""
    try:
        found = literal(value)
    except ValueError:
        return None
    listed: list[object] = found if isinstance(found, list) else [found]
    texts = tuple(item for item in listed if isinstance(item, str))
    return texts if len(texts) == len(listed) else None
