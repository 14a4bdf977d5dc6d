"""Values of the column analysis: what an expression is, in terms of the columns of the old table.

`Column` is the lineage of one column: the base columns that it was computed from, and its kind. Frames,
series and groups are made of columns; lists, dictionaries, strings and numbers are plain Python values;
`PLAIN` is computed from such alone, and None is what is not understood. Rows are not modelled, only which
columns selected them. The keys of what is made by grouping are its index, shown where that is an axis.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field

from lakebook.notebooks.lineage.asked import Asked
from lakebook.notebooks.schema import ColumnKind, Profile, Schema

Bases = frozenset[str]
Label = str | tuple[str, ...]
NO_BASES: Bases = frozenset()
MOST_ITEMS = 60

DATA_DEPENDENT = "which columns are taken depends on the data"


class Plain:
    """A value that no column is in, such as `np.arange(3)`."""

    __slots__ = ()


PLAIN = Plain()
_LEAVES = frozenset({type(None), bool, int, float, str, Plain})  # no column is in them: most values


@dataclass(frozen=True, slots=True)
class Ref:
    """A module, or something of a module or of Python, by its dotted path: `numpy.mean`, `len`."""

    path: str

    @property
    def name(self) -> str:
        """The last part of the path."""
        return self.path.rpartition(".")[2]


@dataclass(frozen=True, slots=True)
class Guess:
    """A truth that the data decide, and that is likely: few texts differ, most numbers do."""

    likely: bool


class Canvas:
    """Figures, axes and lists of axes of matplotlib: what is drawn on them is seen at once."""

    __slots__ = ()


CANVAS = Canvas()


@dataclass(frozen=True, slots=True)
class Column:
    """Base columns that a column was computed from, and what kind of values it has.

    Attributes:
        profile: facts of its values, as long as they are those of the file.
        doubt: why it may be made of other columns, "" if it is known.
    """

    bases: Bases = NO_BASES
    kind: ColumnKind = "unknown"
    profile: Profile | None = None
    doubt: str = ""


@dataclass(slots=True)
class Frame:
    """A table.

    Attributes:
        columns: by name, in order, as far as known.
        index: named index levels (group keys, `set_index`).
        filters: base columns that selected its rows.
        open: it may have base columns that nobody has named yet.
        expanded: lineage of columns whose names are data (of a pivot, of indicator columns), by how those
            names begin.
        rows: the columns that the row labels name (of a correlation matrix), else None.
        doubt: why its columns may be others, "" if they are known.
        is_map: it has geometry, so that its plot is a map.
        tells_nulls: it says of each value whether it is missing.
        is_loaded: it is a table of a file as it was loaded, in what its columns are called at least.
        is_renamed: its columns got other names, also those that nobody has named yet.
        flipped: the frame that it is the transpose of.
        is_foreign: a function gave it that is not there: it may be several tables.
        counted: the filters of the last selection, which its number of rows tells of.
        is_array: it is its values without labels: a loop takes rows of it.
        of_columns: its rows tell of columns of another table, as those of a table of missing values do.
        asked: where the names are noted that are asked of the loaded tables it was made from, if anybody
            wants to know.
    """

    columns: dict[Label, Column] = field(default_factory=dict)
    index: dict[str, Column] = field(default_factory=dict)
    filters: Bases = NO_BASES
    open: bool = False
    expanded: dict[str, Column] = field(default_factory=dict)
    rows: dict[Label, Column] | None = None
    doubt: str = ""
    is_map: bool = False
    tells_nulls: bool = False
    is_loaded: bool = False
    is_renamed: bool = False
    flipped: Frame | None = None
    is_foreign: bool = False
    counted: Bases = NO_BASES
    of_columns: bool = False
    is_array: bool = False
    asked: tuple[Asked, ...] = ()

    def find(self, name: object) -> Column | None:
        """Return a column or index level by name, None if there is none.

        An open frame takes an unknown name for a base column.
        """
        if isinstance(name, tuple) and len(name) == 1:
            name = name[0]
        if not isinstance(name, (str, tuple)):
            return None
        found = self.columns.get(name)
        if found is None and isinstance(name, str):
            found = self.index.get(name) or self._part(name)
        if found is None and self.open and isinstance(name, str):
            doubt = DATA_DEPENDENT if self.is_renamed else ""
            found = self.columns[name] = Column(frozenset((name,)), doubt=doubt)
        if found is None and self.expanded:
            text = name if isinstance(name, str) else str(name[-1])
            found = next((one for prefix, one in self.expanded.items() if text.startswith(prefix)), None)
        if self.asked and found is not None and isinstance(name, str):
            self.ask(name, found)
        return found

    def ask(self, name: str, column: Column | None = None) -> None:
        """Note that a name is asked of the loaded tables behind this one."""
        for one in self.asked:
            one.take(name, column, is_alone=len(self.asked) == 1)

    def column(self, name: object) -> Column:
        """Return a column or index level by name, one without lineage if there is none."""
        return self.find(name) or Column()

    def copy(
        self,
        columns: Mapping[Label, Column] | None = None,
        *,
        index: Mapping[str, Column] | None = None,
        filters: Bases = NO_BASES,
        is_open: bool | None = None,
    ) -> Frame:
        """Return a copy with some parts replaced and filters added."""
        return Frame(
            dict(self.columns if columns is None else columns),
            dict(self.index if index is None else index),
            self.filters | filters,
            self.open if is_open is None else is_open,
            self.expanded,
            self.rows if columns is None else None,
            self.doubt,
            self.is_map,
            is_loaded=self.is_loaded and columns is None,
            is_renamed=self.is_renamed,
            counted=filters - self.filters or self.counted,
            of_columns=self.of_columns or self.rows is not None,
            asked=self.asked,
        )

    def become(self, other: Frame) -> None:
        """Take over everything of another frame (what `inplace=True` does)."""
        for name in Frame.__slots__:
            setattr(self, name, getattr(other, name))

    def show_columns(self, names: Sequence[str], *, is_whole: bool, kinds: Mapping[str, ColumnKind]) -> None:
        """Take over what a saved output shows of a table: its columns, in order.

        Args:
            names: the header of the output.
            is_whole: whether it names all columns.
            kinds: what else is known of the columns.
        """
        if not self.open and not all(name in self.columns for name in names):
            return  # it was made in a way that is not followed
        known: dict[Label, Column] = {
            name: self.columns.get(name) or Column(frozenset((name,)), kinds.get(name, "unknown"))
            for name in names
        }
        if is_whole:
            self.columns, self.open = known, False
        else:
            self.columns = {**known, **self.columns}

    def numeric(self) -> dict[Label, Column]:
        """Return the columns that are numbers, or may be."""
        return {name: one for name, one in self.columns.items() if one.kind in ("number", "unknown")}

    def bases(self) -> Bases:
        """Return the base columns of all columns, without those of the index."""
        return union((*self.columns.values(), *self.expanded.values()))

    def _part(self, name: str) -> Column | None:
        """Return what all columns below a first label are made of."""
        parts = [one for key, one in self.columns.items() if isinstance(key, tuple) and key[0] == name]
        return Column(union(parts), parts[0].kind) if parts else None


@dataclass(slots=True)
class Series:
    """One column with its name, index levels and filters.

    Attributes:
        number: its value, if it is a number that the table's profile gives away.
        tells_nulls: it says of each value whether it is missing.
        is_item: it is one element of a series, as a loop takes it.
        is_distinct: it is the number of different values of its column.
        is_count: it counts rows, so that its index is all that it is made of.
        doubt: why it may be another, "" if it is known.
        cleans: as a mask, or a bound of one, it leaves out only what is missing or far out.
    """

    column: Column = Column()
    name: str = ""
    index: dict[str, Column] = field(default_factory=dict)
    filters: Bases = NO_BASES
    number: float | None = None
    tells_nulls: bool = False
    is_item: bool = False
    is_distinct: bool = False
    is_count: bool = False
    doubt: str = ""
    cleans: bool = False


@dataclass(slots=True)
class ByColumn:
    """A number or a truth for each column of a frame, such as `df.isnull().sum()` or `df.dtypes`.

    Attributes:
        columns: the columns that its labels name.
        facts: the numbers, truths or kinds, where they are known.
        doubt: why the labels may be others.
        cleans: as a bound of a mask, it leaves out only what is far out.
    """

    columns: dict[Label, Column]
    facts: dict[Label, object] = field(default_factory=dict)
    filters: Bases = NO_BASES
    doubt: str = ""
    cleans: bool = False


@dataclass(slots=True)
class Groups:
    """A frame grouped by keys, with the columns selected so far (None: all)."""

    frame: Frame
    keys: dict[str, Column]
    selected: tuple[str, ...] | None = None
    single: bool = False
    as_index: bool = True

    @property
    def chosen(self) -> list[Label]:
        """The columns that are aggregated."""
        if self.selected is None:
            return [name for name in self.frame.columns if name not in self.keys]
        return list(self.selected)


@dataclass(slots=True)
class Window:
    """A rolling or expanding window over a frame or series, which its methods give back."""

    inner: Frame | Series


class Items(list[object]):
    """A list of the notebook; `doubt` says why its elements may be others."""

    def __init__(self, items: Iterable[object] = (), doubt: str = "") -> None:
        super().__init__(items)
        self.doubt = doubt


class ColumnNames(Items):
    """The column labels of a frame, or some of them."""


@dataclass(frozen=True, slots=True)
class Dtype:
    """The type of a column's values, as code asks for it."""

    column: Column


@dataclass(frozen=True, slots=True)
class DataKey:
    """Keys of a dictionary that are values of the data."""

    bases: Bases
    filters: Bases = NO_BASES


@dataclass(slots=True)
class Thing:
    """An object of a library, such as a fitted model or a counter: what it is given, it holds."""

    path: str
    held: Bases = NO_BASES
    filters: Bases = NO_BASES
    frame: Frame | None = None  # the table that it was made of


@dataclass(slots=True)
class Grid:
    """A grid of charts over a frame (seaborn FacetGrid and its kin).

    Attributes:
        layout: base columns that lay it out.
        is_empty: it draws nothing until a function is mapped over it.
    """

    frame: Frame
    layout: Bases = NO_BASES
    is_empty: bool = True


def base_frame(schema: Schema) -> Frame:
    """Return a table as it is loaded."""
    columns: dict[Label, Column] = {
        name: Column(frozenset((name,)), kind, schema.profile(name)) for name, kind in schema.columns
    }
    return Frame(columns, open=not schema.complete, is_loaded=True)


# -- what a value is made of -------------------------------------------------------------------------------


def bases_of(value: object) -> Bases:
    """Return all base columns that a value was computed from, without those of an index."""
    if value.__class__ in _LEAVES:
        return NO_BASES
    if isinstance(value, Series):
        return value.column.bases
    if isinstance(value, (Column, DataKey)):
        return value.bases
    if isinstance(value, Frame):
        return value.bases()
    if isinstance(value, ByColumn):
        return union(value.columns.values())
    if isinstance(value, Groups):
        chosen = [value.frame.column(name) for name in value.chosen]
        return union((*value.keys.values(), *chosen))
    if isinstance(value, Window):
        return bases_of(value.inner)
    if isinstance(value, Thing):
        return value.held
    return _over_items(value, bases_of)


def filters_of(value: object) -> Bases:
    """Return the base columns that selected the rows behind a value."""
    if value.__class__ in _LEAVES:
        return NO_BASES
    if isinstance(value, (Frame, Series, ByColumn, Thing, DataKey)):
        return value.filters
    if isinstance(value, Groups):
        return value.frame.filters
    if isinstance(value, Window):
        return value.inner.filters
    return _over_items(value, filters_of)


def selected_by(mask: object) -> Bases:
    """Return the base columns that select rows by a mask, or by row labels: what only cleans selects none."""
    cleans = isinstance(mask, Series) and mask.cleans
    return filters_of(mask) if cleans else bases_of(mask) | filters_of(mask)


def keys_of(value: object) -> Bases:
    """Return the base columns that serve as keys of a value: group keys and index levels."""
    if isinstance(value, (Frame, Series)):
        return union(value.index.values())
    if isinstance(value, Groups):
        return union(value.keys.values())
    return _over_items(value, keys_of) if isinstance(value, (list, tuple)) else NO_BASES


def doubt_of(value: object) -> str:
    """Return why a value may be another than it seems, "" if it is known."""
    if value.__class__ in _LEAVES:
        return ""
    if isinstance(value, (Frame, Series, ByColumn)) or (isinstance(value, Items) and value.doubt):
        return value.doubt
    if isinstance(value, Groups):
        return value.frame.doubt
    if isinstance(value, (list, tuple)):
        return next(filter(None, map(doubt_of, held_in(value))), "")
    return ""


def _over_items(value: object, read: Callable[[object], Bases]) -> Bases:
    return (
        frozenset().union(*map(read, held_in(value))) if isinstance(value, (dict, list, tuple)) else NO_BASES
    )


def held_in(value: object) -> Iterator[object]:
    """Yield what containers hold; each container once, since it may hold itself, or another many times."""
    waiting = [value]
    seen: set[int] = set()
    while waiting:
        one = waiting.pop()
        if isinstance(one, (dict, list, tuple)):
            if id(one) in seen:
                continue
            seen.add(id(one))
            if one is not value and isinstance(one, Items) and one.doubt:
                yield Series(doubt=one.doubt)
            if isinstance(one, dict):
                yield from (key for key in one if isinstance(key, DataKey))
                waiting.extend(one.values())
            elif not isinstance(one, ColumnNames):
                waiting.extend(one)
        else:
            yield one


def union(columns: Iterable[Column]) -> Bases:
    """Return the base columns of several columns."""
    return frozenset().union(*(one.bases for one in columns))


def number_of(value: object) -> float | None:
    """Return the number that a value is, None if it is none or not known."""
    if isinstance(value, (int, float)):
        return value
    return value.number if isinstance(value, Series) else None


def combined(values: Iterable[object], kind: ColumnKind = "unknown") -> Series | Plain | None:
    """Return what is computed from several values: a series if a column is among them.

    Without a column it is PLAIN if all of them are known, else None.
    """
    bases = filters = NO_BASES
    first: Series | Frame | None = None
    name, doubt, known, cleans = "", "", True, False
    for one in values:
        if one is None:
            known = False
            continue
        if one.__class__ in _LEAVES:
            continue
        bases |= bases_of(one)
        filters |= filters_of(one)
        doubt = doubt or doubt_of(one)
        cleans = cleans or (isinstance(one, (Series, ByColumn)) and one.cleans)
        if isinstance(one, (Series, Frame)):
            if first is None or (one.index and not first.index):
                first = one
            if not name and isinstance(one, Series):
                name = one.name
    if bases or filters:
        index = dict(first.index) if first else {}
        return Series(Column(bases, kind), name, index, filters, doubt=doubt, cleans=cleans)
    return PLAIN if known else None


def texts(value: object) -> tuple[str, ...]:
    """Return the strings that a value is made of."""
    if isinstance(value, str):
        return (value,)
    if isinstance(value, (list, tuple)):
        return tuple(item for item in value if isinstance(item, str))
    return ()


def labels_in(value: object) -> tuple[Label, ...]:
    """Return the column labels that a list names, those of several levels too."""
    if not isinstance(value, list):
        return texts(value)
    return tuple(
        item
        for item in value
        if isinstance(item, str) or (isinstance(item, tuple) and len(texts(item)) == len(item))
    )
