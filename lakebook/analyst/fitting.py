"""Which old component belongs beside which step: one that draws the same columns for the same question.

What belongs here: how far a component asks what a step asks, by columns, kind of figure and words. What does
not: which components are tried at all (retrieval), and where they stand in the notebook (report). Paper:
NotebookRAG §4.3.1.
"""

from __future__ import annotations

import re
from collections.abc import Mapping, Sequence
from dataclasses import dataclass

from lakebook.analyst.intent import Intent
from lakebook.analyst.play import Candidate
from lakebook.analyst.table import Table
from lakebook.analyst.vocabulary import CALENDAR_WORDS, name_tokens
from lakebook.enhancement.enhanced import EnhancedComponent
from lakebook.notebooks.component import Component

FITTING = 0.6


@dataclass(frozen=True, slots=True)
class Subject:
    """What a play is about, as an author of an old notebook would have put it.

    Attributes:
        words: a pattern of the words that name it in headings, titles, labels and calls.
        marks: the kinds of figures that can show it.
        telling: True if such a figure of the same columns shows it even where no word says so.
        keys: places in `Candidate.columns` of the columns that a component must draw to be about the same;
            () if two columns in common are enough.
    """

    words: str
    marks: frozenset[str]
    telling: bool = False
    keys: tuple[int, ...] = (0, 1)


def _marks(text: str) -> frozenset[str]:
    return frozenset(text.split())


_COURSE = _marks("line area")
_BARS = _marks("bar barh pie treemap wedge count")
_SPREAD = _marks("histogram hist kde box violin")

# Trust sections are missing on purpose: what an old notebook drew of a total or a copy shows the trap, seldom
# the way out. A calendar is not a chart that people drew.
SUBJECTS: Mapping[str, Subject] = {
    "T01": Subject(r"over time|by date|histor|course|develop|weekly|monthly|daily|per year", _COURSE, True),
    "T02": Subject(r"season|decompos|month|day of week|weekday|calendar", _COURSE | _SPREAD | _marks("bar")),
    "T04": Subject(r"trend|rolling|moving average|mean of \d+ weeks|weeks? mean", _COURSE),
    "T05": Subject(r"shift|break|regime|level|before and after", _COURSE),
    "T06": Subject(r"anomal|outlier|unusual|spike|residual|odd", _COURSE | _marks("scatter point")),
    "T07": Subject(r"autocorr|acf|pacf|lag", _marks("line bar scatter")),
    "T08": Subject(
        r"forecast|baseline|naive|holt|arima|prophet|smoothing|absolute error|mae|rmse|train", _COURSE | _BARS
    ),
    "T09": Subject(
        r"year over year|years|yearly|annual|growth|in \w+ years", _COURSE | _SPREAD | _marks("bar barh")
    ),
    "G01": Subject(
        r"differ|compar|by |between|versus|vs|spread", _marks("box violin strip swarm point"), True
    ),
    "G02": Subject(r"by |top|largest|most|total|share|sum|rank|profits|losses", _BARS | {"heatmap"}, True),
    "G03": Subject(r"rate|margin|ratio|share|percent", _marks("bar barh line"), False, (0, 2)),
    "G04": Subject(r"mix|premium|gap", _COURSE | _BARS, False, (0, 2)),
    "G06": Subject(
        r"within|slope|elastic|each (?:year|group|region)|hold", _marks("scatter bar line"), False, ()
    ),
    "G08": Subject(r"by |cross|share", _marks("heatmap bar barh"), True),
    "G09": Subject(r"share|mix|composition|stacked|by type|added", _COURSE | _marks("bar barh"), True),
    "G10": Subject(r"discount|dose|level|threshold|effect", _marks("line scatter point bar"), True),
    "R01": Subject(r"correl|heatmap|pair|relat", _marks("heatmap pairplot"), True, ()),
    "R02": Subject(
        r"correl|scatter|against|versus|vs", _marks("scatter reg hexbin joint heatmap"), False, ()
    ),
    "R04": Subject(r"correl|heatmap|collinear|vif", _marks("heatmap"), True, ()),
    "R05": Subject(r"within|between|slope|elastic", _marks("scatter histogram line")),
    "R06": Subject(r"distribut|hist|shape|balance", _SPREAD | {"count"}, True, (0,)),
    "S11": Subject(r"genre|categor|countr|listed|top|most", _BARS, True, (0,)),
    "S13": Subject(r"missing|null|nan|empty", _marks("bar barh heatmap"), False, (0,)),
    "U01": Subject(r"distribut|hist|shape|skew|spread", _SPREAD, True, (0,)),
    "U02": Subject(r"count|balance|share|how many|number of", _BARS, True, (0,)),
    "U03": Subject(r"top|largest|most|concentrat|pareto", _BARS, True, (0,)),
    "U04": Subject(r"outlier|extreme|tail", _marks("box violin scatter"), False, (0,)),
}


def fit(
    play: str,
    candidate: Candidate,
    item: EnhancedComponent,
    component: Component | None,
    table: Table,
    intent: Intent,
) -> float:
    """Say from 0 to 1 how far a component draws what a step is about; below `FITTING` it does not belong.

    The columns must be the same, for a figure of other columns answers another question; then the kind of the
    figure and its words decide.
    """
    subject = SUBJECTS.get(play)
    if subject is None or not item.columns:
        return 0.0
    columns = _columns_in_common(play, candidate, set(item.columns), table, subject.keys)
    if columns == 0.0:
        return 0.0
    drawn = _drawn(item, component)
    mark = bool(drawn & subject.marks)
    said = _said(subject.words, item, component)
    if not mark or (said == 0.0 and not subject.telling):
        return 0.0
    about = 1.0 if not intent.target or intent.target in item.columns else 0.75
    return round(about * (0.4 * columns + 0.3 + 0.3 * said), 4)


def _columns_in_common(
    play: str, candidate: Candidate, theirs: set[str], table: Table, keys: tuple[int, ...]
) -> float:
    """Return 0 unless the component has the columns that matter, and less for each further one."""
    own = candidate.columns
    if keys:
        wanted = [own[place] for place in keys if place < len(own)]
        if not all(name in theirs or _stands_in(name, theirs, table) for name in wanted):
            return 0.0
    elif len(theirs & set(own)) < 2 or own[0] not in theirs:
        return 0.0
    calendar = {name for name in theirs if _part_of_calendar(name, table)}
    extra = theirs - set(own) - (calendar if play[0] == "T" else set())
    return max(0.4, 1.0 - 0.15 * len(extra))


def _stands_in(name: str, theirs: set[str], table: Table) -> bool:
    """A year or a month beside the rows stands in for the date that it was made of."""
    return table.column(name).use == "time" and any(_part_of_calendar(other, table) for other in theirs)


def _part_of_calendar(name: str, table: Table) -> bool:
    known = {column.name: column for column in table.columns}
    return name in known and (
        known[name].use == "time"
        or (known[name].use == "ordinal" and bool(set(name_tokens(name)) & CALENDAR_WORDS))
    )


def _drawn(item: EnhancedComponent, component: Component | None) -> set[str]:
    """Return the kinds of figures, as the code names them or as they were drawn."""
    named = set(component.chart_types) if component else set()
    return named or {series.mark for axes in item.drawn for series in axes.series}


def _said(words: str, item: EnhancedComponent, component: Component | None) -> float:
    """Return how sure the component's words name the subject: its own ones more than the heading above it."""
    pattern = re.compile(rf"(?<![a-z])(?:{words})")
    labels = [text for axes in item.drawn for text in (axes.title, axes.xlabel, axes.ylabel)]
    code = component.target_code if component else ""
    if pattern.search(_plain(" ".join(labels))):
        return 1.0
    if pattern.search(_plain(" ".join(re.findall(r"[^\W\d]\w{3,}", code)))):
        return 0.7
    return 0.5 if component and pattern.search(_plain(component.heading)) else 0.0


def _plain(text: str) -> str:
    return " ".join(name_tokens(text))


def best_pairs(fits: Sequence[tuple[float, str, str]]) -> dict[str, str]:
    """Give each step at most one component and each component at most one step, best fits first."""
    given: dict[str, str] = {}
    for value, step, component in sorted(fits, key=lambda entry: (-entry[0], entry[1], entry[2])):
        if value >= FITTING and step not in given and component not in given.values():
            given[step] = component
    return given
