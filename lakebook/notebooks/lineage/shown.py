"""What the charts of a cell show, and figures that hold what they show until they are displayed."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass, field

from lakebook.notebooks.lineage.values import (
    Frame,
    Series,
    bases_of,
    doubt_of,
    filters_of,
    keys_of,
    union,
)
from lakebook.notebooks.taxonomy import chart_types

NO_CHART = "no chart is seen in the code"
NO_COLUMN = "a chart shows no column that is known"
UNKNOWN_COLUMNS = "the columns of the table are not known"
UNKNOWN_VALUE = "a chart shows a value that is not understood"
UNKNOWN_OBJECT = "a chart is drawn by an object that is not understood"


@dataclass(slots=True)
class Shown:
    """What charts show, collected in order.

    Attributes:
        columns, filters, keys: base columns.
        charts: chart types in order.
        labels: base columns of texts and lines beside a chart, which show only if there is one.
        told: base columns one value of which is named as what is drawn (`label=city`).
        doubts: why some of it may be wrong or missing.
    """

    columns: dict[str, None] = field(default_factory=dict)
    filters: set[str] = field(default_factory=set)
    keys: set[str] = field(default_factory=set)
    charts: dict[str, None] = field(default_factory=dict)
    labels: set[str] = field(default_factory=set)
    told: set[str] = field(default_factory=set)
    doubts: dict[str, None] = field(default_factory=dict)

    def add(self, value: object, *, with_index: bool = False) -> None:
        """Show a value; its index too where that is an axis."""
        bases = bases_of(value)
        if with_index and isinstance(value, Series):
            bases |= union(value.index.values())
        self.show(bases)
        self.told |= bases if isinstance(value, Series) and value.is_item else set()
        self.filters |= filters_of(value)
        self.keys |= keys_of(value)
        self.doubt(doubt_of(value))

    def size(self) -> int:
        """Return how much has been shown so far."""
        sets = (self.columns, self.filters, self.keys, self.charts, self.labels, self.doubts)
        return sum(map(len, sets))

    def show(self, bases: Iterable[str]) -> None:
        """Show base columns."""
        self.columns.update(dict.fromkeys(sorted(bases)))

    def chart(self, call_name: str) -> None:
        """Note the chart that a call draws."""
        found = chart_types().get(call_name, "")
        if found:
            self.charts[found] = None

    def doubt(self, reason: str) -> None:
        """Note why what is shown may be wrong."""
        if reason:
            self.doubts[reason] = None

    def merge(self, other: Shown) -> None:
        """Show everything that another collection shows."""
        self.columns.update(other.columns)
        self.filters |= other.filters
        self.keys |= other.keys
        self.charts.update(other.charts)
        self.labels |= other.labels
        self.told |= other.told
        self.doubts.update(other.doubts)


@dataclass(slots=True)
class Drawing:
    """A figure of plotly, altair, bokeh and the like, or a part of one, displayed now or later.

    Attributes:
        family: the library, by the first part of its module.
        shown: what it shows.
        frame: the table that its fields name columns of, None for that of the chart it is a part of.
        mark: what is drawn for each row. `fields`: names of columns, in the form of the library.
        parts: charts that it is put together from.
    """

    family: str
    shown: Shown = field(default_factory=Shown)
    frame: Frame | None = None
    mark: str = ""
    fields: list[str] = field(default_factory=list)
    parts: list[Drawing] = field(default_factory=list)


def drawings_in(value: object) -> Iterable[Drawing]:
    """Return the drawings that a value is or holds."""
    if isinstance(value, Drawing):
        yield value
    elif isinstance(value, (list, tuple)):
        for item in value:
            yield from drawings_in(item)
    elif isinstance(value, dict):
        for item in value.values():
            yield from drawings_in(item)
