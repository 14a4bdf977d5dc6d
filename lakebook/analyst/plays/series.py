"""Which series a table holds: measures over time, how they are added up, and at what step.

What belongs here: the preparation that all time plays share, as a choice and as code (the method is
`time_series`). Paper: NotebookRAG §4.2.2; notes on plays, §3 T.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from datetime import date
from typing import Any

from lakebook.analyst.intent import Intent
from lakebook.analyst.phrases import identifier, main_flow
from lakebook.analyst.play import Candidate, InsightDraft, Proposal
from lakebook.analyst.plays.wording import named, plain
from lakebook.analyst.table import Structure, Table, TableColumn
from lakebook.sandbox.base import Json

ADJECTIVES = {
    "hour": "hourly",
    "day": "daily",
    "week": "weekly",
    "month": "monthly",
    "quarter": "quarterly",
    "year": "yearly",
}
STEP_DAYS = {"hour": 1 / 24, "day": 1.0, "week": 7.0, "month": 30.44, "quarter": 91.3, "year": 365.25}


@dataclass(frozen=True, slots=True)
class Measure:
    """One series: a column (or "" for the count of rows), how rows of one step are put together, the step.

    `events`: rows are things that happen (orders, entries), not readings at set times.
    """

    column: str
    how: str
    step: str
    weight: str = ""
    events: bool = False

    @property
    def name(self) -> str:
        """The measure in a key or a title."""
        return self.column or "rows"

    @property
    def title(self) -> str:
        """The measure in a title."""
        return plain(self.column) if self.column else "number of rows"

    @property
    def phrase(self) -> str:
        """The measure in a question."""
        return named(self.column) if self.column else "the number of rows"

    @property
    def words(self) -> str:
        """The measure in a sentence."""
        if not self.column:
            return f"{ADJECTIVES[self.step]} number of rows"
        if self.how == "sum":
            return f"{ADJECTIVES[self.step]} sum of {named(self.column)}"
        return f"{ADJECTIVES[self.step]} mean of {named(self.column)}"

    @property
    def axis(self) -> str:
        """The label of the value axis."""
        if not self.column:
            return f"Rows a {self.step}"
        return f"{self.column}, {'sum' if self.how == 'sum' else 'mean'} by {self.step}"

    def params(self) -> dict[str, Json]:
        """Return the fields as a candidate's parameters."""
        return {
            "column": self.column,
            "how": self.how,
            "step": self.step,
            "weight": self.weight,
            "events": self.events,
        }

    @staticmethod
    def read(params: Mapping[str, Any]) -> Measure:
        """Read a measure back from a candidate's parameters."""
        return Measure(params["column"], params["how"], params["step"], params["weight"], params["events"])

    def code(self, key: str, time: str) -> str:
        """Write the code that binds `key_series`."""
        given = [f"base, {time!r}, {self.step!r}"]
        if self.column:
            given += [repr(self.column), f"how={self.how!r}"]
        if self.weight:
            given.append(f"weight={self.weight!r}")
        if self.events:
            given.append("events=True")
        return f"{key}_series = time_series({', '.join(given)})"

    def population(self, table: Table) -> str:
        """Say which rows the series stands on."""
        whole = "steps without rows count as zero, partial first and last steps are left out"
        return f"all rows of `base`, {self.words}; " + (
            whole if self.events and self.how != "mean" else "steps without rows stay blank"
        )


def time_span(table: Table) -> float:
    """Return the days from the first to the last stamp, 0 if they are not known."""
    try:
        column = table.column(table.structure.time)
        low, high = (date.fromisoformat(_day(str(text))) for text in (column.min, column.max))
    except (KeyError, ValueError):
        return 0.0
    return float((high - low).days)


def _day(text: str) -> str:
    return f"{text}-01-01" if len(text) == 4 else text[:10]


def holds_events(structure: Structure) -> bool:
    """Tell whether rows are things that happen: no entity is read at every stamp, and time is not the key."""
    return not structure.entities and structure.key != (structure.time,)


def series_step(table: Table) -> str:
    """Return the step of the series: that of the readings; for events, months if there are two years of them.

    Events are counted in steps that hold at least some thirty rows on average, and not in more than needed.
    """
    structure, span = table.structure, time_span(table)
    if not holds_events(structure) and structure.time_step != "irregular":
        return structure.time_step
    if structure.time_step in ("month", "quarter", "year"):
        return structure.time_step
    if span >= 730:
        return "month"
    return "day" if table.rows >= 30 * max(span, 1) or span < 180 else "week"


def measure_of(column: TableColumn, table: Table) -> Measure:
    """Return the series of a column: flows, counts and stocks add up, ratios are averaged by their weight."""
    how = "mean" if column.use == "ratio" else "sum"
    weight = table.structure.weight(column.name) if how == "mean" else ""
    return Measure(column.name, how, series_step(table), weight, holds_events(table.structure))


def row_counts(table: Table) -> Measure:
    """Return the series of the number of rows."""
    return Measure("", "count", series_step(table), "", holds_events(table.structure))


def table_measures(table: Table, intent: Intent, most: int = 2) -> tuple[Measure, ...]:
    """Return the series worth looking at, best first: target, columns named, the widest flow; or row counts.

    Row counts stand in only for tables of events; in a panel they tell how it was filled, not what happened.
    """
    useful = {
        c.name: c
        for c in table.having("flow", "ratio", "count", "stock")
        if c.dtype in ("number", "integer") and c.distinct > 2
    }
    wide = main_flow(table, intent.target)
    asked = [name for name in (intent.target, *intent.columns) if name in useful]
    names = list(dict.fromkeys([*asked, *([wide.name] if wide is not None and wide.name in useful else [])]))
    found = [measure_of(useful[name], table) for name in names[:most]]
    if holds_events(table.structure) and (not found or (not asked and intent.kind == "describe")):
        found.insert(0, row_counts(table))
    if not found:
        found = [measure_of(column, table) for column in list(useful.values())[:1]]
    return tuple(found[:most])


def series_length(table: Table) -> float:
    """Return about how many steps a series of this table has."""
    return time_span(table) / STEP_DAYS[series_step(table)] + 1


def propose_series(
    play: str, word: str, table: Table, intent: Intent, needed: float, most: int = 2
) -> Proposal:
    """Propose one candidate a measure, or say that there is no time or too little of it."""
    if not table.structure.time:
        return Proposal(reason="the table has no time column")
    if series_length(table) < needed:
        return Proposal(reason=f"the table covers fewer than {needed:.0f} steps of time")
    found = table_measures(table, intent, most)
    if not found:
        return Proposal(reason="no column can be followed over time")
    candidates = []
    for place, measure in enumerate(found):
        columns = [name for name in (measure.column, table.structure.time, measure.weight) if name]
        prior = 0.9 - 0.3 * place
        candidates.append(
            Candidate(play, identifier(word, measure.name), tuple(columns), prior, measure.params())
        )
    return Proposal(tuple(candidates))


def unweighted(measure: Measure) -> list[InsightDraft]:
    """Return the caution that a mean of a ratio has no weight, if so."""
    if measure.how != "mean" or measure.weight:
        return []
    text = (
        f"No column is known to weight {named(measure.column)}, so every row counts the same; this is an "
        f"assumption."
    )
    return [InsightDraft(text, (), caution=True)]
