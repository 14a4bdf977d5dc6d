"""What a figure can compute: its values by name, with the expressions that read them in the notebook.

What belongs here: one axes as curves of named places, and the words that the figure uses for what it shows.
What
does not: any text about it. Paper: NotebookRAG §4.2.4.
"""

from __future__ import annotations

import math
import re
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field

from lakebook.enhancement.enhanced import DrawnAxes, DrawnSeries
from lakebook.enhancement.insights.place import Shown
from lakebook.enhancement.refinement.vocabulary import MONTHS, words_of


@dataclass(frozen=True, slots=True)
class Quantity:
    """A number and the expression that computes it."""

    value: float
    expression: str


@dataclass(frozen=True, slots=True)
class Curve:
    """One series: its values by the names of their places, in the order drawn.

    Attributes:
        path: expression of the series; `shown` that of its facts. `ordered`: its places are dates or numbers.
        aliases: other ways to write a place ("June 2017"), by the place's name.
        places: of a name; the label's expression is `path['labels'][i]`.
        shares: the values are shares of a whole; `additive`: they add up to one.
    """

    series: DrawnSeries
    path: str
    shown: str
    facts: Shown
    places: Mapping[str, Quantity]
    name_of: Mapping[str, str]
    aliases: Mapping[str, str] = field(default_factory=dict)
    ordered: bool = False
    shares: bool = False
    additive: bool = False

    @property
    def label(self) -> str:
        """The name of the series, "" if it has none."""
        return self.series.label.strip()

    def fact(self, *path: str) -> Quantity | None:
        """Return a number in the facts, None if it is not there."""
        found: object = self.facts
        for step in path:
            found = found.get(step) if isinstance(found, Mapping) else None
        if isinstance(found, bool) or not isinstance(found, int | float) or not math.isfinite(found):
            return None
        return Quantity(float(found), self.shown + "".join(f'["{step}"]' for step in path))

    def alias_like(self, written: str, name: str) -> str:
        """Return the way to write a place that is like the text's, "" if that writes the place's name."""
        if written in self.places:
            return ""
        if self.aliases.get(written) == name:
            return written
        alike = [
            alias for alias, of in self.aliases.items() if of == name and _style(alias) == _style(written)
        ]
        return alike[0] if alike else ""

    def word(self, group: str, name: str = "word") -> str:
        """Return a word in the facts, "" if it is not there."""
        found = self.facts.get(group) if group else self.facts
        word = found.get(name) if isinstance(found, Mapping) else ""
        return word if isinstance(word, str) else ""


@dataclass(frozen=True, slots=True)
class Scene:
    """One axes: its curves, the correlations of a heat map by pair, and its vocabulary.

    `between` are the facts that compare its lines, `between_at` their expression.
    """

    curves: tuple[Curve, ...]
    pairs: Mapping[frozenset[str], Quantity]
    names: frozenset[str]
    vocabulary: frozenset[str]
    between: Shown = field(default_factory=dict)
    between_at: str = ""


def _style(alias: str) -> int:
    """Tell "June 2017" (2), "Jun 2017" (1) and "2017-06" (0) apart; May is written as a whole month."""
    return 0 if alias[0].isdigit() else 1 if len(alias.split()[0]) == 3 and alias[:3] != "May" else 2


def scene_of(
    axes: DrawnAxes, on: str, shown: str, facts: Shown, also: Sequence[str] = (), most: int = 12
) -> Scene:
    """Return what an axes can compute.

    Args:
        axes: as drawn.
        on: the expression of its data.
        shown: the expression of its facts.
        facts: its facts, {} if they are not known.
        also: further names for what it shows: columns, old and new.
        most: series that are read; of more, nobody's sentence says which it means.
    """
    of_series = facts.get("series") or ()
    curves = tuple(
        _curve(
            one,
            f"{on}['series'][{n}]",
            f'{shown}["series"][{n}]',
            of_series[n] if n < len(of_series) else {},
            axes,
        )
        for n, one in enumerate(axes.series[:most])
        if one.mark in ("line", "bar", "barh", "box", "wedge", "point")
        and one.shape not in ("fit", "density", "band", "stacked")
    )
    pairs = _pairs(axes, on)
    names = {name for curve in curves for name in (*curve.places, *curve.aliases, curve.label)}
    names |= {name for pair in pairs for name in pair}
    names |= {month for curve in curves if curve.word("season") for month in MONTHS}
    spoken = [axes.title, axes.xlabel, axes.ylabel, axes.legend, *also]
    for curve in curves:
        spoken += [curve.word("origin", "by"), curve.word("origin", "of"), curve.word("", "column")]
    vocabulary = frozenset(word for text in spoken for word in words_of(text))
    between = facts.get("between")
    return Scene(
        curves,
        pairs,
        frozenset(names - {""}),
        vocabulary,
        between if isinstance(between, Mapping) else {},
        f'{shown}["between"]',
    )


def _curve(series: DrawnSeries, path: str, shown: str, facts: object, axes: DrawnAxes) -> Curve:
    known: Shown = facts if isinstance(facts, Mapping) else {}
    places: dict[str, Quantity] = {}
    name_of: dict[str, str] = {}
    for at, (name, value) in enumerate(zip(_names(series), series.y, strict=False)):
        if name in places or math.isnan(value):
            continue
        places[name] = Quantity(value, f"{path}['y'][{at}]")
        name_of[name] = f"{path}['labels'][{at}]" if series.labels else f"str(int({path}['x'][{at}]))"
    label = f"{axes.ylabel} {axes.xlabel} {axes.title}".casefold()
    in_percent = bool(re.search(r"percent|%|\(pct\)", label))
    origin = known.get("origin")
    return Curve(
        series,
        path,
        shown,
        known,
        places if series.mark != "point" else {},
        name_of,
        aliases=_aliases(series),
        ordered=series.mark == "line" or axes.x_is_date or "step" in known,
        shares=series.mark == "wedge" or in_percent,
        additive=series.mark == "wedge" or (isinstance(origin, Mapping) and origin.get("additive") is True),
    )


def _names(series: DrawnSeries) -> list[str]:
    if series.labels:
        return list(series.labels)
    whole = all(float(x).is_integer() for x in series.x if not math.isnan(x))
    return [str(int(x)) for x in series.x if not math.isnan(x)] if whole and series.mark != "point" else []


def _aliases(series: DrawnSeries) -> dict[str, str]:
    """Return "June 2017", "Jun 2017" and "2017-06" for dates, where only one point is in the month."""
    months: dict[str, list[str]] = {}
    for label in series.labels:
        if match := re.fullmatch(r"(\d{4})-(\d{2})(-\d{2})?", label):
            months.setdefault(f"{match[1]}-{match[2]}", []).append(label)
    found: dict[str, str] = {}
    for month, labels in months.items():
        if len(labels) == 1 and 1 <= int(month[5:]) <= 12:
            name = MONTHS[int(month[5:]) - 1]
            found |= {f"{word} {month[:4]}": labels[0] for word in (name, name[:3])} | {month: labels[0]}
    return {alias: label for alias, label in found.items() if alias != label}


def _pairs(axes: DrawnAxes, on: str) -> dict[frozenset[str], Quantity]:
    """Return the cells of a heat map whose rows and columns have the same names and whose diagonal is one."""
    for number, series in enumerate(axes.series):
        size = len(series.labels)
        if series.mark != "image" or size < 2 or series.rows != series.labels or len(series.y) != size * size:
            continue
        if any(abs(series.y[i * size + i] - 1) > 1e-9 for i in range(size)):
            continue
        return {
            frozenset((series.labels[i], series.labels[j])): Quantity(
                series.y[i * size + j], f"{on}['series'][{number}]['y'][{i * size + j}]"
            )
            for i in range(size)
            for j in range(i)
            if not math.isnan(series.y[i * size + j])
        }
    return {}
