"""What an offline answer computes: a measure over rows of a subject, with conditions, groups and an order.

What belongs here: the plan as data, and how it is told in words. Reading it from a question is `grammar`'s
work, SQL that of `statement`.
"""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import Literal

from lakebook.sources.card import Column
from lakebook.validation.knowledge import KnownTable

Statistic = Literal[
    "count", "distinct", "sum", "average", "median", "min", "max", "deviation", "correlation", "value",
]  # fmt: skip
How = Literal["is", "between", "above", "at least", "below", "at most", "missing", "holds"]
Grain = Literal["", "year", "month", "calendar month"]
Constant = str | float | bool

NAMES: dict[Statistic, str] = {
    "count": "number of rows",
    "distinct": "number of different values of",
    "sum": "total of",
    "average": "average of",
    "median": "median of",
    "min": "smallest value of",
    "max": "largest value of",
    "deviation": "sample standard deviation of",
    "correlation": "Pearson correlation of",
    "value": "value of",
}


@dataclass(frozen=True, slots=True)
class Link:
    """A join of the main table with one that has each key once: `key` is its column in both."""

    other: KnownTable
    key: str


@dataclass(frozen=True, slots=True)
class Subject:
    """What is asked about: a table, perhaps with one that describes a key of it.

    Attributes:
        member_column: tells the files apart that are read as one table, "" for a single file.
        aliases: (table, column) with another name of it: as some file of a group has it, or by its table.
    """

    table: KnownTable
    link: Link | None = None
    member_column: str = ""
    aliases: tuple[tuple[str, str, str], ...] = ()

    def fields(self) -> tuple[Field, ...]:
        """Return the columns that a word can mean; a name that both sides have, the key aside, means none."""
        own = [Field(self.table.name, column) for column in self.table.columns]
        if self.link is None:
            return tuple(own)
        names = {column.name.lower() for column in self.table.columns}
        others = [c for c in self.link.other.columns if c.name.lower() != self.link.key.lower()]
        shared = names & {column.name.lower() for column in others}
        own = [one for one in own if one.column.name.lower() not in shared]
        return (*own, *(Field(self.link.other.name, c) for c in others if c.name.lower() not in shared))


@dataclass(frozen=True, slots=True)
class Field:
    """A column of one of the subject's tables."""

    table: str
    column: Column

    @property
    def name(self) -> str:
        """Name of the column."""
        return self.column.name

    @property
    def is_number(self) -> bool:
        """Whether it holds numbers."""
        return self.column.type in ("integer", "number")

    @property
    def is_time(self) -> bool:
        """Whether it holds dates or points in time."""
        return self.column.type in ("date", "datetime")


@dataclass(frozen=True, slots=True)
class Part:
    """A column, or the year or month of its dates."""

    field: Field
    grain: Grain = ""

    def told(self) -> str:
        """Name it in words."""
        return f"{self.grain} of {self.field.name}" if self.grain else self.field.name


@dataclass(frozen=True, slots=True)
class Condition:
    """What rows must fulfil. A row without a value never does, unless `how` is "missing"."""

    part: Part
    how: How
    values: tuple[Constant, ...] = ()
    negated: bool = False

    def told(self) -> str:
        """Write it in words."""
        name = self.part.told()
        if self.how == "missing":
            return f"{name} has {'a' if self.negated else 'no'} value"
        written = [value if isinstance(value, str) else shown(value) for value in self.values]
        if self.how == "between":
            text = f"between {written[0]} and {written[1]}"
        elif self.how == "holds":
            text = f"one of its entries {' or '.join(written)}"
        elif self.how == "is":
            text = " or ".join(written)
        else:
            text = f"{self.how} {written[0]}"
        return f"{name} is {'not ' if self.negated else ''}{text}"


@dataclass(frozen=True, slots=True)
class Measure:
    """What is computed of the rows. `other` is the second column of a correlation."""

    statistic: Statistic
    field: Field | None = None
    other: Field | None = None

    def told(self) -> str:
        """Name it in words."""
        if self.field is None:
            return NAMES[self.statistic]
        pair = f" and {self.other.name}" if self.other else ""
        return f"{NAMES[self.statistic]} {self.field.name}{pair}"


@dataclass(frozen=True, slots=True)
class Ranking:
    """The first `most` groups by the measure."""

    descending: bool
    most: int = 1


@dataclass(frozen=True, slots=True)
class Share:
    """The part of the measure in rows with the conditions, as a fraction or in percent."""

    conditions: tuple[Condition, ...]
    percent: bool
    known_only: bool = False


@dataclass(frozen=True, slots=True)
class Change:
    """The measure in two periods, and how it differs: absolute, or in percent of the first."""

    first: Condition
    last: Condition
    percent: bool


@dataclass(frozen=True, slots=True)
class Plan:
    """One reading of a question.

    Attributes:
        also: further measures of the same rows. `decimals`: digits after the point that were asked for.
        cost: how far names had to be stretched (0: all as written); readings of higher cost are only tried
            where none of lower cost holds. `assumptions`: what was assumed.
    """

    subject: Subject
    measure: Measure
    conditions: tuple[Condition, ...] = ()
    groups: tuple[Part, ...] = ()
    ranking: Ranking | None = None
    share: Share | None = None
    change: Change | None = None
    also: tuple[Measure, ...] = ()
    decimals: int | None = None
    cost: int = field(default=0, compare=False)
    assumptions: tuple[str, ...] = field(default=(), compare=False)

    def fields(self) -> tuple[Field, ...]:
        """Return every column that takes part."""
        conditions = list(self.conditions)
        if self.share:
            conditions += self.share.conditions
        if self.change:
            conditions += [self.change.first, self.change.last]
        found = [self.measure.field, self.measure.other]
        found += [condition.part.field for condition in conditions] + [part.field for part in self.groups]
        return tuple(one for one in found if one is not None)

    def counted(self) -> str:
        """Name the measure, and the table whose rows are counted."""
        told = " and ".join(one.told() for one in (self.measure, *self.also))
        return f"{told} of {self.subject.table.name}" if self.measure.statistic == "count" else told

    def told(self) -> str:
        """Write what is computed in words."""
        text = f"the {self.counted()}"
        if self.share:
            where = " and ".join(condition.told() for condition in self.share.conditions)
            known = ", among rows with a value there" if self.share.known_only else ""
            text = f"the share of {text} where {where}{known}"
        if self.change:
            text = f"how {text} differs between {self.change.first.told()} and {self.change.last.told()}"
        if self.groups:
            text += f" for each {' and '.join(part.told() for part in self.groups)}"
        if self.ranking:
            end = "highest" if self.ranking.descending else "lowest"
            text += f", the {end} {self.ranking.most}" if self.ranking.most > 1 else f", the {end}"
        if self.conditions:
            text += f", where {' and '.join(condition.told() for condition in self.conditions)}"
        return text


def shown(value: float | bool) -> str:
    """Write a constant as people do."""
    if isinstance(value, bool):
        return "true" if value else "false"
    return f"{value:g}" if abs(value) < 1e6 and value == int(value) else f"{value:,.10g}"
